"""Time and memory of the lean engines against the peers and the dense route, in one run.

`make bench` prints ratios. Each case runs once in a process of its own, so that its peak memory is its
own; the seconds of the processor stand beside those of the clock, which other work on the machine
lengthens. Memory is what the case took beyond the interpreter with all libraries and the data's input.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import fastcluster
import numpy as np
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist
from sklearn.cluster import KMeans

from dendrolab import Dendrogram, DendrogramFeatures, minimax_dendrogram
from dendrolab.minimax_paths import minimax_neighbors, minimax_tree

METRIC = {"ward": "euclidean", "average": "sqeuclidean", "single": "euclidean"}


def lean(X, linkage):
    Dendrogram.from_data(X, linkage, METRIC[linkage], engine="lean")


def dense(X, linkage):
    Dendrogram.from_data(X, linkage, METRIC[linkage], engine="dense")


def scipy_linkage(X, linkage):
    hierarchy.linkage(pdist(X, METRIC[linkage]), linkage)


def fastcluster_matrix(X, linkage):
    fastcluster.linkage(X, linkage, METRIC[linkage])


def fastcluster_vector(X, linkage):
    fastcluster.linkage_vector(X, linkage, METRIC[linkage])


def features_and_labels(X, linkage):
    features = DendrogramFeatures(linkage, n_components=20).fit_transform(X)
    KMeans(10, n_init=3, random_state=0).fit(features)


def neighbours_and_path(X, linkage):
    tree = minimax_tree(X, "precomputed" if sparse.issparse(X) else "euclidean")
    minimax_neighbors(tree.dendrogram, 0, 10)
    tree.path(0, X.shape[0] - 1)


def neighbours(X, linkage):
    minimax_neighbors(minimax_dendrogram(X), 0, 10)


def noise(n, d):
    return np.random.default_rng(0).normal(size=(n, d))


def words(n, d):
    """Like TF-IDF: each row holds some 50 of d words, common ones more often, at unit norm."""
    rng = np.random.default_rng(0)
    share = 1 / np.arange(1, d + 1) ** 0.8
    drawn = rng.choice(d, size=60 * n, p=share / share.sum())
    weight = np.log(share[0] / share[drawn]) + 0.1
    X = sparse.csr_array((weight, (np.repeat(np.arange(n), 60), drawn)), shape=(n, d))
    return sparse.csr_array(sparse.diags_array(1 / sparse.linalg.norm(X, axis=1)) @ X)


def graph(n, m):
    """Weighted graph of n objects and about m random edges."""
    rng = np.random.default_rng(0)
    i, j = np.divmod(np.unique(rng.integers(0, n * n, size=2 * m)), n)
    i, j = i[i < j], j[i < j]
    return sparse.coo_array((rng.random(i.size), (i, j)), shape=(n, n))


class Case:
    """Figures of one piece of work: seconds of clock and processor, MB taken, MB of the whole process."""

    def __init__(self, work, n, d, linkage="ward", data="noise"):
        command = [sys.executable, __file__, "one-case", work.__name__, data, str(n), str(d), linkage]
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        self.clock, self.processor, self.taken, self.peak = map(float, out.split())

    def __str__(self):
        return f"{self.clock:8.2f} s {self.processor:8.2f} s {self.taken:7.0f} MB {self.peak:7.0f} MB"


HEADER = " " * 33 + "clock  processor      taken  whole peak"


def one_case(work, data, n, d, linkage):
    X = globals()[data](int(n), int(d))
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    start, cpu = time.perf_counter(), time.process_time()
    globals()[work](X, linkage)
    clock, cpu = time.perf_counter() - start, time.process_time() - cpu
    print(clock, cpu, resident("VmHWM") - before, resident("VmHWM"))


def resident(field):
    return int(re.search(rf"{field}:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1e3


def show(text, case):
    print(f"  {text:24s} {case}", flush=True)
    return case


def against_peers(n=20_000, d=64):
    print(f"\nLean engines and peers, n = {n:,}, d = {d}\n{HEADER}")
    vector = show("fastcluster vector ward", Case(fastcluster_vector, n, d))
    for linkage in ("ward", "average"):
        ours = show(f"lean {linkage}", Case(lean, n, d, linkage))
        matrix = show(f"fastcluster {linkage}", Case(fastcluster_matrix, n, d, linkage))
        scipys = show(f"SciPy {linkage}", Case(scipy_linkage, n, d, linkage))
        peers = {"fastcluster vector (ward)": vector, "fastcluster": matrix, "SciPy": scipys}
        for name, peer in peers.items():
            print(
                f"    {name} takes {peer.clock / ours.clock:.2f} x the time of lean {linkage} (processor "
                f"{peer.processor / ours.processor:.2f} x); lean takes {ours.taken / peer.taken:.3f} of its "
                f"memory, {ours.peak / peer.peak:.3f} with all libraries"
            )


def larger(n=50_000, d=64):
    print(f"\nLean engines, n = {n:,}, d = {d}\n{HEADER}")
    for linkage in METRIC:
        show(f"lean {linkage}", Case(lean, n, d, linkage))


def dimensions(n=10_000):
    print(f"\nWard by the lean engine and by fastcluster's vectors, n = {n:,}\n{HEADER}")
    for d in (2, 8, 64, 512):
        ours, theirs = Case(lean, n, d), Case(fastcluster_vector, n, d)
        show(f"d = {d}, lean", ours)
        show(f"d = {d}, fastcluster", theirs)
        print(f"    fastcluster takes {theirs.clock / ours.clock:.2f} x, processor ", end="")
        print(f"{theirs.processor / ours.processor:.2f} x")


def exponents(sizes=(2_500, 5_000, 10_000, 20_000), d=16):
    print(f"\nGrowth from n = {sizes[0]:,} to {sizes[-1]:,}, d = {d}: exponents of time and of memory")
    for work in (lean, dense):
        for linkage in METRIC:
            cases = [Case(work, n, d, linkage) for n in sizes]
            seconds = exponent(sizes, [case.processor for case in cases])
            memory = exponent(sizes, [max(case.taken, 0.1) for case in cases])
            print(f"  {work.__name__:5s} {linkage:8s} time n^{seconds:.2f}, memory n^{memory:.2f}", end="; ")
            print(f"at n = {sizes[-1]:,}: {cases[-1].processor:.2f} s, {cases[-1].taken:.0f} MB", flush=True)


def exponent(sizes, values):
    return np.polyfit(np.log(sizes), np.log(values), 1)[0]


def sparse_rows(n=10_000, d=5_800):
    print(f"\nSparse rows like TF-IDF, {n:,} x {d:,}\n{HEADER}")
    for linkage in ("ward", "average"):
        ours = show(f"lean {linkage}", Case(lean, n, d, linkage, "words"))
        theirs = show(f"dense {linkage}", Case(dense, n, d, linkage, "words"))
        print(f"    the dense engine takes {theirs.processor / ours.processor:.2f} x the processor's time")


def whole_way(n=100_000, d=16):
    print(f"\nRaw table to 20 features to k-means labels, n = {n:,}, d = {d}\n{HEADER}")
    for linkage in ("single", "ward"):
        show(linkage, Case(features_and_labels, n, d, linkage))


def minimax():
    print(f"\nMinimax neighbours and a path\n{HEADER}")
    show("neighbours, 20,000 x 16", Case(neighbours, 20_000, 16))
    show("and path, 20,000 x 16", Case(neighbours_and_path, 20_000, 16))
    show("graph, 1e6 edges", Case(neighbours_and_path, 100_000, 1_000_000, data="graph"))
    show("graph, 5e6 edges", Case(neighbours_and_path, 1_000_000, 5_000_000, data="graph"))


def report(n=50_000, d=10):
    print(f"\n`dendrolab report` on {n:,} x {d}")
    with tempfile.TemporaryDirectory() as folder:
        names = ",".join(f"x{k}" for k in range(d))
        table = Path(folder, "table.csv")
        np.savetxt(table, noise(n, d), fmt="%.6f", delimiter=",", header=names, comments="")
        command = [
            sys.executable,
            "-c",
            "from dendrolab.cli import main; main()",
            "report",
            str(table),
            "--out",
            folder,
        ]
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        clock = time.perf_counter() - start
    print(f"  status {status}, clock {clock:.1f} s, processor {used.ru_utime + used.ru_stime:.1f} s", end="")
    print(f"; largest process {used.ru_maxrss / 1e3:.0f} MB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["one-case"]:
        one_case(*sys.argv[2:])
    else:
        parts = (against_peers, larger, dimensions, exponents, sparse_rows, whole_way, minimax, report)
        for part in [part for part in parts if not sys.argv[1:] or part.__name__ in sys.argv[1:]]:
            part()
