"""Time and memory of the dendrogram features against the dense route and the peers, in one run.

`make bench` prints ratios. Every figure is the best of three runs but for the slow peers, which run once.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.linalg import eigh
from scipy.spatial.distance import pdist
from sklearn.manifold import ClassicalMDS

from dendrolab import Dendrogram, DendrogramFeatures, dendrogram_distances, embed_dendrogram


def best_of(work, runs=3):
    """Seconds of the fastest run, and the result of the last."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def random_tree(n, seed=0):
    """Linkage matrix in which each merge takes two random clusters, at rising heights."""
    rng = np.random.default_rng(seed)
    alive, sizes, rows = list(range(n)), [1] * n, []
    for node in range(n, 2 * n - 1):
        pair = []
        for pick in rng.integers(0, (len(alive), len(alive) - 1)).tolist():
            alive[pick], alive[-1] = alive[-1], alive[pick]
            pair.append(alive.pop())
        sizes.append(sizes[pair[0]] + sizes[pair[1]])
        rows.append((*pair, node - n + 1, sizes[-1]))
        alive.append(node)
    return np.array(rows, dtype=float)


def top_components(n=5000, k=20):
    print(f"\nTop {k} components of n = {n} (average linkage)")
    tree = Dendrogram.from_data(np.random.default_rng(0).normal(size=(n, 8)))
    ours, embedding = best_of(lambda: _fresh(tree, k))
    D = dendrogram_distances(tree)
    root = np.sqrt(D)
    mds, _ = best_of(lambda: ClassicalMDS(k, metric="precomputed").fit(root), runs=1)

    def dense():
        W = D - D.mean(axis=0)
        W -= W.mean(axis=1)[:, None]
        return eigh(-0.5 * W)[0][: -k - 1 : -1]

    exact_time, exact = best_of(dense, runs=1)
    gap = np.max(np.abs(embedding.eigenvalues / exact - 1))
    print(f"  ours {ours:.3f} s; ClassicalMDS {mds:.1f} s = {mds / ours:.0f} x; ", end="")
    print(f"eigh {exact_time:.1f} s = {exact_time / ours:.0f} x")
    print(f"  eigenvalues differ from eigh by {gap:.1e} relatively")


def _fresh(tree, k):
    """Embed without what the tree object has cached."""
    return embed_dendrogram(Dendrogram(tree.linkage_matrix, tree.linkage), n_components=k)


def from_raw_vectors(n=10_000, d=16, k=20):
    print(f"\nFeatures from raw vectors, n = {n}, d = {d}, {k} components")
    X = np.random.default_rng(0).normal(size=(n, d))
    for name in ("single", "complete", "average", "ward"):
        peer, _ = best_of(lambda name=name: linkage(pdist(X), name))
        ours, _ = best_of(lambda name=name: DendrogramFeatures(name, n_components=k).fit(X))
        print(f"  {name:9s} pdist + linkage {peer:.2f} s; ours {ours:.2f} s = {ours / peer:.2f} x")


def growth(sizes=(1_000, 10_000, 100_000, 1_000_000), k=10):
    print(f"\nGrowth with n (random tree, top {k}; each size in a process of its own)")
    print("          n   seconds   peak memory")
    for n in sizes:
        command = [sys.executable, __file__, "one-size", str(n), str(k)]
        seconds, peak = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        print(f"  {n:9,d} {float(seconds):9.2f} {float(peak):9.0f} MB")


def one_size(n, k):
    Z = random_tree(n)
    seconds, _ = best_of(lambda: embed_dendrogram(Dendrogram.from_linkage_matrix(Z), n_components=k), runs=1)
    print(seconds, peak_memory())


def peak_memory():
    """Megabytes that this process held at most (its own, unlike getrusage's, which counts the parent's)."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1e3


if __name__ == "__main__":
    if sys.argv[1:2] == ["one-size"]:
        one_size(int(sys.argv[2]), int(sys.argv[3]))
    else:
        top_components()
        from_raw_vectors()
        growth()
