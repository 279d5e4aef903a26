"""Time, memory and cost of the ensembles' local search against a plain one, the relaxations and the optimum.

`make bench` prints ratios, with costs, in one run.
"""

import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from dendrolab import ConsensusClustering, CorrelationClustering, coclustering_matrix, correlation_cost
from dendrolab.exact_clustering import exact_clustering
from dendrolab.relaxations import lp_relaxation, sdp_relaxation


def noisy_members(n, n_members=4, n_clusters=10, noise=0.3, seed=0):
    """Copies of one random clustering with a share of the labels drawn anew."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_clusters, size=n)
    drawn = rng.integers(n_clusters, size=(n_members, n))
    return np.where(rng.random((n_members, n)) < noise, drawn, truth)


def plain_search(S, n_clusters, rng):
    """One start of a plain dense local search: one object at a time, its row of S^e summed by cluster."""
    labels, order, moved = rng.integers(n_clusters, size=len(S)), rng.permutation(len(S)), True
    while moved:
        moved = False
        for i in order:
            scores = np.bincount(labels, S[i], minlength=n_clusters)
            scores[labels[i]] -= S[i, i]
            best = scores.argmax()
            if scores[best] > scores[labels[i]]:
                labels[i], moved = best, True
    return labels


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def against_plain(n=4000, n_clusters=10, runs=100, measured=10):
    print(f"\n{runs} restarts, n = {n}, M = 4, K = {n_clusters} (plain search: {measured} runs, scaled up)")
    for noise in (0.1, 0.3, 0.6, 1.0):
        members = noisy_members(n, n_clusters=n_clusters, noise=noise)
        seconds, model = timed(lambda m=members: ConsensusClustering(n_clusters, runs, random_state=0).fit(m))
        S, rng = coclustering_matrix(members).astype(float), np.random.default_rng(0)
        plain, found = timed(lambda S=S, rng=rng: [plain_search(S, n_clusters, rng) for _ in range(measured)])
        plain *= runs / measured
        cost = min(correlation_cost(labels, S) for labels in found)
        print(
            f"  noise {noise:.1f}: ours {seconds:.2f} s, plain {plain:.0f} s = {plain / seconds:.0f} x; "
            f"cost {model.cost_:.0f}, plain {cost:.0f}"
        )


def growth(sizes=(10_000, 100_000, 1_000_000)):
    print("\nGrowth with n (M = 4, K = 10, 100 restarts, noise 0.3; each size in a process of its own)")
    for n in sizes:
        command = [sys.executable, __file__, "one-size", str(n)]
        seconds, peak = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        print(f"  n = {n:9,d}: {float(seconds):6.2f} s, peak memory {float(peak):.0f} MB")


def one_size(n):
    members = noisy_members(n)
    seconds, _ = timed(lambda: ConsensusClustering(10, random_state=0).fit(members))
    status = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]
    print(seconds, int(status) / 1e3)


def relaxations():
    print("\nLocal search, LP and SDP on S^e (K free, M = 4, 120 seconds at most)")
    for n, n_clusters, noise in ((32, 3, 0.5), (160, 3, 0.3), (160, 10, 0.5), (160, 3, 0.6)):
        members = noisy_members(n, n_clusters=n_clusters, noise=noise, seed=1)
        S = coclustering_matrix(members)
        print(f"  n = {n}, K = {n_clusters}, noise {noise}")
        seconds, one_by_one = timed(lambda S=S: CorrelationClustering(random_state=0).fit(S))
        print(f"    local search on S^e {seconds:.2f} s, cost {one_by_one.cost_:.0f}")
        seconds, model = timed(lambda members=members: ConsensusClustering(random_state=0).fit(members))
        print(f"    on the labelings, equal ones together {seconds:.2f} s, cost {model.cost_:.0f}")
        for name, relax in (("LP", lp_relaxation), ("SDP", sdp_relaxation)):
            seconds, answer = timed(lambda S=S, relax=relax: relax(S, time_limit=120))
            print(
                f"    {name:3s} {seconds:6.2f} s, bound {answer.lower_bound:.1f}, rounded {answer.cost:.0f}; "
                f"gap of the latter {answer.gap(model.cost_):.1%}"
            )


def against_optimum(n_graphs=500):
    rng, solved = np.random.default_rng(0), 0
    for k in range(n_graphs):
        n = int(rng.integers(3, 10))
        S = np.triu(rng.normal(size=(n, n)) if k % 2 else rng.integers(-2, 3, (n, n)).astype(float), 1)
        model = CorrelationClustering(random_state=k).fit(S + S.T)
        solved += model.cost_ <= exact_clustering(S + S.T)[1] + 1e-9
    print(f"\nRandom signed graphs with 3 to 9 objects solved to optimality: {solved} of {n_graphs}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["one-size"]:
        one_size(int(sys.argv[2]))
    else:
        warnings.simplefilter("ignore")
        against_plain()
        growth()
        relaxations()
        against_optimum()
