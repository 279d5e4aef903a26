"""Checks of kernel matrices: dense arrays, and anything with a product."""

import warnings

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from .eigenspace import product
from .validation import _asymmetry, _tolerance, as_numbers, check_finite, is_whole_number

_NOT_PSD = {4: 1e-5, 8: 1e-7}  # rounding of a kernel of this itemsize, times n and its largest diagonal entry


class ProductKernel:
    """A kernel known by its product alone: a LinearOperator, a sparse matrix, a dask array.

    Parameters
    ----------
    kernel : object
        With ``shape`` and ``@``, and ``diagonal()`` where it has one.
    """

    def __init__(self, kernel):
        self.kernel, self.shape, self.dtype = kernel, tuple(kernel.shape), np.dtype(np.float64)

    def __matmul__(self, X):
        return np.asarray(self.kernel @ X, dtype=np.float64)

    def diagonal(self):
        """Diagonal of the kernel, by products with unit vectors where it cannot be read off."""
        if hasattr(self.kernel, "diagonal"):
            return np.asarray(self.kernel.diagonal(), dtype=np.float64)
        n, parts = self.shape[0], []
        for start in range(0, n, 256):
            units = np.eye(n, min(256, n - start), -start)
            parts.append((units * (self @ units)).sum(axis=0))
        return np.concatenate(parts)


def check_kernels(kernels, allow_indefinite=False):
    """Return a list of valid kernels of one size; arrays of float32 or float64 are not copied.

    Parameters
    ----------
    kernels : array-like of shape (m, n, n) or (n, n), or list of kernels
        A kernel is an n x n array, or any object with ``shape`` and a product ``@``.
    allow_indefinite : bool
        Warn about a kernel that is not positive semidefinite in place of refusing it.

    Returns
    -------
    list
    """
    return refuse_indefinite(list_kernels(kernels), allow_indefinite)


def list_kernels(kernels):
    """Return kernels of one size that pass all checks but that of their eigenvalues."""
    kernels = [_check_form(K, f"kernel {p}") for p, K in enumerate(_as_list(kernels))]
    sizes = [K.shape[0] for K in kernels]
    for p, size in enumerate(sizes):
        if size != sizes[0]:
            raise ValueError(
                f"kernel {p} is {size} x {size} and kernel 0 is {sizes[0]} x {sizes[0]}: all kernels "
                "describe the same objects in the same order."
            )
    return kernels


def _as_list(kernels):
    if isinstance(kernels, (list, tuple)):
        first = kernels[0] if len(kernels) else None
        rows = isinstance(first, (list, tuple)) and not np.iterable(next(iter(first), None))
        kernels = [kernels] if rows else list(kernels)
    elif getattr(kernels, "ndim", 2) == 3:
        kernels = [kernels[p] for p in range(kernels.shape[0])]
    else:
        kernels = [kernels]
    if not kernels:
        raise ValueError("kernels is empty: give at least one n x n kernel.")
    return kernels


def is_dense(K):
    """Tell whether a kernel is held entry by entry: an array, nested lists or a DataFrame."""
    return isinstance(K, (np.ndarray, list, tuple)) or hasattr(K, "iloc")


def _check_form(K, name):
    if is_dense(K):
        return check_dense_kernel(as_numbers(K, name), name, zero_diagonal=False)
    if not (hasattr(K, "shape") and hasattr(K, "__matmul__")):
        raise ValueError(f"{name} is {type(K).__name__}: give an n x n array, or an object with a product @.")
    _check_shape(K, name)
    return _check_product(K if isinstance(K, ProductKernel) else ProductKernel(K), name)


def _check_shape(K, name):
    if len(K.shape) != 2 or K.shape[0] != K.shape[1] or K.shape[0] == 0:
        raise ValueError(
            f"{name} has shape {tuple(K.shape)}: a kernel is a square n x n matrix. A table of measurements "
            "becomes one by gaussian_kernel(X); factors F of K = F F^T by LowRankKernel(F)."
        )


def check_dense_kernel(K, name="kernel", zero_diagonal=True):
    """Return a kernel; refuse NaN, asymmetry, only zeros, or, unless allowed, zeros on its diagonal."""
    _check_shape(K, name)
    check_finite(K, name, "leave these objects out, or fill the table that the kernel is made from.")
    place = _asymmetry(K, _tolerance("symmetry", K))
    if place is not None:
        i, j = place
        raise ValueError(
            f"{name} is not symmetric: [{i}, {j}] is {K[i, j]:.6g} and [{j}, {i}] is {K[j, i]:.6g}. If both "
            "are measurements of one similarity, pass (K + K.T) / 2."
        )
    if not K.any():
        raise ValueError(f"{name} is zero everywhere: leave it out.")
    largest = float(np.abs(K.diagonal()).max())
    if largest > 0 and not 1e-100 < largest < 1e100:  # squares would overflow or vanish
        raise ValueError(f"{name} has {largest:.3g} on its diagonal: rescale it, for example to K / K.max().")
    zeros = np.flatnonzero(K.diagonal() == 0)
    if zeros.size and not zero_diagonal:
        raise ValueError(
            f"{name} has 0 on its diagonal at [{zeros[0]}, {zeros[0]}] ({zeros.size} in all): an object "
            "without similarity to itself has no place in a kernel. If these are distances, turn them into "
            "similarities."
        )
    return K


