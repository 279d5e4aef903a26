"""A panel that puts dendrograms on top of each other, one at a time."""

from functools import partial
from itertools import accumulate

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.decomposition import PCA

from . import plots
from .clusterers import kmeans_labels
from .features import stack_features
from .metrics import partition_scores
from .representations import PAPER_LINKAGES
from .validation import check_data, is_whole_number
from .widgets import Panel

NO_LAYER = "no layer"


def show_stack(X, linkages=("ward", "single"), y=None, n_clusters=None, level="level", n_components=None):
    """Draw the objects and the distances after each layer of a stack, with k-means' score.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        Two columns are drawn as they are, more by their first two principal components.
    linkages : sequence of str
        One a layer, from the data up; none draws the data alone.
    y : sequence, optional
        Known classes: they choose the colours and score k-means. Without them the colours are the clusters
        of the last layer.
    n_clusters : int, optional
        Of k-means on each layer's features. The number of classes, or 3 without classes.
    level : str or callable
        Level function of all layers, as for `level_function`.
    n_components : int or float, optional
        Directions that each layer keeps, or the share of the spectrum that they hold.

    Returns
    -------
    matplotlib.figure.Figure
        Closed for pyplot, so that a notebook shows it once.

    Examples
    --------
    >>> from dendrolab.stacking_widgets import show_stack
    >>> figure = show_stack([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0], [6.0, 0.0]], ["ward"], y=[0, 0, 1, 1])
    >>> [ax.get_title() for ax in figure.axes[:2]]
    ['data, AMI 1.00', '1: ward, AMI 1.00']
    """
    return _step_stack(X, y, n_clusters, level, n_components, linkages)[0]


def stack_panel(X, y=None, *, n_clusters=None, max_layers=3, linkages=PAPER_LINKAGES, level="level"):
    """Panel of `show_stack`: one menu a layer adds, changes or removes it.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
    y : sequence, optional
    n_clusters : int, optional
    max_layers : int
        How many menus there are.
    linkages : sequence of str
        What the menus offer beside "no layer".
    level : str

    Returns
    -------
    Panel
        Its children are the menus, from the first layer up, the share of the spectrum that each layer keeps
        (1 for all), and the figure; its ``result`` is k-means' labels on the last layer.

    Examples
    --------
    In a notebook::

        panel = stack_panel(X, y)
        panel.children[1].value = "ward"  # a second layer
        panel.children[1].value = "no layer"  # and away with it
        panel.result  # labels
    """
    menus = {f"layer_{k}": _menu(k, linkages) for k in range(1, max_layers + 1)}
    menus["layer_1"].value = linkages[0]
    share = widgets.FloatSlider(
        value=1, min=0.1, max=1, step=0.1, description="share kept", continuous_update=False
    )
    return Panel(partial(_step_menus, X, y, n_clusters, level), **menus, share=share)


def _menu(k, linkages):
    return widgets.Dropdown(options=[NO_LAYER, *linkages], description=f"layer {k}")


def _step_menus(X, y, n_clusters, level, share, **layers):
    linkages = [name for name in layers.values() if name != NO_LAYER]
    return _step_stack(X, y, n_clusters, level, None if share == 1 else share, linkages)


def _step_stack(X, y, n_clusters, level, n_components, linkages):
    X = check_data(X)
    if sparse.issparse(X):
        X = X.toarray()
    n_clusters = _number_of_clusters(n_clusters, y, len(X))
    linkages = [linkages] if isinstance(linkages, str) else list(linkages)
    layers = [layer for _, layer in stack_features(linkages, level, n_components).steps] if linkages else []
    features = list(accumulate(layers, lambda rows, layer: layer.fit_transform(rows), initial=X))
    found = [_clusters(rows, n_clusters) for rows in features]
    figure, axes = _new_grid(len(features))
    names = ["data", *(f"{k}: {name}" for k, name in enumerate(linkages, start=1))]
    for name, points, labels, ax in zip(names, [_plane(X), *features[1:]], found, axes[0], strict=True):
        _draw_points(points, found[-1] if y is None else y, ax)
        ax.set_title(name if y is None else f"{name}, AMI {_agreement(y, labels):.2f}")
    axes[1, 0].remove()
    for layer, ax in zip(layers, axes[1, 1:], strict=True):
        plots.draw_distance_matrix(layer.dendrogram_, level=level, ax=ax)
        ax.set(xlabel="", ylabel="", title="")
    return figure, found[-1]


def _number_of_clusters(n_clusters, y, n):
    if y is not None and len(y) != n:
        raise ValueError(f"there are {len(y)} classes y for {n} objects: give one an object.")
    if n_clusters is None:
        n_clusters = min(3, n) if y is None else pd.Series(y).nunique()
    if not (is_whole_number(n_clusters) and 1 <= n_clusters <= n):
        raise ValueError(f"n_clusters is {n_clusters!r}: choose a whole number from 1 to {n}.")
    return n_clusters


def _clusters(rows, n_clusters):
    if n_clusters in (1, len(rows)):
        return np.arange(len(rows)) % n_clusters
    return kmeans_labels(rows, n_clusters, random_state=0)


def _agreement(y, labels):
    known = pd.notna(y)
    return partition_scores(np.asarray(y)[known], labels[known])["ami"]


def _plane(X):
    return PCA(2).fit_transform(X) if X.shape[1] > 2 and len(X) > 1 else X[:, :2]


def _draw_points(points, colors, ax):
    plots.draw_embedding(points, labels=colors, ax=ax)
    if ax.get_legend():
        ax.get_legend().remove()
    ax.set(xlabel="", ylabel="", xticks=[], yticks=[])


def _new_grid(n_columns):
    """Axes of points over axes of distances, on a figure that pyplot does not keep."""
    figure, axes = plt.subplots(
        2, n_columns, figsize=(3.3 * n_columns, 5.6), layout="constrained", squeeze=False
    )
    plt.close(figure)
    return figure, axes
