"""Threads of our own in place of those of BLAS, where these stand in each other's way.

NumPy and SciPy each bring a BLAS whose threads wait for work by spinning. Where calls to both alternate on
matrices of moderate size, one's threads keep the processors from the other's: two to four times slower than
a single thread.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock

from joblib import effective_n_jobs
from threadpoolctl import threadpool_info, threadpool_limits

from .validation import is_whole_number

_lock, _open = Lock(), []  # the limit of the first context that is still open


@contextmanager
def one_blas_thread():
    """Context in which BLAS uses a single thread; the last of several that overlap in threads restores it."""
    with _lock:
        _open.append(_open[0] if _open else threadpool_limits(1, "blas"))
    try:
        yield
    finally:
        with _lock:
            limits = _open.pop()
            if not _open:
                limits.restore_original_limits()


def check_n_jobs(n_jobs):
    """Refuse what is no number of pieces to work on at a time, as joblib counts them."""
    if n_jobs is not None and (not is_whole_number(n_jobs) or n_jobs == 0):
        raise ValueError(f"n_jobs is {n_jobs!r}: give a whole number from 1, or -1 for all processors.")


@contextmanager
def side_by_side(n_jobs=None):
    """Context for pieces of work in threads, each with one BLAS thread.

    Parameters
    ----------
    n_jobs : int, optional
        Pieces at a time, as in joblib; as many as BLAS has threads if not given.

    Yields
    ------
    callable
        To be used as `map`; results come in order.
    """
    check_n_jobs(n_jobs)
    pools = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    n_threads = max(pools, default=1) if n_jobs is None else effective_n_jobs(n_jobs)
    # One pool for all rounds: new threads would leave the memory of the old ones behind. Not joblib's, which
    # looks for results a hundred times a second only.
    with one_blas_thread(), ThreadPoolExecutor(n_threads) as pool:
        yield pool.map
