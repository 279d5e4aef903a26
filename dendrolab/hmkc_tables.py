"""The HMKC paper's comparison (Table 2) and its sweep over layer sizes (Figure 4)."""

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score
from tqdm import tqdm

from .hmkc import starts_and_workers
from .hmkc_updates import Chain, optimise
from .kernel_checks import check_kernels, check_layer_sizes, check_n_clusters
from .kernel_input import partition_labels
from .kernel_kmeans import AverageKernelKMeans, single_best_kernel_kmeans
from .metrics import check_labels, partition_scores
from .mkkm import MKKM

_SCORES = ("accuracy", "nmi", "purity", "ari")


def paper_layer_grid(n_clusters, n_objects, n_layers=1, factors=range(2, 21)):
    """Layer sizes of the paper's settings: c in 2K, 3K, ..., 20K, or all pairs c1 > c2 of them.

    Parameters
    ----------
    n_clusters, n_objects : int
    n_layers : {1, 2}
    factors : iterable of int
        The multiples of K.

    Returns
    -------
    list of list of int
        Sizes below the number of objects.

    Examples
    --------
    >>> from dendrolab.hmkc_tables import paper_layer_grid
    >>> paper_layer_grid(3, 150, 2, factors=(2, 4, 8))
    [[12, 6], [24, 6], [24, 12]]
    """
    sizes = [factor * n_clusters for factor in sorted(factors) if factor * n_clusters < n_objects]
    if n_layers == 1:
        return [[c] for c in sizes]
    return [[c1, c2] for c1 in sizes for c2 in sizes if c1 > c2]


def layer_sweep(
    kernels,
    y=None,
    layer_grid=None,
    n_clusters=None,
    max_iter=100,
    tol=1e-5,
    n_init=10,
    random_state=None,
    n_jobs=None,
    allow_indefinite=False,
    progress=None,
):
    """HMKC over a grid of layer sizes (Figure 4).

    Parameters
    ----------
    kernels : array-like of shape (m, n, n), or list of kernels
        As they are; see `prepare_kernels`.
    y : array-like of shape (n,), optional
        Known classes, for the scores.
    layer_grid : list of sequence of int, optional
        One entry of layer sizes a run, equal neighbours allowed; the paper's setting with one layer if not
        given.
    n_clusters : int, optional
        The number of classes if not given.
    max_iter : int
    tol : float
    n_init : int
    random_state : int, RandomState or None
    n_jobs : int, optional
    allow_indefinite : bool
        These six as for `HMKC`.
    progress : bool, optional
        Show a bar on work over two seconds; None shows it on a terminal only.

    Returns
    -------
    DataFrame
        One row a run: layer_sizes (text), n_layers, c1, objective, n_iter, agreement, labels, and, where y
        is given, accuracy, nmi, purity and ari. ``agreement`` is the mean adjusted Rand score of the run's
        labels with those of the other runs: a choice by the largest needs no classes.

    Notes
    -----
    The eigenvectors of the kernels are found once, for the largest first layer; a run equals that of `HMKC`.

    Examples
    --------
    >>> from dendrolab import feature_kernels, prepare_kernels
    >>> from dendrolab.hmkc_tables import layer_sweep
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> sweep = layer_sweep(prepare_kernels(feature_kernels(X)), y, [[6], [12, 6]], random_state=0)
    >>> sweep.layer_sizes.tolist()
    ['6', '12, 6']
    """
    kernels = check_kernels(kernels, allow_indefinite)
    n, y, n_clusters = _check_classes(kernels, y, n_clusters)
    grid = paper_layer_grid(n_clusters, n) if layer_grid is None else layer_grid
    if not len(grid):
        raise ValueError(f"layer_grid is empty: no sizes lie between {n_clusters} clusters and {n} objects.")
    grid = [check_layer_sizes(sizes, n_clusters, n, allow_equal=True) for sizes in grid]
    hidden = None if progress is None else not progress
    rows = []
    with starts_and_workers(kernels, max(sizes[0] for sizes in grid), n_jobs) as (found, workers):
        for sizes in tqdm(grid, desc="layer sizes", delay=2, disable=hidden):
            chains = [Chain(K, U, KU, sizes) for K, (_, U, KU) in zip(kernels, found, strict=True)]
            optimum = optimise(chains, n_clusters, max_iter, tol, workers, progress=False)
            labels = partition_labels(optimum.partition, n_clusters, n_init, random_state)
            about = {"layer_sizes": ", ".join(map(str, sizes)), "n_layers": len(sizes), "c1": sizes[0]}
            run = {"objective": optimum.history[-1], "n_iter": len(optimum.history), "labels": labels}
            rows.append(about | run | _scores(y, labels))
    sweep = pd.DataFrame(rows)
    return sweep.assign(agreement=agreement(sweep["labels"]))


