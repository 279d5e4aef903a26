"""What the kernel estimators share: their input, the sum of kernels, and labels from a relaxed partition."""

from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from .clusterers import kmeans_labels
from .eigenspace import fix_signs, leading_eigenvectors, product
from .kernel_checks import ProductKernel, check_n_clusters, list_kernels, refuse_indefinite
from .kernels import kernel_family, prepare_in_place
from .validation import check_finite, is_whole_number, refuse_text


class KernelClusterer(ClusterMixin, BaseEstimator):
    """A clusterer of kernels, or of a table through a family of kernels."""

    def _kernels(self, X):
        """Valid kernels of the input; parameters are checked before the work starts."""
        check_positive_number(self.n_init, "n_init")
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            kernels = list_kernels(X)
            self._check_parameters(kernels[0].shape[0])
            return refuse_indefinite(kernels, self.allow_indefinite)
        refuse_text(X)
        X = validate_data(
            self, X, dtype=[np.float64, np.float32], ensure_all_finite=False, ensure_min_samples=2
        )
        check_finite(X)
        self._check_parameters(len(X))
        return list(prepare_in_place(kernel_family(X, self.kernel)))

    def _check_parameters(self, n):
        check_n_clusters(self.n_clusters, n)


def check_positive_number(value, name):
    """Refuse what is no whole number of at least 1."""
    if not is_whole_number(value) or value < 1:
        raise ValueError(f"{name} is {value!r}: give a whole number of at least 1.")


def check_tolerance(tol):
    """Refuse what is no number of at least 0."""
    if isinstance(tol, bool) or not isinstance(tol, Real) or not 0 <= tol < np.inf:
        raise ValueError(f"tol is {tol!r}: give a number of at least 0, such as 1e-5.")


class _WeightedSum(ProductKernel):
    def __init__(self, kernels, weights):
        self.kernels, self.weights = kernels, weights
        self.shape, self.dtype = kernels[0].shape, np.dtype(np.float64)

    def __matmul__(self, X):
        return sum(weight * product(K, X) for weight, K in zip(self.weights, self.kernels, strict=True))

    def diagonal(self):
        return sum(weight * K.diagonal() for weight, K in zip(self.weights, self.kernels, strict=True))


def weighted_sum(kernels, weights):
    """Sum of weighted kernels: an array where all are arrays, else an operator."""
    if not all(isinstance(K, np.ndarray) for K in kernels):
        return _WeightedSum(kernels, weights)
    total = np.zeros(kernels[0].shape)
    for weight, K in zip(weights, kernels, strict=True):
        total += weight * K
    return total


def relaxed_partition(K, n_clusters):
    """Leading eigenvectors of a kernel: relaxed kernel k-means (Eq. 4)."""
    return fix_signs(leading_eigenvectors(K, n_clusters)[1])


def partition_labels(H, n_clusters, n_init, random_state):
    """Labels of a relaxed partition: k-means on its rows, scaled to unit length; a row of zeros stays."""
    lengths = np.linalg.norm(H, axis=1, keepdims=True)
    rows = H / np.where(lengths > 0, lengths, 1)
    return kmeans_labels(rows, n_clusters, n_init, random_state)
