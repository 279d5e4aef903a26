"""Similarities as operators: what the dense matrices give."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import SpectralClustering
from sklearn.manifold import spectral_embedding as dense_spectral_embedding

import dendrolab.similarities
from dendrolab import Dendrogram, dendrogram_distances, partition_scores
from dendrolab.clusterers import spectral_labels
from dendrolab.representations import affordable_linkages, represent
from dendrolab.similarities import PointSimilarity, TreeSimilarity, spectral_embedding

X = np.concatenate([np.random.default_rng(0).normal(size=(60, 3)) + 8 * k for k in range(3)])


def dense(D):
    return D.max() - D


@pytest.fixture(params=["tree", "points", "sparse"])
def pair(request):
    if request.param == "sparse":
        return PointSimilarity(sparse.csr_array(X)), dense(squareform(pdist(X, "sqeuclidean")))
    if request.param == "points":
        return PointSimilarity(X), dense(squareform(pdist(X, "sqeuclidean")))
    tree = Dendrogram.from_data(X, "average")
    return TreeSimilarity(tree, "level"), dense(dendrogram_distances(tree, "level"))


def test_products_are_those_of_the_matrix(pair):
    operator, S = pair
    np.testing.assert_allclose(np.column_stack([operator @ e for e in np.eye(len(X))]), S, atol=1e-9)
    np.testing.assert_allclose(np.full(len(X), operator.diagonal), np.diagonal(S))


def test_the_spectral_embedding_is_scikit_learns_up_to_rotation(pair):
    operator, S = pair
    ours = spectral_embedding(operator, 3)
    theirs = dense_spectral_embedding(S, n_components=3, drop_first=False, random_state=0)
    grams = [Y @ Y.T for Y in (ours, theirs)]
    np.testing.assert_allclose(grams[0], grams[1], atol=1e-9)


def test_labels_are_scikit_learns(pair):
    operator, S = pair
    theirs = SpectralClustering(3, affinity="precomputed", random_state=0).fit_predict(S)
    assert partition_scores(theirs, spectral_labels(operator, 3, 0))["ari"] == 1


def test_the_largest_distance_is_exact_in_many_shapes():
    rng = np.random.default_rng(1)
    for shape in ((1, 2), (2, 1), (200, 1), (200, 2), (50, 40)):
        Y = rng.standard_cauchy(size=shape)
        D = squareform(pdist(Y, "sqeuclidean")) if len(Y) > 1 else np.zeros((1, 1))
        assert PointSimilarity(Y).diagonal == pytest.approx(D.max(), rel=1e-12)


def test_many_objects_get_operators_and_lean_linkages(monkeypatch):
    monkeypatch.setattr(dendrolab.similarities, "_MATRIX_UP_TO", 10)
    found = represent(X, 3, ["ward"])
    assert isinstance(found["ward"].similarities(), TreeSimilarity)
    assert isinstance(found["raw"].similarities(), PointSimilarity)
    assert affordable_linkages(["single", "complete", "ward"], 20_000) == (["single", "complete", "ward"], [])
    kept, notes = affordable_linkages(["single", "complete", "average", "ward"], 20_001)
    assert kept == ["single", "average", "ward"]
    assert notes[0].startswith("complete linkage is left out: 20,001 objects")
    assert notes[1].startswith("Average linkage takes squared distances")
