"""The paper's clusterers on one dendrogram: k-means and mixtures on features, spectral on distances."""

import numpy as np
from sklearn.base import clone

from .clusterers import gmm_labels, kmeans_labels, spectral_labels
from .embedding import embed_dendrogram
from .similarities import tree_similarities

_ALL_DIRECTIONS_UP_TO = 2000  # objects; above, the leading directions stand for all of them
_LEADING = 50


def all_or_leading(n):
    """Number of components that stands for all directions of n objects: None, or the leading 50 of many."""
    return None if n <= _ALL_DIRECTIONS_UP_TO else _LEADING


def cluster_dendrogram(tree, level, clusterer, n_clusters, n_init=100, random_state=None):
    """Cluster the objects of a dendrogram by its features or, for spectral clustering, its distances.

    Parameters
    ----------
    tree : Dendrogram
    level : str, callable or array-like
    clusterer : {"kmeans", "gmm", "spectral"} or estimator
    n_clusters : int
    n_init : int
    random_state : int, RandomState or None
        Also given to an estimator that has a `random_state` of None.

    Returns
    -------
    ndarray of shape (n_objects,)

    Notes
    -----
    Features have all their directions for up to 2,000 objects, the 50 leading ones for more. A mixture has
    `n_clusters` components on the ``n_clusters - 1`` leading directions, which that many clusters can span:
    on all directions, as many as objects, its likelihood would have no maximum.

    Examples
    --------
    >>> from dendrolab import Dendrogram
    >>> from dendrolab.tree_clusterers import cluster_dendrogram
    >>> tree = Dendrogram.from_data([[0.0], [1.0], [9.0], [10.0]], "ward")
    >>> len(set(cluster_dendrogram(tree, "level", "kmeans", 2, random_state=0).tolist()))
    2
    """
    n = tree.n_objects
    named = isinstance(clusterer, str)
    if named and n_clusters in (1, n):  # nothing to choose
        return np.arange(n) % n_clusters
    if named and clusterer == "spectral":
        return spectral_labels(tree_similarities(tree, level), n_clusters, random_state)
    features = embed_dendrogram(tree, level, all_or_leading(n)).coordinates
    if not named:
        return _seeded(clusterer, random_state).fit_predict(features)
    if clusterer == "kmeans":
        return kmeans_labels(features, n_clusters, n_init, random_state)
    return gmm_labels(spanned(features, n_clusters), n_clusters, n_init, random_state)


def spanned(features, n_clusters):
    """The leading directions that so many clusters can span."""
    return features[:, : max(n_clusters - 1, 1)]


def _seeded(estimator, random_state):
    estimator = clone(estimator)
    if estimator.get_params().get("random_state", 0) is None:
        estimator.set_params(random_state=random_state)
    return estimator
