"""The classifier behind CDSK, h(x, y) = sum over j in cluster y of alpha_j K(x, x_j), and its error bound."""

import numpy as np
from scipy.special import logsumexp

from .cdsk_similarity import DensePairs, penalty_kernel
from .gaussian_similarity import is_positive_number
from .laplacian import check_similarity
from .simplex_qp import minimize_on_simplex


def classify(log_terms, labels, n_clusters):
    """Class with the largest h for each row of log(alpha_j K(x, x_j)).

    Parameters
    ----------
    log_terms : ndarray of shape (m, n)
    labels : ndarray of shape (n,)
    n_clusters : int

    Returns
    -------
    ndarray of shape (m,)
        The first class for a row that is similar to no object of any weight.

    Examples
    --------
    >>> import numpy as np
    >>> from dendrolab.cdsk_classifier import classify
    >>> classify(np.log([[0.1, 0.3, 0.3]]), np.array([0, 0, 1]), 2)
    array([0])
    """
    scores = np.full((len(log_terms), n_clusters), -np.inf)
    for k in np.unique(labels):
        with np.errstate(divide="ignore"):
            scores[:, k] = logsumexp(log_terms[:, labels == k], axis=1)
    return scores.argmax(axis=1).astype(labels.dtype)


def labeling_bound(K, labels, lam=0.1, weights=None, similarity="kernel"):
    """Bound on the error of the classifier that is trained on a candidate labeling.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Similarity of all pairs.
    labels : array-like of shape (n,)
    lam : float
        Weight of the classifier's norm.
    weights : array-like of shape (n,), optional
        alpha; the one that minimises the bound if not given.
    similarity : {"kernel", "general", "density"}

    Returns
    -------
    bound : float
        Of the mean of 1 - margin plus `lam` times the norm, less the constant 1.
    weights : ndarray of shape (n,)

    Raises
    ------
    ValueError
        For a K that is no similarity matrix, labels of another length or a `lam` that is not positive.

    Notes
    -----
    The bound is 1/n (sum over i < j with y_i != y_j of S_ij + n lam alpha' P alpha), with S not cut. It is
    high for labelings that put similar objects into different clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from dendrolab.cdsk_classifier import labeling_bound
    >>> K = np.exp(-np.square(np.subtract.outer([0, 1, 5, 6], [0, 1, 5, 6])) / 2)
    >>> labeling_bound(K, [0, 0, 1, 1])[0] < labeling_bound(K, [0, 1, 0, 1])[0]
    True
    """
    K, codes = check_similarity(K, "K"), np.unique(labels, return_inverse=True)[1]
    if K.shape[0] != len(codes):
        raise ValueError(
            f"K is {K.shape[0]} x {K.shape[0]}, and there are {len(codes)} labels: give one each."
        )
    if not is_positive_number(lam):
        raise ValueError(f"lam is {lam!r}: give a positive number.")
    n = len(codes)
    pairs = DensePairs(K, penalty_kernel(K, similarity), n * lam)
    column, diagonal, b = pairs.quadratic(np.eye(codes.max() + 1)[codes])
    if weights is None:
        weights = minimize_on_simplex(column, b, diagonal=diagonal).x
    alpha = np.asarray(weights, dtype=np.float64)
    Q_alpha = sum(alpha[i] * column(i) for i in np.flatnonzero(alpha))
    return float(alpha @ (b + Q_alpha)) / n, alpha
