"""Bandwidth rules of distance kernels."""

from numbers import Real

import numpy as np
from scipy import sparse
from scipy.spatial.distance import pdist

BANDWIDTHS = ("mean_square", "mean", "median", "max", "std", "variance")
_CHOICES = f"choose from {', '.join(BANDWIDTHS)}, or give a positive number."


def bandwidth_of(X, kernel, bandwidth, scale):
    """Denominator h of exp(-d / h) for a table, with d as in `denominator`."""
    X = X.toarray() if sparse.issparse(X) else X
    distances = pdist(X, "sqeuclidean" if kernel == "gaussian" else "cityblock")
    return denominator(distances, kernel, bandwidth, scale)


def denominator(distances, kernel, bandwidth, scale):
    """Denominator h of exp(-d / h).

    Parameters
    ----------
    distances : ndarray
        Over all pairs: squared Euclidean for "gaussian", city-block for "laplacian".
    kernel : {"gaussian", "laplacian"}
    bandwidth : str or float
        For "gaussian" h is 2 sigma^2 with sigma the number, or that statistic of the Euclidean distances;
        "mean_square" makes h the mean squared distance. For "laplacian" h is the number or statistic itself.
    scale : float
        Factor of h.

    Returns
    -------
    float
    """
    if not _is_positive(scale):
        raise ValueError(f"scale is {scale!r}: give a positive number.")
    if isinstance(bandwidth, str):
        return scale * _by_rule(distances, kernel, bandwidth)
    if not _is_positive(bandwidth):
        raise ValueError(f"bandwidth is {bandwidth!r}: {_CHOICES}")
    return scale * (2 * bandwidth**2 if kernel == "gaussian" else bandwidth)


def _is_positive(value):
    return isinstance(value, Real) and not isinstance(value, bool) and 0 < value < np.inf


def _by_rule(distances, kernel, rule):
    if rule not in BANDWIDTHS:
        raise ValueError(f"bandwidth is {rule!r}: {_CHOICES}")
    if not distances.size:  # a single object
        return 1.0
    if not distances.any():
        raise ValueError("all rows are equal: a bandwidth rule needs distances; leave this table out.")
    if rule == "mean_square":
        return float(distances.mean() if kernel == "gaussian" else np.sqrt(np.square(distances).mean()))
    plain = np.sqrt(distances) if kernel == "gaussian" else distances
    statistics = {"mean": np.mean, "median": np.median, "max": np.max, "std": np.std, "variance": np.var}
    value = float(statistics[rule](plain))
    if value == 0:
        raise ValueError(f"the {rule} of the distances is 0: choose another bandwidth rule or give a number.")
    return 2 * value**2 if kernel == "gaussian" else value
