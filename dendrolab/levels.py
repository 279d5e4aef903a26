"""Generalised level functions: a value for each node that grows towards the root."""

import numpy as np

from .validation import as_numbers, check_dendrogram

LEVELS = ("level", "linkage", "size", "rank")


def level_function(dendrogram, kind="level"):
    """Level f(v) of each node of a dendrogram.

    Parameters
    ----------
    dendrogram : Dendrogram
        With n objects; its linkage must not be centroid or median.
    kind : {"level", "linkage", "size", "rank"}, callable or array-like of shape (2 n - 1,)
        - ``"level"`` (Eqs. 1, 8): one more than the larger level of the two children; that level alone where
          the merge is no higher than the higher child (a tie). An object counts as lower than any merge.
          It adapts to density.
        - ``"linkage"``: the merge height (Eq. 5). With single linkage it gives Minimax distances.
        - ``"size"``: number of objects under the node, less one.
        - ``"rank"``: the merge's position in order of height, from 1; ties in the order of the rows of Z.
        - a function that takes the dendrogram and returns one value a node, or these values themselves;
          both must pass `check_level_function`.

    Returns
    -------
    ndarray of shape (2 n - 1,)
        Objects first (all 0), then merges in Z's order.

    Raises
    ------
    ValueError
        For an unknown kind, a tree with inversions, or values that are no level function.

    Notes
    -----
    Equations are those of Haghir Chehreghani and Haghir Chehreghani, "Learning representations from
    dendrograms", Machine Learning 109 (2020).

    Examples
    --------
    >>> from dendrolab import Dendrogram, level_function
    >>> tree = Dendrogram.from_data([[0.0], [1.0], [5.0], [5.5]], linkage="single")
    >>> level_function(tree, "level")
    array([0., 0., 0., 0., 1., 1., 2.])
    >>> level_function(tree, lambda tree: tree.sizes - 1.0)
    array([0., 0., 0., 0., 1., 1., 3.])
    """
    check_dendrogram(dendrogram)
    dendrogram.check_monotone()
    if callable(kind):
        return check_level_function(dendrogram, kind(dendrogram))
    if not isinstance(kind, str):
        return check_level_function(dendrogram, kind)
    check_level_name(kind)
    n = dendrogram.n_objects
    if kind == "level":
        return _tree_levels(dendrogram)
    if kind == "size":
        return dendrogram.sizes - 1.0
    merges = dendrogram.heights if kind == "linkage" else np.arange(1, n)
    return np.concatenate([np.zeros(n), merges])


def check_level_name(level):
    """Refuse the name of a level function that does not exist."""
    if isinstance(level, str) and level not in LEVELS:
        raise ValueError(f"level is {level!r}: choose one of {', '.join(LEVELS)}, a function or an array.")


def _tree_levels(dendrogram):
    heights = [-np.inf] * dendrogram.n_objects + dendrogram.heights.tolist()
    levels = [0] * len(heights)
    for row, (left, right) in enumerate(dendrogram.children.tolist(), start=dendrogram.n_objects):
        higher = heights[row] > max(heights[left], heights[right])
        levels[row] = max(levels[left], levels[right]) + higher
    return np.array(levels, dtype=np.float64)


def check_level_function(dendrogram, f):
    """Return f as an array if it is a level function of the dendrogram; refuse it otherwise.

    Parameters
    ----------
    dendrogram : Dendrogram
        With n objects.
    f : array-like of shape (2 n - 1,)
        0 for every object; finite; larger at a merge than at the nodes under it. It may stay equal at a merge
        that is no higher than one of its children (a tie), an object counting as height 0.

    Returns
    -------
    ndarray of shape (2 n - 1,)

    Raises
    ------
    ValueError
        Naming the condition that fails and the node where it fails first.

    Examples
    --------
    >>> from dendrolab import Dendrogram, check_level_function
    >>> tree = Dendrogram.from_data([[0.0], [1.0], [5.0]], linkage="single")
    >>> check_level_function(tree, [0, 0, 0, 1, 7])
    array([0., 0., 0., 1., 7.])
    """
    check_dendrogram(dendrogram)
    n = dendrogram.n_objects
    f = as_numbers(f, "the level function").astype(np.float64)
    if f.shape != (2 * n - 1,):
        raise ValueError(
            f"the level function has shape {f.shape}: give one value a node, {2 * n - 1} for {n} objects "
            "(objects first, then merges in Z's order)."
        )
    _refuse_where(~np.isfinite(f), f, "has {value} at node {node}: values must be finite")
    _refuse_where(f[:n] != 0, f, "is {value} at object {node}: it must be 0 at every object")
    heights = np.concatenate([np.zeros(n), dendrogram.heights])
    rise, climb = (values[n:] - values[dendrogram.children].max(axis=1, initial=0) for values in (f, heights))
    strict = climb > 1e-12 * heights.max()
    wrong = np.concatenate([np.zeros(n, dtype=bool), (rise < 0) | (strict & (rise == 0))])
    _refuse_where(wrong, f, "is {value} at node {node}, not larger than at the nodes under it")
    return f


def _refuse_where(bad, f, problem):
    if bad.any():
        node = int(np.argmax(bad))
        raise ValueError(f"the level function {problem.format(value=f[node], node=node)}.")
