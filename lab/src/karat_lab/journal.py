"""Finished pieces of an experiment, stored in a file so that a killed run resumes."""

from __future__ import annotations

import hashlib
from typing import Any

from karat.runtime.kept_file import KeptValues


class Kept:
    """Finished rows, found again by their title and by what was asked for."""

    def __init__(self, path: Any, asked: str) -> None:
        self._values, self._asked = KeptValues(path), asked

    def _key(self, title: tuple[str, str]) -> str:
        return hashlib.sha256(f"{title} {self._asked}".encode()).hexdigest()

    def get(self, title: tuple[str, str]) -> dict[str, float] | None:
        """The row of this title, where it is finished."""
        row: dict[str, float] | None = self._values.get(self._key(title))
        return row

    def put(self, title: tuple[str, str], row: dict[str, float]) -> None:
        """Store a row."""
        self._values.put(self._key(title), row)
