"""Distances between the rows of a table, in condensed form; which metrics there are."""

import numpy as np
from scipy import sparse
from scipy.spatial import distance

from .memory import check_memory
from .validation import condensed_from_blocks

# Metrics whose value for two rows depends on these two rows alone, so that new rows can be placed.
METRICS = (
    *("braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "dice", "euclidean"),
    *("hamming", "jaccard", "matching", "minkowski", "rogerstanimoto", "russellrao"),
    *("sokalsneath", "sqeuclidean", "yule"),
)


def check_metric(metric):
    """Refuse a metric that does not exist."""
    if not callable(metric) and metric not in METRICS:
        hint = (
            " Scale the columns first and use 'euclidean'." if metric in ("seuclidean", "mahalanobis") else ""
        )
        raise ValueError(f"metric is {metric!r}: choose a function or one of {', '.join(METRICS)}.{hint}")


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


def distances_from(X, metric):
    """Function of a row number that gives this row's distances to all, for a checked table."""
    if not sparse.issparse(X):
        return lambda i: distance.cdist(X[i : i + 1], X, metric)[0]
    if metric not in ("euclidean", "sqeuclidean"):
        return distances_from(X.toarray(), metric)
    X = X.astype(np.float64)
    root = np.sqrt if metric == "euclidean" else np.asarray
    return lambda i: root(squared_distances_sparse(X[[i]], X)[0])
