"""Data that have the columns of a draw, and labels, beside their own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sortal.datasets.labels.drawn_rows import (
    CHECK,
    DRAW,
    MARKS,
    Draw,
    Listing,
    has_checks,
    listing,
    row_numbers_of_draw,
)
from sortal.labelings.labels import is_unreadable

if TYPE_CHECKING:
    import pandas as pd

    from sortal.runtime.types import Ints


@dataclass(frozen=True)
class MarkedRows:
    """Rows of a data file that has the columns of a draw beside its own.

    Attributes
    ----------
    listing : Listing
        The rows by their number in the draw, after a look at their digests.
    cells : DataFrame
        The cells of the data alone.
    marks : tuple of str
        Columns that are no data, beside the labels.
    excused : tuple of int
        Rows of the listing that nobody can read.
    """

    listing: Listing
    cells: pd.DataFrame
    marks: tuple[str, ...]
    excused: tuple[int, ...]

    @classmethod
    def of(cls, cells: pd.DataFrame, label: str, path: Path) -> MarkedRows | None:
        """None for rows without a draw; raises where a row was changed since, or added."""
        if DRAW not in cells or label not in cells:
            return None
        checked = CHECK in cells and has_checks(cells[CHECK])
        if not checked and row_numbers_of_draw(cells[DRAW]) is None:
            return None  # a column of the data has this name
        written = {
            str(name): cells.iloc[:, j].to_numpy(dtype=object)
            for j, name in enumerate(cells.columns)
        }
        table = listing(written, path)
        marks = [DRAW, *([CHECK] if checked else ()), *(["row"] if "row" in table.verified else ())]
        data = cells.drop(columns=[*marks, label])
        data = data.rename(columns={f"{name} (data)": name for name in MARKS})
        excused = [i for i, value in enumerate(table.columns[label]) if is_unreadable(value)]
        return cls(table, data, tuple(marks), tuple(excused))

    def draw(self, rows: Ints | None) -> Draw:
        """The draw of the objects with these rows of the file; by default of all."""
        places = np.argsort(self.listing.order)
        of_object = places if rows is None else places[rows]
        return Draw.of(self.listing, dict(enumerate(of_object.tolist())), (), self.excused)
