"""A registered data set's files: found in a folder, or fetched into the cache once they are verified."""

import os
import sys
import zipfile
import zlib
from pathlib import Path, PurePosixPath

import numpy as np
import pooch

from .files import whole_file
from .registry import check_content, expected_of_original, parse_original
from .tables import load_csv


def search_folders(data_home=None):
    """Return the folders where data sets are looked for: the user's own if given, then the cache."""
    own = data_home or os.environ.get("DENDROLAB_DATA")
    return [*([Path(own)] if own else []), cache_folder()]


def cache_folder():
    return Path(pooch.os_cache("dendrolab"))


def archive_name(entry):
    return PurePosixPath(entry["url"]).name


def find_files(name, entry, folder):
    """Return how and where a folder holds the data set: ("copy", "members" or "archive", paths); or None."""
    places = [("copy", folder, entry["copy"]), ("members", folder / name, entry["members"])]
    if entry["url"]:
        places.append(("archive", folder, [archive_name(entry)]))
    # Last, because names such as training.csv belong to more than one set.
    places.append(("members", folder, entry["members"]))
    for kind, place, file_names in places:
        paths = [place / file_name for file_name in file_names]
        if all(path.is_file() for path in paths):
            return kind, paths
    return None


def is_available(name, entry, data_home=None):
    return any(find_files(name, entry, folder) for folder in search_folders(data_home))


def load_registered(name, entry, data_home=None):
    """Return numbers, labels and a note on where they came from; fetch the files if no folder has them."""
    for folder in search_folders(data_home):
        found = find_files(name, entry, folder)
        if found:
            kind, paths = found
            try:
                data, target = read_verified(name, entry, kind, paths)
            except ValueError as error:
                raise ValueError(f"{error}. Remove or replace {paths[0]}") from error
            return data, target, f"Read from {', '.join(path.name for path in paths)}."
    archive = fetch(name, entry, search_folders(data_home)[0])
    return *read_verified(name, entry, "archive", [archive]), f"Fetched from {entry['url']}."


def read_verified(name, entry, kind, paths):
    """Return numbers and labels; raise ValueError if they are not what the registry expects."""
    if kind == "copy":
        tables = [load_csv(path, label="label") for path in paths]
        data = np.concatenate([table.data for table in tables])
        target, expected = np.concatenate([table.target for table in tables]), entry["content"]
    else:
        contents = [path.read_bytes() for path in paths]
        if kind == "archive":
            contents = read_members(paths[0], entry["members"])
        data, target = parse_original(name, entry, contents)
        expected = expected_of_original(entry)
    check_content(name, data, target, expected)
    return data, target


def fetch(name, entry, own_folder):
    """Download the archive into the cache; it stays there only if its content is verified."""
    if not entry["url"]:
        raise OSError(
            f"data set {name!r} is not on this computer and is not fetched automatically. Get it from "
            f"{entry['page']} and put it as {' and '.join(entry['members'])} into {own_folder}, or set the "
            "environment variable DENDROLAB_DATA to the folder that has it. "
            + " ".join(entry.get("notes", []))
        )
    archive = cache_folder() / archive_name(entry)
    download = pooch.HTTPDownloader(progressbar=sys.stderr.isatty())
    try:
        with whole_file(archive) as part:
            download(entry["url"], str(part), None)
            read_verified(name, entry, "archive", [part])
    except ValueError as error:
        raise ValueError(f"{error}. It came from {entry['url']}; nothing was kept") from error
    except OSError as error:
        raise OSError(
            f"data set {name!r} is not on this computer and could not be fetched from {entry['url']} "
            f"({reason_of(error)}). Download {archive.name} from {entry['page']} and put it into "
            f"{own_folder}, or set the environment variable DENDROLAB_DATA to the folder that has it."
        ) from error
    return archive


def reason_of(error):
    """Return a failed download's reason without the library's object addresses and nested causes."""
    known = {
        "ConnectionError": "no connection",
        "ChunkedEncodingError": "the download broke off",
        "ConnectTimeout": "no answer in time",
        "ReadTimeout": "no answer in time",
    }
    return known.get(type(error).__name__, str(error))


def read_members(archive, members):
    """Return the contents of some files of a zip archive, read in memory: nothing is unpacked to disk."""
    try:
        with zipfile.ZipFile(archive) as opened:
            names = opened.namelist()
            check_member_names(archive.name, names)
            return [opened.read(find_member(archive.name, names, member)) for member in members]
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise ValueError(f"{archive.name} is not a complete zip archive: {error}") from error


def check_member_names(archive_name, names):
    for name in names:
        path = PurePosixPath(name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
            raise ValueError(f"{archive_name} is refused: its member {name!r} points outside the archive")


def find_member(archive_name, names, member):
    """Return the member of that file name, whatever folder of the archive it is in."""
    found = [name for name in names if PurePosixPath(name).name == member]
    if not found:
        raise ValueError(f"{archive_name} has no file {member!r}; it has {', '.join(names[:10])}")
    return min(found, key=len)
