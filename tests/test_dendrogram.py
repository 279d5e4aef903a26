"""The dendrogram as arrays: hand-made trees, cuts, trees made elsewhere, long chains, refusals."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist
from sklearn.cluster import AgglomerativeClustering

from dendrolab import (
    Dendrogram,
    distance_pairs,
    distance_rows,
    embed_dendrogram,
    level_function,
    outlier_scores,
)
from dendrolab.linkage import LINKAGES

ONE = Dendrogram.from_data([[3.0]])
grid_points = st.integers(1, 9).flatmap(
    lambda n: arrays(np.float64, (n, 2), elements=st.integers(0, 2).map(float))
)


def test_arrays_of_a_hand_made_tree(line):
    assert line.n_objects == 4
    assert line.heights.tolist() == [0.5, 1, 4]
    assert line.children.tolist() == [[2, 3], [0, 1], [4, 5]]
    assert line.parents.tolist() == [5, 5, 4, 4, 6, 6, -1]
    assert line.sizes.tolist() == [1, 1, 1, 1, 2, 2, 4]
    assert line.leaf_order.tolist() == [2, 3, 0, 1]
    assert line.intervals.tolist() == [[2, 3], [3, 4], [0, 1], [1, 2], [0, 2], [2, 4], [0, 4]]
    assert line.is_monotone
    assert repr(line) == "Dendrogram(n_objects=4, linkage='single')"


def test_one_object_is_one_leaf():
    assert ONE.n_objects == 1
    assert ONE.linkage_matrix.shape == (0, 4)
    assert ONE.parents.tolist() == [-1]
    assert ONE.leaf_order.tolist() == [0]
    assert ONE.cut(n_clusters=1).tolist() == ONE.cut(height=0).tolist() == [0]


@given(X=grid_points)
def test_each_node_is_the_interval_of_its_objects(members, X):
    tree = Dendrogram.from_data(X)
    for (first, last), objects in zip(tree.intervals, members(tree.linkage_matrix), strict=True):
        assert set(tree.leaf_order[first:last].tolist()) == objects


@pytest.mark.parametrize("linkage", LINKAGES)
def test_the_leaf_order_is_that_of_scipy(linkage):
    tree = Dendrogram.from_data(np.random.default_rng(0).normal(size=(40, 2)), linkage)
    assert tree.leaf_order.tolist() == hierarchy.leaves_list(tree.linkage_matrix).tolist()


@pytest.mark.parametrize("linkage", LINKAGES)
@given(X=grid_points)
def test_a_cut_gives_exactly_k_labels_by_first_appearance(members, linkage, X):
    tree = Dendrogram.from_data(X, linkage)
    sets = members(tree.linkage_matrix)
    for k in range(1, len(X) + 1):
        labels = tree.cut(n_clusters=k)
        assert list(dict.fromkeys(labels.tolist())) == list(range(k))
        assert all(frozenset(np.flatnonzero(labels == c).tolist()) in sets for c in range(k))


@given(X=grid_points, height=st.sampled_from([-1.0, 0.0, 0.5, 1.0, np.sqrt(2), 2.0, np.inf]))
def test_a_cut_by_height_joins_exactly_the_merges_at_it_or_below(members, X, height):
    tree = Dendrogram.from_data(X, "single")
    together = {frozenset([i]) for i in range(len(X))}
    for merged, h in zip(members(tree.linkage_matrix)[len(X) :], tree.heights, strict=True):
        if h <= height:
            together = {s for s in together if not s <= merged} | {merged}
    labels = tree.cut(height=height)
    assert {frozenset(np.flatnonzero(labels == c).tolist()) for c in set(labels.tolist())} == together


def test_four_equidistant_points_cut_by_order_or_by_height():
    tree = Dendrogram.from_data([[0.0], [1], [2], [3]], "single")
    assert np.unique(tree.cut(n_clusters=2)).tolist() == [0, 1]
    assert tree.cut(height=1).tolist() == [0, 0, 0, 0]
    assert tree.cut(height=np.nextafter(1, 0)).tolist() == [0, 1, 2, 3]


def test_the_merge_at_the_height_itself_is_included(line):
    assert line.cut(height=1).tolist() == [0, 0, 1, 1]
    assert line.cut(height=np.nextafter(1, 0)).tolist() == [0, 1, 2, 2]


def test_three_identical_points_in_two_clusters():
    tree = Dendrogram.from_data(np.ones((3, 2)))
    assert np.unique(tree.cut(n_clusters=2)).tolist() == [0, 1]
    assert np.array_equal(tree.cut(n_clusters=2), tree.cut(n_clusters=2))


def test_as_many_clusters_as_objects_are_singletons(line):
    assert line.cut(n_clusters=4).tolist() == [0, 1, 2, 3]
    assert line.cut(n_clusters=np.int64(1)).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("k", [0, 5, -1, 2.0, "2", np.nan, True])
def test_a_number_of_clusters_that_does_not_exist_is_refused(line, k):
    with pytest.raises(ValueError, match=f"n_clusters is {k!r}: choose a whole number from 1 to 4"):
        line.cut(n_clusters=k)


@pytest.mark.parametrize("height", [np.nan, "x", [1.0, 2.0], 1j])
def test_a_height_that_is_no_number_is_refused(line, height):
    with pytest.raises(ValueError, match="height is"):
        line.cut(height=height)


def test_a_cut_takes_one_of_the_two(line):
    for arguments in ({}, {"n_clusters": 2, "height": 1.0}):
        with pytest.raises(ValueError, match="either n_clusters or height"):
            line.cut(**arguments)


def test_optimal_leaf_ordering_does_not_change_the_cut():
    X = np.random.default_rng(0).normal(size=(30, 2))
    Z = hierarchy.linkage(X, "average")
    tree = Dendrogram.from_linkage_matrix(Z)
    ordered = Dendrogram.from_linkage_matrix(hierarchy.optimal_leaf_ordering(Z, pdist(X)))
    assert not np.array_equal(tree.leaf_order, ordered.leaf_order)
    for height in tree.heights:
        assert np.array_equal(tree.cut(height=height), ordered.cut(height=height))


def test_complete_linkage_keeps_clusters_within_the_height():
    X = np.random.default_rng(0).normal(size=(60, 2))
    labels = Dendrogram.from_data(X, "complete").cut(height=1.0)
    assert max(pdist(X[labels == c]).max(initial=0) for c in np.unique(labels)) <= 1.0


@pytest.mark.parametrize("linkage", ["centroid", "median"])
def test_inverting_linkages_are_for_looking_only(linkage):
    tree = Dendrogram.from_data([[0.0, 0], [2, 0], [1, np.sqrt(3)]], linkage)
    np.testing.assert_allclose(tree.heights, [2, np.sqrt(3)])
    assert not tree.is_monotone
    assert np.unique(tree.cut(n_clusters=2)).tolist() == [0, 1]
    assert tree.leaf_order.size == 3
    for use in (level_function, outlier_scores, embed_dendrogram, lambda t: t.cut(height=1)):
        with pytest.raises(ValueError, match=f"{linkage} linkage.*inversions.*single"):
            use(tree)
    with pytest.raises(ValueError, match="inversions"):
        level_function(Dendrogram.from_linkage_matrix(tree.linkage_matrix, allow_inversions=True))


def spoilt(row, column, value):
    Z = np.array([[2, 3, 0.5, 2], [0, 1, 1, 2], [4, 5, 4, 4]])
    Z[row, column] = value
    return Z


@pytest.mark.parametrize(
    ("Z", "message"),
    [
        pytest.param(spoilt(1, 0, 2), r"merges cluster 2 2 times, in rows \[0, 1\]", id="reused"),
        pytest.param(spoilt(2, 1, 4), r"merges cluster 4 2 times, in rows \[2, 2\]", id="with-itself"),
        pytest.param(spoilt(0, 0, 5), "names cluster 5 in row 0, which does not exist yet", id="forward"),
        pytest.param(spoilt(1, 1, 5), "names cluster 5 in row 1", id="its-own-name"),
        pytest.param(spoilt(0, 0, -1), "names cluster -1 in row 0", id="negative-name"),
        pytest.param(spoilt(0, 0, 2.5), "names cluster 2.5 in row 0", id="broken-name"),
        pytest.param(spoilt(0, 0, np.nan), "names cluster nan in row 0", id="nan-name"),
        pytest.param(spoilt(2, 3, 5), "says size 5 in row 2, but its two clusters hold 4", id="count"),
        pytest.param(spoilt(0, 3, np.nan), "says size nan in row 0", id="nan-count"),
        pytest.param(spoilt(0, 2, 9), "decreasing heights: 1 in row 1 after 9", id="decreasing"),
        pytest.param(spoilt(0, 2, -1), "height -1.0 in row 0", id="negative-height"),
        pytest.param(spoilt(1, 2, np.nan), "height nan in row 1", id="nan-height"),
        pytest.param(spoilt(2, 2, np.inf), "height inf in row 2", id="infinite-height"),
        pytest.param(spoilt(0, 0, 0)[:, :3], r"shape \(3, 3\)", id="three-columns"),
        pytest.param(spoilt(0, 0, 0)[0], r"shape \(4,\)", id="one-row"),
        pytest.param([], r"shape \(0,\)", id="empty-list"),
        pytest.param([["a"] * 4], "Z holds text", id="text"),
    ],
)
def test_an_invalid_linkage_matrix_is_refused(Z, message):
    with pytest.raises(ValueError, match=message):
        Dendrogram.from_linkage_matrix(Z)


def test_heights_that_fall_by_rounding_are_raised_and_the_input_is_left_alone():
    Z = spoilt(1, 2, 0.5 - 1e-15)
    before = Z.copy()
    tree = Dendrogram.from_linkage_matrix(Z)
    assert tree.heights.tolist() == [0.5, 0.5, 4]
    assert np.array_equal(Z, before)


def test_the_arrays_of_a_tree_are_read_only(line):
    for array in (line.linkage_matrix, line.heights, line.parents, line.sizes, line.leaf_order):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_a_linkage_matrix_of_another_type_is_taken(dtype):
    Z = Dendrogram.from_linkage_matrix(np.array([[0, 1, 1, 2], [2, 3, 4, 3]], dtype)).linkage_matrix
    assert Z.dtype == np.float64


@pytest.mark.parametrize("linkage", ["single", "complete", "average", "ward"])
def test_trees_of_scikit_learn_are_taken_over(linkage):
    X = np.random.default_rng(0).normal(size=(50, 3))
    model = AgglomerativeClustering(linkage=linkage, compute_distances=True).fit(X)
    theirs = Dendrogram.from_merges(model.children_, model.distances_)
    ours = Dendrogram.from_data(X, linkage)
    np.testing.assert_allclose(theirs.heights, ours.heights, rtol=1e-10)
    for k in (2, 5, 17):
        assert np.array_equal(theirs.cut(n_clusters=k), ours.cut(n_clusters=k))


def test_merges_without_order_and_sizes_make_a_linkage_matrix():
    tree = Dendrogram.from_merges([[0, 1], [2, 3], [4, 5]], [2.0, 1.0, 3.0])
    assert tree.linkage_matrix[:, 2:].tolist() == [[1, 2], [2, 2], [3, 4]]
    assert tree.cut(height=1).tolist() == [0, 1, 2, 2]
    assert Dendrogram.from_linkage_matrix(tree.linkage_matrix).linkage_matrix.tobytes() == (
        tree.linkage_matrix.tobytes()
    )


def test_merges_that_fall_by_rounding_keep_their_order():
    tree = Dendrogram.from_merges([[0, 1], [2, 3]], [1 + 1e-15, 1.0])
    assert tree.children.tolist() == [[0, 1], [2, 3]]
    assert tree.is_monotone


@pytest.mark.parametrize(
    ("children", "heights", "message"),
    [
        ([[0, 1], [0, 2]], [1, 2], "cluster 0 2 times"),
        ([[0, -1], [3, 2]], [1, 2], "cluster -1"),
        ([[0, 1], [3, 2]], [1], r"children has shape \(2, 2\) and heights \(1,\)"),
        ([[0, 1], [3, 2]], [np.nan, 2], "height nan"),
        ([[0, 1, 2]], [1], "children has shape"),
    ],
)
def test_bad_merges_are_refused(children, heights, message):
    with pytest.raises(ValueError, match=message):
        Dendrogram.from_merges(children, heights)


def test_a_parent_below_its_child_is_refused_as_such():
    with pytest.raises(ValueError, match="height"):
        Dendrogram.from_merges([[0, 1], [2, 3]], [2.0, 1.0])


def test_a_chain_of_20000_merges(chain):
    n = 20_001
    tree = Dendrogram.from_linkage_matrix(chain(n))
    assert sorted(tree.leaf_order.tolist()) == list(range(n))
    assert np.bincount(tree.cut(n_clusters=3)).tolist() == [n - 2, 1, 1]
    assert np.unique(tree.cut(height=10)).size == n - 10
    assert level_function(tree)[-1] == n - 1
    assert distance_rows(tree, 7)[[0, 7, 8, n - 1]].tolist() == [7, 0, 8, n - 1]
    assert distance_pairs(tree, [0, 5], [9, 20_000]).tolist() == [9, 20_000]
    assert outlier_scores(tree)[-1] == 1
    embedding = embed_dendrogram(tree, n_components=5)
    assert embedding.coordinates.shape == (n, 5)
    assert np.all(np.diff(embedding.eigenvalues) < 0)


def test_a_cut_needs_memory_for_the_objects_only(chain):
    tree = Dendrogram.from_linkage_matrix(chain(10_000))
    tracemalloc.start()
    tree.cut(n_clusters=5_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1000 * tree.n_objects


def test_a_rerun_gives_the_same_bits():
    X = np.random.default_rng(0).integers(0, 3, (50, 2)).astype(float)
    first, second = (Dendrogram.from_data(X) for _ in range(2))
    assert first.linkage_matrix.tobytes() == second.linkage_matrix.tobytes()
    assert np.array_equal(first.cut(n_clusters=7), second.cut(n_clusters=7))
