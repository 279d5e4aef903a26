"""What a report writes."""

import json

import numpy as np
import pandas as pd
import pytest

from dendrolab.representations import compare_representations, represent
from dendrolab.results import choose_n_clusters, mean_outlier_scores, write_results

X = np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 1.0], [10.0, 1.0], [99.0, 3.0]])


@pytest.fixture
def found():
    return represent(X, 2, ["single", "ward"], random_state=0)


@pytest.mark.parametrize(
    ("y", "asked", "k", "reason"),
    [
        (None, 4, 4, "as asked for"),
        ([1, 1, 2, 2, 3], 4, 4, "as asked for"),
        (["a", "a", "b", None, np.nan], 0, 2, "the number of different labels"),
        (None, 0, 3, "largest relative gap in the merge heights of ward linkage"),
    ],
)
def test_the_number_of_clusters_and_its_reason(found, y, asked, k, reason):
    assert choose_n_clusters(found, y, asked)[0] == k
    assert reason in choose_n_clusters(found, y, asked)[1]


def test_the_far_object_is_the_outlier(found):
    scores = mean_outlier_scores(found)
    assert scores.argmax() == 4
    assert ((scores > 0) & (scores <= 1)).all()


def test_files_hold_labels_features_and_scores(found, tmp_path):
    y = ["a", "a", "b", "b", None]
    comparison = compare_representations(found, 2, y, random_state=0)
    write_results(tmp_path, comparison, found, mean_outlier_scores(found), 2, y, source="x.csv")
    labels = pd.read_csv(tmp_path / "labels.csv", index_col="row")
    assert list(labels["ward cut"]) == [0, 0, 0, 0, 1]
    assert list(labels["label"].fillna("?")) == ["a", "a", "b", "b", "?"]
    assert set(comparison.labels) < set(labels)
    features = pd.read_csv(tmp_path / "features.csv", index_col="row")
    np.testing.assert_allclose(features.filter(like="ward"), found["ward"].features, atol=1e-12)
    scores = json.loads((tmp_path / "scores.json").read_text())
    assert scores["source"] == "x.csv"
    assert len(scores["scores"]) == 15


def test_a_score_that_does_not_exist_is_null(found, tmp_path):
    comparison = compare_representations(found, 1)
    write_results(tmp_path, comparison, found, mean_outlier_scores(found), 1)
    assert json.loads((tmp_path / "scores.json").read_text())["scores"][0]["silhouette"] is None