def _check_classes(kernels, y, n_clusters):
    n = kernels[0].shape[0]
    if y is None and n_clusters is None:
        raise ValueError("give n_clusters, or y to take the number of classes.")
    if y is not None:
        y = check_labels(y, "y")
        if len(y) != n:
            raise ValueError(f"y has {len(y)} entries and the kernels {n} objects.")
    n_clusters = int(y.max()) + 1 if n_clusters is None else n_clusters
    check_n_clusters(n_clusters, n)
    return n, y, n_clusters


def _scores(y, labels):
    if y is None:
        return {}
    scores = partition_scores(y, labels)
    return {name: scores[name] for name in _SCORES}


def agreement(labelings):
    """Mean adjusted Rand score of each labeling with the others; 1 for a single one.

    Parameters
    ----------
    labelings : sequence of array-like of shape (n,)

    Returns
    -------
    ndarray of shape (len(labelings),)

    Examples
    --------
    >>> from dendrolab.hmkc_tables import agreement
    >>> agreement([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1]]).round(2)
    array([ 0.25,  0.25, -0.5 ])
    """
    labelings = list(labelings)
    scores = np.eye(len(labelings))
    for i, first in enumerate(labelings):
        for j in range(i):
            scores[i, j] = scores[j, i] = adjusted_rand_score(first, labelings[j])
    others = max(len(labelings) - 1, 1)
    return (scores.sum(axis=1) - 1) / others if len(labelings) > 1 else np.ones(1)


def hmkc_table(
    kernels,
    y,
    layer_grid=None,
    n_clusters=None,
    n_init=10,
    random_state=None,
    n_jobs=None,
    allow_indefinite=False,
    progress=None,
):
    """Compare HMKC with one and two layers with its baselines (Table 2).

    Parameters
    ----------
    kernels : array-like of shape (m, n, n), or list of kernels
        As they are; see `prepare_kernels`.
    y : array-like of shape (n,)
        Known classes.
    layer_grid : list of sequence of int, optional
        Layer sizes, of any number of layers; the paper's two settings if not given, which are up to 190 runs.
    n_clusters : int, optional
        The number of classes if not given.
    n_init : int
    random_state : int, RandomState or None
    n_jobs : int, optional
    allow_indefinite : bool
        These four as for `HMKC`.
    progress : bool, optional
        Show a bar on work over two seconds; None shows it on a terminal only.

    Returns
    -------
    DataFrame
        Rows: method and selection; columns: choice, accuracy, nmi, purity, ari. A method with something to
        choose, a kernel or layer sizes, has two rows: "best by classes", the largest of each score by itself
        as the paper prints it, with the choice of the most accurate; and "without classes", the choice whose
        clustering agrees most with those of the other choices (mean adjusted Rand score).

    Notes
    -----
    Only the rows "without classes" and those without a choice can be had by a user who has no classes.

    Examples
    --------
    >>> from dendrolab import feature_kernels, prepare_kernels
    >>> from dendrolab.hmkc_tables import hmkc_table
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> table = hmkc_table(prepare_kernels(feature_kernels(X)), y, [[6], [9], [12, 6]], random_state=0)
    >>> table.method.unique().tolist()
    ['A-MKKM', 'SB-KKM', 'MKKM', 'HMKC-1', 'HMKC-2']
    """
    kernels = check_kernels(kernels, allow_indefinite)
    n, y, n_clusters = _check_classes(kernels, y, n_clusters)
    if layer_grid is None:
        layer_grid = paper_layer_grid(n_clusters, n) + paper_layer_grid(n_clusters, n, 2)
    common = {"n_init": n_init, "random_state": random_state, "allow_indefinite": True}
    sweep = layer_sweep(kernels, y, layer_grid, n_clusters, n_jobs=n_jobs, progress=progress, **common)
    rows = [_plain("A-MKKM", y, AverageKernelKMeans(n_clusters, **common).fit(kernels))]
    single = single_best_kernel_kmeans(kernels, y, n_clusters, **common)
    choices = [f"kernel {p}" for p in range(len(kernels))]
    rows += _chosen("SB-KKM", choices, pd.DataFrame(single.scores), agreement(single.labels))
    rows.append(_plain("MKKM", y, MKKM(n_clusters, **common).fit(kernels)))
    for n_layers, runs in sweep.groupby("n_layers"):
        rows += _chosen(f"HMKC-{n_layers}", runs["layer_sizes"].tolist(), runs, agreement(runs["labels"]))
    return pd.DataFrame(rows)


def _plain(method, y, model):
    return {"method": method, "selection": "none", "choice": ""} | _scores(y, model.labels_)


def _chosen(method, choices, scores, agreements):
    scores = scores[list(_SCORES)].reset_index(drop=True)
    best, agreed = int(scores["accuracy"].argmax()), int(np.argmax(agreements))
    rows = [("best by classes", best, scores.max()), ("without classes", agreed, scores.loc[agreed])]
    return [
        {"method": method, "selection": selection, "choice": choices[at], **values}
        for selection, at, values in rows
    ]
