"""Minimax distances: over all paths between two objects, the smallest largest step.

Three routes give the same numbers: the all-pairs recursion, a walk over a minimum spanning tree, and
the single linkage tree.
"""

import numpy as np
from scipy import sparse
from scipy.spatial.distance import squareform

from .dendrogram import Dendrogram
from .distances import dendrogram_distances
from .memory import check_memory
from .pairwise import check_metric, check_metric_defined, distances_from, pairwise_condensed
from .spanning_tree import (
    distances_over_tree,
    grow_spanning_tree,
    merges_of_tree,
    spanning_tree_of_graph,
)
from .validation import check_condensed_length, check_data, check_distances

METHODS = ("single_linkage", "spanning_tree", "floyd_warshall")


def minimax_distances(X, metric="euclidean", method="single_linkage", engine="auto"):
    """Minimax distances between all pairs of objects.

    Parameters
    ----------
    X : array-like or sparse matrix
        A table (n, n_features); with ``metric="precomputed"`` distances, square or condensed, or a sparse
        graph (n, n) whose stored entries are its edges, zeros included. An edge stored in one direction
        only counts for both.
    metric : str or callable
        A metric of `scipy.spatial.distance.pdist`, or "precomputed".
    method : {"single_linkage", "spanning_tree", "floyd_warshall"}
        The first two take O(n^2) after the distances, the last O(n^3).
    engine : {"auto", "dense", "lean"}
        Of single linkage, as for `Dendrogram.from_data`.

    Returns
    -------
    ndarray of shape (n, n)
        In the unit of the metric; inf between objects that no path joins.

    Raises
    ------
    ValueError
        For input that is no table, distance matrix or undirected graph.
    MemoryError
        When n x n numbers do not fit.

    Notes
    -----
    Equal to the single linkage dendrogram's distances with the merge height as level function (Theorem 1,
    Eq. 5).

    Examples
    --------
    >>> from dendrolab import minimax_distances
    >>> minimax_distances([[0.0], [1.0], [5.0]])
    array([[0., 1., 4.],
           [1., 0., 4.],
           [4., 4., 0.]])
    """
    if method not in METHODS:
        raise ValueError(f"method is {method!r}: choose one of {', '.join(METHODS)}.")
    if method == "single_linkage":
        return dendrogram_distances(minimax_dendrogram(X, metric, engine), "linkage")
    if method == "spanning_tree":
        n, grow = spanning_tree_source(X, metric)
        _check_square_memory(n)
        return distances_over_tree(n, *grow())
    return _floyd_warshall(_direct_distances(X, metric))


def minimax_dendrogram(X, metric="euclidean", engine="auto"):
    """Single linkage tree of a table, of distances or of a sparse graph.

    Parameters
    ----------
    X : array-like or sparse matrix
        As for `minimax_distances`.
    metric : str or callable
        As for `minimax_distances`.
    engine : {"auto", "dense", "lean"}
        As for `Dendrogram.from_data`.

    Returns
    -------
    Dendrogram
        Components of a graph that is not connected meet at height inf.

    Examples
    --------
    >>> from scipy.sparse import coo_array
    >>> from dendrolab import minimax_dendrogram
    >>> graph = coo_array(([0.5, 2.0], ([0, 1], [1, 2])), shape=(4, 4))
    >>> minimax_dendrogram(graph, metric="precomputed").heights
    array([0.5, 2. , inf])
    """
    if _is_precomputed(metric) and sparse.issparse(X):
        n, i, j, weights = _check_graph(X)
        return Dendrogram(merges_of_tree(n, *spanning_tree_of_graph(n, i, j, weights)), "single")
    return Dendrogram.from_data(X, "single", metric, engine)


