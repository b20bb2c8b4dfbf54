"""Finished work in a file of JSON lines, from which a killed run resumes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from karat.runtime.validation import StorageError

__all__ = ["KeptLines"]


class KeptLines:
    """Values by key, each stored as soon as it is known; without a file, in memory alone.

    A line that a kill cut short is dropped; any other line that is no entry is a StorageError.
    """

    def __init__(self, path: Any) -> None:
        self._path = None if path is None else Path(path)
        self._values: dict[str, Any] = {}
        if self._path is None or not self._path.exists():
            return
        *lines, torn = self._path.read_text(encoding="utf-8").split("\n")
        for number, line in enumerate(lines, 1):
            try:
                record = json.loads(line)
                self._values[record["key"]] = record["row"]
            except (ValueError, KeyError, TypeError):
                raise StorageError(
                    f"{self._path}, line {number} is no finished work; name another file"
                ) from None
        if torn:
            self._path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def get(self, key: str) -> Any:
        """The value, None if there is none."""
        return self._values.get(key)

    def put(self, key: str, value: Any) -> None:
        """Store a value."""
        self._values[key] = value
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "row": value}) + "\n")
