"""Representations of a table, raw and by dendrograms, and their clusterings side by side."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.metrics import silhouette_score
from tqdm import tqdm

from .clusterers import CLUSTERERS, gmm_labels, kmeans_labels, spectral_labels
from .dendrogram import Dendrogram
from .embedding import embed_dendrogram
from .linkage import LEAN_FROM, check_ultrametric_linkage
from .metrics import partition_scores
from .similarities import point_similarities, tree_similarities
from .tree_clusterers import all_or_leading, spanned
from .validation import check_data, is_whole_number

PAPER_LINKAGES = ("single", "complete", "average", "ward")
_SILHOUETTE_SAMPLE = 5000
_DENSE_UP_TO = 5e6  # entries of sparse data that may be made dense for its principal components


@dataclass(frozen=True)
class Representation:
    """One way to describe the objects.

    Attributes
    ----------
    features : ndarray or sparse matrix of shape (n_objects, n_features)
    similarities : callable
        Returns similarities S = max(D) - D, an n x n matrix or, for many objects, an operator.
    dendrogram : Dendrogram or None
    """

    features: np.ndarray
    similarities: Callable[[], object]
    dendrogram: Dendrogram | None = None


@dataclass(frozen=True)
class Comparison:
    """Clusterings of several representations, side by side.

    Attributes
    ----------
    scores : DataFrame
        One row for each representation and clusterer.
    labels : DataFrame
        One row for each object, one column for each clustering, named ``"representation clusterer"``.
    """

    scores: pd.DataFrame
    labels: pd.DataFrame


def represent(X, n_clusters, linkages=PAPER_LINKAGES, level="level", random_state=None):
    """The data itself, PCA, LSA and the features of each dendrogram (rows of Tables 1 and 2).

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
    n_clusters : int
        PCA and LSA keep this many directions, or all where there are fewer.
    linkages : sequence of str
    level : str or callable
    random_state : int, RandomState or None

    Returns
    -------
    dict of str to Representation

    Notes
    -----
    Dendrogram features have all their directions for up to 2,000 objects, the 50 leading ones for more.

    Examples
    --------
    >>> from dendrolab.representations import represent
    >>> list(represent([[0.0, 1.0], [1.0, 1.0], [5.0, 1.0]], 2, ["ward"]))
    ['raw', 'pca', 'lsa', 'ward']
    """
    trees = represent_trees(X, linkages, level)
    return represent_plain(X, n_clusters, random_state) | trees


def represent_plain(X, n_components, random_state=None):
    """The data itself, its principal components and its truncated singular vectors.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_objects, n_features)
        Sparse rows stay sparse in the first.
    n_components : int
        Directions of the latter two, or all where there are fewer.
    random_state : int, RandomState or None

    Returns
    -------
    dict of str to Representation
    """
    X = check_data(X)
    n_components = min(n_components, *X.shape)
    # Lanczos, which sparse data is given to, finds neither all components nor any of equal rows.
    few = sparse.issparse(X) and (n_components == min(X.shape) or np.prod(X.shape) <= _DENSE_UP_TO)
    pca = PCA(n_components, random_state=random_state).fit_transform(X.toarray() if few else X)
    plain = {"raw": X, "pca": pca, "lsa": X}
    if X.shape[1] > 1:
        plain["lsa"] = TruncatedSVD(n_components, random_state=random_state).fit_transform(X)
    return {name: Representation(Y, partial(point_similarities, Y)) for name, Y in plain.items()}


def represent_trees(X, linkages=PAPER_LINKAGES, level="level"):
    """The features of each dendrogram.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
    linkages : sequence of str
    level : str or callable

    Returns
    -------
    dict of str to Representation
    """
    for linkage in linkages:
        check_ultrametric_linkage(linkage)
    X = check_data(X)
    return {linkage: _represent_tree(X, linkage, level) for linkage in linkages}


def _represent_tree(X, linkage, level):
    tree = Dendrogram.from_data(X, linkage, linkage_metric(linkage, X.shape[0]))
    features = embed_dendrogram(tree, level, all_or_leading(tree.n_objects)).coordinates
    return Representation(features, partial(tree_similarities, tree, level), tree)


def linkage_metric(linkage, n):
    """Metric that the comparison takes: squared for average linkage of many objects, which is lean then."""
    return "sqeuclidean" if linkage == "average" and n > LEAN_FROM else "euclidean"


def affordable_linkages(linkages, n):
    """Those of the linkages whose trees can be had without all distances, where these are too many.

    Parameters
    ----------
    linkages : sequence of str
    n : int
        Number of objects.

    Returns
    -------
    list of str
    list of str
        What to say of those changed or left out, in sentences.

    Examples
    --------
    >>> from dendrolab.representations import affordable_linkages
    >>> affordable_linkages(["ward", "complete"], 50_000)[0]
    ['ward']
    """
    if n <= LEAN_FROM:
        return list(linkages), []
    kept = [name for name in linkages if name in ("single", "average", "ward")]
    if not kept:
        raise ValueError(
            f"{n:,} objects have too many distances for {', '.join(linkages)} linkage: add single, "
            "average or ward."
        )
    notes = [
        f"{name} linkage is left out: {n:,} objects have too many distances."
        for name in linkages
        if name not in kept
    ]
    if "average" in kept:
        notes.append(f"Average linkage takes squared distances, as {n:,} objects have too many to hold.")
    return kept, notes


def compare_representations(
    representations, n_clusters, y=None, clusterers=CLUSTERERS, n_init=10, random_state=None, progress=None
):
    """Cluster each representation with each clusterer, and score the clusterings.

    Parameters
    ----------
    representations : dict of str to Representation
        As `represent` gives them; the first is the yardstick of the silhouette.
    n_clusters : int
    y : array-like of shape (n_objects,), optional
        Known classes; objects without one (None, NaN) are left out of the scores.
    clusterers : sequence of {"kmeans", "gmm", "spectral"}
    n_init : int
        Number of starts of each clusterer, the best of which is kept.
    random_state : int, RandomState or None
    progress : bool, optional
        Show a bar on work over two seconds; None shows it on a terminal only.

    Returns
    -------
    Comparison
        ``scores`` has the columns representation, clusterer, n_clusters (found), smallest (cluster's size),
        silhouette, and, where y is given, those of `partition_scores`. The silhouette is taken on the first
        representation, so that clusterings of different features can be compared; NaN for a single cluster.

    Examples
    --------
    >>> from dendrolab.representations import compare_representations, represent
    >>> X = [[0.0], [1.0], [9.0], [10.0]]
    >>> comparison = compare_representations(represent(X, 2, ["ward"]), 2, random_state=0)
    >>> comparison.labels["ward kmeans"].nunique()
    2
    """
    unknown = sorted(set(clusterers) - set(CLUSTERERS))
    if unknown:
        raise ValueError(f"clusterers has {unknown[0]!r}: choose from {', '.join(CLUSTERERS)}.")
    base = next(iter(representations.values())).features
    if not (is_whole_number(n_clusters) and 1 <= n_clusters <= base.shape[0]):
        raise ValueError(f"n_clusters is {n_clusters}: choose a whole number from 1 to {base.shape[0]}.")
    cells = [(name, clusterer) for name in representations for clusterer in clusterers]
    bar = tqdm(cells, desc="clustering", delay=2, disable=None if progress is None else not progress)
    rows, labels = [], {}
    for name, clusterer in bar:
        found = cluster_representation(representations[name], clusterer, n_clusters, n_init, random_state)
        labels[f"{name} {clusterer}"] = found
        rows.append(
            {"representation": name, "clusterer": clusterer, **score_labels(base, found, y, random_state)}
        )
    return Comparison(pd.DataFrame(rows), pd.DataFrame(labels))


def cluster_representation(representation, clusterer, n_clusters, n_init, random_state):
    """Labels of one clusterer on one representation."""
    features = representation.features
    if n_clusters in (1, features.shape[0]):  # nothing to choose
        return np.arange(features.shape[0]) % n_clusters
    if clusterer == "spectral":
        return spectral_labels(representation.similarities(), n_clusters, random_state)
    if clusterer == "gmm" and representation.dendrogram is not None:
        features = spanned(features, n_clusters)
    labels_of = kmeans_labels if clusterer == "kmeans" else gmm_labels
    return labels_of(features, n_clusters, n_init, random_state)


def score_labels(base, labels, y, random_state):
    """Number and least size of the clusters, their silhouette on `base`, and their agreement with y."""
    found = len(np.unique(labels))
    silhouette = np.nan
    if 1 < found < len(labels):
        sample = min(len(labels), _SILHOUETTE_SAMPLE)
        silhouette = silhouette_score(base, labels, sample_size=sample, random_state=random_state)
    smallest = int(np.unique(labels, return_counts=True)[1].min())
    scores = {"n_clusters": found, "smallest": smallest, "silhouette": float(silhouette)}
    if y is None:
        return scores
    known = pd.notna(y)
    return scores | partition_scores(np.asarray(y)[known], labels[known])
