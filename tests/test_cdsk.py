"""CDSK: conventions, recovery, the objective's course, the entropy rule, new points."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import entr, softmax
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from dendrolab.cdsk import CDSK
from dendrolab.cdsk_classifier import classify
from dendrolab.cdsk_lam import LAM_GRID, mean_entropy
from dendrolab.cdsk_similarity import set_self_similarity
from dendrolab.cdsk_start import sparse_start
from dendrolab.gaussian_similarity import gaussian_similarity
from dendrolab.spectral import spectral_clustering

SOLVERS = ("reduced", "smo", "discrete")
CLIQUES = np.kron(np.eye(2), np.ones((4, 4)))


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(90, centers=[[0, 0], [9, 0], [0, 9]], random_state=3)


@pytest.fixture(scope="module")
def iris():
    return load_iris().data


def fitted(X, n_clusters=3, **parameters):
    return CDSK(n_clusters, **{"lam": 0.1, "random_state": 0, **parameters}).fit(X)


def gram(X):
    return lambda i: X @ X[i]


def kernel(X, bandwidth="variance"):
    return gaussian_similarity(X, bandwidth)[0]


@parametrize_with_checks(
    [CDSK(2, lam=0.1, random_state=0), CDSK(3, lam=0.3, bandwidth=2.0, solver="smo", random_state=0)]
)
def test_conventions_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:the objective still changes")
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("init", ["uniform", "sparse"])
@pytest.mark.parametrize("similarity", ["kernel", "general", "density"])
def test_blobs_are_found(blobs, solver, init, similarity):
    X, y = blobs
    model = fitted(X, solver=solver, init=init, similarity=similarity, bandwidth="std", max_iter=50)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.weights_.min() >= 0
    assert model.weights_.sum() == pytest.approx(1)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_two_cliques_are_found(solver, form):
    labels = fitted(form(CLIQUES), 2, solver=solver, metric="precomputed").labels_
    assert adjusted_rand_score([0] * 4 + [1] * 4, labels) == 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_attributes_fit_together(iris, solver):
    model = fitted(iris, solver=solver, max_iter=60)
    S, Y = model.similarity_, model.embedding_
    np.testing.assert_array_equal(S, S.T)
    np.testing.assert_allclose(Y.T @ (S.sum(axis=1)[:, None] * Y), np.eye(3), atol=1e-8)
    n, alpha = len(iris), model.weights_
    K = kernel(iris)
    formula = 2 * (np.add.outer(alpha, alpha) - n * 0.1 * np.outer(alpha, alpha)) * K
    other = ~np.eye(n, dtype=bool)
    np.testing.assert_allclose(S[other], np.maximum(formula, 0)[other], atol=1e-14)
    if solver != "discrete":
        objective = model.eigenvalues_.sum() / 2 + n * 0.1 * alpha @ K @ alpha
        assert model.objective_history_[-1] == pytest.approx(objective)


@pytest.mark.parametrize("init", ["uniform", "sparse"])
@pytest.mark.parametrize("lam", [0.05, 0.5])
def test_the_reduced_objective_never_rises(iris, init, lam):
    model = fitted(iris, init=init, lam=lam)
    assert np.all(np.diff(model.objective_history_) <= 0)
    assert model.objective_history_[-1] < model.objective_history_[0]
    assert len(model.objective_history_) == model.n_iter_ + 1


@pytest.mark.parametrize("solver", ["smo", "discrete"])
def test_the_alpha_step_never_raises_the_objective(iris, solver):
    history = fitted(iris, solver=solver, lam=0.05, max_iter=60).objective_history_
    assert np.all(history[1::2] <= history[:-1:2] + 1e-6)


def test_the_reduced_solver_moves_no_weight_far_and_the_papers_step_collapses(iris):
    gentle, collapsed = (fitted(iris, solver=solver, max_iter=60).weights_ for solver in ("reduced", "smo"))
    assert np.abs(np.log(gentle * len(iris))).max() <= 2
    assert np.count_nonzero(collapsed) < 30


def test_a_kernel_gives_what_its_data_gives(iris):
    from_data, from_kernel = fitted(iris), fitted(kernel(iris), metric="precomputed")
    np.testing.assert_array_equal(from_data.labels_, from_kernel.labels_)
    np.testing.assert_allclose(from_data.weights_, from_kernel.weights_)
    assert from_kernel.bandwidth_ is None


def test_without_rounds_to_speak_of_it_is_spectral_clustering(iris):
    model = fitted(iris, self_similarity="nearest", tol=1e9)
    assert model.n_iter_ == 1
    K = set_self_similarity(kernel(iris))
    assert adjusted_rand_score(model.labels_, spectral_clustering(K, 3, random_state=0)) > 0.9


@pytest.mark.filterwarnings("ignore:10% of", "ignore:the objective still changes")
@pytest.mark.parametrize(("solver", "lam"), [("reduced", "auto"), ("smo", 0.2), ("discrete", 0.2)])
def test_a_seed_repeats_bit_for_bit(iris, solver, lam):
    first, second = (fitted(iris, solver=solver, lam=lam) for _ in range(2))
    for name in ("labels_", "weights_", "embedding_", "objective_history_"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert first.lam_ == second.lam_


def test_the_order_of_objects_does_not_matter(blobs):
    X, _ = blobs
    order = np.random.default_rng(0).permutation(len(X))
    whole, shuffled = fitted(X), fitted(X[order])
    np.testing.assert_allclose(shuffled.weights_, whole.weights_[order], atol=1e-8)
    assert adjusted_rand_score(shuffled.labels_, whole.labels_[order]) == 1


def test_auto_takes_the_least_entropy():
    X, _ = make_blobs(200, centers=3, random_state=0)
    model = CDSK(3, random_state=0).fit(X)
    assert model.lam_ == LAM_GRID[model.lam_entropies_.argmin()]
    assert LAM_GRID.tolist() == [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5]


def test_auto_uses_all_objects_where_a_tenth_is_too_few(blobs):
    X, _ = blobs
    with pytest.warns(UserWarning, match="chosen on all"):
        model = CDSK(3, random_state=0).fit(X)
    direct = [mean_entropy(fitted(X, lam=lam).embedding_) for lam in LAM_GRID]
    np.testing.assert_allclose(model.lam_entropies_, direct)


def test_entropy_by_its_definition():
    Y = np.random.default_rng(0).normal(size=(5, 3))
    assert mean_entropy(Y) == pytest.approx(np.mean([entr(softmax(row)).sum() for row in Y]))
    assert mean_entropy([[1e4, -1e4]]) == 0


def test_new_points_by_the_classifiers_definition(iris):
    model, new = fitted(iris, bandwidth=0.5), iris[::7] + 0.3
    K = np.exp(-np.square(new[:, None] - iris).sum(axis=2) / (2 * 0.5**2))
    h = np.column_stack([K[:, model.labels_ == k] @ model.weights_[model.labels_ == k] for k in range(3)])
    np.testing.assert_array_equal(model.predict(new), h.argmax(axis=1))
    from_kernel = fitted(kernel(iris, 0.5), metric="precomputed")
    np.testing.assert_array_equal(from_kernel.predict(K), model.predict(new))
    np.testing.assert_array_equal(from_kernel.predict(sparse.csr_array(K)), model.predict(new))


def test_training_and_far_points_of_blobs_get_their_own_cluster(blobs):
    X, _ = blobs
    model = fitted(X, bandwidth="std")
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(
        model.predict(1e4 * np.array([[1.0, 0], [0, 1]])), model.predict([[9, 0], [0, 9]])
    )


def test_a_cluster_without_weight_is_never_predicted():
    terms = np.log(np.array([[0.5, 0.2, 1e-300], [0.1, 0.2, 1e-300]]))
    terms[:, 2] = -np.inf
    np.testing.assert_array_equal(classify(terms, np.array([0, 2, 1]), 3), [0, 2])


def test_sparse_start_by_its_definition():
    X = np.random.default_rng(0).normal(size=(6, 2))

    def cost(alpha):
        left_out = [X[i] - (alpha @ X - alpha[i] * X[i]) for i in range(6)]
        return np.square(left_out).sum() + 0.1 * np.count_nonzero(alpha)

    start = sparse_start(gram(X), np.square(X).sum(axis=1), X @ X.sum(axis=0))
    assert start.sum() == pytest.approx(1)
    others = [*np.random.default_rng(1).dirichlet(np.ones(6), 200), *np.eye(6)]
    assert cost(start) <= min(map(cost, others))


def test_sparse_start_is_sparser_where_an_object_costs_more():
    X = np.random.default_rng(0).normal(size=(40, 5))
    parts = gram(X), np.square(X).sum(axis=1), X @ X.sum(axis=0)
    cheap, dear = (np.count_nonzero(sparse_start(*parts, price)) for price in (0, 1e3))
    assert dear == 1 < cheap


def test_the_paper_step_says_when_it_has_not_settled(iris):
    with pytest.warns(ConvergenceWarning, match="max_iter=1 rounds"):
        fitted(iris, solver="smo", max_iter=1)


def test_neighbours_alone_find_the_blobs(blobs):
    X, y = blobs
    model = fitted(X, n_neighbors=8)
    assert sparse.issparse(model.similarity_)
    assert adjusted_rand_score(y, model.labels_) == 1
    everyone = fitted(X, n_neighbors=89)
    np.testing.assert_allclose(everyone.similarity_.toarray(), fitted(X).similarity_, atol=1e-8)
