"""The CDSK paper's comparison with its baselines, as a tidy DataFrame."""

import warnings

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from tqdm import tqdm

from .cdsk import CDSK
from .gaussian_similarity import gaussian_similarity
from .kernel_kmeans import KernelKMeans
from .laplacian import cluster_rows
from .metrics import check_labels, partition_scores
from .spectral import gaussian_vectors, manifold_vectors
from .validation import check_data

METHODS = ("k-means", "SCK", "SC-MS", "SC-NS", "CDSK")


def cdsk_table(
    X,
    y,
    n_clusters=None,
    methods=METHODS,
    bandwidth="variance",
    n_runs=10,
    random_state=0,
    progress=None,
    **cdsk_parameters,
):
    """Accuracy and mutual information of CDSK and its baselines, means of several runs (Tables 1 and 2).

    Parameters
    ----------
    X : array-like of shape (n, d)
        Scaled as the methods should see it.
    y : array-like of shape (n,)
        Known classes, for the scores alone.
    n_clusters : int, optional
        The number of classes if not given.
    methods : sequence of {"k-means", "SCK", "SC-MS", "SC-NS", "CDSK"}
        SCK is spectral clustering with the Gaussian kernel; SC-MS learns one bandwidth a feature; SC-NS is
        kernel k-means.
    bandwidth : {"variance", "std", "median"} or float
        Of SCK, SC-NS and CDSK.
    n_runs : int
        Runs with seeds `random_state`, `random_state` + 1, ...
    random_state : int
    progress : bool, optional
        Show a bar on work over two seconds; None shows it on a terminal only.
    **cdsk_parameters
        Further parameters of `CDSK`, such as ``lam`` or ``solver``.

    Returns
    -------
    DataFrame
        One row a method: method, accuracy, nmi (means), accuracy_std, nmi_std.

    Examples
    --------
    >>> from dendrolab.cdsk_tables import cdsk_table
    >>> table = cdsk_table([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1], methods=["k-means"], n_runs=1)
    >>> table.accuracy.tolist()
    [1.0]
    """
    unknown = [name for name in methods if name not in METHODS]
    if unknown:
        raise ValueError(f"methods has {unknown[0]!r}: choose from {', '.join(METHODS)}.")
    X, y = check_data(X), check_labels(y, "y")
    n_clusters = len(np.unique(y)) if n_clusters is None else n_clusters
    rows = []
    for method in methods:
        labels_of = _clusterer(method, X, n_clusters, bandwidth, cdsk_parameters)
        bar = tqdm(range(n_runs), desc=method, delay=2, disable=None if progress is None else not progress)
        scores = [partition_scores(y, labels_of(random_state + run)) for run in bar]
        table = pd.DataFrame(scores)[["accuracy", "nmi"]]
        spread = table.std(ddof=0).add_suffix("_std")
        rows.append({"method": method, **table.mean(), **spread})
    return pd.DataFrame(rows)


def _clusterer(method, X, n_clusters, bandwidth, cdsk_parameters):
    """Labels as a function of the seed; what does not depend on the seed is computed once."""
    if method == "CDSK":
        return lambda seed: _cdsk_labels(X, n_clusters, bandwidth, seed, cdsk_parameters)
    if method in ("SCK", "SC-MS"):
        vectors = (
            gaussian_vectors(X, n_clusters, bandwidth) if method == "SCK" else manifold_vectors(X, n_clusters)
        )
        return lambda seed: cluster_rows(vectors, n_clusters, random_state=seed)
    if method == "SC-NS":
        K, _ = gaussian_similarity(X, bandwidth)
        return lambda seed: KernelKMeans(n_clusters, random_state=seed).fit(K).labels_
    return lambda seed: KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(X)


def _cdsk_labels(X, n_clusters, bandwidth, seed, parameters):
    model = CDSK(n_clusters, bandwidth=bandwidth, random_state=seed, **parameters)
    with warnings.catch_warnings():
        # Said once by a single fit; in a table of many runs they are no news.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "10% of", UserWarning)
        return model.fit(X).labels_
