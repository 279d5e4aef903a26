"""Time and memory of CDSK and its alpha-step against cvxpy's solvers, in one run.

`make bench` prints ratios. The solvers need the extra `relax`. Our times are the best of three runs.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from dendrolab.cdsk import CDSK
from dendrolab.cdsk_similarity import DensePairs
from dendrolab.gaussian_similarity import gaussian_similarity
from dendrolab.metrics import partition_scores
from dendrolab.simplex_qp import minimize_on_simplex


def best_of(work, runs=3):
    """Seconds of the fastest run, and the result of the last."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def alpha_step_problem(n, n_clusters=3, lam=0.1):
    """Q and b of an alpha-step with binary Y: convex."""
    rng = np.random.default_rng(0)
    labels = rng.integers(n_clusters, size=n)
    X = rng.normal(size=(n, 5)) + 2 * labels[:, None]
    K, _ = gaussian_similarity(X, "std")
    column, _, b = DensePairs(K, K, n * lam).quadratic(np.eye(n_clusters)[labels])
    return np.array([column(i) for i in range(n)]), b


def by_cvxpy(Q, b, solver, **options):
    import cvxpy

    x = cvxpy.Variable(len(b))
    cost = b @ x + cvxpy.quad_form(x, cvxpy.psd_wrap(Q))
    problem = cvxpy.Problem(cvxpy.Minimize(cost), [x >= 0, cvxpy.sum(x) == 1])
    problem.solve(solver=solver, **options)
    return problem.value


def alpha_step(n=1000):
    print(f"\nThe alpha-step, n = {n}")
    Q, b = alpha_step_problem(n)
    ours, minimum = best_of(lambda: minimize_on_simplex(Q, b))
    print(f"  SMO {1e3 * ours:.1f} ms, {minimum.n_iter} moves, KKT gap {minimum.kkt_gap:.1e}")
    tight = {
        "CLARABEL": {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10},
        "OSQP": {"eps_abs": 1e-9, "eps_rel": 1e-9, "max_iter": 100_000},
    }
    for solver, options in tight.items():
        peer, value = best_of(lambda s=solver, o=options: by_cvxpy(Q, b, s, **o), runs=1)
        print(
            f"  {solver.lower()} through cvxpy {peer:.2f} s = {peer / ours:.0f} x; its minimum is "
            f"{value - minimum.fun:+.1e} from ours ({minimum.fun:.4f})"
        )


def blobs(n, n_clusters=10, d=16):
    rng = np.random.default_rng(0)
    y = rng.integers(n_clusters, size=n)
    return rng.normal(size=(n, d)) + 0.9 * rng.normal(size=(n_clusters, d))[y], y


def whole_fit(sizes=(2_000, 10_000)):
    print("\nFits with c = 10, 20 rounds, lam 0.1 (each in a process of its own)")
    for n in sizes:
        for neighbours in (0, 20):
            command = [sys.executable, __file__, "one-fit", str(n), str(neighbours)]
            line = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
            kernel = f"{neighbours} neighbours" if neighbours else "dense kernel"
            print(f"  n = {n:6,d}, {kernel:13s} {line}")


def one_fit(n, neighbours):
    X, y = blobs(n)
    model = CDSK(10, lam=0.1, bandwidth="std", random_state=0, n_neighbors=neighbours or None)
    seconds, _ = best_of(lambda: model.fit(X), runs=1)
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    accuracy = partition_scores(y, model.labels_)["accuracy"]
    print(f"{seconds:7.1f} s, {model.n_iter_} rounds, peak {int(peak[1]) / 1e6:.2f} GB, AC {accuracy:.3f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["one-fit"]:
        one_fit(int(sys.argv[2]), int(sys.argv[3]))
    else:
        alpha_step()
        whole_fit()
