"""Where the package finds its data registry and its notebooks."""

from pathlib import Path

PACKAGE = Path(__file__).parent


def resource_folder(name):
    """Return the folder ``data`` or ``notebooks`` that belongs to this installation.

    Parameters
    ----------
    name : {"data", "notebooks"}
        Which folder.

    Returns
    -------
    pathlib.Path
        Inside the package where it was installed from a wheel, beside it in a checkout.

    Raises
    ------
    FileNotFoundError
        If the installation has neither.

    Examples
    --------
    >>> from dendrolab.resources import resource_folder
    >>> (resource_folder("data") / "registry.json").exists()
    True
    """
    candidates = [PACKAGE / name, PACKAGE.parent / name]
    for folder in candidates:
        if folder.is_dir():
            return folder
    raise FileNotFoundError(
        f"this installation of dendrolab has no folder {name!r}; looked for {candidates[0]} and "
        f"{candidates[1]}. Install dendrolab again, or work in a clone of its repository."
    )
