"""The table of two layers as an annotated heat map."""

import numpy as np
import seaborn as sns
from matplotlib.patches import Rectangle

from .palette import INK, PALETTE, new_axes
from .stacking_tables import ALONE


def draw_stacking(table, *, score="ami", ax=None):
    """Draw the score of every pair of layers; the best is outlined.

    Parameters
    ----------
    table : DataFrame
        Of `stacking_table`, for one clusterer; repeated pairs are averaged.
    score : str
        The column to draw; larger is better.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        First layers are rows, second layers columns. Where the table has single layers, they are the column
        left of the line.

    Examples
    --------
    >>> import pandas as pd
    >>> from dendrolab.stacking_plots import draw_stacking
    >>> table = pd.DataFrame({"first": "ward", "second": ["-", "single"], "ami": [0.3, 0.5]})
    >>> [text.get_text() for text in draw_stacking(table).texts]
    ['0.300', '0.500']
    """
    cells = _cells(table, score)
    ax = new_axes(ax, (1.8 + 0.95 * cells.shape[1], 1.2 + 0.45 * cells.shape[0]))
    sns.heatmap(cells, annot=True, fmt=".3f", cmap="Blues", cbar=False, linewidths=1, ax=ax)
    if cells.columns[0] == ALONE:
        ax.axvline(1, color=INK, lw=2)
        ax.set_xticklabels(["alone", *cells.columns[1:]])
    # As written: of equal scores the simpler stack, not the larger rounding error.
    row, column = divmod(int(np.nanargmax(cells.round(3).to_numpy())), cells.shape[1])
    ax.add_patch(Rectangle((column, row), 1, 1, fill=False, ec=PALETTE[3], lw=3, clip_on=False, zorder=3))
    ax.tick_params(axis="y", rotation=0)
    ax.tick_params(length=0)
    ax.set(xlabel="second layer", ylabel="first layer", title=_title(table, score))
    return ax


def _cells(table, score):
    missing = [name for name in ("first", "second", score) if name not in table]
    if missing:
        raise ValueError(f"the table has no column {missing[0]!r}: it has {', '.join(map(str, table))}.")
    names = _clusterers(table)
    if len(names) > 1:
        raise ValueError(
            f"the table has {len(names)} clusterers ({', '.join(names)}): draw one at a time, such as "
            f"table[table.clusterer == {names[0]!r}]."
        )
    if table[score].isna().all():
        raise ValueError(f"column {score!r} of the table holds no score at all.")
    cells = table.pivot_table(index="first", columns="second", values=score, sort=False, dropna=False)
    return cells[sorted(cells.columns, key=lambda name: name != ALONE)]


def _clusterers(table):
    return table["clusterer"].unique().tolist() if "clusterer" in table else []


def _title(table, score):
    return " ".join([score, *(f"({name})" for name in _clusterers(table))])
