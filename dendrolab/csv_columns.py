"""From text cells to typed columns and features: decimal sign, numbers, booleans, text; refusals by cell."""

import re
from dataclasses import dataclass

import numpy as np

MAX_CATEGORIES = 20
MISSING = frozenset({"", "-", "?", "na", "n/a", "#n/a", "nan", "null", "<na>"})
BOOLEANS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"[+-]?([1-9]\d{0,2}(\.\d{3})+|\d+),\d*(e[+-]?\d+)?|[+-]?,\d+", re.IGNORECASE)
COMMA_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")
SPACE_GROUPS = re.compile(r"[+-]?\d{1,3}([ \u00a0\u202f'\u2019]\d{3})+([.,]\d*)?")
POINT_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+")


@dataclass
class Column:
    """One typed column: kind is "number", "boolean", "text" or "empty"."""

    name: str
    kind: str
    values: np.ndarray


def is_missing(cell):
    return cell.lower() in MISSING


def use_decimal_points(rows, lines, names, file_name):
    """Rewrite decimal commas and thousands signs as plain numbers; return new rows and what to say.

    A cell such as "12,5" or "0,125" can only have a decimal comma, "1,234.5" or "1,234,567" only thousands
    commas; "1,234" takes its reading from the other cells of the file, and without any it is refused.
    """
    rows, notes = without_space_groups(rows)
    kinds = {}
    if any("," in cell for row in rows for cell in row):
        kinds = first_cell_of_each_kind(rows, lines, names)
    check_one_decimal_sign(kinds, file_name)
    if "decimal comma" in kinds:
        return [[without_decimal_comma(cell) for cell in row] for row in rows], notes + decimal_comma_notes(
            kinds
        )
    if "thousands comma" in kinds or "unclear" in kinds:
        example = kinds.get("thousands comma") or kinds["unclear"]
        note = f"Commas were read as thousands signs (first in {example})."
        return [[without_groups(cell, COMMA_GROUPS, ",") for cell in row] for row in rows], [*notes, note]
    return rows, notes


def without_space_groups(rows):
    """Join numbers such as "1 234" and "1'234"; return new rows and what to say."""
    joined = [[re.sub(r"[^\d.,+-]", "", c) if SPACE_GROUPS.fullmatch(c) else c for c in row] for row in rows]
    return joined, [] if joined == rows else [
        "Spaces or apostrophes inside numbers were read as thousands signs."
    ]


def decimal_comma_notes(kinds):
    notes = ["Decimal commas were read as decimal points."]
    if "point groups" in kinds:
        notes.append(f"Points were read as thousands signs (first in {kinds['point groups']}).")
    return notes


def first_cell_of_each_kind(rows, lines, names):
    kinds = {}
    for line, row in zip(lines, rows, strict=True):
        for name, cell in zip(names, row, strict=True):
            kind = sign_kind(cell)
            if kind and kind not in kinds:
                kinds[kind] = f"line {line}, column {name!r}: {cell!r}"
    return kinds


def sign_kind(cell):
    if "," in cell:
        comma, groups = DECIMAL_COMMA.fullmatch(cell), COMMA_GROUPS.fullmatch(cell)
        return (
            "unclear"
            if comma and groups
            else "decimal comma"
            if comma
            else "thousands comma"
            if groups
            else None
        )
    if "." in cell:
        point, groups = NUMBER.fullmatch(cell), POINT_GROUPS.fullmatch(cell)
        return "point groups" if groups else "decimal point" if point else None
    return None


def check_one_decimal_sign(kinds, file_name):
    points = kinds.get("decimal point") or kinds.get("thousands comma")
    if "decimal comma" in kinds and points:
        raise ValueError(
            f"{file_name} mixes decimal commas ({kinds['decimal comma']}) and decimal points ({points}); "
            "write all numbers with one decimal sign"
        )
    if "unclear" in kinds and not points and "decimal comma" not in kinds:
        raise ValueError(
            f"{file_name}, {kinds['unclear']} may have a decimal or a thousands comma, and no other number "
            "of the file tells which; write numbers with a decimal point and no thousands sign"
        )


