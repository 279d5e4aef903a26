"""HMKC: invariants, independent routes, kernels of any form, ranks and ties."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import eigh, subspace_angles
from scipy.sparse.linalg import aslinearoperator
from sklearn import datasets
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from dendrolab import eigenspace
from dendrolab.hmkc import HMKC
from dendrolab.kernel_checks import check_layer_sizes, list_kernels
from dendrolab.kernels import kernel_family, prepare_kernels
from dendrolab.metrics import partition_scores
from dendrolab.nystrom import LowRankKernel


@parametrize_with_checks([HMKC(2, [4], kernel="gaussians"), HMKC(2, [6, 4], kernel="gaussian")])
def test_conventions_of_scikit_learn(estimator, check):
    check(estimator)


def random_kernels(seed, n=30, m=4, rank=None):
    """Prepared kernels of random tables that share some structure."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, rank or n))
    scales = rng.random((m, 1, rank or n)) ** 3
    tables = (common + rng.normal(size=(m, n, rank or n))) * scales
    return prepare_kernels(tables @ tables.transpose(0, 2, 1))


@pytest.fixture
def iterative(monkeypatch):
    """The route for many objects, also for few."""
    monkeypatch.setattr(eigenspace, "_DENSE_COLD_UP_TO", 0)
    monkeypatch.setattr(eigenspace, "_DENSE_WARM_UP_TO", 0)


@pytest.mark.parametrize("seed", range(200))
def test_what_always_holds(seed):
    rng = np.random.default_rng(seed)
    sizes = sorted(rng.choice(np.arange(4, 29), rng.integers(1, 4), replace=False).tolist(), reverse=True)
    kernels = random_kernels(seed, m=int(rng.integers(1, 6)), rank=int(rng.choice([6, 30])))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = HMKC(int(rng.integers(2, 4)), sizes, tol=1e-6, n_init=1, random_state=0).fit(kernels)
    history = model.objective_history_
    assert np.all(np.diff(history) >= -1e-10 * history[-1])
    for H in [model.partition_, *(H for layer in model.intermediate_ for H in layer)]:
        np.testing.assert_allclose(H.T @ H, np.eye(H.shape[1]), atol=1e-10)
    for weights in [model.kernel_weights_, *model.layer_weights_]:
        assert (weights >= 0).all()
        assert np.linalg.norm(weights) == pytest.approx(1, abs=1e-12)
    assert history[-1] == pytest.approx(objective(model, kernels), rel=1e-10)
    assert model.n_iter_ == len(history)


def objective(model, kernels):
    """Eq. 9, term by term as it is printed."""
    s, m, H = len(model.intermediate_), len(kernels), model.partition_
    total = 0.0
    for p in range(m):
        chain = [layer[p] for layer in model.intermediate_]
        total += model.layer_weights_[0, p] * np.trace(kernels[p] @ chain[0] @ chain[0].T)
        for t in range(1, s):
            total += model.layer_weights_[t, p] * np.trace(
                chain[t - 1] @ chain[t - 1].T @ chain[t] @ chain[t].T
            )
        total += model.kernel_weights_[p] * np.trace(chain[-1] @ chain[-1].T @ H @ H.T)
    return total


def by_the_equations(kernels, n_clusters, size, rounds):
    """One layer with a dense eigendecomposition for every update."""
    m = len(kernels)

    def leading(B, count):
        return np.linalg.eigh(B)[1][:, -count:]

    U = [leading(K, size) for K in kernels]
    gamma = beta = np.full(m, 1 / m)
    history = []
    for _ in range(rounds):
        H = leading(sum(b * A @ A.T for b, A in zip(beta, U, strict=True)), n_clusters)
        U = [leading(g * K + b * H @ H.T, size) for g, b, K in zip(gamma, beta, kernels, strict=True)]
        nu = np.array(
            [[np.trace(A.T @ K @ A), np.sum((A.T @ H) ** 2)] for K, A in zip(kernels, U, strict=True)]
        )
        gamma, beta = (nu / np.linalg.norm(nu, axis=0)).T
        history.append(float((gamma @ nu[:, 0]) + (beta @ nu[:, 1])))
    return history


@pytest.mark.parametrize("seed", range(5))
def test_one_layer_equals_the_equations(seed):
    kernels = random_kernels(seed)
    model = HMKC(3, [8], tol=1e-8, random_state=0).fit(kernels)
    expected = by_the_equations(kernels, 3, 8, model.n_iter_)
    np.testing.assert_allclose(model.objective_history_, expected, rtol=1e-9)


