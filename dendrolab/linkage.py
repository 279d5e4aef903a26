"""Linkage matrices from a table or from distances; the engine is picked by size and memory."""

import warnings

import numpy as np
from scipy import sparse
from scipy.cluster import hierarchy

from .memory import available_memory, check_memory, format_bytes
from .pairwise import (
    check_metric,
    check_metric_defined,
    distances_from,
    metric_name,
    pairwise_condensed,
)
from .spanning_tree import grow_spanning_tree, merges_of_tree
from .validation import check_condensed_length, check_data, check_distances, looks_like_distances

LINKAGES = ("single", "complete", "average", "ward", "weighted")
INVERTING_LINKAGES = ("centroid", "median")
ENGINES = ("auto", "dense", "lean")
_VECTOR_METRICS = ("euclidean", "sqeuclidean", "cityblock", "chebyshev")  # of fastcluster's vector engine
_SINGLE_LEAN_FROM = 2_000  # objects; where that engine is quicker than SciPy on all distances
_EUCLIDEAN_ONLY = ("ward", *INVERTING_LINKAGES)
LEAN_FROM = 20_000  # objects; the lean engines are as quick from a few thousand on, and spare the memory


def linkage_from_data(X, linkage="average", metric="euclidean", engine="auto"):
    """Linkage matrix of a table of measurements.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_objects, n_features)
    linkage : {"single", "complete", "average", "ward", "weighted", "centroid", "median"}
        ``ward``, ``centroid`` and ``median`` need ``metric="euclidean"``.
    metric : str or callable
        A metric of `scipy.spatial.distance.pdist`, or a function of two rows.
    engine : {"auto", "dense", "lean"}
        ``"dense"`` holds all n (n - 1) / 2 distances. ``"lean"`` takes O(n d) memory; it exists for single
        linkage, for ward, and for average linkage with ``metric="sqeuclidean"``. ``"auto"`` takes the lean
        engine, where there is one, for more than 20,000 objects (2,000 for single linkage of dense tables)
        or when the distances do not fit.

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
    check_linkage_metric(linkage, metric)
    X = check_data(X)
    if looks_like_distances(X):
        warnings.warn(
            "X is square, symmetric and zero on its diagonal: it is read as a table of measurements. If it "
            "holds distances, use from_distances or metric='precomputed'.",
            stacklevel=3,
        )
    if pick_engine(engine, X.shape[0], linkage, metric, sparse.issparse(X)) == "lean":
        return _lean(X, linkage, metric)
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


def check_linkage_metric(linkage, metric):
    """Refuse a metric that does not exist, or that the linkage is not defined for."""
    check_metric(metric)
    if linkage in _EUCLIDEAN_ONLY and metric != "euclidean":
        raise ValueError(
            f"linkage {linkage!r} is defined for metric='euclidean', not {metric_name(metric)!r}."
        )


def pick_engine(engine, n, linkage, metric, is_sparse=False):
    """Return "dense" or "lean"; refuse an engine that does not exist for the linkage."""
    if engine not in ENGINES:
        raise ValueError(f"engine is {engine!r}: choose one of {', '.join(ENGINES)}.")
    exists = linkage in ("single", "ward") or (linkage == "average" and metric == "sqeuclidean")
    if engine == "lean" and not exists:
        raise ValueError(
            f"there is no lean engine for {linkage} linkage with metric {metric_name(metric)!r}, only for "
            "single, ward, and average with metric='sqeuclidean'. The dense one needs "
            f"{format_bytes(_linkage_bytes(n, linkage))} for {n} objects."
        )
    if engine == "auto" and exists:
        quick = linkage == "single" and metric in _VECTOR_METRICS and not is_sparse and n > _SINGLE_LEAN_FROM
        return (
            "lean" if quick or n > LEAN_FROM or _linkage_bytes(n, linkage) > available_memory() else "dense"
        )
    return "dense" if engine == "auto" else engine


def _linkage_bytes(n, linkage, held=0):
    """SciPy holds the condensed matrix, a copy of it but for single linkage, and a byte of flags each."""
    copies = 1 if linkage == "single" else 2
    return 4 * n * (n - 1) * (copies - held) + n * (n - 1) // 2


def _check_linkage_memory(n, linkage, held=0):
    check_memory(_linkage_bytes(n, linkage, held), f"{linkage} linkage of {n} objects by the dense engine")


def _lean(X, linkage, metric):
    from .lean_linkage import lean_linkage  # brings scikit-learn, which a small tree does without

    check_metric_defined(X, metric)
    if linkage == "single":
        return _lean_single(X, metric)
    return lean_linkage(X, linkage)


def _lean_single(X, metric):
    import fastcluster

    if not sparse.issparse(X) and metric in _VECTOR_METRICS:
        return fastcluster.linkage_vector(X.astype(np.float64), "single", metric)
    return merges_of_tree(X.shape[0], *grow_spanning_tree(X.shape[0], distances_from(X, metric)))


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
