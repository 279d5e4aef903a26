"""Kernels of a table by name, and families of them over a grid."""

from numbers import Number

import numpy as np
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import pairwise
from sklearn.model_selection import ParameterGrid

from .bandwidths import denominator
from .memory import check_memory
from .validation import check_data

FAMILIES = {
    "gaussian": [{"kernel": "gaussian"}],
    "gaussians": [{"kernel": "gaussian", "scale": [0.25, 0.5, 1.0, 2.0]}],
    "mixed": [
        {"kernel": "gaussian", "scale": [0.25, 1.0]},
        {"kernel": "laplacian"},
        {"kernel": "polynomial", "degree": 2},
        {"kernel": "linear"},
        {"kernel": "cosine"},
    ],
}


def gaussian_kernel(X, bandwidth="mean_square", scale=1.0):
    """Gaussian kernel exp(-||x - y||^2 / (2 sigma^2 scale)).

    Parameters
    ----------
    X : array-like of shape (n, d)
    bandwidth : {"mean_square", "mean", "median", "max", "std", "variance"} or float
        sigma itself, or the statistic of the Euclidean distances over all pairs that sigma is set to;
        "mean_square" sets 2 sigma^2 to the mean squared distance.
    scale : float
        Factor of 2 sigma^2, for families of bandwidths.

    Returns
    -------
    ndarray of shape (n, n)
        float32 where X is, else float64.

    Raises
    ------
    ValueError
        For equal rows only, where no rule gives a bandwidth.

    Examples
    --------
    >>> from dendrolab import gaussian_kernel
    >>> gaussian_kernel([[0.0], [1.0], [2.0]], bandwidth="max").round(3)
    array([[1.   , 0.882, 0.607],
           [0.882, 1.   , 0.882],
           [0.607, 0.882, 1.   ]])
    """
    return _distance_kernel(check_data(X), "gaussian", bandwidth, scale)


def laplacian_kernel(X, bandwidth="mean", scale=1.0):
    """Laplacian kernel exp(-||x - y||_1 / (bandwidth scale)).

    Parameters
    ----------
    X : array-like of shape (n, d)
    bandwidth : str or float
        A number, or the statistic of the city-block distances, named as for `gaussian_kernel`.
    scale : float

    Returns
    -------
    ndarray of shape (n, n)

    Examples
    --------
    >>> from dendrolab.kernel_functions import laplacian_kernel
    >>> laplacian_kernel([[0.0], [1.0]]).round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    """
    return _distance_kernel(check_data(X), "laplacian", bandwidth, scale)


def _distance_kernel(X, kernel, bandwidth, scale):
    n = X.shape[0]
    check_memory(12 * n * n, f"a kernel of {n} objects", "For many objects use nystrom_kernel.")
    X = X.toarray() if sparse.issparse(X) else X
    distances = pdist(X, "sqeuclidean" if kernel == "gaussian" else "cityblock")
    if not np.isfinite(distances).all():
        raise ValueError("distances overflow to infinity: rescale X.")
    distances /= -denominator(distances, kernel, bandwidth, scale)
    K = squareform(np.exp(distances, out=distances).astype(X.dtype, copy=False))
    np.fill_diagonal(K, 1)
    return K


def intersection_kernel(X):
    """Histogram intersection kernel, the sum of min(x, y) over the columns.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Counts or shares, without negative entries.

    Returns
    -------
    ndarray of shape (n, n)

    Examples
    --------
    >>> from dendrolab.kernel_functions import intersection_kernel
    >>> intersection_kernel([[1.0, 2.0], [2.0, 1.0]])
    array([[3., 2.],
           [2., 3.]])
    """
    X = _histograms(X, "intersection")
    totals = X.sum(axis=1, dtype=np.float64)
    # |x - y| = x + y - 2 min(x, y)
    common = (totals[:, None] + totals - squareform(pdist(X, "cityblock"))) / 2
    return common.astype(X.dtype, copy=False)


