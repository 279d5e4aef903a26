"""Figures of points, judged by what is drawn: offsets, colours, legends, paths."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

from dendrolab import (
    Dendrogram,
    embed_dendrogram,
    minimax_distances,
    plots,
)
from dendrolab.palette import GREY, PALETTE, cluster_colors, label_codes

SIZES = [1, 2, 3, 60, 3000]


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    plt.close("all")


def points(n, columns=2):
    return np.random.default_rng(n).normal(size=(n, columns)) + np.arange(n)[:, None] % 3 * 4


def tree_of(n, linkage="average"):
    return Dendrogram.from_data(points(n), linkage)


def tree_lines(ax):
    (lines,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    return np.array(lines.get_segments()), [to_hex(c) for c in lines.get_colors()]


def render(ax):
    ax.figure.canvas.draw()


@pytest.mark.parametrize("n", SIZES)
def test_points_wear_the_colours_of_the_tree(n):
    X = points(n)
    labels = Dendrogram.from_data(X).cut(n_clusters=min(n, 3))
    ax = plots.draw_points(X, labels=labels)
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), X)
    assert [to_hex(c) for c in ax.collections[0].get_facecolors()] == PALETTE[labels].tolist()
    assert [t.get_text() for t in ax.get_legend().get_texts()] == [str(k) for k in range(min(n, 3))]
    render(ax)


@pytest.mark.parametrize(
    ("labels", "codes", "texts"),
    [
        ([2, 0, 2], [2, 0, 2], {0: "0", 2: "2"}),
        ([2.0, np.nan, 1.0], [2, -1, 1], {1: "1", 2: "2"}),
        (["b", None, "a"], [1, -1, 0], {0: "a", 1: "b"}),
        ([True, False, True], [1, 0, 1], {0: "False", 1: "True"}),
        ([-1, 1, -1], [0, 1, 0], {0: "-1", 1: "1"}),
        ([0.5, 1.5, 0.5], [0, 1, 0], {0: "0.5", 1: "1.5"}),
        (pd.Series([1, None, 3], dtype="Int64", index=[7, 8, 9]), [1, -1, 3], {1: "1", 3: "3"}),
        ([None, None, None], [-1, -1, -1], {}),
    ],
)
def test_labels_of_all_kinds(labels, codes, texts):
    found, names = label_codes(labels, 3)
    assert found.tolist() == codes
    assert names == texts


def test_gaps_are_grey_and_named():
    ax = plots.draw_points(points(3), labels=["x", None, "y"])
    assert to_hex(ax.collections[0].get_facecolors()[1]) == GREY
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["x", "y", "no label"]


def test_no_legend_beyond_ten_classes_and_colours_repeat_beyond_27():
    assert plots.draw_points(points(11), labels=range(11)).get_legend() is None
    assert len(set(PALETTE)) == 27
    assert cluster_colors([27]).tolist() == [PALETTE[0]]


def test_single_column_is_a_strip():
    ax = plots.draw_points(pd.DataFrame({"width": [1.0, 2.0]}))
    assert ax.collections[0].get_offsets().tolist() == [[1, 0], [2, 0]]
    assert (ax.get_xlabel(), ax.get_ylabel(), list(ax.get_yticks())) == ("width", "", [])


@pytest.mark.parametrize("n", SIZES)
def test_embedding_draws_its_first_two_dimensions(n):
    coordinates = embed_dendrogram(tree_of(n), n_components=min(n, 3)).coordinates
    ax = plots.draw_embedding(coordinates, names=[f"name {i}" for i in range(n)])
    drawn = np.asarray(ax.collections[0].get_offsets())
    np.testing.assert_array_equal(drawn[:, : coordinates.shape[1]], coordinates[:, :2])
    assert (0 < len(ax.texts) <= n) if n <= 60 else not ax.texts
    render(ax)


def test_names_that_would_overlap_are_left_out():
    ax = plots.draw_embedding([[0, 0], [0, 0], [1, 1]], names="abc")
    assert [text.get_text() for text in ax.texts] == ["a", "c"]


def test_points_refuse():
    with pytest.raises(ValueError, match="3 columns and a figure has two"):
        plots.draw_points(points(4, columns=3))
    with pytest.raises(ValueError, match="2 labels for 4 objects"):
        plots.draw_points(points(4), labels=[0, 1])
    assert plt.get_fignums() == []


@pytest.mark.parametrize(
    ("n", "i", "j"), [(1, 0, 0), (2, 0, 1), (3, 2, 0), (60, 5, 5), (60, 0, 59), (800, 3, 700)]
)
def test_largest_step_of_the_path_is_the_minimax_distance(n, i, j):
    X = points(n)
    ax = plots.draw_minimax_path(X, i, j)
    lines = {line.get_label(): line.get_xydata() for line in ax.lines}
    path = lines["path"]
    np.testing.assert_array_equal(path[[0, -1]], X[[i, j]])
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    expected = minimax_distances(X, method="floyd_warshall" if n < 100 else "spanning_tree")[i, j]
    assert steps.max(initial=0) == pytest.approx(expected, rel=1e-12)
    if i != j:
        assert np.linalg.norm(np.diff(lines["largest step"], axis=0)) == pytest.approx(expected, rel=1e-12)
    edges, _ = tree_lines(ax)
    assert len(edges) == n - 1
    render(ax)


def test_path_through_equal_and_nearly_equal_points():
    X = np.array([[0.0, 0], [0, 0], [1e-9, 0], [1e-9, 0], [3, 0]])
    edges, _ = tree_lines(plots.draw_minimax_path(X, 0, 4))
    assert len(edges) == 4
    assert len(tree_lines(plots.draw_minimax_path(np.zeros((3, 2)), 0, 2))[0]) == 2


def test_path_lies_under_the_points_and_names_its_ends():
    ax = plots.draw_minimax_path(points(3), 0, 2, names=["here", "between", "there"])
    assert sorted(text.get_text() for text in ax.texts) == ["here", "there"]
    dots = next(c for c in ax.collections if not isinstance(c, LineCollection))
    (path,) = [line for line in ax.lines if line.get_label() == "path"]
    assert path.get_zorder() < dots.get_zorder()
    with pytest.raises(ValueError, match="1 names for 3 objects"):
        plots.draw_minimax_path(points(3), 0, 2, names=["here"])


def test_path_refuses_an_object_that_does_not_exist():
    with pytest.raises(ValueError, match="no object 3"):
        plots.draw_minimax_path(points(3), 0, 3)


def test_comparison_has_one_figure_part_for_each_clustering():
    X = points(60)
    labelings = {f"cut {k}": Dendrogram.from_data(X).cut(n_clusters=k) for k in range(1, 6)}
    axes = plots.draw_cluster_comparison(X, labelings)
    assert [ax.get_title() for ax in axes] == list(labelings)
    for ax, labels in zip(axes, labelings.values(), strict=True):
        assert [to_hex(c) for c in ax.collections[0].get_facecolors()] == PALETTE[labels].tolist()
    assert len(axes[0].figure.axes) == 5
    render(axes[0])
    with pytest.raises(ValueError, match="labelings is empty"):
        plots.draw_cluster_comparison(X, {})