def refuse_indefinite(kernels, allow=False):
    """Return the kernels; refuse an array with a negative eigenvalue, or warn about it."""
    work = np.empty(kernels[0].shape, order="F") if any(isinstance(K, np.ndarray) for K in kernels) else None
    for p, K in enumerate(kernels):
        if isinstance(K, np.ndarray):
            check_positive(K, f"kernel {p}", allow, work)
    return kernels


def check_positive(K, name="kernel", allow_indefinite=False, work=None):
    """Refuse a dense kernel with an eigenvalue below rounding, or warn about it; `work` is overwritten."""
    allowed = _NOT_PSD[4 if K.dtype.itemsize <= 4 else 8] * len(K) * np.abs(K.diagonal()).max()
    work = np.empty(K.shape, order="F") if work is None else work
    work[...] = K
    work[np.diag_indices(len(K))] += allowed
    try:
        cholesky(work, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        _report_indefinite(K, name, allowed, allow_indefinite)


def _report_indefinite(K, name, allowed, allow_indefinite):
    smallest, largest = np.linalg.eigvalsh(K.astype(np.float64))[[0, -1]]
    if smallest >= -2 * allowed:
        return
    message = f"{name} is not positive semidefinite: its smallest eigenvalue is {smallest:.6g}"
    if not allow_indefinite or largest <= 0:
        raise ValueError(
            f"{message}, its largest {largest:.6g}. Pass allow_indefinite=True to use its positive part, or "
            f"add {-smallest:.3g} to its diagonal."
        )
    warnings.warn(f"{message}; directions with negative eigenvalues are not used.", UserWarning, stacklevel=2)


def _check_product(K, name):
    """Probe an operator with two fixed vectors: a shape, finite values, symmetry."""
    probe = np.random.RandomState(0).normal(size=(K.shape[0], 2))
    try:
        image = product(K, probe)
    except Exception as error:
        raise ValueError(f"{name} has no product with a NumPy array: {error}") from error
    check_finite(image, f"the product of {name}", "look at the entries that it is made from.")
    x_Ky, y_Kx = probe[:, 0] @ image[:, 1], probe[:, 1] @ image[:, 0]
    if abs(x_Ky - y_Kx) > 1e-6 * np.linalg.norm(probe) * np.linalg.norm(image):
        raise ValueError(f"{name} is not symmetric: x^T K y = {x_Ky:.6g}, y^T K x = {y_Kx:.6g}.")
    if not image.any():
        raise ValueError(f"{name} is zero everywhere: leave it out.")
    return K


def check_n_clusters(n_clusters, n):
    """Refuse a number of clusters that is no whole number from 1 to n."""
    if not is_whole_number(n_clusters) or not 1 <= n_clusters <= n:
        raise ValueError(f"n_clusters is {n_clusters!r}: choose a whole number from 1 to {n}.")


def check_layer_sizes(layer_sizes, n_clusters, n, allow_equal=False):
    """Return layer sizes as a tuple with n > c_1 > ... > c_s > n_clusters, or say which is wrong.

    Parameters
    ----------
    layer_sizes : sequence of int
    n_clusters, n : int
    allow_equal : bool
        Accept neighbours of equal size.

    Returns
    -------
    tuple of int
    """
    suggestion = suggest_layer_sizes(n_clusters, n)
    if isinstance(layer_sizes, (str, bytes)) or not np.iterable(layer_sizes):
        raise ValueError(f"layer_sizes is {layer_sizes!r}: give a list of whole numbers. {suggestion}")
    sizes = list(layer_sizes)
    if not sizes:
        raise ValueError(f"layer_sizes is empty: give one size a layer. {suggestion}")
    for t, size in enumerate(sizes):
        if not is_whole_number(size):
            raise ValueError(f"layer_sizes[{t}] is {size!r}, not a whole number. {suggestion}")
        before, bound = (f"layer_sizes[{t - 1}]", sizes[t - 1]) if t else ("the number of objects", n)
        if size > bound or (size == bound and not (t and allow_equal)):
            hint = " Pass allow_equal_sizes=True if that is meant." if t and size == bound else ""
            raise ValueError(
                f"layer_sizes[{t}] is {size}, not below {before}, {bound}: sizes fall from n to n_clusters."
                f"{hint} {suggestion}"
            )
        if size <= n_clusters:
            raise ValueError(
                f"layer_sizes[{t}] is {size}, not above n_clusters, {n_clusters}: sizes fall from n to "
                f"n_clusters. {suggestion}"
            )
    return tuple(int(size) for size in sizes)


def suggest_layer_sizes(n_clusters, n):
    """Text with layer sizes that suit a number of clusters and objects."""
    if n_clusters + 1 >= n:
        return f"With {n} objects and {n_clusters} clusters no layer fits between: take fewer clusters."
    one = min(4 * n_clusters, n - 1)
    two = f" or [{min(8 * n_clusters, n - 1)}, {one}]" if one < min(8 * n_clusters, n - 1) else ""
    return f"For {n_clusters} clusters of {n} objects try [{one}]{two}."
