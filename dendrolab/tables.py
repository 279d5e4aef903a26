"""A user's table as arrays: ``load_csv`` reads it, ``prepare_table`` makes it ready for clustering."""

import operator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.preprocessing import RobustScaler, StandardScaler
from sklearn.utils import Bunch

from .csv_columns import NUMBER, encode_features, is_missing, type_column, unique_names, use_decimal_points
from .csv_text import counts_rows, read_text_table
from .validation import suggest

_LABEL_NAMES = ("label", "labels", "class", "target", "species", "y")
SCALES = {"none": None, "standard": StandardScaler, "robust": RobustScaler}


def load_csv(path, label=None):
    """Read a table of measurements from a CSV file.

    Parameters
    ----------
    path : str or path-like
        The file: comma, semicolon, tab or pipe between fields; UTF-8, UTF-16 or an older Western encoding;
        decimal points or commas; ``.gz`` is unpacked.
    label : str or int, optional
        The column with class labels, by name or position (negative counts from the end); not a feature.

    Returns
    -------
    sklearn.utils.Bunch
        - ``data`` : float64 array (n, d), missing values as NaN
        - ``feature_names`` : list of d different names; a one-hot column is called ``"column=value"``
        - ``target`` : None without `label`; integers where every label is one; else text, None where missing
        - ``target_name`` : the label column's name, or None
        - ``frame`` : pandas DataFrame of the file's columns
        - ``notes`` : list of sentences: what was read and what was done to it
        - ``DESCR``, ``filename`` : the notes as one text; the path

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is no table (line and column are named) or has no such label column.

    Notes
    -----
    Cells that are empty or say NA, N/A, NaN, null or ? are missing. A column is numeric if all its other
    cells are numbers; if more than half are, the rest are refused as slips; otherwise it is text. Text
    columns of at most 20 different values are one-hot encoded, others left out. The first line is data,
    not a header, if each of its cells is a number or a text that comes again in its column. A first
    column without a name, or one called id or index that counts the rows, is taken as row names.

    Examples
    --------
    >>> from dendrolab import load_csv
    >>> from dendrolab.resources import resource_folder
    >>> table = load_csv(resource_folder("data") / "messy_table.csv", label="species")
    >>> table.data.shape, table.feature_names
    ((12, 4), ['leaf length', 'leaf width', 'site=north', 'site=south'])
    """
    path = Path(path)
    table = read_text_table(path)
    names, rows, lines = split_header(table)
    label_at = find_label(names, label)
    rows, sign_notes = use_decimal_points(rows, lines, names, table.name)
    cells = list(zip(*rows, strict=True))
    index_at = find_index_column(names, cells, label_at)
    columns = [
        type_column(name, column, lines, table.name)
        for i, (name, column) in enumerate(zip(names, cells, strict=True))
        if i not in (label_at, index_at)
    ]
    notes = [*table.notes, f"The table has {len(rows)} rows and {len(names)} columns.", *sign_notes]
    if index_at is not None:
        notes.append(f"The first column ({names[0]!r}) was taken as row names, not as a feature.")
    data, feature_names, feature_notes = encode_features(columns, table.name)
    target = None if label_at is None else parse_labels(cells[label_at], names[label_at], notes)
    notes += feature_notes
    notes += [
        f"Column {name!r} may hold classes; name it as the label if it is no measurement."
        for i, name in enumerate(names)
        if label_at is None and i != index_at and name.lower() in _LABEL_NAMES
    ]
    return Bunch(
        data=data,
        feature_names=feature_names,
        target=target,
        target_name=None if label_at is None else names[label_at],
        frame=as_frame(names, columns, cells, label_at, index_at, target),
        notes=notes,
        DESCR="\n".join(notes),
        filename=str(path),
    )


def split_header(table):
    """Return column names, data rows and their lines; add to the notes what was done to the names."""
    first, rest = table.rows[0], table.rows[1:]
    if reads_as_data(first, rest):
        table.notes.append("The first line is data, not a header: columns are called f0, f1, ...")
        return [f"f{i}" for i in range(len(first))], table.rows, table.lines
    if not rest:
        raise ValueError(f"{table.name} has a header in line {table.lines[0]} and no rows below it")
    if any(NUMBER.fullmatch(name) for name in first):
        table.notes.append("Some column names are numbers; the first line was still taken as the header.")
    names = unique_names([name or f"Unnamed: {i}" for i, name in enumerate(first)])
    renamed = [f"{old!r} to {new!r}" for old, new in zip(first, names, strict=True) if old and old != new]
    if renamed:
        table.notes.append(f"Repeated column names were changed: {', '.join(renamed)}.")
    return names, rest, table.lines[1:]


def reads_as_data(first, rest):
    numbers = [bool(NUMBER.fullmatch(cell.replace(",", "."))) for cell in first]
    if all(numbers):
        return True
    below = list(zip(*rest, strict=True)) or [()] * len(first)
    repeated = [bool(cell) and cell in column for cell, column in zip(first, below, strict=True)]
    return any(numbers) and all(n or r for n, r in zip(numbers, repeated, strict=True))


def find_label(names, label):
    """Return the label column's position, or None."""
    if label is None:
        return None
    if isinstance(label, str):
        if label in names:
            return names.index(label)
        raise ValueError(f"there is no label column {label!r}; {suggest(label, names)}")
    position = operator.index(label)
    if not -len(names) <= position < len(names):
        raise ValueError(f"label position {position} is outside the table's {len(names)} columns")
    return position % len(names)


