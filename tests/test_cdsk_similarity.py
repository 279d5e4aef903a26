"""The identities behind the derivation of CDSK, on small random cases; sparse pairs beside dense ones."""

import numpy as np
import pytest
from scipy import sparse

from dendrolab.cdsk_classifier import labeling_bound
from dendrolab.cdsk_similarity import DensePairs, SparsePairs, penalty_kernel, set_self_similarity
from dendrolab.gaussian_similarity import gaussian_similarity, neighbor_similarity
from dendrolab.laplacian import embed_similarity

N = 9
LAM = 0.3


@pytest.fixture(params=range(4))
def case(request):
    """Kernel, weights, labels in three clusters."""
    rng = np.random.default_rng(request.param)
    K, _ = gaussian_similarity(rng.normal(size=(N, 2)), 1.0)
    return K, rng.dirichlet(np.ones(N)), rng.permutation(np.arange(N) % 3)


def uncut_similarity(K, P, alpha):
    return 2 * np.add.outer(alpha, alpha) * K - 2 * N * LAM * np.outer(alpha, alpha) * P


def pairwise_cost(S, labels):
    """Sum of S over pairs in different clusters, each once, by loops."""
    return sum(S[i, j] for i in range(N) for j in range(i) if labels[i] != labels[j])


def mean_loss_and_norm(K, alpha, labels):
    """Mean of 1 - margin without the term of all objects, and sum_y ||w_y||^2, as defined."""
    loss = sum(2 * alpha[j] * K[i, j] for i in range(N) for j in range(N) if labels[j] != labels[i]) / N
    norm = sum(
        alpha[labels == k] @ K[np.ix_(labels == k, labels == k)] @ alpha[labels == k] for k in range(3)
    )
    return loss, norm


def test_the_bound_is_a_sum_over_pairs(case):
    K, alpha, labels = case
    loss, norm = mean_loss_and_norm(K, alpha, labels)
    pairs = pairwise_cost(uncut_similarity(K, K, alpha), labels) + N * LAM * alpha @ K @ alpha
    assert pairs == pytest.approx(N * (loss + LAM * norm))
    assert labeling_bound(K, labels, LAM, alpha)[0] == pytest.approx(loss + LAM * norm)


def test_the_margin_is_the_loss_and_the_term_of_all_objects(case):
    K, alpha, labels = case
    own = labels[:, None] == labels
    margins = np.where(own, K, 0) @ alpha - np.where(own, 0, K) @ alpha
    loss, _ = mean_loss_and_norm(K, alpha, labels)
    assert np.mean(1 - margins) == pytest.approx(1 - np.mean(K @ alpha) + loss)


@pytest.mark.parametrize("similarity", ["kernel", "density"])
def test_the_laplacian_trace_is_the_sum_over_pairs_for_binary_Y(case, similarity):
    K, alpha, labels = case
    S = DensePairs(K, penalty_kernel(K, similarity), N * LAM).similarity(alpha)
    Y = np.eye(3)[labels]
    L = np.diag(S.sum(axis=1)) - S
    assert np.trace(Y.T @ L @ Y) / 2 == pytest.approx(pairwise_cost(S, labels))


@pytest.mark.parametrize("similarity", ["kernel", "general", "density"])
def test_the_trace_and_penalty_are_quadratic_in_alpha(case, similarity):
    K, alpha, _ = case
    P = penalty_kernel(K, similarity)
    Y = np.random.default_rng(0).normal(size=(N, 2))
    column, diagonal, b = DensePairs(K, P, N * LAM).quadratic(Y)
    Q = np.array([column(i) for i in range(N)])
    S = uncut_similarity(K, P, alpha)
    L = np.diag(S.sum(axis=1)) - S
    direct = np.trace(Y.T @ L @ Y) / 2 + N * LAM * alpha @ P @ alpha
    assert b @ alpha + alpha @ Q @ alpha == pytest.approx(direct)
    np.testing.assert_allclose(Q, Q.T, atol=1e-12)
    np.testing.assert_allclose(diagonal, np.diagonal(Q))


@pytest.mark.parametrize("similarity", ["kernel", "general", "density"])
def test_the_quadratic_is_convex_for_binary_Y(case, similarity):
    K, _, labels = case
    if similarity == "general":
        K = set_self_similarity(K)
        assert np.linalg.eigvalsh(K)[0] < -1e-3
    column, *_ = DensePairs(K, penalty_kernel(K, similarity), N * LAM).quadratic(np.eye(3)[labels])
    assert np.linalg.eigvalsh([column(i) for i in range(N)])[0] > -1e-12


def test_the_quadratic_need_not_be_convex_for_relaxed_Y(case):
    K, *_ = case
    column, *_ = DensePairs(K, K, N * LAM).quadratic(3 * np.random.default_rng(0).normal(size=(N, 2)))
    assert np.linalg.eigvalsh([column(i) for i in range(N)])[0] < -1e-3


