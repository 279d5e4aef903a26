"""The stack as a figure and as a panel, driven through its menus."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from dendrolab import stack_features
from dendrolab.clusterers import kmeans_labels
from dendrolab.stacking_widgets import NO_LAYER, show_stack, stack_panel
from dendrolab.widgets import Panel


def points(n, columns=2):
    return np.random.default_rng(n).normal(size=(n, columns))


@pytest.fixture(autouse=True)
def no_figure_leaks():
    yield
    assert plt.get_fignums() == []


def titles(figure):
    return [ax.get_title() for ax in figure.axes if ax.get_title()]


@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.parametrize("n", [1, 2, 60])
@pytest.mark.parametrize("linkages", [[], ["ward"], ["ward", "single", "ward"]])
def test_a_column_for_the_data_and_one_for_each_layer(n, columns, linkages):
    figure = show_stack(points(n, columns), linkages)
    assert isinstance(figure, Figure)
    names = [f"{k}: {name}" for k, name in enumerate(linkages, start=1)]
    assert titles(figure) == ["data", *names]
    assert sum(len(ax.images) for ax in figure.axes) == len(linkages)
    figure.canvas.draw()


def test_two_columns_are_drawn_as_they_are_and_layers_by_their_first_two():
    X = points(40)
    figure = show_stack(X, ["ward"])
    data, layer = figure.axes[:2]
    np.testing.assert_array_equal(data.collections[0].get_offsets(), X)
    expected = stack_features(["ward"]).fit_transform(X)[:, :2]
    np.testing.assert_array_equal(layer.collections[0].get_offsets(), expected)


def test_classes_choose_colours_and_score_k_means():
    X = np.array([[0.0, 0], [1, 0], [9, 0], [10, 0]])
    figure = show_stack(X, ["ward"], y=["a", "a", "b", None])
    assert titles(figure) == ["data, AMI 1.00", "1: ward, AMI 1.00"]
    colors = figure.axes[0].collections[0].get_facecolors()
    assert len(np.unique(colors, axis=0)) == 3


def test_refusals_leave_no_figure():
    with pytest.raises(ValueError, match="n_clusters is 3"):
        show_stack(points(2), n_clusters=3)
    with pytest.raises(ValueError, match="2 classes y for 4 objects"):
        show_stack(points(4), y=[0, 1])
    with pytest.raises(ValueError, match="centroid"):
        show_stack(points(4), ["centroid"])


def test_menus_add_change_and_remove_layers():
    X, before = points(30, 3), points(30, 3)
    panel = stack_panel(X, n_clusters=4)
    assert isinstance(panel, Panel)
    first, second, third, share, figure = panel.children

    def expected(*linkages, n_components=None):
        rows = stack_features(linkages, n_components=n_components).fit_transform(X) if linkages else X
        return kmeans_labels(rows, 4, random_state=0)

    np.testing.assert_array_equal(panel.result, expected("single"))
    second.value = "ward"
    np.testing.assert_array_equal(panel.result, expected("single", "ward"))
    assert "2: ward" in figure.value
    first.value = "average"
    np.testing.assert_array_equal(panel.result, expected("average", "ward"))
    share.value = 0.5
    np.testing.assert_array_equal(panel.result, expected("average", "ward", n_components=0.5))
    share.value, second.value, third.value = 1, NO_LAYER, "complete"  # a gap closes
    np.testing.assert_array_equal(panel.result, expected("average", "complete"))
    first.value = third.value = NO_LAYER
    np.testing.assert_array_equal(panel.result, expected())
    np.testing.assert_array_equal(X, before)


def test_the_panel_says_what_it_cannot_draw_and_recovers():
    panel = stack_panel(points(6), linkages=("ward", "centroid"))
    panel.children[0].value = "centroid"
    assert panel.result is None
    assert "cannot be drawn:</b>" in panel.children[-1].value
    panel.children[0].value = "ward"
    assert len(panel.result) == 6
