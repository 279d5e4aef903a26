"""The paper's tables for any data set, and the published numbers beside them."""

import os

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from dendrolab import load_csv, load_dataset
from dendrolab.ensemble_tables import level_table, runtime_table, uci_table
from dendrolab.published import published_linkage_level, published_runtimes, published_scores

ROWS = ["base", "pca", "lsa", "single", "complete", "average", "ward", "ensemble"]


@pytest.fixture(scope="module")
def densities():
    return uci_table("two_densities", n_init=3)


@pytest.fixture
def uci_data():
    if not os.environ.get("DENDROLAB_DATA"):
        pytest.skip("DENDROLAB_DATA names no folder with the UCI sets")


def test_the_block_of_rows(densities):
    assert densities.representation.unique().tolist() == ROWS
    assert densities.clusterer.unique().tolist() == ["kmeans", "gmm", "spectral"]
    assert densities.score.unique().tolist() == ["ami", "ari", "v_measure"]
    assert len(densities) == 8 * 3 * 3
    assert densities.value.between(-1, 1).all()


def test_without_published_numbers_nothing_agrees(densities):
    assert densities.published.isna().all()
    assert not densities.agrees.any()


def test_a_csv_file_with_labels(tmp_path, densities):
    path = tmp_path / "own.csv"
    load_dataset("two_densities").frame.to_csv(path, index=False)
    table = uci_table(load_csv(path, label="label"), ["kmeans"], n_init=3)
    expected = densities[densities.clusterer == "kmeans"]
    np.testing.assert_array_equal(table.value, expected.value)
    assert table.dataset.unique().tolist() == [str(path)]


def test_agreement_is_to_four_decimals_without_sign(monkeypatch):
    from dendrolab import ensemble_tables as module

    cells = [
        (-0.01384, 0.0138, True),
        (0.25615, 0.2562, True),
        (0.25614, 0.2562, False),
        (0.5, np.nan, False),
    ]
    keys = {"representation": "ward", "clusterer": "kmeans"}
    scores = pd.DataFrame(
        [{**keys, "score": f"s{i}", "value": value} for i, (value, _, _) in enumerate(cells)]
    )
    known = scores.assign(dataset="x", published=[published for _, published, _ in cells]).drop(
        columns="value"
    )
    monkeypatch.setattr(module, "published_scores", lambda name: known)
    assert module._joined("x", scores).agrees.tolist() == [agrees for _, _, agrees in cells]


@pytest.mark.parametrize(
    ("dataset", "linkage", "clusterer", "published"),
    [
        ("hayes_roth", "single", "kmeans", [0.2562, 0.2035, 0.3561]),
        ("australian", "single", "kmeans", [0.0580, 0.0859, 0.0593]),
        ("australian", "average", "kmeans", [0.0367, 0.0484, 0.0476]),
        ("australian", "ward", "spectral", [0.0074, 0.0038, 0.0162]),
        ("australian", "ensemble", "kmeans", [0.0848, 0.1251, 0.0881]),
    ],
)
def test_published_cells_come_out(uci_data, dataset, linkage, clusterer, published):
    table = uci_table(dataset, [clusterer], n_init=20)
    cells = table[table.representation == linkage]
    assert cells.published.tolist() == published
    assert cells.agrees.all()


def test_published_numbers_are_complete():
    table = published_scores()
    assert len(table) == 12 * 8 * 3 * 3
    assert table.published.between(0, 1).all()
    assert len(published_runtimes()) == 10 * 3
    assert np.isinf(published_runtimes().published).sum() == 7
    assert len(published_linkage_level()) == 10
    assert published_scores("iris").empty
    assert published_scores("one_hundred_plant_shape").published.tolist() == (
        published_scores("one_hundred_plant_margin").published.tolist()
    )


def test_level_functions_side_by_side():
    table = level_table("two_densities", clusterers=["kmeans"], n_init=3)
    assert table.level.unique().tolist() == ["level", "linkage"]
    assert table.representation.unique().tolist() == ROWS[3:]
    assert table[table.level == "level"].value.tolist() != table[table.level == "linkage"].value.tolist()


def test_runtimes_and_costs():
    table = runtime_table("two_densities", methods=["local search", "LP"], n_init=5).set_index("method")
    assert table.cost["local search"] <= table.cost["best member"]
    assert table.lower_bound["LP"] <= table.cost.min() + 1e-6
    assert table.gap["local search"] == pytest.approx(
        max(0, 1 - table.lower_bound["LP"] / table.cost["local search"]) if table.cost["local search"] else 0
    )
    assert table.n_objects.tolist() == [120] * 3
    assert (table.seconds.dropna() > 0).all()


def test_all_methods_where_cvxpy_is():
    pytest.importorskip("cvxpy", reason="cvxpy, the extra 'relax', is not installed")
    assert runtime_table("two_moons", n_init=2).method.tolist() == [
        "best member",
        "local search",
        "LP",
        "SDP",
    ]


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="methods has 'QP': choose from local search, LP, SDP"):
        runtime_table("two_densities", methods=["QP"], n_init=1)
    with pytest.raises(ValueError, match="no known classes"):
        uci_table(Bunch(data=np.eye(3), feature_names=["a", "b", "c"], target=None))
    with pytest.raises(ValueError, match="no data set 'irsi'"):
        uci_table("irsi")
    with pytest.raises(ValueError, match="clusterers has 'dbscan'"):
        uci_table("two_densities", ["dbscan"])
