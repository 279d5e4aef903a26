"""Level functions: hand-made truth with ties, their definition by sets of equal height, refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dendrolab import Dendrogram, check_level_function, level_function
from dendrolab.levels import LEVELS
from dendrolab.linkage import LINKAGES

grid_points = st.integers(1, 9).flatmap(
    lambda n: arrays(np.float64, (n, 2), elements=st.integers(0, 2).map(float))
)


@pytest.mark.parametrize(
    ("kind", "merges"),
    [("level", [1, 1, 2]), ("linkage", [0.5, 1, 4]), ("size", [1, 1, 3]), ("rank", [1, 2, 3])],
)
def test_levels_of_a_hand_made_tree(line, kind, merges):
    assert level_function(line, kind).tolist() == [0, 0, 0, 0, *merges]


@pytest.mark.parametrize(
    ("kind", "merges"),
    [("level", [1, 1]), ("linkage", [np.sqrt(2)] * 2), ("size", [1, 2]), ("rank", [1, 2])],
)
def test_merges_at_equal_height_are_one_node_for_the_level(kind, merges):
    tree = Dendrogram.from_data([[-1.0, -1], [0, 0], [1, 1]], "single")
    assert level_function(tree, kind).tolist() == [0, 0, 0, *merges]


@pytest.mark.parametrize("linkage", LINKAGES)
def test_identical_objects_meet_at_level_one(linkage):
    tree = Dendrogram.from_data([[0.0], [0.0], [3.0]], linkage)
    assert level_function(tree, "level").tolist() == [0, 0, 0, 1, 2]
    assert level_function(tree, "linkage")[3] == 0
    identical = Dendrogram.from_data(np.zeros((3, 1)), linkage)
    assert level_function(identical, "level").tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize("kind", LEVELS)
def test_one_object_has_level_zero(kind):
    assert level_function(Dendrogram.from_data([[1.0]]), kind).tolist() == [0]


@pytest.mark.parametrize("linkage", LINKAGES)
def test_without_ties_the_level_is_the_longest_way_down(members, linkage):
    tree = Dendrogram.from_data(np.random.default_rng(0).normal(size=(40, 2)), linkage)
    sets = members(tree.linkage_matrix)
    for v, level in enumerate(level_function(tree)):
        under = [[u for u in sets if {leaf} <= u <= sets[v]] for leaf in sets[v]]
        assert level == max(map(len, under)) - 1


@pytest.mark.parametrize("linkage", LINKAGES)
@given(X=grid_points)
def test_the_level_rises_by_one_over_the_children_but_at_a_tie(linkage, X):
    tree = Dendrogram.from_data(X, linkage)
    f, n = level_function(tree), len(X)
    heights = np.concatenate([np.full(n, -1.0), tree.heights])
    for v, children in enumerate(tree.children, start=n):
        assert f[v] - f[children].max() == (heights[v] > heights[children].max())


def test_a_tie_beside_a_lower_merge_takes_the_larger_level():
    tree = Dendrogram.from_linkage_matrix([[2, 3, 0, 2], [0, 1, 1, 2], [4, 5, 1, 4]])
    assert level_function(tree).tolist() == [0, 0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("kind", LEVELS)
@pytest.mark.parametrize("linkage", LINKAGES)
@given(X=grid_points)
def test_every_kind_grows_towards_the_root_and_passes_its_own_check(kind, linkage, X):
    tree = Dendrogram.from_data(X, linkage)
    f = level_function(tree, kind)
    assert np.all(f[: len(X)] == 0)
    assert np.all(f[tree.parents[:-1]] >= f[:-1])
    assert np.array_equal(check_level_function(tree, f), f)


def test_a_function_and_an_array_are_taken(line):
    values = [0, 0, 0, 0, 1, 2, 9]
    assert level_function(line, lambda tree: values).tolist() == values
    assert level_function(line, values).tolist() == values
    assert level_function(line, np.array(values, dtype=object)).tolist() == values


def test_values_may_stay_equal_at_a_tie_only():
    tie = Dendrogram.from_linkage_matrix([[0, 1, 1, 2], [2, 3, 1, 3]])
    assert check_level_function(tie, [0, 0, 0, 2, 2]).tolist() == [0, 0, 0, 2, 2]
    strict = Dendrogram.from_linkage_matrix([[0, 1, 1, 2], [2, 3, 1 + 1e-9, 3]])
    with pytest.raises(ValueError, match=r"is 2\.0 at node 4, not larger"):
        check_level_function(strict, [0, 0, 0, 2, 2])


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("Level", "level is 'Level': choose one of level, linkage, size, rank"),
        (None, "give one value a node, 7 for 4 objects"),
        (5, "give one value a node"),
        (lambda tree: None, "give one value a node"),
        (lambda tree: "level", "the level function holds text"),
        (lambda tree: np.zeros((7, 1)), r"shape \(7, 1\)"),
        (lambda tree: [0] * 7, "is 0.0 at node 4, not larger"),
        (lambda tree: tree.sizes, "is 1.0 at object 0: it must be 0"),
        (lambda tree: 1j * tree.sizes, "complex"),
        ([0, 0, 0, 0, 1, 1, 1], "is 1.0 at node 6, not larger"),
        ([0, 0, 0, 0, 1, 3, 2], "is 2.0 at node 6, not larger"),
        ([0, 0, 0, 0, -1, 1, 2], "is -1.0 at node 4, not larger"),
        ([0, 0, 0, 0, 1, np.nan, 2], "has nan at node 5: values must be finite"),
        ([0, 0, 0, 0, 1, 1, np.inf], "has inf at node 6"),
        ([0, 0, 0], r"shape \(3,\)"),
    ],
)
def test_what_is_no_level_function_is_refused(line, kind, message):
    with pytest.raises(ValueError, match=message):
        level_function(line, kind)


def test_an_error_inside_the_function_is_the_users_own(line):
    with pytest.raises(ZeroDivisionError):
        level_function(line, lambda tree: 1 / 0)


def test_the_array_given_is_not_modified_nor_shared(line):
    values = np.array([0.0, 0, 0, 0, 1, 1, 2])
    f = level_function(line, values)
    f[-1] = 9
    assert values.tolist() == [0, 0, 0, 0, 1, 1, 2]
