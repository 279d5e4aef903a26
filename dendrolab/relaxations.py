"""Correlation clustering by linear and semidefinite programming: bounds that judge the local search."""

import time
import warnings
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from scipy.spatial.distance import squareform
from sklearn.exceptions import ConvergenceWarning

from .correlation import check_n_clusters
from .dendrogram import Dendrogram
from .signed_graph import check_signed_matrix, inside_sums, positive_sum

_MOST_TRIANGLES = 400_000  # added in a round
_VIOLATED = 1e-6
_NO_TIME_LIMIT = 1e9  # seconds


@dataclass(frozen=True)
class Relaxation:
    """A lower bound on the cost of any clustering, and a clustering rounded from it.

    Attributes
    ----------
    lower_bound : float
        No clustering costs less (Eq. 9), whatever its number of clusters.
    labels : ndarray of shape (n,)
        The best cut of the average linkage tree of `distances`; with more clusters than asked, those merge
        first whose merge costs least.
    cost : float
        Cost of `labels`.
    distances : ndarray of shape (n, n)
        The relaxed answer: 0 together, 1 apart.
    converged : bool
        False where the time limit came first; the lower bound holds, but may be low.
    """

    lower_bound: float
    labels: np.ndarray
    cost: float
    distances: np.ndarray
    converged: bool

    def gap(self, cost):
        """Share of a clustering's cost that lies above the lower bound; 0 proves it optimal.

        Parameters
        ----------
        cost : float
            Such as ``CorrelationClustering(...).fit(S).cost_``.

        Returns
        -------
        float
        """
        return max(0.0, (cost - self.lower_bound) / cost) if cost > 0 else 0.0


def lp_relaxation(S, n_clusters=None, time_limit=None):
    """Relax correlation clustering to a linear program, solved by HiGHS.

    Parameters
    ----------
    S : array-like or sparse matrix of shape (n, n)
        Signed graph, as for `correlation_cost`; for some hundred objects.
    n_clusters : int, optional
        The most clusters of the rounded labels; the bound doesn't know it.
    time_limit : float, optional
        Seconds, roughly; the bound then is that of the triangles added so far.

    Returns
    -------
    Relaxation

    Warns
    -----
    ConvergenceWarning
        When the time limit came first.

    Notes
    -----
    Pairs get x_ij in [0, 1], 0 together and 1 apart, that minimise the sum of S_ij x_ij over positive pairs
    and |S_ij| (1 - x_ij) over negative ones, under x_ij <= x_ik + x_kj. All violated triangles are added
    after each round, until none is. Objects with equal rows and no conflict between them count as one: in
    some optimum they are together.

    Examples
    --------
    >>> from dendrolab.relaxations import lp_relaxation
    >>> answer = lp_relaxation([[0, 1, -1], [1, 0, 1], [-1, 1, 0]])
    >>> round(answer.lower_bound, 6), answer.cost
    (1.0, 1.0)
    """
    return _relax(S, n_clusters, time_limit, _solve_lp)


def sdp_relaxation(S, n_clusters=None, time_limit=None):
    """Relax correlation clustering to a semidefinite program, solved by SCS through cvxpy.

    Parameters
    ----------
    S : array-like or sparse matrix of shape (n, n)
        Signed graph, as for `correlation_cost`; for a hundred objects or so.
    n_clusters : int, optional
        The most clusters of the rounded labels; the bound doesn't know it.
    time_limit : float, optional
        Seconds of the solver.

    Returns
    -------
    Relaxation

    Raises
    ------
    ImportError
        Without cvxpy, the extra ``dendrolab[relax]``.

    Warns
    -----
    ConvergenceWarning
        When the time limit came first.

    Notes
    -----
    Minimises the sum of S_ij (1 - X_ij) over positive pairs and |S_ij| X_ij over negative ones over positive
    semidefinite X with unit diagonal and X >= 0. The bound is that of the solver's dual variables, made
    feasible by the smallest eigenvalue, so that it holds also for a rough solution.

    Examples
    --------
    >>> from dendrolab.relaxations import sdp_relaxation
    >>> sdp_relaxation([[0, 1, -1], [1, 0, 1], [-1, 1, 0]]).cost  # doctest: +SKIP
    1.0
    """
    return _relax(S, n_clusters, time_limit, _solve_sdp)


def _relax(S, n_clusters, time_limit, solve):
    S = check_signed_matrix(S)
    S = S.toarray() if sparse.issparse(S) else S
    check_n_clusters(n_clusters, len(S))
    groups, weights = _merge_twins(S)
    bound, x, converged = solve(weights, _NO_TIME_LIMIT if time_limit is None else time_limit)
    if not converged:
        warnings.warn("the time limit came before the optimum.", ConvergenceWarning, stacklevel=3)
    x = x[np.ix_(groups, groups)]
    labels = _best_cut(x, S, n_clusters)
    cost = positive_sum(S) - inside_sums(S, labels)
    return Relaxation(max(0.0, float(bound)), labels, cost, x, converged)


