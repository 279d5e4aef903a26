"""The dendrogram paper's tables for any data set, beside the published numbers where there are some."""

import time
from importlib.util import find_spec

import numpy as np
import pandas as pd

from .clusterers import CLUSTERERS
from .consensus import ConsensusClustering
from .datasets import load_dataset
from .ensemble import DendrogramEnsemble
from .ensemble_rows import add_ensembles
from .labelings import coclustering_matrix
from .published import SCORES, published_linkage_level, published_runtimes, published_scores
from .relaxations import lp_relaxation, sdp_relaxation
from .representations import PAPER_LINKAGES, compare_representations, represent
from .tables import prepare_table

_RELAXATIONS = {"LP": lp_relaxation, "SDP": sdp_relaxation}


def uci_table(
    dataset, clusterers=CLUSTERERS, level="level", n_init=100, random_state=0, scale="none", progress=None
):
    """The paper's block of rows for a data set (Tables 1 and 2), with the published numbers where known.

    Parameters
    ----------
    dataset : str or Bunch
        A name that `load_dataset` knows, or what `load_csv` gives for a file with a label column.
    clusterers : sequence of {"kmeans", "gmm", "spectral"}
    level : str or callable
        Level function, as for `level_function`.
    n_init : int
        Number of starts of each clusterer and of the consensus.
    random_state : int, RandomState or None
    scale : {"none", "standard", "robust"}
        What is done to the columns; the paper does nothing.
    progress : bool, optional
        Show a bar on work over two seconds; None shows it on a terminal only.

    Returns
    -------
    pandas.DataFrame
        One row a score: dataset, representation (base, pca, lsa, the four linkages, ensemble), clusterer,
        score (ami, ari, v_measure), value, published, agrees. A cell agrees if it is the published number to
        four decimals; the paper prints adjusted Rand scores without their sign.

    Raises
    ------
    ValueError
        For data without known classes.

    Notes
    -----
    Missing values are replaced by the column's median. There are as many clusters as classes. The ensemble is
    the consensus of the four linkages' clusterings by the same clusterer.

    Examples
    --------
    >>> from dendrolab.protocols import uci_table
    >>> table = uci_table("iris", ["kmeans"], n_init=3)
    >>> len(table), table.representation.unique().tolist()[-2:]
    (24, ['ward', 'ensemble'])
    """
    name, X, y, n_clusters = _labelled_data(dataset, scale)
    return _joined(name, block_scores(X, y, n_clusters, clusterers, level, n_init, random_state, progress))


def level_table(
    dataset, levels=("level", "linkage"), clusterers=("gmm",), n_init=100, random_state=0, progress=None
):
    """Compare level functions on the linkages' features and on their ensemble (Section 4, Model selection).

    Parameters
    ----------
    dataset : str or Bunch
        As for `uci_table`.
    levels : sequence of str or callable
    clusterers : sequence of {"kmeans", "gmm", "spectral"}
    n_init : int
    random_state : int, RandomState or None
    progress : bool, optional

    Returns
    -------
    pandas.DataFrame
        As `uci_table`, with a column level and without base, pca and lsa.

    Examples
    --------
    >>> from dendrolab.protocols import level_table
    >>> table = level_table("iris", clusterers=["kmeans"], n_init=3)
    >>> table[table.representation == "ensemble"].groupby("level", sort=False).size().to_dict()
    {'level': 3, 'linkage': 3}
    """
    name, X, y, n_clusters = _labelled_data(dataset)
    parts = []
    for level in levels:
        scores = block_scores(X, y, n_clusters, clusterers, level, n_init, random_state, progress)
        scores = scores[~scores.representation.isin(["base", "pca", "lsa"])]
        known = level if level in ("level", "linkage") else None
        label = level if isinstance(level, str) else level.__name__
        parts.append(_joined(name, scores, known).assign(level=label))
    return pd.concat(parts, ignore_index=True)


