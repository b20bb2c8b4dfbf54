"""Rows of a table that are its objects: without headers, totals and notes, one for each object."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sortal.datasets.tables.long_tables import reshaped
from sortal.datasets.values import column_arrays
from sortal.datasets.values.findings import Finding, Severity
from sortal.datasets.values.limits import LIMITS
from sortal.datasets.values.names_and_ids import quoted
from sortal.datasets.values.number_readings import MISSING_MARKS

if TYPE_CHECKING:
    from collections.abc import Container

    from numpy.typing import NDArray

    from sortal.datasets.values.drafts import RawData
    from sortal.datasets.values.reading_options import ReadingOptions
    from sortal.typing import Bools, Ints


@dataclass
class ObjectRows:
    """Table with one row per object, and what belongs to its rows."""

    table: pa.Table  # without label and id columns, those to drop, and columns that number the rows
    columns_aside: dict[str, NDArray[Any]]  # values of the label and id columns
    #: row of the source of each object; None where they are all rows in order
    rows: NDArray[np.intp] | None
    ids: NDArray[Any] | None  # ids of objects that several rows were made of
    findings: list[Finding]
    notes: list[str]

    def keep(self, rows: NDArray[np.intp]) -> None:
        """Keep the facts of some rows; the table has to be set apart."""
        self.columns_aside = {name: values[rows] for name, values in self.columns_aside.items()}
        self.rows = rows if self.rows is None else self.rows[rows]


def object_rows(table: pa.Table, raw: RawData, options: ReadingOptions) -> ObjectRows:
    """Rows of a table that are objects, as its content and the options say."""
    named = [name for name in (options.label_column, options.id_column) if name is not None]
    aside = {name: column_arrays.objects(table.column(name), name) for name in named}
    excluded = {*aside, *options.drop} - ({options.id_column} if options.reshapes else set())
    table = table.drop_columns([name for name in table.column_names if name in excluded])
    objects = ObjectRows(table, aside, None, None, [], [])
    if raw.ragged is not None and options.reshapes:
        complete_rows = np.flatnonzero(~raw.ragged)
        objects.table, raw.ragged = table.take(pa.array(complete_rows)), None
        objects.keep(complete_rows)
    is_checked = options.kind is None and not options.strict and raw.ragged is None
    if is_checked:
        cleaned = without_odd_rows(objects.table, options.accept)
        objects.table, objects.findings = cleaned.table, cleaned.findings
        if cleaned.kept is not None:
            objects.keep(cleaned.kept)
    objects.table, index = column_arrays.without_index(objects.table)
    if index:
        objects.notes.append(f"Excluded the index column that pandas wrote: {quoted(index)}.")
    objects.table = column_arrays.without_row_numbers(objects.table, objects.notes)
    one_each = reshaped(objects.table, options)
    if one_each is not None:
        objects.table, objects.ids = one_each.table, one_each.ids
        objects.notes.append(one_each.note)
        objects.keep(one_each.first_rows)
    return objects


_TOTAL = r"(?:grand |sub)?-?totals?|sums?|summe|gesamt|mean|average|overall|insgesamt"
_ONLY_TOTAL = re.compile(f"(?:{_TOTAL}):?", re.IGNORECASE)


@dataclass
class CleanRows:
    """Table without the rows that are no objects; ``kept`` are the others, None for all."""

    table: pa.Table
    kept: np.ndarray | None = None
    findings: list[Finding] = field(default_factory=list)

    def add(self, key: str, facts: dict[str, object], severity: Severity = "harmful") -> None:
        """Add a finding about rows."""
        self.findings.append(Finding(key, severity, facts, (), {"accept": (key,)}))


def without_odd_rows(table: pa.Table, accepted: Container[str] = ()) -> CleanRows:
    """Exclude headers within the table, units, totals, notes and blank rows; move shifted cells.

    A second header with different names is a finding that stops: two tables in one file. Nothing
    is done about ``accepted`` kinds of findings; ``first-table`` keeps the rows above that header.
    """
    clean = CleanRows(table)
    n, blank = table.num_rows, _blank_rows(table)
    rows, stacked = _odd_rows(table, blank)
    if stacked and "first-table" in accepted:
        clean = without_odd_rows(table.slice(0, stacked[0]), accepted)
        clean.kept = np.arange(stacked[0]) if clean.kept is None else clean.kept
        return clean
    excluded = sorted(row for numbers in rows.values() for row in numbers)
    n_certain = int(blank.sum()) + len(rows.get("total", ()))
    few = len(excluded) - n_certain <= max(5, LIMITS.max_odd_share * n)
    if stacked and "stacked" not in accepted:
        examples = ", ".join(map(repr, _cells(table, stacked[0])[:3]))
        facts = {"row": stacked[0] + 1, "cells": examples}
        option = {"accept": ("first-table",)}
        clean.findings.append(Finding("stacked", "harmful", facts, (), option, assumed=False))
    if excluded and few and "rows" not in accepted:
        clean.kept = np.setdiff1d(np.arange(n), excluded)
        clean.table = table.take(clean.kept)
        clean.add(
            "rows", {"rows": rows}, severity="notable" if set(rows) <= {"blank"} else "harmful"
        )
    if "shifted" not in accepted:
        clean.table, moved = _moved_back(clean.table)
        if moved:
            first = moved[0] if clean.kept is None else int(clean.kept[moved[0]])
            clean.add("shifted", {"count": len(moved), "row": first + 1})
    return clean


def _odd_rows(table: pa.Table, blank: Bools) -> tuple[dict[str, list[int]], list[int]]:
    """Rows that are no objects, by kind, and rows that look like headers of other tables."""
    n = table.num_rows
    rows: dict[str, list[int]] = {}
    stacked: list[int] = []
    if blank.all():
        return rows, stacked
    if blank.any():
        rows["blank"] = np.flatnonzero(blank).tolist()
    last = n - 1 - int(np.argmax(~blank[::-1]))
    names = [name.strip().casefold() for name in table.column_names]
    for i, row in enumerate(_rows_of_words(table)):
        cells = [(cell or "").strip().casefold() for cell in _cells(table, row)]
        is_above = row == i  # all numbers
        if (
            cells != names and not is_above and row <= last - 3
        ):  # totals and notes stand in the last rows
            stacked.append(row)
            continue
        row_type = "header" if cells == names else "units" if is_above else "note"
        rows.setdefault(row_type, []).append(row)
    totals = _totals(table, last) if n >= 10 else []
    if totals:
        rows["total"] = totals
    return rows, stacked


def _totals(table: pa.Table, last: int) -> list[int]:
    """Rows called totals: the last one, or all that are sums of the rows since the one before."""
    for column in table.columns:
        if not column_arrays.is_text(column.type):
            continue
        is_called = pc.match_substring_regex(column, rf"(?i)^\s*(?:{_TOTAL})(?:\b|:|$)")
        rows = np.flatnonzero(is_called.fill_null(False).to_numpy())
        if not 0 < len(rows) <= table.num_rows / 3:
            continue
        is_last = rows.tolist() == [last] and _ONLY_TOTAL.fullmatch(column[last].as_py().strip())
        if is_last or _are_sums(table, rows):
            return rows.tolist()
    return []


def _are_sums(table: pa.Table, rows: Ints) -> bool:
    """Whether each of the rows has, in some column, the sum of those since the one before."""
    for column in table.columns:
        if not column_arrays.is_number(column.type):
            continue
        values = np.asarray(column_arrays.floats(column), dtype=np.float64)
        starts = [0, *(rows[:-1] + 1)]
        sums = [np.nansum(values[a:b]) for a, b in zip(starts, rows, strict=True)]
        if np.allclose(sums, values[rows], rtol=1e-3) and np.any(sums):
            return True
    return False


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
    if column_arrays.is_text(column.type):
        empty = pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(column)), 0)
        return np.asarray(empty.fill_null(True).to_numpy())
    return np.asarray(column.is_null(nan_is_null=True).to_numpy())


def _without_digits(column: pa.ChunkedArray) -> Bools | None:
    """Mask of the cells with words in a text column of numbers; None for other columns."""
    if not column_arrays.is_text(column.type):
        return None
    has_digit = pc.match_substring_regex(column, r"^[^\pL]*\d|^\s*(?i:eur|usd|gbp|chf|jpy)\s*\d")
    with_digit = has_digit.fill_null(False).to_numpy()
    words = ~with_digit & ~_blanks(column)
    if words.any():
        for row in np.flatnonzero(words)[:1000]:
            words[row] = str(column[int(row)].as_py()).strip().lower() not in MISSING_MARKS
    is_numeric = (
        with_digit.sum() > 0
        and words.sum() <= LIMITS.max_invalid_share * (with_digit | words).sum()
    )
    return words if is_numeric else None


def _rows_of_words(table: pa.Table) -> list[int]:
    """Rows with words in every text column of numbers, two columns at least."""
    masks = [_without_digits(column) for column in table.columns]
    words = [mask for mask in masks if mask is not None and mask.any()]
    n_numeric = sum(mask is not None for mask in masks)
    if len(words) < 2 or len(words) < n_numeric:
        return []
    rows = np.flatnonzero(np.logical_and.reduce(words))
    return [] if len(rows) > max(5, LIMITS.max_odd_share * table.num_rows) else rows.tolist()


def _moved_back(table: pa.Table) -> tuple[pa.Table, list[int]]:
    """Table whose shifted rows are moved back by a column, and these rows."""
    n, d = table.num_rows, table.num_columns
    if n < 20 or not 3 <= d <= 500:
        return table, []
    blanks = np.column_stack([_blanks(column) for column in table.columns])
    masks = [_without_digits(column) for column in table.columns]
    usually_blank = blanks.mean(axis=0) > 1 - LIMITS.max_odd_share
    usually_filled = blanks.mean(axis=0) < LIMITS.max_odd_share
    odd = (blanks & usually_filled).astype(int) + (~blanks & usually_blank)
    for j, mask in enumerate(masks):
        if mask is not None:
            odd[:, j] += mask
    rows = np.flatnonzero(odd.sum(axis=1) >= 2)
    if (
        not 0 < len(rows) <= max(3, LIMITS.max_odd_share * n)
        or not (usually_blank | usually_filled).any()
    ):
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
    cells: list[str | None], usually_blank: Bools, usually_filled: Bools, masks: list[Bools | None]
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