def spanning_tree_source(X, metric="euclidean"):
    """Number of objects, and a function that grows a minimum spanning tree of them.

    Parameters
    ----------
    X : array-like or sparse matrix
        As for `minimax_distances`; checked at once.
    metric : str or callable

    Returns
    -------
    n_objects : int
    grow : callable
        Without arguments; gives the edges as arrays known, new and weight, in an order of growth.
    """
    if _is_precomputed(metric) and sparse.issparse(X):
        n, i, j, weights = _check_graph(X)
        return n, lambda: spanning_tree_of_graph(n, i, j, weights)
    if _is_precomputed(metric):
        D = _direct_distances(X, metric)
        return len(D), lambda: grow_spanning_tree(len(D), D.__getitem__)
    check_metric(metric)
    X = check_data(X)
    check_metric_defined(X, metric)
    return X.shape[0], lambda: grow_spanning_tree(X.shape[0], distances_from(X, metric))


def _is_precomputed(metric):
    return isinstance(metric, str) and metric == "precomputed"


def _check_square_memory(n):
    check_memory(8 * n * n, f"the {n} x {n} distance matrix", "Use minimax_dendrogram and distance_rows.")


def _direct_distances(X, metric):
    """Square matrix of distances before any path; inf where a graph has no edge."""
    if _is_precomputed(metric) and sparse.issparse(X):
        n, i, j, weights = _check_graph(X)
        _check_square_memory(n)
        D = np.full((n, n), np.inf)
        D[i, j] = D[j, i] = weights
        np.fill_diagonal(D, 0)
        return D
    condensed = _condensed(X, metric)
    n = check_condensed_length(condensed)
    check_memory(24 * n * n, f"the paths of {n} objects", "Use minimax_dendrogram and distance_rows.")
    return squareform(condensed, checks=False) if n > 1 else np.zeros((1, 1))


def _condensed(X, metric):
    if _is_precomputed(metric):
        return check_distances(X, "X")
    check_metric(metric)
    X = check_data(X)
    _check_square_memory(X.shape[0])
    return pairwise_condensed(X, metric)


def _check_graph(graph):
    """Return n and the undirected edges (i < j, weight) of a sparse matrix."""
    if graph.shape[0] != graph.shape[1] or graph.shape[0] == 0:
        raise ValueError(f"the graph has shape {graph.shape}: give a square sparse matrix of edge weights.")
    if graph.dtype.kind not in "biuf":
        raise ValueError(f"the graph has weights of type {graph.dtype}: give real numbers.")
    graph = sparse.csr_array(graph, dtype=np.float64, copy=True)
    graph.sum_duplicates()
    i, j = graph.tocoo().coords
    weights = graph.data
    bad = ~(np.isfinite(weights) & (weights >= 0)) | ((i == j) & (weights > 1e-6 * weights.max(initial=0)))
    if bad.any():
        e = int(np.argmax(bad))
        raise ValueError(
            f"the graph has weight {weights[e]:.6g} at ({i[e]}, {j[e]}): weights are distances, finite, not "
            "negative, and 0 on the diagonal. Turn similarities into distances first; leave absent edges out."
        )
    i, j, weights = (part[i != j] for part in (np.minimum(i, j), np.maximum(i, j), weights))
    order = np.lexsort((j, i))
    i, j, weights = i[order], j[order], weights[order]
    repeated = np.flatnonzero((np.diff(i) == 0) & (np.diff(j) == 0))  # stored in both directions
    differ = np.abs(weights[repeated] - weights[repeated + 1]) > 1e-8 * weights.max(initial=0)
    if differ.any():
        e = repeated[np.argmax(differ)]
        raise ValueError(
            f"the graph is directed: edge ({i[e]}, {j[e]}) weighs {weights[e]:.6g} one way and "
            f"{weights[e + 1]:.6g} the other. Pass graph.minimum(graph.T) or another symmetric graph."
        )
    keep = np.ones(i.size, dtype=bool)
    keep[repeated + 1] = False
    return graph.shape[0], i[keep], j[keep], weights[keep]


def _floyd_warshall(D):
    """Shorten every pair through each object in turn, in place."""
    for k in range(len(D)):
        np.minimum(D, np.maximum(D[:, k, None], D[k]), out=D)
    return D
