"""Consensus of several clusterings of the same objects."""

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state

from .correlation import check_search, keep_best
from .labelings import group_labelings, positive_votes
from .local_search import local_search, random_starts
from .vote_graph import VoteGraph


class ConsensusClustering(ClusterMixin, BaseEstimator):
    """The clustering that agrees best with several given ones (Section 3.1).

    Parameters
    ----------
    n_clusters : int, optional
        The most clusters; None lets the cost choose their number, which may be larger than in any member.
    n_init : int
        Number of random starts, beside one from each given clustering.
    random_state : int, RandomState or None
    max_iter : int
        Most sweeps over the objects; a start that needs more gives a warning.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Clusters 0, 1, ... in order of first appearance.
    cost_ : float
        Their `correlation_cost` on the `coclustering_matrix` of the members.
    n_clusters_ : int
    n_sweeps_ : int
        Sweeps of the start that was kept, the last of them without a move.
    member_costs_ : ndarray of shape (M,)
        Cost of each given clustering; NaN for one with gaps or more than `n_clusters` clusters.
    costs_ : ndarray of shape (M + n_init,)
        Cost of each start's optimum, those of the members first.
    cost_history_ : ndarray of shape (M + n_init, n_sweeps + 1)
        Cost of each start before the first sweep and after each.

    See Also
    --------
    CorrelationClustering : the same for any signed graph.

    Notes
    -----
    Minimises Eq. 9 on S^e without S^e: the sum of S^e from object i to cluster q is, over the members m, the
    sum of 2 count_m(label_m(i), q) - |O_q|, so counts of labels are enough. Objects with the same labels in
    all members stay together and count as one; with few members a million objects are some thousand groups.
    Moves of several groups are made at once where that lowers the cost, else one by one; at the end no
    single move lowers it. No member that keeps to `n_clusters` is better than the result.

    Examples
    --------
    >>> from dendrolab import ConsensusClustering
    >>> members = [[0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [1, 1, 1, 0, 0]]
    >>> model = ConsensusClustering(random_state=0).fit(members)
    >>> model.labels_, model.cost_, model.member_costs_
    (array([0, 0, 0, 1, 1]), 0.0, array([0., 4., 0.]))
    """

    def __init__(self, n_clusters=None, n_init=100, random_state=None, max_iter=1000):
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.random_state = random_state
        self.max_iter = max_iter

    def fit(self, labelings, y=None, weights=None):
        """Find the consensus.

        Parameters
        ----------
        labelings : array-like of shape (M, n_objects)
            One row a clustering: whole numbers, -1 or NaN for an object that it has not seen.
        y : ignored
        weights : array-like of shape (M,), optional
            How much each clustering counts; 1 if not given.

        Returns
        -------
        ConsensusClustering
        """
        members = group_labelings(labelings, weights)
        check_search(self.n_clusters, self.n_init, self.max_iter, members.groups.size)
        rng = check_random_state(self.random_state)
        n_groups = members.sizes.size
        order = rng.permutation(n_groups)
        starts = np.concatenate(
            [
                _member_starts(members, self.n_clusters),
                random_starts(n_groups, self.n_clusters, self.n_init, rng),
            ]
        )
        found = local_search(VoteGraph(members), starts, self.n_clusters, order, self.max_iter)
        keep_best(self, found, positive_votes(members), members.groups)
        self.cost_ = float(self.costs_[found.best])
        same = (starts[: len(members.codes)] == members.codes).all(axis=1)
        self.member_costs_ = np.where(same, self.cost_history_[: len(same), 0], np.nan)
        return self


def _member_starts(members, n_clusters):
    """Each member as a start: gaps and clusters beyond `n_clusters` join others, which the search mends."""
    starts = np.maximum(members.codes, 0)
    return starts if n_clusters is None else starts % n_clusters
