"""Runs of a notebook over a grid of parameters; one run and its checks are imported from here too."""

import hashlib
import itertools
import json
import platform
import shutil
import sys
import time
from contextlib import contextmanager, nullcontext
from importlib import metadata
from pathlib import Path

from ._version import __version__
from .execution import NotebookError, optional_module, run_notebook
from .files import whole_file, write_text
from .parameters import check_parameters, notebook_parameters
from .webpage import to_html

__all__ = [
    "NotebookError",
    "check_parameters",
    "notebook_parameters",
    "run_notebook",
    "sweep",
    "to_html",
]

RECORDED_PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "papermill")


def sweep(notebook, grid, out, jobs=1, backend="loky", progress=True):
    """Run a notebook once for each cell of a grid of parameters.

    Parameters
    ----------
    notebook : path-like
        The notebook to run. If it has a parameter `out`, that gets the folder of the run, where it may write
        `scores.json`; the numbers, texts and truth values at the top level of that file become columns.
    grid : dict
        List of values by parameter name; every combination is run.
    out : path-like
        The folder for `summary.csv`, `manifest.json` and one folder per run.
    jobs : int
        Runs side by side; -1 for one per core.
    backend : {"loky", "dask"}
        joblib's backend. "dask" uses the current `distributed.Client` or else starts one on this machine.
    progress : bool
        Show a bar on standard error, if that is a terminal.

    Returns
    -------
    pandas.DataFrame
        One row per run in the grid's order: run, the parameters, status ("ok" or "failed"), seconds, error
        and scores; a score called like a parameter becomes `scores.NAME`.

    Raises
    ------
    ValueError
        If a parameter or value does not fit the notebook, or `jobs` or `backend` is unknown; before any run.
    ImportError
        If papermill, or dask where it is asked for, is not installed.

    Notes
    -----
    A failed run does not stop the others. Called again with the same `out`, runs that ended well with the
    same parameters, the same notebook and the same version of dendrolab are not run again.
    """
    optional_module("papermill")
    cells = _cells(notebook, grid)
    out, digest = Path(out).absolute(), _sha256(notebook)
    with _parallel_backend(backend, jobs):
        records = _run_all([(notebook, cell, out, digest) for cell in cells], jobs, progress)
    summary = _summary(records, out)
    with whole_file(out / "summary.csv") as part:
        summary.to_csv(part, index=False)
    write_text(out / "manifest.json", json.dumps(_manifest(notebook, digest, grid, cells, records), indent=2))
    return summary


def _cells(notebook, grid):
    for name, values in grid.items():
        if isinstance(values, str) or not hasattr(values, "__len__") or not len(values):
            raise ValueError(f"grid: {name!r} needs a list of one or more values, got {values!r}")
    if "out" in grid:
        raise ValueError(
            "grid: 'out' is the folder of each run and is set by the sweep; leave it out of the grid"
        )
    products = itertools.product(*grid.values())
    return _distinct(check_parameters(notebook, dict(zip(grid, values, strict=True))) for values in products)


def _parallel_backend(backend, jobs):
    if not isinstance(jobs, int) or (jobs < 1 and jobs != -1):
        raise ValueError(f"jobs is {jobs!r}; expected a whole number of at least 1, or -1 for one per core")
    if backend == "loky":
        return nullcontext()
    if backend == "dask":
        return _dask_backend(jobs)
    raise ValueError(f"backend is {backend!r}; expected 'loky' or 'dask'")


@contextmanager
def _dask_backend(jobs):
    import joblib

    try:
        from distributed import Client, get_client
    except ModuleNotFoundError as error:
        raise ImportError("backend 'dask' needs dask: pip install 'dask[distributed]'") from error
    try:
        client = nullcontext(get_client())
    except ValueError:  # there is none yet
        client = Client(n_workers=None if jobs == -1 else jobs, threads_per_worker=1)
    with client, joblib.parallel_config("dask"):
        yield


def _run_all(tasks, jobs, progress):
    from joblib import Parallel, delayed
    from tqdm import tqdm

    runs = Parallel(n_jobs=jobs, return_as="generator")(delayed(_run_cell)(*task) for task in tasks)
    bar = tqdm(runs, total=len(tasks), desc="Runs", disable=not (progress and sys.stderr.isatty()))
    return list(bar)


def _run_cell(notebook, parameters, out, digest):
    folder = out / _name(parameters)
    record = {"run": folder.name, "parameters": parameters, "notebook_sha256": digest}
    record["dendrolab"] = __version__
    done = _read_json(folder / "run.json")
    if done.get("status") == "ok" and all(done.get(key) == record[key] for key in record):
        return done
    shutil.rmtree(folder, ignore_errors=True)  # nothing of an earlier run may pass for this one's
    folder.mkdir(parents=True)
    record |= _timed_run(notebook, folder, parameters)
    write_text(folder / "run.json", json.dumps(record, indent=2))
    return record


def _timed_run(notebook, folder, parameters):
    notebook = Path(notebook)
    own_folder = {"out": str(folder)} if "out" in notebook_parameters(notebook) else {}
    start, output = time.perf_counter(), folder / notebook.name
    try:
        run_notebook(notebook, output, parameters | own_folder, progress=False)
        status, error = "ok", ""
    except NotebookError as failure:
        status, error, output = "failed", failure.error, failure.kept
    seconds = round(time.perf_counter() - start, 2)
    return {"notebook": output and output.name, "status": status, "seconds": seconds, "error": error}


def _summary(records, out):
    import pandas as pd

    return pd.DataFrame([_row(record, _read_json(out / record["run"] / "scores.json")) for record in records])


def _row(record, scores):
    row = {"run": record["run"]} | record["parameters"]
    row |= {key: record[key] for key in ("status", "seconds", "error")}
    scalars = {key: value for key, value in scores.items() if isinstance(value, str | bool | int | float)}
    return row | {f"scores.{key}" if key in row else key: value for key, value in scalars.items()}


def _manifest(notebook, digest, grid, cells, records):
    return {
        "notebook": Path(notebook).name,
        "notebook_sha256": digest,
        "dendrolab": __version__,
        "python": platform.python_version(),
        "packages": {package: metadata.version(package) for package in RECORDED_PACKAGES},
        "grid": {name: _distinct(cell[name] for cell in cells) for name in grid},
        "runs": [{key: r[key] for key in ("run", "parameters", "status", "notebook")} for r in records],
    }


def _distinct(values):
    return [json.loads(text) for text in dict.fromkeys(map(json.dumps, values))]


def _name(parameters):
    """A name that stays when the grid grows, so that runs that are done are found again."""
    return hashlib.sha256(json.dumps(parameters, sort_keys=True).encode()).hexdigest()[:12]


def _sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _read_json(path):
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
