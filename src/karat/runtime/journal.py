"""Finished work in a file of JSON lines, from which a killed run resumes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from karat.runtime.validation import StorageError

__all__ = ["KeptLines", "append", "locked"]

#: of each line
START = b'{"key": '


class KeptLines:
    """Values by key, each stored as soon as it is known; without a file, in memory alone.

    A line that a kill cut short is dropped; any other line that is no entry is a StorageError.
    """

    def __init__(self, path: Any) -> None:
        self._path = None if path is None else Path(path)
        self._values: dict[str, Any] = {}
        if self._path is None or not self._path.exists():
            return
        *lines, torn = self._path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, 1):
            try:
                record = json.loads(line)
                self._values[record["key"]] = record["row"]
            except (ValueError, KeyError, TypeError):
                raise self._foreign(number) from None
        if torn:
            if not (torn.startswith(START) or START.startswith(torn)):
                raise self._foreign(len(lines) + 1)
            os.truncate(self._path, self._path.stat().st_size - len(torn))

    def _foreign(self, number: int) -> StorageError:
        return StorageError(f"{self._path}, line {number} is no finished work; name another file")

    def get(self, key: str) -> Any:
        """The value, None if there is none."""
        return self._values.get(key)

    def put(self, key: str, value: Any) -> None:
        """Store a value; StorageError where the file cannot be written, which stays whole."""
        if self._path is not None:
            line = json.dumps({"key": key, "row": value}) + "\n"
            try:
                with locked(self._path) as file:
                    append(file, line.encode())
            except OSError as error:
                raise StorageError(
                    f"{self._path} could not be written: {error.strerror or error}; what was "
                    "finished before is kept"
                ) from error
        self._values[key] = value


@contextmanager
def locked(path: Path) -> Iterator[int]:
    """The file, open for reading and appending, while no other process has it so."""
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    try:
        _lock(file)
        yield file
    finally:
        os.close(file)  # which ends the lock


def append(file: int, lines: bytes) -> None:
    """Whole lines or nothing, on disk before it returns; ``file`` is locked.

    A line that a killed process left unfinished is dropped first.
    """
    before = whole = os.fstat(file).st_size
    while whole and _byte(file, whole - 1) != b"\n":
        whole -= 1
    if whole < before:
        os.ftruncate(file, whole)
    try:
        while lines:
            lines = lines[os.write(file, lines) :]
        os.fsync(file)
    except OSError:
        os.ftruncate(file, whole)
        raise


def _byte(file: int, at: int) -> bytes:
    os.lseek(file, at, os.SEEK_SET)
    return os.read(file, 1)


def _lock(file: int) -> None:
    """Wait until no other process has this file locked."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(file, 0, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)
