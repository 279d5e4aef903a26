"""A signed graph given by its matrix S, dense or sparse."""

import numpy as np
from scipy import sparse

from .local_search import Table
from .memory import check_memory
from .validation import as_numbers, check_finite, is_symmetric

_ROUNDING = 1e-8
_BLOCK_ROWS = 256


def check_signed_matrix(S, name="S"):
    """Return a symmetric matrix of real numbers with a zero diagonal, as a new float64 array or CSR array.

    Parameters
    ----------
    S : array-like or sparse matrix of shape (n, n)
        The diagonal does not matter.
    name : str
        The argument's name, for the messages.

    Returns
    -------
    ndarray or csr_array
    """
    if not sparse.issparse(S):
        S = as_numbers(S, name)
    elif S.dtype.kind == "c":
        raise ValueError(f"{name} holds complex numbers: weights are real.")
    if S.ndim != 2 or S.shape[0] != S.shape[1] or S.shape[0] == 0:
        raise ValueError(f"{name} has shape {S.shape}: give an n x n matrix, the weight of every pair.")
    if not sparse.issparse(S):
        check_memory(16 * S.size, f"work on a copy of {name}", "Pass a sparse matrix if most pairs are 0.")
    S = sparse.csr_array(S, dtype=np.float64) if sparse.issparse(S) else S.astype(np.float64, copy=False)
    check_finite(S, name, "a pair without an opinion has weight 0.")
    _check_symmetric(S, name)
    S = S / 2 + S.T / 2
    if sparse.issparse(S):
        S = sparse.csr_array(S - sparse.diags_array(S.diagonal()))
        S.eliminate_zeros()
    else:
        np.fill_diagonal(S, 0)
    with np.errstate(over="ignore"):
        total = np.abs(S.data).sum() if sparse.issparse(S) else sum(np.abs(row).sum() for row in S)
    if not np.isfinite(total):
        raise ValueError(f"{name} has entries up to {abs(S).max():.3g}, whose sum overflows: rescale it.")
    return S


def _check_symmetric(S, name):
    if sparse.issparse(S):
        difference = abs(S - S.T)
        if difference.max() <= _ROUNDING * abs(S).max():
            return
        difference = difference.tocoo()
        where = int(difference.data.argmax())
        i, j = int(difference.coords[0][where]), int(difference.coords[1][where])
    elif is_symmetric(S):
        return
    else:
        i, j = (int(k) for k in np.unravel_index(np.abs(S - S.T).argmax(), S.shape))
    raise ValueError(
        f"{name} is not symmetric: [{i}, {j}] is {S[i, j]:.6g} and [{j}, {i}] is {S[j, i]:.6g}. If both are "
        f"opinions on one pair, pass ({name} + {name}.T) / 2."
    )


def inside_sums(S, labels):
    """Sum of S over pairs inside clusters.

    Parameters
    ----------
    S : ndarray or csr_array
        As `check_signed_matrix` gives it.
    labels : ndarray of shape (n,)

    Returns
    -------
    float
    """
    if sparse.issparse(S):
        S = S.tocoo()
        return float(S.data[labels[S.coords[0]] == labels[S.coords[1]]].sum()) / 2
    blocks = range(0, len(S), _BLOCK_ROWS)
    total = sum(
        (S[i : i + _BLOCK_ROWS] * (labels[i : i + _BLOCK_ROWS, None] == labels)).sum() for i in blocks
    )
    return float(total) / 2


def positive_sum(S):
    """Sum of the positive entries of S over pairs: the cost (Eq. 9) is this minus the sum inside clusters.

    Parameters
    ----------
    S : ndarray or csr_array
        As `check_signed_matrix` gives it.

    Returns
    -------
    float
    """
    if sparse.issparse(S):
        return float(np.maximum(S.data, 0).sum()) / 2
    return float(sum(np.maximum(row, 0).sum() for row in S)) / 2


class SignedGraph:
    """A signed graph for `local_search`; each object is a node.

    Parameters
    ----------
    S : ndarray or csr_array
        As `check_signed_matrix` gives it.
    """

    def __init__(self, S):
        self.S = S
        self.largest_score = float(abs(S).sum(axis=1).max())

    def bytes_per_start(self, n_clusters):
        n = self.S.shape[0]
        return 16 * n if sparse.issparse(self.S) else 8 * n * (n_clusters + 2)

    def table(self, labels, n_clusters):
        return (SparseTable if sparse.issparse(self.S) else DenseTable)(self.S, labels, n_clusters)


class DenseTable(Table):
    """Scores of all moves, kept up to date: the sum of S from each object to each cluster."""

    def __init__(self, S, labels, n_clusters):
        super().__init__(labels, n_clusters)
        self.S = S
        self.all_scores = np.zeros((labels.shape[1], n_clusters, len(S)))
        for start, row in enumerate(labels.T):
            members = np.zeros((n_clusters, len(S)))
            members[row, np.arange(len(S))] = 1
            self.all_scores[start] = members @ S

    def keep(self, starts):
        super().keep(starts)
        self.all_scores = self.all_scores[starts]

    def widen(self):
        super().widen()
        check_memory(
            2 * self.all_scores.nbytes, "the scores of all moves", "Give n_clusters, or fewer starts."
        )
        self.all_scores = np.concatenate([self.all_scores, np.zeros_like(self.all_scores)], axis=1)

    def inside(self):
        node, start = np.ogrid[: self.labels.shape[0], : self.labels.shape[1]]
        return self.all_scores[start, self.labels, node].sum(axis=0) / 2

    def scores(self, block):
        return self.all_scores[:, :, block].T

    def move(self, moves):
        super().move(moves)
        for node, start, old, new in moves.rows():
            self.all_scores[start, old] -= self.S[node]
            self.all_scores[start, new] += self.S[node]


class SparseTable(Table):
    """Scores of moves, summed over an object's neighbours when it is looked at."""

    def __init__(self, S, labels, n_clusters):
        super().__init__(labels, n_clusters)
        self.S = S

    def inside(self):
        return np.array([inside_sums(self.S, row) for row in self.labels.T])

    def scores(self, block):
        first, last = self.S.indptr[block[0]], self.S.indptr[block[0] + 1]
        n_clusters, n_starts = self.sizes.shape
        cells = self.labels[self.S.indices[first:last]] * n_starts + np.arange(n_starts)
        weights = np.repeat(self.S.data[first:last], n_starts)
        scores = np.bincount(cells.ravel(), weights, n_clusters * n_starts)
        return scores.reshape(1, n_clusters, n_starts)
