"""The exact embedding of a dendrogram, and the classical embedding of any distances."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from scipy.spatial.distance import squareform

from .distances import dendrogram_distances
from .gram import TreeGram, branch_lengths
from .levels import level_function
from .memory import check_memory
from .validation import (
    as_numbers,
    check_condensed_length,
    check_distances,
    is_whole_number,
    refuse_components,
)

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
        return np.square(self.coordinates).sum(axis=0) / (self.total or 1.0)


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
    f, unit = _scaled_levels(dendrogram, level)
    if f[-1] == 0:  # all objects are one
        return Embedding(np.zeros((n, n_components or 1)), np.zeros(n_components or 1), 0.0)
    gram = TreeGram(dendrogram, f)
    if n_components is not None and n > _DENSE_UP_TO and n_components < n // 4:
        values, vectors = _leading_eigenpairs(gram, n_components)
    else:
        check_memory(24 * n * n, f"all directions of {n} objects", "Give few n_components, such as 20.")
        values, vectors = _eigenpairs(_double_centre(dendrogram_distances(dendrogram, f)))
    coordinates, eigenvalues = _coordinates(values, vectors, n_components)
    return Embedding(coordinates * np.sqrt(unit), eigenvalues * unit, gram.centred_trace() * unit)


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
    n = check_condensed_length(condensed)
    check_memory(24 * n * n, f"the spectrum of {n} objects")
    unit = _squared_unit(condensed, squared)
    W = squareform(condensed, checks=False) if n > 1 else np.zeros((1, 1))
    W /= unit if squared else np.sqrt(unit)
    values, vectors = _eigenpairs(_double_centre(W if squared else np.square(W, out=W)))
    _warn_negative(values, unit)
    coordinates, _ = _coordinates(values, vectors, n_components)
    total = values[values > _ZERO * np.abs(values).max()].sum()
    return Embedding(coordinates * np.sqrt(unit), values * unit, float(total * unit))


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
    dendrogram.check_connected()
    f = level_function(dendrogram, level)
    lengths = branch_lengths(dendrogram, f)
    sizes = np.where(lengths > 0, dendrogram.sizes[:-1], 0)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    check_memory(32 * starts[-1], f"the {starts[-1]} coordinates of all nodes", "Use embed_dendrogram.")
    within = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
    rows = dendrogram.leaf_order[np.repeat(dendrogram.intervals[:-1, 0], sizes) + within]
    values = np.repeat(np.sqrt(lengths), sizes)
    shape = dendrogram.n_objects, 2 * dendrogram.n_objects - 2
    return sparse.csc_array((values, rows, starts), shape=shape).tocsr()


def check_n_components(n_components):
    """Refuse a number of components that is not None or a whole number from 1."""
    if n_components is not None and not (is_whole_number(n_components) and n_components >= 1):
        raise ValueError(f"n_components is {n_components!r}: give a whole number from 1, or None for all.")


def _scaled_levels(dendrogram, level):
    """Level function relative to the root's value, and that value: no level is too large or small."""
    dendrogram.check_connected()
    f = level_function(dendrogram, level)
    unit = f[-1] if f[-1] > 0 else 1.0
    return f / unit, unit


def _squared_unit(condensed, squared):
    """The largest squared distance; eigenvalues are relative to it until the end."""
    largest = condensed.max(initial=0)
    if not squared and largest > 0 and not 1e-150 < largest < 1e150:
        raise ValueError(
            f"D has distances up to {largest:.3g}, whose squares leave float64: rescale D first."
        )
    return (largest if squared else largest**2) or 1.0


def _leading_eigenpairs(gram, k):
    operator = gram.centred()
    start = np.random.default_rng(0).standard_normal(gram.n)
    ncv = min(max(2 * k + 1, 32), gram.n)
    for _attempt in range(3):
        try:
            values, vectors = eigsh(operator, k, which="LA", v0=start, ncv=ncv, rng=np.random.default_rng(0))
            return values[::-1], vectors[gram.positions, ::-1]
        except ArpackNoConvergence:
            ncv = min(4 * ncv, gram.n)  # crowded eigenvalues want a larger Krylov space
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


def _coordinates(values, vectors, n_components):
    """Scale eigenvectors to coordinates; at least one column, so that estimators downstream have input."""
    positive = int((values > _ZERO * np.abs(values).max(initial=0)).sum())
    n_columns = max(positive, 1) if n_components is None else n_components
    kept = min(positive, n_columns)
    coordinates = np.zeros((len(vectors), n_columns))
    coordinates[:, :kept] = vectors[:, :kept] * (_signs(vectors[:, :kept]) * np.sqrt(values[:kept]))
    eigenvalues = np.zeros(n_columns)
    eigenvalues[:kept] = values[:kept]
    return coordinates, eigenvalues


def _signs(vectors):
    """Sign of the largest entry of each column, the first of those that rounding cannot tell apart."""
    sizes = np.abs(vectors)
    largest = (sizes >= (1 - 1e-6) * sizes.max(axis=0)).argmax(axis=0)
    return np.sign(vectors[largest, np.arange(vectors.shape[1])])


def _warn_negative(values, unit):
    magnitude = np.abs(values).sum()
    negative = values[values < -_ZERO * magnitude]
    if negative.size:
        warnings.warn(
            f"D is not Euclidean: {negative.size} of {values.size} eigenvalues are negative, the lowest "
            f"{values[-1] * unit:.6g} against {values[0] * unit:.6g} for the largest, and hold "
            f"{-negative.sum() / magnitude:.1%} of the spectrum; the coordinates cannot show that part.",
            stacklevel=3,
        )


def _check_no_infinity(D):
    """Say how many parts infinite distances leave; a vector is a condensed matrix."""
    if np.isposinf(D).any() and not np.isnan(D).any():
        joined = squareform(np.isfinite(D), checks=False) if D.ndim == 1 else np.isfinite(D)
        refuse_components(connected_components(joined, directed=False)[0])
