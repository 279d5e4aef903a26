"""One clustering from the dendrograms of several linkages, for when no single one can be trusted."""

import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from .clusterers import CLUSTERERS
from .consensus import ConsensusClustering
from .correlation import check_search
from .dendrogram import Dendrogram
from .labelings import check_labelings, check_weights
from .levels import check_level_name
from .linkage import check_linkage_metric, check_ultrametric_linkage
from .tree_clusterers import cluster_dendrogram
from .validation import check_finite, check_square_distances, refuse_text


class DendrogramEnsemble(ClusterMixin, BaseEstimator):
    """Clusterings of several dendrograms' features, and their consensus (Section 3.1).

    Parameters
    ----------
    n_clusters : int or None
        Clusters of each member, and the most of the consensus; None, with an estimator as clusterer, lets the
        cost choose those of the consensus.
    linkages : sequence of str
        One dendrogram each.
    clusterer : {"kmeans", "gmm", "spectral"} or estimator
        What clusters the features of a dendrogram; "spectral" takes its distances. An estimator with
        `fit_predict` is used as it is, with its own number of clusters.
    level : str or callable
        Level function, as for `level_function`.
    n_init : int
        Number of starts of each clusterer, and of the consensus. The best is kept.
    random_state : int, RandomState or None
    metric : str or callable
        A metric of `scipy.spatial.distance.pdist`, or "precomputed": then X holds distances.
    weights : array-like of shape (n_linkages,), optional
        How much each dendrogram counts; 1 if not given.
    n_jobs : int, optional
        Members worked on at a time, as in joblib.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The consensus.
    cost_ : float
        Its correlation-clustering cost (Eq. 9).
    members_ : dict of str to ndarray
        Labels of each linkage that has its say.
    member_costs_ : dict of str to float
        Cost of each of them; not lower than `cost_`, NaN where it has more than `n_clusters` clusters.
    dendrograms_ : dict of str to Dendrogram
    problems_ : dict of str to str
        What is wrong with a member: it has fewer clusters than asked, or was left out and why.
    consensus_ : ConsensusClustering
    n_features_in_ : int

    Warns
    -----
    UserWarning
        For each entry of `problems_`.

    Notes
    -----
    `cluster_dendrogram` says what the clusterers are given. K-means keeps the lowest inertia, the mixture
    the highest likelihood.

    A member with one cluster says nothing and is left out, unless all members have one.

    Examples
    --------
    >>> from dendrolab import DendrogramEnsemble
    >>> X = [[0.0], [0.1], [0.3], [5.0], [5.2], [5.3]]
    >>> DendrogramEnsemble(2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    def __init__(
        self,
        n_clusters,
        linkages=("single", "complete", "average", "ward"),
        clusterer="kmeans",
        level="level",
        n_init=100,
        random_state=None,
        metric="euclidean",
        weights=None,
        n_jobs=None,
    ):
        self.n_clusters = n_clusters
        self.linkages = linkages
        self.clusterer = clusterer
        self.level = level
        self.n_init = n_init
        self.random_state = random_state
        self.metric = metric
        self.weights = weights
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Build the dendrograms of X, cluster each and find the consensus.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_objects, n_features)
        y : ignored

        Returns
        -------
        DendrogramEnsemble
        """
        linkages = self._check_parameters()
        X = self._validated(X)
        check_search(self.n_clusters, self.n_init, 1, X.shape[0])
        rng = check_random_state(self.random_state)
        seeds = rng.randint(2**31 - 1, size=len(linkages) + 1).tolist()
        trees = [Dendrogram.from_data(X, linkage, self.metric) for linkage in linkages]
        self.dendrograms_ = dict(zip(linkages, trees, strict=True))
        settings = (self.level, self.clusterer, self.n_clusters, self.n_init)
        found = Parallel(n_jobs=self.n_jobs)(
            delayed(_labels_or_fault)(tree, *settings, seed) for tree, seed in zip(trees, seeds, strict=False)
        )
        self._choose_members(dict(zip(linkages, found, strict=True)))
        weights = dict(zip(linkages, check_weights(self.weights, len(linkages)), strict=True))
        self.consensus_ = ConsensusClustering(self.n_clusters, self.n_init, seeds[-1]).fit(
            list(self.members_.values()), weights=[weights[name] for name in self.members_]
        )
        self.labels_, self.cost_ = self.consensus_.labels_, self.consensus_.cost_
        self.member_costs_ = dict(zip(self.members_, self.consensus_.member_costs_.tolist(), strict=True))
        return self

    def _check_parameters(self):
        linkages = [self.linkages] if isinstance(self.linkages, str) else list(self.linkages or ())
        if not linkages or len(set(linkages)) < len(linkages):
            raise ValueError(f"linkages is {self.linkages!r}: give at least one linkage, each once.")
        for linkage in linkages:
            check_ultrametric_linkage(linkage)
            if not self._precomputed:
                check_linkage_metric(linkage, self.metric)
        check_level_name(self.level)
        check_weights(self.weights, len(linkages))
        named = isinstance(self.clusterer, str) and self.clusterer in CLUSTERERS
        if not named and (isinstance(self.clusterer, type) or not hasattr(self.clusterer, "fit_predict")):
            raise ValueError(
                f"clusterer is {self.clusterer!r}: choose from {', '.join(CLUSTERERS)}, or give an estimator "
                "that has fit_predict."
            )
        if named and self.n_clusters is None:
            raise ValueError(f"n_clusters is None: {self.clusterer!r} needs a number.")
        return linkages

    @property
    def _precomputed(self):
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _validated(self, X):
        if np.ma.isMaskedArray(X):
            refuse_text(X)
        accepted = False if self._precomputed else "csr"
        X = validate_data(self, X, accept_sparse=accepted, dtype=np.float64, ensure_all_finite=False)
        check_finite(X)
        return check_square_distances(X, "X") if self._precomputed else X

    def _choose_members(self, found):
        """Sort labels into those that have their say and those that are left out, and say what is wrong."""
        faults = {name: labels for name, labels in found.items() if isinstance(labels, str)}
        counts = {name: len(np.unique(found[name])) for name in found if name not in faults}
        if not counts:
            raise ValueError(f"no member is left: {_listed(faults)}.")
        if max(counts.values()) > 1:
            faults |= {name: "left out: it has one cluster" for name, count in counts.items() if count == 1}
        self.members_ = {name: labels for name, labels in found.items() if name not in faults}
        if isinstance(self.clusterer, str):
            faults |= {
                name: f"it has {counts[name]} clusters instead of {self.n_clusters}"
                for name in self.members_
                if counts[name] < self.n_clusters
            }
        self.problems_ = faults
        if faults:
            warnings.warn(f"members of the ensemble: {_listed(faults)}.", UserWarning, stacklevel=3)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._precomputed
        tags.input_tags.pairwise = self._precomputed
        return tags


def _listed(faults):
    return "; ".join(f"{name}: {fault}" for name, fault in faults.items())


def _labels_or_fault(tree, level, clusterer, n_clusters, n_init, seed):
    """Labels of a dendrogram's objects, or what went wrong."""
    try:
        labels = cluster_dendrogram(tree, level, clusterer, n_clusters, n_init, seed)
        if len(labels) != tree.n_objects:
            raise ValueError(f"it gave {len(labels)} labels for {tree.n_objects} objects")
        return check_labelings([labels])[0]
    except Exception as error:  # whatever a clusterer raises: the other members may do without this one
        return f"left out: {type(error).__name__}: {error}"
