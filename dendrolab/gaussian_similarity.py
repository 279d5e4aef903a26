"""Gaussian similarity of points, dense or of nearest neighbours, and the rules for its bandwidth."""

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist, pdist, squareform

from .memory import check_memory

BANDWIDTH_RULES = {"variance": np.var, "std": np.std, "median": np.median}
_SAMPLE = 2000  # rows whose distances stand for all, where the n x n matrix is to be avoided


def choose_bandwidth(distances, rule="variance"):
    """Bandwidth tau of exp(-d^2 / (2 tau^2)) by a rule on the distances, or the number given.

    Parameters
    ----------
    distances : ndarray
        Pairwise Euclidean distances, each pair once.
    rule : {"variance", "std", "median"} or float
        ``"variance"`` is the rule of the CDSK paper. It is not invariant to the unit of the data.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        For an unknown rule, a number that is not positive, or distances that give 0.

    Examples
    --------
    >>> import numpy as np
    >>> from dendrolab.gaussian_similarity import choose_bandwidth
    >>> choose_bandwidth(np.array([1.0, 1.0, 4.0]), "median")
    1.0
    """
    check_bandwidth(rule)
    if not isinstance(rule, str):
        return float(rule)
    if distances.size == 0:
        raise ValueError(
            f"bandwidth {rule!r} is a statistic of distances, which 1 sample has none of: give two."
        )
    tau = float(BANDWIDTH_RULES[rule](distances))
    if not (np.isfinite(tau) and tau > 1e-12 * distances.max()):
        raise ValueError(
            f"bandwidth {rule!r} is {tau:.3g} for these points: they are equal, equally far apart, or "
            "out of range. Give bandwidth as a positive number."
        )
    return tau


def is_positive_number(value):
    """Tell whether a value is a finite real number above 0, and no bool."""
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return real and 0 < value < np.inf


def check_bandwidth(rule):
    """Refuse a bandwidth that is no rule and no positive number."""
    known = isinstance(rule, str) and rule in BANDWIDTH_RULES
    if not known and not is_positive_number(rule):
        raise ValueError(f"bandwidth is {rule!r}: give a positive number or one of {[*BANDWIDTH_RULES]}.")


def gaussian_similarity(X, bandwidth="variance"):
    """Gaussian kernel of all pairs of rows, and its bandwidth.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    bandwidth : {"variance", "std", "median"} or float

    Returns
    -------
    K : ndarray of shape (n, n)
    tau : float

    Examples
    --------
    >>> from dendrolab.gaussian_similarity import gaussian_similarity
    >>> K, tau = gaussian_similarity([[0.0], [1.0], [2.0]], "median")
    >>> K.round(3)[0], tau
    (array([1.   , 0.607, 0.135]), 1.0)
    """
    n = len(X)
    check_memory(24 * n * n, f"the {n} x {n} kernel and its work space", "Give n_neighbors, such as 20.")
    distances = pdist(X)
    tau = choose_bandwidth(distances, bandwidth)
    distances /= np.sqrt(2) * tau
    np.square(distances, out=distances)
    K = squareform(np.exp(-distances, out=distances), checks=False) if n > 1 else np.zeros((1, 1))
    np.fill_diagonal(K, 1.0)
    return K, tau


def neighbor_similarity(X, n_neighbors, bandwidth="variance", random_state=None):
    """Gaussian kernel of the pairs in which one is among the nearest neighbours of the other.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    n_neighbors : int
    bandwidth : {"variance", "std", "median"} or float
        Rules look at all distances among at most 2,000 rows drawn by `random_state`.
    random_state : int, RandomState or None

    Returns
    -------
    K : csr_array of shape (n, n)
        With a diagonal of ones.
    tau : float

    Examples
    --------
    >>> from dendrolab.gaussian_similarity import neighbor_similarity
    >>> K, tau = neighbor_similarity([[0.0], [1.0], [5.0]], 1, 1.0)
    >>> K.nnz
    7
    """
    from sklearn.neighbors import NearestNeighbors
    from sklearn.utils import check_random_state

    X = np.asarray(X)
    sample = X
    if len(X) > _SAMPLE and isinstance(bandwidth, str):
        sample = X[check_random_state(random_state).choice(len(X), _SAMPLE, replace=False)]
    tau = choose_bandwidth(pdist(sample) if isinstance(bandwidth, str) else np.empty(0), bandwidth)
    graph = (
        NearestNeighbors(n_neighbors=min(n_neighbors, len(X) - 1)).fit(X).kneighbors_graph(mode="distance")
    )
    graph.data = np.exp(-np.square(graph.data / (np.sqrt(2) * tau)))
    return sparse.csr_array(graph.maximum(graph.T)) + sparse.eye_array(len(X), format="csr"), tau


def log_similarity(X, Y, tau):
    """Logarithm of the Gaussian kernel between rows of X and of Y.

    Parameters
    ----------
    X, Y : ndarray of shape (m, d), (n, d)
    tau : float

    Returns
    -------
    ndarray of shape (m, n)

    Examples
    --------
    >>> from dendrolab.gaussian_similarity import log_similarity
    >>> log_similarity([[0.0]], [[2.0]], 1.0)
    array([[-2.]])
    """
    return -np.square(cdist(X, Y) / (np.sqrt(2) * tau))
