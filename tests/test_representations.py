"""The comparison of representations, and the published cells that it reproduces."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from dendrolab import Dendrogram, load_csv, load_dataset, partition_scores
from dendrolab.clusterers import gmm_labels, kmeans_labels, spectral_labels
from dendrolab.representations import (
    affordable_linkages,
    compare_representations,
    represent,
    represent_plain,
)
from dendrolab.results import suggest_n_clusters

LINE = np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 1.0], [10.0, 1.0], [30.0, 2.0], [31.5, 2.0]])

# Published scores (Tables 1 and 2 of the dendrogram paper) that its protocol reproduces; the tables print
# absolute values of the adjusted Rand index.
PUBLISHED = [
    (("australian",), "single", "kmeans", 0.0580, 0.0859, 0.0593),
    (("australian",), "average", "kmeans", 0.0367, 0.0484, 0.0476),
    (("australian",), "single", "spectral", 0.0219, 0.0203, 0.0357),
    (("australian",), "ward", "spectral", 0.0074, 0.0038, 0.0162),
    (("hayes_roth_train",), "single", "kmeans", 0.2562, 0.2035, 0.3561),
    (("urban_land_cover_training", "urban_land_cover_testing"), "complete", "kmeans", 0.1640, 0.0798, 0.1858),
    (("urban_land_cover_training", "urban_land_cover_testing"), "ward", "spectral", 0.1406, 0.0594, 0.1632),
]


@pytest.mark.skipif(
    "DENDROLAB_DATA" not in os.environ, reason="DENDROLAB_DATA names no folder with the UCI sets"
)
@pytest.mark.parametrize(("files", "linkage", "clusterer", "ami", "ari", "v_measure"), PUBLISHED)
def test_published_scores_come_out_to_four_decimals(files, linkage, clusterer, ami, ari, v_measure):
    folder = Path(os.environ["DENDROLAB_DATA"])
    tables = [load_csv(folder / f"{name}.csv", label="label") for name in files]
    X = np.concatenate([table.data for table in tables])
    y = np.concatenate([table.target for table in tables])
    k = len(np.unique(y))
    found = compare_representations(
        represent(X, k, [linkage]), k, y, [clusterer], n_init=10, random_state=0, progress=False
    ).scores.set_index("representation")
    ours = found.loc[linkage, ["ami", "ari", "v_measure"]].astype(float)
    np.testing.assert_array_equal(ours.abs().round(4), [ami, ari, v_measure])


def test_representations_are_the_rows_of_the_papers_tables():
    found = represent(LINE, 3)
    assert list(found) == ["raw", "pca", "lsa", "single", "complete", "average", "ward"]
    np.testing.assert_array_equal(found["raw"].features, LINE)
    assert [found[name].features.shape[1] for name in ("pca", "lsa", "ward")] == [2, 2, 5]
    Y = found["ward"].features
    D = ((Y[:, None] - Y) ** 2).sum(axis=2)
    np.testing.assert_allclose(found["ward"].similarities(), D.max() - D, atol=1e-9)


def test_a_single_column_has_all_representations():
    found = represent(LINE[:, :1], 2)
    assert {item.features.shape[1] for name, item in found.items() if name in ("raw", "pca", "lsa")} == {1}


def test_every_clusterer_finds_three_obvious_groups_in_every_representation():
    y = ["a", "a", "b", "b", "c", "c"]
    comparison = compare_representations(represent(LINE, 3, random_state=0), 3, y, random_state=0)
    assert len(comparison.scores) == 21
    assert (comparison.scores[comparison.scores.clusterer != "spectral"].ari == 1).all()
    trees = comparison.scores[~comparison.scores.representation.isin(["raw", "pca", "lsa"])]
    assert (trees.ari == 1).all()
    assert comparison.labels.shape == (6, 21)


def test_objects_without_a_class_do_not_count():
    y = np.array(["a", None, "b", "b", "c", np.nan], dtype=object)
    comparison = compare_representations(represent(LINE, 3, ["ward"]), 3, y, ["kmeans"], random_state=0)
    row = comparison.scores.set_index("representation").loc["ward"]
    known = [0, 2, 3, 4]
    assert row.ari == partition_scores(y[known], comparison.labels["ward kmeans"].to_numpy()[known])["ari"]


@pytest.mark.parametrize("k", [1, 6])
def test_one_cluster_and_one_each(k):
    comparison = compare_representations(represent(LINE, k, ["ward"]), k, progress=False)
    assert (comparison.labels.nunique() == k).all()
    assert comparison.scores.silhouette.isna().all()


def test_a_run_repeats_with_its_seed_and_leaves_the_data_alone():
    X = LINE.copy()
    runs = [compare_representations(represent(X, 2, random_state=3), 2, random_state=3) for _ in range(2)]
    pd.testing.assert_frame_equal(runs[0].labels, runs[1].labels)
    np.testing.assert_array_equal(X, LINE)


def test_wrong_names_and_numbers_are_refused():
    found = represent(LINE, 2, ["ward"])
    with pytest.raises(ValueError, match="clusterers has 'dbscan'"):
        compare_representations(found, 2, clusterers=["dbscan"])
    with pytest.raises(ValueError, match="n_clusters is 7: choose a whole number from 1 to 6"):
        compare_representations(found, 7)
    with pytest.raises(ValueError, match="linkage 'centroid' can merge"):
        represent(LINE, 2, ["centroid"])


def test_linkages_that_cannot_be_had_for_many_objects_are_refused():
    with pytest.raises(ValueError, match="50,000 objects have too many distances for complete linkage"):
        affordable_linkages(["complete"], 50_000)


@pytest.mark.parametrize(
    ("points", "k"),
    [
        ([0, 1, 9, 10], 2),
        ([0, 1, 9, 10, 30, 31], 3),
        ([0, 1, 2, 3], 1),
        ([5, 5, 5], 1),
        ([0, 0, 7, 7], 2),
        ([4], 1),
        ([0, 3], 1),
    ],
)
def test_the_largest_relative_gap_gives_the_number_of_clusters(points, k):
    tree = Dendrogram.from_data(np.array(points, dtype=float)[:, None], "single")
    assert suggest_n_clusters(tree) == k


def test_kmeans_is_no_worse_than_its_random_starts():
    from sklearn.cluster import KMeans

    X = np.random.default_rng(0).normal(size=(200, 30))
    labels = kmeans_labels(X, 8, n_init=3, random_state=0)
    inertia = sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in range(8))
    assert inertia <= KMeans(8, n_init=3, random_state=0).fit(X).inertia_ + 1e-9


def test_the_order_of_the_columns_does_not_matter_to_a_mixture():
    X = StandardScaler().fit_transform(load_dataset("wine").data)
    labels = [
        compare_representations(represent_plain(Y, 3), 3, clusterers=["gmm"], random_state=0).labels
        for Y in (X, X[:, ::-1])
    ]
    assert partition_scores(labels[0]["raw gmm"], labels[1]["raw gmm"])["ari"] > 0.95


def test_sparse_rows_give_what_dense_ones_give():
    groups = np.kron(np.eye(3), np.ones((12, 4))) * np.random.default_rng(0).uniform(0.5, 1, size=(36, 12))
    dense, thin = (
        compare_representations(represent(A, 3, ["ward"]), 3, random_state=0)
        for A in (groups, sparse.csr_array(groups))
    )
    pd.testing.assert_frame_equal(dense.labels, thin.labels)
    pd.testing.assert_frame_equal(dense.scores, thin.scores)
    assert sparse.issparse(represent_plain(sparse.csr_array(groups), 3)["raw"].features)


def test_a_mixture_keeps_to_groups_of_different_width_in_any_unit():
    rng = np.random.default_rng(0)
    Y = np.concatenate([rng.normal(0, 1, size=(60, 2)), rng.normal(12, 0.2, size=(20, 2))])
    y = np.repeat([0, 1], [60, 20])
    for unit in (1e-6, 1.0, 1e6, np.array([1e-3, 1e3])):
        assert partition_scores(y, gmm_labels(unit * Y + unit, 2, random_state=0))["ari"] == 1


def test_a_mixture_hears_narrow_columns_beside_a_wide_one():
    wine = load_dataset("wine")  # proline spreads a thousand times as far as hue
    assert partition_scores(wine.target, gmm_labels(wine.data, 3, random_state=0))["ami"] > 0.85


def test_a_mixture_finds_groups_that_only_one_wide_column_parts():
    # Scaled, the columns of noise weigh as much as the one that counts: random starts alone miss the groups.
    y = np.repeat(range(4), 40)
    for seed in range(4):
        Y = np.random.default_rng(seed).normal(size=(160, 4))
        Y[:, 0] += 10 * y
        Y -= Y.mean(axis=0)
        assert partition_scores(y, gmm_labels(Y, 4, random_state=0))["ari"] == 1


@pytest.mark.parametrize("shape", [(60, 1), (60, 3), (12, 12), (8, 40)])
def test_few_sparse_rows_or_columns(shape):
    thin = sparse.csr_array(np.random.default_rng(0).integers(0, 3, size=shape).astype(float))
    plain = represent_plain(thin, 3)
    np.testing.assert_allclose(plain["pca"].features, represent_plain(thin.toarray(), 3)["pca"].features)
    labels = gmm_labels(thin, 3, random_state=0)
    if shape[1] <= 3:  # no more columns than clusters: taken as they are
        np.testing.assert_array_equal(labels, gmm_labels(thin.toarray(), 3, random_state=0))
    assert len(np.unique(labels)) == 3


def test_equal_sparse_rows():
    plain = represent_plain(sparse.csr_array(np.ones((8, 4))), 2)
    np.testing.assert_allclose(plain["pca"].features, 0, atol=1e-12)
    np.testing.assert_allclose(plain["raw"].similarities(), 0, atol=1e-12)


def test_lists_and_tables_are_taken_by_the_clusterers():
    Y = pd.DataFrame({"a": [0.0, 0.1, 9.0, 9.1], "b": [0.0, 0.0, 1.0, 1.0]})
    for labels_of in (kmeans_labels, gmm_labels):
        for features in (Y, Y.to_numpy().tolist()):
            assert partition_scores([0, 0, 1, 1], labels_of(features, 2, random_state=0))["ari"] == 1


def test_mixture_and_spectral_on_identical_objects_do_not_fail():
    assert gmm_labels(np.zeros((6, 3)), 2, random_state=0).shape == (6,)
    assert spectral_labels(np.ones((6, 6)), 2, random_state=0).shape == (6,)
    assert kmeans_labels(np.zeros((6, 3)), 2, random_state=0).shape == (6,)
