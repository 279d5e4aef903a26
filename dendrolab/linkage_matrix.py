"""Linkage matrices made elsewhere: their check, and their making from merges alone."""

import numpy as np

from .validation import as_numbers


def check_linkage_matrix(Z, allow_inversions=False):
    """Return a valid linkage matrix as float64 of shape (n - 1, 4); refuse the rest.

    Heights that decrease by no more than rounding (1e-12 of the largest) are raised to the height before.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        SciPy's form: two cluster numbers, the height, the size of the merged cluster.
    allow_inversions : bool
        Accept merges that are lower than a merge before them (centroid and median linkage).

    Returns
    -------
    ndarray of shape (n - 1, 4)
    """
    Z = as_numbers(Z, "Z").astype(np.float64)
    if Z.ndim != 2 or Z.shape[1] != 4:
        raise ValueError(
            f"Z has shape {Z.shape}: a linkage matrix is (n - 1) x 4, as SciPy's linkage makes it."
        )
    _check_merge_heights(Z[:, 2])
    _check_children(Z)
    return Z if allow_inversions else _check_monotone(Z)


def _check_merge_heights(heights):
    bad = np.flatnonzero(~(np.isfinite(heights) & (heights >= 0)))
    if bad.size:
        raise ValueError(
            f"Z has height {heights[bad[0]]} in row {bad[0]}: heights are finite and not negative."
        )


def _check_children(Z):
    n = len(Z) + 1
    children = Z[:, :2]
    newest = n + np.arange(n - 1)[:, None]  # a row may name objects and the clusters of rows above it
    bad = np.argwhere(~((children == np.floor(children)) & (children >= 0) & (children < newest)))
    if bad.size:
        row, column = bad[0]
        raise ValueError(
            f"Z names cluster {children[row, column]:g} in row {row}, which does not exist yet: with {n} "
            f"objects, row {row} may name clusters 0 to {n + row - 1}."
        )
    children = children.astype(np.intp)
    uses = np.bincount(children.ravel(), minlength=2 * n - 1)
    if uses.max(initial=0) > 1:
        cluster = int(uses.argmax())
        rows = np.argwhere(children == cluster)[:, 0].tolist()
        raise ValueError(
            f"Z merges cluster {cluster} {uses[cluster]} times, in rows {rows}: each merges once."
        )
    sizes = np.concatenate([np.ones(n), Z[:, 3]])
    wrong = np.flatnonzero(Z[:, 3] != sizes[children].sum(axis=1))
    if wrong.size:
        row = wrong[0]
        raise ValueError(
            f"Z says size {Z[row, 3]:g} in row {row}, but its two clusters hold "
            f"{sizes[children[row]].sum():g} objects."
        )


def _check_monotone(Z):
    heights = Z[:, 2]
    raised = np.maximum.accumulate(heights)
    fall = raised - heights
    if fall.size and fall.max() > 1e-12 * raised[-1]:
        row = int(np.argmax(fall > 1e-12 * raised[-1]))
        raise ValueError(
            f"Z has decreasing heights: {heights[row]:.6g} in row {row} after {raised[row]:.6g}. Sort the "
            "merges by height (Dendrogram.from_merges does), or, for centroid or median linkage, whose "
            "merges may really be inverted, pass allow_inversions=True to look at the tree."
        )
    Z[:, 2] = raised
    return Z


def linkage_matrix_from_merges(children, heights):
    """Linkage matrix of merges that have children before parents, sorted by height."""
    children, heights = as_numbers(children, "children"), as_numbers(heights, "heights")
    if children.ndim != 2 or children.shape[1] != 2 or heights.shape != (len(children),):
        raise ValueError(
            f"children has shape {children.shape} and heights {heights.shape}: give (n - 1, 2) and (n - 1,)."
        )
    n = len(children) + 1
    heights = _level_rounding(children, heights)
    order = np.argsort(heights, kind="stable")
    renamed = np.concatenate([np.arange(n), n + np.argsort(order)])
    inside = (children >= 0) & (children < 2 * n - 1) & (children == np.floor(children))
    children = np.where(inside, renamed[np.where(inside, children, 0).astype(np.intp)], children)
    children = np.sort(children[order], axis=1)
    sizes = np.ones(2 * n - 1)
    for row, (left, right) in enumerate(np.clip(children, 0, 2 * n - 2).astype(np.intp).tolist()):
        sizes[n + row] = sizes[left] + sizes[right]
    return np.column_stack([children, heights[order], sizes[n:]])


def _level_rounding(children, heights):
    """Raise merges that rounding put below a child, so that sorting keeps children before parents."""
    n = len(children) + 1
    raised = [-np.inf] * n + heights.tolist()
    for node, pair in enumerate(children.tolist(), start=n):
        below = max((raised[int(child)] for child in pair if 0 <= child < node), default=-np.inf)
        if raised[node] < below:
            if below - raised[node] > 1e-12 * np.abs(heights).max():
                raise ValueError(
                    f"merge {node - n} is at height {raised[node]:.6g}, below its child at {below:.6g}: "
                    "heights must not decrease towards the root, as they may in centroid and median trees."
                )
            raised[node] = below
    return np.array(raised[n:])
