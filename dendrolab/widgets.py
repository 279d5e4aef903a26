"""Panels for notebooks: controls that redraw a figure.

Each panel calls a ``show_*`` function, which draws one figure from its arguments alone and can be used
without the panel. What a panel computed last is in its ``result``; an error is shown as text in its place.
"""

from base64 import b64encode
from functools import partial
from html import escape
from io import BytesIO

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np

from . import plots
from .dendrogram import Dendrogram
from .distances import distance_pairs
from .embedding import embed_dendrogram
from .levels import LEVELS
from .linkage import LINKAGES
from .minimax import minimax_dendrogram
from .palette import PALETTE


def show_tree(X, linkage="average", level="level", n_clusters=3, metric="euclidean"):
    """Draw a dendrogram, its distances, and the objects, coloured by the tree's clusters.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        Two columns are drawn as they are, other data by the first two dimensions of the tree's embedding.
    linkage : str
        As for `Dendrogram.from_data`.
    level : str
        The level function of the tree's axis and of the distances.
    n_clusters : int
    metric : str
        As for `Dendrogram.from_data`.

    Returns
    -------
    matplotlib.figure.Figure
        Closed for pyplot, so that a notebook shows it once.

    Examples
    --------
    >>> from dendrolab import widgets
    >>> figure = widgets.show_tree([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0]], "single", n_clusters=2)
    >>> [ax.get_title() for ax in figure.axes[:3]]
    ['single linkage', 'Distances', '2 clusters']
    """
    return _step_tree(X, metric, linkage, level, n_clusters)[0]


def show_level(X, level="level", linkage="average", metric="euclidean"):
    """Draw the distances of a level function, their spectrum and their embedding.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
    level : str
    linkage, metric : str
        As for `Dendrogram.from_data`.

    Returns
    -------
    matplotlib.figure.Figure
        Closed for pyplot, so that a notebook shows it once.

    Examples
    --------
    >>> from dendrolab import widgets
    >>> figure = widgets.show_level([[0.0], [1.0], [5.0]], "size")
    >>> figure.axes[0].get_title()
    'Distances'
    """
    return _step_level(X, metric, linkage, level)[0]


def show_minimax(X, i, j):
    """Draw the Minimax path of two objects, and the single linkage tree with their distance as a line.

    Parameters
    ----------
    X : array-like of shape (n, 1) or (n, 2)
    i, j : int

    Returns
    -------
    matplotlib.figure.Figure
        Closed for pyplot, so that a notebook shows it once.

    Examples
    --------
    >>> from dendrolab import widgets
    >>> figure = widgets.show_minimax([[0.0, 0.0], [1.0, 0.0], [1.0, 3.0]], 0, 2)
    >>> figure.axes[0].get_title()
    'Minimax 3, direct 3.16'
    """
    return _step_minimax(X, i, j)[0]


class Panel(widgets.VBox):
    """Controls over a figure that follows them.

    The figure is a picture inside the panel, not captured output: captured output makes notebook runners
    wait for messages that can be lost, and strict comparisons of outputs fail on it.

    Parameters
    ----------
    step : callable
        Takes the controls' values by name; returns a figure and a result.
    **controls : ipywidgets.Widget

    Attributes
    ----------
    children : tuple
        The controls, in order, then the figure.
    result : object
        What the last step returned; None where the setting cannot be drawn, which the panel then says.
    """

    def __init__(self, step, **controls):
        self._step, self._controls, self._figure = step, controls, widgets.HTML()
        super().__init__([*controls.values(), self._figure])
        for control in controls.values():
            control.observe(self.update, names="value")
        self.update()

    def update(self, change=None):
        """Draw the figure anew from the controls' values."""
        try:
            figure, self.result = self._step(**{name: c.value for name, c in self._controls.items()})
            self._figure.value = _as_html(figure)
        except (ValueError, MemoryError) as error:
            self.result = None
            self._figure.value = f"<b>This setting cannot be drawn:</b> {escape(str(error))}"


def _as_html(figure):
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=80)
    data = b64encode(picture.getvalue()).decode("ascii")
    titles = "; ".join(filter(None, (ax.get_title() for ax in figure.axes)))
    return f'<img alt="{escape(titles)}" src="data:image/png;base64,{data}">'


