"""Similarities S = max(D) - D as operators: spectral clustering without the n x n matrix."""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh
from scipy.spatial.distance import cdist, pdist, squareform

from .distances import dendrogram_distances, distances_to_similarities
from .gram import TreeGram
from .levels import level_function
from .pairwise import squared_distances_sparse

_MATRIX_UP_TO = 5000  # objects; above, similarities are operators that never form n x n numbers
_ROWS = 256  # of a block of distances


def tree_similarities(tree, level):
    """Similarities of a dendrogram's objects: a matrix, or for many objects an operator."""
    if tree.n_objects > _MATRIX_UP_TO:
        return TreeSimilarity(tree, level)
    return distances_to_similarities(dendrogram_distances(tree, level))


def point_similarities(points):
    """Similarities of points by squared Euclidean distance: a matrix, or for many points an operator."""
    if points.shape[0] > _MATRIX_UP_TO:
        return PointSimilarity(points)
    if sparse.issparse(points):
        return distances_to_similarities(squared_distances_sparse(points, points))
    return distances_to_similarities(squareform(pdist(points, "sqeuclidean")))


class TreeSimilarity:
    """Similarities of a dendrogram: twice the Gram matrix of its exact coordinates, O(n) a product.

    Parameters
    ----------
    dendrogram : Dendrogram
    level : str, callable or array-like
    """

    def __init__(self, dendrogram, level):
        f = level_function(dendrogram, level)
        self._gram, self._order = TreeGram(dendrogram, f), dendrogram.leaf_order
        self.n, self.diagonal = dendrogram.n_objects, f[-1]

    def __matmul__(self, x):
        y = np.empty_like(x, dtype=np.float64)
        y[self._order] = 2 * (self._gram @ x[self._order])
        return y


class PointSimilarity:
    """Similarities of points by squared Euclidean distance, O(n d) a product.

    Parameters
    ----------
    points : ndarray or sparse matrix of shape (n, d)
        Sparse ones are not centred: where they are far from the origin, digits are lost.
    """

    def __init__(self, points):
        self.n = points.shape[0]
        if sparse.issparse(points):
            self._points = points.astype(np.float64)
            self._squares = np.asarray(self._points.multiply(self._points).sum(axis=1)).ravel()
            self.diagonal = _largest_squared_distance_sparse(self._points)
        else:
            self._points = points - points.mean(axis=0)
            self._squares = np.square(self._points).sum(axis=1)
            self.diagonal = _largest_squared_distance(self._points, self._squares)

    def __matmul__(self, x):
        total = x.sum(axis=0)
        cross = self._points @ (self._points.T @ x)
        return self.diagonal * total - np.multiply.outer(self._squares, total) - self._squares @ x + 2 * cross


def _largest_squared_distance(points, squares):
    """Exact diameter: two points can be that far apart only if both are far enough from the centre."""
    radii = np.sqrt(squares)
    far = points[[radii.argmax()]]
    for _ in range(4):  # walk to a far pair, so that few candidates are left
        reached = cdist(far, points, "sqeuclidean")
        largest, far = reached.max(), points[[reached.argmax()]]
    candidates = points[radii >= np.sqrt(largest) * (1 - 1e-12) - radii.max()]
    blocks = (candidates[start : start + _ROWS] for start in range(0, len(candidates), _ROWS))
    return max(cdist(block, candidates, "sqeuclidean").max() for block in blocks)


def _largest_squared_distance_sparse(points):
    """Exact diameter of sparse rows, which have no centre to walk away from: all pairs, in blocks."""
    blocks = (points[start : start + _ROWS] for start in range(0, points.shape[0], _ROWS))
    return max(squared_distances_sparse(block, points).max() for block in blocks)


def spectral_embedding(similarity, n_components):
    """Leading eigenvectors of the normalised similarity, divided by the roots of the degrees.

    Parameters
    ----------
    similarity : TreeSimilarity or PointSimilarity
    n_components : int

    Returns
    -------
    ndarray of shape (n, n_components)
        What scikit-learn's spectral clustering hands to k-means: similarities of objects to themselves
        do not count.
    """
    n, own = similarity.n, similarity.diagonal
    degrees = similarity @ np.ones(n) - own
    roots = np.sqrt(np.where(degrees > 0, degrees, 1))

    def product(x):
        x = x.ravel() / roots
        return (similarity @ x - own * x) / roots

    operator = LinearOperator((n, n), matvec=product, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(n)
    _, vectors = eigsh(operator, n_components, which="LA", v0=start, rng=np.random.default_rng(0))
    return vectors[:, ::-1] / roots[:, None]
