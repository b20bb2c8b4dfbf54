"""Finished work in a file of JSON lines, from which a killed run resumes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from karat.runtime.validation import StorageError

__all__ = ["KeptLines"]

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
                self._append(self._path, line.encode())
            except OSError as error:
                raise StorageError(
                    f"{self._path} could not be written: {error.strerror or error}; what was "
                    "finished before is kept"
                ) from error
        self._values[key] = value

    def _append(self, path: Path, line: bytes) -> None:
        """The whole line or nothing."""
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            before = os.fstat(file).st_size
            try:
                while line:
                    line = line[os.write(file, line) :]
            except OSError:
                os.ftruncate(file, before)
                raise
        finally:
            os.close(file)
