"""Kernel k-means on one kernel, and the baselines of the HMKC paper on many: A-MKKM, SB-KKM."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import validate_data

from .kernel_checks import check_dense_kernel, check_kernels, check_n_clusters, check_positive
from .kernel_functions import kernel_matrix
from .kernel_input import (
    KernelClusterer,
    check_positive_number,
    partition_labels,
    relaxed_partition,
    weighted_sum,
)
from .kernel_lloyd import kernel_lloyd, kernel_objective
from .metrics import check_labels, partition_scores
from .validation import check_finite, refuse_text

METHODS = ("lloyd", "spectral")


class KernelKMeans(ClusterMixin, BaseEstimator):
    """Kernel k-means: k-means in the feature space of a kernel.

    Parameters
    ----------
    n_clusters : int
    method : {"lloyd", "spectral"}
        Alternate means and assignments (Eq. 1), or relax the assignment to leading eigenvectors (Eq. 4) and
        cluster their rows by k-means.
    kernel : str
        "precomputed": fit takes an n x n kernel, or an object with a product. Else a kernel of
        `kernel_matrix`, and fit takes a table.
    kernel_params : dict, optional
        Parameters of the kernel.
    n_init : int
        Number of starts, the best of which is kept.
    max_iter : int
    random_state : int, RandomState or None
    allow_indefinite : bool
        Accept a kernel with negative eigenvalues, with a warning.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        With "lloyd" every one of the clusters has an object.
    inertia_ : float
        Sum of squared distances to the means of the clusters, in the feature space.
    partition_ : ndarray of shape (n, n_clusters)
        Relaxed partition, with "spectral".
    n_iter_ : int

    Examples
    --------
    >>> from dendrolab import KernelKMeans
    >>> KernelKMeans(2, kernel="linear", random_state=0).fit([[0.0], [1.0], [9.0], [10.0]]).inertia_
    1.0
    """

    def __init__(
        self,
        n_clusters,
        method="lloyd",
        kernel="precomputed",
        kernel_params=None,
        n_init=10,
        max_iter=300,
        random_state=None,
        allow_indefinite=False,
    ):
        self.n_clusters = n_clusters
        self.method = method
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.allow_indefinite = allow_indefinite

    def fit(self, X, y=None):
        """Cluster the objects of a kernel or table.

        Parameters
        ----------
        X : array-like of shape (n, n) or (n, d)
        y : ignored

        Returns
        -------
        KernelKMeans
        """
        if self.method not in METHODS:
            raise ValueError(f"method is {self.method!r}: choose from {', '.join(METHODS)}.")
        check_positive_number(self.n_init, "n_init")
        check_positive_number(self.max_iter, "max_iter")
        K = self._kernel(X)
        random_state = check_random_state(self.random_state)
        if self.method == "spectral":
            self.partition_ = relaxed_partition(K, self.n_clusters)
            self.labels_ = partition_labels(self.partition_, self.n_clusters, self.n_init, random_state)
            self.inertia_, self.n_iter_ = kernel_objective(K, self.labels_, self.n_clusters), 1
            return self
        self.labels_, self.inertia_, self.n_iter_, settled = kernel_lloyd(
            K, self.n_clusters, self.n_init, self.max_iter, random_state
        )
        if not settled:
            warnings.warn(
                f"kernel k-means did not settle in {self.max_iter} rounds: raise max_iter.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    @property
    def _precomputed(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _kernel(self, X):
        if self._precomputed and hasattr(X, "__matmul__") and not hasattr(X, "__array__"):
            (K,) = check_kernels(X)
            check_n_clusters(self.n_clusters, K.shape[0])
            return K
        refuse_text(X)
        X = validate_data(self, X, dtype=[np.float64, np.float32], ensure_all_finite=False)
        check_finite(X)
        check_n_clusters(self.n_clusters, len(X))
        if not self._precomputed:
            return kernel_matrix(X, self.kernel, **(self.kernel_params or {}))
        check_dense_kernel(X, "X")
        check_positive(X, "X", self.allow_indefinite)
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        return tags


class AverageKernelKMeans(KernelClusterer):
    """A-MKKM: relaxed kernel k-means on the mean of the kernels.

    Parameters
    ----------
    n_clusters : int
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

    Examples
    --------
    >>> from dendrolab import AverageKernelKMeans
    >>> X = [[0.0], [1.0], [9.0], [10.0]]
    >>> AverageKernelKMeans(2, kernel="gaussians", random_state=0).fit(X).partition_.shape
    (4, 2)
    """

    def __init__(
        self, n_clusters, kernel="precomputed", n_init=10, random_state=None, allow_indefinite=False
    ):
        self.n_clusters = n_clusters
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
        AverageKernelKMeans
        """
        kernels = self._kernels(X)
        mean = weighted_sum(kernels, np.full(len(kernels), 1 / len(kernels)))
        self.partition_ = relaxed_partition(mean, self.n_clusters)
        self.labels_ = partition_labels(self.partition_, self.n_clusters, self.n_init, self.random_state)
        return self


def single_best_kernel_kmeans(
    kernels, y, n_clusters=None, n_init=10, random_state=None, allow_indefinite=False
):
    """SB-KKM: relaxed kernel k-means on every kernel, the best picked by the known classes.

    Parameters
    ----------
    kernels : array-like of shape (m, n, n), or list of kernels
    y : array-like of shape (n,)
        Known classes.
    n_clusters : int, optional
        The number of classes if not given.
    n_init : int
    random_state : int, RandomState or None
    allow_indefinite : bool

    Returns
    -------
    sklearn.utils.Bunch
        ``scores``: for each kernel the dict of `partition_scores`; ``labels``: for each kernel its labels, of
        shape (m, n); ``kernel``: the most accurate one; and the scores of this one, such as ``accuracy``.

    Examples
    --------
    >>> from dendrolab import feature_kernels, prepare_kernels, single_best_kernel_kmeans
    >>> X, y = [[0.0, 3.0], [1.0, 9.0], [9.0, 2.0], [10.0, 8.0]], [0, 0, 1, 1]
    >>> best = single_best_kernel_kmeans(prepare_kernels(feature_kernels(X)), y, random_state=0)
    >>> best.kernel, best.accuracy
    (0, 1.0)
    """
    y = check_labels(y, "y")
    kernels = check_kernels(kernels, allow_indefinite)
    n_clusters = int(y.max()) + 1 if n_clusters is None else n_clusters
    check_n_clusters(n_clusters, kernels[0].shape[0])
    if len(y) != kernels[0].shape[0]:
        raise ValueError(f"y has {len(y)} entries and the kernels {kernels[0].shape[0]} objects.")
    partitions = (relaxed_partition(K, n_clusters) for K in kernels)
    labels = np.array([partition_labels(H, n_clusters, n_init, random_state) for H in partitions])
    scores = [partition_scores(y, found) for found in labels]
    best = max(range(len(kernels)), key=lambda p: scores[p]["accuracy"])
    return Bunch(kernel=best, labels=labels, scores=scores, **scores[best])
