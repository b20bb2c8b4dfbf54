"""Finished pieces of an experiment, stored in a file so that a killed run resumes."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from sortal.extension import KeptValues

if TYPE_CHECKING:
    from pathlib import Path


class Journal:
    """Finished rows, stored under their title and request."""

    def __init__(self, path: str | Path | None, request: str) -> None:
        self._values, self._asked = KeptValues(path), request

    def _key(self, title: tuple[str, str]) -> str:
        """Key of a row in the file."""
        return hashlib.sha256(f"{title} {self._asked}".encode()).hexdigest()

    def get(self, title: tuple[str, str]) -> dict[str, float] | None:
        """The row of this title, where it is finished."""
        row: dict[str, float] | None = self._values.get(self._key(title))
        return row

    def put(self, title: tuple[str, str], row: dict[str, float]) -> None:
        """Store a row."""
        self._values.put(self._key(title), row)