def _merge_twins(S):
    """Groups of objects that may be taken together, and the sum of S between groups."""
    rows, best = S.copy(), S.max(axis=1)
    np.fill_diagonal(rows, np.where(best >= 0, best, 1))
    groups = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
    weights = _sums_between(S, groups)
    np.fill_diagonal(weights, 0)
    return groups, weights


def _sums_between(S, labels):
    member = np.equal.outer(np.arange(labels.max() + 1), labels).astype(float)
    return member @ S @ member.T


def _best_cut(x, S, n_clusters):
    """Labels of the cut of x's average linkage tree that costs least; too many clusters merge."""
    n = len(S)
    if n == 1:
        return np.zeros(1, dtype=np.intp)
    tree = Dendrogram.from_distances(squareform(x, checks=False), "average")
    members, inside = [[i] for i in range(n)], [0.0]
    for left, right in tree.children.tolist():
        inside.append(inside[-1] + S[np.ix_(members[left], members[right])].sum())
        members.append(members[left] + members[right])
    labels = tree.cut(n_clusters=n - int(np.argmax(inside)))
    sums = _sums_between(S, labels)
    for _ in range(len(sums) - (n_clusters or n)):
        np.fill_diagonal(sums, -np.inf)
        kept, gone = sorted(np.unravel_index(sums.argmax(), sums.shape))
        sums[kept] += sums[gone]
        sums[:, kept] += sums[:, gone]
        sums = np.delete(np.delete(sums, gone, 0), gone, 1)
        labels = np.where(labels == gone, kept, labels - (labels > gone))
    return labels


def _solve_lp(S, time_limit):
    n, deadline = len(S), time.monotonic() + time_limit
    pairs = np.triu_indices(n, 1)
    weights, number = S[pairs], np.zeros((n, n), dtype=np.intp)
    number[pairs] = np.arange(weights.size)
    number += number.T
    together, rows, bound = -np.minimum(weights, 0).sum(), np.empty((0, 3), dtype=np.intp), 0.0
    x = (S < 0).astype(float)  # the optimum without triangles
    while True:
        added = np.unique(np.concatenate([rows, _violated_triangles(x, number)]), axis=0)
        if len(added) == len(rows):
            return bound, x, True
        rows = added
        signs = np.tile([1.0, -1.0, -1.0], len(rows))
        A = sparse.csr_array((signs, rows.ravel(), 3 * np.arange(len(rows) + 1)), (len(rows), weights.size))
        left = max(0.01, deadline - time.monotonic())
        answer = linprog(weights, A, np.zeros(len(rows)), bounds=(0, 1), options={"time_limit": left})
        if not answer.success:
            return bound, x, False
        bound, x = answer.fun + together, np.clip(answer.x, 0, 1)[number]
        np.fill_diagonal(x, 0)


def _violated_triangles(x, number):
    """Rows (ij, ik, kj) of pairs with x_ij > x_ik + x_kj, the worst ones where there are very many."""
    rows, excess = [], []
    for i in range(len(x)):
        above = x[i, i + 1 :, None] - x[i] - x[i + 1 :]
        j, k = np.nonzero(above > _VIOLATED)
        excess.append(above[j, k])
        j += i + 1
        rows.append(np.column_stack([number[i, j], number[i, k], number[k, j]]))
    rows, excess = np.concatenate(rows), np.concatenate(excess)
    if len(rows) > _MOST_TRIANGLES:
        rows = rows[np.argpartition(-excess, _MOST_TRIANGLES)[:_MOST_TRIANGLES]]
    return rows


def _solve_sdp(S, time_limit):
    try:
        import cvxpy
    except ImportError as error:
        raise ImportError("the semidefinite program needs cvxpy: pip install 'dendrolab[relax]'.") from error
    n = len(S)
    X = cvxpy.Variable((n, n), PSD=True)
    unit, positive = cvxpy.diag(X) == 1, X >= 0
    problem = cvxpy.Problem(cvxpy.Minimize(-cvxpy.sum(cvxpy.multiply(S, X)) / 2), [unit, positive])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # an inaccurate solution is told by `converged`
        problem.solve(solver="SCS", time_limit_secs=time_limit)
    x = np.clip(1 - X.value, 0, 1)
    np.fill_diagonal(x, 0)
    # Weak duality: with trace(X) = n, any multipliers y and Z >= 0 give a bound through an eigenvalue.
    y, Z = unit.dual_value, np.maximum(positive.dual_value + positive.dual_value.T, 0) / 2
    least = np.linalg.eigvalsh(np.diag(y) - S / 2 - Z)[0]
    return positive_sum(S) - y.sum() + n * least, (x + x.T) / 2, problem.status == "optimal"
