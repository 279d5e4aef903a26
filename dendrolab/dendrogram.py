"""The dendrogram as plain arrays.

A tree of n objects has 2 n - 1 nodes: objects 0 to n - 1 first, then the merges in order of height. In
the tree's leaf order each node is an interval of positions, and each merge is the gap between the
intervals of its two children. Every walk in the package is an array operation over these intervals and
gaps, or one loop over merges; nothing recurses.
"""

import numbers
from functools import cached_property

import numpy as np

from .linkage import INVERTING_LINKAGES, linkage_from_data, linkage_from_distances
from .linkage_matrix import check_linkage_matrix, linkage_matrix_from_merges
from .range_maximum import RangeMaximum
from .validation import is_whole_number, refuse_components


class Dendrogram:
    """A validated binary merge tree, made by its ``from_*`` methods.

    Attributes
    ----------
    linkage_matrix : ndarray of shape (n_objects - 1, 4)
        SciPy's linkage matrix Z, read-only.
    n_objects : int
    linkage : str or None
        The criterion that built the tree, None where it is not known.
    heights : ndarray of shape (n_objects - 1,)
        Of the merges, not decreasing but for centroid and median linkage.
    children : ndarray of shape (n_objects - 1, 2)
        The two nodes of each merge.
    parents : ndarray of shape (2 * n_objects - 1,)
        The node above each node, -1 for the root.
    sizes : ndarray of shape (2 * n_objects - 1,)
        Number of objects under each node.
    leaf_order : ndarray of shape (n_objects,)
        Objects from left to right.
    intervals : ndarray of shape (2 * n_objects - 1, 2)
        Positions [first, last) in the leaf order that each node covers.
    is_monotone : bool
        Whether no merge is lower than a merge before it.

    Examples
    --------
    >>> from dendrolab import Dendrogram
    >>> tree = Dendrogram.from_data([[0.0], [1.0], [5.0], [5.5]], linkage="single")
    >>> tree.heights
    array([0.5, 1. , 4. ])
    >>> tree.cut(n_clusters=2)
    array([0, 0, 1, 1])
    """

    def __init__(self, linkage_matrix, linkage=None):
        self.linkage_matrix = _read_only(linkage_matrix)
        self.linkage = linkage
        self.n_objects = len(linkage_matrix) + 1

    @classmethod
    def from_data(cls, X, linkage="average", metric="euclidean", engine="auto"):
        """Cluster the rows of a table.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_objects, n_features)
            With ``metric="precomputed"``, a distance matrix.
        linkage : {"single", "complete", "average", "ward", "weighted", "centroid", "median"}
            Trees of the last two may be inverted: good to look at, but without distances.
        metric : str or callable
            A metric of `scipy.spatial.distance.pdist`, or "precomputed".
        engine : {"auto", "dense", "lean"}
            With all distances in memory, or in O(n d), as for `linkage_from_data`.

        Returns
        -------
        Dendrogram
        """
        if isinstance(metric, str) and metric == "precomputed":
            if engine not in ("auto", "dense"):
                raise ValueError(f"engine is {engine!r}: given distances are held; use 'auto' or 'dense'.")
            return cls(linkage_from_distances(X, linkage, name="X"), linkage)
        return cls(linkage_from_data(X, linkage, metric, engine), linkage)

    @classmethod
    def from_distances(cls, D, linkage="average"):
        """Cluster objects whose distances are given.

        Parameters
        ----------
        D : array-like of shape (n_objects, n_objects) or (n_objects * (n_objects - 1) / 2,)
            Square, or condensed as `scipy.spatial.distance.pdist` makes it.
        linkage : str
            As for `from_data`. ``ward`` takes D for Euclidean distances.

        Returns
        -------
        Dendrogram
        """
        return cls(linkage_from_distances(D, linkage), linkage)

    @classmethod
    def from_linkage_matrix(cls, Z, allow_inversions=False):
        """Take over a linkage matrix made elsewhere.

        Parameters
        ----------
        Z : array-like of shape (n_objects - 1, 4)
            As made by `scipy.cluster.hierarchy.linkage` or fastcluster.
        allow_inversions : bool
            Accept decreasing heights, for trees that are only looked at.

        Returns
        -------
        Dendrogram
        """
        return cls(check_linkage_matrix(Z, allow_inversions))

    @classmethod
    def from_merges(cls, children, heights):
        """Take over merges without sizes, in any order that has children before parents.

        Parameters
        ----------
        children : array-like of shape (n_objects - 1, 2)
            Such as ``children_`` of `sklearn.cluster.AgglomerativeClustering`; heights: its ``distances_``.
        heights : array-like of shape (n_objects - 1,)

        Returns
        -------
        Dendrogram

        Examples
        --------
        >>> Dendrogram.from_merges([[0, 1], [2, 3]], [1.0, 4.0]).sizes
        array([1, 1, 1, 2, 3])
        """
        return cls.from_linkage_matrix(linkage_matrix_from_merges(children, heights))

    def __repr__(self):
        return f"Dendrogram(n_objects={self.n_objects}, linkage={self.linkage!r})"

    heights = property(lambda self: self.linkage_matrix[:, 2])

    @cached_property
    def children(self):
        return _read_only(self.linkage_matrix[:, :2].astype(np.intp))

    @cached_property
    def sizes(self):
        return _read_only(
            np.concatenate([np.ones(self.n_objects), self.linkage_matrix[:, 3]]).astype(np.intp)
        )

    @cached_property
    def parents(self):
        parents = np.full(2 * self.n_objects - 1, -1)
        parents[self.children] = self.n_objects + np.arange(self.n_objects - 1)[:, None]
        return _read_only(parents)

    @cached_property
    def is_monotone(self):
        return bool(np.all(self.heights[1:] >= self.heights[:-1]))

    @cached_property
    def intervals(self):
        first = [0] * (2 * self.n_objects - 1)
        sizes = self.sizes.tolist()
        for row in range(self.n_objects - 2, -1, -1):  # from the root down
            left, right = self.children[row].tolist()
            first[left] = first[self.n_objects + row]
            first[right] = first[left] + sizes[left]
        first = np.array(first)
        return _read_only(np.column_stack([first, first + self.sizes]))

    @cached_property
    def positions(self):
        """Position of each object in the leaf order."""
        return self.intervals[: self.n_objects, 0]

    @cached_property
    def leaf_order(self):
        return _read_only(np.argsort(self.positions))

    @cached_property
    def gap_merges(self):
        """For each gap between neighbours in the leaf order, the row of the merge that closes it."""
        merges = np.empty(self.n_objects - 1, dtype=np.intp)
        merges[self.intervals[self.children[:, 1], 0] - 1] = np.arange(self.n_objects - 1)
        return _read_only(merges)

    def check_monotone(self):
        """Refuse a tree with inversions: it gives no ultrametric, and a height cuts it in several places."""
        if self.linkage in INVERTING_LINKAGES or not self.is_monotone:
            raise ValueError(
                f"this tree ({self.linkage or 'unknown'} linkage) may have inversions, merges below the "
                "height of their own clusters, so that no ultrametric can be read off it: build it with "
                "single, complete, average, ward or weighted linkage."
            )

    def check_connected(self):
        """Refuse the tree of a graph whose components meet at height inf."""
        if np.isinf(self.heights).any():
            refuse_components(int(np.isinf(self.heights).sum()) + 1)

    def cut(self, n_clusters=None, height=None):
        """Labels of a flat clustering.

        Parameters
        ----------
        n_clusters : int, optional
            Undo the last merges until there are exactly this many clusters, ties or not.
        height : float, optional
            Keep the merges at this height or below.

        Returns
        -------
        ndarray of shape (n_objects,)
            Labels 0, 1, ... in order of first appearance.
        """
        if (n_clusters is None) == (height is None):
            raise ValueError("give either n_clusters or height.")
        if n_clusters is None:
            self.check_monotone()
            if not isinstance(height, numbers.Real) or np.isnan(height):
                raise ValueError(f"height is {height!r}: give the number up to which merges are kept.")
            n_clusters = self.n_objects - int(np.searchsorted(self.heights, height, side="right"))
        elif not (is_whole_number(n_clusters) and 1 <= n_clusters <= self.n_objects):
            raise ValueError(
                f"n_clusters is {n_clusters!r}: choose a whole number from 1 to {self.n_objects}."
            )
        undone = self.gap_merges >= self.n_objects - n_clusters
        labels = np.concatenate([[0], np.cumsum(undone)])[self.positions]
        _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[codes]

    def sum_over_ancestors(self, values):
        """Sum a value of the nodes over all nodes that hold an object, in O(n).

        Parameters
        ----------
        values : array-like of shape (2 * n_objects - 1,)

        Returns
        -------
        ndarray of shape (n_objects,)

        Examples
        --------
        >>> tree = Dendrogram.from_data([[0.0], [1.0], [5.0]], linkage="single")
        >>> tree.sum_over_ancestors([0, 0, 0, 1, 10])
        array([11., 11., 10.])
        """
        steps = np.zeros(self.n_objects + 1)
        np.add.at(steps, self.intervals[:, 0], values)
        np.subtract.at(steps, self.intervals[:, 1], values)
        return np.cumsum(steps[:-1])[self.positions]

    def common_merges(self, i, j):
        """Row of the lowest merge that joins i[k] and j[k], for m pairs in O(n + m log n).

        Parameters
        ----------
        i, j : int or array-like of int, shape (m,)

        Returns
        -------
        ndarray of shape (m,)
            Row of Z, -1 where i[k] is j[k].

        Examples
        --------
        >>> tree = Dendrogram.from_data([[0.0], [1.0], [5.0]], linkage="single")
        >>> tree.common_merges([0, 0, 1], [1, 2, 1])
        array([ 0,  1, -1])
        """
        i, j = np.broadcast_arrays(*(self.positions[check_objects(k, self.n_objects)] for k in (i, j)))
        return self._gap_maximum.over(np.minimum(i, j), np.maximum(i, j))

    @cached_property
    def _gap_maximum(self):
        return RangeMaximum(self.gap_merges)


def check_objects(index, n_objects):
    """Return object numbers as integers; refuse what is not one of 0 to n_objects - 1."""
    index = np.asarray(index)
    if index.size and index.dtype.kind not in "iu":
        raise ValueError(f"objects are named by whole numbers, not {index.dtype}.")
    bad = (index < 0) | (index >= n_objects)
    if bad.any():
        raise ValueError(f"there is no object {index[bad].flat[0]}: they are numbered 0 to {n_objects - 1}.")
    return index.astype(np.intp)


def _read_only(array):
    array = array.view()
    array.flags.writeable = False
    return array
