"""Sets of kernels: families over a grid, one per feature or view, and their preparation."""

import warnings

import numpy as np
from sklearn.preprocessing import StandardScaler

from .kernel_checks import ProductKernel, list_kernels
from .kernel_functions import expand_family, kernel_matrix
from .memory import check_memory
from .nystrom import LowRankKernel
from .validation import check_data

_RIDGE = 1e-12


def kernel_family(X, family="gaussians"):
    """Kernels of one table over a grid of kinds and parameters.

    Parameters
    ----------
    X : array-like of shape (n, d)
    family : str, dict or list of dict
        As for `expand_family`.

    Returns
    -------
    ndarray of shape (m, n, n)

    Examples
    --------
    >>> from dendrolab.kernels import kernel_family
    >>> kernel_family([[0.0], [1.0], [5.0]], {"kernel": "gaussian", "scale": [0.5, 1, 2]}).shape
    (3, 3, 3)
    """
    X = check_data(X)
    return _stack([(X, settings) for settings in expand_family(family)])


def _stack(pairs):
    n, dtype = pairs[0][0].shape[0], np.result_type(*(X.dtype for X, _ in pairs))
    check_memory(dtype.itemsize * n * n * (len(pairs) + 2), f"{len(pairs)} kernels of {n} objects")
    kernels = np.empty((len(pairs), n, n), dtype=dtype)
    for K, (X, settings) in zip(kernels, pairs, strict=True):
        K[:] = kernel_matrix(X, **settings)
    return kernels


def feature_kernels(X, kernel="gaussian", **parameters):
    """One kernel for each column of a table.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n, d)
    kernel : str
        As for `kernel_matrix`.
    **parameters
        Those of the kernel; a Gaussian kernel has bandwidth "max" if not given.

    Returns
    -------
    ndarray of shape (m, n, n)

    Warns
    -----
    UserWarning
        For constant columns, which are left out: which ones.

    Notes
    -----
    With "max" a kernel is exp(-d^2 / (2 max d^2)), for any scale of the column: the kernels that give the
    published scores of the HMKC paper's baselines on Heart.

    Examples
    --------
    >>> from dendrolab import feature_kernels
    >>> feature_kernels([[0.0, 3.0], [1.0, 7.0], [2.0, 4.0]]).shape
    (2, 3, 3)
    """
    names = [repr(str(name)) for name in X.columns] if hasattr(X, "columns") else None
    X = check_data(X)
    X = X.toarray() if hasattr(X, "toarray") else X
    varies = X.max(axis=0) > X.min(axis=0)
    if not varies.any():
        raise ValueError("all columns of X are constant: no kernel can tell the objects apart.")
    if not varies.all():
        dropped = [names[j] if names else str(j) for j in np.flatnonzero(~varies)]
        warnings.warn(f"constant columns left out: {', '.join(dropped)}.", UserWarning, stacklevel=2)
    if kernel == "gaussian":
        parameters = {"bandwidth": "max"} | parameters
    settings = {"kernel": kernel} | parameters
    return _stack([(X[:, [j]], settings) for j in np.flatnonzero(varies)])


def view_kernels(views, family="gaussian", standardize=True):
    """One or several kernels for each view of the same objects.

    Parameters
    ----------
    views : list of array-like of shape (n, d_v)
        Tables with the same objects in the same order.
    family : str, dict or list of dict
        As for `expand_family`; one Gaussian kernel a view if not given.
    standardize : bool
        Scale the columns of every view to mean 0 and variance 1 first.

    Returns
    -------
    ndarray of shape (m, n, n)
        View by view, each in the order of the family.

    Examples
    --------
    >>> from dendrolab import view_kernels
    >>> view_kernels([[[0.0], [1.0], [5.0]], [[1.0, 2.0], [3.0, 4.0], [3.0, 0.0]]]).shape
    (2, 3, 3)
    """
    views = [check_data(X, f"view {v}") for v, X in enumerate(views)]
    if not views:
        raise ValueError("views is empty: give at least one table.")
    lengths = [X.shape[0] for X in views]
    for v, length in enumerate(lengths):
        if length != lengths[0]:
            raise ValueError(
                f"view {v} has {length} rows and view 0 has {lengths[0]}: all views describe the same "
                "objects in the same order."
            )
    if standardize:
        views = [StandardScaler(with_mean=not hasattr(X, "toarray")).fit_transform(X) for X in views]
    return _stack([(X, settings) for X in views for settings in expand_family(family)])


