import os
from collections import Counter

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage

from dendrolab import datasets
from dendrolab.registry import content_checksum, parse_original, read_registry
from dendrolab.resources import resource_folder

REGISTRY = read_registry()
DATA, TARGET = np.array([[1.0, 2.0], [3.5, np.nan], [5.0, 6.0]]), np.array(["a", "a", "b"], dtype=object)


def test_checksum_sees_values_order_shape_and_labels_only():
    reference = content_checksum(DATA, TARGET)
    other_nan = np.where(np.isnan(DATA), -np.nan, DATA)
    assert content_checksum(np.asfortranarray(other_nan), list(TARGET)) == reference
    assert content_checksum(np.array([[0.0]]), [1]) == content_checksum(np.array([[-0.0]]), [1])
    changed = [content_checksum(DATA[::-1], TARGET), content_checksum(DATA, TARGET[::-1])]
    changed += [content_checksum(DATA.reshape(2, 3), TARGET), content_checksum(DATA + 1e-15, TARGET)]
    assert len({reference, *changed}) == 5


@pytest.mark.parametrize(
    ("layout", "content", "data", "target"),
    [
        (
            {"separator": None, "features": [0, 2], "label": {"one_hot": 2}},
            b" 1 0  0 1 0\n0 1 1 0 0 \r\n",
            [[1, 0], [0, 1]],
            [1, 0],
        ),
        (
            {"separator": None, "features": [0, 1], "label": {"rows_per_class": 2}},
            b"5\n6\n7\n8\n",
            [[5], [6], [7], [8]],
            [0, 0, 1, 1],
        ),
        (
            {"separator": ",", "features": [-3, -1], "label": -1},
            b"92,1,2,3\n1,5,1\n",
            [[1, 2], [1, 5]],
            [3, 1],
        ),
        (
            {"separator": ",", "header": True, "features": [1, 2], "label": 0},
            b"class,v\nd ,1\ns ,2\n",
            [[1], [2]],
            ["d", "s"],
        ),
        (
            {"separator": ",", "features": [0, 2], "label": 2, "wide": True},
            b"p,7,8\nq,9,6\n",
            [[7, 1], [8, 2], [9, 1], [6, 2]],
            ["p", "p", "q", "q"],
        ),
        (
            {"separator": ",", "features": [1, 2], "label": 0, "sort_by_label": True},
            b"b,1\na,2\nb,3\n",
            [[2], [1], [3]],
            ["a", "b", "b"],
        ),
    ],
)
def test_layouts(layout, content, data, target):
    found = parse_original("toy", {"layout": layout}, [content])
    assert found[0].tolist() == data
    assert found[1].tolist() == target


def test_registry_entries_are_complete():
    for name, entry in REGISTRY.items():
        content = entry["content"]
        assert sum(content["classes"].values()) == content["rows"], name
        assert entry["page"].startswith("https://archive.ics.uci.edu/dataset/"), name
        assert entry["licence"] == "CC BY 4.0", name
        assert entry["tried"] is False, name
        assert entry["tried_note"], name
        assert entry["checksum_note"], name
        assert len(entry.get("feature_names", [])) in (0, content["columns"]), name
        if entry["url"]:
            assert entry["url"].endswith(entry["page"].rsplit("/", 1)[1] + ".zip"), name


@pytest.mark.parametrize("name", REGISTRY)
def test_local_copy_is_what_the_registry_says(name):
    folder = os.environ.get("DENDROLAB_DATA")
    if not folder:
        pytest.skip("DENDROLAB_DATA is not set")
    entry = REGISTRY[name]
    if not all(os.path.exists(os.path.join(folder, file)) for file in entry["copy"]):
        pytest.skip(f"DENDROLAB_DATA has no copy of {name}")
    bunch, content = datasets.load_dataset(name), entry["content"]
    assert bunch.data.shape == (content["rows"], content["columns"])
    assert {str(k): v for k, v in Counter(bunch.target.tolist()).items()} == content["classes"]
    assert content_checksum(bunch.data, bunch.target) == content["sha256"]
    assert list(bunch.frame.columns) == [*bunch.feature_names, "label"]


def test_bundled_and_generated_sets_load():
    table = datasets.list_datasets().set_index("name")
    for name in [*datasets.BUNDLED, *datasets.GENERATED]:
        bunch = datasets.load_dataset(name)
        assert (*bunch.data.shape, len(bunch.target_names)) == tuple(
            table.loc[name, ["rows", "columns", "classes"]]
        )
        assert len(bunch.feature_names) == bunch.data.shape[1]
        assert bunch.DESCR
    assert table.offline[table.source != "UCI"].all()


def test_unknown_name():
    with pytest.raises(ValueError, match=r"no data set 'irsi'; did you mean 'iris'\? There are: iris"):
        datasets.load_dataset("irsi")


def test_two_densities_are_as_stored_and_as_described():
    stored = datasets.load_dataset("two_densities")
    data, target = datasets.make_two_densities()
    np.testing.assert_array_equal(np.round(data, 4), stored.data)
    np.testing.assert_array_equal(target, stored.target)
    tree = linkage(stored.data, "single")
    # Minimax distances: the last merge splits the sparse cluster, so both clusters meet below it.
    top = fcluster(tree, 2, "maxclust")
    assert len(set(top[stored.target == 1])) == 2
    assert len(set(top[stored.target == 0])) == 1
    with pytest.raises(ValueError, match="at least 6; got 5"):
        datasets.make_two_densities(5)


def test_resource_folder_names_what_it_looked_for():
    assert (resource_folder("data") / "README.md").exists()
    with pytest.raises(FileNotFoundError, match="no folder 'nothing'"):
        resource_folder("nothing")
