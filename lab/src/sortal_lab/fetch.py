"""Data sets from their public sources: downloaded, verified and rewritten for the experiments.

The registry ``datasets.json`` names for each data set its sources in order, each a set of files
with their SHA-256, and the recipe (:mod:`sortal_lab.originals`) that makes the files that
experiments read. Where the digest of an archive is not known (``null``), what is made of it is
verified all the same: the content of every file that experiments read has a digest.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pooch
import requests

from sortal import InputError
from sortal.runtime.output import remove_file, write_output
from sortal_lab.data import data_folder, index, is_packaged
from sortal_lab.originals import RECIPES, content_digest, packed

Progress = Callable[[str], None]
SUFFIXES = (".data.csv.gz", ".csv.gz", ".jsonl.gz", ".npz")
TIMEOUT = 30  # seconds without a byte
pooch.get_logger().setLevel(logging.WARNING)


def state(name: str) -> str:
    """``packaged``, ``there``, ``absent``, or ``damaged``: there, but with another content."""
    entry = index()[name]
    paths = {data_folder() / file: digest for file, digest in entry["content"].items()}
    if not all(path.is_file() for path in paths):
        return "packaged" if is_packaged(name) else "absent"
    try:
        sound = all(content_digest(path) == digest for path, digest in paths.items())
    except (OSError, EOFError, ValueError):
        sound = False
    return "there" if sound else "damaged"


def fetch(name: str, *, progress: Progress | None = None) -> str:
    """Have a data set in the data folder.

    Parameters
    ----------
    name : str
        A name of the registry.
    progress : callable, optional
        Called with a line of text for each file.

    Returns
    -------
    str
        ``"packaged"``, ``"there"`` or ``"fetched"``.

    Raises
    ------
    InputError
        If no data set has this name, or none of its sources gives it; the message says which file
        to put where.
    """
    entry = index().get(name)
    if entry is None:
        raise InputError(f"no data set is called {name!r}; sortal lab data lists them")
    before = state(name)
    if before in ("packaged", "there"):
        return before
    failures = []
    for source in entry["sources"]:
        try:
            contents = _make(entry, source, progress)
        except _FailedError as error:
            failures.append(str(error))
            continue
        for path, content in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            # what is there is damaged, or it would not be fetched
            remove_file(path)
            write_output(path, content)
        return "fetched"
    raise InputError(
        f"the data set {name} was not fetched: {'; '.join(failures)}. Without a connection, put "
        f"the file into {_originals(name)} and ask again, or put what experiments read, "
        f"{' and '.join(entry['sha256'])}, into {data_folder().absolute()}"
    )


class _FailedError(Exception):
    """A source did not provide the data set."""


def _originals(name: str) -> Path:
    """Folder of the original files of a data set."""
    return data_folder().absolute() / "originals" / name


def _make(
    entry: dict[str, Any], source: dict[str, Any], progress: Progress | None
) -> dict[Path, bytes]:
    """Contents of the files to write, from one source."""
    name = entry["name"]
    files = [
        _downloaded(name, source["at"] + file, record["sha256"], progress)
        for file, record in source["files"].items()
    ]
    if progress is not None:
        progress(f"{name}: {entry['done']}")
    try:
        contents = RECIPES[source["recipe"]](files, **source.get("arguments", {}))
    except Exception as error:  # whatever a file of another form makes of a recipe
        raise _FailedError(
            f"{_named(source)} is not what was expected ({error}); "
            f"remove {_originals(name)} to download it again"
        ) from error
    stem = next(
        entry["path"].removesuffix(suffix) for suffix in SUFFIXES if entry["path"].endswith(suffix)
    )
    made = {}
    for suffix, content in contents.items():
        path = data_folder() / f"{stem}{suffix}"
        made[path] = packed(suffix, content)
        if content_digest(made[path], suffix) != entry["content"].get(f"{stem}{suffix}"):
            raise _FailedError(f"{stem}{suffix} made from {_named(source)} has another content")
    return made


def _named(source: dict[str, Any]) -> str:
    """Addresses of the files of a source."""
    return " and ".join(source["at"] + file for file in source["files"]) or source["recipe"]


def _downloaded(name: str, url: str, sha256: str | None, progress: Progress | None) -> Path:
    """The published file in the folder ``originals``, downloaded if it is not there."""
    folder, file = _originals(name), url.rpartition("/")[2]
    if (folder / file).is_file() and sha256 is None:
        return folder / file
    if progress is not None and not (folder / file).is_file():
        progress(f"{name}: {url}")
    try:
        return Path(pooch.retrieve(url, sha256, file, folder, downloader=_resume))
    except requests.RequestException as error:
        raise _FailedError(f"{url} cannot be reached ({_reason(error)})") from error
    except ValueError as error:  # pooch: the digest differs
        (folder / f"{file}.part").unlink(missing_ok=True)
        raise _FailedError(f"{url} has another SHA-256 than {sha256}") from error


def _reason(error: requests.RequestException) -> str:
    """Short reason for a failed request."""
    if error.response is not None:
        return f"status {error.response.status_code}"
    return type(error).__name__


def _resume(url: str, output_file: str, _: Any) -> None:
    """Download, beginning where an earlier try was cut off."""
    final = Path(output_file)
    # pooch names a temporary file; what is kept of a cut download has a name of its own
    part = final.parent / f"{url.rpartition('/')[2]}.part"
    start = part.stat().st_size if part.is_file() else 0
    headers = {"Range": f"bytes={start}-", "Accept-Encoding": "identity"} if start else {}
    with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
        if response.status_code == 416:  # nothing is missing, or the file became shorter
            part.unlink()
        response.raise_for_status()
        with open(part, "ab" if response.status_code == 206 else "wb") as file:
            for block in response.iter_content(1 << 13):
                file.write(block)
        length = response.headers.get("Content-Length")
        got = part.stat().st_size - (start if response.status_code == 206 else 0)
        encoded = response.headers.get("Content-Encoding") is not None
        if length is not None and not encoded and got < int(length):
            raise requests.ConnectionError(f"cut after {part.stat().st_size} bytes")
    os.replace(part, final)
