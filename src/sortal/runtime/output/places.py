"""Paths and addresses as places, and whether one is, holds or lies inside another."""

from __future__ import annotations

import os
import posixpath
import re
import unicodedata
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sortal.runtime.addresses import has_pattern, pattern_expression, pattern_folder, scheme_of

#: schemes by which the same objects may be addressed, and the scheme that stands for them
_SAME_SCHEMES = {"s3a": "s3", "s3n": "s3", "gcs": "gs", "abfss": "abfs", "local": "file"}
#: name of a file that a folder without files would get
_SOME_FILE = "part-00000.parquet"


@dataclass(frozen=True)
class Place:
    """A file or folder on this machine, or an object at an address.

    Attributes
    ----------
    name : str
        As the user wrote it.
    scheme : str
        Scheme of an address; empty on this machine.
    path : str
        Absolute path without ``.`` and ``..``; of a pattern, the folder of its files.
    pattern : str
        The absolute pattern; empty for a file or folder.
    """

    name: str
    scheme: str
    path: str
    pattern: str = ""

    @classmethod
    def of(cls, source: str | os.PathLike[str]) -> Place:
        """The place of an input: a path, an address, a pattern, or ``FILE#PART`` of a file."""
        name = os.fspath(source)
        file, _, component = name.partition("#")
        is_part = bool(component) and not os.path.lexists(name) and os.path.exists(file)
        place = cls.at(file if is_part else name)
        if not has_pattern(place.path):
            return cls(name, place.scheme, place.path)
        return cls(name, place.scheme, pattern_folder(place.path) or "/", place.path)

    @classmethod
    def at(cls, target: str | os.PathLike[str]) -> Place:
        """The place of an output: a path or an address."""
        name = os.fspath(target)
        scheme = scheme_of(name)
        scheme = _SAME_SCHEMES.get(scheme, scheme)
        if not scheme:
            return cls(name, "", os.path.abspath(name))
        path = "/" + posixpath.normpath(name.partition("://")[2]).strip("/")
        if scheme == "file":
            return cls(name, "", urllib.parse.unquote(path))
        return cls(name, scheme, path)

    @cached_property
    def real(self) -> str:
        """The path without links."""
        return self.path if self.scheme else os.path.realpath(self.path)

    @property
    def is_there(self) -> bool:
        """Whether there is a file or folder on this machine."""
        return not self.scheme and os.path.lexists(self.path)

    def is_same(self, place: Place) -> bool:
        """Whether both are one file or folder, by whatever path, link or case of letters.

        >>> Place.at("memory://b/rows/").is_same(Place.at("memory://b/x/../rows"))
        True
        """
        if self.scheme or place.scheme:
            return (self.scheme, self.path) == (place.scheme, place.path)
        return _is_one(self.real, place.real)

    def is_in(self, folder: Place) -> bool:
        """Whether it lies inside a folder, by its path as written or without links.

        >>> Place.at("memory://b/rows/labels").is_in(Place.at("memory://b/rows"))
        True
        """
        if self.scheme or folder.scheme:
            inside = folder.path.rstrip("/") + "/"
            return self.scheme == folder.scheme and self.path.startswith(inside)
        return any(
            _is_one(str(parent), folder.real)
            for path in {self.path, self.real}
            for parent in Path(path).parents
        )

    def clash(self, source: Place, *, is_folder: bool = False) -> str:
        """How writing here would touch a source: ``is``, ``holds``, ``lies inside``, or nothing.

        Parameters
        ----------
        source : Place
            An input, or another output.
        is_folder : bool
            Whether a folder of files would be written here.
        """
        if source.pattern and not self.is_same(source):
            if source.is_in(self):
                return "holds"
            return "is a file of" if self._would_match(source, is_folder) else self._listed(source)
        if self.is_same(source):
            return "is"
        if source.is_in(self):
            return "holds"
        if self.is_in(source):
            return "lies inside"
        return self._listed(source)

    def _would_match(self, source: Place, is_folder: bool) -> bool:
        """Whether a pattern would read what is written here."""
        end = f"/{_SOME_FILE}" if is_folder else ""
        names = source.pattern[len(source.path) :]
        return any(
            re.fullmatch(pattern_expression(folder + names), path + end)
            for folder in {source.path, source.real}
            for path in {self.path, self.real}
        )

    def _listed(self, source: Place) -> str:
        """Whether a folder has a link to the file that is here, under whatever name."""
        if not self.is_there or source.scheme or not os.path.isdir(source.path):
            return ""
        is_listed = any(_is_one(self.real, path) for path in _files_below(source.real))
        return "is a file of" if is_listed else ""


def _files_below(folder: str) -> Iterator[str]:
    """Paths of the files and linked folders below a folder."""
    for base, folders, files in os.walk(folder):
        yield from (os.path.join(base, name) for name in (*files, *folders))


def _is_one(first: str, second: str) -> bool:
    """Whether two paths are one file; where neither is there, names may differ in case."""
    try:
        return os.path.samefile(first, second)
    except OSError:
        are_there = os.path.exists(first) or os.path.exists(second)
        return not are_there and _folded(first) == _folded(second)


def _folded(path: str) -> str:
    """A path as a file system compares it that knows neither case nor forms of letters."""
    return unicodedata.normalize("NFC", path).casefold()