def runtime_table(dataset, clusterer="kmeans", methods=None, n_init=100, time_limit=60, random_state=0):
    """Time and cost of the ways to the ensemble's clustering (Table 7).

    Parameters
    ----------
    dataset : str or Bunch
        As for `uci_table`.
    clusterer : {"kmeans", "gmm", "spectral"}
        What makes the members.
    methods : sequence of {"local search", "LP", "SDP"}, optional
        All if not given, SDP only where cvxpy is installed.
    n_init : int
    time_limit : float
        Seconds for each relaxation.
    random_state : int, RandomState or None

    Returns
    -------
    pandas.DataFrame
        One row a method, and one for the best member: dataset, method, n_objects, seconds, cost (Eq. 9),
        lower_bound, gap (share of the cost above the best lower bound in the table), converged,
        published (seconds).

    Notes
    -----
    The published times are those of other machines and of all objects one by one. Here objects with the same
    labels in all members count as one, in each of the methods.

    Examples
    --------
    >>> from dendrolab.protocols import runtime_table
    >>> table = runtime_table("iris", methods=["local search", "LP"], n_init=5)
    >>> table.method.tolist(), bool((table.cost >= table.lower_bound.max() - 1e-6).all())
    (['best member', 'local search', 'LP'], True)
    """
    if methods is None:
        methods = ["local search", "LP", *(["SDP"] if find_spec("cvxpy") else [])]
    name, X, _, n_clusters = _labelled_data(dataset)
    ensemble = DendrogramEnsemble(n_clusters, clusterer=clusterer, n_init=n_init, random_state=random_state)
    members = list(ensemble.fit(X).members_.values())
    best = {"method": "best member", "cost": np.nanmin(list(ensemble.member_costs_.values()))}
    rows = [
        best,
        *(_run(method, members, n_clusters, n_init, time_limit, random_state) for method in methods),
    ]
    table = pd.DataFrame(rows).assign(dataset=name, n_objects=len(X))
    bound = table.get("lower_bound", pd.Series(np.nan, table.index)).max()
    table["gap"] = (table.cost - bound).clip(lower=0) / table.cost.where(table.cost > 0, 1)
    table = table.merge(published_runtimes(name), on=["dataset", "method"], how="left")
    columns = ["dataset", "method", "n_objects", "seconds", "cost", "lower_bound", "gap", "converged"]
    return table.reindex(columns=[*columns, "published"])


def _run(method, members, n_clusters, n_init, time_limit, random_state):
    start = time.perf_counter()
    if method == "local search":
        model = ConsensusClustering(n_clusters, n_init, random_state).fit(members)
        found = {"cost": model.cost_, "lower_bound": np.nan, "converged": True}
    elif method in _RELAXATIONS:
        answer = _RELAXATIONS[method](coclustering_matrix(members), n_clusters, time_limit)
        found = {name: getattr(answer, name) for name in ("cost", "lower_bound", "converged")}
    else:
        raise ValueError(f"methods has {method!r}: choose from local search, {', '.join(_RELAXATIONS)}.")
    return {"method": method, "seconds": time.perf_counter() - start, **found}


def _labelled_data(dataset, scale="none"):
    """Name, prepared table, classes and their number."""
    bunch = load_dataset(dataset) if isinstance(dataset, str) else dataset
    if bunch.target is None:
        raise ValueError(
            "dataset has no known classes: load it with its label column, load_csv(path, label)."
        )
    name = dataset if isinstance(dataset, str) else bunch.get("filename", "data")
    y = np.asarray(bunch.target)
    X = prepare_table(bunch.data, bunch.feature_names, scale).data
    return name, X, y, pd.Series(y).nunique()


def block_scores(X, y, n_clusters, clusterers, level, n_init, random_state, progress, representations=None):
    """Scores of each representation, clusterer and, beside them, of the ensemble of the linkages.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
    y : array-like of shape (n_objects,)
        Known classes; objects without one (None, NaN) are left out of the scores.
    n_clusters : int
    clusterers : sequence of str
    level : str or callable
    n_init : int
    random_state : int, RandomState or None
    progress : bool or None
    representations : dict of str to Representation, optional
        Those of `represent` if not given.

    Returns
    -------
    pandas.DataFrame
        Columns representation, clusterer, score, value.
    """
    if representations is None:
        representations = represent(X, n_clusters, PAPER_LINKAGES, level, random_state)
    comparison = compare_representations(
        representations, n_clusters, y, clusterers, n_init, random_state, progress
    )
    base = next(iter(representations.values())).features
    scores = add_ensembles(comparison, PAPER_LINKAGES, base, n_clusters, y, n_init, random_state).scores
    scores = scores.replace({"representation": {"raw": "base"}})
    keys = ["representation", "clusterer"]
    return scores.melt(keys, SCORES, "score").sort_values(keys, key=_by_appearance, kind="stable")


def _by_appearance(column):
    return pd.Categorical(column, column.unique()).codes


def _joined(name, scores, level="level"):
    """Scores beside the published ones; with another level function only the ensemble's are known."""
    known = published_scores(name)
    if level != "level":
        linkage_level = published_linkage_level(name).assign(
            representation="ensemble", clusterer="gmm", score="ami"
        )
        known = linkage_level if level == "linkage" else linkage_level[:0]
    keys = ["dataset", "representation", "clusterer", "score"]
    table = scores.assign(dataset=name).merge(known, on=keys, how="left")
    table["agrees"] = (table.value.abs().round(4) - table.published).abs() < 5e-5
    return table[[*keys, "value", "published", "agrees"]]
