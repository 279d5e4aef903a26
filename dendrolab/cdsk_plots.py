"""Figures of CDSK: the objects' weights, the similarity that they make, and the descent."""

import numpy as np
import seaborn as sns
from matplotlib.ticker import MaxNLocator
from scipy import sparse

from .palette import GREY, INK, PALETTE, cluster_colors, label_codes, new_axes
from .tree_drawing import evenly_spaced
from .validation import check_data

_INK_AREA = 3000  # square points that all weights share


def draw_weights(X, weights, *, labels=None, ax=None):
    """Draw objects with an area proportional to their weight.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        The first two columns are drawn.
    weights : array-like of shape (n,)
        Such as ``weights_`` of a fitted `CDSK`; objects of weight 0 are dots.
    labels : sequence, optional
        Numbers or text that choose the colours.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from dendrolab.cdsk_plots import draw_weights
    >>> ax = draw_weights([[0.0, 1.0], [2.0, 3.0]], [0.25, 0.75])
    >>> ax.collections[1].get_sizes()
    array([ 750., 2250.])
    """
    X, weights = check_data(X), np.asarray(weights, dtype=np.float64)
    if weights.shape != (len(X),):
        raise ValueError(f"weights has shape {weights.shape}: give one for each of the {len(X)} objects.")
    codes = np.zeros(len(X), int) if labels is None else label_codes(labels, len(X))[0]
    x, y = X[:, 0], X[:, 1] if X.shape[1] > 1 else np.zeros(len(X))
    ax = new_axes(ax)
    ax.scatter(x, y, s=3, color=GREY, zorder=2)
    ax.scatter(
        x, y, s=_INK_AREA * weights, c=cluster_colors(codes), alpha=0.7, linewidths=0.3, edgecolors="white",
        zorder=3,
    )  # fmt: skip
    ax.margins(0.12)  # room for an object that has most of the weight
    ax.set(xticks=[], yticks=[])
    sns.despine(ax=ax)
    return ax


def draw_similarity(S, *, labels=None, max_size=400, ax=None):
    """Draw a similarity matrix, its objects in order of their clusters.

    Parameters
    ----------
    S : array-like or sparse array of shape (n, n)
        Such as ``similarity_`` of a fitted `CDSK`. The scale ends at the largest similarity of two different
        objects.
    labels : sequence, optional
        Clusters or classes, parted by lines. None: the objects as they come.
    max_size : int
        With more objects, this many are drawn, evenly spaced in that order.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import numpy as np
    >>> from dendrolab.cdsk_plots import draw_similarity
    >>> ax = draw_similarity(np.eye(3), labels=[0, 1, 0])
    >>> ax.images[0].get_array().shape
    (3, 3)
    """
    n = S.shape[0] if sparse.issparse(S) else len(S)
    codes = np.zeros(n, int) if labels is None else label_codes(labels, n)[0]
    order = np.argsort(codes, kind="stable")[evenly_spaced(n, max_size)]
    part = (sparse.csr_array(S) if sparse.issparse(S) else np.asarray(S))[order][:, order]
    part = part.toarray() if sparse.issparse(S) else part
    off_diagonal = part[~np.eye(len(part), dtype=bool)]
    ax = new_axes(ax, (5.2, 4.4))
    ax.imshow(part, cmap="mako", vmin=0, vmax=off_diagonal.max(initial=0) or 1, interpolation="nearest")
    for end in np.flatnonzero(np.diff(codes[order])) + 0.5:
        ax.axvline(end, color="#ffb000", lw=0.8)
        ax.axhline(end, color="#ffb000", lw=0.8)
    ax.set(xticks=[], yticks=[])
    return ax


def draw_objective(model, *, ax=None):
    """Draw the objective of a fitted `CDSK` after each step.

    Parameters
    ----------
    model : CDSK
        Where its solver alternates, the two half-steps of a round have marks of their own.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from dendrolab import CDSK
    >>> from dendrolab.cdsk_plots import draw_objective
    >>> model = CDSK(2, lam=0.1, bandwidth=1.0, random_state=0).fit([[0.0], [0.2], [5.0], [5.2]])
    >>> draw_objective(model).get_xlabel()
    'round'
    """
    history = model.objective_history_
    rounds = np.linspace(0, model.n_iter_, len(history))
    ax = new_axes(ax)
    ax.plot(rounds, history, color=INK, lw=1, zorder=1)
    if model.solver == "reduced":
        ax.plot(rounds, history, "o", color=PALETTE[0], ms=4)
    else:
        ax.plot(rounds[1::2], history[1::2], "v", color=PALETTE[3], ms=5, label="alpha-step")
        ax.plot(rounds[::2], history[::2], "o", color=PALETTE[0], ms=4, label="Y-step")
        ax.legend(frameon=False)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=7, integer=True))
    ax.set(xlabel="round", ylabel="objective")
    sns.despine(ax=ax)
    return ax
