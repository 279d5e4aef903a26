"""Scores against known classes: hand-made tables, scikit-learn, limits, refusals."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from dendrolab import partition_scores

pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=15)


def test_a_table_counted_by_hand():
    # Clusters: {a, a, b}, {b, b, c}. Best one-to-one match: 2 + 2 of 6; majority of each: 2 + 2.
    scores = partition_scores(list("aabbbc"), [0, 0, 0, 1, 1, 1])
    assert scores["accuracy"] == pytest.approx(4 / 6)
    assert scores["purity"] == pytest.approx(4 / 6)
    assert scores["ari"] == pytest.approx((2 - 4 * 6 / 15) / ((4 + 6) / 2 - 4 * 6 / 15))
    assert list(scores) == ["ami", "ari", "v_measure", "accuracy", "nmi", "purity"]


@given(pairs=pairs)
def test_scikit_learn_gives_the_same(pairs):
    y, labels = zip(*pairs, strict=True)
    scores = partition_scores(y, labels)
    assert scores["ami"] == metrics.adjusted_mutual_info_score(y, labels, average_method="max")
    assert scores["nmi"] == metrics.normalized_mutual_info_score(y, labels, average_method="max")
    assert scores["ari"] == metrics.adjusted_rand_score(y, labels)
    assert scores["v_measure"] == metrics.v_measure_score(y, labels)


@given(pairs=pairs)
def test_accuracy_is_the_best_over_all_namings(pairs):
    y, labels = (np.array(side) for side in zip(*pairs, strict=True))
    best = max((y == np.array(names)[labels]).mean() for names in permutations(range(4)))
    scores = partition_scores(y, labels)
    assert scores["accuracy"] == pytest.approx(best)
    majority = sum(np.bincount(y[labels == c]).max() for c in np.unique(labels))
    assert scores["purity"] == pytest.approx(majority / len(y))
    assert scores["accuracy"] <= scores["purity"]


@given(pairs=pairs)
def test_names_do_not_matter(pairs):
    y, labels = zip(*pairs, strict=True)
    renamed = partition_scores([f"class {c}" for c in y], [10 - c for c in labels])
    assert renamed == pytest.approx(partition_scores(y, labels))


@pytest.mark.parametrize("y", [[3], ["a", "a"], [1, 2, 3], [True, False]])
def test_the_same_partition_scores_one(y):
    assert partition_scores(y, y) == dict.fromkeys(
        ["ami", "ari", "v_measure", "accuracy", "nmi", "purity"], 1
    )


def test_one_object_apart_in_22_has_no_adjusted_rand():
    assert partition_scores([0] * 21 + [1], [0] * 22)["ari"] == 0


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(["a", "b", "a"], dtype="category"),
        pd.Series(["a", "b", "a"], dtype="string", index=[7, 8, 9]),
        pd.array([1, 2, 1], dtype="Int64"),
        np.array(["x", 1, "x"], dtype=object),
        np.array(["2020", "2021", "2020"], "M8[Y]"),
        [1.5, 2.5, 1.5],
    ],
)
def test_classes_of_any_kind(y):
    assert partition_scores(y, [0, 1, 0])["ari"] == 1


@pytest.mark.parametrize(
    ("y", "labels", "message"),
    [
        ([1, 2], [1], "y has 2 entries and labels 1"),
        ([], [], r"y has shape \(0,\)"),
        ([[1], [2]], [1, 2], r"y has shape \(2, 1\)"),
        ([1, 2], [[1, 2]], r"labels has shape \(1, 2\)"),
        ("ab", [0, 1], r"y has shape \(\)"),
        ([1, np.nan], [1, 2], "y has 1 missing entries, the first at 1"),
        (["a", None, None], [1, 2, 3], "y has 2 missing entries, the first at 1"),
        (pd.array([1, None], dtype="Int64"), [1, 2], "y has 1 missing"),
        (np.array([1, pd.NA], dtype=object), [1, 2], "y has 1 missing"),
        (pd.Series(["a", pd.NA], dtype="string"), [1, 2], "y has 1 missing"),
        (np.array(["NaT", "2021"], "M8[Y]"), [1, 2], "y has 1 missing entries, the first at 0"),
    ],
)
def test_bad_labels_are_refused(y, labels, message):
    with pytest.raises(ValueError, match=message):
        partition_scores(y, labels)


def test_missing_beside_text_and_numbers_beside_text():
    with pytest.raises(ValueError, match="y has 1 missing entries, the first at 1"):
        partition_scores(["a", np.nan, "b", "b"], [0, 0, 1, 1])
    assert partition_scores([1, "1", 2, 2], [0, 1, 2, 2])["ari"] == 1
