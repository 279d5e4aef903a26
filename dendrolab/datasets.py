"""Data sets by name: bundled with scikit-learn, made by the project, or fetched from the UCI archive."""

import numpy as np
import pandas as pd
from sklearn import datasets as bundled
from sklearn.utils import Bunch, check_random_state

from .fetching import is_available, load_registered
from .registry import read_registry
from .resources import resource_folder
from .tables import load_csv
from .validation import suggest

BUNDLED = {
    "iris": bundled.load_iris,
    "wine": bundled.load_wine,
    "breast_cancer": bundled.load_breast_cancer,
    "digits": bundled.load_digits,
}
GENERATED = {
    "two_densities": "A tight cluster beside a sparse one, after the dendrogram paper's Figure 2.",
    "two_moons": "Two interleaved half circles (make_moons, 300 points, noise 0.06, seed 0).",
    "gaussian_blobs": "Four round clusters of different spread (make_blobs, 300 points, seed 0).",
}


def list_datasets():
    """List the data sets that ``load_dataset`` knows.

    Returns
    -------
    pandas.DataFrame
        One row a set: name, rows, columns, classes, source ("bundled", "generated" or "UCI"),
        offline (whether it can be loaded now without a network), citation.

    Examples
    --------
    >>> from dendrolab import list_datasets
    >>> table = list_datasets()
    >>> table.loc[table.name == "iris", ["rows", "columns", "classes"]].values.tolist()
    [[150, 4, 3]]
    """
    rows = [local_row(name, "bundled", "scikit-learn") for name in BUNDLED]
    rows += [local_row(name, "generated", "dendrolab") for name in GENERATED]
    rows += [registered_row(name, entry) for name, entry in read_registry().items()]
    return pd.DataFrame(rows, columns=["name", "rows", "columns", "classes", "source", "offline", "citation"])


def local_row(name, source, citation):
    bunch = load_dataset(name)
    return (name, *bunch.data.shape, len(bunch.target_names), source, True, citation)


def registered_row(name, entry):
    content = entry["content"]
    shape = (content["rows"], content["columns"], len(content["classes"]))
    return (name, *shape, "UCI", is_available(name, entry), entry["short_citation"])


def load_dataset(name, data_home=None):
    """Load a data set by name.

    Parameters
    ----------
    name : str
        One of the names in ``list_datasets()``.
    data_home : path-like, optional
        A folder with the set's file; the environment variable ``DENDROLAB_DATA`` if not given.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (float64, NaN where missing), ``target``, ``feature_names``, ``target_name``, ``frame``,
        ``notes``, ``DESCR``, as ``load_csv`` gives them; and ``target_names``, the different labels as
        text, sorted (for scikit-learn's sets its own names).

    Raises
    ------
    ValueError
        If the name is unknown, or a file is not what the registry expects.
    OSError
        If a set is not on this computer and cannot be fetched; the message says where to get it and where
        to put it.

    Notes
    -----
    A UCI set is looked for in `data_home`, then in the user's cache folder, then fetched into the
    cache. Its shape, class counts, number of missing values and, where known, checksum are compared with the
    registry.

    Examples
    --------
    >>> from dendrolab import load_dataset
    >>> load_dataset("two_densities").data.shape
    (120, 2)
    """
    if name in BUNDLED:
        return load_bundled(name)
    if name in GENERATED:
        return load_generated(name)
    registry = read_registry()
    if name not in registry:
        raise ValueError(f"there is no data set {name!r}; {suggest(name, [*BUNDLED, *GENERATED, *registry])}")
    entry = registry[name]
    data, target, origin = load_registered(name, entry, data_home)
    names = entry.get("feature_names") or [f"f{i}" for i in range(data.shape[1])]
    about = [f"{entry['title']}.", entry["citation"], f"Licence: {entry['licence']}. Page: {entry['page']}"]
    return as_bunch(data, names, target, [origin, *entry.get("notes", [])], about)


def load_bundled(name):
    source = BUNDLED[name]()
    bunch = as_bunch(source.data, source.feature_names, source.target, ["Bundled with scikit-learn."], [])
    bunch.DESCR, bunch.target_names = source.DESCR, np.asarray(source.target_names)
    return bunch


def load_generated(name):
    if name == "two_densities":
        table = load_csv(resource_folder("data") / "two_densities.csv", label="cluster")
        data, target = table.data, table.target
    elif name == "two_moons":
        data, target = bundled.make_moons(300, noise=0.06, random_state=0)
    else:
        centers = [[0, 0], [6, 0], [0, 6], [6, 6]]
        data, target = bundled.make_blobs(
            300, centers=centers, cluster_std=[0.5, 0.8, 1.1, 1.4], random_state=0
        )
    return as_bunch(data, ["x", "y"], target, ["Made by dendrolab."], [GENERATED[name]])


def as_bunch(data, feature_names, target, notes, about):
    data, feature_names = np.asarray(data, dtype=np.float64), [str(name) for name in feature_names]
    frame = pd.DataFrame(data, columns=feature_names).assign(label=target)
    notes = [*notes, f"The table has {data.shape[0]} rows, {data.shape[1]} features and known labels."]
    return Bunch(
        data=data,
        target=np.asarray(target),
        feature_names=feature_names,
        target_name="label",
        target_names=np.unique(np.asarray(target).astype(str)),
        frame=frame,
        notes=notes,
        DESCR="\n".join([*about, *notes]),
    )


def make_two_densities(n_samples=120, random_state=11):
    """Make a tight cluster beside a sparse one.

    Parameters
    ----------
    n_samples : int, default 120
        Two thirds are in the tight cluster; at least 6.
    random_state : int, RandomState instance or None, default 11
        Seed of the points; 11 is the table that ``load_dataset("two_densities")`` gives, rounded.

    Returns
    -------
    data : ndarray of shape (n_samples, 2)
        Points in the plane.
    target : ndarray of shape (n_samples,)
        0 for the tight cluster, 1 for the sparse one.

    Raises
    ------
    ValueError
        If `n_samples` is below 6.

    Notes
    -----
    Gaps inside the sparse cluster exceed the gap between the two, so Minimax distances alone would split the
    sparse cluster, not separate the two (the setting of the dendrogram paper's Figure 2). The tight cluster
    is normal with standard deviation 0.4; the sparse one fans out to its right with log-normal distances.

    Examples
    --------
    >>> from dendrolab.datasets import make_two_densities
    >>> data, target = make_two_densities(30)
    >>> data.shape, target.sum().item()
    ((30, 2), 10)
    """
    if n_samples < 6:
        raise ValueError(f"n_samples must be at least 6; got {n_samples}")
    random = check_random_state(random_state)
    n_sparse = n_samples // 3
    tight = random.normal(scale=0.4, size=(n_samples - n_sparse, 2))
    radius = 1.2 * np.exp(1.2 * np.abs(random.normal(size=n_sparse)))
    angle = random.uniform(-np.pi / 3, np.pi / 3, size=n_sparse)
    sparse = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    sparse[:, 0] += tight[:, 0].max() + 0.6 - sparse[:, 0].min()
    return np.vstack([tight, sparse]), np.repeat([0, 1], [n_samples - n_sparse, n_sparse])
