"""The paper's comparison and its sweep over layer sizes."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

from dendrolab.hmkc import HMKC
from dendrolab.hmkc_tables import agreement, hmkc_table, layer_sweep, paper_layer_grid
from dendrolab.kernel_kmeans import AverageKernelKMeans, single_best_kernel_kmeans
from dendrolab.kernels import feature_kernels, prepare_kernels
from dendrolab.metrics import partition_scores

SCORES = ["accuracy", "nmi", "purity", "ari"]


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return prepare_kernels(feature_kernels(X)), y


def test_the_grid_is_that_of_the_paper():
    assert [c for (c,) in paper_layer_grid(2, 351)] == list(range(4, 41, 2))
    pairs = paper_layer_grid(2, 351, 2)
    assert len(pairs) == 19 * 18 / 2
    assert all(c1 > c2 for c1, c2 in pairs)
    assert paper_layer_grid(10, 60) == [[20], [30], [40], [50]]


def test_a_run_of_the_sweep_is_that_of_hmkc(iris):
    kernels, y = iris
    sweep = layer_sweep(kernels, y, [[6], [12, 6], [9]], random_state=0)
    assert sweep.c1.tolist() == [6, 12, 9]
    for row in sweep.itertuples():
        sizes = [int(c) for c in row.layer_sizes.split(", ")]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model = HMKC(3, sizes, random_state=0).fit(kernels)
        assert row.objective == pytest.approx(model.objective_history_[-1], rel=1e-10)
        assert row.n_iter == model.n_iter_
        assert np.array_equal(row.labels, model.labels_)
        scores = partition_scores(y, model.labels_)
        assert [getattr(row, name) for name in SCORES] == [scores[name] for name in SCORES]


def test_agreement_is_the_mean_score_with_the_others():
    labelings = np.random.default_rng(0).integers(3, size=(4, 30))
    expected = np.mean([adjusted_rand_score(labelings[0], other) for other in labelings[1:]])
    assert agreement(labelings)[0] == pytest.approx(expected)
    assert agreement(labelings[:1]).tolist() == [1]


def test_without_classes_there_are_no_scores(iris):
    sweep = layer_sweep(iris[0], layer_grid=[[6], [9]], n_clusters=3, random_state=0)
    assert not set(SCORES) & set(sweep.columns)


def test_the_table_has_both_selections(iris):
    kernels, y = iris
    grid = [[6], [9], [15], [12, 6], [15, 9]]
    table = hmkc_table(kernels, y, grid, random_state=0).set_index(["method", "selection"])
    assert table.index.tolist() == [
        ("A-MKKM", "none"),
        ("SB-KKM", "best by classes"),
        ("SB-KKM", "without classes"),
        ("MKKM", "none"),
        ("HMKC-1", "best by classes"),
        ("HMKC-1", "without classes"),
        ("HMKC-2", "best by classes"),
        ("HMKC-2", "without classes"),
    ]
    sweep = layer_sweep(kernels, y, grid[:3], random_state=0)
    assert table.loc[("HMKC-1", "best by classes"), "nmi"] == sweep.nmi.max()
    chosen = sweep.loc[sweep.agreement.idxmax()]
    assert table.loc[("HMKC-1", "without classes"), SCORES].tolist() == chosen[SCORES].tolist()
    assert table.loc[("HMKC-1", "without classes"), "choice"] == chosen.layer_sizes
    average = AverageKernelKMeans(3, random_state=0).fit(kernels).labels_
    assert table.loc[("A-MKKM", "none"), "accuracy"] == partition_scores(y, average)["accuracy"]
    single = single_best_kernel_kmeans(kernels, y, random_state=0)
    assert table.loc[("SB-KKM", "best by classes"), "choice"] == f"kernel {single.kernel}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": [0, 1]}, "y has 2 entries and the kernels 150 objects"),
        ({}, "give n_clusters, or y"),
        ({"n_clusters": 151}, "n_clusters is 151"),
        ({"n_clusters": 3, "layer_grid": [[6], [2]]}, r"layer_sizes\[0\] is 2, not above n_clusters"),
        ({"n_clusters": 3, "layer_grid": []}, "layer_grid is empty"),
        ({"n_clusters": 3, "layer_grid": [6, 9]}, "layer_sizes is 6: give a list"),
    ],
)
def test_bad_input_is_refused(iris, arguments, message):
    with pytest.raises(ValueError, match=message):
        layer_sweep(iris[0], **arguments)
