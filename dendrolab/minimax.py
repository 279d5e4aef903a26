"""Minimax distances: over all paths between two objects, the smallest largest step.

Three routes give the same numbers: the all-pairs recursion, a walk over a minimum spanning tree, and
the single linkage tree.
"""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist, squareform

from .dendrogram import Dendrogram
from .distances import dendrogram_distances
from .linkage import check_metric, check_metric_defined, pairwise_condensed
from .memory import check_memory
from .validation import check_condensed_length, check_data, check_distances

METHODS = ("single_linkage", "spanning_tree", "floyd_warshall")


def minimax_distances(X, metric="euclidean", method="single_linkage"):
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
        return dendrogram_distances(minimax_dendrogram(X, metric), "linkage")
    if _is_precomputed(metric) and sparse.issparse(X):
        n, i, j, weights = _check_graph(X)
        _check_square_memory(n)
        if method == "spanning_tree":
            return _distances_over_tree(n, *_spanning_tree(n, i, j, weights))
        D = np.full((n, n), np.inf)
        D[i, j] = D[j, i] = weights
        np.fill_diagonal(D, 0)
        return _floyd_warshall(D)
    if method == "spanning_tree" and not _is_precomputed(metric) and not sparse.issparse(X):
        check_metric(metric)
        X = check_data(X)
        _check_square_memory(len(X))
        check_metric_defined(X, metric)
        return _distances_over_tree(len(X), *_prim(len(X), lambda i: cdist(X[i : i + 1], X, metric)[0]))
    condensed = _condensed(X, metric)
    n = check_condensed_length(condensed)
    check_memory(24 * n * n, f"{method} on {n} objects", "Use method='single_linkage'.")
    D = squareform(condensed, checks=False) if n > 1 else np.zeros((1, 1))
    if method == "spanning_tree":
        return _distances_over_tree(len(D), *_prim(len(D), D.__getitem__))
    return _floyd_warshall(D)


def minimax_dendrogram(X, metric="euclidean"):
    """Single linkage tree of a table, of distances or of a sparse graph.

    Parameters
    ----------
    X : array-like or sparse matrix
        As for `minimax_distances`.
    metric : str or callable
        As for `minimax_distances`.

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
        return Dendrogram(_merges_of_tree(n, *_spanning_tree(n, i, j, weights)), "single")
    return Dendrogram.from_data(X, "single", metric)


def _is_precomputed(metric):
    return isinstance(metric, str) and metric == "precomputed"


def _check_square_memory(n):
    check_memory(8 * n * n, f"the {n} x {n} distance matrix", "Use minimax_dendrogram and distance_rows.")


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


def _spanning_tree(n, i, j, weights):
    """Edges (known, new, weight) of a minimum spanning tree in breadth-first order.

    SciPy's routine takes zero weights for absent edges, so it is given the weights' ranks, from 1. The
    components of the graph are joined by edges of weight inf.
    """
    distinct, ranks = np.unique(weights, return_inverse=True)
    distinct = np.append(distinct, np.inf)

    def graph(i, j, ranks):
        return sparse.csr_array((ranks + 1.0, (i, j)), shape=(n, n))

    _, component = connected_components(graph(i, j, ranks), directed=False)
    first = np.unique(component, return_index=True)[1][1:]
    i, j = np.append(i, np.zeros_like(first)), np.append(j, first)
    ranks = np.append(ranks, np.full(first.size, distinct.size - 1))
    tree = minimum_spanning_tree(graph(i, j, ranks))
    tree = tree + tree.T
    order, known = breadth_first_order(tree, 0, directed=False)
    new = order[1:]
    known = known[new]
    steps = distinct[np.asarray(tree[known, new]).ravel().astype(np.intp) - 1] if n > 1 else np.empty(0)
    return known, new, steps


def _prim(n, distances_from):
    """Edges (known, new, weight) of a minimum spanning tree in the order of growth, in O(n) memory."""
    known, new, steps = np.zeros(n - 1, np.intp), np.zeros(n - 1, np.intp), np.zeros(n - 1)
    nearest, closest, inside = np.full(n, np.inf), np.zeros(n, np.intp), np.zeros(n, bool)
    latest = 0
    for k in range(n - 1):
        inside[latest] = True
        row = distances_from(latest)
        if not (np.isfinite(row.sum()) and row.min() >= 0):
            bad = int(np.argmax(~(np.isfinite(row) & (row >= 0))))
            raise ValueError(
                f"the metric gives {row[bad]} between rows {latest} and {bad}: it is undefined, negative or "
                "overflows for them. Rescale the data, drop these rows, or choose another metric."
            )
        closer = row < nearest
        nearest[closer], closest[closer] = row[closer], latest
        latest = int(np.where(inside, np.inf, nearest).argmin())
        known[k], new[k], steps[k] = closest[latest], latest, nearest[latest]
    return known, new, steps


def _distances_over_tree(n, known, new, steps):
    """Largest step on the tree path between all pairs, one new object at a time."""
    D = np.zeros((n, n))
    placed = np.zeros(n, np.intp)
    placed[1:] = new
    for k, (u, v, step) in enumerate(zip(known, new, steps, strict=True), start=1):
        before = placed[:k]
        D[v, before] = np.maximum(D[u, before], step)
        D[before, v] = D[v, before]
    return D


def _floyd_warshall(D):
    """Shorten every pair through each object in turn, in place."""
    for k in range(len(D)):
        np.minimum(D, np.maximum(D[:, k, None], D[k]), out=D)
    return D


def _merges_of_tree(n, known, new, steps):
    """Linkage matrix of a spanning tree: its edges by weight, each joining two clusters (Kruskal)."""
    order = np.argsort(steps, kind="stable")
    cluster = list(range(2 * n - 1))  # where to look for the cluster that holds this one
    sizes = [1] * n

    def top(v):
        while cluster[v] != v:
            cluster[v] = cluster[cluster[v]]
            v = cluster[v]
        return v

    rows = []
    for u, v, step in zip(known[order].tolist(), new[order].tolist(), steps[order].tolist(), strict=True):
        a, b = sorted((top(u), top(v)))
        cluster[a] = cluster[b] = len(sizes)
        sizes.append(sizes[a] + sizes[b])
        rows.append((a, b, step, sizes[-1]))
    return np.array(rows, dtype=np.float64).reshape(-1, 4)
