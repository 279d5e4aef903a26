"""The sparse start of CDSK: few objects whose weighted mean stands for all others."""

import numpy as np

from .simplex_qp import minimize_on_simplex


def sparse_start(gram_column, norms, row_sums, per_object=0.1):
    """Weights alpha that minimise sum_i ||x_i - sum over j != i of alpha_j x_j||^2 + 0.1 ||alpha||_0.

    Parameters
    ----------
    gram_column : callable
        Products x_i . x_j of object i with all, for a number i.
    norms : ndarray of shape (n,)
        x_i . x_i.
    row_sums : ndarray of shape (n,)
        Sums over j of x_i . x_j.
    per_object : float
        The price of an object with a weight above 0.

    Returns
    -------
    ndarray of shape (n,)

    Notes
    -----
    Up to a constant the first term is b'alpha + alpha'Q alpha with b_i = 2 x_i . x_i - 2 sum_j x_i . x_j and
    Q = diag(x_i . x_i) + (n - 2) X X'. Its minimum on the simplex is exact; the price is then paid along
    nested supports, each the heavier half of the one before, which is a heuristic: the problem is
    combinatorial.

    Examples
    --------
    >>> import numpy as np
    >>> from dendrolab.cdsk_start import sparse_start
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> sparse_start(lambda i: X @ X[i], (X**2).ravel(), (X @ X.sum(axis=0)))
    array([0., 1., 0.])
    """
    n = len(norms)
    b = 2 * norms - 2 * row_sums

    def column(i):
        q = (n - 2) * gram_column(i)
        q[i] += norms[i]
        return q

    # Quadratic in the unit of the data: relative to it, so that the tolerance means the same for any unit.
    unit = max(np.abs(b).max(), n * np.abs(norms).max()) or 1.0
    diagonal = (n - 1) * norms
    whole = minimize_on_simplex(lambda i: column(i) / unit, b / unit, tol=1e-8, diagonal=diagonal / unit)
    support, best, least = np.flatnonzero(whole.x), whole.x, np.inf
    order = support[np.argsort(-whole.x[support], kind="stable")]
    while True:
        columns = np.array([column(i)[order] for i in order])
        part = minimize_on_simplex(columns / unit, b[order] / unit, tol=1e-8)
        cost = part.fun * unit + per_object * len(order)
        if cost < least:
            least, best = cost, np.zeros(n)
            best[order] = part.x
        if len(order) == 1:
            return best
        order = order[: len(order) // 2]
