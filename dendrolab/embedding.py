"""Vectors whose squared distances are the dendrogram's distances, and classical embedding of any distances."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from .distances import dendrogram_distances
from .levels import level_function
from .validation import as_numbers, check_distances, check_memory

_DENSE_UP_TO = 400  # objects; below this the dense eigendecomposition is as quick as Lanczos
_ZERO = 1e-12  # eigenvalues up to this share of the largest are rounding


@dataclass(frozen=True)
class Embedding:
    """Coordinates of objects, and the spectrum they come from.

    Attributes
    ----------
    coordinates : ndarray of shape (n_objects, n_components)
        Columns ordered by eigenvalue; a column beyond the rank is zero.
    eigenvalues : ndarray
        In decreasing order; those of `embed_dendrogram` belong to the columns, `embed_distances` gives
        the whole signed spectrum.
    total : float
        Sum of all positive eigenvalues, kept or not.
    """

    coordinates: np.ndarray
    eigenvalues: np.ndarray
    total: float

    @property
    def explained(self):
        """Share of `total` that each column holds."""
        kept = self.eigenvalues[: self.coordinates.shape[1]]
        return np.maximum(kept, 0) / self.total if self.total > 0 else np.zeros_like(kept)


def embed_dendrogram(dendrogram, level="level", n_components=None):
    """Embed a dendrogram exactly: squared Euclidean distances of the rows are its distances (Theorem 2).

    Parameters
    ----------
    dendrogram : Dendrogram
        With n objects.
    level : str, callable or array-like
        The level function, as for `level_function`.
    n_components : int, optional
        Leading directions to keep, found by Lanczos iteration in O(n) memory. None keeps all positive
        ones by a dense eigendecomposition, for a few thousand objects.

    Returns
    -------
    Embedding
        With ``eigenvalues`` of the kept columns, in the unit of the level function.

    Raises
    ------
    ValueError
        For ``n_components`` below 1.
    MemoryError
        When the dense route would not fit.

    Notes
    -----
    The matrix is W = -1/2 A D A with A = I - 11^T/n (Section 2.3), never formed for the leading
    directions. The sign of each column makes its largest entry positive; the iteration starts from a
    fixed vector, so that runs repeat. Directions of equal eigenvalue may be rotated among themselves.

    Examples
    --------
    >>> from dendrolab import Dendrogram, embed_dendrogram
    >>> tree = Dendrogram.from_data([[0.0], [1.0], [5.0]], linkage="single")
    >>> embedding = embed_dendrogram(tree, "linkage")
    >>> embedding.eigenvalues.round(6)
    array([2.5, 0.5])
    >>> y = embedding.coordinates
    >>> float(((y[0] - y[2]) ** 2).sum().round(6))
    4.0
    """
    check_n_components(n_components)
    n = dendrogram.n_objects
    f = _check_connected(dendrogram, level_function(dendrogram, level))
    gram = _TreeGram(dendrogram, f)
    if n_components is not None and n > _DENSE_UP_TO and n_components < n // 4:
        values, vectors = _leading_eigenpairs(gram.centred(), n_components)
    else:
        check_memory(24 * n * n, f"all directions of {n} objects", "Give n_components, such as 20.")
        W = dendrogram_distances(dendrogram, f)
        values, vectors = _eigenpairs(_double_centre(W))
    return _embedding(values, vectors, n_components, gram.centred_trace())


def embed_distances(D, n_components=None, squared=False):
    """Classical multidimensional scaling of any distance matrix, with its signed spectrum.

    Parameters
    ----------
    D : array-like of shape (n, n) or (n * (n - 1) / 2,)
    n_components : int, optional
        Leading directions to keep; None keeps all positive ones.
    squared : bool
        D holds squared distances, as dendrogram distances are.

    Returns
    -------
    Embedding
        With ``eigenvalues`` the whole spectrum, negative ones included.

    Warns
    -----
    UserWarning
        When D is not Euclidean: how much of the spectrum is negative, and so lost in the coordinates.

    Raises
    ------
    ValueError
        For infinite distances, with the number of components they leave.

    Examples
    --------
    >>> from dendrolab import embed_distances
    >>> embed_distances([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]]).coordinates.shape
    (3, 2)
    """
    check_n_components(n_components)
    D = as_numbers(D, "D")
    _check_no_infinity(D)
    condensed = check_distances(D)
    scale = condensed.max(initial=0)
    n = round((1 + np.sqrt(1 + 8 * condensed.size)) / 2)
    check_memory(24 * n * n, f"the spectrum of {n} objects")
    W = np.zeros((n, n))
    W[np.triu_indices(n, 1)] = condensed / (scale or 1)
    W += W.T
    values, vectors = _eigenpairs(_double_centre(W if squared else np.square(W, out=W)))
    values *= scale if squared else scale**2
    _warn_negative(values)
    positive = values[values > _ZERO * np.abs(values).max(initial=0)]
    embedding = _embedding(values, vectors, n_components, positive.sum())
    return Embedding(embedding.coordinates, values, embedding.total)


def tree_coordinates(dendrogram, level="level"):
    """Exact coordinates with one column a node: sqrt of the node's branch length, for the objects under it.

    Parameters
    ----------
    dendrogram : Dendrogram
        With n objects.
    level : str, callable or array-like

    Returns
    -------
    csr_array of shape (n, 2 n - 2)
        Squared Euclidean distances of its rows are the dendrogram's distances. It has as many entries as
        all objects have ancestors: n log n for a balanced tree, n^2 / 2 for a chain.

    Examples
    --------
    >>> from dendrolab import Dendrogram, tree_coordinates
    >>> tree = Dendrogram.from_data([[0.0], [1.0], [5.0]], linkage="single")
    >>> (tree_coordinates(tree, "linkage").toarray() ** 2).round(6)
    array([[0.5, 0. , 0. , 1.5],
           [0. , 0.5, 0. , 1.5],
           [0. , 0. , 2. , 0. ]])
    """
    f = _check_connected(dendrogram, level_function(dendrogram, level))
    lengths = branch_lengths(dendrogram, f)
    sizes = np.where(lengths > 0, dendrogram.sizes[:-1], 0)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    check_memory(32 * starts[-1], f"the {starts[-1]} coordinates of all nodes", "Use embed_dendrogram.")
    within = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
    rows = dendrogram.leaf_order[np.repeat(dendrogram.intervals[:-1, 0], sizes) + within]
    values = np.repeat(np.sqrt(lengths), sizes)
    shape = dendrogram.n_objects, 2 * dendrogram.n_objects - 2
    return sparse.csc_array((values, rows, starts), shape=shape).tocsr()


def branch_lengths(dendrogram, f):
    """Length (f(parent) - f(v)) / 2 of the branch above each node but the root, in node order."""
    return (f[dendrogram.parents[:-1]] - f[:-1]) / 2


def check_n_components(n_components):
    """Refuse a number of components that is not None or a whole number from 1."""
    if n_components is None:
        return
    if isinstance(n_components, bool) or not isinstance(n_components, (int, np.integer)) or n_components < 1:
        raise ValueError(f"n_components is {n_components!r}: give a whole number from 1, or None for all.")


class _TreeGram:
    """The Gram matrix G = sum over nodes v of length(v) 1_v 1_v^T as an operator in leaf order.

    With P the prefix sums of x, x^T G x = sum of length(v) (P[last] - P[first])^2: the Laplacian of the
    graph that joins the ends of each node's interval. So G x is prefix sums, one sparse product, and
    suffix sums: O(n).
    """

    def __init__(self, dendrogram, f):
        n = dendrogram.n_objects
        self.n, self.lengths, self.sizes = n, branch_lengths(dendrogram, f), dendrogram.sizes[:-1]
        self.positions = dendrogram.positions
        ends = dendrogram.intervals[:-1].T
        edges = sparse.coo_array((self.lengths, tuple(ends)), shape=(n + 1, n + 1)).tocsr()
        edges = edges + edges.T
        self.laplacian = (sparse.diags_array(edges.sum(axis=1)) - edges).tocsr()

    def __matmul__(self, x):
        prefix = np.concatenate([np.zeros((1, *x.shape[1:])), np.cumsum(x, axis=0)])
        return -np.cumsum((self.laplacian @ prefix)[:-1], axis=0)

    def centred(self):
        """The papers' W = A G A, in leaf order."""

        def product(x):
            x = x.reshape(self.n, -1)
            y = self @ (x - x.mean(axis=0))
            return y - y.mean(axis=0)

        return LinearOperator(
            (self.n, self.n), matvec=product, matmat=product, dtype=np.float64
        ), self.positions

    def centred_trace(self):
        """Sum of all eigenvalues of A G A."""
        return float(self.lengths @ (self.sizes * (1 - self.sizes / self.n)))


