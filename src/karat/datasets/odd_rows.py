"""Rows of a table that are no objects: second headers, units, totals, notes, shifted cells."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from karat.datasets import _columns
from karat.datasets.findings import Finding
from karat.datasets.number_formats import MISSING_MARKS

if TYPE_CHECKING:
    import pyarrow as pa

    from karat.runtime.types import Bools

#: largest share of cells of a column of numbers without a digit
MAX_WORDS = 0.1
#: largest share of rows that are no objects or whose cells are moved
MAX_ODD_SHARE = 0.05
N_TAIL = 3  # last rows, where totals and notes stand
_TOTAL = re.compile(
    r"(?:grand |sub)?-?totals?:?|sums?|summe|gesamt|mean|average|overall|insgesamt", re.IGNORECASE
)


@dataclass
class CleanRows:
    """Table without the rows that are no objects.

    ``kept`` has the numbers of its rows in the source, None where all are kept.
    """

    table: pa.Table
    kept: np.ndarray | None = None
    findings: list[Finding] = field(default_factory=list)


def without_odd_rows(table: pa.Table) -> CleanRows:
    """Exclude headers within the table, units, totals, notes and blank rows; move shifted cells.

    A second header with different names is a finding that stops: two tables in one file.
    """
    n = table.num_rows
    rows: dict[str, list[int]] = {}
    blank = _blank_rows(table)
    if blank.any() and not blank.all():
        rows["blank"] = np.flatnonzero(blank).tolist()
    findings: list[Finding] = []
    last = n - 1 - int(np.argmax(~blank[::-1]))
    for row in _rows_of_words(table):
        cells = _cells(table, row)
        names = [name.strip().casefold() for name in table.column_names]
        if [(cell or "").strip().casefold() for cell in cells] == names:
            rows.setdefault("header", []).append(row)
        elif row == 0:
            rows.setdefault("units", []).append(row)
        elif row > last - N_TAIL:
            rows.setdefault("note", []).append(row)
        else:
            shown = ", ".join(repr(cell) for cell in cells[:3])
            facts, accept = {"row": row + 1, "cells": shown}, {"accept": ("stacked",)}
            findings += [Finding("stacked", "harmful", facts, (), accept, assumed=False)]
    findings = findings[:1]
    if n >= 10 and _TOTAL.fullmatch(next((c for c in _cells(table, last) if c), "").strip()):
        rows.setdefault("total", []).append(last)
    excluded = sorted(row for numbers in rows.values() for row in numbers)
    kept = None
    if excluded and len(excluded) - int(blank.sum()) <= max(5, MAX_ODD_SHARE * n):
        kept = np.setdiff1d(np.arange(n), excluded)
        table = table.take(kept)
        accept = {"accept": ("rows",)}
        severity = "notable" if set(rows) <= {"blank"} else "harmful"
        findings.append(Finding("rows", severity, {"rows": rows}, (), accept))
    table, moved = _moved_back(table)
    if moved:
        first = moved[0] if kept is None else int(kept[moved[0]])
        facts, accept = {"count": len(moved), "row": first + 1}, {"accept": ("shifted",)}
        findings.append(Finding("shifted", "harmful", facts, (), accept))
    return CleanRows(table, kept, findings)


def _cells(table: pa.Table, row: int) -> list[str | None]:
    """Cells of a row as text, None where blank."""
    values = [column[row].as_py() for column in table.columns]
    return [None if _is_blank(value) else str(value) for value in values]


def _is_blank(value: object) -> bool:
    """Whether a cell has no value."""
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def _blank_rows(table: pa.Table) -> Bools:
    """Mask of the rows without any value."""
    blank = np.ones(table.num_rows, dtype=bool)
    for column in table.columns:
        blank &= _blanks(column)
        if not blank.any():
            break
    return blank


def _blanks(column: pa.ChunkedArray) -> Bools:
    """Mask of the cells of a column without a value."""
    import pyarrow.compute as pc

    if _columns.is_text(column.type):
        empty = pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(column)), 0)
        return np.asarray(empty.fill_null(True).to_numpy())
    return np.asarray(column.is_null(nan_is_null=True).to_numpy())


def _without_digits(column: pa.ChunkedArray) -> Bools | None:
    """Mask of the cells with words in a text column of numbers; None for other columns."""
    import pyarrow.compute as pc

    if not _columns.is_text(column.type):
        return None
    has_digit = pc.match_substring_regex(column, r"^[^\pL]*\d|^\s*(?i:eur|usd|gbp|chf|jpy)\s*\d")
    with_digit = has_digit.fill_null(False).to_numpy()
    words = ~with_digit & ~_blanks(column)
    if words.any():
        for row in np.flatnonzero(words)[:1000]:
            words[row] = str(column[int(row)].as_py()).strip().lower() not in MISSING_MARKS
    is_numeric = with_digit.sum() > 0 and words.sum() <= MAX_WORDS * (with_digit | words).sum()
    return words if is_numeric else None


def _rows_of_words(table: pa.Table) -> list[int]:
    """Rows with words in every text column of numbers, two columns at least."""
    masks = [_without_digits(column) for column in table.columns]
    words = [mask for mask in masks if mask is not None and mask.any()]
    n_numeric = sum(mask is not None for mask in masks)
    if len(words) < 2 or len(words) < n_numeric:
        return []
    rows = np.flatnonzero(np.logical_and.reduce(words))
    return [] if len(rows) > max(5, MAX_ODD_SHARE * table.num_rows) else rows.tolist()


def _moved_back(table: pa.Table) -> tuple[pa.Table, list[int]]:
    """Table whose shifted rows are moved back by a column, and these rows."""
    import pyarrow as pa

    n, d = table.num_rows, table.num_columns
    if n < 20 or not 3 <= d <= 500:
        return table, []
    blanks = np.column_stack([_blanks(column) for column in table.columns])
    masks = [_without_digits(column) for column in table.columns]
    usually_blank = blanks.mean(axis=0) > 1 - MAX_ODD_SHARE
    usually_filled = blanks.mean(axis=0) < MAX_ODD_SHARE
    odd = (blanks & usually_filled).astype(int) + (~blanks & usually_blank)
    for j, mask in enumerate(masks):
        if mask is not None:
            odd[:, j] += mask
    rows = np.flatnonzero(odd.sum(axis=1) >= 2)
    if not 0 < len(rows) <= max(3, MAX_ODD_SHARE * n) or not (usually_blank | usually_filled).any():
        return table, []
    moved: dict[int, list[str | None]] = {}
    for row in rows.tolist():
        cells = _cells(table, row)
        shifts = [cells[:j] + cells[j + 1 :] + [None] for j in range(d - 1) if cells[j] is None]
        if cells[-1] is None:
            shifts += [[*cells[:j], None, *cells[j:-1]] for j in range(d)]
        for shifted in shifts:
            if _count_odd(shifted, usually_blank, usually_filled, masks) <= odd[row].sum() - 2:
                moved[row] = shifted
                break
    if not moved:
        return table, []
    columns = []
    for j, column in enumerate(table.columns):
        cells = column.to_pylist()
        changed = {row: shifted[j] for row, shifted in moved.items() if shifted[j] != cells[row]}
        if not changed:
            columns.append(column)
            continue
        texts = [None if _is_blank(cell) else str(cell) for cell in cells]
        for row, cell in changed.items():
            texts[row] = cell
        columns.append(pa.chunked_array([pa.array(texts, pa.large_string())]))
    return pa.table(columns, names=table.column_names), sorted(moved)


def _count_odd(
    cells: list[str | None],
    usually_blank: Bools,
    usually_filled: Bools,
    masks: list[Bools | None],
) -> int:
    """Cells of a row that contradict what their columns usually have."""
    count = 0
    for j, cell in enumerate(cells):
        if cell is None:
            count += int(usually_filled[j])
        else:
            is_number = any(character.isdigit() for character in cell)
            count += int(usually_blank[j]) + int(masks[j] is not None and not is_number)
    return count
