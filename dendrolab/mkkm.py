"""MKKM: multiple kernel k-means with kernel weights."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .eigenspace import fix_signs, leading_eigenvectors, product
from .kernel_input import (
    KernelClusterer,
    check_positive_number,
    check_tolerance,
    partition_labels,
    weighted_sum,
)


class MKKM(KernelClusterer):
    """Multiple kernel k-means: a partition and kernel weights that minimise its loss (Eq. 5).

    Parameters
    ----------
    n_clusters : int
    max_iter : int
    tol : float
        Stop when the objective changes by less than this share.
    kernel : str, dict or list of dict
        "precomputed": fit takes kernels, as they are (see `prepare_kernels`). Else a kernel family, and fit
        takes a table, whose kernels are prepared.
    n_init : int
        Starts of the k-means that turns the relaxed partition into labels.
    random_state : int, RandomState or None
    allow_indefinite : bool
        Accept kernels with negative eigenvalues, with a warning.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
    partition_ : ndarray of shape (n, n_clusters)
    kernel_weights_ : ndarray of shape (m,)
        Not negative, with sum 1.
    objective_history_ : ndarray of shape (n_iter_,)
        Tr(K_beta (I - H H^T)) with K_beta = sum of beta_p^2 K_p after each round; it never rises.
    n_iter_ : int

    Notes
    -----
    With H fixed, beta_p is proportional to 1 / Tr(K_p (I - H H^T)).

    Examples
    --------
    >>> from dendrolab import MKKM
    >>> model = MKKM(2, kernel="gaussians", random_state=0).fit([[0.0], [1.0], [9.0], [10.0]])
    >>> float(model.kernel_weights_.sum().round(6))
    1.0
    """

    def __init__(
        self,
        n_clusters,
        max_iter=100,
        tol=1e-5,
        kernel="precomputed",
        n_init=10,
        random_state=None,
        allow_indefinite=False,
    ):
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.tol = tol
        self.kernel = kernel
        self.n_init = n_init
        self.random_state = random_state
        self.allow_indefinite = allow_indefinite

    def fit(self, X, y=None):
        """Cluster the objects of several kernels, or of a table.

        Parameters
        ----------
        X : array-like of shape (m, n, n) or (n, d), or list of kernels
        y : ignored

        Returns
        -------
        MKKM
        """
        check_positive_number(self.max_iter, "max_iter")
        check_tolerance(self.tol)
        kernels = self._kernels(X)
        traces = np.array([K.diagonal().sum() for K in kernels])
        weights, history = np.full(len(kernels), 1 / len(kernels)), []
        for _ in range(self.max_iter):
            total = weighted_sum(kernels, weights**2)
            H = leading_eigenvectors(total, self.n_clusters)[1]
            lost = traces - [(H * product(K, H)).sum() for K in kernels]
            weights = _weights(lost, traces)
            history.append(float(weights**2 @ lost))
            if len(history) > 1 and abs(history[-1] - history[-2]) <= self.tol * abs(history[-1]):
                break
        else:
            warnings.warn(
                f"MKKM did not settle in {self.max_iter} rounds: raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.partition_, self.kernel_weights_ = fix_signs(H), weights
        self.objective_history_, self.n_iter_ = np.array(history), len(history)
        self.labels_ = partition_labels(self.partition_, self.n_clusters, self.n_init, self.random_state)
        return self


def _weights(lost, traces):
    """Weights in inverse proportion to what the partition loses; a kernel that loses nothing takes all."""
    inverse = 1 / np.maximum(lost, 1e-12 * traces)
    return inverse / inverse.sum()
