"""Linkage matrices from a table or from distances, with SciPy's engine."""

import warnings

import numpy as np
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.spatial import distance

from .memory import check_memory
from .validation import (
    check_condensed_length,
    check_data,
    check_distances,
    condensed_from_blocks,
    looks_like_distances,
)

LINKAGES = ("single", "complete", "average", "ward", "weighted")
INVERTING_LINKAGES = ("centroid", "median")
# Metrics whose value for two rows depends on these two rows alone, so that new rows can be placed.
METRICS = (
    *("braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "dice", "euclidean"),
    *("hamming", "jaccard", "matching", "minkowski", "rogerstanimoto", "russellrao"),
    *("sokalsneath", "sqeuclidean", "yule"),
)
_EUCLIDEAN_ONLY = ("ward", *INVERTING_LINKAGES)


def linkage_from_data(X, linkage="average", metric="euclidean"):
    """Linkage matrix of a table of measurements.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_objects, n_features)
    linkage : {"single", "complete", "average", "ward", "weighted", "centroid", "median"}
        ``ward``, ``centroid`` and ``median`` need ``metric="euclidean"``.
    metric : str or callable
        A metric of `scipy.spatial.distance.pdist`, or a function of two rows.

    Returns
    -------
    ndarray of shape (n_objects - 1, 4)
        SciPy's linkage matrix; heights in float64 on the scale of the metric.

    Raises
    ------
    ValueError
        For unknown names, input that is not finite, and distances that overflow.
    MemoryError
        When the n (n - 1) / 2 distances would not fit, before they are computed.

    Notes
    -----
    Ward's height is sqrt(2 |A| |B| / (|A| + |B|)) times the distance of the two means: two objects meet
    at their plain distance.

    Examples
    --------
    >>> from dendrolab.linkage import linkage_from_data
    >>> linkage_from_data([[0.0], [1.0], [5.0]], "single")
    array([[0., 1., 1., 2.],
           [2., 3., 4., 3.]])
    """
    check_linkage_name(linkage)
    check_metric(metric, linkage)
    X = check_data(X)
    if looks_like_distances(X):
        warnings.warn(
            "X is square, symmetric and zero on its diagonal: it is read as a table of measurements. If it "
            "holds distances, use from_distances or metric='precomputed'.",
            stacklevel=3,
        )
    _check_linkage_memory(X.shape[0], linkage)
    return _merge(pairwise_condensed(X, metric), linkage)


def linkage_from_distances(D, linkage="average", name="D"):
    """Linkage matrix of a distance matrix, square or condensed.

    Parameters
    ----------
    D : array-like of shape (n_objects, n_objects) or (n_objects * (n_objects - 1) / 2,)
    linkage : str
        As for `linkage_from_data`; ``ward``, ``centroid`` and ``median`` take D for Euclidean distances.
    name : str
        The argument's name, for the messages.

    Returns
    -------
    ndarray of shape (n_objects - 1, 4)

    Examples
    --------
    >>> from dendrolab.linkage import linkage_from_distances
    >>> linkage_from_distances([1.0, 5.0, 4.0], "complete")[:, 2]
    array([1., 5.])
    """
    check_linkage_name(linkage)
    condensed = check_distances(D, name)
    _check_linkage_memory(check_condensed_length(condensed), linkage, held=1)
    return _merge(condensed, linkage)


def check_linkage_name(linkage):
    """Refuse a linkage that does not exist."""
    if linkage not in LINKAGES + INVERTING_LINKAGES:
        raise ValueError(f"linkage is {linkage!r}: choose one of {', '.join(LINKAGES + INVERTING_LINKAGES)}.")


def check_ultrametric_linkage(linkage):
    """Refuse a linkage whose merges may be inverted: no ultrametric can be read off such a tree."""
    check_linkage_name(linkage)
    if linkage in INVERTING_LINKAGES:
        raise ValueError(
            f"linkage {linkage!r} can merge two clusters below the height of one of them (an inversion), so "
            f"its tree gives no ultrametric distances: choose one of {', '.join(LINKAGES)}."
        )


def check_metric(metric, linkage="average"):
    """Refuse a metric that does not exist, or that the linkage is not defined for."""
    if not callable(metric) and metric not in METRICS:
        hint = (
            " Scale the columns first and use 'euclidean'." if metric in ("seuclidean", "mahalanobis") else ""
        )
        raise ValueError(f"metric is {metric!r}: choose a function or one of {', '.join(METRICS)}.{hint}")
    if linkage in _EUCLIDEAN_ONLY and metric != "euclidean":
        raise ValueError(
            f"linkage {linkage!r} is defined for metric='euclidean', not {metric_name(metric)!r}."
        )


def pairwise_condensed(X, metric="euclidean"):
    """Distances between all rows of a checked table, in condensed float64 form."""
    check_metric_defined(X, metric)
    condensed = _sparse_condensed(X, metric) if sparse.issparse(X) else distance.pdist(X, metric)
    worst = condensed.max(initial=0)
    if callable(metric):  # the named ones are never negative
        worst = -np.inf if condensed.min(initial=0) < 0 else worst
    if not np.isfinite(worst):
        k = int(np.argmax(~np.isfinite(condensed) | (condensed < 0)))
        i, j = _condensed_place(k, X.shape[0])
        raise ValueError(
            f"metric {metric_name(metric)!r} gives {condensed[k]} between rows {i} and {j}: "
            "it is undefined, negative or overflows for them. Rescale the data, drop these rows, or choose "
            "another metric."
        )
    return condensed


def _condensed_place(k, n):
    ends = np.cumsum(np.arange(n - 1, 0, -1))  # where each row's stretch of the condensed vector ends
    i = int(np.searchsorted(ends, k, side="right"))
    return i, int(n - (ends[i] - k))


def metric_name(metric):
    """Name of a metric for messages, the same in every run also for a function."""
    return getattr(metric, "__name__", type(metric).__name__) if callable(metric) else metric


def check_metric_defined(X, metric):
    """What can be seen from the table alone: zero rows under cosine, squares that leave float64."""
    if metric == "cosine":
        zero = np.flatnonzero(abs(X).sum(axis=1) == 0)
        if zero.size:
            raise ValueError(
                f"metric 'cosine' is undefined for a row of zeros, such as row {zero[0]} "
                f"({zero.size} in all): drop them or choose another metric."
            )
    if metric in ("euclidean", "sqeuclidean") and min(X.shape) > 0:
        _check_squares(X)


def _check_squares(X):
    with np.errstate(over="ignore"):
        low, high = (A.toarray() if sparse.issparse(A) else A for A in (X.min(axis=0), X.max(axis=0)))
        span = np.subtract(high, low, dtype=np.float64)
        squared_diameter = np.square(span).sum()
    if not np.isfinite(squared_diameter * X.shape[0]):
        raise ValueError(
            f"X has values from {low.min():.3g} to {high.max():.3g}: squared distances overflow. Rescale the "
            "columns first, such as with sklearn.preprocessing.StandardScaler."
        )
    if 0 < span.max() < 1e-150:
        raise ValueError(
            f"X spans {span.max():.3g} at most: squared distances underflow to 0. Multiply the data by a "
            "constant first."
        )


def _sparse_condensed(X, metric):
    """Condensed distances of CSR rows; only the n x n result is dense for the product metrics."""
    if metric not in ("euclidean", "sqeuclidean", "cosine"):
        check_memory(8 * X.shape[0] * X.shape[1], f"X as a dense table, which metric {metric!r} takes,")
        return distance.pdist(X.toarray(), metric)
    X = X.astype(np.float64)
    if metric == "cosine":
        norms = sparse.linalg.norm(X, axis=1)
        X = sparse.diags_array(1 / norms).tocsr() @ X

    def block(start, stop):
        return squared_distances_sparse(X[start:stop], X[start:])

    squared = condensed_from_blocks(X.shape[0], block)
    return (
        np.sqrt(squared, out=squared) if metric == "euclidean" else squared / (2 if metric == "cosine" else 1)
    )


def squared_distances_sparse(X, Y):
    """Squared Euclidean distances of CSR rows, by one product."""
    norms_x, norms_y = (np.asarray(A.multiply(A).sum(axis=1)).ravel() for A in (X, Y))
    scale = norms_x[:, None] + norms_y
    squared = scale - 2 * (X @ Y.T).toarray()
    # A difference of nearly equal numbers has few right digits: take these few pairs anew, entry by entry.
    i, j = np.nonzero(squared < 1e-3 * scale)
    for part in np.array_split(np.arange(i.size), i.size // 50_000 + 1):
        step = X[i[part]] - Y[j[part]]
        squared[i[part], j[part]] = np.asarray(step.multiply(step).sum(axis=1)).ravel()
    return squared


def _check_linkage_memory(n, linkage, held=0):
    """SciPy holds the condensed matrix, a copy of it but for single linkage, and a byte of flags each."""
    copies = 1 if linkage == "single" else 2
    check_memory(
        4 * n * (n - 1) * (copies - held) + n * (n - 1) // 2,
        f"{linkage} linkage of {n} objects by the dense engine",
    )


def _merge(condensed, linkage):
    if condensed.size == 0:
        return np.empty((0, 4))
    _check_headroom(condensed, linkage)
    return hierarchy.linkage(condensed, linkage)


def _check_headroom(condensed, linkage):
    """The update formulas add, and for Ward square, weighted distances: leave them room."""
    n = check_condensed_length(condensed)
    limit = np.finfo(np.float64).max / n
    limit = np.sqrt(limit) if linkage in _EUCLIDEAN_ONLY else limit
    largest = condensed.max()
    if largest > limit or (linkage in _EUCLIDEAN_ONLY and 0 < largest < 1e-150):
        problem = "overflow" if largest > limit else "underflow"
        raise ValueError(
            f"distances up to {largest:.3g} {problem} in the updates of {linkage} linkage: rescale them."
        )
