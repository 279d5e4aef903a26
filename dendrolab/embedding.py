"""The exact embedding of a dendrogram, and the classical embedding of any distances."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from scipy.spatial.distance import squareform

from .distances import dendrogram_distances
from .gram import TreeGram
from .levels import level_function
from .memory import check_memory
from .validation import (
    as_numbers,
    check_condensed_length,
    check_dendrogram,
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
    n_components : int or float, optional
        Leading directions to keep, found by Lanczos iteration in O(n) memory where they are fewer than n / 4,
        else by a dense eigendecomposition; a float below 1 keeps as
        many as hold this share of the spectrum. None keeps all positive ones by a dense
        eigendecomposition, for a few thousand objects.

    Returns
    -------
    Embedding
        With ``eigenvalues`` of the kept columns, in the unit of the level function.

    Raises
    ------
    ValueError
        For ``n_components`` that is neither a whole number from 1 nor a share below 1.
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
    check_dendrogram(dendrogram)
    check_n_components(n_components)
    n = dendrogram.n_objects
    f, unit = _scaled_levels(dendrogram, level)
    if f[-1] == 0:  # all objects are one
        coordinates, eigenvalues = _coordinates(np.zeros(1), np.zeros((n, 1)), n_components, 0.0)
        return Embedding(coordinates, eigenvalues, 0.0)
    gram = TreeGram(dendrogram, f)
    total = gram.centred_trace()
    values, vectors = _tree_eigenpairs(dendrogram, f, gram, n_components)
    coordinates, eigenvalues = _coordinates(values, vectors, n_components, total)
    return Embedding(coordinates * np.sqrt(unit), eigenvalues * unit, total * unit)


def embed_distances(D, n_components=None, squared=False):
    """Classical multidimensional scaling of any distance matrix, with its signed spectrum.

    Parameters
    ----------
    D : array-like of shape (n, n) or (n * (n - 1) / 2,)
    n_components : int or float, optional
        Leading directions to keep, or the share of the positive spectrum that they hold; None keeps all
        positive ones.
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
    total = values[values > _ZERO * np.abs(values).max()].sum()
    coordinates, _ = _coordinates(values, vectors, n_components, total)
    return Embedding(coordinates * np.sqrt(unit), values * unit, float(total * unit))


def check_n_components(n_components):
    """Refuse a number of components that is not None, a whole number from 1, or a share below 1."""
    if n_components is None or (is_whole_number(n_components) and n_components >= 1):
        return
    if not (is_share(n_components) and 0 < n_components < 1):
        raise ValueError(
            f"n_components is {n_components!r}: give a whole number from 1, a share of the spectrum such as "
            "0.9, or None for all."
        )


def is_share(n_components):
    """Tell whether components are asked for by a share of the spectrum."""
    return isinstance(n_components, (float, np.floating))


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


def _tree_eigenpairs(dendrogram, f, gram, n_components):
    """As many leading eigenpairs as are asked for, or all; a share is found by doubling their number."""
    n, k = gram.n, 32 if is_share(n_components) else n_components
    while k is not None and n > _DENSE_UP_TO and k < n // 4:
        values, vectors = _leading_eigenpairs(gram, k)
        if not is_share(n_components) or values.sum() >= n_components * gram.centred_trace():
            return values, vectors
        k *= 2
    check_memory(24 * n * n, f"all directions of {n} objects", "Give few n_components, such as 20.")
    return _eigenpairs(_double_centre(dendrogram_distances(dendrogram, f)))


def _leading_eigenpairs(gram, k):
    operator = gram.centred()
    start = np.random.default_rng(0).standard_normal(gram.n)
    ncv = min(max(2 * k + 1, 32), gram.n)
    for _attempt in range(3):
        check_memory(
            8 * gram.n * (ncv + k), f"{k} directions of {gram.n} objects", "Give fewer n_components."
        )
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


def _coordinates(values, vectors, n_components, total):
    """Scale eigenvectors to coordinates; at least one column, so that estimators downstream have input."""
    positive = int((values > _ZERO * np.abs(values).max(initial=0)).sum())
    n_columns = max(positive, 1) if n_components is None else n_components
    if is_share(n_components):
        reached = np.cumsum(values) >= n_components * total * (1 - 1e-12)
        n_columns = int(reached.argmax()) + 1
    kept = min(positive, n_columns)
    check_memory(8 * len(vectors) * n_columns, f"{n_columns} coordinates of {len(vectors)} objects")
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
    if D.ndim == 1:
        check_condensed_length(D)
    elif D.ndim != 2 or D.shape[0] != D.shape[1]:
        return  # `check_distances` says it
    if np.isposinf(D).any() and not np.isnan(D).any():
        joined = squareform(np.isfinite(D), checks=False) if D.ndim == 1 else np.isfinite(D)
        refuse_components(connected_components(joined, directed=False)[0])