def without_decimal_comma(cell):
    if DECIMAL_COMMA.fullmatch(cell):
        return cell.replace(".", "").replace(",", ".")
    return without_groups(cell, POINT_GROUPS, ".")


def without_groups(cell, pattern, sign):
    return cell.replace(sign, "") if pattern.fullmatch(cell) else cell


def type_column(name, cells, lines, file_name):
    """Return the Column of some cells.

    Any number of cells may be missing. Of the others, all numbers make a number column, all true/false or
    yes/no a boolean one. Where more than half are numbers the rest are taken for slips and refused; else the
    column is text.
    """
    present = [cell for cell in cells if not is_missing(cell)]
    if not present:
        return Column(name, "empty", np.full(len(cells), np.nan))
    if all(cell.lower() in BOOLEANS for cell in present):
        return Column(name, "boolean", np.array([BOOLEANS.get(cell.lower(), np.nan) for cell in cells]))
    n_numbers = sum(is_numeric(cell) for cell in present)
    if n_numbers <= len(present) / 2:
        return Column(name, "text", np.array([None if is_missing(c) else c for c in cells], dtype=object))
    if n_numbers < len(present):
        refuse_stray_cell(name, cells, lines, file_name, len(present) - n_numbers, len(present))
    values = np.array([np.nan if is_missing(cell) else float(cell) for cell in cells])
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise ValueError(
            f"{file_name}, line {lines[row]}, column {name!r}: {cells[row]!r} is not finite; "
            "empty the cell, or leave the row out"
        )
    return Column(name, "number", values)


def is_numeric(cell):
    return bool(NUMBER.fullmatch(cell) or INFINITY.fullmatch(cell))


def refuse_stray_cell(name, cells, lines, file_name, n_stray, n_present):
    row = next(i for i, cell in enumerate(cells) if not is_missing(cell) and not is_numeric(cell))
    raise ValueError(
        f"{file_name}, line {lines[row]}, column {name!r}: {cells[row]!r} is not a number, but "
        f"{n_present - n_stray} of the column's {n_present} values are; "
        f"correct or empty the {n_stray} other cell(s), or remove the column from the file"
    )


def encode_features(columns, file_name):
    """Return the feature matrix, its names and what was done."""
    kinds = [f"{sum(c.kind == k for c in columns)} {k}" for k in ("number", "boolean", "text", "empty")]
    notes = [f"Feature columns by type: {', '.join(k for k in kinds if not k.startswith('0 '))}."]
    encoded = []
    for column in columns:
        encoded += encode_text(column, notes) if column.kind == "text" else [(column.name, column.values)]
    if not encoded:
        raise ValueError(
            f"{file_name} has no usable feature: its columns besides label and row names are text of more "
            f"than {MAX_CATEGORIES} different values, or there are none. "
            "Check the delimiter and the label column."
        )
    feature_names = unique_names([name for name, _ in encoded])
    return np.column_stack([values for _, values in encoded]).astype(np.float64), feature_names, notes


def encode_text(column, notes):
    present = [value for value in column.values if value is not None]
    categories = sorted(set(present))
    if len(categories) > MAX_CATEGORIES:
        notes.append(
            f"Text column {column.name!r} was left out: {len(categories)} different values, "
            f"more than {MAX_CATEGORIES}."
        )
        return []
    notes.append(f"Text column {column.name!r} was one-hot encoded: {len(categories)} different values.")
    missing = column.values == None  # noqa: E711  (elementwise on an object array)
    return [(f"{column.name}={c}", np.where(missing, np.nan, column.values == c)) for c in categories]


def unique_names(names):
    """Return the names with ``.1``, ``.2``, ... after those that were there before."""
    taken, result = set(names), []
    seen = set()
    for name in names:
        new, count = name, 0
        while new in seen or (count and new in taken):
            count += 1
            new = f"{name}.{count}"
        seen.add(new)
        result.append(new)
    return result
