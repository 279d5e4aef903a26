"""The table of CDSK beside its baselines."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from dendrolab.cdsk import CDSK
from dendrolab.cdsk_tables import METHODS, cdsk_table
from dendrolab.metrics import partition_scores


@pytest.fixture(scope="module")
def iris():
    data = load_iris()
    return data.data, data.target_names[data.target]


def test_one_row_a_method_with_means_of_the_runs(iris):
    table = cdsk_table(*iris, n_runs=2, lam=0.1)
    assert tuple(table.method) == METHODS
    assert table[["accuracy", "nmi"]].min(axis=None) > 0.5
    assert table[["accuracy", "nmi"]].max(axis=None) <= 1


def test_runs_are_those_of_the_single_methods(iris):
    X, y = iris
    table = cdsk_table(X, y, methods=["k-means", "CDSK"], n_runs=3, random_state=5, lam=0.2, solver="smo")
    models = [
        [KMeans(3, n_init=10, random_state=seed) for seed in (5, 6, 7)],
        [CDSK(3, lam=0.2, solver="smo", random_state=seed) for seed in (5, 6, 7)],
    ]
    for row, runs in zip(table.itertuples(), models, strict=True):
        scores = [partition_scores(y, model.fit(X).labels_) for model in runs]
        assert row.accuracy == pytest.approx(np.mean([s["accuracy"] for s in scores]))
        assert row.nmi_std == pytest.approx(np.std([s["nmi"] for s in scores]))


def test_a_table_repeats(iris):
    first, second = (cdsk_table(*iris, methods=["SCK", "CDSK"], n_runs=2) for _ in range(2))
    assert first.equals(second)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": ["kmeans"]}, "'kmeans'"),
        ({"y": [0, 1]}, "2 entries"),
        ({"y": [None] * 150}, "missing"),
        ({"bandwidth": -1}, "bandwidth is -1"),
        ({"X": [["a"]]}, "text"),
    ],
)
def test_refusals(iris, change, message):
    arguments = {"X": iris[0], "y": iris[1], "methods": ["SCK"], "n_runs": 1}
    with pytest.raises(ValueError, match=message):
        cdsk_table(**{**arguments, **change})
