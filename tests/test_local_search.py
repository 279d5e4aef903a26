"""The search on both kinds of graph: starts end in local optima, costs never rise, starts don't mix."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from dendrolab import coclustering_matrix
from dendrolab.labelings import group_labelings, positive_votes
from dendrolab.local_search import local_search, random_starts
from dendrolab.signed_graph import SignedGraph, check_signed_matrix, inside_sums, positive_sum
from dendrolab.vote_graph import VoteGraph


def random_members(n_members, n_objects, n_clusters, seed, gaps=False):
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_clusters, size=n_objects)
    noise = rng.integers(-1 if gaps else 0, n_clusters, size=(n_members, n_objects))
    return np.where(rng.random((n_members, n_objects)) < 0.5, noise, truth)


def assert_no_move_pays(S, labels, n_clusters):
    """Each single object, to each cluster and to a new one where there may be one more."""
    inside = inside_sums(S, labels)
    used = labels.max() + 1
    for i in range(labels.size):
        for cluster in range(used if n_clusters is not None and used >= n_clusters else used + 1):
            moved = labels.copy()
            moved[i] = cluster
            assert inside_sums(S, moved) <= inside + 1e-9


@pytest.mark.parametrize("n_clusters", [None, 3])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("n_objects", [20, 150])
def test_every_start_ends_where_no_single_move_pays(n_clusters, gaps, n_objects):
    labelings = random_members(4, n_objects, 4, seed=n_objects, gaps=gaps)
    members = group_labelings(labelings, [1, 1, 2, 0.5])
    S = check_signed_matrix(coclustering_matrix(labelings, [1, 1, 2, 0.5]))
    starts = random_starts(members.sizes.size, n_clusters, 6, np.random.RandomState(0))
    counted = local_search(VoteGraph(members), starts, n_clusters)
    summed = local_search(SignedGraph(S), starts[:, members.groups], n_clusters)
    for labels, inside in zip(counted.labels[:, members.groups], counted.inside[:, -1], strict=True):
        assert inside == pytest.approx(inside_sums(S, labels))
        assert_no_move_pays(S, np.unique(labels, return_inverse=True)[1], n_clusters)
    for labels, inside in zip(summed.labels, summed.inside[:, -1], strict=True):
        assert inside == pytest.approx(inside_sums(S, labels))
        assert_no_move_pays(S, np.unique(labels, return_inverse=True)[1], n_clusters)


@pytest.mark.parametrize("n_clusters", [None, 3])
def test_costs_never_rise_and_end_when_a_sweep_makes_no_move(n_clusters):
    members = group_labelings(random_members(4, 300, 6, seed=1))
    starts = random_starts(members.sizes.size, n_clusters, 20, np.random.RandomState(0))
    found = local_search(VoteGraph(members), starts, n_clusters)
    assert (np.diff(found.inside, axis=1) >= 0).all()
    for history, n_sweeps in zip(found.inside, found.n_sweeps, strict=True):
        assert history[n_sweeps] == history[n_sweeps - 1]
        assert (np.diff(history[:n_sweeps]) > 0).all()
    assert found.best == found.inside[:, -1].argmax()


@pytest.mark.parametrize("kind", ["votes", "dense"])
@pytest.mark.parametrize("n_clusters", [None, 3])
def test_a_start_ends_the_same_whichever_run_beside_it(kind, n_clusters, monkeypatch):
    labelings = random_members(3, 120, 5, seed=2)
    members = group_labelings(labelings)
    graph, n_nodes = VoteGraph(members), members.sizes.size
    if kind == "dense":
        graph, n_nodes = SignedGraph(check_signed_matrix(coclustering_matrix(labelings))), 120
    starts = random_starts(n_nodes, n_clusters, 7, np.random.RandomState(0))
    starts = np.asfortranarray(starts)
    before = starts.copy()
    together = local_search(graph, starts, n_clusters)
    np.testing.assert_array_equal(starts, before)
    alone = [local_search(graph, starts[[k]], n_clusters) for k in range(7)]
    monkeypatch.setattr("dendrolab.local_search._BYTES", 1)
    in_turn = local_search(graph, starts, n_clusters)
    assert together.inside[:, -1].tolist() == [run.inside[0, -1] for run in alone]
    np.testing.assert_array_equal(together.inside, in_turn.inside)
    np.testing.assert_array_equal(together.labels, in_turn.labels)


def test_starts_differ_and_more_of_them_begin_with_the_same():
    few, many = (random_starts(30, None, n, np.random.RandomState(4)) for n in (3, 10))
    np.testing.assert_array_equal(few, many[:3])
    assert len({tuple(row) for row in many.tolist()}) == 10
    assert len(set(many.max(axis=1))) > 3


def test_one_object_a_label_becomes_singletons():
    members = group_labelings([np.arange(90)])
    starts = random_starts(90, None, 3, np.random.RandomState(0))
    found = local_search(VoteGraph(members), starts)
    assert [len(set(labels)) for labels in found.labels.tolist()] == [90] * 3


def test_too_few_sweeps_give_a_warning_and_the_best_so_far():
    members = group_labelings(random_members(4, 300, 6, seed=3))
    starts = random_starts(members.sizes.size, 4, 5, np.random.RandomState(0))
    with pytest.warns(ConvergenceWarning, match="5 starts are not at a local optimum after 1 sweeps"):
        found = local_search(VoteGraph(members), starts, 4, max_iter=1)
    assert (found.inside[:, 1] > found.inside[:, 0]).all()


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("n_objects", [10, 60])
def test_positive_votes_are_those_of_the_matrix(gaps, n_objects, monkeypatch):
    labelings, weights = random_members(4, n_objects, 3, seed=5, gaps=gaps), [1, 2, 0.5, 1]
    members = group_labelings(labelings, weights)
    expected = positive_sum(check_signed_matrix(coclustering_matrix(labelings, weights)))
    from dendrolab import labelings as module

    assert positive_votes(members) == pytest.approx(expected)
    assert module._positive_votes_by_states(members) == pytest.approx(expected)
    monkeypatch.setattr(module, "_BLOCK_ENTRIES", 7)
    assert module._positive_votes_by_pairs(members) == pytest.approx(expected)
    assert coclustering_matrix(labelings, weights).shape == (n_objects, n_objects)


def test_objects_with_the_same_labels_are_one_group():
    members = group_labelings([[3, 3, 5, 3, 5], [0, 1, 1, 0, 1]])
    assert members.sizes.tolist() == [2, 1, 2]
    assert members.groups.tolist() == [0, 1, 2, 0, 2]
    assert members.codes.tolist() == [[0, 0, 1], [0, 1, 1]]


def test_names_too_large_for_one_number_still_group():
    rng = np.random.default_rng(6)
    labelings = rng.integers(0, 2**40, size=(5, 200))
    labelings[:, 100:] = labelings[:, :100]
    assert group_labelings(labelings).sizes.tolist() == [2] * 100
