"""Finished pieces of an experiment, kept in a file so that a killed run resumes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any


class Kept:
    """Finished rows in a file of JSON lines, found again by what was asked for."""

    def __init__(self, path: Any, asked: str) -> None:
        self._path = None if path is None else Path(path)
        self._asked = asked
        self._rows: dict[str, dict[str, float]] = {}
        if self._path is not None and self._path.exists():
            for line in self._path.read_text(encoding="utf-8").splitlines():
                record = json.loads(line)
                self._rows[record["key"]] = record["row"]

    def _key(self, title: tuple[str, str]) -> str:
        return hashlib.sha256(f"{title} {self._asked}".encode()).hexdigest()

    def get(self, title: tuple[str, str]) -> dict[str, float] | None:
        """The row of this title, where it is finished."""
        return self._rows.get(self._key(title))

    def put(self, title: tuple[str, str], row: dict[str, float]) -> None:
        """Keep a row."""
        self._rows[self._key(title)] = row
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": self._key(title), "row": row}) + "\n")
