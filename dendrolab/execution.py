"""One run of a notebook through papermill, in the interpreter that asks for it."""

import importlib
import os
import re
import sys
from contextlib import contextmanager
from pathlib import Path

from .files import whole_file
from .parameters import check_parameters

KERNEL = "python3"


class NotebookError(RuntimeError):
    """A cell of a notebook failed, or its kernel died.

    Parameters
    ----------
    notebook : path-like
        The notebook that was run.
    error : str
        The error's name and message.
    cell : int or None
        The number in the failing cell's prompt, if a cell is to blame.
    kept : pathlib.Path or None
        The executed notebook, kept for inspection.
    """

    def __init__(self, notebook, error, cell, kept):
        super().__init__(notebook, error, cell, kept)
        self.notebook, self.error, self.cell, self.kept = Path(notebook).name, error, cell, kept

    def __str__(self):
        """The failing cell, its error and where to look, in one line."""
        place = f"cell [{self.cell}] of {self.notebook}" if self.cell else self.notebook
        return f"{place} failed: {self.error}" + (f" (the run is kept in {self.kept})" if self.kept else "")


def run_notebook(notebook, output, parameters=None, cwd=None, progress=True, timeout=None):
    """Run a notebook with other parameters and write the executed notebook.

    Parameters
    ----------
    notebook : path-like
        The notebook to run; it is not changed.
    output : path-like
        Where the executed notebook goes; written whole or not at all.
    parameters : dict, optional
        Value by name; the others keep the notebook's defaults.
    cwd : path-like, optional
        The folder that the notebook runs in; without it the notebook's own.
    progress : bool
        Show a bar on standard error, if that is a terminal.
    timeout : float, optional
        Seconds that one cell may take; without it there is no limit.

    Returns
    -------
    pathlib.Path
        The executed notebook.

    Raises
    ------
    ValueError
        If a parameter is unknown, of the wrong type or not to be cast; before anything runs.
    NotebookError
        If a cell fails. The run is then kept beside the output, its name ending in `-failed.ipynb`.
    ImportError
        If papermill is not installed.
    """
    papermill = optional_module("papermill")
    values = check_parameters(notebook, parameters or {})
    output = Path(output).absolute()
    failed = output.with_name(f"{output.stem}-failed.ipynb")
    with whole_file(output) as part, _failures_kept(notebook, part, failed):
        papermill.execute_notebook(
            _read(notebook),
            _literal(part),
            values,
            kernel_name=KERNEL,
            language="python",
            progress_bar=bool(progress and sys.stderr.isatty()),
            resources={"metadata": {"path": str(Path(cwd or Path(notebook).parent).absolute())}},
            execution_timeout=timeout,
            kernel_manager_class=this_interpreter(),
            record_timing=False,
        )
        _clean(part)
    failed.unlink(missing_ok=True)
    return output


def optional_module(name):
    """Import a module that comes with the extra `notebooks`.

    Parameters
    ----------
    name : str
        The module's name.

    Returns
    -------
    module
        The module.

    Raises
    ------
    ImportError
        If it is not installed; the message says how to install it.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ImportError(f"{error.name} is not installed: pip install 'dendrolab[notebooks]'") from error


def this_interpreter():
    """A kernel manager that starts the running interpreter, whatever kernels are registered.

    Returns
    -------
    type
        A subclass of `jupyter_client.AsyncKernelManager`.
    """
    from ipykernel.kernelspec import get_kernel_dict
    from jupyter_client import AsyncKernelManager
    from jupyter_client.kernelspec import KernelSpec

    class ThisInterpreter(AsyncKernelManager):
        @property
        def kernel_spec(self):
            # A `python3` registered in the user's home goes before the environment's own. The log level keeps
            # ipykernel's own remarks (loopback is not encrypted, the run was interrupted) off the terminal.
            return KernelSpec(**get_kernel_dict(extra_arguments=["--log-level=CRITICAL"]))

    return ThisInterpreter


@contextmanager
def _failures_kept(notebook, part, failed):
    """Move what ran to its own name when a cell fails, and say which."""
    from papermill import PapermillExecutionError

    try:
        yield
    except PapermillExecutionError as error:
        reason, cell = f"{error.ename}: {error.evalue}", error.exec_count
        raise NotebookError(notebook, _short(reason), cell, _keep(part, failed)) from error
    except (
        RuntimeError,
        TimeoutError,
    ) as error:  # nbclient's for a dead kernel and for a cell that takes too long
        reason = f"{type(error).__name__}: {error}"
        raise NotebookError(notebook, _short(reason), None, _keep(part, failed)) from error


def _keep(part, failed):
    if not part.exists():
        return None
    _clean(part)
    os.replace(part, failed)
    return failed


def _short(text, limit=300):
    from papermill.exceptions import strip_color

    words = " ".join(strip_color(text).split())
    return words if len(words) <= limit else words[: limit - 4] + " ..."


def _literal(path):
    """papermill takes braces in a path for places where parameters go."""
    return re.sub(r"[{}]", lambda brace: brace[0] * 2, str(path))


def _read(notebook):
    import nbformat

    return nbformat.read(notebook, as_version=4)


def _clean(notebook):
    """Take out papermill's record of paths and times."""
    import nbformat

    content = _read(notebook)
    for holder in (content, *content.cells):
        holder.metadata.pop("papermill", None)
    nbformat.write(content, notebook)
