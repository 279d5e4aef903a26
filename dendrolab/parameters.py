"""The parameters of a notebook: read from its tagged cell, and checked before a run.

papermill itself warns of an unknown name and goes on, does not compare types, and turns what it does not
know (a NumPy integer, a tuple, a path) into text. So names, types and values are checked here first.
"""

import ast
import json
import os
from numbers import Integral, Real
from pathlib import Path

from .validation import suggest

_TEXT_OF_TYPE = {bool: "True or False", int: "a whole number", float: "a number", str: "text", list: "a list"}


def read_notebook(notebook):
    """Read a notebook's JSON.

    Parameters
    ----------
    notebook : path-like
        A notebook of format 4.

    Returns
    -------
    dict
        The notebook; the source of each cell as one string.

    Raises
    ------
    ValueError
        If the file is not a notebook.
    FileNotFoundError
        If there is no such file.
    """
    try:
        content = json.loads(Path(notebook).read_text(encoding="utf-8"))
        for cell in content["cells"]:
            cell["source"] = "".join(cell["source"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{notebook} is not a notebook of format 4: {error}") from error
    return content


def notebook_parameters(notebook):
    """The names and defaults in the cell tagged `parameters`.

    Parameters
    ----------
    notebook : path-like
        The notebook to read.

    Returns
    -------
    dict
        Default by name, in the cell's order.

    Raises
    ------
    ValueError
        If the notebook has no such cell or several, or the cell holds more than literals.
    """
    cells = [cell for cell in read_notebook(notebook)["cells"] if "parameters" in _tags(cell)]
    if len(cells) != 1:
        raise ValueError(
            f"{notebook} has {len(cells)} cells tagged 'parameters'; a notebook to run needs exactly one"
        )
    return dict(_assignment(statement, notebook) for statement in ast.parse(cells[0]["source"]).body)


def check_parameters(notebook, parameters):
    """Check values against the notebook's own parameters and cast them to builtins.

    Parameters
    ----------
    notebook : path-like
        The notebook to run.
    parameters : dict
        Value by name. NumPy and pandas values, tuples and paths are cast, also inside lists and dicts.

    Returns
    -------
    dict
        The same names with values of None, bool, int, float, str, list and dict alone.

    Raises
    ------
    ValueError
        If a name is unknown, a value cannot be cast, or its type is not the default's (None takes any).
    """
    defaults = notebook_parameters(notebook)
    for name in parameters:
        if name not in defaults:
            raise ValueError(f"{Path(notebook).name} has no parameter {name!r}; {suggest(name, defaults)}")
    return {
        name: _matching(name, _builtin(name, value), defaults[name]) for name, value in parameters.items()
    }


def _tags(cell):
    return cell["metadata"].get("tags", [])


def _assignment(statement, notebook):
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    try:
        (target,) = targets
        return target.id, ast.literal_eval(statement.value)
    except (AttributeError, ValueError, TypeError) as error:
        raise ValueError(
            f"the parameters cell of {Path(notebook).name} holds {ast.unparse(statement)!r}; it may hold "
            "only `name = literal` lines: compute other values in the next cell"
        ) from error


def _builtin(name, value):
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {str(key): _builtin(name, item) for key, item in value.items()}
    if isinstance(value, list | tuple | range):
        return [_builtin(name, item) for item in value]
    for builtin, kind in ((str, str), (int, Integral), (float, Real)):
        if isinstance(value, kind):
            return builtin(value)
    return _unwrapped(name, value)


def _unwrapped(name, value):
    """Arrays, Series and scalars that are no numbers (numpy.bool) say what they are in builtins."""
    plain = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(plain, bool | list):
        return _builtin(name, plain)
    if hasattr(plain, "isoformat") and plain == plain:  # a date or a Timestamp; NaT is not equal to itself
        return plain.isoformat()
    raise ValueError(
        f"parameter {name!r}: {value!r} of type {type(value).__name__} cannot be written into a notebook; "
        "pass numbers, text, True, False, None, or lists and dicts (with text keys) of these"
    )


def _matching(name, value, default):
    kind = list if isinstance(default, tuple) else type(default)
    if default is None or type(value) is kind:
        return value
    if kind is float and type(value) is int:
        return float(value)
    raise ValueError(
        f"parameter {name!r} is {value!r}; expected {_TEXT_OF_TYPE.get(kind, 'a ' + kind.__name__)}"
    )
