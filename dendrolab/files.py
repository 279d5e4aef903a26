"""Files written whole or not at all."""

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path):
    """A path to write to; it becomes `path` when the block ends, and nothing when the block fails.

    Parameters
    ----------
    path : path-like
        The file to make. Its folder is made when it is missing; an older file is replaced.

    Yields
    ------
    pathlib.Path
        A file of the same name in a folder that lives as long as the block.

    Examples
    --------
    >>> folder = Path(tempfile.mkdtemp())
    >>> with whole_file(folder / "labels.csv") as part:
    ...     _ = part.write_text("label\\n")
    >>> [path.name for path in folder.iterdir()]
    ['labels.csv']
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Beside the target, so that the move stays on one file system and is one step.
    with tempfile.TemporaryDirectory(prefix=f".{path.stem}-", dir=path.parent) as folder:
        part = Path(folder) / path.name
        yield part
        os.replace(part, path)


def write_text(path, text):
    """Write text to a file, whole or not at all.

    Parameters
    ----------
    path : path-like
        The file to make.
    text : str
        What it holds; written as UTF-8.
    """
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8")
