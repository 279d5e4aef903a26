"""Figures of ensembles: a signed graph with its clusters, and how often objects are put together."""

from itertools import pairwise

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from scipy import sparse

from .correlation import check_cluster_labels, in_order_of_appearance
from .labelings import check_labelings
from .palette import INK, PALETTE, cluster_colors, new_axes, object_names
from .signed_graph import check_signed_matrix
from .tree_drawing import evenly_spaced

_MOST_NODES = 60
_POSITIVE, _NEGATIVE = PALETTE[0], PALETTE[3]
_FAINT = 0.18


def draw_signed_graph(S, *, labels=None, positions=None, names=None, ax=None):
    """Draw a small signed graph: positive pairs full, negative ones dashed, wider for larger weights.

    Parameters
    ----------
    S : array-like or sparse matrix of shape (n, n)
        As for `correlation_cost`, of at most 60 objects.
    labels : array-like of shape (n,), optional
        A clustering: it colours the objects, and lines that cost nothing become faint.
    positions : array-like of shape (n, 2), optional
        Where the objects are; a circle if not given, with clusters side by side.
    names : sequence of str, optional
        One for each object; their numbers otherwise.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from dendrolab.ensemble_plots import draw_signed_graph
    >>> S = [[0, 1, -1], [1, 0, -1], [-1, -1, 0]]
    >>> draw_signed_graph(S, labels=[0, 0, 0]).get_title()
    'cost 2'
    """
    S = check_signed_matrix(S)
    S = S.toarray() if sparse.issparse(S) else S
    n = len(S)
    if n > _MOST_NODES:
        raise ValueError(f"S has {n} objects and a graph is legible up to {_MOST_NODES}: draw a part of it.")
    i, j = np.triu_indices(n, 1)
    weights = S[i, j]
    codes = np.zeros(n, int) if labels is None else check_cluster_labels(labels, n)
    xy = _circle(codes) if positions is None else np.asarray(positions, dtype=np.float64)
    if xy.shape != (n, 2):
        raise ValueError(
            f"positions has shape {xy.shape}: give a row of two numbers for each of {n} objects."
        )
    costs = np.where(codes[i] == codes[j], np.maximum(-weights, 0), np.maximum(weights, 0))
    ax = new_axes(ax, (5.2, 4.4))
    loud = np.ones(weights.size, dtype=bool) if labels is None else costs > 0
    _draw_pairs(ax, np.stack([xy[i], xy[j]], axis=1), weights, loud)
    _draw_nodes(ax, xy, codes, object_names(names, n))
    if labels is not None:
        ax.set_title(f"cost {costs.sum():.6g}")
    return ax


def draw_coclustering(labelings, *, labels=None, max_size=500, ax=None):
    """Draw the share of clusterings that put two objects together.

    Parameters
    ----------
    labelings : array-like of shape (M, n)
        As for `coclustering_matrix`.
    labels : array-like of shape (n,), optional
        A clustering that orders the objects and is outlined, such as the consensus. The first of the
        labelings orders them if it is not given.
    max_size : int
        With more objects, this many are drawn, evenly spaced.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from dendrolab.ensemble_plots import draw_coclustering
    >>> ax = draw_coclustering([[0, 0, 1], [0, 0, 0]], labels=[0, 0, 1])
    >>> ax.images[0].get_array().tolist()
    [[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]]
    """
    codes = check_labelings(labelings)
    n = codes.shape[1]
    clusters = codes[0] if labels is None else in_order_of_appearance(check_cluster_labels(labels, n))
    order = np.lexsort([*codes[::-1], clusters])
    drawn = order[evenly_spaced(n, max_size)]
    ax = new_axes(ax, (5.2, 4.4))
    share = _share_together(codes[:, drawn])
    image = ax.imshow(share, cmap="mako_r", vmin=0, vmax=1, extent=(0, n, n, 0), interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label="share of members that put two together", shrink=0.85)
    if labels is not None:
        ends = pairwise([0, *np.cumsum(np.bincount(clusters))])
        squares = [[(a, a), (a, b), (b, b), (b, a), (a, a)] for a, b in ends]
        ax.add_collection(LineCollection(squares, colors="#ffb000", linewidths=1.4, clip_on=False), False)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=7, integer=True))
    ax.set(xlabel="objects, by cluster", ylabel="objects, by cluster")
    ax.set_title(f"{len(codes)} members" + (f", {len(drawn)} of {n:,} objects" if n > max_size else ""))
    return ax


def _share_together(codes):
    """Share of the members that put a pair together, of those that have seen both objects."""
    together, seen = np.zeros((2, codes.shape[1], codes.shape[1]))
    for code in codes:
        both = np.logical_and.outer(code >= 0, code >= 0)
        seen += both
        together += both & np.equal.outer(code, code)
    return np.ma.masked_array(together, seen == 0) / seen


def _circle(codes):
    """Points on a circle in the order of their clusters."""
    n = codes.size
    xy = np.empty((n, 2))
    angle = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    xy[np.argsort(codes, kind="stable")] = np.column_stack([np.cos(angle), np.sin(angle)])
    return xy


def _draw_pairs(ax, segments, weights, loud):
    widest = np.abs(weights).max(initial=0) or 1
    for positive, color, style in ((True, _POSITIVE, "-"), (False, _NEGATIVE, (0, (4, 3)))):
        for strong in (False, True):
            shown = (weights != 0) & ((weights > 0) == positive) & (loud == strong)
            ax.add_collection(
                LineCollection(
                    segments[shown], colors=color, linestyles=[style], alpha=1 if strong else _FAINT,
                    linewidths=0.5 + 2.5 * np.abs(weights[shown]) / widest, zorder=1 + strong,
                )
            )  # fmt: skip
    handles = [
        Line2D([], [], color=_POSITIVE, label="together"),
        Line2D([], [], color=_NEGATIVE, ls="--", label="apart"),
    ]
    ax.legend(handles=handles, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))


def _draw_nodes(ax, xy, codes, texts):
    ax.scatter(*xy.T, c=cluster_colors(codes), s=260, edgecolors=INK, linewidths=0.8, zorder=4, clip_on=False)
    for place, text in zip(xy, texts, strict=True):
        ax.text(
            *place, text, ha="center", va="center", color="white", fontsize=8, fontweight="bold", zorder=5
        )
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.12)
    ax.set_axis_off()
