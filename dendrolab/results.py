"""What a report leaves behind as files: labels, features, scores."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from .distances import outlier_scores
from .files import whole_file, write_text
from .protocols import suggest_n_clusters

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


def write_results(out, comparison, representations, outliers, n_clusters, y=None, **about):
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
            table.to_csv(part, index_label="row")
    write_text(
        out / "scores.json",
        json.dumps({"n_clusters": n_clusters, **about, "scores": rows}, indent=1, allow_nan=False),
    )
