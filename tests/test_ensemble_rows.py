"""The ensemble beside the other rows: the consensus of the linkages' labels, scored like them."""

import numpy as np
import pandas as pd
import pytest

from dendrolab import coclustering_matrix, correlation_cost, partition_scores
from dendrolab.ensemble_rows import add_ensembles, members_of
from dendrolab.representations import Comparison, compare_representations, represent

X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [20.0]])
MEMBERS = {
    "single kmeans": [0, 0, 0, 1, 1, 1],
    "ward kmeans": [0, 0, 0, 1, 1, 2],
    "average kmeans": [0, 0, 1, 2, 2, 2],
}
BY_HAND = Comparison(
    pd.DataFrame({"representation": ["single", "ward", "average"], "clusterer": "kmeans"}),
    pd.DataFrame(MEMBERS),
)


def test_the_consensus_of_three_members_by_hand():
    # 5 joins 3 and 4 in two members of three, and 2 joins 0 and 1 in two of three.
    found = add_ensembles(BY_HAND, ["single", "ward", "average"], X, 3, random_state=0)
    assert found.labels["ensemble kmeans"].tolist() == [0, 0, 0, 1, 1, 1]
    assert list(found.labels) == [*MEMBERS, "ensemble kmeans"]
    assert found.scores.iloc[-1][["representation", "n_clusters", "smallest"]].tolist() == ["ensemble", 2, 3]


def test_only_the_linkages_named_have_their_say():
    found = add_ensembles(BY_HAND, ["ward"], X, 3, random_state=0)
    assert found.labels["ensemble kmeans"].tolist() == MEMBERS["ward kmeans"]
    assert members_of(BY_HAND, ["ward", "single"], "kmeans").tolist() == [
        MEMBERS["ward kmeans"],
        MEMBERS["single kmeans"],
    ]


def test_one_row_for_each_clusterer_no_worse_than_any_member():
    Y = np.random.default_rng(0).normal(size=(60, 2))
    y = np.repeat([0, 1, 2], 20)
    linkages = ["single", "complete", "ward"]
    before = compare_representations(represent(Y, 3, linkages), 3, y, random_state=0)
    after = add_ensembles(before, linkages, Y, 3, y, random_state=0)
    pd.testing.assert_frame_equal(after.scores[: len(before.scores)], before.scores)
    rows = after.scores[after.scores.representation == "ensemble"].set_index("clusterer")
    assert list(rows.index) == ["kmeans", "gmm", "spectral"]
    for clusterer, row in rows.iterrows():
        labels, members = after.labels[f"ensemble {clusterer}"], members_of(after, linkages, clusterer)
        assert row.ami == pytest.approx(partition_scores(y, labels)["ami"])
        S = coclustering_matrix(members)
        assert correlation_cost(labels, S) <= min(correlation_cost(member, S) for member in members)


def test_rows_keep_their_names_and_a_second_call_replaces_the_first():
    named = Comparison(BY_HAND.scores, BY_HAND.labels.set_axis(list("abcdef")))
    once = add_ensembles(named, ["single", "ward"], X, 3, random_state=0)
    twice = add_ensembles(once, ["single", "ward"], X, 3, random_state=0)
    assert once.labels.index.tolist() == twice.labels.index.tolist() == list("abcdef")
    assert list(twice.labels).count("ensemble kmeans") == 1


@pytest.mark.parametrize("linkages", [[], ["single", "median"]])
def test_linkages_that_were_not_compared_are_refused(linkages):
    with pytest.raises(ValueError, match=r"linkages is \[.*the comparison has single kmeans, ward kmeans"):
        add_ensembles(BY_HAND, linkages, X, 3)
