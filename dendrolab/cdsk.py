"""CDSK: clustering by a similarity that is learnt to separate the clusters."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from .cdsk_classifier import classify
from .cdsk_lam import choose_lam
from .cdsk_parameters import check_parameters
from .cdsk_similarity import make_pairs, penalty_kernel, set_self_similarity
from .cdsk_solvers import solve_alternating, solve_discrete, solve_reduced
from .cdsk_start import sparse_start
from .gaussian_similarity import (
    gaussian_similarity,
    log_similarity,
    neighbor_similarity,
)
from .laplacian import check_similarity, cluster_rows, warn_cut_off
from .threads import one_blas_thread
from .validation import check_finite, refuse_text


class CDSK(ClusterMixin, BaseEstimator):
    """Clustering by Discriminative Similarity via unsupervised Kernel classification.

    Parameters
    ----------
    n_clusters : int
    lam : float or "auto"
        Weight of the classifier's norm. "auto" takes the value of 0.05, 0.10, ..., 0.50 that gives the least
        mean entropy of softmax(Y_i) on a random 10% of the objects; on all of them, with a warning, where
        10% are fewer than five a cluster.
    bandwidth : {"variance", "std", "median"} or float
        Bandwidth tau of the Gaussian kernel, a number or a statistic of the pairwise Euclidean distances.
    solver : {"reduced", "smo", "discrete"}
        How alpha is found: on the objective with Y solved for; by the paper's quadratic programme with the
        relaxed Y fixed; or by that with the labels' binary Y. The last two concentrate alpha on few objects.
    init : {"uniform", "sparse"}
        Start of alpha.
    max_iter : int
        Most rounds. The reduced solver walks a path of this many short steps.
    random_state : int, RandomState or None
        Seed of k-means and of the sample for ``lam="auto"``.
    metric : {"euclidean", "precomputed"}
        With "precomputed", X is a symmetric similarity matrix, not negative, dense or sparse.
    similarity : {"kernel", "general", "density"}
        Where the similarity comes from: a positive semidefinite kernel; any symmetric similarity; or the
        classifier of kernel density estimates.
    self_similarity : {"nearest", "kernel"}
        Diagonal of the similarity in D: that of the most similar other object, or the kernel's own.
    n_neighbors : int, optional
        Keep the kernel only between nearest neighbours, as a sparse matrix, for larger data.
    n_init : int
        Starts of k-means.
    tol : float
        Relative change of the objective that ends the rounds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
    weights_ : ndarray of shape (n_objects,)
        alpha, on the simplex.
    similarity_ : ndarray or csr_array of shape (n_objects, n_objects)
    embedding_ : ndarray of shape (n_objects, n_clusters)
        Y, with Y' D Y = I for the row sums D of `similarity_`.
    eigenvalues_ : ndarray of shape (n_clusters,)
    objective_history_ : ndarray
        At the start; then after each round for "reduced", which never rises, after each half-step for the
        others: the alpha-step never raises it while no S_ij is cut at 0, the Y-step may, as alpha moves D.
    n_iter_ : int
    lam_ : float
    lam_entropies_ : ndarray of shape (10,) or None
        Mean entropy for each value that "auto" tried.
    bandwidth_ : float or None
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where X has column names.

    Warns
    -----
    ConvergenceWarning
        When "smo" or "discrete" has not settled after `max_iter` rounds.
    UserWarning
        When objects are cut off from all others; when "auto" uses all objects.

    Notes
    -----
    Minimises 1/2 Tr(Y' L Y) + n lam alpha' P alpha over alpha on the simplex and Y' D Y = I, with L = D - S
    and S_ij = 2 (alpha_i + alpha_j) K_ij - 2 n lam alpha_i alpha_j P_ij, cut at 0: a relaxed bound on the
    error of the classifier h(x, y) = sum over j in cluster y of alpha_j K(x, x_j). Labels are k-means on the
    rows of Y, scaled to unit length. The bound is a sum over pairs of different objects, so that it leaves
    the diagonal of S open.

    The bandwidth rule "variance" depends on the unit of the data: standardise columns of different units.

    Examples
    --------
    >>> from dendrolab.cdsk import CDSK
    >>> X = [[0.0], [0.2], [0.4], [5.0], [5.2], [5.4]]
    >>> labels = CDSK(2, lam=0.1, bandwidth=1.0, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[1] == labels[2] != labels[3])
    True
    """

    def __init__(
        self,
        n_clusters,
        lam="auto",
        bandwidth="variance",
        solver="reduced",
        init="uniform",
        max_iter=20,
        random_state=None,
        *,
        metric="euclidean",
        similarity="kernel",
        self_similarity="nearest",
        n_neighbors=None,
        n_init=10,
        tol=1e-6,
    ):
        self.n_clusters = n_clusters
        self.lam = lam
        self.bandwidth = bandwidth
        self.solver = solver
        self.init = init
        self.max_iter = max_iter
        self.random_state = random_state
        self.metric = metric
        self.similarity = similarity
        self.self_similarity = self_similarity
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.tol = tol

    def fit(self, X, y=None):
        """Learn the similarity and the clusters of X.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_objects, n_features)
            Or, with ``metric="precomputed"``, a similarity matrix (n_objects, n_objects).
        y : ignored

        Returns
        -------
        CDSK
        """
        check_parameters(self)
        X = self._validated(X, reset=True)
        if self.n_clusters > X.shape[0]:
            raise ValueError(f"n_clusters is {self.n_clusters}, and X has {X.shape[0]} samples: take fewer.")
        random = check_random_state(self.random_state)
        K, self.bandwidth_ = self._kernel(X, random)
        self.lam_, self.lam_entropies_ = self.lam, None
        with one_blas_thread():  # ARPACK uses SciPy's BLAS, the products with the kernel NumPy's
            if isinstance(self.lam, str):
                self.lam_, self.lam_entropies_ = choose_lam(self._with_bandwidth(), X, random)
            seed = random.randint(2**31 - 1)
            solution = self._solve(X, K, seed)
        self.labels_ = cluster_rows(solution.embedding.vectors, self.n_clusters, self.n_init, seed)
        warn_cut_off(solution.embedding.vectors)
        self.weights_, self.similarity_ = solution.weights, solution.similarity
        self.embedding_ = solution.embedding.coordinates
        self.eigenvalues_ = solution.embedding.eigenvalues
        self.objective_history_, self.n_iter_ = solution.history, solution.n_iter
        self._X_fit = None if self._precomputed else X
        return self

    def predict(self, X):
        """Clusters of new objects by the classifier h(x, y) = sum over j in cluster y of alpha_j K(x, x_j).

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            With ``metric="precomputed"``, similarities to the training objects (n_rows, n_objects).

        Returns
        -------
        ndarray of shape (n_rows,)
            Training objects may get another cluster than in `labels_`, which come from the eigenvectors.
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        with np.errstate(divide="ignore"):
            log_weights = np.log(self.weights_)
            if self._precomputed:
                terms = np.log(X.toarray() if sparse.issparse(X) else X)
            else:  # logarithms, so that far rows have a nearest cluster too
                terms = log_similarity(X, self._X_fit, self.bandwidth_)
        return classify(terms + log_weights, self.labels_, self.n_clusters)

    @property
    def _precomputed(self):
        return self.metric == "precomputed"

    def _with_bandwidth(self):
        """This model with the bandwidth of all data, for its runs on a sample."""
        tau = self.bandwidth if self._precomputed else self.bandwidth_
        return CDSK(**{**self.get_params(), "bandwidth": tau})

    def _kernel(self, X, random):
        if self._precomputed:
            return X, None
        if self.n_neighbors is None:
            return gaussian_similarity(X, self.bandwidth)
        return neighbor_similarity(X, self.n_neighbors, self.bandwidth, random)

    def _solve(self, X, K, seed):
        P = penalty_kernel(K, self.similarity)
        compared = set_self_similarity(K) if self.self_similarity == "nearest" else K
        pairs = make_pairs(compared, P, X.shape[0] * self.lam_)
        problem = pairs, self._start(X), self.n_clusters, self.max_iter, self.tol
        if self.solver == "reduced":
            return solve_reduced(*problem)
        solution = (
            solve_discrete(*problem, seed) if self.solver == "discrete" else solve_alternating(*problem)
        )
        if not solution.converged:
            warnings.warn(
                f"the objective still changes after max_iter={self.max_iter} rounds: raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return solution

    def _start(self, X):
        n = X.shape[0]
        if self.init == "uniform":
            return np.full(n, 1 / n)
        if self._precomputed:
            X = X.toarray() if sparse.issparse(X) else X
            return sparse_start(lambda i: X[i].copy(), np.diagonal(X), X.sum(axis=1))
        return sparse_start(lambda i: X @ X[i], np.square(X).sum(axis=1), X @ X.sum(axis=0))

    def _validated(self, X, reset):
        refuse_text(X)
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr" if self._precomputed else False,
            dtype=np.float64,
            ensure_all_finite=False,
        )
        check_finite(X)
        if self._precomputed and reset:
            return check_similarity(X)
        if self._precomputed and X.min() < 0:
            raise ValueError(f"X has {X.min():.6g}: similarities to the training objects are 0 or above.")
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.pairwise = self._precomputed
        return tags
