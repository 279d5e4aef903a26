"""A panel that clusters by CDSK anew for each weight of the norm and each bandwidth."""

import warnings
from functools import partial

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.distance import pdist
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning

from .cdsk import CDSK
from .cdsk_plots import draw_objective, draw_similarity, draw_weights
from .cdsk_solvers import SOLVERS
from .gaussian_similarity import choose_bandwidth
from .metrics import partition_scores
from .validation import check_data
from .widgets import Panel


def show_cdsk(X, n_clusters, lam=0.1, bandwidth="variance", solver="reduced", y=None, random_state=0):
    """Draw what CDSK makes of data: clusters and weights, the similarity, the objective.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        Two columns are drawn as they are, more by their first two principal components.
    n_clusters : int
    lam : float or "auto"
    bandwidth : {"variance", "std", "median"} or float
    solver : {"reduced", "smo", "discrete"}
    y : sequence, optional
        Known classes: they score the clusters.
    random_state : int

    Returns
    -------
    matplotlib.figure.Figure
        Closed for pyplot, so that a notebook shows it once.

    Examples
    --------
    >>> from dendrolab.cdsk_widgets import show_cdsk
    >>> figure = show_cdsk([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0], [6.0, 0.0]], 2, y=[0, 0, 1, 1])
    >>> figure.axes[0].get_title()
    'lam 0.1, tau 3.89, accuracy 1.00'
    """
    return _step_cdsk(X, n_clusters, y, random_state, lam, bandwidth, solver)[0]


def cdsk_panel(X, n_clusters, y=None, *, lam=0.1, random_state=0):
    """Panel of `show_cdsk`; its ``result`` is the fitted `CDSK`.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
    n_clusters : int
    y : sequence, optional
    lam : float
        Where its slider starts. The bandwidth starts at the rule "variance", and goes to 8 times that and to
        an eighth.
    random_state : int

    Returns
    -------
    Panel
        Its children are lam, the bandwidth, the solver, and the figure.

    Examples
    --------
    In a notebook::

        panel = cdsk_panel(X, 3)
        panel.children[1].value = 0.5  # bandwidth, as the slider does
        panel.result.labels_
    """
    tau = choose_bandwidth(pdist(check_data(X)))
    middle = float(np.log2(tau))
    return Panel(
        partial(_step_cdsk, X, n_clusters, y, random_state),
        lam=widgets.FloatSlider(
            value=lam, min=0.05, max=1.5, step=0.05, description="lam", continuous_update=False
        ),
        bandwidth=widgets.FloatLogSlider(
            value=tau, base=2, min=middle - 3, max=middle + 3, step=0.25, description="bandwidth",
            continuous_update=False,
        ),
        solver=widgets.Dropdown(options=SOLVERS, description="solver"),
    )  # fmt: skip


def _step_cdsk(X, n_clusters, y, random_state, lam, bandwidth, solver):
    X = check_data(X)
    model = CDSK(n_clusters, lam, bandwidth, solver, random_state=random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the figure of the objective shows it
        model.fit(X)
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    plt.close(figure)
    plane = PCA(2).fit_transform(X) if X.shape[1] > 2 and len(X) > 1 else X
    draw_weights(plane, model.weights_, labels=model.labels_, ax=left)
    score = "" if y is None else f", accuracy {partition_scores(y, model.labels_)['accuracy']:.2f}"
    left.set_title(f"lam {model.lam_:.3g}, tau {model.bandwidth_:.3g}{score}")
    order = np.lexsort((model.embedding_[:, -1], model.labels_))
    similarity, labels = model.similarity_[order][:, order], model.labels_[order]
    draw_similarity(similarity, labels=labels, ax=middle).set_title("similarity, by cluster")
    draw_objective(model, ax=right).set_title("descent")
    return figure, model
