"""The ensemble of the linkages as further rows of a comparison of clusterings."""

import numpy as np
import pandas as pd

from .consensus import ConsensusClustering
from .representations import Comparison, score_labels


def add_ensembles(comparison, linkages, base, n_clusters, y=None, n_init=100, random_state=None):
    """Beside each representation's clusterings, the consensus of the linkages' by the same clusterer.

    Parameters
    ----------
    comparison : Comparison
        As `compare_representations` gives it.
    linkages : sequence of str
        The representations that have their say.
    base : array-like or sparse matrix of shape (n_objects, n_features)
        On which silhouettes are taken.
    n_clusters : int
        The most clusters of a consensus.
    y : array-like of shape (n_objects,), optional
        Known classes, with gaps.
    n_init : int
        Number of random starts of each consensus.
    random_state : int, RandomState or None

    Returns
    -------
    Comparison
        With the representation "ensemble" at the end.

    Examples
    --------
    >>> from dendrolab.ensemble_rows import add_ensembles
    >>> from dendrolab.representations import compare_representations, represent
    >>> X = [[0.0], [1.0], [9.0], [10.0]]
    >>> both = represent(X, 2, ["single", "ward"])
    >>> comparison = compare_representations(both, 2, clusterers=["kmeans"], random_state=0)
    >>> add_ensembles(comparison, ["single", "ward"], X, 2, random_state=0).scores.representation.tolist()
    ['raw', 'pca', 'lsa', 'single', 'ward', 'ensemble']
    """
    scores, labels = [], {}
    for clusterer in comparison.scores.clusterer.unique():
        members = members_of(comparison, linkages, clusterer)
        found = ConsensusClustering(n_clusters, n_init, random_state).fit(members).labels_
        labels[f"ensemble {clusterer}"] = found
        row = {"representation": "ensemble", "clusterer": clusterer}
        scores.append(row | score_labels(base, found, y, random_state))
    rows = pd.concat([comparison.scores, pd.DataFrame(scores)], ignore_index=True)
    return Comparison(rows, comparison.labels.assign(**labels))


def members_of(comparison, linkages, clusterer):
    """Labels of the linkages' representations by a clusterer, one row each."""
    missing = [name for name in linkages if f"{name} {clusterer}" not in comparison.labels]
    if missing or not len(linkages):
        raise ValueError(
            f"linkages is {list(linkages)}, and the comparison has {', '.join(comparison.labels)}: name "
            "representations that it has."
        )
    return np.stack([comparison.labels[f"{linkage} {clusterer}"] for linkage in linkages])
