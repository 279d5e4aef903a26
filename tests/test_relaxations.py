"""Bounds and rounded labels of the relaxations, against all clusterings of small graphs."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from dendrolab import CorrelationClustering, coclustering_matrix, correlation_cost
from dendrolab.exact_clustering import exact_clustering
from dendrolab.relaxations import lp_relaxation, sdp_relaxation

BAD_TRIANGLE = [[0, 1, -1], [1, 0, 1], [-1, 1, 0]]


def random_graph(n, seed):
    S = np.triu(np.random.default_rng(seed).normal(size=(n, n)), 1)
    return S + S.T


@pytest.fixture(params=[lp_relaxation, sdp_relaxation], ids=["LP", "SDP"])
def relax(request):
    if request.param is sdp_relaxation:
        pytest.importorskip("cvxpy", reason="cvxpy, the extra 'relax', is not installed")
    return request.param


@pytest.mark.parametrize("n_clusters", [None, 1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_exact_clustering_is_the_best_of_all_label_vectors(n_clusters, seed):
    S = random_graph(5, seed)
    best = min(correlation_cost(labels, S) for labels in product(range(n_clusters or 5), repeat=5))
    labels, cost = exact_clustering(S, n_clusters)
    assert cost == pytest.approx(best)
    assert cost == pytest.approx(correlation_cost(labels, sparse.csr_array(S)))
    assert labels.max() < (n_clusters or 5)


@pytest.mark.parametrize("seed", range(12))
def test_the_optimum_lies_between_the_bound_and_the_rounded_cost(relax, seed):
    S = random_graph(4 + seed % 6, seed)
    answer, optimum = relax(S), exact_clustering(S)[1]
    assert answer.lower_bound <= optimum + 1e-6
    assert optimum <= answer.cost + 1e-9
    assert answer.cost == pytest.approx(correlation_cost(answer.labels, S))
    assert answer.converged
    assert answer.gap(optimum) >= 0


def test_a_triangle_with_one_negative_edge():
    answer = lp_relaxation(BAD_TRIANGLE)
    assert answer.lower_bound == pytest.approx(1)
    assert answer.cost == 1
    assert answer.gap(answer.cost) == pytest.approx(0, abs=1e-9)
    assert answer.gap(2) == pytest.approx(0.5)


def test_the_semidefinite_bound_of_that_triangle():
    pytest.importorskip("cvxpy", reason="cvxpy, the extra 'relax', is not installed")
    # X_12 = X_23 = cos t, X_13 = cos 2t >= 0 maximise 2 cos t - cos 2t = 1.5 at t = 60 degrees, but X_13
    # is then negative: at its border, t = 45 degrees, the sum is 2 cos 45.
    answer = sdp_relaxation(BAD_TRIANGLE)
    assert answer.lower_bound == pytest.approx(2 - np.sqrt(2), abs=1e-3)
    assert answer.cost == 1


def test_the_linear_answer_fulfils_all_triangles():
    x = lp_relaxation(random_graph(12, 3)).distances
    assert (x[:, None, :] <= x[:, :, None] + x[None] + 1e-5).all()
    assert np.diagonal(x).tolist() == [0] * 12
    np.testing.assert_array_equal(x, x.T)


def test_triangles_are_added_over_rounds(monkeypatch):
    S = random_graph(14, 4)
    at_once = lp_relaxation(S)
    monkeypatch.setattr("dendrolab.relaxations._MOST_TRIANGLES", 40)
    assert lp_relaxation(S).lower_bound == pytest.approx(at_once.lower_bound)


def test_objects_with_equal_rows_count_as_one(relax):
    labelings = np.random.default_rng(0).integers(0, 2, size=(3, 40))
    S = coclustering_matrix(labelings)
    answer = relax(S)
    same = (labelings[:, :, None] == labelings[:, None, :]).all(axis=0)
    assert (answer.distances[same] == 0).all()
    assert answer.lower_bound <= CorrelationClustering(random_state=0).fit(S).cost_ + 1e-6


def test_negative_twins_stay_apart(relax):
    assert relax(-np.ones((4, 4))).labels.tolist() == [0, 1, 2, 3]
    assert relax(np.ones((4, 4))).labels.tolist() == [0, 0, 0, 0]
    assert relax(np.zeros((4, 4))).cost == 0
    assert relax([[0.0]]).labels.tolist() == [0]


def test_rounding_keeps_to_the_number_of_clusters(relax):
    answer = relax(-np.ones((6, 6)) + 3 * np.eye(6), n_clusters=2)
    assert answer.labels.max() == 1
    assert answer.lower_bound == pytest.approx(0, abs=1e-3)


def test_too_many_clusters_merge_where_it_costs_least(relax):
    S = coclustering_matrix([[0, 0, 0, 1, 1, 1, 2]] * 3)
    S[5, 6] = S[6, 5] = -2  # less than between any other two clusters
    answer = relax(S, n_clusters=2)
    assert answer.labels.tolist() == [0, 0, 0, 1, 1, 1, 1]


def test_at_a_time_limit_the_bound_still_holds():
    S = random_graph(70, 1)
    with pytest.warns(ConvergenceWarning, match="time limit"):
        answer = lp_relaxation(S, time_limit=0.0)
    assert not answer.converged
    assert 0 <= answer.lower_bound <= CorrelationClustering(n_init=5, random_state=0).fit(S).cost_


def test_missing_cvxpy_is_told(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cvxpy", None)
    with pytest.raises(ImportError, match=r"pip install 'dendrolab\[relax\]'"):
        sdp_relaxation(BAD_TRIANGLE)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="n_clusters is 4"):
        lp_relaxation(BAD_TRIANGLE, n_clusters=4)
    with pytest.raises(ValueError, match="not symmetric"):
        lp_relaxation([[0, 1], [2, 0]])
    with pytest.raises(ValueError, match="13 objects: all clusterings are tried for at most 12"):
        exact_clustering(np.zeros((13, 13)))
    with pytest.raises(ValueError, match="n_clusters is 0"):
        exact_clustering(BAD_TRIANGLE, 0)
