"""Tables of two layers: the same as pipelines, and when a second layer cannot change anything."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from dendrolab import dendrogram_distances, load_dataset, partition_scores, stack_features
from dendrolab.clusterers import gmm_labels, kmeans_labels, spectral_labels
from dendrolab.distances import distances_to_similarities
from dendrolab.representations import PAPER_LINKAGES, compare_representations, represent
from dendrolab.stacking_tables import stacking_table

SCORES = ["n_clusters", "smallest", "silhouette", "ami", "ari", "v_measure", "accuracy", "nmi", "purity"]


@pytest.fixture(scope="module")
def wine():
    return load_dataset("wine")


def cells(table, score="ami"):
    return table.pivot(index="first", columns="second", values=score)


def test_one_row_for_each_layer_alone_and_each_pair(wine):
    table = stacking_table(wine.data, wine.target, n_init=1, random_state=0)
    assert list(table.columns) == ["first", "second", "clusterer", *SCORES]
    expected = [(first, second) for first in PAPER_LINKAGES for second in ("-", *PAPER_LINKAGES)]
    assert list(zip(table["first"], table["second"], strict=True)) == expected
    assert set(table.clusterer) == {"kmeans"}
    assert not table.isna().any().any()


@pytest.mark.parametrize("clusterer", ["kmeans", "gmm", "spectral"])
def test_a_layer_alone_is_the_comparison_of_representations(wine, clusterer):
    table = stacking_table(wine.data, wine.target, clusterer=clusterer, n_init=2, random_state=3)
    alone = table[table["second"] == "-"].set_index("first")
    trees = represent(wine.data, 3, random_state=3)
    known = compare_representations(trees, 3, wine.target, [clusterer], 2, 3).scores
    expected = known.set_index("representation").loc[list(PAPER_LINKAGES), SCORES]
    np.testing.assert_array_equal(alone[SCORES], expected)


def test_a_pair_is_a_pipeline(wine):
    table = stacking_table(
        wine.data, wine.target, linkages=["average", "ward"], n_components=5, n_init=2, random_state=1
    )
    for first, second, ami in zip(table["first"], table["second"], table.ami, strict=True):
        layers = [first] if second == "-" else [first, second]
        features = stack_features(layers, n_components=5).fit_transform(wine.data)
        labels = kmeans_labels(features, 3, 2, random_state=1)
        assert ami == partition_scores(wine.target, labels)["ami"]


@pytest.mark.parametrize(("clusterer", "labels_of"), [("gmm", gmm_labels), ("spectral", None)])
def test_other_clusterers_see_the_last_layer(wine, clusterer, labels_of):
    table = stacking_table(
        wine.data, wine.target, linkages=["single", "ward"], clusterer=clusterer, n_init=2, random_state=1
    )
    stack = stack_features(["single", "ward"])
    features = stack.fit_transform(wine.data)
    if labels_of is None:
        similarities = distances_to_similarities(dendrogram_distances(stack[-1].dendrogram_))
        labels = spectral_labels(similarities, 3, random_state=1)
    else:
        labels = labels_of(features[:, :3], 3, 2, random_state=1)
    assert cells(table).loc["single", "ward"] == partition_scores(wine.target, labels)["ami"]


@pytest.mark.parametrize("first", PAPER_LINKAGES)
@pytest.mark.parametrize("second", ["single", "complete", "average"])
@pytest.mark.parametrize("level", ["level", "linkage", "size", "rank"])
def test_on_all_directions_a_second_layer_other_than_ward_finds_the_same_tree(wine, first, second, level):
    stack = stack_features([first, second], level)
    stack.fit(wine.data)
    D, again = dendrogram_distances(stack[0].dendrogram_, level), stack[1].dendrogram_
    np.testing.assert_allclose(dendrogram_distances(again, "linkage") ** 2, D, rtol=1e-6, atol=1e-9 * D.max())
    if level == "level":  # no two distances of wine are equal
        np.testing.assert_array_equal(dendrogram_distances(again), D)


@pytest.mark.parametrize("seed", [0, np.random.RandomState(0), None])
def test_all_clusterings_of_a_table_start_from_one_seed(seed):
    X = np.random.default_rng(0).normal(size=(60, 8))
    table = stacking_table(X, n_clusters=6, linkages=["average"], n_init=1, random_state=seed)
    assert table.silhouette.nunique() == 1


def test_the_table_does_not_depend_on_the_number_of_jobs_and_repeats(wine):
    tables = [stacking_table(wine.data, wine.target, n_init=1, random_state=0, n_jobs=n) for n in (1, 2, 1)]
    for table in tables[1:]:
        pd.testing.assert_frame_equal(table, tables[0])


def test_shares_and_numbers_of_components_reach_both_layers(wine):
    for n_components in (2, 0.5):
        table = stacking_table(
            wine.data, wine.target, linkages=["ward", "single"], n_components=n_components, random_state=0
        )
        features = stack_features(["ward", "single"], n_components=n_components).fit_transform(wine.data)
        labels = kmeans_labels(features, 3, random_state=0)
        assert cells(table).loc["ward", "single"] == partition_scores(wine.target, labels)["ami"]


def test_many_objects_keep_the_leading_directions(monkeypatch, wine):
    monkeypatch.setattr("dendrolab.tree_clusterers._ALL_DIRECTIONS_UP_TO", 100)
    monkeypatch.setattr("dendrolab.tree_clusterers._LEADING", 5)
    settings = {"linkages": ["average", "ward"], "n_init": 2, "random_state": 0}
    few = stacking_table(wine.data, wine.target, n_components=5, **settings)
    pd.testing.assert_frame_equal(stacking_table(wine.data, wine.target, **settings), few)


def test_an_estimator_clusters_as_it_is_and_stays_unfitted(wine):
    model = AgglomerativeClustering(4)
    table = stacking_table(wine.data, wine.target, linkages=["ward"], clusterer=model)
    assert set(table.clusterer) == {"AgglomerativeClustering"}
    assert set(table.n_clusters) == {4}
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    seeded = [
        stacking_table(wine.data, wine.target, linkages=["ward"], clusterer=KMeans(3), random_state=5)
        for _ in range(2)
    ]
    pd.testing.assert_frame_equal(*seeded)


def test_no_classes_gaps_in_classes_and_text(wine):
    table = stacking_table(wine.data, n_clusters=3, linkages=["ward"], random_state=0)
    assert list(table.columns) == ["first", "second", "clusterer", "n_clusters", "smallest", "silhouette"]
    y = wine.target.astype(object)
    y[::2] = None
    gaps = stacking_table(wine.data, y, linkages=["ward"], random_state=0)
    labels = kmeans_labels(stack_features(["ward"]).fit_transform(wine.data), 3, random_state=0)
    assert gaps.ami[0] == partition_scores(wine.target[1::2], labels[1::2])["ami"]
    text = np.array(["a", "b", "c"])[wine.target]
    assert stacking_table(wine.data, text, linkages=["ward"], random_state=0).ami.notna().all()


@pytest.mark.parametrize("make", [pd.DataFrame, sparse.csr_array, np.asfortranarray])
def test_containers_give_the_same_table_and_stay_as_they_are(make):
    X = np.arange(24.0).reshape(12, 2) % 7
    given = make(X)
    table = stacking_table(given, n_clusters=3, linkages=["ward", "single"], random_state=0)
    plain = stacking_table(X, n_clusters=3, linkages=["ward", "single"], random_state=0)
    pd.testing.assert_frame_equal(table, plain)
    np.testing.assert_array_equal(given.toarray() if sparse.issparse(given) else given, X)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 2), (3, 3)])
def test_few_objects(n, k):
    table = stacking_table(np.arange(n)[:, None], n_clusters=k, n_init=1, random_state=0)
    assert set(table.n_clusters) == {k}


def test_identical_objects_give_one_cluster():
    assert set(stacking_table(np.zeros((5, 2)), n_clusters=2, n_init=1, random_state=0).n_clusters) <= {1, 2}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"linkages": []}, "at least one linkage"),
        ({"linkages": ["ward", "ward"]}, "each once"),
        ({"linkages": ["centroid"]}, "centroid"),
        ({"level": "depth"}, "level is 'depth'"),
        ({"clusterer": "dbscan"}, "clusterer is 'dbscan': choose from kmeans, gmm, spectral"),
        ({"clusterer": KMeans}, "give an estimator"),
        ({"n_components": 0}, "n_components is 0"),
        ({"n_clusters": 9}, "n_clusters is 9: choose a whole number from 1 to 4"),
        ({"n_clusters": 2.0}, r"n_clusters is 2\.0"),
        ({"n_clusters": None}, "no classes y to count: give n_clusters"),
        ({"y": [0, 1]}, r"y has shape \(2,\) for 4 objects"),
        ({"X": [[0.0], [np.nan], [1.0], [2.0]]}, "X contains NaN"),
    ],
)
def test_refusals(change, message):
    settings = {"X": [[0.0], [1.0], [5.0], [6.0]], "n_clusters": 2, **change}
    with pytest.raises(ValueError, match=message):
        stacking_table(**settings)