def tree_panel(X, *, linkages=LINKAGES, levels=LEVELS, max_clusters=10, metric="euclidean"):
    """Panel of `show_tree`; its ``result`` is the labels of the cut.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
    linkages, levels : sequence of str
        What the menus offer.
    max_clusters : int
        Where the slider ends.
    metric : str

    Returns
    -------
    Panel
        Its children are the linkage, the level function, the number of clusters, and the figure.

    Examples
    --------
    In a notebook::

        panel = widgets.tree_panel(X)
        panel.children[2].value = 4  # clusters, as the slider does
        panel.result  # labels of the four clusters
    """
    top = min(max_clusters, np.shape(X)[0])
    return Panel(
        partial(_step_tree, X, metric),
        linkage=widgets.Dropdown(options=linkages, description="linkage"),
        level=widgets.Dropdown(options=levels, description="level"),
        n_clusters=_slider("clusters", 1, top, min(3, top)),
    )


def level_panel(X, *, levels=LEVELS, linkage="average", metric="euclidean"):
    """Panel of `show_level`; its ``result`` is the leading eigenvalues.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
    levels : sequence of str
        What the menu offers.
    linkage, metric : str

    Returns
    -------
    Panel
        Its children are the level function and the figure.

    Examples
    --------
    In a notebook::

        panel = widgets.level_panel(X)
        panel.children[0].value = "size"
        panel.result  # eigenvalues
    """
    menu = widgets.Dropdown(options=levels, description="level")
    return Panel(partial(_step_level, X, metric, linkage), level=menu)


def minimax_panel(X):
    """Panel of `show_minimax`; its ``result`` is the Minimax distance.

    Parameters
    ----------
    X : array-like of shape (n, 1) or (n, 2)

    Returns
    -------
    Panel
        Its children are the two objects and the figure.

    Examples
    --------
    In a notebook::

        panel = widgets.minimax_panel(X)
        panel.children[1].value = 7
        panel.result  # distance of objects 0 and 7
    """
    last = np.shape(X)[0] - 1
    return Panel(partial(_step_minimax, X), i=_slider("i", 0, last, 0), j=_slider("j", 0, last, last))


def _step_tree(X, metric, linkage, level, n_clusters):
    tree = Dendrogram.from_data(X, linkage, metric)
    labels = tree.cut(n_clusters=n_clusters)
    figure, (left, middle, right) = _new_figure([1.5, 1, 1])
    plots.draw_dendrogram(tree, n_clusters=n_clusters, max_leaves=40, level=level, ax=left)
    plots.draw_distance_matrix(tree, level=level, n_clusters=n_clusters, ax=middle)
    if np.shape(X)[1:] == (2,) and metric != "precomputed":
        plots.draw_points(X, labels=labels, ax=right)
    else:
        plots.draw_embedding(embed_dendrogram(tree, level, 2).coordinates, labels=labels, ax=right)
    right.set_title(f"{n_clusters} cluster{'s' * (n_clusters > 1)}")
    return figure, labels


def _step_level(X, metric, linkage, level):
    tree = Dendrogram.from_data(X, linkage, metric)
    embedding = embed_dendrogram(tree, level, min(10, tree.n_objects))
    figure, (left, middle, right) = _new_figure([1, 1, 1])
    plots.draw_distance_matrix(tree, level=level, ax=left)
    plots.draw_spectrum(embedding, ax=middle)
    plots.draw_embedding(embedding.coordinates, ax=right)
    return figure, embedding.eigenvalues


def _step_minimax(X, i, j):
    tree = minimax_dendrogram(X)
    distance = float(distance_pairs(tree, i, j, "linkage"))
    figure, (left, right) = _new_figure([1.2, 1])
    plots.draw_minimax_path(X, i, j, ax=left)
    plots.draw_dendrogram(tree, max_leaves=40, ax=right)
    right.axhline(distance, color=PALETTE[3], lw=2)
    return figure, distance


def _slider(description, low, high, value):
    return widgets.IntSlider(value=value, min=low, max=high, description=description, continuous_update=False)


def _new_figure(widths):
    """Figure of axes side by side that pyplot does not keep: the caller shows it."""
    figure, axes = plt.subplots(1, len(widths), figsize=(13, 4), layout="constrained", width_ratios=widths)
    plt.close(figure)
    return figure, axes
