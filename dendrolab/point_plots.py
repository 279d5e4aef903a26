"""Figures of objects as points: data, embeddings, Minimax paths, clusterings side by side."""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from scipy import sparse

from .minimax_paths import minimax_tree
from .palette import GREY, INK, PALETTE, cluster_colors, label_codes, new_axes, object_names
from .validation import check_data

_MAX_NAMES = 60
_MAX_LEGEND = 10


def draw_points(X, *, labels=None, ax=None):
    """Draw data of one or two columns.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n, 1) or (n, 2)
    labels : sequence, optional
        Numbers or text that choose the colours; gaps (None, NaN) are grey.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from dendrolab import plots
    >>> ax = plots.draw_points([[0.0, 1.0], [2.0, 3.0]], labels=["a", "b"])
    """
    axis_names = [str(c) for c in getattr(X, "columns", ["x1", "x2"])]
    xy = _plane(X)
    return _scatter(ax, xy, labels, axis_names[: np.shape(X)[1]])


def draw_embedding(coordinates, *, labels=None, names=None, ax=None):
    """Draw the first two dimensions of an embedding.

    Parameters
    ----------
    coordinates : array-like of shape (n, n_components)
        Such as ``embed_dendrogram(tree).coordinates``; a single dimension is drawn as a strip.
    labels : sequence, optional
        Numbers or text that choose the colours; gaps (None, NaN) are grey.
    names : sequence of str, optional
        Written beside the points where they do not overlap, and not beyond 60 points.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from dendrolab import Dendrogram, embed_dendrogram, plots
    >>> tree = Dendrogram.from_data([[0.0], [1.0], [5.0], [5.5]], linkage="single")
    >>> ax = plots.draw_embedding(embed_dendrogram(tree).coordinates, labels=tree.cut(n_clusters=2))
    """
    coordinates = check_data(coordinates, "coordinates")
    xy = _plane(coordinates[:, :2])
    texts = None if names is None else object_names(names, len(xy))
    ax = _scatter(ax, xy, labels, ["component 1", "component 2"][: coordinates.shape[1]])
    if texts is not None and len(xy) <= _MAX_NAMES:
        _write_names(ax, xy, texts)
    return ax


def draw_minimax_path(X, i, j, *, names=None, ax=None):
    """Draw the path that realises the Minimax distance of two objects, on the minimum spanning tree.

    Parameters
    ----------
    X : array-like of shape (n, 1) or (n, 2)
    i, j : int
        The two objects.
    names : sequence of str, optional
        One for each object, written beside the two; their numbers otherwise.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    See Also
    --------
    minimax_path : the path as numbers.

    Notes
    -----
    The largest step on the tree path between i and j is their Minimax distance (Euclidean).

    Examples
    --------
    >>> from dendrolab import plots
    >>> ax = plots.draw_minimax_path([[0.0, 0.0], [1.0, 0.0], [1.0, 3.0]], 0, 2)
    >>> ax.get_title()
    'Minimax 3, direct 3.16'
    """
    xy = _plane(X)
    texts = object_names(names, len(xy))
    tree = minimax_tree(xy)
    path = tree.path(i, j)
    steps, ends = xy[path.nodes], xy[path.nodes[[0, -1]]]
    ax = _scatter(ax, xy, None, ["x1", "x2"])
    ax.collections[-1].set_facecolor(GREY)
    ax.add_collection(
        LineCollection(xy[tree.edges], colors=GREY, linewidths=0.7, label="spanning tree", zorder=0)
    )
    ax.plot(*ends.T, "--", color=INK, lw=1, label="direct", zorder=1)
    ax.plot(*steps.T, color=PALETTE[0], lw=2.5, label="path", zorder=2)
    if path.steps.size:
        k = int(path.steps.argmax())
        ax.plot(*steps[k : k + 2].T, color=PALETTE[3], lw=5, label="largest step", zorder=2)
    ax.plot(*ends.T, "o", color=INK, ms=7, zorder=6)
    for k in {i, j}:
        ax.annotate(texts[k], xy[k], xytext=(6, 6), textcoords="offset points", fontweight="bold", zorder=7)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_title(f"Minimax {path.distance:.3g}, direct {np.linalg.norm(ends[1] - ends[0]):.3g}")
    _legend(ax)
    return ax


