"""Ensembles of dendrograms: members, their faults, settings, refusals."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import make_blobs
from sklearn.utils.estimator_checks import parametrize_with_checks

from dendrolab import (
    ConsensusClustering,
    DendrogramEnsemble,
    DendrogramFeatures,
    coclustering_matrix,
    correlation_cost,
    partition_scores,
)

LINE = [[0.0], [0.1], [0.3], [5.0], [5.2], [5.3]]
LINKAGES = ("single", "complete", "average", "ward")


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(90, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)


class Scripted(ClusterMixin, BaseEstimator):
    """A clusterer that goes through a list of labels or errors."""

    answers = ()

    def fit_predict(self, X, y=None):
        answer = Scripted.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return np.array(answer)


def fit_scripted(*answers, n_clusters=2):
    Scripted.answers = list(answers)
    return DendrogramEnsemble(n_clusters, clusterer=Scripted(), n_init=5, random_state=0).fit(LINE)


@parametrize_with_checks([DendrogramEnsemble(2, n_init=2)])
def test_scikit_learn_conventions(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.parametrize("clusterer", ["kmeans", "gmm", "spectral", KMeans(3, n_init=5)])
def test_clear_clusters_are_found(clusterer, blobs):
    X, y = blobs
    model = DendrogramEnsemble(3, clusterer=clusterer, n_init=10, random_state=0).fit(X)
    assert partition_scores(y, model.labels_)["ari"] == 1
    assert tuple(model.members_) == tuple(model.dendrograms_) == LINKAGES
    assert (model.cost_, model.problems_) == (0, {})


def test_cost_is_that_of_the_members_graph():
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = DendrogramEnsemble(4, n_init=10, random_state=0).fit(X)
    S = coclustering_matrix(list(model.members_.values()))
    assert model.cost_ == correlation_cost(model.labels_, S)
    assert model.member_costs_ == {name: correlation_cost(m, S) for name, m in model.members_.items()}
    assert model.cost_ <= min(model.member_costs_.values())


def test_members_are_the_clusterer_on_the_features(blobs):
    X, _ = blobs
    model = DendrogramEnsemble(3, ["ward"], clusterer=KMeans(3, n_init=5, random_state=1)).fit(X)
    expected = KMeans(3, n_init=5, random_state=1).fit_predict(DendrogramFeatures("ward").fit_transform(X))
    assert partition_scores(expected, model.members_["ward"])["ari"] == 1


def test_data_distances_and_sparse_data_agree(blobs):
    X, _ = blobs
    models = [
        DendrogramEnsemble(3, n_init=3, random_state=0, **settings).fit(data)
        for data, settings in [
            (X, {}),
            (sparse.csr_array(X), {}),
            (pd.DataFrame(X), {}),
            (cdist(X, X), {"metric": "precomputed"}),
        ]
    ]
    for model in models[1:]:
        np.testing.assert_array_equal(model.labels_, models[0].labels_)


def test_runs_repeat_bit_for_bit_also_side_by_side(blobs):
    X, _ = blobs
    before = X.copy()
    models = [DendrogramEnsemble(5, n_init=2, random_state=3, n_jobs=n).fit(X) for n in (None, 2)]
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(models[0].labels_, models[1].labels_)
    assert models[0].member_costs_ == models[1].member_costs_


def test_an_estimator_without_a_seed_gets_one(blobs):
    X = np.random.default_rng(1).normal(size=(80, 2))
    clusterer = KMeans(8, n_init=1)
    models = [DendrogramEnsemble(8, clusterer=clusterer, random_state=2).fit(X) for _ in range(2)]
    np.testing.assert_array_equal(models[0].labels_, models[1].labels_)
    assert clusterer.random_state is None


def test_weights_decide_between_members():
    halves, thirds = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]
    for weights, expected in (([3, 1], halves), ([1, 3], thirds)):
        Scripted.answers = [halves, thirds]
        model = DendrogramEnsemble(
            2, ("single", "ward"), Scripted(), n_init=5, random_state=0, weights=weights
        ).fit(LINE)
        assert model.labels_.tolist() == expected


def test_a_failed_member_is_left_out_and_told():
    with pytest.warns(UserWarning, match="complete: left out: RuntimeError: no luck"):
        model = fit_scripted(
            [0, 0, 0, 1, 1, 1], RuntimeError("no luck"), [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]
        )
    assert set(model.members_) == {"single", "average", "ward"}
    assert set(model.problems_) == {"complete"}
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1]


def test_a_failed_member_takes_its_weight_along():
    Scripted.answers = [RuntimeError("no luck"), [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]]
    with pytest.warns(UserWarning, match="single: left out"):
        model = DendrogramEnsemble(
            2, LINKAGES[:3], Scripted(), n_init=5, random_state=0, weights=[9, 1, 3]
        ).fit(LINE)
    assert model.labels_.tolist() == [0, 0, 1, 1, 1, 1]


def test_a_member_with_one_cluster_has_no_say():
    with pytest.warns(UserWarning, match="single: left out: it has one cluster"):
        model = fit_scripted([0] * 6, [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], [0] * 6)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert model.cost_ == 0


def test_labels_of_another_length_and_of_text_are_failures():
    with pytest.warns(UserWarning, match="single: left out.*holds text"):
        model = fit_scripted(list("aabbcc"), [0, 0, 0, 1, 1, 1], [0, 0, 1], [0, 0, 0, 1, 1, 1])
    assert set(model.members_) == {"complete", "ward"}
    assert "3 labels for 6 objects" in model.problems_["average"]


def test_no_member_left_is_refused():
    with pytest.raises(ValueError, match="no member is left: single: left out: RuntimeError: a"):
        fit_scripted(*(RuntimeError(name) for name in "abcd"))


def test_with_an_estimator_the_cost_may_choose_the_number():
    model = DendrogramEnsemble(None, clusterer=KMeans(2, n_init=3), random_state=0).fit(LINE)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1]


def test_noise_labels_are_gaps():
    X = [*LINE, [100.0]]
    features = DendrogramFeatures("single", level="linkage").fit_transform(X)
    assert -1 in DBSCAN(1, min_samples=2).fit_predict(features)
    model = DendrogramEnsemble(3, clusterer=DBSCAN(1, min_samples=2), level="linkage", random_state=0).fit(X)
    assert partition_scores([0, 0, 0, 1, 1, 1], model.labels_[:6])["ari"] == 1


@pytest.mark.parametrize("clusterer", ["kmeans", "gmm", "spectral"])
def test_identical_objects_neither_crash_nor_hide_it(clusterer):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = DendrogramEnsemble(2, clusterer=clusterer, n_init=2, random_state=0).fit(np.ones((6, 2)))
    assert model.labels_.shape == (6,)
    assert np.isfinite(model.cost_)


@pytest.mark.parametrize("clusterer", ["kmeans", "gmm", "spectral"])
def test_one_cluster_and_as_many_as_objects(clusterer):
    settings = {"clusterer": clusterer, "n_init": 2, "random_state": 0}
    assert DendrogramEnsemble(1, **settings).fit(LINE).labels_.tolist() == [0] * 6
    assert DendrogramEnsemble(6, **settings).fit(LINE).labels_.tolist() == [0, 1, 2, 3, 4, 5]


def test_the_consensus_may_be_had_anew():
    model = DendrogramEnsemble(2, n_init=5, random_state=0).fit(LINE)
    again = ConsensusClustering(random_state=0).fit([model.members_["ward"], model.members_["single"]])
    assert again.cost_ == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_clusters": 0}, "n_clusters is 0"),
        ({"n_clusters": None}, "n_clusters is None"),
        ({"n_clusters": 7}, "n_clusters is 7: choose a whole number from 1 to 6"),
        ({"linkages": []}, "at least one linkage"),
        ({"linkages": ["ward", "ward"]}, "each once"),
        ({"linkages": ["centroid"]}, "centroid"),
        ({"clusterer": "dbscan"}, "clusterer is 'dbscan': choose from kmeans, gmm, spectral"),
        ({"clusterer": 3}, "has fit_predict"),
        ({"clusterer": KMeans}, "has fit_predict"),
        ({"linkages": None}, "at least one linkage"),
        ({"level": "depth"}, "depth"),
        ({"metric": "manhattan"}, "manhattan"),
        ({"n_init": 0}, "n_init is 0"),
        ({"weights": [1, 2]}, r"weights has shape \(2,\)"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        DendrogramEnsemble(**{"n_clusters": 2, **settings}).fit(LINE)


def test_bad_data_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        DendrogramEnsemble(2).fit([[0.0], [np.nan], [1.0]])
    with pytest.raises(ValueError, match="not symmetric"):
        DendrogramEnsemble(2, metric="precomputed").fit([[0, 1, 2], [3, 0, 1], [2, 1, 0]])
