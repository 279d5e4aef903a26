"""Figures of a dendrogram: the tree, its distances, its level functions."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import MaxNLocator

from .distances import distance_pairs
from .levels import LEVELS, level_function
from .palette import PALETTE, cluster_colors, new_axes, object_names
from .tree_drawing import drawing_heights, evenly_spaced, layout_tree, node_clusters
from .validation import check_dendrogram

_LEVEL_TEXT = {"linkage": "merge height", "level": "level", "size": "objects under it - 1", "rank": "rank"}


@dataclass(frozen=True)
class DrawnDendrogram:
    """What `draw_dendrogram` drew.

    Attributes
    ----------
    ax : matplotlib.axes.Axes
    leaf_order : ndarray of shape (n_objects,)
        All objects, left to right.
    leaf_colors : ndarray of shape (n_objects,)
        Hex colour of each object's cluster, in leaf order.
    leaf_names : list of str
        Text of each leaf at the bottom, left to right: an object's name, or "(37)" for 37 objects.
    """

    ax: Axes
    leaf_order: np.ndarray
    leaf_colors: np.ndarray
    leaf_names: list


def draw_dendrogram(dendrogram, *, n_clusters=None, names=None, max_leaves=60, level="linkage", ax=None):
    """Draw a dendrogram, coloured by its clusters.

    Parameters
    ----------
    dendrogram : Dendrogram
        Centroid and median trees can be drawn too, with ``level="linkage"``.
    n_clusters : int, optional
        Colour the clusters of ``dendrogram.cut(n_clusters)``, links above the cut grey. None: one cluster.
    names : sequence of str, optional
        One for each object; their numbers otherwise.
    max_leaves : int
        With more objects only the last merges are drawn; a leaf of several objects shows their number.
    level : str, callable or array-like
        What the vertical axis shows, as for `level_function`.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    DrawnDendrogram
        With ``ax``, ``leaf_order``, ``leaf_colors`` and ``leaf_names``.

    Notes
    -----
    The components of a graph that is not connected meet at an infinite height, drawn at 1.2 times the largest
    finite one.

    Examples
    --------
    >>> from dendrolab import Dendrogram, plots
    >>> tree = Dendrogram.from_data([[0.0], [1.0], [5.0], [5.5]], linkage="single")
    >>> drawn = plots.draw_dendrogram(tree, n_clusters=2, names="abcd", max_leaves=3)
    >>> drawn.leaf_names
    ['(2)', 'a', 'b']
    """
    check_dendrogram(dendrogram)
    n = dendrogram.n_objects
    names = object_names(names, n)
    clusters = node_clusters(dendrogram, 1 if n_clusters is None else n_clusters)
    layout = layout_tree(dendrogram, drawing_heights(dendrogram, level), max_leaves)
    texts = [names[v] if v < n else f"({dendrogram.sizes[v]})" for v in layout.leaves]
    ax = new_axes(ax, (9.0, 4.0))
    _add_lines(ax, layout, cluster_colors(clusters[layout.owners]))
    _name_leaves(ax, texts)
    ax.set(ylabel=_level_text(level), xlabel=_count_text(n, len(texts)), title=_tree_title(dendrogram))
    if isinstance(level, str) and level != "linkage":
        _whole_ticks(ax.yaxis)
    sns.despine(ax=ax, bottom=True)
    order = dendrogram.leaf_order
    return DrawnDendrogram(ax, order, cluster_colors(clusters[order]), texts)


def draw_distance_matrix(dendrogram, *, level="level", n_clusters=None, max_size=400, ax=None):
    """Draw the dendrogram's distances between objects in leaf order.

    Parameters
    ----------
    dendrogram : Dendrogram
    level : str, callable or array-like
        The level function, as for `level_function`.
    n_clusters : int, optional
        Outline the clusters of ``dendrogram.cut(n_clusters)``.
    max_size : int
        With more objects, this many are drawn, evenly spaced in leaf order, each for its neighbours.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from dendrolab import Dendrogram, plots
    >>> tree = Dendrogram.from_data([[0.0], [1.0], [5.0], [5.5]], linkage="single")
    >>> ax = plots.draw_distance_matrix(tree, n_clusters=2)
    >>> ax.images[0].get_array().shape
    (4, 4)
    """
    check_dendrogram(dendrogram)
    n = dendrogram.n_objects
    drawn = dendrogram.leaf_order[evenly_spaced(n, max_size)]
    D = distance_pairs(dendrogram, drawn[:, None], drawn, level)
    outlines = [] if n_clusters is None else _cluster_squares(dendrogram, n_clusters)
    ax = new_axes(ax, (5.2, 4.4))
    # Cell edges at object positions, also when a cell stands for many objects.
    image = ax.imshow(np.ma.masked_invalid(D), cmap="mako", extent=(0, n, n, 0), interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label=f"distance ({_level_text(level)})", shrink=0.85)
    ax.add_collection(
        LineCollection(outlines, colors="#ffb000", linewidths=1.4, clip_on=False), autolim=False
    )
    _whole_ticks(ax.xaxis, ax.yaxis)
    ax.set(xlabel="objects in leaf order", ylabel="objects in leaf order")
    ax.set_title(
        "Distances" if n <= max_size else f"Distances of {len(drawn)} objects spread evenly over {n:,}"
    )
    return ax


def draw_levels(dendrogram, *, kinds=LEVELS, ax=None):
    """Draw level functions over the merges, each divided by its value at the root.

    Parameters
    ----------
    dendrogram : Dendrogram
    kinds : sequence of str
        Level functions by name, as for `level_function`.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from dendrolab import Dendrogram, plots
    >>> tree = Dendrogram.from_data([[0.0], [1.0], [5.0], [5.5]], linkage="single")
    >>> ax = plots.draw_levels(tree, kinds=("level", "linkage"))
    >>> ax.lines[0].get_ydata()
    array([0.5, 0.5, 1. ])
    """
    check_dendrogram(dendrogram)
    n = dendrogram.n_objects
    values = {kind: level_function(dendrogram, kind)[n:] for kind in kinds}
    ax = new_axes(ax)
    size = np.clip(300 / n, 1.5, 5)
    for k, (kind, f) in enumerate(values.items()):
        f = f / (f[np.isfinite(f)].max(initial=0) or 1)
        grows = bool(np.all(f[1:] >= f[:-1]))  # a line through values that jump would be a tangle
        style = {"lw": 1.0 if grows else 0, "marker": "osD^"[k % 4], "ms": size, "zorder": 3 if grows else 2}
        ax.plot(np.arange(1, n), f, color=PALETTE[k], label=kind, rasterized=n > 2000, **style)
    ax.set(xlabel="merge, in order of height", ylabel="share of the root's value", title="Level functions")
    ax.set(xlim=(0.5 - 0.01 * n, n - 0.5 + 0.01 * n), ylim=(-0.02, 1.04))
    _whole_ticks(ax.xaxis)
    ax.legend(frameon=False, markerscale=5 / size, loc="upper left", bbox_to_anchor=(1, 1))
    sns.despine(ax=ax)
    return ax


def _add_lines(ax, layout, colors):
    lines = LineCollection(layout.segments, colors=colors, linewidths=1.3, capstyle="projecting")
    lines.set_rasterized(len(layout.segments) > 5000)
    ax.add_collection(lines, autolim=False)
    top = layout.segments[:, :, 1].max(initial=0) or 1
    ax.set(xlim=(-0.7, len(layout.leaves) - 0.3), ylim=(0, 1.05 * top))


def _name_leaves(ax, texts):
    """Names under the leaves, as large as the width allows; none where they would be too small to read."""
    points = ax.get_window_extent().width * 72 / ax.figure.dpi / len(texts)
    if points < 5:
        ax.set_xticks([])
        return
    short = [text if len(text) <= 18 else f"{text[:8]}…{text[-9:]}" for text in texts]
    across = max(map(len, short)) * 0.7 * 8 < points
    ax.set_xticks(range(len(short)), short, rotation=0 if across else 90, fontsize=min(points, 8))
    ax.tick_params(axis="x", length=0)


def _whole_ticks(*axes):
    for axis in axes:
        axis.set_major_locator(MaxNLocator(nbins=7, integer=True))


def _cluster_squares(dendrogram, n_clusters):
    labels = dendrogram.cut(n_clusters=n_clusters)[dendrogram.leaf_order]
    ends = np.concatenate([[0], np.flatnonzero(np.diff(labels)) + 1, [labels.size]])
    return [[(a, a), (a, b), (b, b), (b, a), (a, a)] for a, b in pairwise(ends)]


def _level_text(level):
    return _LEVEL_TEXT[level] if isinstance(level, str) else "level"


def _count_text(n, n_leaves):
    return f"{n:,} objects" if n_leaves == n else f"{n:,} objects, (m) stands for m of them"


def _tree_title(dendrogram):
    return f"{dendrogram.linkage} linkage" if dendrogram.linkage else "dendrogram"
