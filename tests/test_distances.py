"""Distances off a dendrogram: hand-made, by SciPy, by brute force; rows, pairs, outliers, similarities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

from dendrolab import (
    Dendrogram,
    dendrogram_distances,
    distance_pairs,
    distance_rows,
    distances_to_similarities,
    is_ultrametric,
    level_function,
    outlier_scores,
)
from dendrolab.levels import LEVELS
from dendrolab.linkage import LINKAGES
from dendrolab.minimax import minimax_dendrogram

grid_points = st.integers(1, 9).flatmap(
    lambda n: arrays(np.float64, (n, 2), elements=st.integers(0, 2).map(float))
)
every_tree = [
    pytest.mark.parametrize("linkage", LINKAGES),
    pytest.mark.parametrize("level", LEVELS),
]


def every_linkage_and_level(test):
    for mark in every_tree:
        test = mark(test)
    return test


@pytest.mark.parametrize(
    ("level", "left", "right", "across"),
    [("level", 1, 1, 2), ("linkage", 1, 0.5, 4), ("size", 1, 1, 3), ("rank", 2, 1, 3)],
)
def test_distances_on_the_line(line, level, left, right, across):
    D = [[0, left, across, across], [left, 0, across, across]]
    D += [[across, across, 0, right], [across, across, right, 0]]
    assert dendrogram_distances(line, level).tolist() == D


@pytest.mark.parametrize("linkage", LINKAGES)
def test_heights_are_the_cophenetic_distances_of_scipy(linkage):
    X = np.random.default_rng(0).integers(0, 5, (40, 2)).astype(float)
    tree = Dendrogram.from_data(X, linkage)
    D = dendrogram_distances(tree, "linkage")
    assert np.array_equal(squareform(D), hierarchy.cophenet(tree.linkage_matrix))


@every_linkage_and_level
@given(X=grid_points)
def test_every_pair_has_the_level_of_its_lowest_common_merge(lca_distances, linkage, level, X):
    tree = Dendrogram.from_data(X, linkage)
    D = lca_distances(tree, level_function(tree, level))
    i, j = np.indices(D.shape)
    assert np.array_equal(dendrogram_distances(tree, level), D)
    assert np.array_equal(distance_rows(tree, np.arange(len(X))[::-1], level), D[::-1])
    assert np.array_equal(distance_pairs(tree, i, j, level), D)


@every_linkage_and_level
@given(X=grid_points)
def test_the_ultrametric_inequality_holds_on_all_triples(linkage, level, X):
    D = dendrogram_distances(Dendrogram.from_data(X, linkage), level)
    assert np.all(D[:, None, :] <= np.maximum(D[:, :, None], D[None, :, :]))
    assert is_ultrametric(D)


@given(X=grid_points, seed=st.integers(0, 99))
def test_single_linkage_distances_move_with_the_rows_even_with_ties(X, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    D = dendrogram_distances(Dendrogram.from_data(X, "single"), "linkage")
    moved = dendrogram_distances(Dendrogram.from_data(X[order], "single"), "linkage")
    assert np.array_equal(moved, D[np.ix_(order, order)])


def test_the_sample_of_size_differences_is_read_from_parents_and_heights():
    tree = Dendrogram.from_data([[5.0], [5], [5], [3]], "single")
    joins = tree.parents[:4]
    assert tree.heights[joins - 4].tolist() == [0, 0, 0, 2]
    assert tree.sizes[joins[3]] == 4


def test_one_row_and_one_pair_are_not_wrapped(line):
    assert distance_rows(line, 2, "linkage").tolist() == [4, 4, 0, 0.5]
    assert distance_pairs(line, 0, 3, "linkage") == 4
    assert np.ndim(distance_pairs(line, 0, 3)) == 0
    assert distance_pairs(line, 0, [0, 1, 2], "linkage").tolist() == [0, 1, 4]


def test_no_rows_and_no_pairs_give_empty_arrays(line):
    assert distance_rows(line, []).shape == (0, 4)
    assert distance_pairs(line, [], []).shape == (0,)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (-1, "there is no object -1: they are numbered 0 to 3"),
        ([0, 4], "there is no object 4"),
        ([0.0], "whole numbers, not float64"),
        ([True, False], "whole numbers, not bool"),
        (None, "whole numbers"),
        ("a", "whole numbers"),
    ],
)
def test_an_object_that_does_not_exist_is_refused(line, index, message):
    for use in (distance_rows, lambda tree, index: distance_pairs(tree, index, 0)):
        with pytest.raises(ValueError, match=message):
            use(line, index)


def test_rows_of_a_large_tree_need_no_square_matrix(chain, one_kilobyte):
    tree = Dendrogram.from_linkage_matrix(chain(20_000))
    assert distance_rows(tree, [3, 19_999]).shape == (2, 20_000)


@pytest.mark.parametrize(
    ("score", "expected"), [("join", [0.25, 0.25, 0.125, 0.125]), ("mean", [0.75, 0.75, 17 / 24, 17 / 24])]
)
def test_outlier_scores_on_the_line(line, score, expected):
    np.testing.assert_allclose(outlier_scores(line, "linkage", score), expected)


@every_linkage_and_level
@given(X=grid_points)
def test_outlier_scores_are_the_first_and_the_mean_distance(linkage, level, X):
    tree = Dendrogram.from_data(X, linkage)
    D = dendrogram_distances(tree, level)
    scale = D.max() or 1
    others = D[~np.eye(len(X), dtype=bool)].reshape(len(X), -1)
    join, mean = (outlier_scores(tree, level, score) for score in ("join", "mean"))
    if len(X) > 1:
        np.testing.assert_allclose(join, others.min(axis=1) / scale, atol=1e-12)
        np.testing.assert_allclose(mean, others.mean(axis=1) / scale, atol=1e-12)
    assert np.all((join >= 0) & (join <= 1) & (mean >= 0) & (mean <= 1))


def test_a_far_object_has_the_largest_outlier_score():
    tree = Dendrogram.from_data([[0.0], [1], [2], [3], [50]], "single")
    for score in ("join", "mean"):
        assert outlier_scores(tree, score=score).argmax() == 4
        assert outlier_scores(tree, score=score)[4] == 1


def test_identical_objects_are_no_outliers():
    assert outlier_scores(Dendrogram.from_data(np.zeros((3, 1))), "linkage").tolist() == [0, 0, 0]


def test_an_unknown_outlier_score_is_refused(line):
    with pytest.raises(ValueError, match="score is 'median': choose 'join' or 'mean'"):
        outlier_scores(line, score="median")


@pytest.mark.parametrize("score", ["join", "mean"])
def test_outliers_of_a_tree_of_several_components_are_numbers_or_an_error(score):
    from scipy import sparse

    graph = sparse.csr_array(([1.0, 2.0], ([0, 2], [1, 3])), shape=(4, 4))
    with pytest.raises(ValueError, match="2 connected components"):
        outlier_scores(minimax_dendrogram(graph, "precomputed"), "linkage", score)


def test_similarities_are_the_largest_distance_less_the_distance():
    S = distances_to_similarities([[0, 1, 4], [1, 0, 4], [4, 4, 0]])
    assert S.tolist() == [[4, 3, 0], [3, 4, 0], [0, 0, 4]]
    assert distances_to_similarities([[0.0]]).tolist() == [[0]]


def test_is_ultrametric_finds_a_single_triple():
    D = dendrogram_distances(Dendrogram.from_data(np.random.default_rng(0).normal(size=(20, 2))), "linkage")
    assert is_ultrametric(D)
    assert is_ultrametric(squareform(D))
    D[3, 11] = D[11, 3] = D[3, 11] + 1e-6
    assert not is_ultrametric(D)
    assert is_ultrametric(D, rtol=1e-3)


@pytest.mark.parametrize("D", [[[0.0]], [[0, 2.0], [2, 0]], np.zeros((3, 3))])
def test_small_and_zero_matrices_are_ultrametric(D):
    assert is_ultrametric(D) is True


@given(X=grid_points)
def test_is_ultrametric_agrees_with_all_triples(X):
    D = squareform(pdist(X)) if len(X) > 1 else np.zeros((1, 1))
    triples = np.all(D[:, None, :] <= np.maximum(D[:, :, None], D[None, :, :]) + 1e-9)
    assert is_ultrametric(D) == triples
