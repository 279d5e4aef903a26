"""DendrogramFeatures as a scikit-learn transformer: conventions, new rows, containers, refusals."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from dendrolab import DendrogramFeatures, dendrogram_distances, stack_features
from dendrolab.linkage import LINKAGES

LINE = np.array([[0.0], [1], [5], [5.5]])


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(40, 3))


@parametrize_with_checks(
    [DendrogramFeatures("single"), DendrogramFeatures("ward", level="linkage", n_components=2)]
)
def test_conventions_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_squared_distances_of_the_features_are_those_of_the_tree(X, linkage):
    features = DendrogramFeatures(linkage).fit(X)
    np.testing.assert_allclose(
        squareform(pdist(features.embedding_, "sqeuclidean")),
        dendrogram_distances(features.dendrogram_),
        atol=1e-9,
    )
    assert features.eigenvalues_.shape == (features.embedding_.shape[1],)
    np.testing.assert_allclose((features.embedding_**2).sum(axis=0), features.eigenvalues_, atol=1e-9)


def test_features_on_the_line_hold_the_distance_across():
    Y = DendrogramFeatures("single", "linkage", n_components=1).fit_transform(LINE)
    assert Y.shape == (4, 1)
    assert np.all(Y[:2] > 0) != np.all(Y[2:] > 0)


def test_training_rows_get_their_own_features_also_with_duplicates():
    X = np.repeat(np.random.default_rng(0).normal(size=(12, 2)), 3, axis=0)
    features = DendrogramFeatures("average").fit(X)
    assert np.array_equal(features.transform(X), features.embedding_)
    assert np.array_equal(features.transform(X.copy()), features.embedding_)
    assert np.array_equal(clone(features).fit_transform(X), features.embedding_)


def test_a_training_row_alone_gets_its_own_features(X):
    features = DendrogramFeatures("ward").fit(X)
    for i in (0, 17, 39):
        assert np.array_equal(features.transform(X[i : i + 1]), features.embedding_[[i]])


def test_a_new_row_takes_the_place_of_its_nearest_object_however_far():
    features = DendrogramFeatures("single").fit(LINE)
    new = features.transform([[0.4], [5.3], [1e6], [-1e6]])
    assert np.array_equal(new, features.embedding_[[0, 3, 3, 0]])


def test_a_tie_goes_to_the_first_object():
    features = DendrogramFeatures("single").fit(LINE)
    assert np.array_equal(features.transform([[0.5]]), features.embedding_[[0]])


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine", lambda a, b: abs(a - b).max()])
def test_rows_in_one_batch_or_many_are_placed_alike(X, metric):
    features = DendrogramFeatures(metric=metric).fit(X)
    new = np.random.default_rng(1).normal(size=(15, 3))
    whole = features.transform(new)
    assert np.array_equal(np.vstack([features.transform(row[None]) for row in new]), whole)
    assert np.array_equal(whole, features.embedding_[cdist(new, X, metric).argmin(axis=1)])


def test_blocks_do_not_change_the_places(X):
    features = DendrogramFeatures().fit(X)
    new = np.random.default_rng(1).normal(size=(15, 3))
    whole = features.transform(new)
    with config_context(working_memory=0.002):
        assert np.array_equal(features.transform(new), whole)


def test_sparse_equals_dense():
    X = sparse.random_array((40, 10), density=0.4, rng=np.random.default_rng(0), format="csr")
    new = sparse.random_array((12, 10), density=0.4, rng=np.random.default_rng(1), format="csr")
    for metric in ("euclidean", "cityblock"):
        dense = DendrogramFeatures(metric=metric).fit(X.toarray())
        thin = DendrogramFeatures(metric=metric).fit(sparse.csr_matrix(X))
        np.testing.assert_allclose(thin.embedding_, dense.embedding_, atol=1e-9)
        assert np.array_equal(thin.transform(X.tocoo()), thin.embedding_)
        expected = dense.transform(new.toarray())
        for form in (new, new.toarray(), new.tocsc()):
            np.testing.assert_allclose(thin.transform(form), expected, atol=1e-9)
            np.testing.assert_allclose(dense.transform(form), expected, atol=1e-9)


def test_float32_stays_float32(X):
    single, double = (
        DendrogramFeatures().fit(np.float32(X)),
        DendrogramFeatures().fit(np.float32(X).astype(float)),
    )
    assert single.embedding_.dtype == single.transform(np.float32(X[:3])).dtype == np.float32
    assert np.array_equal(single.dendrogram_.linkage_matrix, double.dendrogram_.linkage_matrix)
    np.testing.assert_allclose(single.embedding_, double.embedding_, atol=1e-5)


def test_column_names_are_kept_and_compared(X):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    features = DendrogramFeatures(n_components=2).fit(frame)
    assert features.feature_names_in_.tolist() == ["a", "b", "c"]
    assert features.get_feature_names_out().tolist() == ["dendrogramfeatures0", "dendrogramfeatures1"]
    with pytest.raises(ValueError, match="feature names should match"):
        features.transform(frame[["b", "a", "c"]])
    with pytest.raises(ValueError, match="X has 2 features, but DendrogramFeatures is expecting 3"):
        features.transform(X[:, :2])


def test_pandas_in_and_out(X):
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(100, 140))
    features = DendrogramFeatures(n_components=2).set_output(transform="pandas")
    out = features.fit_transform(frame)
    assert out.index.tolist() == frame.index.tolist()
    assert out.columns.tolist() == features.get_feature_names_out().tolist()
    pd.testing.assert_frame_equal(features.transform(frame), out)


def test_nullable_and_mixed_columns_are_numbers():
    frame = pd.DataFrame({"i": pd.array([1, 2, 9], "Int64"), "b": pd.array([True, False, True], "boolean")})
    expected = DendrogramFeatures().fit_transform([[1.0, 1], [2, 0], [9, 1]])
    assert np.array_equal(DendrogramFeatures().fit_transform(frame), expected)


def test_clone_and_pickle(X):
    features = DendrogramFeatures("complete", "rank", 3, "cityblock")
    assert clone(features).get_params() == features.get_params()
    fitted = features.fit(X)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.transform(X[5:9] + 0.1), fitted.transform(X[5:9] + 0.1))
    assert np.array_equal(again.dendrogram_.cut(4), fitted.dendrogram_.cut(4))


def test_a_search_over_linkage_and_level_in_a_pipeline():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), DendrogramFeatures(n_components=3), LogisticRegression())
    grid = {
        "dendrogramfeatures__linkage": ["single", "ward"],
        "dendrogramfeatures__level": ["level", "linkage"],
    }
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.75
    assert len(search.cv_results_["params"]) == 4


def test_distances_in_place_of_a_table(X):
    D, new = squareform(pdist(X)), np.random.default_rng(1).normal(size=(5, 3))
    given = DendrogramFeatures("ward", metric="precomputed").fit(D)
    made = DendrogramFeatures("ward").fit(X)
    assert np.array_equal(given.embedding_, made.embedding_)
    assert np.array_equal(given.transform(cdist(new, X)), made.transform(new))
    assert np.array_equal(given.transform(D), given.embedding_)


@pytest.mark.parametrize("n", [30, 500])
def test_columns_beyond_the_rank_are_zero_without_a_warning(n):
    X = np.repeat([[0.0], [1.0]], n // 2, axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Y = DendrogramFeatures(level="linkage", n_components=6).fit_transform(X)
        identical = DendrogramFeatures(level="linkage", n_components=6).fit_transform(np.zeros((n, 2)))
    assert Y.shape == (n, 6)
    assert Y[:, 0].any()
    assert not Y[:, 1:].any()
    assert not identical.any()


def test_one_row_is_one_zero():
    features = DendrogramFeatures().fit([[1.0, 2.0]])
    assert features.embedding_.tolist() == [[0]]
    assert features.transform([[5.0, 5.0]]).tolist() == [[0]]


def test_a_level_function_or_its_values_are_taken():
    by_name = DendrogramFeatures("single", "size").fit_transform(LINE)
    assert np.array_equal(
        DendrogramFeatures("single", lambda tree: tree.sizes - 1.0).fit_transform(LINE), by_name
    )
    assert np.array_equal(DendrogramFeatures("single", [0, 0, 0, 0, 1, 1, 3]).fit_transform(LINE), by_name)


def test_the_result_may_be_changed_without_harm():
    features = DendrogramFeatures("single").fit(LINE)
    before = features.embedding_.copy()
    features.transform(LINE)[:] = 7
    features.fit_transform(LINE)[:] = 7
    assert np.array_equal(features.embedding_, before)


def test_the_table_is_not_modified(X):
    X.flags.writeable = False
    before = X.copy()
    DendrogramFeatures().fit(X).transform(X[:4])
    assert np.array_equal(X, before)


@pytest.mark.parametrize(
    ("parameters", "X", "message"),
    [
        ({"linkage": "wards"}, LINE, "linkage is 'wards'"),
        ({"linkage": "centroid"}, LINE, "'centroid'.*inversion"),
        ({"level": "height"}, LINE, "level is 'height'"),
        ({"n_components": 0}, LINE, "n_components is 0"),
        ({"metric": "euclid"}, LINE, "metric is 'euclid'"),
        ({"linkage": "ward", "metric": "cosine"}, LINE, "'ward' is defined for metric='euclidean'"),
        ({}, [[np.nan], [1.0]], r"X contains NaN at \(0, 0\)"),
        ({}, [["a"], ["b"]], "'a'|text"),
        ({}, [1.0, 2.0], "Expected 2D array"),
        ({}, np.empty((0, 2)), "0 sample"),
        ({}, [[1e307], [-1e307]], "overflow. Rescale"),
        ({"metric": "cosine"}, [[0, 0], [0, 1.0]], "row of zeros, such as row 0"),
        ({"metric": "precomputed"}, [[0, 1, 5], [2, 0, 3], [4, 6, 0]], "X is not symmetric"),
        ({"metric": "precomputed"}, np.eye(3), "similarity"),
        ({"metric": "precomputed"}, LINE, r"shape \(4, 1\)"),
    ],
)
def test_bad_input_is_refused(parameters, X, message):
    with pytest.raises(ValueError, match=message):
        DendrogramFeatures(**parameters).fit(X)


@pytest.mark.parametrize(
    ("parameters", "X", "new", "message"),
    [
        ({}, LINE, [[np.nan]], "X contains NaN"),
        ({}, LINE, [[1e300]], "row 0"),
        ({"metric": "cosine"}, [[0, 1.0], [1, 0], [1, 1]], [[1, 1.0], [0, 0]], "row of zeros|row 1"),
        ({"metric": "precomputed"}, [[0, 1, 2], [1, 0, 3], [2, 3, 0.0]], [[-5, 1, 5.0]], "negative"),
    ],
)
def test_a_new_row_without_distances_is_refused(parameters, X, new, message):
    with pytest.raises(ValueError, match=message):
        DendrogramFeatures(**parameters).fit(X).transform(new)


def test_transform_needs_fit():
    with pytest.raises(NotFittedError):
        DendrogramFeatures().transform(LINE)


def test_a_stack_is_one_layer_on_the_other(X):
    stack = stack_features(["ward", "single"], level="rank", n_components=4)
    first = DendrogramFeatures("ward", "rank", 4).fit_transform(X)
    assert [name for name, _ in stack.steps] == ["ward_1", "single_2"]
    assert np.array_equal(
        stack.fit_transform(X), DendrogramFeatures("single", "rank", 4).fit_transform(first)
    )
    assert clone(stack).fit(X).transform(X[:3] + 0.01).shape == (3, 4)


@pytest.mark.parametrize("linkages", ["single", [], None])
def test_a_stack_needs_a_list_of_linkages(linkages):
    with pytest.raises(ValueError, match="give a list with one linkage a layer"):
        stack_features(linkages)
