"""Outlier scores on data whose outliers are known."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from dendrolab import Dendrogram, load_dataset, outlier_scores
from dendrolab.levels import LEVELS
from dendrolab.linkage import LINKAGES


def score(X, linkage, level, form):
    return outlier_scores(Dendrogram.from_data(X, linkage), level, form)


@pytest.fixture
def moons():
    """Two moons and twenty points over the whole square, of which those inside a moon are no outliers."""
    X = load_dataset("two_moons").data
    noise = np.random.default_rng(0).uniform(X.min(axis=0) - 1, X.max(axis=0) + 1, size=(20, 2))
    far = np.linalg.norm(noise[:, None] - X, axis=2).min(axis=1) > 0.2
    noise = noise[far]
    return np.vstack([X, noise]), np.repeat([0, 1], [len(X), len(noise)])


@pytest.mark.parametrize("form", ["join", "mean"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("linkage", LINKAGES)
def test_one_far_object_is_the_first(linkage, level, form):
    X = np.vstack([np.random.default_rng(0).normal(size=(40, 2)), [[100.0, 100.0]]])
    scores = score(X, linkage, level, form)
    assert scores.argmax() == 40
    assert scores[40] == 1


def test_scattered_points_join_late_in_every_tree(moons):
    X, outlier = moons
    for linkage in LINKAGES:
        assert average_precision_score(outlier, score(X, linkage, "linkage", "join")) > 0.9


def test_a_small_group_is_found_by_the_mean_and_not_by_the_join():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(95, 2)), rng.normal([30, 0], 0.1, size=(5, 2))])
    outlier = np.repeat([0, 1], [95, 5])
    for linkage in LINKAGES:
        assert average_precision_score(outlier, score(X, linkage, "linkage", "mean")) == 1
        assert average_precision_score(outlier, score(X, linkage, "linkage", "join")) < 0.2


def test_a_point_late_for_its_dense_surroundings_counts_by_level():
    dense = np.linspace(0, 1, 41)[:, None] ** 1.5 / 10  # gaps grow slowly: a chain
    sparse = np.array([[10.0], [11], [12], [13]])
    X = np.vstack([dense, [[0.5]], sparse])
    by_level, by_height = (score(X, "single", level, "join") for level in ("level", "linkage"))
    assert by_level.argmax() == 41
    assert by_height[41] < by_height[42:].min()


def test_malignant_among_benign_are_ranked_better_than_by_chance():
    cancer = load_dataset("breast_cancer")
    benign, malignant = (np.flatnonzero(cancer.target == k) for k in (1, 0))
    rows = np.concatenate([benign, np.random.default_rng(0).choice(malignant, 20, replace=False)])
    X = cancer.data[rows]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    outlier = cancer.target[rows] == 0
    for linkage in ("single", "complete", "average", "ward"):
        for form, least in (("join", 2), ("mean", 5)):
            found = average_precision_score(outlier, score(X, linkage, "linkage", form))
            assert found > least * outlier.mean()
