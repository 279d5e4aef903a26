"""Figures of kernels and of HMKC: spectra, the matrices of the layers, weights, and sweeps of layer sizes."""

import numpy as np
import seaborn as sns

from .palette import GREY, INK, PALETTE, new_axes

_MOST_CELLS = 120


def draw_kernel_spectrum(spectrum, n_clusters, *, max_components=200, ax=None):
    """Draw the eigenvalues of a kernel; the leading ones, that a partition keeps, in colour (Figure 2).

    Parameters
    ----------
    spectrum : KernelSpectrum
        Of `kernel_spectrum`.
    n_clusters : int
        How many eigenvalues the partition keeps.
    max_components : int
        The largest ones are drawn.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from dendrolab.hmkc_plots import draw_kernel_spectrum
    >>> from dendrolab.kernel_spectrum import kernel_spectrum
    >>> draw_kernel_spectrum(kernel_spectrum([[2.0, 1.0], [1.0, 2.0]]), 1).get_title()
    'top 1 keep 75%'
    """
    values = spectrum.eigenvalues[:max_components]
    ax = new_axes(ax, (5.2, 3.0))
    colors = np.where(np.arange(len(values)) < n_clusters, PALETTE[3], GREY)
    lines = ax.vlines(np.arange(1, len(values) + 1), 0, values, colors=colors, lw=1.5)
    lines.sticky_edges.y.append(0)  # no margin below, also where axes are shared
    ax.axhline(1, color=INK, lw=0.8, ls="--")
    title = f"top {n_clusters} keep {spectrum.kept(n_clusters):.0%}"
    ax.set(xlabel="component", ylabel="eigenvalue", title=title)
    sns.despine(ax=ax)
    return ax


def draw_similarity(matrix, groups, *, ax=None):
    """Draw a kernel, or the projection H H^T of a matrix of orthonormal columns, as an image (Figure 3).

    Parameters
    ----------
    matrix : array-like of shape (n, n) or (n, c)
        Anything that is not square is taken as H.
    groups : array-like of shape (n,)
        Classes or clusters: objects of one group are put side by side, and lines part the groups.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        Dark is large; the darkest is the 99th percentile off the diagonal. Of more than 120 objects
        neighbours share a cell, which has their mean.

    Examples
    --------
    >>> import numpy as np
    >>> from dendrolab.hmkc_plots import draw_similarity
    >>> ax = draw_similarity(np.array([[0.8], [0.0], [0.6]]), [0, 1, 0])
    >>> ax.images[0].get_array().round(2).tolist()
    [[0.64, 0.48, 0.0], [0.48, 0.36, 0.0], [0.0, 0.0, 0.0]]
    """
    matrix, groups = np.asarray(matrix, dtype=np.float64), np.asarray(groups)
    n = len(matrix)
    if len(groups) != n:
        raise ValueError(f"there are {len(groups)} groups for {n} objects: give one an object.")
    if matrix.shape[0] != matrix.shape[1]:
        matrix = matrix @ matrix.T
    order = np.argsort(groups, kind="stable")
    cells = _block_means(matrix[np.ix_(order, order)])
    top = np.percentile(cells[~np.eye(len(cells), dtype=bool)], 99) if n > 1 else 1
    ax = new_axes(ax, (3.2, 3.2))
    extent = (-0.5, n - 0.5, n - 0.5, -0.5)
    ax.imshow(cells, cmap="Blues", vmin=0, vmax=top if top > 0 else 1, interpolation="nearest", extent=extent)
    for edge in np.flatnonzero(np.diff(np.unique(groups[order], return_inverse=True)[1])) + 0.5:
        ax.axhline(edge, color=INK, lw=0.4)
        ax.axvline(edge, color=INK, lw=0.4)
    ax.set(xticks=[], yticks=[])
    return ax


