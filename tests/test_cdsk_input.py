"""CDSK on odd and bad input."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

from dendrolab.cdsk import CDSK
from dendrolab.gaussian_similarity import gaussian_similarity

SOLVERS = ("reduced", "smo", "discrete")
CLIQUES = np.kron(np.eye(2), np.ones((4, 4)))


@pytest.fixture(scope="module")
def iris():
    return load_iris().data


def fitted(X, n_clusters=3, **parameters):
    return CDSK(n_clusters, **{"lam": 0.1, "random_state": 0, **parameters}).fit(X)


@pytest.mark.parametrize("solver", SOLVERS)
def test_duplicates_and_an_object_out_of_reach(solver):
    X = np.repeat([[0.0], [0.1], [5.0], [5.1], [1e6]], [5, 4, 4, 4, 1], axis=0)
    with pytest.warns(UserWarning, match="1 objects, the first 17, have no similarity"):
        model = fitted(X, 2, solver=solver, bandwidth=1.0, max_iter=60)
    assert np.isfinite(model.embedding_).all()
    assert adjusted_rand_score([0] * 9 + [1] * 8, model.labels_[:17]) == 1


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("n_clusters", [1, 8])
def test_one_cluster_and_as_many_as_objects(solver, n_clusters):
    X = np.random.default_rng(0).normal(size=(8, 2))
    model = fitted(X, n_clusters, solver=solver, max_iter=60)
    assert len(np.unique(model.labels_)) == n_clusters
    assert model.embedding_.shape == (8, n_clusters)


def test_equal_points_need_a_number():
    assert fitted(np.ones((6, 2)), 2, bandwidth=1.0).labels_.shape == (6,)
    with pytest.raises(ValueError, match="equally far apart"):
        fitted(np.ones((6, 2)), 2)


def test_the_input_is_left_alone(iris):
    for X, metric in ((iris, "euclidean"), (gaussian_similarity(iris)[0], "precomputed")):
        copy = X.copy()
        fitted(X, metric=metric, init="sparse").predict(X)
        np.testing.assert_array_equal(X, copy)


def test_parameters_are_stored_as_given():
    model = CDSK(4, lam=0.3, n_neighbors=5, similarity="density")
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters is 0"),
        ({"n_clusters": 2.0}, "n_clusters is 2.0"),
        ({"n_clusters": 9}, "8 samples"),
        ({"lam": 0}, "lam is 0"),
        ({"lam": -1.0}, "lam is -1.0"),
        ({"lam": np.nan}, "lam is nan"),
        ({"lam": "best"}, "lam is 'best'"),
        ({"lam": None}, "lam is None"),
        ({"bandwidth": 0}, "bandwidth is 0"),
        ({"bandwidth": "wide"}, "bandwidth is 'wide'"),
        ({"solver": "sgd"}, "solver is 'sgd'"),
        ({"init": "random"}, "init is 'random'"),
        ({"metric": "cosine"}, "metric is 'cosine'"),
        ({"similarity": "none"}, "similarity is 'none'"),
        ({"self_similarity": 1}, "self_similarity is 1"),
        ({"max_iter": 0}, "max_iter is 0"),
        ({"n_neighbors": 0}, "n_neighbors is 0"),
        ({"n_init": 0}, "n_init is 0"),
        ({"tol": 0}, "tol is 0"),
    ],
)
def test_parameters_that_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        CDSK(**{"n_clusters": 2, **parameters}).fit(np.arange(16.0).reshape(8, 2))


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.ones((3, 2)), "square"),
        ([[1, 0.5, 0], [0.2, 1, 0], [0, 0, 1]], "not symmetric"),
        ([[1, -0.5], [-0.5, 1]], "from -0.5 to 1"),
        (np.zeros((2, 2)), "not all 0"),
    ],
)
def test_kernels_that_are_refused(K, message):
    with pytest.raises(ValueError, match=message):
        fitted(K, 2, metric="precomputed")


def test_negative_similarities_of_new_points_are_refused():
    model = fitted(CLIQUES, 2, metric="precomputed")
    with pytest.raises(ValueError, match="0 or above"):
        model.predict(-CLIQUES[:1])


def test_missing_values_are_refused(iris):
    with pytest.raises(ValueError, match="X contains NaN"):
        fitted(np.where(iris > 7.5, np.nan, iris))
