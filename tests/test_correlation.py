"""The signed graph, its cost (Eqs. 9 to 11), and correlation clustering of any signed matrix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from dendrolab import CorrelationClustering, coclustering_matrix, correlation_cost
from dendrolab.correlation import object_cost
from dendrolab.exact_clustering import exact_clustering

TRIANGLE = [[0, 1, -1], [1, 0, -1], [-1, -1, 0]]


def random_graph(n, seed, whole=False):
    rng = np.random.default_rng(seed)
    S = rng.integers(-2, 3, (n, n)).astype(float) if whole else rng.normal(size=(n, n))
    S = np.triu(S, 1)
    return S + S.T


def cost_by_pairs(labels, S):
    """Eq. 9, pair by pair."""
    n = len(labels)
    return sum(
        (abs(S[i][j]) - S[i][j] if labels[i] == labels[j] else abs(S[i][j]) + S[i][j]) / 2
        for i in range(n)
        for j in range(i + 1, n)
    )


def test_coclustering_counted_by_hand():
    S = coclustering_matrix([[0, 0, 1], [7, 2, 2], [0, 0, 0]])
    assert S.tolist() == [[3, 1, -1], [1, 3, 1], [-1, 1, 3]]
    assert S.dtype == int


def test_weights_and_gaps_by_hand():
    S = coclustering_matrix([[0, 0, 1], [0, -1, 0], [0, 1, np.nan]], weights=[1, 2, 0.5])
    assert S.tolist() == [[3.5, 0.5, 1], [0.5, 1.5, -1], [1, -1, 3]]


def test_a_pair_never_seen_together_has_weight_zero():
    S = coclustering_matrix([[0, 0, -1, -1], [-1, 0, 0, -1]])
    assert S[0, 2] == S[0, 3] == S[3, 3] == 0


@given(labels=st.lists(st.integers(0, 3), min_size=2, max_size=9), seed=st.integers(0, 99))
def test_cost_is_the_sum_over_pairs(labels, seed):
    S = random_graph(len(labels), seed)
    assert correlation_cost(labels, S) == pytest.approx(cost_by_pairs(labels, S))
    assert correlation_cost([f"c{c}" for c in labels], sparse.csr_array(S)) == pytest.approx(
        cost_by_pairs(labels, S)
    )


@given(
    labels=st.lists(st.integers(0, 3), min_size=2, max_size=9), seed=st.integers(0, 99), to=st.integers(0, 4)
)
def test_a_move_changes_the_cost_by_the_change_of_the_objects_part(labels, seed, to):
    S = random_graph(len(labels), seed)
    i = seed % len(labels)
    moved = [*labels[:i], to, *labels[i + 1 :]]
    change = object_cost(moved, S, i) - object_cost(labels, S, i)
    assert correlation_cost(moved, S) - correlation_cost(labels, S) == pytest.approx(change)
    assert object_cost(labels, sparse.csr_array(S), i) == pytest.approx(object_cost(labels, S, i))


@given(labels=st.lists(st.integers(0, 2), min_size=2, max_size=8), seed=st.integers(0, 99))
def test_each_pair_is_in_the_parts_of_two_objects(labels, seed):
    S = random_graph(len(labels), seed)
    parts = [object_cost(labels, S, i) for i in range(len(labels))]
    assert sum(parts) / 2 == pytest.approx(correlation_cost(labels, S))


def test_the_diagonal_does_not_matter():
    S = np.array(TRIANGLE) + np.diag([5, -3, 0])
    assert correlation_cost([0, 0, 1], S) == 0
    assert CorrelationClustering(random_state=0).fit(S).cost_ == 0


@pytest.mark.parametrize("form", [np.array, sparse.csr_array, sparse.coo_matrix])
def test_triangle(form):
    model = CorrelationClustering(random_state=0).fit(form(TRIANGLE))
    assert model.labels_.tolist() == [0, 0, 1]
    assert (model.cost_, model.n_clusters_) == (0, 2)


def test_all_negative_gives_singletons_and_all_positive_one_cluster():
    assert CorrelationClustering(random_state=0).fit(-np.ones((7, 7))).n_clusters_ == 7
    assert CorrelationClustering(random_state=0).fit(np.ones((7, 7))).n_clusters_ == 1
    assert CorrelationClustering(random_state=0).fit(np.zeros((7, 7))).cost_ == 0
    assert CorrelationClustering(random_state=0).fit([[1.0]]).labels_.tolist() == [0]


@pytest.mark.parametrize("n_clusters", [None, 2, 3])
@pytest.mark.parametrize("seed", range(15))
def test_the_optimum_of_small_graphs_is_found(n_clusters, seed):
    S = random_graph(3 + seed % 7, seed, whole=seed % 2)
    model = CorrelationClustering(n_clusters, random_state=0).fit(S)
    assert model.cost_ == pytest.approx(exact_clustering(S, n_clusters)[1])
    assert model.n_clusters_ <= (n_clusters or len(S))


@pytest.mark.parametrize("n_clusters", [None, 4])
@pytest.mark.parametrize("density", [1.0, 0.2])
def test_dense_and_sparse_take_the_same_way(n_clusters, density):
    S = random_graph(40, 1, whole=True) * (random_graph(40, 2) < np.quantile(random_graph(40, 2), density))
    dense = CorrelationClustering(n_clusters, 20, random_state=3).fit(S)
    by_neighbours = CorrelationClustering(n_clusters, 20, random_state=3).fit(sparse.csr_array(S))
    assert dense.labels_.tolist() == by_neighbours.labels_.tolist()
    np.testing.assert_array_equal(dense.cost_history_, by_neighbours.cost_history_)
    assert dense.cost_ == correlation_cost(dense.labels_, S) == dense.costs_.min()


def test_renaming_and_reordering_objects_keeps_the_cost():
    S = random_graph(30, 5, whole=True)
    order = np.random.default_rng(0).permutation(30)
    costs = [CorrelationClustering(random_state=0).fit(A).cost_ for A in (S, S[np.ix_(order, order)])]
    assert costs[0] == costs[1]


def test_input_is_not_modified_and_runs_repeat():
    S = random_graph(30, 6) + np.eye(30)
    before = S.copy()
    models = [CorrelationClustering(3, random_state=8).fit(S) for _ in range(2)]
    np.testing.assert_array_equal(S, before)
    np.testing.assert_array_equal(models[0].cost_history_, models[1].cost_history_)
    assert clone(models[0]).get_params() == models[0].get_params()


def test_rounding_errors_of_symmetry_are_averaged():
    S = random_graph(10, 7)
    noisy = S + 1e-10 * np.random.default_rng(0).normal(size=S.shape)
    assert correlation_cost(np.arange(10) % 3, noisy) == pytest.approx(correlation_cost(np.arange(10) % 3, S))


@pytest.mark.parametrize(
    ("S", "message"),
    [
        ([[0, 1], [2, 0]], r"not symmetric: \[0, 1\] is 1 and \[1, 0\] is 2"),
        (sparse.csr_array([[0, 1.0], [2, 0]]), r"not symmetric: \[0, 1\] is 1 and \[1, 0\] is 2"),
        ([[0, np.nan], [np.nan, 0]], r"NaN at \(0, 1\).*weight 0"),
        ([[0, np.inf], [np.inf, 0]], "inf"),
        ([[0, 1, 2]], r"shape \(1, 3\)"),
        ([], r"shape \(0,\)"),
        ([["a", "b"], ["b", "a"]], "holds text"),
        (sparse.csr_array([[0, 1j], [1j, 0]]), "complex"),
        (np.array([[0, 1j], [1j, 0]]), "complex"),
        (sparse.csr_array([[0, np.nan], [np.nan, 0]]), r"NaN at \(0, 1\)"),
        ([[0, 1e308, 1e308], [1e308, 0, 1e308], [1e308, 1e308, 0]], "overflows: rescale"),
    ],
)
def test_bad_graphs_are_refused(S, message):
    with pytest.raises(ValueError, match=message):
        CorrelationClustering().fit(S)
    with pytest.raises(ValueError, match=message):
        correlation_cost([0, 1], S)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_clusters": 0}, "n_clusters is 0: choose a whole number from 1 to 3"),
        ({"n_clusters": 4}, "n_clusters is 4"),
        ({"n_clusters": 2.0}, "n_clusters is 2.0"),
        ({"n_init": 0}, "n_init is 0"),
        ({"max_iter": 1.5}, "max_iter is 1.5"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        CorrelationClustering(**settings).fit(TRIANGLE)


@pytest.mark.parametrize(
    ("labels", "message"),
    [([0, 1], r"labels has shape \(2,\)"), ([0, None, 1], "missing"), ([0, np.nan, 1], "missing")],
)
def test_bad_labels_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        correlation_cost(labels, TRIANGLE)


def test_bad_objects_are_refused():
    with pytest.raises(ValueError, match="no object 3"):
        object_cost([0, 0, 0], TRIANGLE, 3)


def test_a_matrix_that_does_not_fit_is_refused(one_kilobyte):
    with pytest.raises(MemoryError, match="ConsensusClustering works without it"):
        coclustering_matrix(np.zeros((2, 100), dtype=int))
    with pytest.raises(MemoryError, match="sparse matrix"):
        CorrelationClustering().fit(np.zeros((100, 100)))
