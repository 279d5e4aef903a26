"""A panel that picks the layer sizes of HMKC."""

import warnings
from functools import partial

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np

from .hmkc import HMKC
from .hmkc_plots import draw_kernel_weights, draw_similarity
from .kernel_checks import check_kernels
from .metrics import partition_scores
from .palette import PALETTE
from .widgets import Panel

NO_LAYER = "no layer"
_MULTIPLES = (2, 3, 4, 6, 8, 12, 16, 20)


def show_layers(kernels, layer_sizes, y=None, n_clusters=None, random_state=0):
    """Draw what HMKC's layers and partition see, the kernel weights, and the objective round by round.

    Parameters
    ----------
    kernels : array-like of shape (m, n, n), or list of ndarray
        As they are; see `prepare_kernels`.
    layer_sizes : sequence of int
        As for `HMKC`.
    y : array-like of shape (n,), optional
        Known classes: they order the objects and score the clusters. The clusters order them otherwise.
    n_clusters : int, optional
        The number of classes if not given.
    random_state : int, RandomState or None

    Returns
    -------
    matplotlib.figure.Figure
        Closed for pyplot, so that a notebook shows it once. The images are means over the kernels, of the
        kernels themselves and of the projections H H^T of each layer.

    Examples
    --------
    >>> from dendrolab.hmkc_widgets import show_layers
    >>> from dendrolab.kernels import kernel_family, prepare_kernels
    >>> kernels = prepare_kernels(kernel_family([[0.0], [1.0], [2.0], [9.0], [9.5]]))
    >>> [ax.get_title() for ax in show_layers(kernels, [3], [0, 0, 0, 1, 1]).axes[:3]]
    ['kernels', 'layer 1: 3', 'partition, accuracy 1.00']
    """
    return _step_layers(kernels, y, _number_of_clusters(y, n_clusters), random_state, layer_sizes)[0]


def layers_panel(kernels, y=None, *, n_clusters=None, max_layers=3, random_state=0):
    """Panel of `show_layers`: one menu a layer, with multiples of the number of clusters.

    Parameters
    ----------
    kernels : array-like of shape (m, n, n), or list of ndarray
        Checked once; see `prepare_kernels`.
    y : array-like of shape (n,), optional
    n_clusters : int, optional
    max_layers : int
        How many menus there are.
    random_state : int, RandomState or None

    Returns
    -------
    Panel
        Its children are the menus, from the first layer up, and the figure; its ``result`` is the labels.

    Examples
    --------
    In a notebook::

        panel = layers_panel(kernels, y)
        panel.children[1].value = 20  # a second layer of 20 columns
        panel.result  # labels
    """
    kernels = check_kernels(kernels)
    n_clusters = _number_of_clusters(y, n_clusters)
    sizes = [f * n_clusters for f in _MULTIPLES if f * n_clusters < kernels[0].shape[0]]
    menus = {
        f"layer_{t}": widgets.Dropdown(options=[NO_LAYER, *sizes], description=f"layer {t}")
        for t in range(1, max_layers + 1)
    }
    if sizes:
        menus["layer_1"].value = sizes[min(2, len(sizes) - 1)]
    return Panel(partial(_step_menus, kernels, y, n_clusters, random_state), **menus)


def _number_of_clusters(y, n_clusters):
    if y is None and n_clusters is None:
        raise ValueError("give n_clusters, or y to take the number of classes.")
    return len(np.unique(y)) if n_clusters is None else n_clusters


def _step_menus(kernels, y, n_clusters, random_state, **layers):
    sizes = [size for size in layers.values() if size != NO_LAYER]
    return _step_layers(kernels, y, n_clusters, random_state, sizes)


def _step_layers(kernels, y, n_clusters, random_state, sizes):
    model = HMKC(n_clusters, sizes, random_state=random_state, progress=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(kernels)
    groups = model.labels_ if y is None else y
    figure, upper, (left, right) = _new_figure(len(sizes) + 2)
    images = [_mean(kernels), *(_mean([H @ H.T for H in layer]) for layer in model.intermediate_)]
    titles = ["kernels", *(f"layer {t}: {size}" for t, size in enumerate(sizes, start=1))]
    images.append(model.partition_ @ model.partition_.T)
    titles.append("partition" if y is None else f"partition, accuracy {_accuracy(y, model.labels_):.2f}")
    for image, title, ax in zip(images, titles, upper, strict=True):
        draw_similarity(image, groups, ax=ax).set_title(title)
    draw_kernel_weights(model, ax=left)
    right.plot(np.arange(1, model.n_iter_ + 1), model.objective_history_, "o-", color=PALETTE[0])
    right.set(xlabel="round", ylabel="objective")
    right.locator_params(axis="x", integer=True)
    right.ticklabel_format(axis="y", useOffset=False)
    if caught:
        figure.suptitle("\n".join(str(w.message) for w in caught), fontsize=8, wrap=True)
    return figure, model.labels_


def _mean(matrices):
    return sum(matrices) / len(matrices)


def _accuracy(y, labels):
    return partition_scores(y, labels)["accuracy"]


def _new_figure(n_images):
    """Images in a row over two plots, on a figure that pyplot does not keep."""
    figure = plt.figure(figsize=(2.9 * n_images, 5.2), layout="constrained")
    plt.close(figure)
    top, bottom = figure.subfigures(2, 1, height_ratios=[1.2, 1])
    return figure, top.subplots(1, n_images), bottom.subplots(1, 2)
