"""Minimax neighbours and paths of single objects, in O(n) memory."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .dendrogram import Dendrogram, check_objects
from .distances import distance_rows
from .minimax import minimax_dendrogram, spanning_tree_source
from .spanning_tree import merges_of_tree
from .validation import is_whole_number


class MinimaxNeighbors(NamedTuple):
    """Neighbours of one or several objects, nearest first.

    Attributes
    ----------
    distances : ndarray of shape (n_neighbors,) or (m, n_neighbors)
        Minimax distances; inf to objects that no path joins.
    indices : ndarray of the same shape
        Object numbers; of two at the same distance the lower comes first.
    """

    distances: np.ndarray
    indices: np.ndarray


@dataclass(frozen=True, eq=False)
class MinimaxPath:
    """A path between two objects whose largest step is as small as any path's can be.

    Attributes
    ----------
    nodes : ndarray of int, shape (n_steps + 1,)
        The objects on the path, both ends included; empty where no path joins the two.
    steps : ndarray of shape (n_steps,)
        Distance of each object on the path from the one before it.
    """

    nodes: np.ndarray
    steps: np.ndarray

    @property
    def distance(self):
        """Minimax distance of the two ends: the largest step, inf where no path joins them."""
        return float(self.steps.max(initial=0)) if self.nodes.size else np.inf


class MinimaxTree:
    """A minimum spanning tree, made by `minimax_tree`, that answers many queries.

    Attributes
    ----------
    n_objects : int
    edges : ndarray of int, shape (n_objects - 1, 2)
        In an order of growth from object 0: the first end is in the tree already, the second is new.
    weights : ndarray of shape (n_objects - 1,)
        Of the edges; inf between components of a graph.

    Examples
    --------
    >>> from dendrolab import minimax_tree
    >>> tree = minimax_tree([[0.0], [1.0], [5.0], [5.5]])
    >>> tree.path(0, 3).distance, tree.path(2, 3).distance
    (4.0, 0.5)
    >>> tree.dendrogram.heights
    array([0.5, 1. , 4. ])
    """

    def __init__(self, edges, weights):
        self.n_objects = len(weights) + 1
        self.edges, self.weights = edges, weights
        self._before, self._step = np.full(self.n_objects, -1), np.zeros(self.n_objects)
        self._before[edges[:, 1]], self._step[edges[:, 1]] = edges[:, 0], weights

    @cached_property
    def dendrogram(self):
        """Single linkage dendrogram, for distances and neighbours."""
        return Dendrogram(merges_of_tree(self.n_objects, *self.edges.T, self.weights), "single")

    def path(self, i, j):
        """Path between two objects.

        Parameters
        ----------
        i, j : int

        Returns
        -------
        MinimaxPath
        """
        up, down = (self._to_root(_check_object(end, self.n_objects)) for end in (i, j))
        while min(len(up), len(down)) > 1 and up[-2] == down[-2]:  # the way that both have in common
            del up[-1], down[-1]
        steps = np.concatenate([self._step[up[:-1]], self._step[down[:-1]][::-1]])
        if np.isinf(steps).any():
            return MinimaxPath(np.empty(0, dtype=np.intp), np.empty(0))
        return MinimaxPath(np.array(up + down[-2::-1]), steps)

    def _to_root(self, i):
        way = [i]
        while self._before[way[-1]] >= 0:
            way.append(int(self._before[way[-1]]))
        return way


def minimax_tree(X, metric="euclidean"):
    """Grow a minimum spanning tree: on it every path is a Minimax path.

    Parameters
    ----------
    X : array-like or sparse matrix
        As for `minimax_distances`. A table takes O(n d) memory and O(n^2 d) time, a sparse graph of m edges
        O(m log m) time.
    metric : str or callable
        As for `minimax_distances`.

    Returns
    -------
    MinimaxTree

    See Also
    --------
    minimax_path : a single path.

    Examples
    --------
    >>> from dendrolab import minimax_tree
    >>> tree = minimax_tree([[0.0], [1.0], [5.0], [5.5]])
    >>> tree.weights
    array([1. , 4. , 0.5])
    >>> tree.path(0, 3).nodes
    array([0, 1, 2, 3])
    """
    _, grow = spanning_tree_source(X, metric)
    return _tree(grow)


def minimax_path(X, i, j, metric="euclidean"):
    """Path that realises the Minimax distance of two objects.

    Parameters
    ----------
    X : array-like or sparse matrix
        As for `minimax_distances`.
    i, j : int
        The two objects.
    metric : str or callable
        As for `minimax_distances`.

    Returns
    -------
    MinimaxPath
        The path on a minimum spanning tree. Other paths may have the same largest step.

    See Also
    --------
    minimax_tree : the spanning tree, for many paths.

    Examples
    --------
    >>> from dendrolab import minimax_path
    >>> path = minimax_path([[0.0], [5.5], [1.0], [5.0]], 0, 1)
    >>> path.nodes, path.steps, path.distance
    (array([0, 2, 3, 1]), array([1. , 4. , 0.5]), 4.0)
    """
    n, grow = spanning_tree_source(X, metric)
    for end in (i, j):  # before the tree is grown
        _check_object(end, n)
    return _tree(grow).path(i, j)


def _check_object(i, n):
    i = check_objects(i, n)
    if i.ndim:
        raise ValueError(f"a path joins two single objects, and one has shape {i.shape}: give one number.")
    return int(i)


def _tree(grow):
    known, new, weights = grow()
    return MinimaxTree(np.column_stack([known, new]), weights)


def minimax_neighbors(X, i, n_neighbors=5, metric="euclidean"):
    """Nearest neighbours of objects by Minimax distance.

    Parameters
    ----------
    X : Dendrogram, MinimaxTree, array-like or sparse matrix
        The tree of `minimax_dendrogram` or `minimax_tree`: then each object takes O(n). Or what such a tree
        is made of, as for `minimax_distances`.
    i : int or array-like of int, shape (m,)
        The objects; an object is not its own neighbour.
    n_neighbors : int
    metric : str or callable
        Where X is no tree, as for `minimax_distances`.

    Returns
    -------
    MinimaxNeighbors
        The tuple (distances, indices), as scikit-learn's ``kneighbors`` orders it.

    Raises
    ------
    ValueError
        For a tree of another linkage, and for more neighbours than there are other objects.

    Examples
    --------
    >>> from dendrolab import minimax_dendrogram, minimax_neighbors
    >>> tree = minimax_dendrogram([[0.0], [1.0], [5.0], [5.5]])
    >>> distances, indices = minimax_neighbors(tree, 3, n_neighbors=2)
    >>> distances, indices
    (array([0.5, 4. ]), array([2, 0]))
    """
    X = X.dendrogram if isinstance(X, MinimaxTree) else X
    tree = X if isinstance(X, Dendrogram) else minimax_dendrogram(X, metric)
    if tree.linkage not in ("single", None):
        raise ValueError(
            f"the tree is of {tree.linkage} linkage, and Minimax distances are those of single linkage: make "
            "the tree with minimax_dendrogram."
        )
    if not (is_whole_number(n_neighbors) and 1 <= n_neighbors < tree.n_objects):
        raise ValueError(
            f"n_neighbors is {n_neighbors!r}: choose a whole number from 1 to {tree.n_objects - 1}, the "
            "number of other objects."
        )
    i = check_objects(i, tree.n_objects)
    distances, indices = np.empty((*i.shape, n_neighbors)), np.empty((*i.shape, n_neighbors), dtype=np.intp)
    for place, k in np.ndenumerate(i):
        distances[place], indices[place] = _nearest(tree, k, n_neighbors)
    return MinimaxNeighbors(distances, indices)


def _nearest(tree, i, n_neighbors):
    row = distance_rows(tree, i, "linkage")
    row[i] = np.nan  # sorted last, and equal to nothing
    farthest = np.partition(row, n_neighbors - 1)[n_neighbors - 1]
    nearer = np.flatnonzero(row < farthest)
    as_far = np.flatnonzero(row == farthest)[: n_neighbors - nearer.size]
    indices = np.concatenate([nearer[np.argsort(row[nearer], kind="stable")], as_far])
    return row[indices], indices
