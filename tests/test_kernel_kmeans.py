"""Kernel k-means, A-MKKM, SB-KKM and MKKM."""

import os
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse.linalg import aslinearoperator
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from dendrolab.kernel_functions import gaussian_kernel
from dendrolab.kernel_kmeans import AverageKernelKMeans, KernelKMeans, single_best_kernel_kmeans
from dendrolab.kernels import feature_kernels, kernel_family, prepare_kernels
from dendrolab.mkkm import MKKM
from dendrolab.nystrom import LowRankKernel

CLIQUES = np.kron(np.eye(2), np.ones((4, 4)))


@parametrize_with_checks(
    [
        KernelKMeans(2, kernel="gaussian"),
        KernelKMeans(2, method="spectral", kernel="linear"),
        AverageKernelKMeans(2, kernel="gaussians"),
        MKKM(2, kernel="gaussians"),
    ]
)
def test_conventions_of_scikit_learn(estimator, check):
    check(estimator)


def objective(X, labels):
    return sum(((X[labels == k] - X[labels == k].mean(axis=0)) ** 2).sum() for k in np.unique(labels))


@pytest.mark.parametrize("n_clusters", [2, 3, 5])
def test_the_linear_kernel_gives_k_means(n_clusters):
    X, _ = make_blobs(80, centers=n_clusters, random_state=1)
    model = KernelKMeans(n_clusters, n_init=20, random_state=0).fit(X @ X.T)
    assert model.inertia_ == pytest.approx(KMeans(n_clusters, n_init=20, random_state=0).fit(X).inertia_)
    assert model.inertia_ == pytest.approx(objective(X, model.labels_))


def test_the_best_of_all_partitions_of_seven_points_is_found():
    X = np.random.default_rng(3).normal(size=(7, 2))
    least = min(objective(X, np.array(labels)) for labels in product(range(3), repeat=7))
    assert KernelKMeans(3, n_init=50, random_state=0).fit(X @ X.T).inertia_ == pytest.approx(least)


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=12, unique=True), st.data())
def test_no_cluster_is_empty_where_there_are_as_many_distinct_points(values, data):
    n_clusters = data.draw(st.integers(1, len(values)))
    x = np.array(values, dtype=float)[:, None]
    for K in (x @ x.T + 1, gaussian_kernel(x, 3.0)):
        labels = KernelKMeans(n_clusters, n_init=2, random_state=0).fit(K).labels_
        assert np.array_equal(np.unique(labels), np.arange(n_clusters))


def test_equal_points_still_fill_the_clusters_and_runs_repeat():
    first, second = (KernelKMeans(3, random_state=0).fit_predict(np.ones((5, 5))) for _ in range(2))
    assert np.array_equal(np.unique(first), [0, 1, 2])
    assert np.array_equal(first, second)


def test_more_starts_are_never_worse_and_start_differently():
    X = np.random.default_rng(0).normal(size=(60, 3))
    losses = [KernelKMeans(8, n_init=n, random_state=5).fit(X @ X.T).inertia_ for n in (1, 2, 10, 40)]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > losses[-1]


def test_a_round_more_is_never_worse():
    X = np.random.default_rng(0).normal(size=(80, 3))
    losses = []
    for rounds in range(1, 8):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            losses.append(KernelKMeans(6, n_init=1, max_iter=rounds, random_state=2).fit(X @ X.T).inertia_)
    assert np.all(np.diff(losses) <= 1e-12)
    assert losses[0] > losses[-1]


@pytest.mark.parametrize(
    "model", [KernelKMeans(2, random_state=0), KernelKMeans(2, "spectral", random_state=0)]
)
def test_two_cliques_are_found(model):
    assert model.fit(CLIQUES).inertia_ == pytest.approx(0, abs=1e-9)
    assert len(set(model.labels_[:4])) == len(set(model.labels_[4:])) == 1
    assert model.labels_[0] != model.labels_[4]


