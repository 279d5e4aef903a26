"""A panel for choosing the members of an ensemble."""

import warnings
from functools import partial

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy import sparse
from sklearn.decomposition import PCA

from . import plots
from .clusterers import CLUSTERERS
from .ensemble import DendrogramEnsemble
from .ensemble_plots import draw_coclustering
from .metrics import partition_scores
from .palette import PALETTE
from .representations import PAPER_LINKAGES
from .validation import check_data
from .widgets import Panel

_N_INIT = 10


def show_ensemble(X, linkages=PAPER_LINKAGES, clusterer="kmeans", n_clusters=3, y=None, level="level"):
    """Draw an ensemble: its members' votes, what each member costs, and the objects in their clusters.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        Two columns are drawn as they are, more by their first two principal components.
    linkages : sequence of str
        The members, one dendrogram each.
    clusterer : {"kmeans", "gmm", "spectral"}
    n_clusters : int
    y : sequence, optional
        Known classes: the titles then say how well they are found.
    level : str or callable
        Level function, as for `level_function`.

    Returns
    -------
    matplotlib.figure.Figure
        Closed for pyplot, so that a notebook shows it once.

    Examples
    --------
    >>> from dendrolab.ensemble_widgets import show_ensemble
    >>> X = [[0.0, 0.0], [1.0, 0.0], [9.0, 0.0], [11.0, 0.0]]
    >>> figure = show_ensemble(X, ["single", "ward"], n_clusters=2)
    >>> [ax.get_title() for ax in figure.axes[:3]]
    ['2 members', 'Cost', 'consensus']
    """
    return _step_ensemble(X, y, level, linkages, clusterer, n_clusters)[0]


def ensemble_panel(X, y=None, *, linkages=PAPER_LINKAGES, max_clusters=10, level="level"):
    """Panel of `show_ensemble`: a box for each member, the clusterer and the number of clusters.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
    y : sequence, optional
    linkages : sequence of str
        One box each, all ticked at first.
    max_clusters : int
        Where the slider ends.
    level : str

    Returns
    -------
    Panel
        Its children are the boxes, the clusterer, the number of clusters, and the figure; its ``result`` is
        the labels of the consensus.

    Examples
    --------
    In a notebook::

        panel = ensemble_panel(X)
        panel.children[0].value = False  # without the first linkage
        panel.result  # labels of the consensus
    """
    top = min(max_clusters, np.shape(X)[0])
    boxes = {name: widgets.Checkbox(value=True, description=name) for name in linkages}
    return Panel(
        partial(_step_boxes, X, y, level),
        **boxes,
        clusterer=widgets.Dropdown(options=CLUSTERERS, description="clusterer"),
        n_clusters=widgets.IntSlider(
            value=min(3, top), min=1, max=top, description="clusters", continuous_update=False
        ),
    )


def _step_boxes(X, y, level, clusterer, n_clusters, **boxes):
    return _step_ensemble(X, y, level, [name for name in boxes if boxes[name]], clusterer, n_clusters)


def _step_ensemble(X, y, level, linkages, clusterer, n_clusters):
    X = check_data(X)
    if sparse.issparse(X):
        X = X.toarray()
    if y is not None and len(y) != len(X):
        raise ValueError(f"there are {len(y)} classes y for {len(X)} objects: give one an object.")
    ensemble = DendrogramEnsemble(n_clusters, linkages, clusterer, level, _N_INIT, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the figure names who is left out
        ensemble.fit(X)
    figure, (left, middle, right) = plt.subplots(
        1, 3, figsize=(13, 4), layout="constrained", width_ratios=[1.2, 1, 1]
    )
    plt.close(figure)
    draw_coclustering(list(ensemble.members_.values()), labels=ensemble.labels_, ax=left)
    _draw_costs(ensemble, y, middle)
    points = PCA(2).fit_transform(X) if X.shape[1] > 2 and len(X) > 1 else X[:, :2]
    plots.draw_embedding(points, labels=ensemble.labels_, ax=right)
    right.set(title=_titled("consensus", y, ensemble.labels_), xlabel="", ylabel="", xticks=[], yticks=[])
    return figure, ensemble.labels_


def _draw_costs(ensemble, y, ax):
    members = ensemble.members_
    costs = [ensemble.member_costs_[name] for name in members] + [ensemble.cost_]
    left_out = [name for name in ensemble.problems_ if name not in members]
    names = [_titled(name, y, labels) for name, labels in members.items()]
    names += [_titled("consensus", y, ensemble.labels_)]
    bars = ax.barh(range(len(costs)), costs, color=[PALETTE[0]] * len(members) + [PALETTE[3]])
    ax.bar_label(bars, [f"{cost:,.6g}" for cost in costs], padding=3, fontsize=8)
    ax.set_yticks(range(len(costs)), names)
    ax.invert_yaxis()
    ax.margins(x=0.2)
    ax.set(title=f"Cost (left out: {', '.join(left_out)})" if left_out else "Cost")
    sns.despine(ax=ax)


def _titled(name, y, labels):
    if y is None:
        return name
    known = pd.notna(y)
    return f"{name}, AMI {partition_scores(np.asarray(y)[known], labels[known])['ami']:.2f}"
