"""Consensus of given clusterings: the same optimum as on the matrix, gaps, weights, refusals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dendrolab import ConsensusClustering, CorrelationClustering, coclustering_matrix, correlation_cost
from dendrolab.exact_clustering import exact_clustering

rows_of_8 = st.lists(st.integers(-1, 3), min_size=8, max_size=8).filter(lambda row: max(row) >= 0)
labelings_of_8 = st.lists(rows_of_8, min_size=1, max_size=4)


def fit(labelings, n_clusters=None, weights=None, n_init=30):
    return ConsensusClustering(n_clusters, n_init, random_state=0).fit(labelings, weights=weights)


@given(labelings=labelings_of_8, n_clusters=st.sampled_from([None, 2, 3]))
def test_the_optimum_is_found_and_its_cost_is_that_on_the_matrix(labelings, n_clusters):
    S = coclustering_matrix(labelings)
    model = fit(labelings, n_clusters)
    assert model.cost_ == correlation_cost(model.labels_, S)
    assert model.cost_ == pytest.approx(exact_clustering(S, n_clusters)[1])
    assert model.labels_[0] == 0
    assert set(model.labels_) == set(range(model.n_clusters_))


@given(labels=st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_a_single_member_is_its_own_consensus(labels):
    model = fit([labels])
    assert model.cost_ == 0
    pairs = np.equal.outer(labels, labels)
    np.testing.assert_array_equal(np.equal.outer(model.labels_, model.labels_), pairs)


def test_three_members_by_hand():
    model = fit([[0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [1, 1, 1, 0, 0]])
    assert model.labels_.tolist() == [0, 0, 0, 1, 1]
    # S: object 2 agrees with 0 and 1 in two of three members, with 3 and 4 in one.
    assert (model.cost_, model.member_costs_.tolist()) == (0, [0, 4, 0])


def test_two_conflicting_partitions_may_get_more_clusters_than_each():
    rows, columns = np.divmod(np.arange(9), 3)
    model = fit([rows, columns, rows * 3 + columns])
    assert model.n_clusters_ == 9
    assert fit([rows, columns, rows * 3 + columns], n_clusters=3).n_clusters_ <= 3


def test_no_member_is_better():
    rng = np.random.default_rng(0)
    for seed in range(20):
        labelings = rng.integers(0, 3, size=(4, 50))
        model = ConsensusClustering(3, n_init=1, random_state=seed).fit(labelings)
        costs = [correlation_cost(row, coclustering_matrix(labelings)) for row in labelings]
        assert model.member_costs_.tolist() == costs
        assert model.cost_ <= min(costs)


def test_more_starts_are_never_worse():
    labelings = np.random.default_rng(1).integers(0, 4, size=(5, 60))
    costs = [ConsensusClustering(4, n, random_state=2).fit(labelings).cost_ for n in (1, 10, 100)]
    assert costs == sorted(costs, reverse=True)


def test_the_same_cost_as_on_the_matrix():
    labelings = np.random.default_rng(2).integers(0, 5, size=(4, 80))
    S = coclustering_matrix(labelings)
    assert fit(labelings, 5, n_init=100).cost_ <= CorrelationClustering(5, random_state=0).fit(S).cost_


def test_a_weight_of_two_is_a_member_twice():
    labelings = np.random.default_rng(3).integers(0, 3, size=(3, 20))
    twice = fit([*labelings, labelings[0]], 3)
    weighted = fit(labelings, 3, weights=[2, 1, 1])
    assert weighted.cost_ == twice.cost_
    heavy = fit(labelings, 3, weights=[100, 1, 1])
    np.testing.assert_array_equal(
        np.equal.outer(heavy.labels_, heavy.labels_), np.equal.outer(labelings[0], labelings[0])
    )


def test_an_object_seen_by_one_member_follows_it():
    model = fit([[0, 0, 1, 1, -1], [0, 0, 1, 1, -1], [-1, -1, 1, 1, 1]])
    assert model.labels_.tolist() == [0, 0, 1, 1, 1]
    assert np.isnan(model.member_costs_).all()


def test_members_with_more_clusters_than_asked_are_a_start_all_the_same():
    model = fit([[0, 1, 2, 3, 4, 5]], n_clusters=2)
    assert model.n_clusters_ <= 2
    assert np.isnan(model.member_costs_[0])


def test_copies_of_an_object_stay_together():
    labelings = np.random.default_rng(4).integers(0, 4, size=(4, 30))
    model = fit(np.tile(labelings, 5), 4)
    parts = model.labels_.reshape(5, 30)
    assert (parts == parts[0]).all()
    S = coclustering_matrix(np.tile(labelings, 5))
    assert model.cost_ == correlation_cost(model.labels_, S)


@pytest.mark.parametrize(
    "form", [list, np.array, pd.DataFrame, lambda rows: [pd.Series(row, index=list("wxyz")) for row in rows]]
)
def test_labelings_of_any_form(form):
    labelings = [[0, 0, 1, 1], [0, 0, 0, 1]]
    assert fit(form(labelings)).labels_.tolist() == fit(labelings).labels_.tolist()


@pytest.mark.parametrize(
    "row",
    [
        np.array([5, 5, 200], dtype=np.uint8),
        np.array([2**63, 2**63, 0], dtype=np.uint64),
        np.array([True, True, False]),
        np.array([2**60, 2**60, 0]),
        np.array([3, 3, 0], dtype=object),
        pd.array([3, 3, 0], dtype="Int64"),
    ],
)
def test_whole_numbers_of_any_type(row):
    assert fit([row]).labels_.tolist() == [0, 0, 1]


def test_input_is_not_modified_and_runs_repeat():
    labelings = np.random.default_rng(5).integers(0, 4, size=(4, 200))
    before = labelings.copy()
    models = [ConsensusClustering(n_init=10, random_state=1).fit(labelings) for _ in range(2)]
    np.testing.assert_array_equal(labelings, before)
    np.testing.assert_array_equal(models[0].cost_history_, models[1].cost_history_)
    np.testing.assert_array_equal(models[0].labels_, models[1].labels_)


@pytest.mark.parametrize(
    ("labelings", "message"),
    [
        ([[0, 1], [0, 1, 2]], r"have \[2, 3\] labels: each must label the same objects"),
        ([], "at least one clustering"),
        ([[], []], "at least one clustering"),
        ([0, 1, 1], "at least one clustering"),
        (3, "not a list of clusterings"),
        ([[[0, 1]], [[1, 0]]], "at least one clustering"),
        ([[0, 1.5]], r"labelings\[0\] has 1.5 for object 1: labels are whole numbers"),
        ([[0, 1], [0, -2]], r"labelings\[1\] has -2 for object 1"),
        ([[0, np.inf]], "has inf for object 1"),
        ([["a", "b"]], r"labelings\[0\] holds text"),
        ([[np.nan, -1]], r"labelings\[0\] has no label at all"),
        ([[0, 1j]], "complex"),
        (np.ma.masked_array([[0, 1]], mask=[[0, 1]]), "labelings is a masked array"),
        ([np.ma.masked_array([0, 1], mask=[0, 1])], r"labelings\[0\] is a masked array"),
        ([[0, 1], [0, 2.0**60]], "for object 1"),
    ],
)
def test_bad_labelings_are_refused(labelings, message):
    with pytest.raises(ValueError, match=message):
        fit(labelings)
    with pytest.raises(ValueError, match=message):
        coclustering_matrix(labelings)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, np.nan], r"weights\[1\] is nan"),
        ([1, 0], r"weights\[1\] is 0.0: weights are positive"),
        ([1, -1], r"weights\[1\] is -1"),
        (["a", "b"], "weights holds text"),
        ([1], r"weights has shape \(1,\): give one for each of 2"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        fit([[0, 1], [1, 1]], weights=weights)


@pytest.mark.parametrize("n_clusters", [0, 3, 1.0, True])
def test_bad_numbers_of_clusters_are_refused(n_clusters):
    with pytest.raises(ValueError, match="n_clusters is"):
        fit([[0, 1]], n_clusters)
