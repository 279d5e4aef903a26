"""Where the links of a dendrogram go on paper: arithmetic only, no figure."""

from dataclasses import dataclass

import numpy as np

from .levels import level_function


@dataclass(frozen=True)
class TreeLayout:
    """Lines of a drawn tree.

    Attributes
    ----------
    leaves : ndarray of shape (m,)
        Nodes at the bottom, left to right at 0, 1, ...: objects, or clusters where the tree is cut short.
    segments : ndarray of shape (3 * (m - 1), 2, 2)
        Ends (x, y) of lines: left legs, right legs, bars.
    owners : ndarray of shape (3 * (m - 1),)
        The node that each line belongs to: a leg to the node under it, a bar to its merge.
    """

    leaves: np.ndarray
    segments: np.ndarray
    owners: np.ndarray


def drawing_heights(dendrogram, level):
    """Level of each node, infinite ones at 1.2 times the rest; merge heights for inverted trees too."""
    if isinstance(level, str) and level == "linkage":
        f = np.concatenate([np.zeros(dendrogram.n_objects), dendrogram.heights])
    else:
        f = level_function(dendrogram, level)
    return np.where(np.isinf(f), 1.2 * (f[np.isfinite(f)].max() or 1), f)


def layout_tree(dendrogram, heights, max_leaves):
    """Lines for the last merges of a tree, so that at most max_leaves stand at the bottom.

    Parameters
    ----------
    dendrogram : Dendrogram
        With n objects.
    heights : array-like of shape (2 n - 1,)
    max_leaves : int

    Returns
    -------
    TreeLayout
    """
    if max_leaves < 2:
        raise ValueError(f"max_leaves is {max_leaves}: a drawn tree has 2 leaves or more.")
    n = dendrogram.n_objects
    first = n + max(n - max_leaves, 0)  # nodes from here on are drawn as merges
    merges = np.arange(first, 2 * n - 1)
    children = dendrogram.children[first - n :]
    leaves = children[children < first] if n > 1 else np.array([0])
    leaves = leaves[np.argsort(dendrogram.intervals[leaves, 0])]
    x = _places(leaves, merges, children, 2 * n - 1)
    y = np.where(np.arange(2 * n - 1) < first, 0, heights)
    left, right = children.T
    legs = [_lines(x[side], y[side], x[side], y[merges]) for side in (left, right)]
    bars = _lines(x[left], y[merges], x[right], y[merges])
    return TreeLayout(leaves, np.concatenate([*legs, bars]), np.concatenate([left, right, merges]))


def node_clusters(dendrogram, n_clusters):
    """Cluster of each node under a cut, numbered as `Dendrogram.cut` does; -1 for merges above it."""
    labels = dendrogram.cut(n_clusters=n_clusters)[dendrogram.leaf_order]
    clusters = labels[dendrogram.intervals[:, 0]]
    clusters[2 * dendrogram.n_objects - n_clusters :] = -1
    return clusters


def evenly_spaced(n, size):
    """Middles of equal blocks of range(n), all of it when n <= size."""
    size = min(n, size)
    return (2 * np.arange(size) + 1) * n // (2 * size)


def _places(leaves, merges, children, n_nodes):
    x = np.zeros(n_nodes)
    x[leaves] = np.arange(leaves.size)
    x = x.tolist()
    for merge, (left, right) in zip(merges.tolist(), children.tolist(), strict=True):
        x[merge] = (x[left] + x[right]) / 2
    return np.array(x)


def _lines(x0, y0, x1, y1):
    return np.stack([np.column_stack([x0, y0]), np.column_stack([x1, y1])], axis=1)