def test_the_relaxed_form_is_spanned_by_leading_eigenvectors():
    K = prepare_kernels([gaussian_kernel(load_iris().data)])[0]
    H = KernelKMeans(3, "spectral", random_state=0).fit(K).partition_
    np.testing.assert_allclose(H.T @ H, np.eye(3), atol=1e-12)
    assert np.trace(H.T @ K @ H) == pytest.approx(np.linalg.eigvalsh(K)[-3:].sum())


def test_a_product_or_factors_do_as_well_as_the_array():
    X = np.random.default_rng(0).normal(size=(40, 3))
    dense = KernelKMeans(4, random_state=0).fit(X @ X.T)
    for K in (aslinearoperator(X @ X.T), LowRankKernel(X)):
        found = KernelKMeans(4, random_state=0).fit(K)
        assert np.array_equal(found.labels_, dense.labels_)
        assert found.inertia_ == pytest.approx(dense.inertia_)


def test_too_few_rounds_are_said():
    X = np.random.default_rng(0).normal(size=(200, 2))
    with pytest.warns(ConvergenceWarning, match="did not settle in 1 rounds"):
        KernelKMeans(9, n_init=1, max_iter=1, random_state=0).fit(X @ X.T)


def test_an_indefinite_kernel_is_accepted_on_request():
    K = np.eye(6) - 2 * np.eye(6)[:, [0]] @ np.eye(6)[[0]]
    with pytest.raises(ValueError, match="X is not positive semidefinite: its smallest eigenvalue is -1"):
        KernelKMeans(2).fit(K)
    with pytest.warns(UserWarning, match="smallest eigenvalue is -1"):
        assert len(KernelKMeans(2, allow_indefinite=True).fit(K).labels_) == 6
    assert len(KernelKMeans(2).fit(np.eye(6) - 1e-12).labels_) == 6  # rounding is no matter


def test_the_average_is_the_relaxed_k_means_of_the_mean():
    kernels = prepare_kernels(kernel_family(load_iris().data))
    H = AverageKernelKMeans(3, random_state=0).fit(kernels).partition_
    mean = kernels.mean(axis=0)
    assert np.trace(H.T @ mean @ H) == pytest.approx(np.linalg.eigvalsh(mean)[-3:].sum())


def test_a_table_goes_through_the_family():
    X = load_iris().data
    for model in (AverageKernelKMeans, MKKM):
        table = model(3, kernel="gaussians", random_state=0).fit(X)
        given_kernels = model(3, random_state=0).fit(prepare_kernels(kernel_family(X, "gaussians")))
        assert np.array_equal(table.partition_, given_kernels.partition_)
        assert table.n_features_in_ == 4


def random_kernels(seed, m=4, n=25):
    rng = np.random.default_rng(seed)
    return prepare_kernels([F @ F.T for F in rng.normal(size=(m, n, 8)) * rng.random((m, 1, 8))])