def _block_means(matrix):
    n = len(matrix)
    starts = np.arange(0, n, -(-n // _MOST_CELLS))
    sizes = np.diff(starts, append=n)
    sums = np.add.reduceat(np.add.reduceat(matrix, starts, axis=0), starts, axis=1)
    return sums / np.outer(sizes, sizes)


def draw_kernel_weights(model, names=None, *, ax=None):
    """Draw the weights of the kernels, in each layer and in the partition.

    Parameters
    ----------
    model : HMKC
        Fitted.
    names : sequence of str, optional
        One a kernel; their numbers otherwise.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        Equal weights are the dashed line.

    Examples
    --------
    >>> from dendrolab.hmkc import HMKC
    >>> from dendrolab.hmkc_plots import draw_kernel_weights
    >>> model = HMKC(2, [3], kernel="gaussians", random_state=0).fit([[0.0], [1.0], [2.0], [9.0], [9.5]])
    >>> len(draw_kernel_weights(model).patches)
    8
    """
    rows = np.vstack([model.layer_weights_, model.kernel_weights_])
    n_rows, m = rows.shape
    labels = [*(f"layer {t}" for t in range(1, n_rows)), "partition"]
    ax = new_axes(ax, (2.4 + 0.5 * m, 3.0))
    for t, (label, weights) in enumerate(zip(labels, rows, strict=True)):
        at = np.arange(m) + 0.8 * ((t + 0.5) / n_rows - 0.5)
        color = PALETTE[3] if label == "partition" else PALETTE[t % 3]
        ax.bar(at, weights, width=0.8 / n_rows, color=color, label=label)
    ax.axhline(1 / np.sqrt(m), color=INK, lw=0.8, ls="--")
    slanted = {} if names is None else {"rotation": 15, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(np.arange(m), range(m) if names is None else names, **slanted)
    ax.set(xlabel="kernel", ylabel="weight")
    ax.legend(frameon=False, fontsize=8, ncols=n_rows, loc="lower center", bbox_to_anchor=(0.5, 1))
    sns.despine(ax=ax)
    return ax


def draw_one_layer(sweep, *, score="accuracy", baselines=None, ax=None):
    """Draw a score against the size of a single layer, with baselines as lines (Figure 4a).

    Parameters
    ----------
    sweep : DataFrame
        Of `layer_sweep`; its runs with one layer are drawn.
    score : str
        A column of it.
    baselines : dict of str to float, optional
        The same score of other methods.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import pandas as pd
    >>> from dendrolab.hmkc_plots import draw_one_layer
    >>> sweep = pd.DataFrame({"n_layers": 1, "c1": [4, 8], "accuracy": [0.5, 0.6]})
    >>> ax = draw_one_layer(sweep, baselines={"A-MKKM": 0.55})
    >>> [line.get_label() for line in ax.lines]
    ['HMKC-1', 'A-MKKM']
    """
    runs = sweep[sweep["n_layers"] == 1].sort_values("c1")
    if runs.empty:
        raise ValueError("the sweep has no run with one layer: give layer_sweep entries such as [20].")
    ax = new_axes(ax, (4.6, 3.2))
    ax.plot(runs["c1"], runs[score], "o-", color=PALETTE[0], label="HMKC-1")
    for k, (name, value) in enumerate((baselines or {}).items(), start=1):
        ax.axhline(value, color=PALETTE[k], ls="--", lw=1.5, label=name)
    ax.set(xlabel="layer size c", ylabel=score, title="one layer")
    ax.legend(frameon=False, fontsize=8)
    sns.despine(ax=ax)
    return ax


def draw_two_layers(sweep, *, score="accuracy", ax=None):
    """Draw a score for each pair of sizes of two layers as a heat map (Figures 4b and 4d).

    Parameters
    ----------
    sweep : DataFrame
        Of `layer_sweep`; its runs with two layers are drawn.
    score : str
        A column of it: accuracy, objective, n_iter, ...
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import pandas as pd
    >>> from dendrolab.hmkc_plots import draw_two_layers
    >>> sweep = pd.DataFrame({"n_layers": 2, "layer_sizes": ["8, 4", "9, 4"], "accuracy": [0.5, 0.6]})
    >>> [text.get_text() for text in draw_two_layers(sweep).texts]
    ['0.50', '0.60']
    """
    runs = sweep[sweep["n_layers"] == 2]
    if runs.empty:
        raise ValueError("the sweep has no run with two layers: give layer_sweep entries such as [40, 20].")
    sizes = runs["layer_sizes"].str.split(", ", expand=True).astype(int)
    cells = runs.assign(c1=sizes[0], c2=sizes[1]).pivot(index="c2", columns="c1", values=score)
    ax = new_axes(ax, (4.6, 3.2))
    fmt = ".2f" if runs[score].max() <= 1 else ".0f"  # a share, or a count
    sns.heatmap(cells, annot=True, fmt=fmt, cmap="Blues", cbar=False, linewidths=1, ax=ax)
    ax.tick_params(axis="y", rotation=0)
    ax.tick_params(length=0)
    ax.set(xlabel="first layer", ylabel="second layer", title=f"two layers: {score}")
    return ax
