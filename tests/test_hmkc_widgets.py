"""The layers of HMKC as a figure and as a panel, driven through its menus."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

from dendrolab.hmkc import HMKC
from dendrolab.hmkc_widgets import NO_LAYER, layers_panel, show_layers
from dendrolab.kernels import kernel_family, prepare_kernels


@pytest.fixture(autouse=True)
def no_figure_leaks():
    yield
    assert plt.get_fignums() == []


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    return prepare_kernels(kernel_family(rng.normal(size=(40, 2)) + 9 * y[:, None])), y


def titles(figure):
    return [ax.get_title() for ax in figure.axes if ax.get_title()]


def fitted(kernels, sizes):
    return HMKC(2, sizes, random_state=0).fit(kernels)


@pytest.mark.parametrize("sizes", [[4], [8, 4], [12, 8, 4]])
def test_an_image_for_the_kernels_for_each_layer_and_for_the_partition(data, sizes):
    kernels, y = data
    figure = show_layers(kernels, sizes, y)
    layers = [f"layer {t}: {size}" for t, size in enumerate(sizes, start=1)]
    assert titles(figure) == ["kernels", *layers, "partition, accuracy 1.00"]
    order = np.argsort(y, kind="stable")
    H = fitted(kernels, sizes).partition_[order]
    np.testing.assert_allclose(figure.axes[len(sizes) + 1].images[0].get_array(), H @ H.T)
    first = sum(U @ U.T for U in fitted(kernels, sizes).intermediate_[0])[np.ix_(order, order)]
    np.testing.assert_allclose(figure.axes[1].images[0].get_array(), first / len(kernels))
    figure.canvas.draw()


def test_without_classes_the_clusters_order_the_objects(data):
    kernels, _ = data
    figure = show_layers(kernels, [4], n_clusters=2)
    order = np.argsort(fitted(kernels, [4]).labels_, kind="stable")
    assert titles(figure)[-1] == "partition"
    np.testing.assert_allclose(
        figure.axes[0].images[0].get_array(), kernels.mean(axis=0)[np.ix_(order, order)]
    )


def test_the_objective_is_drawn_round_by_round(data):
    kernels, y = data
    line = show_layers(kernels, [8, 4], y).axes[-1].lines[0]
    np.testing.assert_array_equal(line.get_ydata(), fitted(kernels, [8, 4]).objective_history_)


def test_warnings_are_written_on_the_figure(data, recwarn):
    kernels = prepare_kernels(
        kernel_family(np.random.default_rng(0).normal(size=(30, 2)), {"kernel": "linear"})
    )
    figure = show_layers(kernels, [8], n_clusters=2)
    assert "kernel 0 (rank 2)" in figure.get_suptitle()
    assert not recwarn.list


def test_panel_menus_set_the_layers(data):
    kernels, y = data
    panel = layers_panel(kernels, y)
    first, second, third, _ = panel.children
    assert first.options == (NO_LAYER, 4, 6, 8, 12, 16, 24, 32)
    assert (first.value, second.value, third.value) == (8, NO_LAYER, NO_LAYER)
    np.testing.assert_array_equal(panel.result, fitted(kernels, [8]).labels_)
    second.value = 4
    np.testing.assert_array_equal(panel.result, fitted(kernels, [8, 4]).labels_)
    assert "layer 2: 4" in panel.children[-1].value


def test_panel_says_what_is_wrong_with_the_sizes(data):
    panel = layers_panel(*data)
    first, second, _, picture = panel.children
    second.value = 12
    assert panel.result is None
    assert "layer_sizes[1] is 12, not below layer_sizes[0], 8" in picture.value
    first.value = second.value = NO_LAYER
    assert "layer_sizes is empty" in picture.value
    first.value = 4
    assert panel.result is not None


def test_panel_of_objects_too_few_for_a_layer():
    panel = layers_panel(np.eye(3) + 1, n_clusters=2)
    assert panel.children[0].options == (NO_LAYER,)
    assert "no layer fits between" in panel.children[-1].value


@pytest.mark.parametrize("make", [layers_panel, lambda kernels: show_layers(kernels, [4])])
def test_the_number_of_clusters_is_asked_for(data, make):
    with pytest.raises(ValueError, match="give n_clusters, or y"):
        make(data[0])
