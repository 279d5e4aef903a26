"""Scores of a clustering against known classes, as in the three papers."""

import numpy as np


def partition_scores(y, labels):
    """Agreement of a clustering with known classes.

    Parameters
    ----------
    y : array-like of shape (n,)
        Classes: numbers or text.
    labels : array-like of shape (n,)
        Clusters; their names do not matter.

    Returns
    -------
    dict
        ``ami`` (adjusted mutual information), ``ari`` (adjusted Rand), ``v_measure``, ``accuracy``
        (clusters matched to classes one to one, as well as possible), ``nmi`` and ``purity`` (each cluster
        to its most frequent class). ``ami`` and ``nmi`` are normalised by the larger entropy.

    Raises
    ------
    ValueError
        For different lengths, no objects, or missing classes.

    Examples
    --------
    >>> from dendrolab import partition_scores
    >>> scores = partition_scores(["a", "a", "b", "b"], [1, 1, 0, 1])
    >>> {name: round(value, 3) for name, value in scores.items()}
    {'ami': 0.0, 'ari': 0.0, 'v_measure': 0.344, 'accuracy': 0.75, 'nmi': 0.311, 'purity': 0.75}
    """
    from scipy.optimize import linear_sum_assignment
    from sklearn import metrics

    y, labels = check_labels(y, "y"), check_labels(labels, "labels")
    if len(y) != len(labels):
        raise ValueError(f"y has {len(y)} entries and labels {len(labels)}: give one each for every object.")
    counts = metrics.cluster.contingency_matrix(y, labels)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    return {
        "ami": float(metrics.adjusted_mutual_info_score(y, labels, average_method="max")),
        "ari": float(metrics.adjusted_rand_score(y, labels)),
        "v_measure": float(metrics.v_measure_score(y, labels)),
        "accuracy": float(counts[rows, columns].sum() / len(y)),
        "nmi": float(metrics.normalized_mutual_info_score(y, labels, average_method="max")),
        "purity": float(counts.max(axis=0).sum() / len(y)),
    }


def check_labels(labels, name="labels"):
    """Return labels as codes 0, 1, ... in sorted order; refuse an empty array and gaps."""
    from pandas import factorize

    labels = np.asarray(labels, dtype=None if hasattr(labels, "dtype") else object)
    if labels.ndim != 1 or labels.size == 0:
        raise ValueError(f"{name} has shape {labels.shape}: give one label for each object, at least one.")
    codes = factorize(labels, sort=True)[0]
    missing = codes < 0
    if missing.any():
        raise ValueError(
            f"{name} has {missing.sum()} missing entries, the first at {int(missing.argmax())}: score only "
            "the objects that have a label."
        )
    return codes
