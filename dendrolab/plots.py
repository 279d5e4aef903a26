"""Figures: each function draws on the axes it is given, or on new ones, and returns them.

Cluster k has the same colour in every figure. Figures stay legible from 2 to 100,000 objects: large trees
and matrices are cut short, which the figure says.
"""

import numpy as np
import seaborn as sns
from matplotlib.patches import Rectangle
from matplotlib.ticker import PercentFormatter

from .palette import INK, PALETTE, new_axes, object_names
from .point_plots import draw_cluster_comparison, draw_embedding, draw_minimax_path, draw_points
from .tree_plots import draw_dendrogram, draw_distance_matrix, draw_levels

__all__ = [
    "draw_cluster_comparison",
    "draw_dendrogram",
    "draw_distance_matrix",
    "draw_embedding",
    "draw_levels",
    "draw_minimax_path",
    "draw_outliers",
    "draw_points",
    "draw_scores",
    "draw_spectrum",
]

_POSITIVE, _NEGATIVE = PALETTE[0], PALETTE[3]


def draw_spectrum(embedding, *, max_components=30, ax=None):
    """Draw the eigenvalues of an embedding, and the share that the leading ones explain together.

    Parameters
    ----------
    embedding : Embedding
        Of `embed_dendrogram` or `embed_distances`.
    max_components : int
        Of a longer spectrum, the eigenvalues largest in size are drawn.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        Of the bars; the share is on a second vertical axis.

    Examples
    --------
    >>> from dendrolab import Dendrogram, embed_dendrogram, plots
    >>> tree = Dendrogram.from_data([[0.0], [1.0], [5.0]], linkage="single")
    >>> ax = plots.draw_spectrum(embed_dendrogram(tree))
    >>> len(ax.patches)
    2
    """
    values = embedding.eigenvalues
    shown = np.sort(np.argsort(-np.abs(values), kind="stable")[:max_components])
    share = np.cumsum(np.maximum(values, 0))[shown] / (embedding.total or 1)
    # A space where some are left out.
    x = np.arange(shown.size) + np.cumsum(np.diff(shown, prepend=shown[0]) > 1)
    ax = new_axes(ax)
    ax.bar(x, values[shown], color=np.where(values[shown] < 0, _NEGATIVE, _POSITIVE))
    every = -(-shown.size // 15)
    ax.set_xlim(-0.8, max(x[-1], 4) + 0.8)
    ax.set_xticks(x[::every], shown[::every] + 1)
    ax.set(xlabel="component", ylabel="eigenvalue", title=_spectrum_title(shown.size, values.size))
    right = ax.twinx()
    right.plot(x, share, "o-", color=INK, ms=3, lw=1)
    right.set(ylim=(0, 1.05), ylabel="explained share, cumulative")
    right.yaxis.set_major_formatter(PercentFormatter(1))
    sns.despine(ax=ax)
    sns.despine(ax=right, right=False)
    return ax


def draw_outliers(scores, *, names=None, top=15, ax=None):
    """Draw the highest outlier scores.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Such as those of `outlier_scores`.
    names : sequence of str, optional
        One for each object; their numbers otherwise.
    top : int
        How many to draw, the highest on top.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from dendrolab import plots
    >>> ax = plots.draw_outliers([0.1, 0.9, 0.5], names=["a", "b", "c"], top=2)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['b', 'c']
    """
    scores = np.asarray(scores, dtype=np.float64)
    names = object_names(names, scores.size)
    shown = np.argsort(-scores, kind="stable")[:top]
    ax = new_axes(ax, (6.4, 1.2 + 0.22 * shown.size))
    bars = ax.barh(np.arange(shown.size), scores[shown], color=_POSITIVE)
    ax.bar_label(bars, fmt="%.3g", padding=3, fontsize=8)
    ax.set_yticks(np.arange(shown.size), [name[:30] for name in names[shown]])
    ax.invert_yaxis()
    ax.margins(x=0.1)
    title = f"Highest {shown.size} of {scores.size:,}" if shown.size < scores.size else "Outlier scores"
    ax.set(xlabel="outlier score", ylabel="object", title=title)
    sns.despine(ax=ax)
    return ax


def draw_scores(table, *, score="ami", ax=None):
    """Draw a score for each pair of representation and clusterer; the best is outlined.

    Parameters
    ----------
    table : DataFrame
        Tidy, with columns ``representation``, ``clusterer`` and the score; repeated pairs are averaged.
    score : str
        The column to draw; larger is better.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import pandas as pd
    >>> from dendrolab import plots
    >>> table = pd.DataFrame({"representation": ["raw", "single"], "clusterer": "kmeans", "ami": [0.2, 0.7]})
    >>> ax = plots.draw_scores(table)
    >>> [text.get_text() for text in ax.texts]
    ['0.200', '0.700']
    """
    missing = [name for name in ("representation", "clusterer", score) if name not in table]
    if missing:
        raise ValueError(f"the table has no column {missing[0]!r}: it has {', '.join(map(str, table))}.")
    if table[score].isna().all():
        raise ValueError(f"column {score!r} of the table holds no score at all.")
    cells = table.pivot_table(
        index="representation", columns="clusterer", values=score, sort=False, dropna=False
    )
    ax = new_axes(ax, (1.8 + 1.1 * cells.shape[1], 1.2 + 0.36 * cells.shape[0]))
    sns.heatmap(cells, annot=True, fmt=".3f", cmap="Blues", cbar=False, linewidths=1, ax=ax)
    row, column = divmod(int(np.nanargmax(cells.to_numpy())), cells.shape[1])
    ax.add_patch(Rectangle((column, row), 1, 1, fill=False, ec=_NEGATIVE, lw=3, clip_on=False))
    ax.tick_params(axis="y", rotation=0)
    ax.tick_params(length=0)
    ax.set(title=score)
    return ax


def _spectrum_title(shown, total):
    return "Spectrum" if shown == total else f"Spectrum, {shown} of {total:,} components"