def find_index_column(names, cells, label_at):
    """Return 0 if the first column holds row names, else None."""
    if label_at == 0 or len(names) == 1:
        return None
    name = names[0].lower()
    return 0 if name.startswith("unnamed") or (name in ("id", "index") and counts_rows(cells[0])) else None


def parse_labels(cells, name, notes):
    """Return labels as integers where all are, else as text with None for gaps; add to the notes."""
    gaps = [is_missing(cell) for cell in cells]
    if all(gaps):
        raise ValueError(f"the label column {name!r} has no value in any row")
    if not any(gaps) and all(is_integer(cell) for cell in cells):
        target = np.array([int(float(cell)) for cell in cells], dtype=np.int64)
    else:
        target = np.array([None if gap else c for c, gap in zip(cells, gaps, strict=True)], dtype=object)
    n_classes = len(set(target.tolist()) - {None})
    notes.append(f"Column {name!r} holds the labels: {n_classes} different values, {sum(gaps)} missing.")
    return target


def is_integer(cell):
    # Above 2**53 a float does not hold every integer: such numbers are identifiers and stay text.
    return bool(NUMBER.fullmatch(cell)) and float(cell).is_integer() and abs(float(cell)) < 2**53


def as_frame(names, columns, cells, label_at, index_at, target):
    """Return the file's columns, typed, as a DataFrame in their order."""
    values = {column.name: column.values for column in columns}
    if label_at is not None:
        values[names[label_at]] = target
    index = None if index_at is None else pd.Index(cells[index_at], name=names[index_at])
    order = [name for i, name in enumerate(names) if i != index_at]
    return pd.DataFrame({name: values[name] for name in order}, index=index)


def prepare_table(data, feature_names, scale="none"):
    """Fill missing values, drop constant columns and scale the rest.

    Parameters
    ----------
    data : array-like of shape (n, d)
        Numbers, NaN where missing. Not modified.
    feature_names : sequence of str
        One name a column.
    scale : {"none", "standard", "robust"}, default "none"
        "standard" gives mean 0 and standard deviation 1, "robust" median 0 and interquartile range 1.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (float64, finite, n rows), ``feature_names`` of the columns kept, ``notes`` on what was done.

    Raises
    ------
    ValueError
        For fewer than 2 rows, infinite values, an unknown scale, or when no column is left.

    Examples
    --------
    >>> from dendrolab import prepare_table
    >>> table = prepare_table([[1, 7], [float("nan"), 7], [4, 7]], ["a", "b"])
    >>> table.data.ravel()
    array([1. , 2.5, 4. ])
    >>> table.notes
    ["Column 'a': 1 missing value(s) replaced by the median 2.5.", "Constant columns dropped: 'b'."]
    """
    if scale not in SCALES:
        raise ValueError(f"scale must be one of {', '.join(map(repr, SCALES))}; got {scale!r}")
    data = np.asarray(data, dtype=np.float64)
    names = [str(name) for name in feature_names]
    check_preparable(data, names)
    notes = []
    keep = ~np.isnan(data).all(axis=0)
    if not keep.all():
        notes.append(f"Columns without any value dropped: {listed(names, ~keep)}.")
    data, names = data[:, keep], [n for n, k in zip(names, keep, strict=True) if k]
    fill_with_medians(data, names, notes)
    varies = (data != data[:1]).any(axis=0)
    if not varies.all():
        notes.append(f"Constant columns dropped: {listed(names, ~varies)}.")
    data, names = data[:, varies], [n for n, v in zip(names, varies, strict=True) if v]
    if not names:
        raise ValueError("no column is left: each is constant or has no value, so all rows are the same")
    return Bunch(data=scaled(data, names, scale, notes), feature_names=names, notes=notes)


def check_preparable(data, names):
    if data.ndim != 2 or data.shape[1] != len(names):
        raise ValueError(f"data must be a table with {len(names)} named columns; its shape is {data.shape}")
    if len(data) < 2:
        raise ValueError(f"at least 2 rows are needed to cluster; the table has {len(data)}")
    if np.isinf(data).any():
        row, column = np.argwhere(np.isinf(data))[0]
        raise ValueError(
            f"row {row}, column {names[column]!r} is {data[row, column]}; replace infinite values"
        )


def listed(names, mask):
    return ", ".join(repr(name) for name, chosen in zip(names, mask, strict=True) if chosen)


def fill_with_medians(data, names, notes):
    """Replace NaN in place by the column's median and say how many."""
    for j in np.flatnonzero(np.isnan(data).any(axis=0)):
        missing = np.isnan(data[:, j])
        median = np.median(data[~missing, j])
        data[missing, j] = median
        notes.append(
            f"Column {names[j]!r}: {missing.sum()} missing value(s) replaced by the median {median:g}."
        )


def scaled(data, names, scale, notes):
    if scale == "none":
        spread = data.std(axis=0)
        if spread.max() > 10 * spread.min():
            widest, ratio = names[spread.argmax()], spread.max() / spread.min()
            notes.append(
                f"Nothing was scaled, though column {widest!r} spreads {ratio:.3g} times as far as the "
                "narrowest: it dominates the distances. Consider the scale 'standard'."
            )
        return data
    notes.append(f"Every column scaled: {scale}.")
    scaler = SCALES[scale]().fit(data)
    if scale == "robust":
        no_spread = np.subtract(*np.percentile(data, [75, 25], axis=0)) == 0
        if no_spread.any():
            notes.append(f"Interquartile range 0, so only centred by the median: {listed(names, no_spread)}.")
    return scaler.transform(data)
