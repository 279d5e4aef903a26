"""Two layers of dendrogram features, each linkage on each other, as a tidy DataFrame (Tables 3 to 6)."""

from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_random_state
from tqdm import tqdm

from .clusterers import CLUSTERERS
from .embedding import check_n_components
from .features import DendrogramFeatures
from .levels import check_level_name
from .linkage import check_ultrametric_linkage
from .representations import (
    PAPER_LINKAGES,
    Representation,
    cluster_representation,
    linkage_metric,
    score_labels,
)
from .similarities import tree_similarities
from .tree_clusterers import all_or_leading
from .validation import check_data, is_whole_number

ALONE = "-"  # in column `second`: the first layer without another


def stacking_table(
    X,
    y=None,
    n_clusters=None,
    linkages=PAPER_LINKAGES,
    level="level",
    clusterer="kmeans",
    n_components=None,
    n_init=10,
    random_state=None,
    n_jobs=None,
    progress=None,
):
    """Cluster the features of every single layer and of every two layers, and score the clusterings.

    Parameters
    ----------
    X : array-like, DataFrame or sparse matrix of shape (n_objects, n_features)
    y : array-like of shape (n_objects,), optional
        Known classes; objects without one (None, NaN) are left out of the scores.
    n_clusters : int, optional
        The number of classes if not given.
    linkages : sequence of str
        Of the first and of the second layer.
    level : str or callable
        Level function of both layers, as for `level_function`.
    clusterer : {"kmeans", "gmm", "spectral"} or estimator
        What clusters the features of the last layer; "spectral" takes its distances. An estimator with
        `fit_predict` is used as it is, with its own number of clusters.
    n_components : int or float, optional
        Directions that each layer keeps, or the share of the spectrum that they hold. None keeps all for
        up to 2,000 objects and the 50 leading ones for more.
    n_init : int
        Number of starts of k-means and the mixture, the best of which is kept.
    random_state : int, RandomState or None
        Every clustering starts from the same seed; also given to an estimator whose `random_state` is None.
    n_jobs : int, optional
        Clusterings worked on at a time, as in joblib; the table does not depend on it.
    progress : bool, optional
        Show a bar on work over two seconds; None shows it on a terminal only.

    Returns
    -------
    DataFrame
        One row for each pair: first, second ("-" for the first layer alone), clusterer, n_clusters (found),
        silhouette, and, where y is given, the scores of `partition_scores`. The silhouette is taken on X,
        so that clusterings of different features can be compared.

    Notes
    -----
    Where a layer keeps all directions, single, complete or average linkage on top of it finds the same tree
    again: distances of a dendrogram are an ultrametric, on which the three agree. Such pairs differ from the
    layer alone only by rounding, in ties and in repeated eigenvalues, which the clusterer may see.

    Examples
    --------
    >>> from dendrolab.stacking_tables import stacking_table
    >>> X = [[0.0], [0.1], [5.0], [5.1]]
    >>> table = stacking_table(X, [0, 0, 1, 1], linkages=["single", "ward"], random_state=0)
    >>> table[["first", "second", "ami"]].values.tolist()[:3]
    [['single', '-', 1.0], ['single', 'single', 1.0], ['single', 'ward', 1.0]]
    """
    linkages = _check_linkages(linkages)
    check_level_name(level)
    check_n_components(n_components)
    _check_clusterer(clusterer)
    X = check_data(X)
    if n_components is None:
        n_components = all_or_leading(X.shape[0])
    n_clusters = _check_n_clusters(n_clusters, y, X.shape[0])
    if not is_whole_number(random_state):
        random_state = int(check_random_state(random_state).randint(2**31 - 1))
    label = partial(_labels, clusterer=clusterer, n_clusters=n_clusters, n_init=n_init, seed=random_state)
    pool = Parallel(n_jobs=n_jobs, return_as="generator")
    layer = partial(_fit_layer, level=level, n_components=n_components)
    firsts = list(pool(delayed(layer)(X, name) for name in linkages))
    pairs = list(product(firsts, [ALONE, *linkages]))
    found = pool(delayed(_stack)(first, second, layer, label) for first, second in pairs)
    bar = tqdm(found, "stacking", len(pairs), delay=2, disable=None if progress is None else not progress)
    name = clusterer if isinstance(clusterer, str) else type(clusterer).__name__
    base = X.toarray() if sparse.issparse(X) else X
    return pd.DataFrame(
        {
            "first": first.linkage,
            "second": second,
            "clusterer": name,
            **score_labels(base, labels, y, random_state),
        }
        for (first, second), labels in zip(pairs, bar, strict=True)
    )


def _fit_layer(X, linkage, level, n_components):
    return DendrogramFeatures(linkage, level, n_components, linkage_metric(linkage, X.shape[0])).fit(X)


def _stack(first, second, layer, label):
    return label(first if second == ALONE else layer(first.embedding_, second))


def _labels(layer, clusterer, n_clusters, n_init, seed):
    """Labels of a fitted layer's objects."""
    if isinstance(clusterer, str):
        similarities = partial(tree_similarities, layer.dendrogram_, layer.level)
        representation = Representation(layer.embedding_, similarities, layer.dendrogram_)
        return cluster_representation(representation, clusterer, n_clusters, n_init, seed)
    clusterer = clone(clusterer)
    if clusterer.get_params().get("random_state", 0) is None:
        clusterer.set_params(random_state=seed)
    return clusterer.fit_predict(layer.embedding_)


def _check_linkages(linkages):
    names = [linkages] if isinstance(linkages, str) else list(linkages)
    if not names or len(set(names)) < len(names):
        raise ValueError(f"linkages is {linkages!r}: give at least one linkage, each once.")
    for name in names:
        check_ultrametric_linkage(name)
    return names


def _check_clusterer(clusterer):
    named = isinstance(clusterer, str) and clusterer in CLUSTERERS
    if not (named or (hasattr(clusterer, "fit_predict") and not isinstance(clusterer, type))):
        raise ValueError(
            f"clusterer is {clusterer!r}: choose from {', '.join(CLUSTERERS)}, or give an estimator that has "
            "fit_predict."
        )


def _check_n_clusters(n_clusters, y, n_objects):
    if y is None and n_clusters is None:
        raise ValueError("there are no classes y to count: give n_clusters.")
    if y is not None and np.shape(y) != (n_objects,):
        raise ValueError(f"y has shape {np.shape(y)} for {n_objects} objects: give one class an object.")
    n_clusters = pd.Series(y).nunique() if n_clusters is None else n_clusters
    if not (is_whole_number(n_clusters) and 1 <= n_clusters <= n_objects):
        raise ValueError(f"n_clusters is {n_clusters!r}: choose a whole number from 1 to {n_objects}.")
    return n_clusters
