"""Threads of our own in place of those of BLAS, where these stand in each other's way.

NumPy and SciPy each bring a BLAS whose threads wait for work by spinning. Where calls to both alternate on
matrices of moderate size, one's threads keep the processors from the other's: two to four times slower than
a single thread.
"""

from contextlib import contextmanager

from sklearn.utils.parallel import Parallel
from threadpoolctl import threadpool_info, threadpool_limits


def one_blas_thread():
    """Context in which BLAS uses a single thread."""
    return threadpool_limits(1, "blas")


@contextmanager
def side_by_side(n_jobs=None):
    """Context for pieces of work in threads, each with one BLAS thread.

    Parameters
    ----------
    n_jobs : int, optional
        Pieces at a time, as in joblib; as many as BLAS has threads if not given.

    Yields
    ------
    Parallel
        To be called with ``delayed`` pieces; results do not depend on `n_jobs`.
    """
    pools = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    with one_blas_thread():
        yield Parallel(n_jobs=n_jobs or max(pools, default=1), prefer="threads")
