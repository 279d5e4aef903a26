"""One BLAS thread for each piece of work, and the old number afterwards."""

from threading import Barrier

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from dendrolab import HMKC, feature_kernels, prepare_kernels
from dendrolab.threads import side_by_side


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
