"""Correlation clustering: the cost of a clustering of a signed graph, and a local search for a low one."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state

from .local_search import local_search, random_starts
from .signed_graph import SignedGraph, check_signed_matrix, inside_sums, positive_sum
from .validation import is_whole_number


def correlation_cost(labels, S):
    """Cost of a clustering of a signed graph (Eq. 9), each pair counted once.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Clusters; their names do not matter.
    S : array-like or sparse matrix of shape (n, n)
        Symmetric weights of pairs: positive for pairs that belong together, negative for pairs that do not,
        0 without an opinion. The diagonal does not matter.

    Returns
    -------
    float
        Sum of |S| over negative pairs in one cluster and positive pairs in two.

    Raises
    ------
    ValueError
        For S that is not square, symmetric and finite, or another number of labels.

    Notes
    -----
    The paper's sums over ordered pairs would count pairs inside clusters twice and pairs across once; with
    each pair once, Eq. 11 holds: moving one object changes the cost by the change of its `object_cost`.

    Examples
    --------
    >>> from dendrolab import correlation_cost
    >>> S = [[0, 1, -1], [1, 0, -1], [-1, -1, 0]]
    >>> correlation_cost([0, 0, 1], S), correlation_cost([0, 0, 0], S)
    (0.0, 2.0)
    """
    S = check_signed_matrix(S)
    return positive_sum(S) - inside_sums(S, check_cluster_labels(labels, S.shape[0]))


def object_cost(labels, S, i):
    """Part of the cost that object i takes part in (Eq. 10).

    Parameters
    ----------
    labels : array-like of shape (n,)
    S : array-like or sparse matrix of shape (n, n)
        As for `correlation_cost`.
    i : int
        The object.

    Returns
    -------
    float
        R_i: with it, a move of i costs R' = R - R_i + R_i' (Eq. 11).

    Examples
    --------
    >>> from dendrolab.correlation import object_cost
    >>> object_cost([0, 0, 0], [[0, 1, -1], [1, 0, -1], [-1, -1, 0]], 2)
    2.0
    """
    S = check_signed_matrix(S)
    labels = check_cluster_labels(labels, S.shape[0])
    if not (is_whole_number(i) and 0 <= i < labels.size):
        raise ValueError(f"there is no object {i!r}: they are numbered 0 to {labels.size - 1}.")
    row = S[[i]].toarray()[0] if sparse.issparse(S) else S[i]
    return float(np.where(labels == labels[i], np.maximum(-row, 0), np.maximum(row, 0)).sum())


def check_cluster_labels(labels, n):
    """Return one code an object for cluster names of any kind."""
    labels = np.asarray(labels)
    if labels.shape != (n,):
        raise ValueError(f"labels has shape {labels.shape}, S is {n} x {n}: give one label for each object.")
    if any(label != label or label is None for label in labels.tolist()):
        raise ValueError("labels has missing entries: the cost needs a cluster for every object.")
    return np.unique(labels, return_inverse=True)[1]


def check_n_clusters(n_clusters, n_objects):
    """Refuse what is neither None nor a number of clusters that the objects can have."""
    if n_clusters is not None and not (is_whole_number(n_clusters) and 1 <= n_clusters <= n_objects):
        raise ValueError(
            f"n_clusters is {n_clusters!r}: choose a whole number from 1 to {n_objects}, or None to let the "
            "cost choose."
        )


def check_search(n_clusters, n_init, max_iter, n_objects):
    """Refuse settings of the search that make no sense."""
    check_n_clusters(n_clusters, n_objects)
    for name, value in (("n_init", n_init), ("max_iter", max_iter)):
        if not (is_whole_number(value) and value >= 1):
            raise ValueError(f"{name} is {value!r}: choose a whole number from 1.")


def in_order_of_appearance(labels):
    """Return labels renamed to 0, 1, ... as they first appear."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]


class CorrelationClustering(ClusterMixin, BaseEstimator):
    """Correlation clustering of a signed graph by local search (Section 3.1).

    Parameters
    ----------
    n_clusters : int, optional
        The most clusters; None lets the cost choose their number.
    n_init : int
        Number of random starts; each is improved to a local optimum and the best is kept.
    random_state : int, RandomState or None
    max_iter : int
        Most sweeps over the objects; a start that needs more gives a warning.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Clusters 0, 1, ... in order of first appearance.
    cost_ : float
        Their `correlation_cost`.
    n_clusters_ : int
    n_sweeps_ : int
        Sweeps of the start that was kept, the last of them without a move.
    costs_ : ndarray of shape (n_init,)
        Cost of each start's optimum.
    cost_history_ : ndarray of shape (n_init, n_sweeps + 1)
        Cost of each start before the first sweep and after each.

    See Also
    --------
    ConsensusClustering : the same for the graph of an ensemble, which is then never formed.

    Notes
    -----
    A sweep moves each object in turn to the cluster that lowers the cost most (Eq. 11), which may be an empty
    one. At the end no single move lowers the cost. Equal costs go to the earlier start, equal moves to the
    lower cluster.

    Examples
    --------
    >>> from dendrolab import CorrelationClustering
    >>> model = CorrelationClustering(random_state=0).fit([[0, 1, -1], [1, 0, -1], [-1, -1, 0]])
    >>> model.labels_, model.cost_
    (array([0, 0, 1]), 0.0)
    """

    def __init__(self, n_clusters=None, n_init=100, random_state=None, max_iter=1000):
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.random_state = random_state
        self.max_iter = max_iter

    def fit(self, S, y=None):
        """Cluster a signed graph.

        Parameters
        ----------
        S : array-like or sparse matrix of shape (n_objects, n_objects)
            Symmetric weights of pairs, as for `correlation_cost`.
        y : ignored

        Returns
        -------
        CorrelationClustering
        """
        S = check_signed_matrix(S)
        n = self.n_features_in_ = S.shape[0]
        check_search(self.n_clusters, self.n_init, self.max_iter, n)
        rng = check_random_state(self.random_state)
        order = rng.permutation(n)
        starts = random_starts(n, self.n_clusters, self.n_init, rng)
        found = local_search(SignedGraph(S), starts, self.n_clusters, order, self.max_iter)
        keep_best(self, found, positive_sum(S))
        self.cost_ = positive_sum(S) - inside_sums(S, self.labels_)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        tags.input_tags.sparse = True
        return tags


def keep_best(model, found, positive, groups=slice(None)):
    """Set a model's attributes from the local optima that a search found."""
    model.labels_ = in_order_of_appearance(found.labels[found.best][groups])
    model.n_clusters_ = int(model.labels_.max()) + 1
    model.n_sweeps_ = int(found.n_sweeps[found.best])
    model.cost_history_ = positive - found.inside
    model.costs_ = model.cost_history_[:, -1]
