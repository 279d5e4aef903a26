"""Bad input is refused with what is wrong, where, the value found and the remedy."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist, squareform

from dendrolab import (
    Dendrogram,
    check_level_function,
    dendrogram_distances,
    distance_pairs,
    distance_rows,
    distances_to_similarities,
    embed_dendrogram,
    embed_distances,
    is_ultrametric,
    level_function,
    minimax_distances,
    outlier_scores,
    plots,
    tree_coordinates,
)
from dendrolab.memory import available_memory
from dendrolab.validation import check_data, check_distances, check_square_distances

TRIANGLE = np.array([[0, 3, 4], [3, 0, 5], [4, 5, 0.0]])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        pytest.param([[0, np.nan], [1, 1], [2, 2]], r"X contains NaN at \(0, 1\).*impute", id="nan"),
        pytest.param([[0, 1], [1, -np.inf]], r"X contains -inf at \(1, 1\)", id="inf"),
        pytest.param(sparse.csr_array([[0, 1], [np.nan, 0]]), r"X contains NaN at \(1, 0\)", id="sparse-nan"),
        pytest.param([["a", "b"], ["c", "d"]], "X holds text.*encode", id="text"),
        pytest.param(np.array([["1"], ["2"]]), "X holds text", id="digits-as-text"),
        pytest.param(pd.DataFrame({"v": ["x", "y"]}), "X holds text, such as 'x'", id="text-column"),
        pytest.param(
            np.array([["2020-01-01"], ["2020-01-02"]], "M8[D]"), "X holds dates or times", id="dates"
        ),
        pytest.param([[1j], [2]], "X is not a table of numbers", id="complex"),
        pytest.param(sparse.csr_array([[1j], [2]]), "X is not a table of numbers", id="sparse-complex"),
        pytest.param([], "X is not a table of numbers", id="empty-list"),
        pytest.param(np.empty((0, 3)), r"X has shape \(0, 3\): give at least one row", id="no-rows"),
        pytest.param(np.empty((3, 0)), r"X has shape \(3, 0\): give at least one row", id="no-columns"),
        pytest.param(pd.DataFrame(), r"X has shape \(0, 0\)", id="empty-frame"),
        pytest.param([1.0, 2.0], "X is not a table of numbers.*2D", id="vector"),
        pytest.param(np.zeros((2, 2, 2)), "X is not a table of numbers.*dim 3", id="3-d"),
        pytest.param(None, "X is not a table of numbers", id="none"),
        pytest.param(np.array([[None], [1]], dtype=object), r"X contains NaN at \(0, 0\)", id="object-none"),
        pytest.param(pd.DataFrame({"v": pd.array([1, None], "Int64")}), r"NaN at \(1, 0\)", id="nullable"),
        pytest.param([[10**400], [1]], "X is not a table of numbers", id="integer-beyond-float"),
        pytest.param([[1e307], [-1e307]], "overflow. Rescale", id="1e307"),
        pytest.param([[1e-320], [0.0]], "underflow to 0. Multiply", id="subnormal"),
    ],
)
def test_a_bad_table_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        Dendrogram.from_data(X)


def not_symmetric(by):
    D = TRIANGLE.copy()
    D[0, 1] += by
    return D


def with_diagonal(value, dtype=np.float64):
    D = TRIANGLE.astype(dtype)
    D[1, 1] = value
    return D


BAD_DISTANCES = [
    pytest.param([[0, np.nan], [np.nan, 0]], r"D contains NaN at \(0, 1\)", id="nan"),
    pytest.param([[np.nan]], "NaN", id="nan-alone"),
    pytest.param([[0, 1], [2, 3], [4, 5.0]], r"shape \(3, 2\).*from_data", id="not-square"),
    pytest.param(
        [[0, 1, 5], [2, 0, 3], [4, 6, 0]], r"not symmetric: \[0, 1\] is 1.*\[1, 0\] is 2", id="asym"
    ),
    pytest.param(not_symmetric(1e-3), r"not symmetric.*\(D \+ D.T\) / 2", id="asymmetric-1e-3"),
    pytest.param([[0, -1.0], [-1.0, 0]], r"negative distance, -1 at \(0, 1\).*S.max\(\) - S", id="negative"),
    pytest.param(with_diagonal(0.1), r"0.1 on its diagonal at \[1, 1\]", id="diagonal"),
    pytest.param(np.eye(3) + 0.5, "similarity: turn it into distances", id="similarity"),
    pytest.param([["a", "b"], ["b", "a"]], "D holds text", id="text"),
    pytest.param(np.array([["0", "1"], ["1", "0"]]), "D holds text", id="digits-as-text"),
    pytest.param(np.array([[0, 1], [1, 0]], "m8[s]"), "D holds dates or times", id="durations"),
    pytest.param(TRIANGLE * 1j, "complex", id="complex"),
    pytest.param(np.empty((0, 0)), r"shape \(0, 0\)", id="empty"),
    pytest.param(np.zeros((2, 2, 2)), r"shape \(2, 2, 2\)", id="3-d"),
    pytest.param(sparse.csr_array(TRIANGLE), "sparse.*dense", id="sparse"),
    pytest.param(np.array([[0, 10**400], [10**400, 0]], object), "not an array of real", id="beyond-float"),
]


@pytest.mark.parametrize(("D", "message"), BAD_DISTANCES)
@pytest.mark.parametrize(
    "use", [Dendrogram.from_distances, embed_distances, distances_to_similarities, is_ultrametric]
)
def test_bad_distances_are_refused_wherever_they_are_taken(use, D, message):
    with pytest.raises(ValueError, match=message):
        use(D)


@pytest.mark.parametrize(
    ("D", "message"),
    [
        ([1.0, 2.0], r"vector of 2 numbers, which is not n \(n - 1\) / 2"),
        ([1.0, -2.0, 1.0], r"negative distance, -2 at \(1,\)"),
        ([1.0, np.inf, 1.0], r"D contains inf at \(1,\)"),
    ],
)
def test_bad_condensed_distances_are_refused(D, message):
    with pytest.raises(ValueError, match=message):
        Dendrogram.from_distances(D)


def test_asymmetry_of_rounding_is_averaged():
    np.testing.assert_allclose(check_distances(not_symmetric(1e-10)), [3 + 5e-11, 4, 5], rtol=0, atol=1e-15)


def test_the_tolerance_scales_with_the_precision():
    np.testing.assert_allclose(check_distances(np.float32(not_symmetric(1e-5))), [3.000005, 4, 5], rtol=1e-6)
    with pytest.raises(ValueError, match="not symmetric"):
        check_distances(not_symmetric(1e-5))
    assert check_distances(with_diagonal(1e-3, np.float32)).tolist() == [3, 4, 5]


def test_a_tiny_diagonal_is_set_to_zero():
    assert check_distances(with_diagonal(1e-7)).tolist() == [3, 4, 5]


def test_negative_rounding_is_zero_in_both_forms():
    square = np.array([[0, -1e-17, 1], [-1e-17, 0, 1], [1, 1, 0]])
    assert check_distances(square).tolist() == [0, 1, 1]
    assert check_distances(square[np.triu_indices(3, 1)]).tolist() == [0, 1, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, object])
def test_distances_of_any_number_type_are_taken(dtype):
    condensed = check_distances(TRIANGLE.astype(dtype))
    assert condensed.dtype == np.float64
    assert condensed.tolist() == [3, 4, 5]


def test_a_table_keeps_float32_and_takes_other_numbers_as_float64():
    assert check_data(np.float32([[1], [2]])).dtype == np.float32
    for X in ([[1], [2]], np.array([[True], [False]]), sparse.csr_array([[1], [2]], dtype=np.int64)):
        assert check_data(X).dtype == np.float64


def test_large_finite_values_are_not_taken_for_infinite():
    assert check_data([[1.7e308], [1.7e308]]).tolist() == [[1.7e308], [1.7e308]]


def layouts(X):
    spread = np.zeros((2 * len(X), 2 * X.shape[1]))
    spread[::2, ::2] = X
    frame = pd.DataFrame(X).convert_dtypes()
    return [np.asfortranarray(X), spread[::2, ::2], frame, X.tolist(), X.astype(object), sparse.csr_matrix(X)]


def test_memory_layout_and_container_do_not_matter():
    X = np.random.default_rng(0).integers(0, 9, (12, 3)).astype(float)
    Z = Dendrogram.from_data(X).linkage_matrix
    for other in layouts(X):
        np.testing.assert_allclose(Dendrogram.from_data(other).linkage_matrix, Z, rtol=1e-12)
    D = squareform(pdist(X))
    for other in layouts(D)[:-1]:
        assert np.array_equal(Dendrogram.from_distances(other).linkage_matrix, Z)


def test_a_memory_map_is_read(tmp_path):
    np.save(tmp_path / "D.npy", TRIANGLE)
    D = np.load(tmp_path / "D.npy", mmap_mode="r")
    assert Dendrogram.from_distances(D, "single").heights.tolist() == [3, 4]


@pytest.mark.parametrize(
    "use",
    [
        Dendrogram.from_distances,
        lambda D: Dendrogram.from_distances(squareform(D, checks=False), "ward"),
        Dendrogram.from_data,
        distances_to_similarities,
        is_ultrametric,
        embed_distances,
        lambda D: embed_distances(D, squared=True),
        *(
            lambda D, m=method: minimax_distances(D, "precomputed", m)
            for method in ("single_linkage", "spanning_tree", "floyd_warshall")
        ),
        lambda D: minimax_distances(sparse.csr_array(np.triu(D, 1)), "precomputed"),
        lambda D: Dendrogram.from_linkage_matrix(Dendrogram.from_distances(D).linkage_matrix),
    ],
)
@pytest.mark.filterwarnings("ignore:X is square", "ignore:D is not Euclidean")
def test_the_input_is_not_modified(use):
    D = squareform(pdist(np.random.default_rng(1).normal(size=(7, 2))))
    D[0, 1] += 1e-12  # something to repair
    D[2, 2] = 1e-12
    before = D.copy()
    D.flags.writeable = False
    use(D if use is not Dendrogram.from_data else D + 0)
    assert np.array_equal(D, before)


@pytest.mark.usefixtures("one_kilobyte")
@pytest.mark.parametrize(
    "use",
    [
        lambda X, D, tree: Dendrogram.from_data(X),
        lambda X, D, tree: Dendrogram.from_distances(D),
        lambda X, D, tree: Dendrogram.from_distances(D, "ward"),
        lambda X, D, tree: dendrogram_distances(tree),
        lambda X, D, tree: embed_dendrogram(tree),
        lambda X, D, tree: embed_distances(D),
        lambda X, D, tree: tree_coordinates(tree),
        *(
            lambda X, D, tree, m=method: minimax_distances(X, method=m)
            for method in ("single_linkage", "spanning_tree", "floyd_warshall")
        ),
    ],
)
def test_work_that_does_not_fit_is_refused_with_the_bytes_before_it_starts(use, chain):
    X = np.random.default_rng(0).normal(size=(1500, 2))
    D, tree = squareform(pdist(X)), Dendrogram.from_linkage_matrix(chain(1500))
    tree.leaf_order  # noqa: B018  made beforehand: what follows is the work itself
    tracemalloc.start()
    try:
        with pytest.raises(MemoryError, match=r"needs about [\d.]+ [KM]B, and 1 KB are available. \w+"):
            use(X, D, tree)
        assert tracemalloc.get_traced_memory()[1] < 0.8 * D.nbytes
    finally:
        tracemalloc.stop()


def test_single_linkage_of_20000_points_says_its_size_on_a_small_machine(monkeypatch):
    monkeypatch.setattr("dendrolab.memory.available_memory", lambda: 200_000_000)
    with pytest.raises(MemoryError, match=r"needs about [\d.]+ GB, and 200 MB are available"):
        minimax_distances(np.zeros((20_000, 2)))


def test_a_square_matrix_is_checked_without_a_second_one():
    D = squareform(pdist(np.random.default_rng(0).normal(size=(1500, 2))))
    tracemalloc.start()
    check_square_distances(D)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.8 * D.nbytes


def test_a_container_has_its_limit_less_what_it_cannot_give_back(tmp_path, monkeypatch):
    monkeypatch.setattr("dendrolab.memory._CGROUP", str(tmp_path))
    for name, text in {"max": "5000", "current": "4000", "stat": "file 9\ninactive_file 1500\n"}.items():
        (tmp_path / f"memory.{name}").write_text(text)
    assert available_memory() == 2500
    (tmp_path / "memory.max").write_text("max\n")
    assert available_memory() > 1_000_000


def test_some_memory_is_available():
    assert 1_000_000 < available_memory() < 1e15


def test_a_linkage_matrix_in_place_of_its_dendrogram_is_refused_with_the_remedy():
    Z = np.array([[0, 1, 1.0, 2], [2, 3, 2.0, 3]])
    takers = [dendrogram_distances, outlier_scores, embed_dendrogram, tree_coordinates, level_function]
    takers += [plots.draw_dendrogram, plots.draw_distance_matrix, plots.draw_levels]
    takers += [lambda Z: distance_rows(Z, [0]), lambda Z: distance_pairs(Z, [0], [1])]
    takers += [lambda Z: check_level_function(Z, [0, 0, 0, 1, 2])]
    for taker in takers:
        with pytest.raises(ValueError, match=r"ndarray of shape \(2, 4\): .*Dendrogram.from_linkage_matrix"):
            taker(Z)