@pytest.mark.parametrize("sizes", [[8], [12, 5]])
def test_the_iterative_route_equals_the_dense_one(sizes, request):
    kernels = random_kernels(0, n=120)
    dense = HMKC(3, sizes, random_state=0).fit(kernels)
    request.getfixturevalue("iterative")
    found = HMKC(3, sizes, random_state=0).fit(kernels)
    np.testing.assert_allclose(found.objective_history_, dense.objective_history_, rtol=1e-8)
    np.testing.assert_allclose(found.kernel_weights_, dense.kernel_weights_, rtol=1e-5)
    assert np.all(np.diff(found.objective_history_) >= -1e-10 * dense.objective_history_[-1])


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("route", ["dense", "iterative"])
def test_runs_repeat_bit_for_bit(route, n_jobs, request):
    if route == "iterative":
        request.getfixturevalue("iterative")
    kernels = random_kernels(1, n=100)
    first = HMKC(3, [12, 6], random_state=7).fit(kernels)
    second = HMKC(3, [12, 6], random_state=7, n_jobs=n_jobs).fit(kernels.copy())
    for name in ("labels_", "partition_", "objective_history_", "kernel_weights_", "layer_weights_"):
        assert np.array_equal(getattr(first, name), getattr(second, name)), name


def test_order_of_objects_and_of_kernels_does_not_matter():
    kernels = random_kernels(2)
    order, turn = np.random.default_rng(0).permutation(30), [2, 0, 3, 1]
    first = HMKC(3, [10, 6], random_state=0).fit(kernels)
    second = HMKC(3, [10, 6], random_state=0).fit(kernels[turn][:, order][:, :, order])
    np.testing.assert_allclose(second.objective_history_, first.objective_history_, rtol=1e-9)
    np.testing.assert_allclose(second.kernel_weights_, first.kernel_weights_[turn], atol=1e-7)
    assert subspace_angles(second.partition_, first.partition_[order]).max() < 1e-6


def test_two_cliques_are_found_exactly():
    cliques = np.kron(np.eye(2), np.ones((10, 10))) + 0.3 * np.eye(20)
    kernels = prepare_kernels([cliques, 2 * cliques])
    with pytest.warns(UserWarning, match="eigenvalues 4 and 5 of kernel 0, kernel 1 are equal"):
        labels = HMKC(2, [4], random_state=0).fit_predict(kernels)
    assert partition_scores(np.repeat([0, 1], 10), labels)["ari"] == 1


def test_one_kernel_alone_gives_its_relaxed_k_means():
    (K,) = random_kernels(3, m=1)
    leading = eigh(K, subset_by_index=[27, 29])[1]
    for given in (K, [K], K[None]):
        model = HMKC(3, [12, 6], random_state=0).fit(given)
        assert subspace_angles(model.partition_, leading).max() < 1e-6
        assert model.kernel_weights_.tolist() == [1]


def test_equal_kernels_have_equal_weights():
    (K,) = random_kernels(3, m=1)
    np.testing.assert_allclose(HMKC(3, [8]).fit([K, K, K]).kernel_weights_, 3**-0.5)


def test_kernels_are_neither_copied_nor_changed():
    kernels = random_kernels(4)
    kernels.flags.writeable = False
    before = kernels.copy()
    for given in (kernels, list(kernels)):
        assert all(np.shares_memory(K, kernels) for K in list_kernels(given))
        HMKC(3, [8], random_state=0).fit(given)
    assert np.array_equal(kernels, before)


class Lazy:
    """A product that has yet to be computed, as a dask array gives it."""

    def __init__(self, value):
        self.value, self.shape = value, value.shape

    def __matmul__(self, X):
        return Lazy(self.value @ X)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.value, dtype=dtype)


@pytest.mark.parametrize("route", ["dense", "iterative"])
@pytest.mark.parametrize("form", [aslinearoperator, sparse.csr_array, Lazy])
def test_anything_with_a_product_does(route, form, request):
    if route == "iterative":
        request.getfixturevalue("iterative")
    kernels = random_kernels(5, n=60)
    expected = HMKC(3, [8, 5], random_state=0).fit(kernels)
    found = HMKC(3, [8, 5], random_state=0).fit([form(kernels[0]), *kernels[1:]])
    np.testing.assert_allclose(found.objective_history_, expected.objective_history_, rtol=1e-9)
    assert np.array_equal(found.labels_, expected.labels_)


def test_factors_do_as_well_as_their_kernels(iterative):
    factors = np.random.default_rng(0).normal(size=(3, 80, 20))
    expected = HMKC(3, [8, 5], random_state=0).fit(prepare_kernels(factors @ factors.transpose(0, 2, 1)))
    found = HMKC(3, [8, 5], random_state=0).fit(prepare_kernels([LowRankKernel(F) for F in factors]))
    np.testing.assert_allclose(found.objective_history_, expected.objective_history_, rtol=1e-8)


