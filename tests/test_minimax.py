"""Minimax distances: three routes and a search over all paths agree, on data, distances and graphs."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sklearn.neighbors import kneighbors_graph

from dendrolab import dendrogram_distances, embed_dendrogram, embed_distances, minimax_distances
from dendrolab.minimax import METHODS, minimax_dendrogram

every_method = pytest.mark.parametrize("method", METHODS)
sizes = st.integers(1, 9)
grid_points = sizes.flatmap(lambda n: arrays(np.float64, (n, 2), elements=st.integers(0, 3).map(float)))
# None: no edge. Zero and tiny weights are edges.
graphs = sizes.flatmap(
    lambda n: st.lists(
        st.sampled_from([None, None, 0.0, 1e-9, 1.0, 2.0, 3.5]),
        min_size=n * (n - 1) // 2,
        max_size=n * (n - 1) // 2,
    ).map(lambda weights: (n, weights))
)
TWO_PAIRS = sparse.csr_array(([1.0, 2.0], ([0, 2], [1, 3])), shape=(4, 4))


def all_routes(X, metric="euclidean"):
    first, *others = (minimax_distances(X, metric, method) for method in METHODS)
    for other in others:
        np.testing.assert_allclose(other, first, rtol=1e-12, atol=1e-12)
    return first


def as_graph(n, weights):
    i, j = np.triu_indices(n, 1)
    there = np.array([w is not None for w in weights], dtype=bool)
    data = np.array([w for w in weights if w is not None], dtype=float)
    return sparse.coo_array((data, (i[there], j[there])), shape=(n, n))


def over_all_paths(D):
    """The definition: the smallest largest step over every path through the other objects."""
    n = len(D)
    best = D.copy()
    np.fill_diagonal(best, 0)
    for k in range(3, n + 1):
        for path in permutations(range(n), k):
            largest = max(D[u, v] for u, v in pairwise(path))
            best[path[0], path[-1]] = min(best[path[0], path[-1]], largest)
    return best


@every_method
def test_on_the_line(method):
    D = minimax_distances([[0.0], [1.0], [5.0], [5.5]], method=method)
    assert D.tolist() == [[0, 1, 4, 4], [1, 0, 4, 4], [4, 4, 0, 0.5], [4, 4, 0.5, 0]]


@every_method
def test_a_path_of_small_steps_beats_the_direct_step(method):
    D = [[0, 1, 9], [1, 0, 2], [9, 2, 0]]
    expected = [[0, 1, 2], [1, 0, 2], [2, 2, 0]]
    assert minimax_distances(D, "precomputed", method).tolist() == expected
    assert minimax_distances([1.0, 9.0, 2.0], "precomputed", method).tolist() == expected


@every_method
def test_a_tie_of_three_and_two_duplicates(method):
    root = np.sqrt(2)
    D = minimax_distances([[-1.0, -1], [0, 0], [1, 1], [1, 1]], method=method)
    assert D.tolist() == [
        [0, root, root, root],
        [root, 0, root, root],
        [root, root, 0, 0],
        [root, root, 0, 0],
    ]


@every_method
def test_one_and_two_objects(method):
    assert minimax_distances([[3.0]], method=method).tolist() == [[0]]
    assert minimax_distances([[0.0]], "precomputed", method).tolist() == [[0]]
    assert minimax_distances(sparse.csr_array((1, 1)), "precomputed", method).tolist() == [[0]]
    assert minimax_distances([[1.0], [4.0]], method=method).tolist() == [[0, 3], [3, 0]]


@every_method
@given(
    X=st.integers(2, 6).flatmap(lambda n: arrays(np.float64, (n, 2), elements=st.integers(0, 3).map(float)))
)
def test_the_definition_over_all_paths(method, X):
    assert np.array_equal(minimax_distances(X, method=method), over_all_paths(squareform(pdist(X))))


@given(X=grid_points)
def test_the_routes_agree_on_data_with_duplicates(X):
    all_routes(X)


@pytest.mark.parametrize("smallest", [0.0, 1e-9, 1e-200])
def test_the_routes_agree_with_zero_and_tiny_distances(smallest):
    D = squareform(pdist(np.random.default_rng(0).normal(size=(40, 2))))
    D[D < 0.4] = smallest
    np.fill_diagonal(D, 0)
    tiny = all_routes(D, "precomputed")
    assert (tiny == smallest).sum() > 40


@pytest.mark.parametrize(
    "metric", ["euclidean", "sqeuclidean", "cityblock", "cosine", "hamming", "correlation"]
)
def test_the_routes_agree_for_other_metrics(metric):
    all_routes(np.random.default_rng(0).normal(size=(30, 4)), metric)


@given(graph=graphs)
def test_the_routes_agree_on_graphs(graph):
    D = all_routes(as_graph(*graph), "precomputed")
    dense = np.full(D.shape, np.inf)
    dense[as_graph(*graph).coords] = as_graph(*graph).data
    dense = np.minimum(dense, dense.T)
    np.fill_diagonal(dense, 0)
    for k in range(len(D)):
        dense = np.minimum(dense, np.maximum(dense[:, [k]], dense[k]))
    assert np.array_equal(D, dense)


@given(graph=graphs, seed=st.integers(0, 9))
def test_edges_stored_once_twice_or_mixed_mean_the_same(graph, seed):
    n, weights = graph
    once = as_graph(n, weights)
    i, j = once.coords
    flip = np.random.default_rng(seed).random(once.nnz) < 0.5
    mixed = sparse.coo_array((once.data, (np.where(flip, j, i), np.where(flip, i, j))), shape=(n, n))
    twice = sparse.coo_array(
        (np.tile(once.data, 2), (np.concatenate([i, j]), np.concatenate([j, i]))), shape=(n, n)
    )
    D = minimax_distances(once, "precomputed")
    for other in (mixed, twice):
        assert np.array_equal(minimax_distances(other, "precomputed"), D)


def test_a_stored_zero_is_an_edge_and_an_absent_one_is_not():
    zero = sparse.coo_array(([0.0, 5.0], ([0, 1], [1, 2])), shape=(3, 3))
    assert all_routes(zero, "precomputed").tolist() == [[0, 0, 5], [0, 0, 5], [5, 5, 0]]


@every_method
def test_across_components_the_distance_is_inf(method):
    inf = np.inf
    D = minimax_distances(TWO_PAIRS, "precomputed", method)
    assert D.tolist() == [[0, 1, inf, inf], [1, 0, inf, inf], [inf, inf, 0, 2], [inf, inf, 2, 0]]


@pytest.mark.parametrize("level", ["linkage", "level", "size", "rank"])
def test_embedding_several_components_says_how_many(level):
    graph = sparse.block_diag([np.ones((3, 3)) - np.eye(3)] * 3 + [[[0.0]]])
    with pytest.raises(ValueError, match="4 connected components"):
        embed_dendrogram(minimax_dendrogram(graph, "precomputed"), level)


def test_embedding_infinite_distances_says_how_many_components():
    D = minimax_distances(TWO_PAIRS, "precomputed")
    for form in (D, D[np.triu_indices(4, 1)]):
        with pytest.raises(ValueError, match="2 connected components"):
            embed_distances(form)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array, sparse.lil_array])
@pytest.mark.parametrize("dtype", [np.int64, np.float32, bool])
def test_sparse_formats_and_number_types(form, dtype):
    graph = form(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype))
    assert minimax_distances(graph, "precomputed").tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
def test_a_nearest_neighbour_graph_is_taken_as_it_comes(mode):
    X = np.random.default_rng(0).normal(size=(60, 2))
    graph = kneighbors_graph(X, 4, mode=mode)
    assert (graph != graph.T).nnz > 0
    D = all_routes(graph, "precomputed")
    assert np.array_equal(D, minimax_distances(graph.maximum(graph.T), "precomputed"))


def test_a_complete_graph_gives_the_distances_of_the_data():
    X = np.random.default_rng(0).normal(size=(25, 2))
    D = squareform(pdist(X))
    assert np.array_equal(minimax_distances(sparse.csr_array(D), "precomputed"), minimax_distances(X))


def test_they_are_the_single_linkage_distances_by_merge_height():
    X = np.random.default_rng(0).normal(size=(40, 3))
    assert np.array_equal(minimax_distances(X), dendrogram_distances(minimax_dendrogram(X), "linkage"))


@given(X=grid_points, seed=st.integers(0, 99))
def test_they_move_with_the_rows_exactly(X, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    for method in METHODS:
        D = minimax_distances(X, method=method)
        assert np.array_equal(minimax_distances(X[order], method=method), D[np.ix_(order, order)])


def test_a_sparse_table_is_not_a_graph():
    X = np.array([[0.0, 1], [2, 0], [0, 3]])
    np.testing.assert_allclose(all_routes(sparse.csr_array(X)), all_routes(X))


@every_method
@pytest.mark.parametrize(
    ("X", "metric", "message"),
    [
        pytest.param([[0, np.nan], [1, 1]], "euclidean", "X contains NaN", id="nan"),
        pytest.param([[0, 0], [0, 1], [1, 0]], "cosine", "row of zeros, such as row 0", id="zero-row"),
        pytest.param([[1e307], [-1e307], [0]], "euclidean", "overflow", id="1e307"),
        pytest.param(
            [[1, 1], [0, 1], [2, 3.0]], "correlation", "gives nan between rows 0 and", id="constant-row"
        ),
        pytest.param([[1.0], [2], [-3]], lambda a, b: float(a @ b), "negative", id="similarity-as-metric"),
        pytest.param([[0, 1], [2, 0]], "precomputed", "not symmetric", id="asymmetric"),
        pytest.param([[0, 1, 2], [1, 0, 3]], "precomputed", r"shape \(2, 3\)", id="not-square"),
        pytest.param(np.eye(3), "precomputed", "similarity", id="similarity"),
        pytest.param([[0.0], [1.0]], "nearest", "metric is 'nearest'", id="metric"),
        pytest.param(sparse.csr_array((2, 3)), "precomputed", r"shape \(2, 3\)", id="graph-not-square"),
        pytest.param(sparse.csr_array((0, 0)), "precomputed", r"shape \(0, 0\)", id="graph-empty"),
        pytest.param(-TWO_PAIRS, "precomputed", r"weight -1 at \(0, 1\)", id="graph-negative"),
        pytest.param(TWO_PAIRS * np.nan, "precomputed", r"weight nan at \(0, 1\)", id="graph-nan"),
        pytest.param(TWO_PAIRS * 1j, "precomputed", "complex|real numbers", id="graph-complex"),
        pytest.param(sparse.eye_array(3), "precomputed", r"weight 1 at \(0, 0\)", id="graph-similarity"),
        pytest.param(
            sparse.csr_array([[0.0, 1], [2, 0]]),
            "precomputed",
            r"directed: edge \(0, 1\) weighs 1",
            id="directed",
        ),
    ],
)
def test_bad_input_is_refused_by_every_route(method, X, metric, message):
    with pytest.raises(ValueError, match=message):
        minimax_distances(X, metric, method)


def test_an_unknown_route_is_refused():
    with pytest.raises(ValueError, match="method is 'prim': choose one of single_linkage"):
        minimax_distances([[0.0], [1.0]], method="prim")
