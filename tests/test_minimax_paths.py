"""Minimax paths and neighbours: hand-made truth, all paths of small inputs, components, refusals."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sklearn.neighbors import kneighbors_graph

from dendrolab import Dendrogram, distance_rows, minimax_dendrogram, minimax_distances
from dendrolab.minimax_paths import minimax_neighbors, minimax_path, minimax_tree

LINE = [[0.0], [5.5], [1.0], [5.0]]
TWO_PAIRS = sparse.csr_array(([1.0, 2.0], ([0, 2], [1, 3])), shape=(4, 4))
grid_points = st.integers(1, 7).flatmap(
    lambda n: arrays(np.float64, (n, 2), elements=st.integers(0, 3).map(float))
)


def over_all_paths(D):
    """The definition: the smallest largest step over every path through the other objects."""
    best = np.where(np.eye(len(D)), 0, np.inf)
    for length in range(2, len(D) + 1):
        for path in permutations(range(len(D)), length):
            largest = max(D[u, v] for u, v in pairwise(path))
            best[path[0], path[-1]] = min(best[path[0], path[-1]], largest)
    return best


def check_path(path, D, i, j, distance):
    """It runs from i to j over entries of D, no object twice, and its largest step is the distance."""
    assert path.nodes[[0, -1]].tolist() == [i, j]
    assert len(set(path.nodes.tolist())) == path.nodes.size
    np.testing.assert_allclose(path.steps, [D[u, v] for u, v in pairwise(path.nodes)], rtol=1e-12)
    assert path.distance == pytest.approx(distance, rel=1e-12)


def test_path_on_the_line():
    path = minimax_path(LINE, 0, 1)
    assert path.nodes.tolist() == [0, 2, 3, 1]
    assert path.steps.tolist() == [1, 4, 0.5]
    assert path.distance == 4
    assert minimax_path(LINE, 1, 0).nodes.tolist() == [1, 3, 2, 0]
    assert minimax_path(LINE, 2, 3).nodes.tolist() == [2, 3]


def test_path_from_an_object_to_itself_has_no_step():
    for X in (LINE, [[7.0]]):
        path = minimax_path(X, 0, 0)
        assert (path.nodes.tolist(), path.steps.tolist(), path.distance) == ([0], [], 0)


def test_path_across_components_is_empty_and_infinite():
    path = minimax_path(TWO_PAIRS, 1, 2, "precomputed")
    assert (path.nodes.tolist(), path.steps.tolist(), path.distance) == ([], [], np.inf)
    assert minimax_path(TWO_PAIRS, 3, 2, "precomputed").steps.tolist() == [2]
    assert minimax_path(sparse.csr_array((3, 3)), 1, 2, "precomputed").distance == np.inf


@given(grid_points, st.data())
@settings(deadline=None)
def test_path_has_the_distance_of_the_best_of_all_paths(X, data):
    D = squareform(pdist(X)) if len(X) > 1 else np.zeros((1, 1))
    best, tree = over_all_paths(D), minimax_tree(X)
    for i in range(len(X)):
        for j in range(len(X)):
            check_path(tree.path(i, j), D, i, j, best[i, j])
    i, j = (data.draw(st.integers(0, len(X) - 1)) for _ in range(2))
    single = minimax_path(D, i, j, "precomputed")
    check_path(single, D, i, j, best[i, j])


def test_a_sparse_graph_keeps_zero_and_tiny_edges():
    graph = sparse.coo_array(([0.0, 1e-12, 3.0], ([0, 1, 0], [1, 2, 2])), shape=(3, 3))
    path = minimax_path(graph, 0, 2, "precomputed")
    assert (path.nodes.tolist(), path.steps.tolist()) == ([0, 1, 2], [0, 1e-12])


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine"])
def test_one_tree_serves_paths_distances_and_neighbours(metric):
    X = np.random.default_rng(0).normal(size=(80, 3))
    D, tree = minimax_distances(X, metric), minimax_tree(X, metric)
    assert tree.n_objects == 80
    np.testing.assert_allclose(distance_rows(tree.dendrogram, range(80), "linkage"), D, rtol=1e-12)
    assert [tree.path(3, j).distance for j in range(80)] == pytest.approx(D[3], rel=1e-12)


def test_paths_in_a_neighbour_graph_of_sparse_rows():
    X = sparse.random_array((120, 30), density=0.2, rng=np.random.default_rng(1), format="csr")
    graph = kneighbors_graph(X, 8, mode="distance")
    graph = graph.maximum(graph.T)
    D, D_graph = squareform(pdist(X.toarray())), minimax_distances(graph, "precomputed")
    check_path(minimax_path(X, 5, 60), D, 5, 60, minimax_distances(X)[5, 60])
    check_path(minimax_path(graph, 5, 60, "precomputed"), D, 5, 60, D_graph[5, 60])


def test_a_long_chain():
    n = 50_000
    graph = sparse.coo_array((np.arange(1.0, n), (np.arange(n - 1), np.arange(1, n))), shape=(n, n))
    path = minimax_path(graph, n - 1, 1, "precomputed")
    assert path.nodes.tolist() == list(range(n - 1, 0, -1))
    assert path.distance == n - 1


def test_a_graph_of_a_million_edges():
    rng = np.random.default_rng(0)
    n, m = 50_000, 2_100_000
    i, j = np.divmod(np.unique(rng.integers(0, n * n, size=m)), n)
    i, j = i[i < j], j[i < j]
    graph = sparse.coo_array((rng.random(i.size), (i, j)), shape=(n, n))
    tree = minimax_tree(graph, "precomputed")
    row = distance_rows(tree.dendrogram, 7, "linkage")
    distances, indices = minimax_neighbors(tree.dendrogram, 7, 50)
    for distance, k in zip(distances, indices, strict=True):
        assert tree.path(7, k).distance == distance == row[k]
    assert np.sort(np.delete(row, 7))[:50].tolist() == distances.tolist()


def test_neighbours_on_the_line():
    distances, indices = minimax_neighbors(LINE, 1, 3)
    assert (distances.tolist(), indices.tolist()) == ([0.5, 4, 4], [3, 0, 2])
    found = minimax_neighbors(LINE, [1, 0], 1)
    assert (found.distances.tolist(), found.indices.tolist()) == ([[0.5], [1]], [[3], [2]])
    assert minimax_neighbors(LINE, [], 2).indices.shape == (0, 2)


def test_neighbours_in_other_components_are_infinitely_far():
    distances, indices = minimax_neighbors(TWO_PAIRS, 2, 3, "precomputed")
    assert (distances.tolist(), indices.tolist()) == ([2, np.inf, np.inf], [3, 0, 1])


@given(grid_points.filter(lambda X: len(X) > 1), st.data())
def test_neighbours_are_the_first_of_the_sorted_row(X, data):
    i, k = data.draw(st.integers(0, len(X) - 1)), data.draw(st.integers(1, len(X) - 1))
    row = minimax_distances(X)[i]
    expected = sorted((distance, j) for j, distance in enumerate(row) if j != i)[:k]
    for source in (X, minimax_dendrogram(X), minimax_tree(X)):
        assert list(zip(*map(np.ndarray.tolist, minimax_neighbors(source, i, k)), strict=True)) == expected


@pytest.mark.parametrize("bad", [3, -1, 0.0, True, "a", None])
def test_objects_that_do_not_exist_are_refused(bad):
    X = [[0.0], [1.0], [5.0]]
    for call in (
        lambda: minimax_path(X, 0, bad),
        lambda: minimax_tree(X).path(bad, 0),
        lambda: minimax_neighbors(X, bad, 1),
    ):
        with pytest.raises(ValueError, match=r"no object|whole numbers"):
            call()


def test_a_path_of_many_ends_is_refused():
    with pytest.raises(ValueError, match=r"one has shape \(2,\)"):
        minimax_path(LINE, [0, 1], 2)


def test_the_ends_are_checked_before_the_tree_is_grown():
    calls = []

    def metric(x, y):
        calls.append(1)
        return abs(x - y)[0]

    with pytest.raises(ValueError, match="no object 9"):
        minimax_path(LINE, 0, 9, metric)
    assert not calls


@pytest.mark.parametrize("n_neighbors", [0, 4, -1, 2.0, True, None])
def test_numbers_of_neighbours_are_refused(n_neighbors):
    with pytest.raises(ValueError, match="whole number from 1 to 3"):
        minimax_neighbors(LINE, 0, n_neighbors)


def test_what_gives_no_minimax_distance_is_refused():
    with pytest.raises(ValueError, match="the tree is of ward linkage"):
        minimax_neighbors(Dendrogram.from_data(LINE, "ward"), 0, 1)
    with pytest.raises(ValueError, match="distances, finite, not negative"):
        minimax_path(-TWO_PAIRS, 0, 1, "precomputed")
    with pytest.raises(ValueError, match="contains NaN"):
        minimax_path([[0.0], [np.nan]], 0, 1)
    with pytest.raises(ValueError, match="metric is 'euclid'"):
        minimax_tree(LINE, "euclid")