def draw_cluster_comparison(X, labelings):
    """Draw the same points once for each clustering.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n, 1) or (n, 2)
    labelings : dict of str to sequence
        Labels of each clustering under its name.

    Returns
    -------
    list of matplotlib.axes.Axes
        One for each clustering.

    Examples
    --------
    >>> from dendrolab import plots
    >>> labelings = {"k-means": [0, 0, 1], "GMM": [0, 1, 1]}
    >>> axes = plots.draw_cluster_comparison([[0, 0], [1, 1], [5, 5]], labelings)
    >>> [ax.get_title() for ax in axes]
    ['k-means', 'GMM']
    """
    if not labelings:
        raise ValueError("labelings is empty: give at least one clustering, as {name: labels}.")
    xy = _plane(X)
    for labels in labelings.values():
        label_codes(labels, len(xy))
    columns = min(len(labelings), 4)
    rows = -(-len(labelings) // columns)
    _, axes = plt.subplots(
        rows, columns, figsize=(3 * columns, 2.8 * rows), layout="constrained", squeeze=False,
        sharex=True, sharey=True,
    )  # fmt: skip
    for ax in axes.flat[len(labelings) :]:
        ax.remove()
    for ax, (name, labels) in zip(axes.flat, labelings.items(), strict=False):
        _scatter(ax, xy, labels, [], legend=False)
        ax.set(title=name, xticks=[], yticks=[])
    return list(axes.flat[: len(labelings)])


def _plane(X):
    """Two columns of a table of one or two; a strip gets zeros."""
    X = check_data(X)
    X = X.toarray() if sparse.issparse(X) else X
    if X.shape[1] > 2:
        raise ValueError(
            f"X has {X.shape[1]} columns and a figure has two: pick two, or draw an embedding "
            "with draw_embedding(embed_dendrogram(tree).coordinates)."
        )
    return X if X.shape[1] == 2 else np.column_stack([X, np.zeros(len(X))])


def _scatter(ax, xy, labels, axis_names, legend=True):
    n = len(xy)
    codes, texts = (np.zeros(n, int), {}) if labels is None else label_codes(labels, n)
    ax = new_axes(ax)
    ax.scatter(
        *xy.T, c=cluster_colors(codes), s=np.clip(6000 / n, 3, 28), linewidths=0.3 if n < 1000 else 0,
        edgecolors="white", rasterized=n > 2000, zorder=3,
    )  # fmt: skip
    ax.set(**dict(zip(("xlabel", "ylabel"), axis_names, strict=False)))
    if len(axis_names) == 1:
        ax.set_yticks([])
    if legend and 1 <= len(texts) <= _MAX_LEGEND:
        _label_legend(ax, texts, gaps=(codes < 0).any())
    sns.despine(ax=ax)
    return ax


def _write_names(ax, xy, texts):
    ax.autoscale_view()
    pixels = ax.transData.transform(xy) * 72 / ax.figure.dpi
    written = []
    for text, place, (x, y) in zip(texts, xy, pixels, strict=True):
        if all(abs(y - b) > 8 or abs(x - a) > 5 * max(len(text), length) for a, b, length in written):
            ax.annotate(text, place, xytext=(3, 3), textcoords="offset points", fontsize=7, color=INK)
            written.append((x, y, len(text)))


def _label_legend(ax, texts, gaps):
    entries = [(text, cluster_colors(code)) for code, text in texts.items()]
    if gaps:
        entries.append(("no label", GREY))
    ax.legend(
        [Line2D([], [], marker="o", lw=0, color=str(color)) for _, color in entries],
        [text for text, _ in entries],
        frameon=False, loc="upper left", bbox_to_anchor=(1, 1), handletextpad=0.1,
    )  # fmt: skip


def _legend(ax):
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
