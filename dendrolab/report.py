"""The main job: a table of measurements in, a report with labels, features and scores out."""

import json
import os
import tempfile
from pathlib import Path

import pandas as pd

from .datasets import load_dataset
from .execution import NotebookError, optional_module, run_notebook
from .levels import check_level_name
from .linkage import check_ultrametric_linkage
from .pairwise import check_metric_defined
from .parameters import check_parameters
from .representations import affordable_linkages
from .resources import resource_folder
from .tables import SCALES, load_csv, prepare_table
from .validation import looks_like_distances
from .webpage import to_html

REPORT_NOTEBOOK = "09_cluster_your_data.ipynb"
REPORT_FILES = ("report.ipynb", "report.html", "labels.csv", "features.csv", "scores.json")


def make_report(source, out, progress=True, **parameters):
    """Run the report notebook on a table and write its five files.

    Parameters
    ----------
    source : str or path-like
        A CSV file, or the name of a data set where there is no such file.
    out : path-like
        The folder for `report.ipynb`, `report.html`, `labels.csv`, `features.csv` and `scores.json`.
    progress : bool
        Show a bar on standard error, if that is a terminal.
    **parameters
        Any of the notebook's: `label`, `n_clusters`, `linkages`, `level`, `scale`, `seed`. `scale` is
        "none" unless given; the others keep the notebook's defaults.

    Returns
    -------
    list of pathlib.Path
        The files written.

    Raises
    ------
    ValueError
        If the source or a parameter is refused; before the notebook runs.
    NotebookError
        If a cell fails. The folder then gets `report-failed.ipynb` and nothing else.
    """
    parameters = {"scale": "none"} | parameters
    notebook, out = resource_folder("notebooks") / REPORT_NOTEBOOK, _check_folder(out)
    parameters = check_parameters(notebook, parameters)
    check_choices(**parameters)
    parameters["source"] = _checked_source(source, **parameters)
    for module in ("papermill", "nbconvert", "matplotlib"):
        optional_module(module)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".report-", dir=out) as work:
        _fill(Path(work), notebook, parameters, out, progress)
        for name in REPORT_FILES:
            os.replace(Path(work) / name, out / name)
    (out / "report-failed.ipynb").unlink(missing_ok=True)
    return [out / name for name in REPORT_FILES]


def check_choices(linkages=("single",), level="level", scale="none", n_clusters=0, seed=0, **_):
    """Refuse what can be refused without the table.

    Parameters
    ----------
    linkages : sequence of str
        The linkages to compare.
    level : str
        The level function.
    scale : str
        What is done to the columns.
    n_clusters : int
        The number of clusters, 0 for automatic.
    seed : int
        From 0 to 2**32 - 1.
    **_
        The report notebook's other parameters.

    Raises
    ------
    ValueError
        If one of them is none of those there are.
    """
    if len(set(linkages)) < len(linkages):
        raise ValueError(f"linkages name one of them twice: {', '.join(linkages)}")
    if not linkages:
        raise ValueError("no linkage is given; name one or more, as in single,average")
    for linkage in linkages:
        check_ultrametric_linkage(linkage)
    check_level_name(level)
    if scale not in SCALES:
        raise ValueError(f"scale is {scale!r}; choose one of {', '.join(SCALES)}")
    if not 0 <= seed < 2**32:
        raise ValueError(f"seed is {seed}; it must be a whole number from 0 to {2**32 - 1}")
    if n_clusters < 0:
        raise ValueError(f"n_clusters is {n_clusters}; it must be at least 1, or 0 for automatic")


def _check_folder(out):
    out = Path(out).absolute()
    # The first part of the path that exists decides whether the folder can be made.
    found = next(path for path in (out, *out.parents) if path.exists())
    if not found.is_dir():
        raise ValueError(f"the folder for the results cannot be {out}: {found} is a file")
    return out


def _checked_source(source, label="", n_clusters=0, scale="none", linkages=("single",), **_):
    """Read the table once now: a clear refusal before the notebook starts is worth the second reading."""
    table, source = read_source(source, label)
    if looks_like_distances(table.data):
        raise ValueError(
            f"{source} is square, symmetric and zero on its diagonal, as distances are: the report takes a "
            "table of measurements. For distances use dendrolab.Dendrogram.from_distances in Python."
        )
    X = prepare_table(table.data, table.feature_names, scale).data
    n = len(X)
    check_metric_defined(X, "euclidean")
    affordable_linkages(linkages, n)
    _check_classes(table)
    if n_clusters > n:
        raise ValueError(f"n_clusters is {n_clusters}, more than the {n} rows of {source}")
    return source


def _check_classes(table):
    """Labels that are all one, or all different, agree with every clustering of as many clusters."""
    known = pd.Series(table.target).dropna() if table.target is not None else pd.Series([1, 1, 2])
    if known.nunique() < 2 or known.nunique() == len(known):
        raise ValueError(
            f"label column {table.target_name!r} has {known.nunique()} different values in {len(known)} "
            "labelled rows: there is nothing to compare with. Leave the label out."
        )


def read_source(source, label=""):
    """Read a table from a CSV file or a data set's name.

    Parameters
    ----------
    source : str or path-like
        The file; where there is none of this name, a data set of `list_datasets`.
    label : str
        The file's label column; empty for none.

    Returns
    -------
    sklearn.utils.Bunch
        As `load_csv` and `load_dataset` give it.
    str
        The file's absolute path, or the data set's name.

    Raises
    ------
    ValueError
        If it is neither, or has no such label.
    """
    if not str(source):
        raise ValueError("no source is given: name a CSV file or a data set")
    path = Path(source)
    if path.is_file():
        return load_csv(path, label=label or None), str(path.absolute())
    if path.is_dir() or path.suffix or len(path.parts) > 1:
        raise ValueError(
            f"{source} is a folder, not a file" if path.is_dir() else f"there is no file {source}"
        )
    if label:
        raise ValueError(
            f"a label column ({label!r}) goes with a file; the data set {source} has labels of its own"
        )
    return load_dataset(str(source)), str(source)


def _fill(work, notebook, parameters, out, progress):
    """Write the five files to the working folder, and a failed run to the folder for the results."""
    # It writes to where it runs, so that a reader who runs report.ipynb again gets the files beside it.
    output = work / "report.ipynb"
    try:
        run_notebook(notebook, output, parameters | {"out": "."}, cwd=work, progress=progress)
    except NotebookError as error:
        if error.kept:
            error.kept = error.kept.replace(out / error.kept.name)
        raise
    to_html(output, work / "report.html", title=f"dendrolab: {Path(parameters['source']).stem}")
    missing = [name for name in REPORT_FILES if not (work / name).exists()]
    if missing:
        raise NotebookError(notebook, f"it did not write {', '.join(missing)}", None, None)


def best_scores(scores):
    """The best clusterings of a report in one line.

    Parameters
    ----------
    scores : path-like
        The report's `scores.json`.

    Returns
    -------
    str
        The three best by adjusted mutual information where labels were given, else by silhouette.
    """
    rows = json.loads(Path(scores).read_text(encoding="utf-8"))["scores"]
    key = "ami" if any(row.get("ami") is not None for row in rows) else "silhouette"
    rows = sorted((row for row in rows if row.get(key) is not None), key=lambda row: -row[key])
    if not rows:
        return "nothing to score: one cluster, or one for each object"
    return "; ".join(f"{row['representation']} + {row['clusterer']} {key} {row[key]:.3f}" for row in rows[:3])
