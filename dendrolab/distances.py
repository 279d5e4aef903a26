"""Distances read off a dendrogram: whole, by rows, by pairs; outlier scores; similarities."""

import numpy as np

from .dendrogram import Dendrogram, check_objects
from .levels import level_function
from .memory import check_memory
from .validation import (
    as_numbers,
    check_condensed_length,
    check_dendrogram,
    check_distances,
    check_square_distances,
)


def dendrogram_distances(dendrogram, level="level"):
    """Matrix of distances D_ij = f(lowest merge that joins i and j) (Eqs. 3, 4).

    Parameters
    ----------
    dendrogram : Dendrogram
        With n objects.
    level : str, callable or array-like
        The level function f, as for `level_function`.

    Returns
    -------
    ndarray of shape (n, n)
        An ultrametric, in the unit of the level function.

    Raises
    ------
    MemoryError
        When n x n numbers do not fit, before anything is computed.

    See Also
    --------
    distance_rows, distance_pairs : some of the distances, without the n x n matrix.

    Examples
    --------
    >>> from dendrolab import Dendrogram, dendrogram_distances
    >>> tree = Dendrogram.from_data([[0.0], [1.0], [5.0]], linkage="single")
    >>> dendrogram_distances(tree, "linkage")
    array([[0., 1., 4.],
           [1., 0., 4.],
           [4., 4., 0.]])
    """
    check_dendrogram(dendrogram)
    n = dendrogram.n_objects
    check_memory(8 * n * n, f"the {n} x {n} distance matrix", "Use distance_rows or distance_pairs.")
    return distance_rows(dendrogram, np.arange(n), level)


def distance_rows(dendrogram, rows, level="level"):
    """Distances from some objects to all, in O(n) a row.

    Parameters
    ----------
    dendrogram : Dendrogram
        With n objects.
    rows : int or array-like of int, shape (m,)
    level : str, callable or array-like

    Returns
    -------
    ndarray of shape (m, n), or (n,) for a single row

    Examples
    --------
    >>> from dendrolab import Dendrogram, distance_rows
    >>> tree = Dendrogram.from_data([[0.0], [1.0], [5.0]], linkage="single")
    >>> distance_rows(tree, 2, "linkage")
    array([4., 4., 0.])
    """
    check_dendrogram(dendrogram)
    rows = check_objects(rows, dendrogram.n_objects)
    gaps = level_function(dendrogram, level)[dendrogram.n_objects + dendrogram.gap_merges]
    D = np.zeros((rows.size, dendrogram.n_objects))
    in_order = np.zeros(dendrogram.n_objects)
    for row, p in zip(D, dendrogram.positions[rows.ravel()], strict=True):
        # Two leaves meet at the largest gap between them.
        np.maximum.accumulate(gaps[p:], out=in_order[p + 1 :])
        np.maximum.accumulate(gaps[:p][::-1], out=in_order[:p][::-1])
        in_order[p] = 0
        row[dendrogram.leaf_order] = in_order
    return D.reshape(*rows.shape, dendrogram.n_objects)


def distance_pairs(dendrogram, i, j, level="level"):
    """Distances between i[k] and j[k], in O(n + m log n) for m pairs.

    Parameters
    ----------
    dendrogram : Dendrogram
    i, j : int or array-like of int, shape (m,)
    level : str, callable or array-like

    Returns
    -------
    ndarray of shape (m,), or a number for a single pair

    Examples
    --------
    >>> from dendrolab import Dendrogram, distance_pairs
    >>> tree = Dendrogram.from_data([[0.0], [1.0], [5.0]], linkage="single")
    >>> distance_pairs(tree, [0, 0, 1], [1, 2, 1], "linkage")
    array([1., 4., 0.])
    """
    f = level_function(dendrogram, level)
    # An object meets itself at no merge, row -1, which is the last object: level 0.
    return f[dendrogram.n_objects + dendrogram.common_merges(i, j)]


def outlier_scores(dendrogram, level="level", score="join"):
    """How late each object joins the others, from 0 to 1 (Section 2.1).

    Parameters
    ----------
    dendrogram : Dendrogram
        With n objects.
    level : str, callable or array-like
    score : {"join", "mean"}
        ``"join"``: the level at which the object first joins others; ``"mean"``: its mean distance to all
        other objects, which also finds small groups far from the rest. Both are divided by the root's level.

    Returns
    -------
    ndarray of shape (n,)
        1 for an object that joins at the root.

    Examples
    --------
    >>> from dendrolab import Dendrogram, outlier_scores
    >>> tree = Dendrogram.from_data([[0.0], [1.0], [5.0]], linkage="single")
    >>> outlier_scores(tree, "linkage", "mean")
    array([0.625, 0.625, 1.   ])
    """
    check_dendrogram(dendrogram)
    if score not in ("join", "mean"):
        raise ValueError(f"score is {score!r}: choose 'join' or 'mean'.")
    n = dendrogram.n_objects
    dendrogram.check_connected()
    f = level_function(dendrogram, level)
    if f[-1] == 0:
        return np.zeros(n)
    parents = dendrogram.parents
    if score == "join":
        return f[parents[:n]] / f[-1]
    # At each merge above it, an object meets the objects of the other child.
    met = dendrogram.sizes[parents] - dendrogram.sizes
    sums = dendrogram.sum_over_ancestors(np.where(parents >= 0, f[parents] / f[-1] * met, 0))
    return np.clip(sums / (n - 1), 0, 1)


def distances_to_similarities(D):
    """Similarities S = max(D) - D + min(D) (Section 4), extrema over all entries.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Distances; the diagonal takes part in the extrema.

    Returns
    -------
    ndarray of shape (n, n)

    Examples
    --------
    >>> from dendrolab import distances_to_similarities
    >>> distances_to_similarities([[0.0, 3.0], [3.0, 0.0]])
    array([[3., 0.],
           [0., 3.]])
    """
    D = check_square_distances(as_numbers(D, "D"))
    return D.max() - D + D.min()


def is_ultrametric(D, rtol=1e-9):
    """Tell whether D_ij <= max(D_ik, D_kj) holds for all triples, in O(n^2).

    Parameters
    ----------
    D : array-like of shape (n, n) or (n * (n - 1) / 2,)
    rtol : float
        Violations up to this share of the largest distance count as rounding.

    Returns
    -------
    bool

    Notes
    -----
    D is an ultrametric exactly if its single linkage tree gives D back.

    Examples
    --------
    >>> from dendrolab import is_ultrametric
    >>> is_ultrametric([[0, 1, 4], [1, 0, 4], [4, 4, 0]]), is_ultrametric([[0, 1, 4], [1, 0, 3], [4, 3, 0]])
    (True, False)
    """
    condensed = check_distances(D)
    tree = Dendrogram.from_distances(condensed, linkage="single")
    f, start = level_function(tree, "linkage"), 0
    for i in range(check_condensed_length(condensed) - 1):
        row = distance_rows(tree, i, f)[i + 1 :]
        if np.any(condensed[start : start + row.size] - row > rtol * condensed.max()):
            return False
        start += row.size
    return True