def test_similarity_is_its_formula_cut_at_zero():
    K, alpha = np.ones((3, 3)), np.array([0.8, 0.2, 0.0])
    S = DensePairs(K, K, 10.0).similarity(alpha)
    np.testing.assert_allclose(S, [[0, 0, 1.6], [0, 0, 0.4], [1.6, 0.4, 0]], atol=1e-12)


def test_the_penalty_of_densities_is_a_gaussian_of_sqrt_2_times_the_bandwidth():
    X = np.random.default_rng(0).normal(size=(5, 2))
    K, tau = gaussian_similarity(X, 0.7)
    np.testing.assert_allclose(penalty_kernel(K, "density"), gaussian_similarity(X, np.sqrt(2) * tau)[0])


def test_the_penalty_of_a_difference_of_kernels_is_their_sum():
    values, vectors = np.linalg.eigh(
        set_self_similarity(gaussian_similarity(np.arange(6.0)[:, None], 1.0)[0])
    )
    plus = (vectors * np.maximum(values, 0)) @ vectors.T
    minus = (vectors * np.maximum(-values, 0)) @ vectors.T
    np.testing.assert_allclose(penalty_kernel(plus - minus, "general"), plus + minus, atol=1e-12)


@pytest.mark.parametrize("lam", [0.05, 0.5])
@pytest.mark.parametrize("similarity", ["kernel", "density"])
def test_gradient_of_the_eigenvalues_by_finite_differences(case, similarity, lam):
    K, alpha, _ = case
    P = penalty_kernel(K, similarity)
    for pairs in (DensePairs(K, P, N * lam), SparsePairs(*(sparse.csr_array(M) for M in (K, P)), N * lam)):
        embedding = embed_similarity(pairs.similarity(alpha), 3)
        gradient = pairs.trace_gradient(alpha, embedding.coordinates, embedding.eigenvalues)
        gradient += pairs.penalty_gradient(alpha)

        def objective(weights, pairs=pairs):
            values = embed_similarity(pairs.similarity(weights), 3).eigenvalues
            return values.sum() / 2 + pairs.penalty(weights)

        step = 1e-6 * np.eye(N)
        slopes = [(objective(alpha + h) - objective(alpha - h)) / 2e-6 for h in step]
        np.testing.assert_allclose(gradient, slopes, rtol=1e-4, atol=1e-4)


def test_sparse_pairs_agree_with_dense_ones_on_a_graph():
    rng = np.random.default_rng(0)
    graph, _ = neighbor_similarity(rng.normal(size=(30, 2)), 4, 1.0)
    assert graph.nnz < 300
    K = set_self_similarity(graph)
    alpha, Y, mu = rng.dirichlet(np.ones(30)), rng.normal(size=(30, 3)), rng.uniform(size=3)
    thin, full = SparsePairs(K, graph, 6.0), DensePairs(K.toarray(), graph.toarray(), 6.0)
    np.testing.assert_allclose(thin.similarity(alpha).toarray(), full.similarity(alpha), atol=1e-14)
    np.testing.assert_allclose(thin.trace_gradient(alpha, Y, mu), full.trace_gradient(alpha, Y, mu))
    assert thin.penalty(alpha) == pytest.approx(full.penalty(alpha))
    for one, other in zip(thin.quadratic(Y), full.quadratic(Y), strict=True):
        if callable(one):
            one, other = (np.array([column(i) for i in range(30)]) for column in (one, other))
        np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_self_similarity_is_that_of_the_nearest_other(form):
    K = form([[1.0, 0.5, 0.2], [0.5, 1.0, 0.0], [0.2, 0.0, 1.0]])
    filled = set_self_similarity(K)
    filled = filled.toarray() if sparse.issparse(filled) else filled
    np.testing.assert_array_equal(filled, [[0.5, 0.5, 0.2], [0.5, 0.5, 0.0], [0.2, 0.0, 0.2]])
    assert K[0, 0] == 1


def test_general_similarity_is_refused_for_sparse_kernels():
    with pytest.raises(ValueError, match="dense matrix"):
        penalty_kernel(sparse.eye_array(3, format="csr"), "general")


def test_the_weights_that_labeling_bound_finds_are_best():
    K, _ = gaussian_similarity(np.random.default_rng(0).normal(size=(N, 2)), 1.0)
    labels = list("aabbcabca")
    best, weights = labeling_bound(K, labels, LAM)
    assert weights.sum() == pytest.approx(1)
    others = np.random.default_rng(1).dirichlet(np.ones(N), size=50)
    assert all(best <= labeling_bound(K, labels, LAM, alpha)[0] + 1e-9 for alpha in [*others, *np.eye(N)])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": [0, 1]}, "2 labels"),
        ({"lam": 0}, "lam is 0"),
        ({"K": -np.eye(3)}, "K has entries from -1"),
        ({"K": [[1, 0, 0], [1, 1, 0], [0, 0, 1]]}, "not symmetric"),
    ],
)
def test_refusals_of_the_bound(change, message):
    with pytest.raises(ValueError, match=message):
        labeling_bound(**{"K": np.eye(3), "labels": [0, 1, 1], **change})
