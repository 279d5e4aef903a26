"""Panels, driven through their controls."""

from itertools import product

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from dendrolab import Dendrogram, embed_dendrogram, minimax_distances, widgets
from dendrolab.levels import LEVELS


def points(n, columns=2):
    return np.random.default_rng(n).normal(size=(n, columns))


@pytest.fixture(autouse=True)
def no_figure_leaks():
    yield
    assert plt.get_fignums() == []


@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.parametrize("n", [1, 2, 60, 500])
def test_show_tree_draws_three_parts(n, columns):
    figure = widgets.show_tree(points(n, columns), "ward", n_clusters=min(3, n))
    assert isinstance(figure, Figure)
    tree, matrix, objects = figure.axes[:3]
    assert tree.get_title() == "ward linkage"
    assert len(matrix.images) == 1
    assert len(objects.collections[0].get_offsets()) == n
    figure.canvas.draw()


def test_show_tree_draws_two_columns_as_they_are_and_other_data_embedded():
    X = points(20)
    offsets = widgets.show_tree(X).axes[2].collections[0].get_offsets()
    np.testing.assert_array_equal(offsets, X)
    D = minimax_distances(X)
    embedded = widgets.show_tree(D, "single", metric="precomputed").axes[2]
    expected = embed_dendrogram(Dendrogram.from_distances(D, "single"), n_components=2).coordinates
    np.testing.assert_allclose(embedded.collections[0].get_offsets(), expected)
    assert embedded.get_xlabel() == "component 1"


def test_two_precomputed_objects_are_embedded():
    figure = widgets.show_tree([[0.0, 3.0], [3.0, 0.0]], n_clusters=2, metric="precomputed")
    assert figure.axes[2].get_xlabel() == "component 1"


def test_show_refuses_and_leaves_no_figure():
    with pytest.raises(ValueError, match="n_clusters is 3"):
        widgets.show_tree(points(2))
    with pytest.raises(ValueError, match="5 columns"):
        widgets.show_minimax(points(4, 5), 0, 1)
    with pytest.raises(ValueError, match="inversions"):
        widgets.show_tree(points(4), "centroid")


@pytest.mark.parametrize(("n", "columns"), [(1, 2), (2, 3), (40, 2)])
def test_tree_panel_at_all_menus_and_both_ends_of_the_slider(n, columns):
    X = points(n, columns)
    panel = widgets.tree_panel(X, max_clusters=6)
    linkage, level, clusters, _ = panel.children
    assert (clusters.min, clusters.max) == (1, min(6, n))
    for name, kind, k in product(widgets.LINKAGES, LEVELS, {1, min(6, n)}):
        linkage.value, level.value, clusters.value = name, kind, k
        np.testing.assert_array_equal(panel.result, Dendrogram.from_data(X, name).cut(n_clusters=k))
    assert panel.children[-1].value.startswith("<img")


def test_tree_panel_shows_an_error_as_text_and_recovers():
    panel = widgets.tree_panel(points(5), linkages=("average", "centroid"))
    assert len(panel.result) == 5
    panel.children[0].value = "centroid"
    assert panel.result is None
    assert "cannot be drawn:</b> this tree (centroid linkage) may have inversions" in panel.children[-1].value
    panel.children[0].value = "average"
    panel.update()
    assert len(panel.result) == 5


@pytest.mark.parametrize("n", [1, 2, 40, 500])
def test_level_panel_at_all_menus(n):
    X = points(n)
    panel = widgets.level_panel(X, linkage="complete")
    tree = Dendrogram.from_data(X, "complete")
    for kind in LEVELS:
        panel.children[0].value = kind
        np.testing.assert_allclose(panel.result, embed_dendrogram(tree, kind, min(10, n)).eigenvalues)
    assert panel.children[-1].value.startswith("<img")


@pytest.mark.parametrize("n", [1, 2, 40])
def test_minimax_panel_at_the_ends_of_its_sliders(n):
    X = points(n)
    D = minimax_distances(X, method="floyd_warshall")
    panel = widgets.minimax_panel(X)
    for i, j in product((0, n - 1), repeat=2):
        panel.children[0].value, panel.children[1].value = i, j
        assert panel.result == pytest.approx(D[i, j], rel=1e-12)
    assert panel.children[-1].value.startswith("<img")


def test_show_minimax_marks_the_distance_on_the_tree():
    X = points(30)
    path, tree = widgets.show_minimax(X, 0, 20).axes
    distance = minimax_distances(X)[0, 20]
    np.testing.assert_allclose(tree.lines[0].get_ydata(), distance)
    assert path.get_title().startswith(f"Minimax {distance:.3g},")


def test_panels_are_interactive_and_do_not_modify_the_data():
    X = points(10)
    before = X.copy()
    for make in (widgets.tree_panel, widgets.level_panel, widgets.minimax_panel):
        panel = make(X)
        assert isinstance(panel, widgets.Panel)
        assert panel.children[-1].value.startswith("<img")
    np.testing.assert_array_equal(X, before)