def _leading_eigenpairs(operator_and_positions, k):
    operator, positions = operator_and_positions
    rng = np.random.default_rng(0)
    start = rng.standard_normal(operator.shape[0])
    ncv = min(max(2 * k + 1, 32), operator.shape[0])
    for _attempt in range(3):
        try:
            values, vectors = eigsh(operator, k, which="LA", v0=start, ncv=ncv, rng=np.random.default_rng(0))
            return values[::-1], vectors[positions][:, ::-1]
        except ArpackNoConvergence:
            ncv = min(4 * ncv, operator.shape[0])  # crowded eigenvalues want a larger Krylov space
    raise ValueError(f"{k} components did not converge: ask for fewer, or for all with n_components=None.")


def _eigenpairs(W):
    values, vectors = linalg.eigh(W, overwrite_a=True, check_finite=False)
    return values[::-1], vectors[:, ::-1]


def _double_centre(D):
    """-1/2 A D A, in place."""
    D -= D.mean(axis=0)
    D -= D.mean(axis=1)[:, None]
    D *= -0.5
    return D


def _embedding(values, vectors, n_components, total):
    """Scale eigenvectors to coordinates; at least one column, so that estimators downstream have input."""
    positive = int((values > _ZERO * np.abs(values).max(initial=0)).sum())
    n_columns = max(positive, 1) if n_components is None else n_components
    kept = min(positive, n_columns)
    coordinates = np.zeros((len(vectors), n_columns))
    signs = np.sign(vectors[np.abs(vectors[:, :kept]).argmax(axis=0), np.arange(kept)])
    coordinates[:, :kept] = vectors[:, :kept] * (signs * np.sqrt(values[:kept]))
    eigenvalues = np.zeros(n_columns)
    eigenvalues[:kept] = values[:kept]
    return Embedding(coordinates, eigenvalues, float(total))


def _warn_negative(values):
    magnitude = np.abs(values).sum()
    negative = values[values < -_ZERO * magnitude]
    if negative.size:
        warnings.warn(
            f"D is not Euclidean: {negative.size} of {values.size} eigenvalues are negative, the lowest "
            f"{values[-1]:.6g} against {values[0]:.6g} for the largest, and hold "
            f"{-negative.sum() / magnitude:.1%} of the spectrum; the coordinates cannot show that part.",
            stacklevel=3,
        )


def _check_connected(dendrogram, f):
    if not np.isfinite(f[-1]):
        _refuse_components(int(np.isinf(f).sum()) + 1)
    return f


def _check_no_infinity(D):
    if D.ndim == 2 and D.shape[0] == D.shape[1] and np.isposinf(D).any() and not np.isnan(D).any():
        _refuse_components(connected_components(np.isfinite(D), directed=False)[0])


def _refuse_components(count):
    raise ValueError(
        f"there are {count} connected components, with infinite distances across: embed each component by "
        "itself, or add edges that connect them."
    )
