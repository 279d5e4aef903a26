"""Kernels as low-rank factors, exact or by the Nystrom method, for many objects."""

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.utils import check_random_state

from .bandwidths import bandwidth_of
from .kernel_checks import ProductKernel
from .validation import check_data, is_whole_number

_UNIT_DIAGONAL = ("gaussian", "laplacian", "cosine")


class LowRankKernel(ProductKernel):
    """The kernel F F^T, never formed: its product costs n r.

    Parameters
    ----------
    factor : array-like of shape (n, r)
        F; the table itself gives the linear kernel.
    error : float
        Share of the trace of the kernel that the factor stands for which it misses.

    Attributes
    ----------
    factor : ndarray of shape (n, r)
    error : float
    shape : tuple of int

    Examples
    --------
    >>> from dendrolab.nystrom import LowRankKernel
    >>> kernel = LowRankKernel([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    >>> kernel.diagonal().tolist()
    [1.0, 4.0, 2.0]
    """

    def __init__(self, factor, error=0.0):
        self.factor, self.error = check_data(factor, "factor"), error
        self.shape, self.dtype = (self.factor.shape[0],) * 2, self.factor.dtype

    def __matmul__(self, X):
        # The narrow dtype of the factor, if any, is kept in the product and widened after it.
        X = np.asarray(X).astype(self.dtype, copy=False)
        return np.asarray(self.factor @ (self.factor.T @ X), dtype=np.float64)

    def diagonal(self):
        """Squared norms of the rows of the factor.

        Returns
        -------
        ndarray of shape (n,)
        """
        return np.einsum("ij,ij->i", self.factor, self.factor, dtype=np.float64)


def nystrom_kernel(
    X, kernel="gaussian", n_landmarks=500, bandwidth="mean_square", scale=1.0, random_state=None
):
    """Approximate a kernel from its columns at some landmarks: n x r memory in place of n x n.

    Parameters
    ----------
    X : array-like of shape (n, d)
    kernel : {"gaussian", "laplacian", "cosine"}
    n_landmarks : int
        Rows of X drawn as landmarks, and the rank.
    bandwidth : str or float
        As for `gaussian_kernel`; a rule is applied to the landmarks. Not used by "cosine".
    scale : float
        As for `gaussian_kernel`.
    random_state : int, RandomState or None

    Returns
    -------
    LowRankKernel
        Its ``error`` is exact: the difference to the kernel is positive semidefinite, so that the trace
        that is missing is the sum of all eigenvalues of the difference.

    Raises
    ------
    ValueError
        For an unknown kernel, or a number of landmarks outside 1 to n.

    Examples
    --------
    >>> import numpy as np
    >>> from dendrolab.nystrom import nystrom_kernel
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> nystrom_kernel(X, n_landmarks=50, random_state=0).error < 0.01
    True
    """
    X = check_data(X)
    if kernel not in _UNIT_DIAGONAL:
        raise ValueError(
            f"kernel is {kernel!r}: choose from {', '.join(_UNIT_DIAGONAL)}. For the linear kernel use "
            "LowRankKernel(X), which is exact."
        )
    n = X.shape[0]
    if not is_whole_number(n_landmarks) or not 1 <= n_landmarks <= n:
        raise ValueError(f"n_landmarks is {n_landmarks!r}: choose a whole number from 1 to {n}.")
    random_state = check_random_state(random_state)
    metric, gamma = "cosine", None
    if kernel != "cosine":
        sample = X[random_state.choice(n, n_landmarks, replace=False)]
        metric = "rbf" if kernel == "gaussian" else "laplacian"
        gamma = 1 / bandwidth_of(sample, kernel, bandwidth, scale)
    mapping = Nystroem(metric, gamma=gamma, n_components=n_landmarks, random_state=random_state)
    factor = mapping.fit_transform(X)
    error = 1 - float(np.square(factor, dtype=np.float64).sum()) / n
    return LowRankKernel(factor, max(error, 0.0))
