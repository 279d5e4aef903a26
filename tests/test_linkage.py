"""Linkage matrices: known heights, a replay of all merges, sparse and float32 tables, refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.spatial.distance import cdist, pdist, squareform

from dendrolab import Dendrogram
from dendrolab.linkage import LINKAGES, linkage_from_data, linkage_from_distances
from dendrolab.pairwise import METRICS

# Few distinct values: most draws hold ties and duplicates.
grid_points = st.integers(2, 8).flatmap(
    lambda n: arrays(np.float64, (n, 2), elements=st.integers(0, 3).map(float))
)


@pytest.mark.parametrize(
    ("linkage", "second", "third"),
    [
        ("single", 2, 6),
        ("complete", 3, 9),
        ("average", 2.5, 23 / 3),
        ("weighted", 2.5, 7.25),
        ("ward", np.sqrt(2 * 2 * 1 / 3) * 2.5, np.sqrt(2 * 3 * 1 / 4) * (9 - 4 / 3)),
    ],
)
def test_heights_on_the_line(linkage, second, third):
    Z = linkage_from_data([[0.0], [1.0], [3.0], [9.0]], linkage)
    np.testing.assert_allclose(Z[:, 2], [1, second, third], rtol=1e-15)
    assert Z[:, [0, 1, 3]].tolist() == [[0, 1, 2], [2, 4, 3], [3, 5, 4]]


def test_complete_heights_of_a_known_condensed_matrix():
    assert linkage_from_distances([1, 2, 3, 1.5, 2.7, 0.15], "complete")[:, 2].tolist() == [0.15, 1, 3]


@pytest.mark.parametrize("linkage", LINKAGES)
def test_duplicates_meet_at_zero(linkage):
    heights = linkage_from_data([[0.0], [2.0], [0.0]], linkage)[:, 2]
    assert heights[0] == 0
    assert heights[1] == pytest.approx(2 * np.sqrt(4 / 3) if linkage == "ward" else 2)


def test_a_tie_of_three_on_the_diagonal_never_joins_the_ends_first():
    Z = linkage_from_data([[-1.0, -1], [0, 0], [1, 1]], "single")
    assert Z[:, 2].tolist() == [np.sqrt(2), np.sqrt(2)]
    assert set(Z[0, :2]) != {0, 2}


def between(D, X, a, b, linkage):
    """Distance of two sets of objects by the linkage's definition, not by an update formula."""
    if linkage == "ward":
        gap = np.linalg.norm(X[a].mean(axis=0) - X[b].mean(axis=0))
        return np.sqrt(2 * len(a) * len(b) / (len(a) + len(b))) * gap
    return {"single": np.min, "complete": np.max, "average": np.mean}[linkage](D[np.ix_(a, b)])


@pytest.mark.parametrize("linkage", [name for name in LINKAGES if name != "weighted"])
@given(X=grid_points)
def test_each_merge_is_the_smallest_over_all_pairs_of_clusters(linkage, X):
    D = squareform(pdist(X))
    clusters = {i: [i] for i in range(len(X))}
    for row, (left, right, height, size) in enumerate(linkage_from_data(X, linkage), start=len(X)):
        names = sorted(clusters)
        smallest = min(
            between(D, X, clusters[p], clusters[q], linkage) for p in names for q in names if p < q
        )
        merged = clusters.pop(int(left)), clusters.pop(int(right))
        assert height == pytest.approx(smallest, abs=1e-7)  # ward squares: sqrt of rounding
        assert height == pytest.approx(between(D, X, *merged, linkage), abs=1e-7)
        clusters[row] = merged[0] + merged[1]
        assert size == len(clusters[row])


@given(X=grid_points)
def test_each_merge_is_the_smallest_in_weighted_linkage(X):
    D = {(i, j): d for i, row in enumerate(cdist(X, X).tolist()) for j, d in enumerate(row) if i != j}
    for merged, (left, right, height, _) in enumerate(linkage_from_data(X, "weighted"), start=len(X)):
        assert height == pytest.approx(min(D.values()), abs=1e-12)
        assert height == pytest.approx(D[left, right], abs=1e-12)
        for other in {i for i, _ in D} - {left, right}:
            D[merged, other] = D[other, merged] = (D[left, other] + D[right, other]) / 2
        D = {pair: d for pair, d in D.items() if not {left, right} & set(pair)}


@pytest.mark.parametrize("linkage", LINKAGES)
def test_square_condensed_and_data_give_the_same_tree(linkage):
    X = np.random.default_rng(0).normal(size=(30, 3))
    Z = linkage_from_data(X, linkage)
    assert np.array_equal(linkage_from_distances(pdist(X), linkage), Z)
    assert np.array_equal(linkage_from_distances(squareform(pdist(X)), linkage), Z)
    assert np.array_equal(
        Dendrogram.from_data(squareform(pdist(X)), linkage, "precomputed").linkage_matrix, Z
    )
    assert np.array_equal(hierarchy.linkage(X, linkage), Z)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_float32_gives_the_tree_of_float64_on_separated_data(linkage):
    X = np.random.default_rng(0).normal(size=(25, 2)).astype(np.float32)
    Z = linkage_from_data(X, linkage)
    assert Z.dtype == np.float64
    assert np.array_equal(Z, linkage_from_data(X.astype(np.float64), linkage))


def test_float32_rows_that_are_close_for_their_length_keep_their_distance():
    X = np.float32([np.full(1000, 1.0), np.full(1000, 1.001)])
    exact = np.sqrt(1000) * 0.001
    for table in (X, sparse.csr_array(X)):
        assert linkage_from_data(table)[0, 2] == pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize("metric", METRICS)
