"""From a file to rows of text cells: encoding, delimiter, records, and refusals that name the line."""

import codecs
import csv
import gzip
import io
import zlib
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

# In order of preference where two fit equally well: decimal commas also split a file evenly.
DELIMITERS = {";": "semicolon", "\t": "tab", "|": "pipe", ",": "comma"}
ENCODINGS = {"utf-8-sig": "UTF-8", "utf-16": "UTF-16", "cp1252": "Windows-1252", "latin-1": "Latin-1"}
SAMPLE_ROWS = 100
SAMPLE_CHARACTERS = 100_000


@dataclass
class TextTable:
    """Rows of stripped text cells, all of one width, with the line each row starts on."""

    name: str
    rows: list
    lines: list
    notes: list


def read_text_table(path):
    """Read a delimited text file into a TextTable; raise ValueError with the line where it is malformed."""
    path = Path(path)
    text, encoding = decode(read_bytes(path), path.name)
    delimiter = guess_delimiter(text)
    records = [(line, row) for line, row in read_records(text, delimiter, path.name) if not is_blank(row)]
    if not records:
        raise ValueError(f"{path.name} is empty; a table needs a header and at least one row")
    lines, rows = [line for line, _ in records], [[cell.strip() for cell in row] for _, row in records]
    notes = [f"Read {path.name} as {DELIMITERS[delimiter]}-delimited {ENCODINGS[encoding]} text."]
    if encoding in ("cp1252", "latin-1"):
        notes.append(f"The file is not UTF-8; {ENCODINGS[encoding]} was assumed, so check accented letters.")
    notes += drop_empty_tail(rows, lines)
    name_row_names(rows)
    check_widths(rows, lines, path.name)
    return TextTable(path.name, rows, lines, notes)


def read_bytes(path):
    """Return the content of a file, unpacked where it ends in .gz."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder; give the path of a CSV file in it")
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}; check the path, or quote it if it has spaces")
    raw = path.read_bytes()
    if path.suffix.lower() != ".gz":
        return raw
    try:
        return gzip.decompress(raw)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path.name} is not a complete gzip file: {error}") from error


def decode(raw, name):
    """Return the text of some bytes and the encoding that was used."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        candidates = ("utf-16",)
    elif (position := raw.find(b"\0")) >= 0:
        line = raw.count(b"\n", 0, position) + 1
        raise ValueError(
            f"{name}, line {line}: a NUL byte, so this is not a text file; save the table as CSV first"
        )
    else:
        candidates = ("utf-8-sig", "cp1252", "latin-1")
    for encoding in candidates:
        try:
            return raw.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    raise ValueError(f"{name} starts as UTF-16 text but is damaged; save it again as UTF-8")


def guess_delimiter(text):
    """Return the delimiter that gives the most rows of one width above 1; a comma if none does."""

    def share_of_even_rows(delimiter):
        sample = csv.reader(io.StringIO(text[:SAMPLE_CHARACTERS], newline=""), delimiter=delimiter)
        widths = Counter(
            len(row) for row in islice((row for row in sample if not is_blank(row)), SAMPLE_ROWS)
        )
        return max((count for width, count in widths.items() if width > 1), default=0) / max(
            widths.total(), 1
        )

    shares = {delimiter: share_of_even_rows(delimiter) for delimiter in DELIMITERS}
    best = max(shares, key=shares.get)
    return best if shares[best] else ","


def read_records(text, delimiter, name):
    """Yield the starting line and the cells of each record."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        reason = str(error)
        if "unexpected end of data" in reason:
            reason = "a quoted field that opens here is never closed"
        elif "expected after" in reason:
            reason = "text follows a closing quote; a quote inside a quoted field must be doubled"
        elif "field limit" in reason:
            reason += "; a quote that opens here may never be closed"
        raise ValueError(f"{name}, line {line}: {reason}") from error


def is_blank(row):
    return len(row) <= 1 and not any(cell.strip() for cell in row)


def drop_empty_tail(rows, lines):
    """Remove rows at the end that have delimiters only, as spreadsheets leave them; return what to say."""
    before = len(rows)
    while len(rows) > 1 and not any(rows[-1]):
        del rows[-1], lines[-1]
    removed = before - len(rows)
    return [f"Left out {removed} row(s) without any value at the end of the file."] if removed else []


def name_row_names(rows):
    """Give a name to the column of row names that R writes without one."""
    if len(rows) < 2 or any(len(row) != len(rows[0]) + 1 for row in rows[1:]):
        return
    first = [row[0] for row in rows[1:]]
    # Numbers that do not count the rows may be halves of decimal commas: left to be refused for their width.
    are_names = counts_rows(first) or not any(cell[:1].isdigit() for cell in first)
    if are_names and len(rows[0]) > 1 and any(row[-1] for row in rows[1:]):
        rows[0].insert(0, "")


def counts_rows(cells):
    """Say whether the cells are 0, 1, 2, ... or 1, 2, 3, ..."""
    return any(list(cells) == [str(i) for i in range(start, start + len(cells))] for start in (0, 1))


def check_widths(rows, lines, name):
    expected = len(rows[0])
    parts = rows[1][0].split() if expected == 1 and len(rows) > 1 else []
    if len(parts) > 1 and is_all_numbers(parts):
        raise ValueError(
            f"{name}, line {lines[1]}: numbers with spaces between them; "
            "separate fields by commas, semicolons or tabs"
        )
    for line, row in zip(lines, rows, strict=True):
        if len(row) != expected:
            raise ValueError(
                f"{name}, line {line}: {len(row)} field(s) found, {expected} expected as in line {lines[0]}; "
                "look for a missing or extra delimiter, or quote the field that contains one"
            )


def is_all_numbers(cells):
    return all(cell.replace(".", "", 1).lstrip("+-").isdigit() for cell in cells)
