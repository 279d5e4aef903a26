"""Spectral clustering of a given similarity, and the baselines of the CDSK paper: SCK and SC-MS.

The third, SC-NS, has the objective of kernel k-means and is `KernelKMeans`.
"""

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.spatial.distance import pdist, squareform

from .gaussian_similarity import gaussian_similarity
from .laplacian import check_similarity, cluster_rows, embed_similarity, warn_cut_off
from .validation import check_data, is_whole_number


def spectral_clustering(S, n_clusters, n_init=10, random_state=None):
    """Normalised spectral clustering (Ng, Jordan and Weiss 2001) of a similarity matrix.

    Parameters
    ----------
    S : array-like or sparse matrix of shape (n, n)
        Symmetric and not negative; its diagonal is left out.
    n_clusters : int
    n_init : int
        Starts of k-means.
    random_state : int, RandomState or None

    Returns
    -------
    ndarray of shape (n,)
        Objects without any similarity sit at the origin of the embedding, and get the nearest cluster.

    Warns
    -----
    UserWarning
        When there are such objects.

    Raises
    ------
    ValueError
        For a matrix that is no similarity, or `n_clusters` below 1 or above n.

    Examples
    --------
    >>> import numpy as np
    >>> from dendrolab.spectral import spectral_clustering
    >>> labels = spectral_clustering(np.kron(np.eye(2), np.ones((2, 2))), 2, random_state=0)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
    vectors = spectral_vectors(check_similarity(S, "S"), n_clusters)
    warn_cut_off(vectors)
    return cluster_rows(vectors, n_clusters, n_init, random_state)


def spectral_vectors(S, n_clusters):
    """Eigenvectors that `spectral_clustering` groups.

    Parameters
    ----------
    S : ndarray or csr_array of shape (n, n)
        Symmetric and not negative.
    n_clusters : int

    Returns
    -------
    ndarray of shape (n, n_clusters)

    Examples
    --------
    >>> import numpy as np
    >>> from dendrolab.spectral import spectral_vectors
    >>> spectral_vectors(np.ones((3, 3)), 1).round(3).ravel()
    array([0.577, 0.577, 0.577])
    """
    if not (is_whole_number(n_clusters) and 1 <= n_clusters <= S.shape[0]):
        raise ValueError(f"n_clusters is {n_clusters!r}: give a whole number from 1 to {S.shape[0]}.")
    S = S.copy()
    if sparse.issparse(S):
        S.setdiag(0)
    else:
        np.fill_diagonal(S, 0)
    return embed_similarity(S, n_clusters).vectors


def gaussian_vectors(X, n_clusters, bandwidth="variance"):
    """Eigenvectors of SCK: spectral clustering with a Gaussian kernel.

    Parameters
    ----------
    X : array-like of shape (n, d)
    n_clusters : int
    bandwidth : {"variance", "std", "median"} or float

    Returns
    -------
    ndarray of shape (n, n_clusters)

    Examples
    --------
    >>> from dendrolab.spectral import gaussian_vectors
    >>> gaussian_vectors([[0.0], [1.0], [9.0], [10.0]], 2, 1.0).shape
    (4, 2)
    """
    return spectral_vectors(gaussian_similarity(check_data(X), bandwidth)[0], n_clusters)


def manifold_vectors(X, n_clusters):
    """Eigenvectors of SC-MS: spectral clustering with one bandwidth a feature, learnt by reconstruction.

    Parameters
    ----------
    X : array-like of shape (n, d)
    n_clusters : int

    Returns
    -------
    ndarray of shape (n, n_clusters)

    Examples
    --------
    >>> from dendrolab.spectral import manifold_vectors
    >>> manifold_vectors([[0.0], [1.0], [9.0], [10.0]], 2).shape
    (4, 2)
    """
    X = check_data(X)
    scaled = X / reconstruction_bandwidths(X)
    return spectral_vectors(gaussian_similarity(scaled, 1.0)[0], n_clusters)


def reconstruction_bandwidths(X, max_iter=50):
    """Bandwidths, one a feature, that let each object's neighbours reconstruct it best.

    Parameters
    ----------
    X : array-like of shape (n, d)
        At least three rows that are not all equal.
    max_iter : int
        Most steps of L-BFGS.

    Returns
    -------
    ndarray of shape (d,)

    Notes
    -----
    Minimises sum_i ||x_i - sum_j W_ij x_j / d_i|| over the bandwidths of W, with j != i, since else a zero
    bandwidth would reconstruct each object from itself (Karasuyama and Mamitsuka 2013). The start is one
    bandwidth for all features, the median distance times the best of 2^-4, ..., 2^2.

    Examples
    --------
    >>> import numpy as np
    >>> from dendrolab.spectral import reconstruction_bandwidths
    >>> reconstruction_bandwidths(np.arange(8.0)[:, None]).shape
    (1,)
    """
    X = check_data(X).astype(np.float64)
    median = np.median(pdist(X)) if len(X) > 1 else 0.0
    if not median > 0:
        raise ValueError(
            "half of the distances or more are 0: leave duplicates out, they reconstruct each other."
        )
    starts = [np.full(X.shape[1], -2 * np.log(median * 2.0**k)) for k in range(-4, 3)]
    start = min(starts, key=lambda log_theta: _reconstruction_error(log_theta, X)[0])
    found = minimize(_reconstruction_error, start, (X,), "L-BFGS-B", jac=True, options={"maxiter": max_iter})
    return np.exp(-found.x / 2)


def _reconstruction_error(log_theta, X):
    """Sum of the residuals' lengths, and its gradient in the logarithms of theta = 1 / bandwidth^2."""
    theta = np.exp(np.clip(log_theta, -200, 200))
    scores = squareform(pdist(X * np.sqrt(theta / 2), "sqeuclidean"))
    np.fill_diagonal(scores, np.inf)
    scores -= scores.min(axis=1, keepdims=True)  # the nearest neighbour keeps weight 1, at any bandwidth
    weights = np.exp(-scores)
    weights /= weights.sum(axis=1, keepdims=True)
    residuals = X - weights @ X
    lengths = np.linalg.norm(residuals, axis=1, keepdims=True)
    directions = np.divide(residuals, lengths, out=np.zeros_like(residuals), where=lengths > 0)
    pull = directions @ X.T
    pull = weights * (pull - np.sum(weights * pull, axis=1, keepdims=True))
    squares = pull.sum(axis=1) + pull.sum(axis=0)
    gradient = (squares @ np.square(X)) / 2 - np.sum(X * (pull @ X), axis=0)
    return float(lengths.sum()), gradient * theta