def test_float32_kernels_do_and_keep_their_memory():
    kernels = random_kernels(6, n=50)
    found = HMKC(3, [8, 5], random_state=0).fit(kernels.astype(np.float32))
    expected = HMKC(3, [8, 5], random_state=0).fit(kernels)
    np.testing.assert_allclose(found.objective_history_, expected.objective_history_, rtol=1e-4)
    assert np.all(np.diff(found.objective_history_) >= -1e-10 * found.objective_history_[-1])


def test_a_table_goes_through_the_family_prepared():
    X = datasets.load_iris().data
    by_table = HMKC(3, [12, 6], random_state=0, kernel="gaussians").fit(X)
    by_kernels = HMKC(3, [12, 6], random_state=0).fit(prepare_kernels(kernel_family(X, "gaussians")))
    assert np.array_equal(by_table.objective_history_, by_kernels.objective_history_)
    assert by_table.n_features_in_ == 4
    assert np.array_equal(pickle.loads(pickle.dumps(by_table)).labels_, by_table.labels_)
    assert clone(by_table).get_params() == by_table.get_params()


@pytest.mark.parametrize("route", ["dense", "iterative"])
def test_a_short_kernel_is_named_and_not_filled_up(route, request):
    if route == "iterative":
        request.getfixturevalue("iterative")
    kernels = random_kernels(7, n=90)
    F = np.random.default_rng(0).normal(size=(90, 2))
    short = prepare_kernels([kernels[0], F @ F.T, kernels[1]])
    with pytest.warns(UserWarning, match=r"12 columns, more than the rank of kernel 1 \(rank 2\)"):
        model = HMKC(3, [12], random_state=0).fit(short)
    assert [H.shape[1] for H in model.intermediate_[0]] == [12, 5, 12]  # 2 of its own and 3 of the partition
    with pytest.warns(UserWarning, match="rank 2"):
        again = HMKC(3, [12], random_state=1).fit(short)
    assert np.array_equal(again.intermediate_[0][1], model.intermediate_[0][1])


def test_a_tie_in_a_kernel_is_named():
    kernels = [np.eye(12), np.diag(np.arange(12.0, 0, -1))]
    with pytest.warns(UserWarning, match="eigenvalues 5 and 6 of kernel 0 are equal"):
        first = HMKC(2, [5], random_state=0).fit(kernels)
    with pytest.warns(UserWarning, match="kernel 0"):
        second = HMKC(2, [5], random_state=0).fit(kernels)
    assert np.array_equal(first.partition_, second.partition_)


def test_an_indefinite_kernel_is_used_on_request():
    kernels = list(random_kernels(8))
    kernels[2] = kernels[2] - 0.5 * np.eye(30)
    with pytest.raises(
        ValueError, match=r"kernel 2 is not positive semidefinite: its smallest eigenvalue is -0\.5"
    ):
        HMKC(3, [8]).fit(kernels)
    with pytest.warns(UserWarning, match="kernel 2 is not positive semidefinite: its smallest"):
        model = HMKC(3, [8], allow_indefinite=True, random_state=0).fit(kernels)
    assert np.all(np.diff(model.objective_history_) >= -1e-10 * model.objective_history_[-1])
    HMKC(3, [8]).fit([K - 1e-12 * np.eye(30) for K in random_kernels(8)])  # rounding is no matter


def test_too_few_rounds_are_said():
    with pytest.warns(ConvergenceWarning, match="HMKC did not settle in 1 rounds"):
        assert HMKC(3, [8], max_iter=1).fit(random_kernels(0)).n_iter_ == 1


def test_equal_neighbours_on_request_only():
    kernels = random_kernels(9)
    with pytest.raises(ValueError, match="allow_equal_sizes=True"):
        HMKC(3, [8, 8]).fit(kernels)
    model = HMKC(3, [8, 8], allow_equal_sizes=True, random_state=0).fit(kernels)
    assert [layer[0].shape[1] for layer in model.intermediate_] == [8, 8]
    assert check_layer_sizes([7, 7, 7], 2, 30, allow_equal=True) == (7, 7, 7)


def test_objects_that_repeat_stay_together():
    X = np.repeat(datasets.load_iris().data[::5], 2, axis=0)
    labels = HMKC(3, [12, 6], random_state=0, kernel="gaussians").fit(X).labels_
    assert np.array_equal(labels[::2], labels[1::2])
