"""What a report leaves behind as files: labels, features, scores."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from .distances import outlier_scores
from .files import whole_file, write_text

LEADING_FEATURES = 20


def choose_n_clusters(representations, y=None, n_clusters=0):
    """Number of clusters of a report, and where it comes from.

    Parameters
    ----------
    representations : dict of str to Representation
    y : array-like of shape (n_objects,), optional
        Known classes, with gaps.
    n_clusters : int
        The user's choice; 0 for none.

    Returns
    -------
    int
    str
        A sentence that says why.
    """
    if n_clusters:
        return n_clusters, f"K = {n_clusters}, as asked for."
    if y is not None:
        n_classes = int(pd.Series(y).nunique())
        return n_classes, f"K = {n_classes}, the number of different labels."
    name, representation = _yardstick(representations)
    found = suggest_n_clusters(representation.dendrogram)
    return found, f"K = {found}, at the largest relative gap in the merge heights of {name} linkage."


def suggest_n_clusters(dendrogram, most=20):
    """Number of clusters at the largest relative gap between merge heights.

    Parameters
    ----------
    dendrogram : Dendrogram
    most : int
        The largest number that is considered.

    Returns
    -------
    int
        From 2 to `most`; 1 where all merges are at one height.

    Examples
    --------
    >>> from dendrolab import Dendrogram
    >>> from dendrolab.results import suggest_n_clusters
    >>> suggest_n_clusters(Dendrogram.from_data([[0.0], [1.0], [9.0], [10.0]], "ward"))
    2
    """
    dendrogram.check_monotone()
    heights = dendrogram.heights[::-1][:most]
    upper, lower = heights[:-1], heights[1:]
    rises = np.flatnonzero(upper > lower)
    if rises.size == 0:
        return 1
    # A rise from height 0 has no ratio: it parts duplicates, and counts only where there is no other.
    ratio = np.divide(upper, lower, out=np.ones_like(upper), where=lower > 0)
    return int(ratio.argmax() if ratio.max() > 1 else rises[0]) + 2


def _trees(representations):
    return {name: item for name, item in representations.items() if item.dendrogram is not None}


def _yardstick(representations):
    trees = _trees(representations)
    name = "ward" if "ward" in trees else next(iter(trees))
    return name, trees[name]


def mean_outlier_scores(representations, level="level"):
    """Outlier score of each object, from 0 to 1: its mean distance to all others, averaged over the trees.

    Parameters
    ----------
    representations : dict of str to Representation
    level : str or callable

    Returns
    -------
    ndarray of shape (n_objects,)
    """
    trees = _trees(representations).values()
    return np.mean([outlier_scores(item.dendrogram, level, "mean") for item in trees], axis=0)


def write_results(out, comparison, representations, outliers, n_clusters, y=None, names=None, **about):
    """Write `labels.csv`, `features.csv` and `scores.json`.

    Parameters
    ----------
    out : path-like
        A folder.
    comparison : Comparison
    representations : dict of str to Representation
        The 20 leading features of each dendrogram are written, as ``"ward_1"``, ``"ward_2"``, ...
    outliers : array-like of shape (n_objects,)
    n_clusters : int
        Where the trees are cut.
    y : array-like of shape (n_objects,), optional
        Known classes, written beside the clusters.
    names : array-like of shape (n_objects,), optional
        Names of the objects; their numbers if not given.
    **about
        What else `scores.json` says: numbers, text and lists.
    """
    out = Path(out)
    labels = comparison.labels.copy()
    if y is not None:
        labels.insert(0, "label", y)
    trees = _trees(representations)
    for name, item in trees.items():
        labels[f"{name} cut"] = item.dendrogram.cut(n_clusters=n_clusters)
    labels["outlier_score"] = np.round(outliers, 6)
    features = {
        f"{name}_{k + 1}": column
        for name, item in trees.items()
        for k, column in enumerate(item.features.T[:LEADING_FEATURES])
    }
    rows = comparison.scores.astype(object).where(comparison.scores.notna(), None).to_dict("records")
    for name, table in (("labels", labels), ("features", pd.DataFrame(features))):
        with whole_file(out / f"{name}.csv") as part:
            table.set_axis(range(len(table)) if names is None else names).to_csv(part, index_label="row")
    write_text(
        out / "scores.json",
        json.dumps({"n_clusters": n_clusters, **about, "scores": rows}, indent=1, allow_nan=False),
    )
