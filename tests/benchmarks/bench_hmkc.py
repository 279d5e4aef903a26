"""Time and memory of HMKC against a straightforward port with dense eigendecompositions, in one run.

`make bench` prints ratios. The port is Eqs. 10 to 15 as they stand: np.linalg.eigh of an n x n matrix in
every update. A second port asks LAPACK for the leading eigenvectors only, the quickest dense way.
"""

import re
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.linalg import eigh

from dendrolab.hmkc import HMKC
from dendrolab.kernels import prepare_kernels, view_kernels
from dendrolab.nystrom import nystrom_kernel

M, K = 6, 10


def views(n, m=M, d=20, seed=0):
    """Tables of the same n objects: ten overlapping groups, seen through a few directions and noise."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(K, 8))[rng.integers(K, size=n)] + 0.6 * rng.normal(size=(n, 8))
    return [hidden @ rng.normal(size=(8, d)) + 2 * rng.normal(size=(n, d)) for _ in range(m)]


def full(B, count):
    return np.linalg.eigh(B)[1][:, ::-1][:, :count]


def leading(B, count):
    return eigh(B, subset_by_index=[len(B) - count, len(B) - 1])[1][:, ::-1]


def port(kernels, n_clusters, sizes, eigenvectors, max_iter=100, tol=1e-5):
    """Eqs. 10 to 15 with a dense eigendecomposition each; returns the objective's history."""
    m, s = len(kernels), len(sizes)
    U = [[eigenvectors(kernel, c) for c in sizes] for kernel in kernels]
    weights, history = np.full((s + 1, m), 1 / m), []
    for round_ in range(max_iter):
        H = eigenvectors(sum(weights[s, p] * U[p][-1] @ U[p][-1].T for p in range(m)), n_clusters)
        for p in range(m):
            for t in range(s) if round_ % 2 == 0 else reversed(range(s)):
                below = kernels[p] if t == 0 else U[p][t - 1] @ U[p][t - 1].T
                above = H if t == s - 1 else U[p][t + 1]
                U[p][t] = eigenvectors(weights[t, p] * below + weights[t + 1, p] * above @ above.T, sizes[t])
        traces = np.array(
            [
                [np.sum(U[p][0] * (kernels[p] @ U[p][0]))]
                + [np.sum((low.T @ high) ** 2) for low, high in zip(U[p], [*U[p][1:], H], strict=True)]
                for p in range(m)
            ]
        ).T
        weights = traces / np.linalg.norm(traces, axis=1, keepdims=True)
        history.append(float((weights * traces).sum()))
        if round_ and abs(history[-1] - history[-2]) < tol * history[-1]:
            break
    return history


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def against_the_port(n, sizes, slow=True):
    kernels = prepare_kernels(view_kernels(views(n)))
    ours, model = min(
        (timed(lambda: HMKC(K, sizes, n_init=1, random_state=0).fit(kernels)) for _ in range(3)),
        key=lambda pair: pair[0],
    )
    print(f"  n = {n}, m = {M}, layers {sizes}: ours {ours:.2f} s in {model.n_iter_} rounds")
    for name, eigenvectors in [("np.linalg.eigh", full)] * slow + [("leading eigenvectors", leading)]:
        theirs, history = timed(lambda eigenvectors=eigenvectors: port(kernels, K, sizes, eigenvectors))
        difference = model.objective_history_[-1] / history[-1] - 1
        print(
            f"    port, {name:20s} {theirs:7.2f} s in {len(history)} rounds = {theirs / ours:5.1f} x; "
            f"objective of ours higher by {difference:.1e}"
        )


def peak_memory(n=2000, sizes=(60, 30)):
    print(f"\nPeak memory, n = {n}, m = {M}, layers {list(sizes)} (a process of its own)")
    command = [sys.executable, __file__, "memory", str(n), *map(str, sizes)]
    before, peak = map(
        float, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    )
    kernels = M * n * n * 8 / 1e6
    print(f"  kernels {kernels:.0f} MB; at the peak {kernels + peak - before:.0f} MB = ", end="")
    print(f"{(kernels + peak - before) / kernels:.2f} x")


def memory_of_one_fit(n, sizes):
    rng = np.random.default_rng(0)
    kernels = np.empty((M, n, n))
    for kernel in kernels:  # made in place, so that what is measured is the fit
        F = rng.normal(size=(n, n // 4))
        np.matmul(F, F.T, out=kernel)
        kernel /= n // 4
    del F
    HMKC(K, [12], max_iter=2, n_init=1, random_state=0).fit(
        kernels[:, :100, :100]
    )  # loads what is loaded late
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    HMKC(K, sizes, n_init=1, random_state=0).fit(kernels)
    print(before, resident("VmHWM"))


def resident(field):
    return int(re.search(rf"{field}:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1e3


def many_objects(n=50_000, n_landmarks=300, sizes=(40, 20)):
    print(f"\nn = {n:,}, {M} views, Nystrom factors of {n_landmarks} landmarks, layers {list(sizes)}")
    made, kernels = timed(
        lambda: [nystrom_kernel(X, n_landmarks=n_landmarks, random_state=0) for X in views(n)]
    )
    prepared, kernels = timed(lambda: prepare_kernels(kernels))
    seconds, model = timed(lambda: HMKC(K, sizes, n_init=1, random_state=0).fit(kernels))
    errors = ", ".join(f"{kernel.error:.2f}" for kernel in kernels)
    print(f"  factors {made + prepared:.1f} s (share of the trace missed: {errors})")
    print(f"  HMKC {seconds:.1f} s in {model.n_iter_} rounds; peak of the process {resident('VmHWM'):.0f} MB")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:2] == ["memory"]:
        memory_of_one_fit(int(sys.argv[2]), [int(size) for size in sys.argv[3:]])
    else:
        print("HMKC against the port")
        against_the_port(800, [60])
        against_the_port(800, [60, 30])
        against_the_port(2000, [60])
        against_the_port(2000, [60, 30])
        peak_memory()
        many_objects()