def test_sparse_equals_dense_for_every_metric(metric):
    X = np.random.default_rng(0).integers(0, 3, (15, 8)).astype(float)
    X[:, 0] = 1 + np.arange(15) % 2
    X[3] = X[4]
    if metric in ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"):
        X = (X > 1).astype(float)
        X[:, 0], X[:, 1] = 1, 0
    np.testing.assert_allclose(
        linkage_from_data(sparse.csr_array(X), metric=metric)[:, 2],
        linkage_from_data(X, metric=metric)[:, 2],
        atol=1e-12,
    )


def test_sparse_rows_that_nearly_repeat_keep_their_distance():
    X = np.array([[1.0, 0], [1 + 1e-8, 0], [1 + 1e-7, 0]])
    np.testing.assert_allclose(
        linkage_from_data(sparse.csr_array(X), "single")[:, 2],
        linkage_from_data(X, "single")[:, 2],
        rtol=1e-6,
    )


def test_stored_duplicates_and_zeros_of_a_sparse_table_do_not_count_twice():
    rows, columns = [0, 0, 1, 2], [1, 1, 1, 0]
    X = sparse.coo_array(([1.0, 1, 2, 0], (rows, columns)), shape=(3, 2))
    assert linkage_from_data(X)[0].tolist() == [0, 1, 0, 2]


def test_a_callable_metric():
    Z = linkage_from_data([[0.0, 0], [1, 1], [5, 5]], "single", lambda a, b: np.abs(a - b).max())
    assert Z[:, 2].tolist() == [1, 4]


def test_hamming_takes_whole_numbers():
    assert linkage_from_data([[1, 2], [1, 3], [9, 9]], metric="hamming")[:, 2].tolist() == [0.5, 1]


@pytest.mark.parametrize(
    ("X", "metric", "message"),
    [
        ([[0, 0], [0, 1]], "cosine", "'cosine' is undefined for a row of zeros, such as row 0"),
        (sparse.csr_array([[0, 1], [0, 0]]), "cosine", "undefined for a row of zeros, such as row 1"),
        ([[1, 1], [0, 1], [2, 3]], "correlation", "'correlation' gives nan between rows 0 and 1"),
        ([[0, 0], [1, 2], [0, 0]], "braycurtis", "'braycurtis' gives nan between rows 0 and 2"),
        ([[1e308], [-1e308]], "cityblock", "'cityblock' gives inf between rows 0 and 1.*Rescale"),
        ([[1.0], [2], [-3]], lambda a, b: a @ b, "negative"),
        ([[1.0], [2]], lambda a, b: np.nan, "gives nan between rows 0 and 1"),
        ([[1.0], [2]], "euclid", "metric is 'euclid': choose a function or one of braycurtis"),
        ([[1.0], [2]], "mahalanobis", "Scale the columns first"),
        ([[1.0], [2]], None, "metric is None"),
    ],
)
def test_a_metric_without_a_distance_is_refused(X, metric, message):
    with pytest.raises(ValueError, match=message):
        linkage_from_data(X, metric=metric)


@pytest.mark.parametrize("linkage", ["Single", None, ["single"], "centroids"])
def test_an_unknown_linkage_is_refused(linkage):
    for build in (linkage_from_data, linkage_from_distances):
        with pytest.raises(ValueError, match="choose one of single, complete, average, ward, weighted"):
            build([[0.0, 1], [1, 0]], linkage)


@pytest.mark.parametrize("linkage", ["ward", "centroid", "median"])
def test_linkages_of_means_need_euclidean_distances(linkage):
    with pytest.raises(ValueError, match=f"{linkage}.*metric='euclidean', not 'cityblock'"):
        linkage_from_data([[0.0], [1.0]], linkage, "cityblock")


@pytest.mark.parametrize("linkage", LINKAGES)
def test_distances_that_overflow_in_the_updates_are_refused(linkage):
    with pytest.raises(ValueError, match=r"distances up to 1e\+308 overflow"):
        linkage_from_distances([1e308, 1e308, 1e308], linkage)


def test_distances_whose_squares_vanish_are_not_merged_at_zero():
    with pytest.raises(ValueError, match="underflow"):
        linkage_from_distances([1e-200, 3e-200, 2e-200], "ward")


def test_a_distance_matrix_read_as_a_table_is_pointed_out():
    with pytest.warns(UserWarning, match="read as a table.*from_distances"):
        linkage_from_data([[0.0, 1, 2], [1, 0, 3], [2, 3, 0]])
    with pytest.warns(UserWarning, match="read as a table.*from_distances"):
        linkage_from_data(sparse.csr_array([[0.0, 1, 2], [1, 0, 3], [2, 3, 0]]))


def test_one_object_has_no_merge():
    for Z in (linkage_from_data([[3.0]]), linkage_from_distances([[0.0]])):
        assert Z.shape == (0, 4)


@pytest.mark.parametrize("linkage", LINKAGES)
@given(X=grid_points)
def test_heights_do_not_decrease(linkage, X):
    assert Dendrogram.from_data(X, linkage).is_monotone


@pytest.mark.parametrize("linkage", LINKAGES)
def test_a_rerun_gives_the_same_bits_with_ties(linkage):
    X = np.random.default_rng(0).integers(0, 3, (60, 2)).astype(float)
    assert linkage_from_data(X, linkage).tobytes() == linkage_from_data(X, linkage).tobytes()