@pytest.mark.parametrize("seed", range(20))
def test_the_objective_of_mkkm_never_rises(seed):
    model = MKKM(3, tol=0, max_iter=30, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(kernels := random_kernels(seed))
    history, H, weights = model.objective_history_, model.partition_, model.kernel_weights_
    assert np.all(np.diff(history) <= 1e-10 * history[0])
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()
    lost = [np.trace(K) - np.trace(H.T @ K @ H) for K in kernels]
    assert history[-1] == pytest.approx(weights**2 @ lost)


def test_the_weights_of_mkkm_are_the_best_for_its_partition():
    model = MKKM(3, random_state=0).fit(kernels := random_kernels(1))
    H = model.partition_
    lost = np.array([np.trace(K) - np.trace(H.T @ K @ H) for K in kernels])
    sum_to_one = {"type": "eq", "fun": lambda b: b.sum() - 1}
    best = minimize(lambda b: b**2 @ lost, np.full(4, 0.25), constraints=sum_to_one, tol=1e-12)
    np.testing.assert_allclose(model.kernel_weights_, best.x, atol=1e-4)


def test_mkkm_gives_all_weight_to_a_kernel_that_loses_nothing():
    model = MKKM(2, random_state=0).fit([CLIQUES, np.eye(8)])
    np.testing.assert_allclose(model.kernel_weights_, [1, 0], atol=1e-9)
    assert len(set(model.labels_[:4])) == len(set(model.labels_[4:])) == 1


def test_mkkm_says_that_it_did_not_settle():
    with pytest.warns(ConvergenceWarning, match="MKKM did not settle in 1 rounds"):
        MKKM(3, max_iter=1).fit(random_kernels(0))


def test_the_single_best_kernel_is_the_most_accurate():
    y = np.repeat([0, 1], 4)
    best = single_best_kernel_kmeans([np.eye(8) + 0.1 * np.kron(np.ones((4, 4)), np.eye(2)), CLIQUES], y)
    assert (best.kernel, best.accuracy, best["nmi"]) == (1, 1.0, 1.0)
    assert best.labels.shape == (2, 8)
    assert best.scores[0]["accuracy"] < 1


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda: KernelKMeans(9).fit(CLIQUES), "n_clusters is 9: choose a whole number from 1 to 8"),
        (lambda: KernelKMeans(2.0).fit(CLIQUES), "n_clusters is 2.0"),
        (lambda: KernelKMeans(2, "ward").fit(CLIQUES), "method is 'ward'"),
        (lambda: KernelKMeans(2, n_init=0).fit(CLIQUES), "n_init is 0"),
        (lambda: KernelKMeans(2, max_iter=0).fit(CLIQUES), "max_iter is 0"),
        (lambda: KernelKMeans(2).fit(CLIQUES[:, :3]), r"X has shape \(8, 3\)"),
        (lambda: KernelKMeans(2, kernel="rbf").fit(CLIQUES), "kernel is 'rbf'"),
        (lambda: AverageKernelKMeans(9).fit([CLIQUES]), "n_clusters is 9"),
        (lambda: AverageKernelKMeans(2, kernel="rbf").fit(CLIQUES), "the kernel family is 'rbf'"),
        (lambda: AverageKernelKMeans(2).fit([CLIQUES, -np.eye(8)]), "kernel 1 is not positive semidefinite"),
        (lambda: MKKM(2, max_iter=0).fit([CLIQUES]), "max_iter is 0"),
        (lambda: MKKM(2).fit([CLIQUES, np.eye(7)]), "kernel 1 is 7 x 7 and kernel 0 is 8 x 8"),
        (lambda: single_best_kernel_kmeans([CLIQUES], [0, 1]), "y has 2 entries and the kernels 8 objects"),
    ],
)
def test_bad_input_is_refused(work, message):
    with pytest.raises(ValueError, match=message):
        work()


def test_the_published_baselines_on_heart_come_out():
    folder = Path(os.environ.get("DENDROLAB_DATA", ""))
    if not (folder / "statlog_heart.csv").is_file():
        pytest.skip("DENDROLAB_DATA names no folder with statlog_heart.csv")
    table = pd.read_csv(folder / "statlog_heart.csv")
    X, y = table.drop(columns="label").to_numpy(float), table["label"].to_numpy()
    kernels = prepare_kernels(feature_kernels((X - X.mean(axis=0)) / X.std(axis=0)))
    average = AverageKernelKMeans(2, random_state=0).fit(kernels)
    accuracy = max(np.mean(average.labels_ == np.unique(y, return_inverse=True)[1]), 0)
    assert round(100 * max(accuracy, 1 - accuracy), 2) == 82.22
    best = single_best_kernel_kmeans(kernels, y, random_state=0)
    assert round(100 * best.accuracy, 2) == 76.30
    assert round(100 * max(score["nmi"] for score in best.scores), 2) == 20.49
