"""What HMKC refuses, and what it says about it."""

import json

import numpy as np
import pytest
from scipy.sparse.linalg import aslinearoperator

from dendrolab.hmkc import HMKC
from dendrolab.kernel_checks import check_layer_sizes


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (12, "layer_sizes is 12: give a list of whole numbers. For 3 clusters of 30 objects try"),
        ("12", "layer_sizes is '12'"),
        (None, "layer_sizes is None"),
        ([], "layer_sizes is empty"),
        ([12.0], r"layer_sizes\[0\] is 12.0, not a whole number"),
        ([12, True], r"layer_sizes\[1\] is True"),
        ([[12]], r"layer_sizes\[0\] is \[12\]"),
        ([30], r"layer_sizes\[0\] is 30, not below the number of objects, 30"),
        ([31, 12], r"layer_sizes\[0\] is 31"),
        ([8, 12], r"layer_sizes\[1\] is 12, not below layer_sizes\[0\], 8"),
        ([12, 3], r"layer_sizes\[1\] is 3, not above n_clusters, 3"),
        ([2], r"layer_sizes\[0\] is 2, .* try \[12\] or \[24, 12\]"),
    ],
)
def test_layer_sizes_that_do_not_fall_are_refused_with_others_to_take(sizes, message):
    with pytest.raises(ValueError, match=message):
        HMKC(3, sizes).fit(np.eye(30))


def test_sizes_that_are_suggested_are_accepted():
    for n, n_clusters in [(5, 2), (10, 4), (100, 3), (7, 5)]:
        with pytest.raises(ValueError, match="try") as error:
            check_layer_sizes([], n_clusters, n)
        for text in error.value.args[0].split("try ")[1].rstrip(".").split(" or "):
            check_layer_sizes(json.loads(text), n_clusters, n)


def with_entry(i, j, value):
    K = np.eye(30)
    K[i, j] = value
    return K


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        ([], "kernels is empty"),
        ([np.eye(30), np.eye(29)], "kernel 1 is 29 x 29 and kernel 0 is 30 x 30"),
        ([np.eye(30)[:, :4]], r"kernel 0 has shape \(30, 4\).*LowRankKernel"),
        ([np.eye(30), with_entry(2, 5, np.nan)], r"kernel 1 contains NaN at \(2, 5\)"),
        ([with_entry(2, 5, 1e-3)], r"kernel 0 is not symmetric: \[2, 5\] is 0.001"),
        ([with_entry(4, 4, -1)], "kernel 0 is not positive semidefinite: its smallest eigenvalue is -1"),
        ([with_entry(4, 4, 0)], r"kernel 0 has 0 on its diagonal at \[4, 4\]"),
        ([np.eye(30), np.zeros((30, 30))], "kernel 1 is zero everywhere"),
        ([np.eye(30) * 1e200], "kernel 0 has 1e[+]200 on its diagonal: rescale it"),
        ([np.eye(30) * 1e-200], "kernel 0 has 1e-200 on its diagonal"),
        ([np.eye(30), "gaussian"], "kernel 1 is str"),
        ([aslinearoperator(with_entry(0, 3, 5.0))], "kernel 0 is not symmetric: x"),
        ([aslinearoperator(with_entry(3, 3, np.nan))], "the product of kernel 0 contains NaN"),
        ([aslinearoperator(np.zeros((30, 30)))], "kernel 0 is zero everywhere"),
        (np.full((2, 30, 30), "a"), "kernel 0 holds text"),
        ([np.eye(30) * 1j], "kernel 0 is not an array of real numbers"),
    ],
)
def test_bad_kernels_are_refused_by_name(kernels, message):
    with pytest.raises(ValueError, match=message):
        HMKC(3, [8]).fit(kernels)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 31}, "n_clusters is 31: choose a whole number from 1 to 30"),
        ({"n_clusters": 0}, "n_clusters is 0"),
        ({"max_iter": 0}, "max_iter is 0"),
        ({"n_init": 1.5}, "n_init is 1.5"),
        ({"tol": "small"}, "tol is 'small': give a number"),
        ({"tol": np.nan}, "tol is nan"),
        ({"kernel": "rbf"}, "the kernel family is 'rbf'"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        HMKC(**{"n_clusters": 3, "layer_sizes": [8]} | parameters).fit(np.eye(30) + 1)
