"""Kernels by name, families, preparation, low-rank factors and spectra."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator
from sklearn.metrics import pairwise

from dendrolab.kernel_functions import (
    FAMILIES,
    expand_family,
    gaussian_kernel,
    intersection_kernel,
    kernel_matrix,
    kernel_names,
    laplacian_kernel,
)
from dendrolab.kernel_spectrum import kernel_spectrum
from dendrolab.kernels import feature_kernels, kernel_family, prepare_kernels, view_kernels
from dendrolab.nystrom import LowRankKernel, nystrom_kernel

LINE = np.array([[0.0], [1.0], [3.0]])  # distances 1, 3, 2; squares 1, 9, 4


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(30, 4))


@pytest.mark.parametrize(
    ("bandwidth", "denominator"),
    [
        ("mean_square", 14 / 3),
        ("mean", 2 * 2**2),
        ("median", 2 * 2**2),
        ("max", 2 * 3**2),
        ("std", 2 * 2 / 3),
        ("variance", 2 * (2 / 3) ** 2),
        (5, 2 * 5**2),
    ],
)
def test_bandwidth_rules_on_three_points(bandwidth, denominator):
    squares = np.array([[0, 1, 9], [1, 0, 4], [9, 4, 0]])
    np.testing.assert_allclose(gaussian_kernel(LINE, bandwidth), np.exp(-squares / denominator), rtol=1e-14)
    np.testing.assert_allclose(
        gaussian_kernel(LINE, bandwidth, scale=0.5), np.exp(-2 * squares / denominator), rtol=1e-14
    )


def test_laplacian_and_intersection_on_three_points():
    np.testing.assert_allclose(
        laplacian_kernel(LINE, "max"), np.exp(-np.array([[0, 1, 3], [1, 0, 2], [3, 2, 0]]) / 3), rtol=1e-14
    )
    H = np.array([[3.0, 0.0], [1.0, 2.0], [0.0, 5.0]])
    assert intersection_kernel(H).tolist() == [[3, 1, 0], [1, 3, 2], [0, 2, 5]]


@pytest.mark.parametrize(
    ("kernel", "parameters", "peer"),
    [
        ("gaussian", {"bandwidth": 0.5}, lambda X: pairwise.rbf_kernel(X, gamma=2)),
        ("laplacian", {"bandwidth": 0.5}, lambda X: pairwise.laplacian_kernel(X, gamma=2)),
        ("polynomial", {"degree": 2, "coef0": 0}, lambda X: (X @ X.T / X.shape[1]) ** 2),
        ("linear", {}, lambda X: X @ X.T),
        ("chi2", {}, pairwise.chi2_kernel),
        ("cosine", {}, lambda X: X @ X.T / np.outer(*2 * [np.linalg.norm(X, axis=1)])),
    ],
)
def test_kernels_by_name_equal_an_independent_route(X, kernel, parameters, peer):
    X = np.abs(X)
    np.testing.assert_allclose(kernel_matrix(X, kernel, **parameters), peer(X), atol=1e-12)


@pytest.mark.parametrize(
    "kernel", ["gaussian", "laplacian", "polynomial", "linear", "cosine", "intersection"]
)
def test_sparse_equals_dense_and_float32_stays(X, kernel):
    X = np.where(np.abs(X) > 0.5, np.abs(X), 0)
    dense = kernel_matrix(X, kernel)
    np.testing.assert_allclose(np.asarray(kernel_matrix(sparse.csr_array(X), kernel)), dense, atol=1e-12)
    single = kernel_matrix(X.astype(np.float32), kernel)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, dense, rtol=1e-4, atol=1e-5)


def test_one_object_has_a_kernel():
    assert gaussian_kernel([[3.0]]).tolist() == [[1.0]]


def test_families_and_their_names(X):
    assert len(kernel_family(X, "gaussians")) == 4
    grid = {"kernel": ["gaussian", "laplacian"], "scale": [0.5, 2]}
    kernels = kernel_family(X, grid)
    assert kernel_names(grid) == [
        "gaussian scale=0.5",
        "gaussian scale=2",
        "laplacian scale=0.5",
        "laplacian scale=2",
    ]
    assert np.array_equal(kernels[3], laplacian_kernel(X, scale=2))
    for name in FAMILIES:
        assert len(kernel_family(X, name)) == len(expand_family(name)) == len(kernel_names(name))


def test_feature_kernels_are_those_of_the_columns(X):
    kernels = feature_kernels(X)
    assert np.array_equal(kernels[2], gaussian_kernel(X[:, [2]], "max"))
    np.testing.assert_allclose(feature_kernels(X * [1, 10, 1e-3, 1e5] + 7), kernels, atol=1e-9)
    assert np.array_equal(feature_kernels(X, "laplacian", scale=2)[1], laplacian_kernel(X[:, [1]], scale=2))


def test_constant_columns_are_dropped_and_said(X):
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(b=1.0, d=2.0)
    with pytest.warns(UserWarning, match="constant columns left out: 'b', 'd'"):
        kernels = feature_kernels(table)
    with pytest.warns(UserWarning, match="constant columns left out: 1, 3"):
        assert np.array_equal(feature_kernels(table.to_numpy()), kernels)
    assert len(kernels) == 2


def test_view_kernels_go_view_by_view(X):
    views = [X[:, :2] * 5 + 1, X[:, 2:]]
    kernels = view_kernels(views, {"kernel": "gaussian", "scale": [1, 2]})
    standard = (X[:, 2:] - X[:, 2:].mean(axis=0)) / X[:, 2:].std(axis=0)
    np.testing.assert_allclose(kernels[3], gaussian_kernel(standard, scale=2), atol=1e-12)
    assert np.array_equal(view_kernels(views, standardize=False)[0], gaussian_kernel(views[0]))


def test_prepared_kernels_equal_the_recipe(X):
    kernels = kernel_family(X, "gaussians")
    before = kernels.copy()
    A = np.eye(30) - 1 / 30
    for K, prepared in zip(kernels, prepare_kernels(kernels), strict=True):
        centred = A @ K @ A + 1e-12 * np.eye(30)
        expected = centred / np.sqrt(np.outer(centred.diagonal(), centred.diagonal()))
        np.testing.assert_allclose(prepared, expected, atol=1e-11)
        assert (prepared.diagonal() == 1).all()
    assert np.array_equal(kernels, before)


def test_preparation_does_not_depend_on_the_unit(X):
    K = X @ X.T
    np.testing.assert_allclose(prepare_kernels([1e-18 * K, 1e18 * K]), prepare_kernels([K, K]), atol=1e-9)


def test_an_object_at_the_mean_is_no_trouble():
    prepared = prepare_kernels([np.outer(x := np.array([1.0, 2, 3]), x)])[0]
    np.testing.assert_allclose(prepared, [[1, 0, -1], [0, 1, 0], [-1, 0, 1]], atol=1e-9)


def test_operators_and_factors_are_prepared_like_arrays(X):
    F = np.hstack([X, X**2])
    expected = prepare_kernels([F @ F.T])[0]
    sparse_kernel, operator = sparse.csr_array(F @ F.T), aslinearoperator(F @ F.T)
    for given in (LowRankKernel(F), sparse_kernel, operator):
        (prepared,) = prepare_kernels([given])
        np.testing.assert_allclose(prepared @ np.eye(30), expected, atol=1e-9)
        np.testing.assert_allclose(prepared.diagonal(), 1, atol=1e-9)
    mixed = prepare_kernels([F @ F.T, LowRankKernel(F)])
    np.testing.assert_allclose(mixed[0], mixed[1] @ np.eye(30), atol=1e-9)


def test_float32_stays_float32(X):
    kernels = kernel_family(X.astype(np.float32), "gaussians")
    prepared = prepare_kernels(kernels)
    assert kernels.dtype == prepared.dtype == np.float32
    np.testing.assert_allclose(prepared, prepare_kernels(kernel_family(X, "gaussians")), atol=1e-4)


def test_spectrum_of_known_kernels():
    spectrum = kernel_spectrum(np.diag([4.0, 2, 2, 0.0]) + 1e-13)
    np.testing.assert_allclose(spectrum.eigenvalues, [4, 2, 2, 0], atol=1e-9)
    assert spectrum.rank == 3
    assert spectrum.kept(1) == pytest.approx(0.5)
    assert kernel_spectrum(np.eye(5)).effective_rank == pytest.approx(5)
    assert kernel_spectrum(np.ones((5, 5))).effective_rank == pytest.approx(1)
    assert kernel_spectrum(LowRankKernel(np.eye(4)[:, :2] + 0)).rank == 2


def test_nystrom_error_is_the_trace_that_is_missing(X):
    K = gaussian_kernel(X, 1.5)
    for count in (5, 15):
        kernel = nystrom_kernel(X, n_landmarks=count, bandwidth=1.5, random_state=0)
        difference = K - kernel @ np.eye(30)
        assert kernel.error == pytest.approx(np.trace(difference) / 30, abs=1e-9)
        assert np.linalg.eigvalsh(difference)[0] > -1e-8
    whole = nystrom_kernel(X, n_landmarks=30, bandwidth=1.5, random_state=0)
    np.testing.assert_allclose(whole @ np.eye(30), K, atol=1e-6)
    assert whole.error < 1e-9


def test_nystrom_repeats_with_a_seed(X):
    first, second = (nystrom_kernel(X, "laplacian", 8, random_state=3) for _ in range(2))
    assert np.array_equal(first.factor, second.factor)


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda: gaussian_kernel(LINE, "wide"), "bandwidth is 'wide': choose from mean_square"),
        (lambda: gaussian_kernel(LINE, 0), "bandwidth is 0"),
        (lambda: gaussian_kernel(LINE, [1]), r"bandwidth is \[1\]"),
        (lambda: gaussian_kernel(LINE, scale=-1), "scale is -1"),
        (lambda: gaussian_kernel(LINE, scale="1"), "scale is '1'"),
        (lambda: gaussian_kernel(np.ones((4, 2))), "all rows are equal"),
        (lambda: gaussian_kernel([[0.0], [0], [0], [0], [1]], "median"), "the median of the distances is 0"),
        (lambda: gaussian_kernel([[1e300], [-1e300]]), "overflow"),
        (lambda: gaussian_kernel([[np.nan], [1.0]]), "X contains NaN"),
        (lambda: kernel_matrix(LINE, "gauss"), "kernel is 'gauss': choose from gaussian"),
        (lambda: kernel_matrix(-LINE, "chi2"), "negative entry -3: the chi2 kernel"),
        (lambda: intersection_kernel(-LINE), "negative entry -3: the intersection kernel"),
        (lambda: kernel_family(LINE, "all"), "the kernel family is 'all'"),
        (lambda: kernel_family(LINE, 3), "the kernel family is 3"),
        (lambda: kernel_matrix(LINE, "gaussian", sigma=2), "the gaussian kernel does not take {'sigma': 2}"),
        (lambda: kernel_spectrum([np.eye(3), np.eye(3)]), "kernel holds 2 kernels: give one"),
        (lambda: prepare_kernels([LowRankKernel(np.ones((3, 2)))]), "kernel 0 is constant"),
        (lambda: kernel_family(LINE, []), "the kernel family is empty"),
        (lambda: feature_kernels(np.ones((4, 2))), "all columns of X are constant"),
        (lambda: view_kernels([]), "views is empty"),
        (lambda: view_kernels([LINE, LINE[:2]]), "view 1 has 2 rows and view 0 has 3"),
        (lambda: view_kernels([LINE, [[np.nan]] * 3]), "view 1 contains NaN"),
        (lambda: prepare_kernels([np.eye(3), np.eye(2)]), "kernel 1 is 2 x 2 and kernel 0 is 3 x 3"),
        (
            lambda: prepare_kernels([np.eye(3), np.diag([1, 0, 1])]),
            r"kernel 1 has 0 on its diagonal at \[1, 1\]",
        ),
        (lambda: prepare_kernels([np.zeros((2, 2))]), "kernel 0 is zero everywhere"),
        (lambda: prepare_kernels([np.eye(3), np.ones((3, 3))]), "kernel 1 is constant"),
        (lambda: prepare_kernels([[[1, 0.5], [0.4, 1]]]), r"kernel 0 is not symmetric: \[0, 1\] is 0.5"),
        (lambda: prepare_kernels([[[1, np.inf], [np.inf, 1]]]), "kernel 0 contains inf"),
        (lambda: prepare_kernels([]), "kernels is empty"),
        (lambda: prepare_kernels([LINE]), r"kernel 0 has shape \(3, 1\)"),
        (lambda: prepare_kernels([3]), "kernel 0 is int"),
        (lambda: nystrom_kernel(LINE, "linear", 2), "LowRankKernel"),
        (lambda: nystrom_kernel(LINE, n_landmarks=4), "n_landmarks is 4: choose a whole number from 1 to 3"),
    ],
)
def test_bad_input_is_refused(work, message):
    with pytest.raises(ValueError, match=message):
        work()


def test_memory_is_asked_before_it_is_taken(X, one_kilobyte):
    for work in (
        lambda: gaussian_kernel(X),
        lambda: feature_kernels(X),
        lambda: prepare_kernels([np.eye(30)]),
    ):
        with pytest.raises(MemoryError, match="are available"):
            work()
