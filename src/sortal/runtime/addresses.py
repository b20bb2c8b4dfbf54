"""Addresses of files and folders: their schemes, file systems and patterns."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from sortal.runtime.extras import require
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

#: addresses that Arrow opens itself; others need fsspec
_OF_ARROW = ("s3", "gs", "gcs", "abfs", "abfss", "hdfs", "file")
#: marks of a pattern in a path
PATTERN_MARKS = re.compile(r"[*?\[]")


def scheme_of(address: str) -> str:
    """The scheme of an address, "" for a path."""
    match = re.match(r"([a-z][a-z0-9+.-]+)://", address)
    return "" if match is None else match[1]


def filesystem_of(address: str) -> tuple[FileSystem, str]:
    """Arrow's file system of an address, and the path in it."""
    import pyarrow as pa
    from pyarrow import fs

    scheme = scheme_of(address)
    if not scheme:
        return fs.LocalFileSystem(), os.path.abspath(address)
    try:
        if scheme in _OF_ARROW:
            plain = re.sub(r"[*?\[].*", "", address)  # an address with a pattern is no URI
            filesystem, path = fs.FileSystem.from_uri(plain)
            return filesystem, path.rstrip("/") + address[len(plain.rstrip("/")) :]
        require("fsspec", f"an address {scheme}://")
        import fsspec

        opened, path = fsspec.core.url_to_fs(address)
        return fs.PyFileSystem(fs.FSSpecHandler(opened)), path
    except (OSError, ValueError, ImportError, pa.ArrowException) as error:
        raise InputError(f"{address} cannot be opened: {error}") from None


def has_pattern(path: str) -> bool:
    """Whether a path is a pattern of files, not a file or folder whose name looks like one."""
    return PATTERN_MARKS.search(path) is not None and not os.path.lexists(path)


def pattern_folder(pattern: str) -> str:
    """The folder in which a pattern looks for files."""
    return re.split(r"[^/]*[*?\[]", pattern, maxsplit=1)[0].rstrip("/")


def pattern_expression(pattern: str) -> str:
    """Regular expression of a pattern, where ``*`` stays in a folder and ``**`` does not."""
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?|\[[^]]*\])", pattern)
    return "".join(
        words.get(piece, piece if piece.startswith("[") else re.escape(piece)) for piece in pieces
    )
