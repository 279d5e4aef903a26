"""Spectral embedding and the baselines: known graphs, other routes, isolated points, refusals."""

import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors

from dendrolab.gaussian_similarity import (
    choose_bandwidth,
    gaussian_similarity,
    log_similarity,
    neighbor_similarity,
)
from dendrolab.laplacian import check_similarity, cluster_rows, embed_similarity
from dendrolab.spectral import (
    _reconstruction_error,
    gaussian_vectors,
    manifold_vectors,
    reconstruction_bandwidths,
    spectral_clustering,
)

CLIQUES = np.kron(np.eye(2), np.ones((3, 3)))


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(60, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)


def random_similarity(n, seed=0):
    return gaussian_similarity(np.random.default_rng(seed).normal(size=(n, 3)), 1.0)[0]


def same_partition(a, b):
    return adjusted_rand_score(a, b) == 1


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_two_cliques(form):
    labels = spectral_clustering(form(CLIQUES), 2, random_state=0)
    assert same_partition(labels, [0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize("n", [40, 600])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_eigenpairs_of_the_pencil(n, form):
    S = random_similarity(n)
    D = np.diag(S.sum(axis=1))
    embedding = embed_similarity(form(S), 4)
    exact = linalg.eigh(D - S, D, eigvals_only=True, subset_by_index=[0, 3])
    Y, mu = embedding.coordinates, embedding.eigenvalues
    np.testing.assert_allclose(mu, exact, atol=1e-10)
    np.testing.assert_allclose(Y.T @ D @ Y, np.eye(4), atol=1e-8)
    np.testing.assert_allclose((D - S) @ Y, D @ Y * mu, atol=1e-6)


def test_a_warm_start_gives_the_same_pairs():
    S = random_similarity(600)
    cold = embed_similarity(S, 4)
    warm = embed_similarity(S, 4, cold.vectors + 0.01)
    np.testing.assert_allclose(warm.eigenvalues, cold.eigenvalues, atol=1e-10)
    np.testing.assert_allclose(warm.vectors, cold.vectors, atol=1e-6)


def test_components_of_a_large_sparse_graph_are_found_exactly():
    S = sparse.block_diag([np.ones((200, 200)), np.ones((150, 150)), np.ones((50, 50))], format="csr")
    embedding = embed_similarity(sparse.csr_array(S), 3)
    np.testing.assert_array_equal(embedding.eigenvalues, 0)
    assert same_partition(
        cluster_rows(embedding.vectors, 3, random_state=0), np.repeat([0, 1, 2], [200, 150, 50])
    )


def test_more_components_than_clusters_keep_the_heaviest():
    S = sparse.csr_array(sparse.block_diag([np.ones((k, k)) for k in (10, 300, 100)], format="csr"))
    rows = np.abs(embed_similarity(S, 2).vectors).sum(axis=1)
    assert not rows[:10].any()
    assert rows[10:].all()


def test_crowded_eigenvalues_fall_back_to_the_dense_route():
    S = np.kron(np.eye(200), np.ones((2, 2))) + 1e-13  # 200 pairs that are nearly no graph at all
    embedding = embed_similarity(S, 3)
    np.testing.assert_allclose(embedding.eigenvalues, 0, atol=1e-9)
    np.testing.assert_allclose(embedding.vectors.T @ embedding.vectors, np.eye(3), atol=1e-8)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("copies", [1, 80])
def test_isolated_objects_get_a_label_and_disturb_no_other(form, copies):
    S = np.kron(np.eye(2), np.ones((3 * copies, 3 * copies)))
    S = linalg.block_diag(S, np.zeros((2, 2)))
    embedding = embed_similarity(form(S), 2)
    assert not embedding.coordinates[-2:].any()
    with pytest.warns(UserWarning, match="2 objects, the first"):
        labels = spectral_clustering(form(S), 2, random_state=0)
    assert same_partition(labels[:-2], np.repeat([0, 1], 3 * copies))


def test_tiny_similarities_count_like_large_ones():
    assert same_partition(
        spectral_clustering(1e-200 * (CLIQUES + 0.01), 2, random_state=0), [0, 0, 0, 1, 1, 1]
    )


def test_the_diagonal_is_left_out_and_the_input_alone():
    S = random_similarity(30)
    copy = S.copy()
    labels = spectral_clustering(S, 3, random_state=0)
    np.testing.assert_array_equal(S, copy)
    other = S + np.diag(np.arange(30.0))
    np.testing.assert_array_equal(labels, spectral_clustering(other, 3, random_state=0))


@pytest.mark.parametrize("n_clusters", [1, 6])
def test_one_cluster_and_as_many_as_objects(n_clusters):
    assert len(np.unique(spectral_clustering(CLIQUES, n_clusters))) == n_clusters


def test_seeds_repeat_bit_for_bit():
    S = random_similarity(500)
    first, second = (embed_similarity(S, 5).vectors for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("vectors", [gaussian_vectors, manifold_vectors])
def test_baselines_find_blobs(blobs, vectors):
    X, y = blobs
    assert same_partition(cluster_rows(vectors(X, 3), 3, random_state=0), y)


def test_gradient_of_the_reconstruction_error():
    rng = np.random.default_rng(0)
    X, at = rng.normal(size=(12, 3)), rng.normal(size=3)
    slopes = [
        (_reconstruction_error(at + h, X)[0] - _reconstruction_error(at - h, X)[0]) / 2e-6
        for h in 1e-6 * np.eye(3)
    ]
    np.testing.assert_allclose(_reconstruction_error(at, X)[1], slopes, rtol=1e-5)


def test_reconstruction_is_better_at_the_bandwidths_found_than_nearby():
    X = np.random.default_rng(0).normal(size=(40, 2)) * [1, 5]
    log_theta = -2 * np.log(reconstruction_bandwidths(X))
    errors = [
        _reconstruction_error(log_theta + shift, X)[0] for shift in ([0, 0], [0.5, 0], [0, 0.5], [-0.5, 0])
    ]
    assert np.argmin(errors) == 0


def test_bandwidth_rules():
    distances = np.array([1.0, 2.0, 6.0])
    assert choose_bandwidth(distances, "median") == 2
    assert choose_bandwidth(distances, "variance") == pytest.approx(14 / 3)
    assert choose_bandwidth(distances, "std") == pytest.approx(np.sqrt(14 / 3))
    assert choose_bandwidth(distances, 3) == 3


def test_gaussian_kernel_by_its_formula():
    X = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    K, tau = gaussian_similarity(X, 2.0)
    assert tau == 2
    np.testing.assert_allclose(K[0], [1, np.exp(-25 / 8), np.exp(-1 / 8)])
    np.testing.assert_allclose(np.exp(log_similarity(X, X, tau)), K)


def test_neighbour_kernel_keeps_the_nearest_pairs_of_the_full_one():
    X = np.random.default_rng(0).normal(size=(50, 2))
    full, tau = gaussian_similarity(X)
    K, same_tau = neighbor_similarity(X, 5)
    assert same_tau == pytest.approx(tau)
    graph = NearestNeighbors(n_neighbors=5).fit(X).kneighbors_graph().toarray()
    kept = (graph + graph.T + np.eye(50)) > 0
    np.testing.assert_allclose(K.toarray(), np.where(kept, full, 0), atol=1e-12)


@pytest.mark.parametrize("rule", ["nearest", 0, -1.0, np.nan, np.inf, None, True, [1.0]])
def test_bandwidths_that_are_refused(rule):
    with pytest.raises(ValueError, match="bandwidth is"):
        choose_bandwidth(np.array([1.0, 2.0]), rule)


@pytest.mark.parametrize("X", [np.ones((4, 2)), [[0.0], [1.0]]])
def test_bandwidth_of_points_without_variance(X):
    with pytest.raises(ValueError, match="equally far apart"):
        gaussian_similarity(X)


def test_a_kernel_that_does_not_fit(one_kilobyte):
    with pytest.raises(MemoryError, match="n_neighbors"):
        gaussian_similarity(np.zeros((100, 1)), 1.0)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    ("S", "message"),
    [
        (np.ones((2, 3)), "square"),
        ([[1, -1], [-1, 1]], "from -1 to 1"),
        (np.zeros((2, 2)), "not all 0"),
        ([[1, 0.5], [0.4, 1]], "not symmetric"),
        ([[1, np.nan], [np.nan, 1]], "NaN"),
    ],
)
def test_similarities_that_are_refused(S, message, form):
    with pytest.raises(ValueError, match=message):
        check_similarity(form(S))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rounding_in_a_similarity_is_taken_out(form):
    S = check_similarity(form([[1, 0.5 + 1e-12, -1e-15], [0.5, 1, 0], [-1e-15, 0, 1]]))
    S = S.toarray() if sparse.issparse(S) else S
    np.testing.assert_array_equal(S, S.T)
    assert S.min() == 0


@pytest.mark.parametrize("n_clusters", [0, 7, 2.0, True])
def test_numbers_of_clusters_that_are_refused(n_clusters):
    with pytest.raises(ValueError, match="n_clusters is"):
        spectral_clustering(CLIQUES, n_clusters)


def test_duplicates_have_no_reconstruction():
    with pytest.raises(ValueError, match="duplicates"):
        reconstruction_bandwidths(np.ones((5, 2)))
