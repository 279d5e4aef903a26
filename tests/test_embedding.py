"""Embeddings: exact distances, known spectra, Lanczos against a dense solver, degenerate input."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import linalg
from scipy.spatial.distance import pdist, squareform
from sklearn.decomposition import PCA

from dendrolab import Dendrogram, dendrogram_distances, embed_dendrogram, embed_distances, tree_coordinates
from dendrolab.embedding import _signs
from dendrolab.levels import LEVELS
from dendrolab.linkage import LINKAGES

grid_points = st.integers(1, 9).flatmap(
    lambda n: arrays(np.float64, (n, 2), elements=st.integers(0, 2).map(float))
)
FAR_PAIR = np.ones((4, 4)) - np.eye(4)
FAR_PAIR[0, 3] = FAR_PAIR[3, 0] = 9


def squared(Y):
    return squareform(pdist(Y, "sqeuclidean")) if len(Y) > 1 else np.zeros((1, 1))


def centred(D):
    return -0.5 * (D - D.mean(0) - D.mean(1)[:, None] + D.mean())


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_two_objects_lie_on_both_sides_of_zero():
    embedding = embed_dendrogram(Dendrogram.from_data([[0.0], [4.0]]), "linkage")
    assert np.abs(embedding.coordinates).round(12).tolist() == [[1], [1]]
    assert embedding.coordinates.sum() == pytest.approx(0, abs=1e-12)
    assert embedding.eigenvalues.round(12).tolist() == [2]
    assert embedding.total == pytest.approx(2)


def test_the_spectrum_on_the_line(line):
    # Across 4, left pair 1, right pair 0.5: by symmetry the directions are the pairs and their difference.
    embedding = embed_dendrogram(line, "linkage")
    np.testing.assert_allclose(
        embedding.eigenvalues, linalg.eigvalsh(centred(squared_line()))[:0:-1], atol=1e-12
    )
    np.testing.assert_allclose(squared(embedding.coordinates), squared_line(), atol=1e-12)
    assert embedding.explained.sum() == pytest.approx(1)


def squared_line():
    return np.array([[0, 1, 4, 4], [1, 0, 4, 4], [4, 4, 0, 0.5], [4, 4, 0.5, 0]])


def test_coordinates_of_the_nodes_on_the_line(line):
    squares = tree_coordinates(line, "linkage").toarray() ** 2
    half = [0.5, 0.5, 0.25, 0.25]
    np.testing.assert_allclose(squares[:, :4], np.diag(half))
    np.testing.assert_allclose(squares[:, 4:], [[0, 1.5], [0, 1.5], [1.75, 0], [1.75, 0]])


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("level", LEVELS)
@given(X=grid_points)
def test_squared_distances_of_the_rows_are_the_distances(linkage, level, X):
    tree = Dendrogram.from_data(X, linkage)
    D = dendrogram_distances(tree, level)
    embedding = embed_dendrogram(tree, level)
    np.testing.assert_allclose(squared(embedding.coordinates), D, atol=1e-9)
    np.testing.assert_allclose(squared(tree_coordinates(tree, level).toarray()), D, atol=1e-9)
    assert linalg.eigvalsh(centred(D)).min() > -1e-9
    assert embedding.eigenvalues.sum() == pytest.approx(embedding.total, abs=1e-9)
    assert np.all(np.diff(embedding.eigenvalues) <= 0)


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("level", LEVELS)
def test_lanczos_finds_the_leading_eigenpairs_with_ties(linkage, level):
    X = np.random.default_rng(0).integers(0, 12, (450, 2)).astype(float)
    tree = Dendrogram.from_data(X, linkage)
    W = centred(dendrogram_distances(tree, level))
    values = linalg.eigvalsh(W)[::-1]
    embedding = embed_dendrogram(tree, level, n_components=12)
    np.testing.assert_allclose(embedding.eigenvalues, values[:12], rtol=1e-8)
    assert embedding.total == pytest.approx(values[values > 0].sum(), rel=1e-10)
    Y = embedding.coordinates
    np.testing.assert_allclose(W @ Y, Y * values[:12], atol=1e-6 * values[0] ** 1.5)
    np.testing.assert_allclose(Y.T @ Y, np.diag(values[:12]), atol=1e-8 * values[0])


def test_leading_directions_are_the_first_of_all_directions():
    tree = Dendrogram.from_data(np.random.default_rng(0).normal(size=(450, 3)), "ward")
    some, every = embed_dendrogram(tree, "linkage", 3), embed_dendrogram(tree, "linkage")
    np.testing.assert_allclose(some.coordinates, every.coordinates[:, :3], atol=1e-6)
    assert some.total == pytest.approx(every.total)
    assert 0 < some.explained.sum() < 1


@pytest.mark.parametrize("n_components", [None, 5])
@pytest.mark.parametrize("n", [10, 500])
@pytest.mark.parametrize("level", LEVELS)
def test_identical_points_give_the_same_finite_result_twice(level, n, n_components):
    tree = Dendrogram.from_data(np.zeros((n, 2)))
    first, second = (embed_dendrogram(tree, level, n_components).coordinates for _ in range(2))
    assert first.tobytes() == second.tobytes()
    assert np.isfinite(first).all()
    assert level != "linkage" or not first.any()


@pytest.mark.parametrize("n", [60, 450])
def test_each_column_has_its_largest_entry_positive(n):
    Y = embed_dendrogram(
        Dendrogram.from_data(np.random.default_rng(0).normal(size=(n, 2))), "rank", 4
    ).coordinates
    assert np.all(Y[np.abs(Y).argmax(axis=0), range(4)] > 0)


def test_rounding_does_not_choose_the_sign_of_a_symmetric_column():
    for rounding in (-1e-12, 0, 1e-12):
        assert _signs(np.array([[-0.5], [0.5 + rounding]])).tolist() == [-1]


@pytest.mark.parametrize("n", [5, 450])
def test_more_components_than_the_rank_are_zero_columns(n):
    tree = Dendrogram.from_data(np.repeat([[0.0], [3.0]], [2, n - 2], axis=0))
    embedding = embed_dendrogram(tree, "linkage", n_components=6)
    assert embedding.coordinates.shape == (n, 6)
    assert embedding.coordinates[:, 0].any()
    assert not embedding.coordinates[:, 1:].any()
    assert embedding.explained.tolist() == pytest.approx([1, 0, 0, 0, 0, 0])


def test_heights_near_the_limits_of_float64_are_embedded_or_refused():
    for scale in (1e308, 1e-300):
        tree = Dendrogram.from_linkage_matrix([[0, 1, 0.5 * scale, 2], [2, 3, scale, 3]])
        Y = embed_dendrogram(tree, "linkage").coordinates / np.sqrt(scale)
        np.testing.assert_allclose(squared(Y), [[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]], rtol=1e-3)


@pytest.mark.parametrize("n_components", [0, -1, 2.0, "2", True, np.nan])
def test_a_number_of_components_that_does_not_exist_is_refused(line, n_components):
    for use in (lambda k: embed_dendrogram(line, n_components=k), lambda k: embed_distances([1.0], k)):
        with pytest.raises(ValueError, match=r"n_components is .*: give a whole number from 1"):
            use(n_components)


def test_euclidean_distances_give_the_scores_of_principal_components():
    X = np.random.default_rng(0).normal(size=(50, 4)) * [4, 3, 2, 1]
    scores = PCA().fit_transform(X)
    Y = embed_distances(pdist(X)).coordinates
    assert Y.shape == (50, 4)
    np.testing.assert_allclose(Y * np.sign((Y * scores).sum(axis=0)), scores, atol=1e-10)
    assert np.all(Y[np.abs(Y).argmax(axis=0), range(4)] > 0)
    assert embed_distances(pdist(X)).coordinates.tobytes() == Y.tobytes()


def test_square_condensed_and_squared_distances_agree():
    D = squareform(pdist(np.random.default_rng(0).normal(size=(20, 3))))
    Y = embed_distances(D).coordinates
    np.testing.assert_allclose(embed_distances(squareform(D)).coordinates, Y, atol=1e-12)
    np.testing.assert_allclose(embed_distances(D**2, squared=True).coordinates, Y, atol=1e-7)


def test_a_flat_table_has_rank_two_in_six_dimensions():
    D = pdist(
        np.random.default_rng(0).normal(size=(12, 2)) @ np.ones((2, 2)) + np.arange(24).reshape(12, 2) % 5
    )
    embedding = embed_distances(D, n_components=6)
    assert not embedding.coordinates[:, 2:].any()
    np.testing.assert_allclose(pdist(embedding.coordinates, "sqeuclidean"), D**2, atol=1e-10)


def test_a_matrix_that_is_not_euclidean_keeps_its_signed_spectrum_and_warns():
    with pytest.warns(UserWarning, match=r"1 of 4 eigenvalues are negative, the lowest -19.5 against 40.5"):
        embedding = embed_distances(FAR_PAIR)
    assert embedding.eigenvalues[[0, -1]].round(10).tolist() == [40.5, -19.5]
    assert embedding.total == pytest.approx(41)
    with pytest.warns(UserWarning, match=r"hold 32\.2% of the spectrum"):
        embed_distances(FAR_PAIR)


def test_an_ultrametric_is_embedded_without_a_warning():
    tree = Dendrogram.from_data(np.random.default_rng(0).normal(size=(80, 2)))
    D = dendrogram_distances(tree, "linkage")
    np.testing.assert_allclose(squared(embed_distances(D, squared=True).coordinates), D, atol=1e-10)
    np.testing.assert_allclose(
        embed_distances(D, squared=True).coordinates, embed_dendrogram(tree, "linkage").coordinates, atol=1e-6
    )


@pytest.mark.parametrize("n", [1, 2, 5])
def test_zero_distances_are_embedded_at_zero(n):
    embedding = embed_distances(np.zeros((n, n)))
    assert embedding.coordinates.tolist() == [[0]] * n
    assert embedding.explained.tolist() == [0]
    assert not embedding.eigenvalues.any()


def test_explained_has_one_share_a_column():
    assert embed_distances([3.0], n_components=5).explained.tolist() == pytest.approx([1, 0, 0, 0, 0])
    assert embed_distances([3.0, 4, 5], n_components=1).explained.shape == (1,)


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_distances_whose_squares_leave_float64_are_refused(size):
    with pytest.raises(ValueError, match=r"distances up to .*, whose squares leave float64: rescale"):
        embed_distances([[0, size], [size, 0]])


def test_one_object_of_any_kind_is_at_zero():
    tree = Dendrogram.from_data([[3.0]])
    assert embed_dendrogram(tree).coordinates.tolist() == [[0]]
    assert embed_dendrogram(tree, n_components=3).coordinates.tolist() == [[0, 0, 0]]
    assert tree_coordinates(tree).shape == (1, 0)


@pytest.mark.parametrize("n", [60, 900])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_share_keeps_the_fewest_components_that_hold_it(n, share):
    tree = Dendrogram.from_data(np.random.default_rng(0).normal(size=(n, 3)), "ward")
    kept = embed_dendrogram(tree, n_components=share)
    values = embed_dendrogram(tree).eigenvalues
    fewest = np.searchsorted(np.cumsum(values), share * values.sum()) + 1
    assert kept.coordinates.shape == (n, fewest)
    np.testing.assert_allclose(kept.eigenvalues, values[:fewest], rtol=1e-9)
    D = [[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]]
    assert embed_distances(D, n_components=0.999).coordinates.shape == (3, 2)


@pytest.mark.parametrize("n_components", [0.0, 1.0, -0.5, float("nan"), "all", True, 0])
def test_what_is_neither_a_number_nor_a_share_is_refused(n_components, line):
    with pytest.raises(ValueError, match="give a whole number from 1, a share of the spectrum"):
        embed_dendrogram(line, n_components=n_components)


def test_a_share_of_nothing_and_more_columns_than_memory(line):
    same = Dendrogram.from_data(np.zeros((5, 2)))
    np.testing.assert_array_equal(embed_dendrogram(same, "linkage", 0.9).coordinates, np.zeros((5, 1)))
    with pytest.raises(MemoryError, match="coordinates of 4 objects needs about"):
        embed_dendrogram(line, n_components=10**13)
