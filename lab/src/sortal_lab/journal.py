"""Finished pieces of an experiment, stored in a file so that a killed run resumes."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

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

    def totals(
        self, title: str, blocks: Iterable[range], count: Callable[[range], dict[str, float]]
    ) -> list[float]:
        """Sums of the counts over blocks of draws; each block is stored when it is counted."""
        rows = []
        for draws in blocks:
            key = title, f"{draws.start} to {draws.stop}"
            row = self.get(key)
            if row is None:
                row = count(draws)
                self.put(key, row)
            rows.append(list(row.values()))
        return [float(total) for total in np.sum(rows, axis=0)]


def blocks_of(draws: int, size: int = 50) -> list[range]:
    """Blocks of draws that are stored together, so that an interrupted run resumes."""
    return [range(first, min(first + size, draws)) for first in range(0, draws, size)]


def upper_limit(delta: float, draws: float) -> float:
    """The largest share of broken guarantees that is no contradiction: two standard errors."""
    return delta + 2 * math.sqrt(delta * (1 - delta) / draws)
