"""The engines that never hold all distances: the same trees as SciPy's."""

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

import dendrolab.linkage
from dendrolab import Dendrogram, DendrogramFeatures, minimax_distances
from dendrolab.lean_linkage import lean_linkage
from dendrolab.linkage import linkage_from_data, pick_engine

METRIC = {"single": "euclidean", "ward": "euclidean", "average": "sqeuclidean"}
lean_linkages = pytest.mark.parametrize("linkage", METRIC)


def scipy_heights(X, linkage):
    return hierarchy.linkage(pdist(np.asarray(X, dtype=float), METRIC[linkage]), linkage)


def lean(X, linkage):
    return linkage_from_data(X, linkage, METRIC[linkage], engine="lean")


@st.composite
def tables(draw):
    """Tables of 2 to 300 rows and 1 to 50 columns, with repeats, offsets, both dtypes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, 300)), draw(st.integers(1, 50))
    X = rng.normal(size=(n, d)) * draw(st.sampled_from([1.0, 1e-3, 1e5]))
    if draw(st.booleans()):
        X[rng.integers(0, n, n // 3)] = X[0]
    X = X + draw(st.sampled_from([0.0, 1e6])) * rng.integers(0, 2, size=(draw(st.sampled_from([1, n])), 1))
    return X.astype(draw(st.sampled_from([np.float64, np.float32])))


@lean_linkages
@given(tables())
@settings(max_examples=200)
def test_heights_equal_scipys(linkage, X):
    before = X.copy()
    Z = lean(X, linkage)
    np.testing.assert_array_equal(X, before)
    distances = pdist(np.asarray(X, dtype=float))
    distances = np.sort(distances[distances > 0])
    if linkage != "single" and (np.diff(distances) <= 1e-12 * distances[1:]).any():
        theirs = replayed_heights(X.astype(float), Z, linkage)  # equal distances allow several trees
        np.testing.assert_allclose(Z[:, 2], theirs, rtol=1e-9, atol=1e-9 * Z[-1, 2])
    else:
        theirs = scipy_heights(X, linkage)[:, 2]
        np.testing.assert_allclose(Z[:, 2], theirs, rtol=1e-12 if X.dtype == np.float64 else 1e-5, atol=0)


@lean_linkages
@pytest.mark.parametrize("offset", [0, 1e6])
def test_the_tree_is_scipys_where_no_distances_are_equal(linkage, offset):
    X = offset + np.random.default_rng(1).normal(size=(400, 3)) * (1e-3 if offset else 1)
    ours, theirs = lean(X, linkage), scipy_heights(X, linkage)
    np.testing.assert_array_equal(ours[:, [0, 1, 3]], theirs[:, [0, 1, 3]])


@lean_linkages
@given(st.integers(0, 10**6))
def test_ties_give_a_right_tree_the_same_each_time(linkage, seed):
    X = np.random.default_rng(seed).integers(0, 3, size=(40, 2)).astype(float)
    Z = lean(X, linkage)
    np.testing.assert_array_equal(Z, lean(X.copy(), linkage))
    Dendrogram.from_linkage_matrix(Z)
    np.testing.assert_allclose(Z[:, 2], replayed_heights(X, Z, linkage), atol=1e-12)
    assert (np.diff(Z[:, 2]) >= 0).all()


def replayed_heights(X, Z, linkage):
    """The linkage of each merge by its definition over members."""
    X, members = X - X.mean(axis=0), [[i] for i in range(len(X))]
    heights = []
    for left, right in Z[:, :2].astype(int):
        A, B = X[members[left]], X[members[right]]
        D = ((A[:, None] - B) ** 2).sum(axis=2)
        gap = np.square(A.mean(axis=0) - B.mean(axis=0)).sum()
        ward = np.sqrt(2 * len(A) * len(B) / (len(A) + len(B)) * gap)
        heights.append({"single": np.sqrt(D.min()), "average": D.mean(), "ward": ward}[linkage])
        members.append(members[left] + members[right])
    return heights


def test_three_points_by_hand():
    X = [[0.0], [1.0], [5.0]]
    np.testing.assert_array_equal(lean(X, "single")[:, 2], [1, 4])
    np.testing.assert_allclose(lean(X, "average")[:, 2], [1, (25 + 16) / 2])
    np.testing.assert_allclose(lean(X, "ward")[:, 2], [1, 4.5 * np.sqrt(4 / 3)])


@pytest.mark.parametrize("linkage", ["ward", "average"])
def test_distances_of_very_different_size_keep_their_digits(linkage):
    chain = 2.0 ** np.arange(60)[:, None]
    blobs = np.random.default_rng(0).normal(size=(60, 2))
    blobs[30:] += 1e6
    for X in (chain, blobs):
        np.testing.assert_allclose(lean(X, linkage)[:, 2], scipy_heights(X, linkage)[:, 2], rtol=1e-12)


@lean_linkages
@pytest.mark.parametrize("density", [0.03, 0.9])
def test_sparse_tables_give_the_tree_of_their_dense_form(linkage, density):
    X = sparse.random_array((150, 80), density=density, format="csr", rng=np.random.default_rng(0))
    X = X + sparse.csr_array(([1e-3], ([0], [0])), shape=X.shape)
    np.testing.assert_allclose(lean(X, linkage)[:, 2], scipy_heights(X.toarray(), linkage)[:, 2], atol=1e-9)


@pytest.mark.parametrize("metric", ["cityblock", "cosine", lambda a, b: float(abs(a - b).max())])
def test_single_linkage_is_lean_for_every_metric(metric):
    X = np.random.default_rng(0).normal(size=(80, 4))
    ours = linkage_from_data(X, "single", metric, engine="lean")
    np.testing.assert_allclose(ours[:, 2], linkage_from_data(X, "single", metric, engine="dense")[:, 2])


@pytest.mark.parametrize("linkage", ["ward", "average"])
def test_blocks_keep_to_the_working_memory(linkage, monkeypatch):
    X = np.random.default_rng(0).normal(size=(300, 4))
    with sklearn.config_context(working_memory=0.05):
        np.testing.assert_array_equal(lean(X, linkage), lean_linkage(X, linkage))


def test_all_rows_equal_and_one_row():
    for linkage in METRIC:
        np.testing.assert_array_equal(lean(np.ones((5, 2)), linkage)[:, 2], np.zeros(4))
        assert lean(np.ones((1, 2)), linkage).shape == (0, 4)
        np.testing.assert_array_equal(lean([[1.0], [3.0]], linkage)[:, 3], [2])


def test_the_engine_is_picked_by_size_and_memory(monkeypatch):
    assert pick_engine("auto", 1000, "ward", "euclidean") == "dense"
    assert pick_engine("auto", 30_000, "ward", "euclidean") == "lean"
    assert pick_engine("auto", 30_000, "complete", "euclidean") == "dense"
    assert pick_engine("auto", 3_000, "single", "euclidean") == "lean"
    assert pick_engine("auto", 3_000, "single", "euclidean", is_sparse=True) == "dense"
    assert pick_engine("auto", 3_000, "single", "cosine") == "dense"
    assert pick_engine("auto", 30_000, "average", "euclidean") == "dense"
    monkeypatch.setattr(dendrolab.linkage, "available_memory", lambda: 10_000)
    assert pick_engine("auto", 1000, "average", "sqeuclidean") == "lean"


def test_engines_reach_the_estimators():
    X = np.random.default_rng(0).normal(size=(60, 3))
    features = [DendrogramFeatures("ward", engine=engine).fit(X).dendrogram_ for engine in ("lean", "dense")]
    np.testing.assert_allclose(features[0].heights, features[1].heights)
    np.testing.assert_allclose(minimax_distances(X, engine="lean"), minimax_distances(X, engine="dense"))


def test_what_has_no_lean_engine_is_refused_with_the_bytes():
    X = np.zeros((3, 2))
    with pytest.raises(
        ValueError, match=r"no lean engine for complete linkage .* needs 51 bytes for 3 objects"
    ):
        linkage_from_data(X, "complete", engine="lean")
    with pytest.raises(ValueError, match="no lean engine for average linkage with metric 'euclidean'"):
        Dendrogram.from_data(X, "average", engine="lean")
    with pytest.raises(ValueError, match="engine is 'fast': choose one of auto, dense, lean"):
        DendrogramFeatures(engine="fast").fit(X)
