"""The project's own notebooks: which there are, and where."""

import re
from pathlib import Path

from .parameters import read_notebook
from .resources import resource_folder
from .validation import suggest
from .webpage import notebook_title


def list_notebooks():
    """Number, title and minutes of each notebook.

    Returns
    -------
    list of tuple
        One (number, title, minutes) a notebook, all text; minutes is "?" where the first cell says none.
    """
    return [(path.stem[:2], notebook_title(path), _minutes(path)) for path in _numbered()]


def find_notebook(name):
    """The notebook of a path, a number or a name.

    Parameters
    ----------
    name : str or path-like
        A file, or "09", "9" or "09_cluster_your_data" for one of the project's own.

    Returns
    -------
    pathlib.Path
        Where it is.

    Raises
    ------
    ValueError
        If there is none.
    """
    if Path(name).is_file():
        return Path(name)
    ours = {path.stem: path for path in _numbered()}
    number = str(name).zfill(2)
    for stem, path in ours.items():
        if name == stem or number == stem[:2]:
            return path
    raise ValueError(
        f"there is no notebook {str(name)!r}, neither as a file nor among ours; {suggest(name, ours)}"
    )


def _numbered():
    return sorted(resource_folder("notebooks").glob("[0-9][0-9]_*.ipynb"))


def _minutes(path):
    first = next((cell["source"] for cell in read_notebook(path)["cells"]), "")
    minutes = re.search(r"(\d+)\s*min", first)
    return minutes.group(1) if minutes else "?"
