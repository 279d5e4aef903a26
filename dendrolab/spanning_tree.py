"""Minimum spanning trees of distances and graphs, as edges (known, new, weight) in an order of growth."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree
from tqdm import trange


def spanning_tree_of_graph(n, i, j, weights):
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


def grow_spanning_tree(n, distances_from):
    """Edges (known, new, weight) of a minimum spanning tree in the order of growth, in O(n) memory."""
    known, new, steps = np.zeros(n - 1, np.intp), np.zeros(n - 1, np.intp), np.zeros(n - 1)
    nearest, closest, inside = np.full(n, np.inf), np.zeros(n, np.intp), np.zeros(n, bool)
    latest = 0
    for k in trange(n - 1, desc="spanning tree", delay=2, disable=None):
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


def distances_over_tree(n, known, new, steps):
    """Largest step on the tree path between all pairs, one new object at a time."""
    D = np.zeros((n, n))
    placed = np.zeros(n, np.intp)
    placed[1:] = new
    for k, (u, v, step) in enumerate(zip(known, new, steps, strict=True), start=1):
        before = placed[:k]
        D[v, before] = np.maximum(D[u, before], step)
        D[before, v] = D[v, before]
    return D


def merges_of_tree(n, known, new, steps):
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
