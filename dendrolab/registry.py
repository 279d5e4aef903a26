"""The registry of data sets that are fetched: its entries, their files' layout, and what they must hold."""

import hashlib
import json
from collections import Counter

import numpy as np

from .csv_columns import is_missing
from .resources import resource_folder
from .tables import parse_labels


def read_registry():
    """Return the entries of ``data/registry.json`` by name."""
    return json.loads((resource_folder("data") / "registry.json").read_text(encoding="utf-8"))["datasets"]


def content_checksum(data, target):
    """Return the SHA-256 of a parsed table; rows and columns count in their order.

    The bytes are the shape, the numbers as little-endian float64 with one bit pattern for NaN and +0 for -0,
    and the labels as UTF-8 text, one a line.
    """
    numbers = np.array(data, dtype="<f8", order="C") + 0.0
    numbers[np.isnan(numbers)] = np.nan
    labels = "\n".join(str(label) for label in target)
    digest = hashlib.sha256(f"{numbers.shape[0]} {numbers.shape[1]}\n".encode())
    digest.update(numbers.tobytes())
    digest.update(labels.encode("utf-8"))
    return digest.hexdigest()


def describe_content(data, target):
    """Return the facts of a parsed table that the registry records."""
    return {
        "rows": data.shape[0],
        "columns": data.shape[1],
        "missing": int(np.isnan(data).sum()),
        "classes": {str(label): count for label, count in sorted(Counter(target.tolist()).items())},
        "sha256": content_checksum(data, target),
    }


def check_content(name, data, target, expected):
    """Raise ValueError if a parsed table is not what the registry expects; a null fact is not compared."""
    found = describe_content(data, target)
    wrong = [key for key in found if expected[key] is not None and expected[key] != found[key]]
    if wrong:
        facts = "; ".join(f"{key} {found[key]}, expected {expected[key]}" for key in wrong)
        raise ValueError(f"the file of data set {name!r} is damaged or another one: {facts}")


def expected_of_original(entry):
    """Return the facts that the source's own file must have, where they differ from the plain copy's."""
    return entry["content"] | entry.get("original", {})


def parse_original(name, entry, contents):
    """Return numbers and labels from the contents of the source's own files.

    Parameters
    ----------
    name : str
        The data set, for messages.
    entry : dict
        Its registry entry; ``entry["layout"]`` says how a line splits, and where features and label stand.
    contents : list of bytes
        The files, in the order of ``entry["members"]``.

    Returns
    -------
    data : ndarray of shape (n, d)
        Numbers, NaN where missing.
    target : ndarray of shape (n,)
        Labels.

    Raises
    ------
    ValueError
        If the files do not have this layout.
    """
    layout = entry["layout"]
    rows = [row for content in contents for row in split_lines(content, layout)]
    if layout.get("wide"):
        rows = [[value, str(i), row[0]] for row in rows for i, value in enumerate(row[1:], start=1)]
    try:
        data = np.array([numbers_of(row[slice(*layout["features"])]) for row in rows], dtype=np.float64)
        labels = [label_of(i, row, layout["label"]) for i, row in enumerate(rows)]
        if data.ndim != 2:
            raise ValueError("it has no rows")
    except (ValueError, IndexError) as error:
        raise ValueError(f"the file of data set {name!r} is not laid out as expected: {error}") from error
    if layout.get("sort_by_label"):
        order = sorted(range(len(labels)), key=labels.__getitem__)
        data, labels = data[order], [labels[i] for i in order]
    return data, parse_labels(labels, "label", [])


def split_lines(content, layout):
    lines = content.decode("utf-8-sig", errors="replace").splitlines()
    rows = [[cell.strip() for cell in line.split(layout["separator"])] for line in lines if line.strip()]
    return rows[1:] if layout.get("header") else rows


def numbers_of(cells):
    return [np.nan if is_missing(cell) else float(cell) for cell in cells]


def label_of(i, row, where):
    """Return a row's label: from a column, from 0/1 columns at the end, or from its place in the file."""
    if isinstance(where, int):
        return row[where]
    if "rows_per_class" in where:
        return str(i // where["rows_per_class"])
    flags = numbers_of(row[where["one_hot"] :])
    return str(flags.index(1.0))
