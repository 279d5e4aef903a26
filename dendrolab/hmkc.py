"""HMKC: hierarchical multiple kernel clustering."""

import warnings
from contextlib import contextmanager
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .eigenspace import is_decomposed, is_tied, leading_eigenvectors, spare
from .hmkc_updates import Chain, optimise
from .kernel_checks import ProductKernel, check_layer_sizes
from .kernel_input import KernelClusterer, check_positive_number, check_tolerance, partition_labels
from .threads import check_n_jobs, side_by_side


class HMKC(KernelClusterer):
    """Hierarchical multiple kernel clustering.

    Each kernel is distilled into ever smaller intermediary matrices, and all into one partition, which guides
    them in turn.

    Parameters
    ----------
    n_clusters : int
    layer_sizes : sequence of int
        Columns of the intermediary matrices, layer by layer: n > c_1 > ... > c_s > n_clusters.
    max_iter : int
        Most rounds of updates, forward and backward in turn.
    tol : float
        Stop when the objective changes by less than this share.
    random_state : int, RandomState or None
        Of the k-means that turns the partition into labels; the rest draws nothing at random.
    kernel : str, dict or list of dict
        "precomputed": fit takes kernels, as they are (see `prepare_kernels`). Else a kernel family, and fit
        takes a table, whose kernels are prepared.
    n_init : int
        Starts of that k-means.
    allow_equal_sizes : bool
        Accept layers of equal size next to each other.
    allow_indefinite : bool
        Accept kernels with negative eigenvalues, with a warning; their positive part is used.
    n_jobs : int, optional
        Kernels worked on at the same time, in threads. If not given, as many as BLAS has threads; one if a
        kernel is another object than an array, whose product may not bear that.
    progress : bool, optional
        Show a bar on work over two seconds; None shows it on a terminal only.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
    partition_ : ndarray of shape (n, n_clusters)
        Relaxed partition H, with orthonormal columns.
    intermediate_ : list of list of ndarray
        ``intermediate_[t][p]`` is H_p^(t+1), with orthonormal columns: c_(t+1) of them, or as many as the
        kernel and the layers around have directions.
    kernel_weights_ : ndarray of shape (m,)
        beta: not negative, of unit norm.
    layer_weights_ : ndarray of shape (s, m)
        gamma, likewise, one row a layer.
    objective_history_ : ndarray of shape (n_iter_,)
        Eq. 9 after each round; it never falls.
    n_iter_ : int

    Warns
    -----
    UserWarning
        For kernels whose rank is below c_1, and for kernels whose eigenvalues around the c_1-th are equal.
    ConvergenceWarning
        When max_iter rounds were not enough.

    See Also
    --------
    AverageKernelKMeans, MKKM, single_best_kernel_kmeans : simpler ways, often as good.

    Notes
    -----
    Round by round: the partition (Eq. 13), the layers from the kernels up or, in every other round, from the
    partition down (Eqs. 10 to 12), then the weights (Eqs. 14 and 15). The start is the leading eigenvectors
    of each kernel and equal weights. Layer 1 is exact (dense) for up to 600 objects; above, a block Lanczos
    iteration starts from the leading eigenvectors of the kernel, found once, and stops at a residual of 1e-7
    of the eigenvalues' sum; the objective is then right to about 1e-10. The other layers are exact, by a
    thin SVD. Equal eigenvalues are common there: the directions that the kernel itself favours are taken.

    A kernel with too few directions gives fewer columns: filling them up would be arbitrary, and changes
    the clustering with the fill.

    Kernels with a product only are not tested for being positive semidefinite, and only probed for symmetry.

    Examples
    --------
    >>> from dendrolab import HMKC
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> model = HMKC(3, [12, 6], kernel="gaussians", random_state=0).fit(X)
    >>> [H.shape for H in model.intermediate_[0]]
    [(150, 12), (150, 12), (150, 12), (150, 12)]
    """

    def __init__(
        self,
        n_clusters,
        layer_sizes,
        max_iter=100,
        tol=1e-5,
        random_state=None,
        *,
        kernel="precomputed",
        n_init=10,
        allow_equal_sizes=False,
        allow_indefinite=False,
        n_jobs=None,
        progress=None,
    ):
        self.n_clusters = n_clusters
        self.layer_sizes = layer_sizes
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.kernel = kernel
        self.n_init = n_init
        self.allow_equal_sizes = allow_equal_sizes
        self.allow_indefinite = allow_indefinite
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X, y=None):
        """Cluster the objects of several kernels, or of a table.

        Parameters
        ----------
        X : array-like of shape (m, n, n) or (n, d), or list of kernels
            Kernels are n x n arrays or objects with ``shape`` and a product ``@``; none is copied or changed.
        y : ignored

        Returns
        -------
        HMKC
        """
        check_positive_number(self.max_iter, "max_iter")
        check_tolerance(self.tol)
        kernels = self._kernels(X)
        sizes = self._sizes(kernels[0].shape[0])
        with starts_and_workers(kernels, sizes[0], self.n_jobs) as (found, run):
            _warn_about_starts(found, sizes[0])
            chains = [Chain(K, U, KU, sizes) for K, (_, U, KU) in zip(kernels, found, strict=True)]
            optimum = optimise(chains, self.n_clusters, self.max_iter, self.tol, run, self.progress)
        if not optimum.converged:
            warnings.warn(
                f"HMKC did not settle in {self.max_iter} rounds: raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.partition_ = optimum.partition
        self.intermediate_ = [[chain.matrices[t] for chain in chains] for t in range(len(sizes))]
        self.kernel_weights_, self.layer_weights_ = optimum.kernel_weights, optimum.layer_weights
        self.objective_history_, self.n_iter_ = np.array(optimum.history), len(optimum.history)
        self.labels_ = partition_labels(self.partition_, self.n_clusters, self.n_init, self.random_state)
        return self

    def _sizes(self, n):
        return check_layer_sizes(self.layer_sizes, self.n_clusters, n, self.allow_equal_sizes)

    def _check_parameters(self, n):
        super()._check_parameters(n)
        self._sizes(n)
        check_n_jobs(self.n_jobs)


@contextmanager
def starts_and_workers(kernels, count, n_jobs=None):
    """Context that gives `leading_eigenvectors` of the kernels, and workers for the updates."""
    n = kernels[0].shape[0]
    width = count + spare(n, count)
    if n_jobs is None and any(type(K) is ProductKernel for K in kernels):
        n_jobs = 1
    # A whole decomposition holds Python's lock: the kernels take turns, with all threads that BLAS has.
    found = [leading_eigenvectors(K, width) for K in kernels] if is_decomposed(n, width) else None
    with side_by_side(n_jobs) as run:
        yield found or list(run(partial(leading_eigenvectors, count=width), kernels)), run


def _warn_about_starts(found, count):
    """Warn about kernels, by number, whose first layer is short or not unique."""
    short = [f"kernel {p} (rank {U.shape[1]})" for p, (_, U, _) in enumerate(found) if U.shape[1] < count]
    if short:
        warnings.warn(
            f"the first layer has {count} columns, more than the rank of {', '.join(short)}: their matrices "
            "have fewer columns.",
            UserWarning,
            stacklevel=3,
        )
    tied = [
        f"kernel {p}"
        for p, (values, U, _) in enumerate(found)
        if U.shape[1] >= count and is_tied(values, count)
    ]
    if tied:
        warnings.warn(
            f"eigenvalues {count} and {count + 1} of {', '.join(tied)} are equal, so that the first layer is "
            "not unique; runs repeat all the same. Another first layer size avoids it.",
            UserWarning,
            stacklevel=3,
        )
