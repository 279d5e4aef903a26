"""One BLAS thread for each piece of work, and the old number afterwards."""

from threading import Barrier

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
    runs = [HMKC(3, [12], max_iter=3, tol=0.1, random_state=0, n_jobs=n).fit(kernels) for n in (1, 2, None)]
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


@pytest.mark.parametrize("n_jobs", [0, "two"])
def test_a_wrong_number_of_pieces_is_refused(n_jobs):
    with pytest.raises((ValueError, TypeError)), side_by_side(n_jobs):
        pass


def test_products_of_foreign_kernels_are_called_one_at_a_time():
    X = np.random.default_rng(0).normal(size=(1600, 3))
    arrays = prepare_kernels(feature_kernels(X))
    shared = np.empty((1600, 200))

    def operator(K):
        def product(x):
            out = shared[:, : x.shape[1]]
            np.matmul(K, x, out=out)
            return out.copy()

        return LinearOperator(K.shape, matvec=lambda x: K @ x, matmat=product, dtype=float)

    operators = [operator(K) for K in arrays]
    fits = [HMKC(2, [6], max_iter=2, tol=0.5, random_state=0).fit(K) for K in (arrays, operators)]
    np.testing.assert_allclose(fits[1].objective_history_, fits[0].objective_history_, rtol=1e-9)
