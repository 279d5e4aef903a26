"""Sequential minimal optimisation of a quadratic over the simplex."""

import warnings
from dataclasses import dataclass

import numpy as np

from .validation import as_numbers, check_finite, is_symmetric

_ROUNDING = 64 * np.finfo(float).eps  # of the largest gradient entry: no gap below it can be told from 0


@dataclass(frozen=True)
class SimplexMinimum:
    """Where the descent stopped.

    Attributes
    ----------
    x : ndarray of shape (n,)
        Weights, not negative, with sum 1.
    fun : float
        b'x + x'Qx.
    kkt_gap : float
        Largest gradient entry where x > 0, minus the smallest of all; 0 exactly at a KKT point. For a convex
        Q no point of the simplex is lower than ``fun - kkt_gap``.
    n_iter : int
        Pairs that were moved.
    converged : bool
    """

    x: np.ndarray
    fun: float
    kkt_gap: float
    n_iter: int
    converged: bool


def minimize_on_simplex(Q, b, x0=None, tol=1e-9, max_iter=None, diagonal=None):
    """Minimise b'x + x'Qx over x >= 0 with sum 1.

    Parameters
    ----------
    Q : array-like of shape (n, n), or callable
        Symmetric. A callable gives column i of it for a number i.
    b : array-like of shape (n,)
    x0 : array-like of shape (n,), optional
        Start, not negative; scaled to sum 1. The best corner if not given.
    tol : float
        Stops at this ``kkt_gap``, relative to the largest entry of Q and b where that is below 1.
    max_iter : int, optional
        Most moves of pairs; 10,000 + 100 n if not given.
    diagonal : array-like of shape (n,), optional
        Diagonal of Q, needed where Q is a callable.

    Returns
    -------
    SimplexMinimum

    Raises
    ------
    ValueError
        For shapes that don't match, NaN, or a matrix that is not symmetric.

    Warns
    -----
    ConvergenceWarning
        When `max_iter` moves don't reach `tol`.

    Notes
    -----
    Each move shifts weight from j to i: i has the lowest gradient, j gives the largest exact decrease
    (second-order choice, Fan, Chen and Lin 2005). For a convex Q the result is the minimum up to the gap;
    else it is a point that fulfils the KKT conditions, which need not be the lowest. A gap below the rounding
    of the gradient counts as 0.

    Examples
    --------
    >>> from dendrolab.simplex_qp import minimize_on_simplex
    >>> minimum = minimize_on_simplex([[2.0, 0.0], [0.0, 1.0]], [0.0, 0.0])
    >>> minimum.x.round(6), round(minimum.fun, 6)
    (array([0.33333..., 0.66666...]), 0.66666...)
    """
    column, diagonal, b = _checked(Q, b, diagonal)
    if not tol > 0:
        raise ValueError(f"tol is {tol!r}: give a positive number.")
    x = _start(x0, b, diagonal)
    scale = max(np.abs(b).max(), np.abs(diagonal).max())
    tol = max(tol * min(1.0, scale), _ROUNDING * scale)
    max_iter = 10_000 + 100 * len(b) if max_iter is None else max_iter
    gradient, gap, n_iter = _descend(column, diagonal, b, x, tol, max_iter)
    if gap > tol:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(
            f"the KKT gap is {gap:.3g} after {n_iter} moves, above {tol:.3g}: raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return SimplexMinimum(x, float(x @ (gradient + b)) / 2, float(gap), n_iter, bool(gap <= tol))


def _descend(column, diagonal, b, x, tol, max_iter):
    """Move pairs, in place, until the gap is at most tol for a gradient that is computed anew."""
    n_iter, fresh = 0, True
    gradient = _gradient(column, b, x)
    while True:
        i = int(gradient.argmin())
        support = np.flatnonzero(x)
        excess = gradient[support] - gradient[i]
        gap = excess.max()
        if (gap <= tol and fresh) or n_iter >= max_iter:
            return gradient, gap, n_iter
        if gap <= tol:  # the running gradient has gathered rounding
            gradient, fresh = _gradient(column, b, x), True
            continue
        column_i = column(i)
        curvature = diagonal[support] + diagonal[i] - 2 * column_i[support]
        # Along a direction without curvature the decrease ends only where x_j is used up.
        step = np.divide(excess, 2 * curvature, out=x[support], where=curvature > 0)
        step = np.minimum(x[support], step)
        best = int((step * (excess - curvature * step)).argmax())
        j, move = support[best], step[best]
        x[j] = x[j] - move if move < x[j] else 0.0
        x[i] += move
        gradient += 2 * move * (column_i - column(j))
        n_iter, fresh = n_iter + 1, False


def _gradient(column, b, x):
    gradient = b.copy()
    for i in np.flatnonzero(x):
        gradient += 2 * x[i] * column(i)
    return gradient


def _checked(Q, b, diagonal):
    b = check_finite(as_numbers(b, "b").astype(np.float64), "b")
    if b.ndim != 1 or b.size == 0:
        raise ValueError(f"b has shape {b.shape}: give a vector with one entry for each weight.")
    if callable(Q):
        if diagonal is None:
            raise ValueError("Q gives columns on demand: pass its diagonal too, as diagonal=.")
        diagonal = check_finite(as_numbers(diagonal, "diagonal").astype(np.float64), "diagonal")
        column = Q
    else:
        Q = check_finite(as_numbers(Q, "Q").astype(np.float64, copy=False), "Q")
        if Q.shape != (len(b), len(b)):
            raise ValueError(f"Q has shape {Q.shape}, and b {b.shape}: Q has a row and a column for each.")
        if not is_symmetric(Q):
            raise ValueError("Q is not symmetric: pass (Q + Q.T) / 2, which has the same x'Qx.")
        diagonal, column = np.diagonal(Q).copy(), Q.__getitem__
    if diagonal.shape != b.shape:
        raise ValueError(f"the diagonal has shape {diagonal.shape}, and b {b.shape}: give them one length.")
    return column, diagonal, b


def _start(x0, b, diagonal):
    if x0 is None:
        x = np.zeros(len(b))
        x[np.argmin(b + diagonal)] = 1
        return x
    x = check_finite(as_numbers(x0, "x0").astype(np.float64), "x0")
    if x.shape != b.shape or x.min() < 0 or x.sum() == 0:
        raise ValueError(
            f"x0 has shape {x.shape}, lowest entry {x.min(initial=0):.3g} and sum {x.sum():.3g}: give "
            f"{len(b)} weights, none negative, not all 0."
        )
    return x / x.sum()