def _histograms(X, kernel):
    X = check_data(X)
    X = X.toarray() if sparse.issparse(X) else X
    if X.min() < 0:
        raise ValueError(
            f"X has the negative entry {X.min():.6g}: the {kernel} kernel is defined for counts and shares. "
            "Take another kernel, or shift and scale the columns to [0, 1]."
        )
    return X


def _chi2(X, gamma=1.0):
    return pairwise.chi2_kernel(_histograms(X, "chi2"), gamma=gamma)


KERNELS = {
    "gaussian": gaussian_kernel,
    "laplacian": laplacian_kernel,
    "linear": pairwise.linear_kernel,
    "polynomial": pairwise.polynomial_kernel,
    "cosine": pairwise.cosine_similarity,
    "chi2": _chi2,
    "intersection": intersection_kernel,
}


def kernel_matrix(X, kernel="gaussian", **parameters):
    """Kernel of a table, by name.

    Parameters
    ----------
    X : array-like of shape (n, d)
    kernel : {"gaussian", "laplacian", "linear", "polynomial", "cosine", "chi2", "intersection"}
    **parameters
        Those of the kernel: bandwidth and scale; degree, gamma and coef0 (as scikit-learn has them).

    Returns
    -------
    ndarray of shape (n, n)

    Examples
    --------
    >>> from dendrolab.kernel_functions import kernel_matrix
    >>> kernel_matrix([[1.0, 0.0], [1.0, 1.0]], "linear")
    array([[1., 1.],
           [1., 2.]])
    """
    if kernel not in KERNELS:
        raise ValueError(f"kernel is {kernel!r}: choose from {', '.join(KERNELS)}.")
    X = check_data(X)
    try:
        return KERNELS[kernel](X, **parameters)
    except TypeError as error:
        raise ValueError(f"the {kernel} kernel does not take {parameters}: {error}") from error


def expand_family(family):
    """List the kernels of a family, one dict of `kernel_matrix` parameters each.

    Parameters
    ----------
    family : str, dict or list of dict or str
        A name in `FAMILIES`, or grids: each dict has a kernel and a value or list of values a parameter; a
        kernel's name alone stands for its default parameters.

    Returns
    -------
    list of dict

    Examples
    --------
    >>> from dendrolab.kernel_functions import expand_family
    >>> expand_family({"kernel": "polynomial", "degree": [2, 3]})
    [{'degree': 2, 'kernel': 'polynomial'}, {'degree': 3, 'kernel': 'polynomial'}]
    """
    if isinstance(family, str):
        if family not in FAMILIES:
            raise ValueError(
                f"the kernel family is {family!r}: choose from {', '.join(FAMILIES)}, or give a grid."
            )
        family = FAMILIES[family]
    grids = [family] if isinstance(family, dict) else family
    if not isinstance(grids, (list, tuple)) or not all(isinstance(grid, (str, dict)) for grid in grids):
        raise ValueError(f"the kernel family is {family!r}: give a name, a dict, or a list of them.")
    if not grids:
        raise ValueError("the kernel family is empty: give at least one kernel.")
    grids = [{"kernel": grid} if isinstance(grid, str) else grid for grid in grids]
    listed = [
        {key: [value] if isinstance(value, (str, Number)) else list(value) for key, value in grid.items()}
        for grid in grids
    ]
    return list(ParameterGrid(listed))


def kernel_names(family):
    """Names of the kernels of a family, in the order of `kernel_family`.

    Parameters
    ----------
    family : str, dict or list of dict

    Returns
    -------
    list of str

    Examples
    --------
    >>> from dendrolab.kernel_functions import kernel_names
    >>> kernel_names({"kernel": "gaussian", "scale": [0.5, 1.0]})
    ['gaussian scale=0.5', 'gaussian scale=1.0']
    """
    names = []
    for settings in expand_family(family):
        rest = [f"{key}={value}" for key, value in settings.items() if key != "kernel"]
        names.append(" ".join([settings.get("kernel", "gaussian"), *rest]))
    return names
