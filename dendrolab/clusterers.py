"""The three clusterers of the dendrogram paper, on features or on distances."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from .dendrogram import Dendrogram
from .similarities import PointSimilarity, TreeSimilarity, spectral_embedding
from .threads import one_blas_thread

CLUSTERERS = ("kmeans", "gmm", "spectral")
_LEAST_VARIANCE = 1e-3  # of a mixture's component, where the column's is 1
_NEGLIGIBLE = 1e-12  # of the widest column: what is left of a constant one is rounding
_WARD_START_UP_TO = 3000  # objects; Ward's tree takes n^2 time


def kmeans_labels(features, n_clusters, n_init=10, random_state=None):
    """K-means: the best of random starts and of one start from Ward's clusters.

    Parameters
    ----------
    features : array-like or sparse matrix of shape (n_objects, n_features)
    n_clusters : int
    n_init : int
        Number of random starts.
    random_state : int, RandomState or None

    Returns
    -------
    ndarray of shape (n_objects,)

    Notes
    -----
    On features with hundreds of dimensions random starts seldom reach a low minimum; the start from
    Ward's clusters costs one tree and often does. Sparse features have random starts only.
    """
    features = features if sparse.issparse(features) else np.asarray(features)
    runs = [KMeans(n_clusters, n_init=n_init, random_state=random_state)]
    with one_blas_thread(), warnings.catch_warnings():
        # Fewer distinct objects than clusters: the labels say so by themselves.
        warnings.simplefilter("ignore", ConvergenceWarning)
        if not sparse.issparse(features) and n_clusters < len(features) <= _WARD_START_UP_TO:
            ward = Dendrogram.from_data(features, "ward", engine="lean").cut(n_clusters)
            means = np.array([features[ward == k].mean(axis=0) for k in range(n_clusters)])
            runs.append(KMeans(n_clusters, init=means, n_init=1))
        return min((run.fit(features) for run in runs), key=lambda run: run.inertia_).labels_


def gmm_labels(features, n_clusters, n_init=10, random_state=None):
    """Gaussian mixture: each object goes to its most probable component.

    Parameters
    ----------
    features : array-like or sparse matrix of shape (n_objects, n_features)
        Few columns: of an embedding give the leading `n_clusters` - 1, as many directions as objects leave a
        mixture ill posed.
    n_clusters : int
        Number of components.
    n_init : int
        Number of starts from k-means on scaled columns, beside one from `kmeans_labels` of the columns as
        they are. The one with the highest likelihood is kept.
    random_state : int, RandomState or None

    Returns
    -------
    ndarray of shape (n_objects,)

    Notes
    -----
    Covariances are diagonal: an embedding's directions are uncorrelated, and full covariances have more
    numbers than small data can tell. Each column is scaled to unit variance, of which 0.001 is added to each
    cluster's variance: with much less, the likeliest of many starts is often one that has shrunk a component
    to a few objects. Sparse features are taken by their `n_clusters` leading singular directions.
    """
    if sparse.issparse(features):
        features = _few_columns(features, n_clusters, random_state)
    features = np.asarray(features)
    kept = features - np.mean(features, axis=0, dtype=np.float64)
    widths = kept.std(axis=0)
    kept /= np.where(widths > _NEGLIGIBLE * widths.max(), widths, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        models = [_mixture(n_clusters, n_init=n_init, random_state=random_state)]
        labels = kmeans_labels(features, n_clusters, n_init, random_state)
        if len(np.unique(labels)) == n_clusters:
            models.append(_mixture(n_clusters, **_moments(kept, labels)))
        return max((model.fit(kept) for model in models), key=lambda model: model.lower_bound_).predict(kept)


def _few_columns(features, n_clusters, random_state):
    """Sparse features as they are, or their leading singular directions where there are more columns."""
    if features.shape[1] <= n_clusters:
        return features.toarray()
    return TruncatedSVD(n_clusters, random_state=random_state).fit_transform(features)


def _mixture(n_clusters, **start):
    return GaussianMixture(n_clusters, covariance_type="diag", reg_covar=_LEAST_VARIANCE, **start)


def _moments(points, labels):
    """Shares, means and precisions of clusters, for a mixture to start from."""
    members = np.eye(labels.max() + 1)[labels]
    counts = members.sum(axis=0)[:, None]
    means = members.T @ points / counts
    variances = members.T @ np.square(points) / counts - np.square(means)
    precisions = 1 / (np.maximum(variances, 0) + _LEAST_VARIANCE)
    return {"weights_init": counts[:, 0] / len(points), "means_init": means, "precisions_init": precisions}


def spectral_labels(similarities, n_clusters, random_state=None):
    """Spectral clustering of a similarity matrix.

    Parameters
    ----------
    similarities : array-like of shape (n_objects, n_objects), TreeSimilarity or PointSimilarity
    n_clusters : int
    random_state : int, RandomState or None

    Returns
    -------
    ndarray of shape (n_objects,)
    """
    if isinstance(similarities, (PointSimilarity, TreeSimilarity)):
        points = spectral_embedding(similarities, n_clusters)
        return KMeans(n_clusters, n_init=10, random_state=random_state).fit(points).labels_
    model = SpectralClustering(n_clusters, affinity="precomputed", random_state=random_state)
    with warnings.catch_warnings():
        # The two sides of a dendrogram's root have similarity 0: not connected is what is meant.
        warnings.filterwarnings("ignore", "Graph is not fully connected", UserWarning)
        return model.fit_predict(similarities)
