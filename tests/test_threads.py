"""One BLAS thread for each piece of work, and the old number afterwards."""

import time
import warnings
from threading import Barrier, Lock

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator
from threadpoolctl import threadpool_info, threadpool_limits

from dendrolab import HMKC, feature_kernels, prepare_kernels
from dendrolab.threads import one_blas_thread, side_by_side


def blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_as_many_pieces_at_a_time_as_blas_has_threads():
    with threadpool_limits(2, "blas"):
        before = blas_threads()
        with side_by_side() as run:
            assert set(blas_threads()) == {1}
            meet = Barrier(max(before))  # passes only if so many pieces are there at a time
            assert len(list(run(lambda _: meet.wait(10), range(max(before))))) == max(before)
        assert blas_threads() == before


def test_results_come_in_order_from_as_many_threads_as_asked_for():
    with side_by_side(3) as run:
        meet = Barrier(3)
        assert list(run(lambda k: (meet.wait(10), k * k)[1], range(6))) == [0, 1, 4, 9, 16, 25]


def test_the_threads_come_back_after_an_error():
    before = blas_threads()
    with pytest.raises(KeyError), side_by_side():
        raise KeyError
    assert blas_threads() == before


def test_the_number_of_pieces_at_a_time_does_not_change_a_bit():
    X = np.random.default_rng(0).normal(size=(700, 4))
    kernels = prepare_kernels(feature_kernels(X))
    runs = [HMKC(3, [5], max_iter=3, tol=0.1, random_state=0, n_jobs=n).fit(kernels) for n in (1, 2, None)]
    for run in runs[1:]:
        assert run.objective_history_.tolist() == runs[0].objective_history_.tolist()
        assert np.array_equal(run.partition_, runs[0].partition_)


def test_contexts_that_overlap_in_threads_leave_the_old_number_behind():
    with threadpool_limits(2, "blas"):
        before = blas_threads()
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert set(blas_threads()) == {1}
        second.__exit__(None, None, None)
        assert blas_threads() == before


@pytest.mark.parametrize("n_jobs", [0, "two", 1.5])
def test_a_wrong_number_of_pieces_is_refused(n_jobs):
    with pytest.raises(ValueError, match=r"n_jobs is .*whole number from 1, or -1"), side_by_side(n_jobs):
        pass
    kernels = prepare_kernels(feature_kernels(np.random.default_rng(0).normal(size=(20, 2))))
    with pytest.raises(ValueError, match="n_jobs is"):
        HMKC(2, [4], n_jobs=n_jobs).fit(kernels)


@pytest.mark.parametrize(("n_jobs", "most"), [(None, 1), (2, 2)])
def test_products_of_foreign_kernels_are_called_one_at_a_time_unless_asked(n_jobs, most):
    X = np.random.default_rng(0).normal(size=(1600, 3))
    inside, seen, lock = [], [0], Lock()

    def operator(K):
        def product(x):
            with lock:
                inside.append(K)
                seen[0] = max(seen[0], len(inside))
            time.sleep(0.02)  # long enough for another thread to come in
            with lock:
                inside.pop()
            return K @ x

        return LinearOperator(K.shape, matvec=product, matmat=product, dtype=float)

    operators = [operator(K) for K in prepare_kernels(feature_kernels(X))]
    with threadpool_limits(2, "blas"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "eigenvalues 6 and 7|did not settle")
        HMKC(2, [6], max_iter=2, tol=0.5, random_state=0, n_jobs=n_jobs).fit(operators)
    assert seen[0] == most