def prepare_kernels(kernels):
    """Centre kernels in feature space and scale them to unit diagonal.

    Parameters
    ----------
    kernels : array-like of shape (m, n, n) or list of kernels
        As for `HMKC.fit`; not modified.

    Returns
    -------
    ndarray of shape (m, n, n), or list
        A list where a kernel is given by a product or by factors.

    Raises
    ------
    ValueError
        For a kernel that is asymmetric, constant, or zero on its diagonal: which one, and where.

    Notes
    -----
    A ridge of 1e-12 between the two steps keeps an object at the mean from dividing by zero. Operators stay
    operators: their row means and diagonal are taken once. Factors stay factors.

    Examples
    --------
    >>> from dendrolab import prepare_kernels
    >>> prepare_kernels([[[2.0, 1.0], [1.0, 2.0]]]).round(6)
    array([[[ 1., -1.],
            [-1.,  1.]]])
    """
    kernels = list_kernels(kernels)
    if all(isinstance(K, np.ndarray) for K in kernels):
        n, dtype = len(kernels[0]), np.result_type(*kernels)
        check_memory(dtype.itemsize * n * n * (len(kernels) + 1), f"a copy of {len(kernels)} kernels")
        prepared = np.empty((len(kernels), n, n), dtype=dtype)
        for p, K in enumerate(kernels):
            prepared[p] = K
        return prepare_in_place(prepared)
    return [_prepare_one(K, p) for p, K in enumerate(kernels)]


def prepare_in_place(kernels):
    """Prepare an array of kernels, one after the other, without another one."""
    for p, K in enumerate(kernels):
        _prepare_dense(K, p)
    return kernels


def _prepare_one(K, p):
    if isinstance(K, np.ndarray):
        return _prepare_dense(K.copy(), p)
    return _prepare_factor(K, p) if isinstance(K, LowRankKernel) else _PreparedKernel(K, p)


def _prepare_factor(K, p):
    F = K.factor - K.factor.mean(axis=0)
    centred = LowRankKernel(F, K.error)
    F /= _root_diagonal(centred.diagonal(), K.diagonal().max(), p).astype(F.dtype)[:, None]
    return centred


def _prepare_dense(K, p):
    means = K.mean(axis=0, dtype=np.float64)
    largest = K.diagonal().max()
    K -= (means - means.mean() / 2).astype(K.dtype)
    K -= (means - means.mean() / 2).astype(K.dtype)[:, None]
    roots = _root_diagonal(K.diagonal(), largest, p).astype(K.dtype)
    K /= roots
    K /= roots[:, None]
    np.fill_diagonal(K, 1)
    return K


def _root_diagonal(centred, largest, p):
    top = centred.max()
    if top <= 1e-10 * largest:
        raise ValueError(
            f"kernel {p} is constant: centred it is zero and tells no objects apart; leave it out."
        )
    return np.sqrt(np.maximum(centred, 0) + _RIDGE * min(1.0, top))


class _PreparedKernel(ProductKernel):
    """A kernel with a product only, centred and scaled to unit diagonal."""

    def __init__(self, kernel, p):
        super().__init__(kernel)
        n, diagonal = self.shape[0], kernel.diagonal()
        means = (kernel @ np.ones((n, 1)))[:, 0] / n
        centred = diagonal - 2 * means + means.mean()
        self.roots = _root_diagonal(centred, diagonal.max(), p)[:, None]
        self.ridge = self.roots**2 - centred[:, None]

    def __matmul__(self, X):
        Y = X / self.roots
        KY = self.kernel @ (Y - Y.mean(axis=0))
        return (KY - KY.mean(axis=0) + self.ridge * Y) / self.roots

    def diagonal(self):
        return np.ones(self.shape[0])
