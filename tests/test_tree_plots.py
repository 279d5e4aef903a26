"""Figures of a dendrogram, judged by what is drawn: segments, colours, texts, limits."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from scipy.cluster.hierarchy import dendrogram as scipy_dendrogram

from dendrolab import (
    Dendrogram,
    dendrogram_distances,
    level_function,
    plots,
)
from dendrolab.levels import LEVELS
from dendrolab.minimax import minimax_dendrogram
from dendrolab.palette import GREY, PALETTE
from dendrolab.tree_drawing import evenly_spaced

SIZES = [1, 2, 3, 60, 3000]


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    plt.close("all")


def points(n, columns=2):
    return np.random.default_rng(n).normal(size=(n, columns)) + np.arange(n)[:, None] % 3 * 4


def tree_of(n, linkage="average"):
    return Dendrogram.from_data(points(n), linkage)


def chain(n):
    rows = np.arange(n - 1)
    first = np.where(rows == 0, 0, n + rows - 1)
    return Dendrogram.from_linkage_matrix(np.column_stack([first, rows + 1, rows + 1.0, rows + 2]))


def tree_lines(ax):
    (lines,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    return np.array(lines.get_segments()), [to_hex(c) for c in lines.get_colors()]


def leaf_texts(ax):
    return [text.get_text() for text in ax.get_xticklabels()]


def render(ax):
    ax.figure.canvas.draw()


def test_hand_made_tree_has_its_lines_in_place():
    tree = Dendrogram.from_data([[0.0], [1.0], [5.0]], linkage="single")
    drawn = plots.draw_dendrogram(tree, names=["a", "b", "c"], n_clusters=2)
    segments, colors = tree_lines(drawn.ax)
    assert drawn.leaf_names == leaf_texts(drawn.ax) == ["c", "a", "b"]
    expected = {
        ((1, 0), (1, 1)): PALETTE[0],
        ((2, 0), (2, 1)): PALETTE[0],
        ((1, 1), (2, 1)): PALETTE[0],
        ((0, 0), (0, 4)): PALETTE[1],
        ((1.5, 1), (1.5, 4)): PALETTE[0],
        ((0, 4), (1.5, 4)): GREY,
    }
    lines = {tuple(map(tuple, s)): c for s, c in zip(segments.tolist(), colors, strict=True)}
    assert lines == expected


@pytest.mark.parametrize("n", SIZES)
def test_tree_of_any_size_draws_in_one_collection(n):
    tree = tree_of(n)
    drawn = plots.draw_dendrogram(tree, n_clusters=min(n, 3))
    shown = min(n, 60)
    segments, _ = tree_lines(drawn.ax)
    assert segments.shape == (3 * (shown - 1), 2, 2) if n > 1 else not len(segments)
    assert len(drawn.leaf_names) == shown
    left, right = drawn.ax.get_xlim()
    assert left < 0
    assert right > shown - 1
    assert drawn.ax.get_ylim()[1] > tree.heights.max(initial=0)
    render(drawn.ax)


def test_leaf_colors_are_those_of_the_cut():
    tree = tree_of(60)
    drawn = plots.draw_dendrogram(tree, n_clusters=4)
    labels = tree.cut(n_clusters=4)
    np.testing.assert_array_equal(drawn.leaf_order, tree.leaf_order)
    np.testing.assert_array_equal(drawn.leaf_colors, PALETTE[labels[tree.leaf_order]])


def test_legs_of_leaves_wear_their_colours_and_links_above_the_cut_are_grey():
    tree = tree_of(60)
    drawn = plots.draw_dendrogram(tree, n_clusters=4)
    segments, colors = tree_lines(drawn.ax)
    legs = {int(s[0, 0]): c for s, c in zip(segments, colors, strict=True) if s[0, 1] == 0}
    assert [legs[k] for k in range(60)] == drawn.leaf_colors.tolist()
    bars = {round(s[0, 1], 9): c for s, c in zip(segments, colors, strict=True) if s[0, 1] == s[1, 1]}
    grey = [color == GREY for _, color in sorted(bars.items())]
    assert grey == [False] * 56 + [True] * 3


def test_same_tree_as_scipy_draws():
    tree = tree_of(40, "ward")
    segments, _ = tree_lines(plots.draw_dendrogram(tree).ax)
    theirs = scipy_dendrogram(tree.linkage_matrix, no_plot=True)
    np.testing.assert_array_equal(tree.leaf_order, theirs["leaves"])
    bars = {(a[0], b[0], a[1]) for a, b in segments.round(9).tolist() if a[1] == b[1]}
    places = (np.array(theirs["icoord"])[:, 1:3] - 5) / 10
    expected = {(x0, x1, y) for (x0, x1), y in zip(places, np.round(theirs["dcoord"], 9)[:, 1], strict=True)}
    assert bars == expected


def test_truncation_keeps_sizes_names_and_colours():
    tree = tree_of(200)
    names = [f"object {i}" for i in range(200)]
    whole = plots.draw_dendrogram(tree, n_clusters=5, max_leaves=200)
    short = plots.draw_dendrogram(tree, n_clusters=5, max_leaves=12, names=names)
    np.testing.assert_array_equal(short.leaf_colors, whole.leaf_colors)
    groups = tree.cut(n_clusters=12)[tree.leaf_order]
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    sizes = np.diff(np.append(starts, 200))
    expected = [
        names[tree.leaf_order[a]] if size == 1 else f"({size})" for a, size in zip(starts, sizes, strict=True)
    ]
    assert short.leaf_names == leaf_texts(short.ax) == expected
    segments, colors = tree_lines(short.ax)
    legs = {int(s[0, 0]): c for s, c in zip(segments, colors, strict=True) if s[0, 1] == 0}
    assert [legs[k] for k in range(12)] == whole.leaf_colors[starts].tolist()


def test_a_leaf_of_several_clusters_is_grey():
    tree = tree_of(30)
    segments, colors = tree_lines(plots.draw_dendrogram(tree, n_clusters=30, max_leaves=2).ax)
    assert colors[2] == GREY
    assert set(colors[:2]) <= {GREY, *PALETTE}
    assert GREY in colors[:2]
    assert segments[:2, 1, 1].tolist() == [tree.heights[-1]] * 2


def test_chain_of_20000_merges_draws():
    drawn = plots.draw_dendrogram(chain(20_001), n_clusters=3, max_leaves=20_001)
    segments, _ = tree_lines(drawn.ax)
    assert len(segments) == 60_000
    assert leaf_texts(drawn.ax) == []  # too small to read
    render(drawn.ax)


@pytest.mark.parametrize("level", [*LEVELS, lambda tree: tree.sizes - 1.0])
def test_vertical_axis_is_the_level_function(level):
    tree = tree_of(20)
    segments, _ = tree_lines(plots.draw_dendrogram(tree, level=level).ax)
    bars = segments[-19:, 0, 1]
    np.testing.assert_allclose(bars, level_function(tree, level)[20:])


def test_inverted_tree_can_be_looked_at():
    tree = Dendrogram.from_data([[0, 0], [1, 0], [0.5, 0.9]], "centroid")
    segments, _ = tree_lines(plots.draw_dendrogram(tree).ax)
    assert segments[-2, 0, 1] > segments[-1, 0, 1]
    with pytest.raises(ValueError, match="inversions"):
        plots.draw_dendrogram(tree, level="rank")


def test_infinite_height_is_drawn_above_the_rest():
    from scipy.sparse import csr_array

    graph = csr_array(([1.0, 2.0], ([0, 2], [1, 3])), shape=(4, 4))
    segments, _ = tree_lines(plots.draw_dendrogram(minimax_dendrogram(graph, "precomputed")).ax)
    np.testing.assert_allclose(sorted(segments[-3:, 0, 1]), [1, 2, 2.4])


def test_long_names_are_shortened_in_the_figure_only():
    names = ["Saccharomyces cerevisiae 1", "b", "c"]
    drawn = plots.draw_dendrogram(tree_of(3), names=names)
    assert sorted(drawn.leaf_names) == sorted(names)
    assert "Saccharo…evisiae 1" in leaf_texts(drawn.ax)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": ["a"]}, "1 names for 3 objects"),
        ({"n_clusters": 4}, "n_clusters is 4"),
        ({"max_leaves": 1}, "max_leaves is 1"),
        ({"level": "depth"}, "level is 'depth'"),
    ],
)
def test_tree_refuses_and_leaves_no_figure(options, message):
    with pytest.raises(ValueError, match=message):
        plots.draw_dendrogram(tree_of(3), **options)
    assert plt.get_fignums() == []


@pytest.mark.parametrize("n", SIZES)
def test_matrix_shows_the_distances_in_leaf_order(n):
    tree = tree_of(n)
    ax = plots.draw_distance_matrix(tree, n_clusters=min(n, 3), max_size=100)
    drawn = tree.leaf_order[evenly_spaced(n, 100)]
    np.testing.assert_array_equal(ax.images[0].get_array(), dendrogram_distances(tree)[np.ix_(drawn, drawn)])
    assert ("spread evenly" in ax.get_title()) == (n > 100)
    assert ax.get_xlim() == (0, n)
    render(ax)


def test_matrix_outlines_each_cluster():
    tree = tree_of(60)
    squares, _ = tree_lines(plots.draw_distance_matrix(tree, n_clusters=4))
    assert sorted(np.ptp(squares[:, :, 0], axis=1)) == sorted(np.bincount(tree.cut(n_clusters=4)))


def test_evenly_spaced_is_everything_or_the_middles_of_blocks():
    assert evenly_spaced(4, 9).tolist() == [0, 1, 2, 3]
    assert evenly_spaced(9, 3).tolist() == [1, 4, 7]


@pytest.mark.parametrize("n", SIZES)
def test_levels_end_at_the_root(n):
    ax = plots.draw_levels(tree_of(n))
    assert [line.get_label() for line in ax.lines] == list(LEVELS)
    for line in ax.lines:
        assert len(line.get_ydata()) == n - 1
        assert n == 1 or line.get_ydata().max() == line.get_ydata()[-1] == 1
    render(ax)


def test_levels_of_equal_objects_are_zero_not_nan():
    ax = plots.draw_levels(Dendrogram.from_data(np.zeros((4, 2))), kinds=["linkage"])
    assert ax.lines[0].get_ydata().tolist() == [0, 0, 0]
