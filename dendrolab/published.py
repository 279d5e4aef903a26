"""The numbers that the dendrogram paper prints."""

import json

import pandas as pd

from .resources import resource_folder

SCORES = ("ami", "ari", "v_measure")


def published_scores(dataset=None):
    """Scores of Tables 1, 2 and 8, as printed.

    Parameters
    ----------
    dataset : str, optional
        Name of a data set in the registry; all sets of the paper if not given. Variants of a set (the views
        of one_hundred_plant) have the figures of the paper's one set.

    Returns
    -------
    pandas.DataFrame
        Columns dataset, representation, clusterer, score, published; no rows for a set that the paper
        does not have.

    Examples
    --------
    >>> from dendrolab.published import published_scores
    >>> table = published_scores("hayes_roth")
    >>> table[(table.representation == "ward") & (table.clusterer == "gmm")].published.tolist()
    [0.0249, 0.0496, 0.0412]
    """
    rows = [
        (name, representation, clusterer, score, value)
        for name, block in _entries("scores", dataset)
        for representation, cells in block.items()
        for clusterer, values in cells.items()
        for score, value in zip(SCORES, values, strict=True)
    ]
    return pd.DataFrame(rows, columns=["dataset", "representation", "clusterer", "score", "published"])


def published_runtimes(dataset=None):
    """Seconds of Table 7, as printed.

    Parameters
    ----------
    dataset : str, optional
        As for `published_scores`.

    Returns
    -------
    pandas.DataFrame
        Columns dataset, method, published; "more than 10 hours" is infinity.

    Examples
    --------
    >>> from dendrolab.published import published_runtimes
    >>> published_runtimes("forest_type").head(2).published.tolist()
    [2.8, 149.3]
    """
    rows = [
        (name, method, float("inf") if seconds is None else seconds)
        for name, row in _entries("runtimes", dataset)
        for method, seconds in zip(("local search", "LP", "SDP"), row, strict=True)
    ]
    return pd.DataFrame(rows, columns=["dataset", "method", "published"])


def published_linkage_level(dataset=None):
    """Mutual information of the ensemble of mixtures with the merge height as level (Section 4).

    Parameters
    ----------
    dataset : str, optional
        As for `published_scores`.

    Returns
    -------
    pandas.DataFrame
        Columns dataset, published.

    Examples
    --------
    >>> from dendrolab.published import published_linkage_level
    >>> published_linkage_level("perfume").published.item()
    0.9075
    """
    return pd.DataFrame(_entries("linkage_level", dataset), columns=["dataset", "published"])


def _entries(table, dataset):
    """Names and figures of one of the paper's tables, of one data set or of all."""
    read = json.loads((resource_folder("data") / "published_tables.json").read_text(encoding="utf-8"))
    if dataset is None:
        return list(read[table].items())
    paper_name = read["same_figures"].get(dataset, dataset)
    return [(dataset, read[table][paper_name])] if paper_name in read[table] else []
