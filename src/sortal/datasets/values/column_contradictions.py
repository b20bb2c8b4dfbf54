"""Contradictions within a column of numbers: lone cells far off, and changes of the unit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sortal.datasets.values.limits import LIMITS, Limits
from sortal.datasets.values.number_readings import CONVERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from sortal.datasets.values.column_arrays import Categories
    from sortal.typing import Bools, Floats


def lone_cells(values: NDArray[np.floating], limits: Limits = LIMITS) -> NDArray[np.intp]:
    """Rows of the few values that are far beyond the range of all others, as typing errors are."""
    rows = np.flatnonzero(np.isfinite(values))
    order = rows[np.argsort(values[rows], kind="stable")]
    if len(order) < 20:
        return order[:0]
    allowed = max(1, int(limits.max_lone_share * len(order)))
    low, high = 0, len(order)
    while len(order) - (high - low) < allowed:
        ordered = values[order[low:high]].astype(np.float64)
        above, below = ordered[-1] - ordered[-2], ordered[1] - ordered[0]
        is_high = bool(above >= below)
        reach = ordered[-2] - ordered[0] if is_high else ordered[-1] - ordered[1]
        if not max(above, below) > limits.min_gap * reach > 0:
            break
        low, high = (low, high - 1) if is_high else (low + 1, high)
    if high - low == len(order) or len(np.unique(values[order[low:high]])) < limits.min_distinct:
        return order[:0]
    return np.sort(np.concatenate([order[:low], order[high:]]))


@dataclass(frozen=True)
class UnitChange:
    """Rows of a column in another unit: where, which unit, and the values in that of the others."""

    where: str
    words: str
    values: Floats


def unit_changes(
    columns: Mapping[str, NDArray[np.floating]], categories: Mapping[str, Categories]
) -> dict[str, UnitChange]:
    """Columns in another unit from a row on, or where a category has a value.

    The two parts differ beyond chance in this column alone, and agree once one is converted. Rows
    that are sorted or drift change in several columns, or agree in no unit.
    """
    changes = {}
    for name, values in columns.items():
        others = [column for key, column in columns.items() if key != name]
        for where, subset in _parts(values, categories) if others else ():
            if any(
                _likeness(column[~subset], column[subset]) < LIMITS.max_drift for column in others
            ):
                continue
            change = _conversion(values, subset, where)
            if change is not None:
                changes[name] = change
                break
    return changes


def _parts(
    values: NDArray[np.floating], categories: Mapping[str, Categories]
) -> Iterator[tuple[str, Bools]]:
    """Masks of rows whose values differ from the others' beyond chance, and where they are."""
    row = _change_point(values)
    if row is not None:
        yield f"from row {row + 1:,} on", np.arange(len(values)) >= row
    for name, category in categories.items():
        for code, value in enumerate(category.values if len(category.values) < 6 else ()):
            subset = category.codes == code
            is_part = LIMITS.min_part <= subset.sum() <= len(subset) / 2
            if is_part and _likeness(values[~subset], values[subset]) < LIMITS.max_chance:
                yield f"where {name!r} is {value!r}", subset


def exclusive_sets(columns: Mapping[str, NDArray[np.floating]]) -> list[tuple[str, ...]]:
    """Neighbouring columns, or columns of one prefix: exactly one of them is 1 in each row."""
    flags = {
        name: values == 1 for name, values in columns.items() if np.isin(values, (0.0, 1.0)).all()
    }
    in_order = _sets_of_neighbours(columns, flags, list(columns))
    if in_order:
        return in_order
    by_prefix = sorted(flags, key=lambda name: re.split(r"[_=:.\W]", name)[0])
    return _sets_of_neighbours(columns, flags, by_prefix)


def _sets_of_neighbours(
    columns: Mapping[str, NDArray[np.floating]],
    flags: dict[str, NDArray[np.bool_]],
    names: list[str],
) -> list[tuple[str, ...]]:
    """Runs of names whose flags are exclusive and complete."""
    sets: list[tuple[str, ...]] = []
    start = 0
    while start < len(names):
        total = np.zeros(len(columns[names[start]]), dtype=np.int64)
        end = start
        while end < len(names) and names[end] in flags and (total == 0).any():
            total += flags[names[end]]
            end += 1
            if (total > 1).any():
                break
        if end - start >= 3 and (total == 1).all():
            sets.append(tuple(names[start:end]))
            start = end
        else:
            start += 1
    return sets


def _change_point(values: NDArray[np.floating]) -> int | None:
    """Row at which the ranks of a column shift most; None where chance explains it."""
    rows = np.flatnonzero(np.isfinite(values))
    n = len(rows)
    if n < 4 * LIMITS.min_part or len(np.unique(values[rows])) < LIMITS.min_distinct:
        return None
    ranks = np.empty(n)
    ranks[np.argsort(values[rows], kind="stable")] = np.arange(n)
    shift = np.abs(np.cumsum(ranks - (n - 1) / 2))
    at = LIMITS.min_part + int(np.argmax(shift[LIMITS.min_part - 1 : n - LIMITS.min_part]))
    row = int(rows[at])
    return row if _likeness(values[:row], values[row:]) < LIMITS.max_chance else None


def _conversion(values: NDArray[np.floating], subset: Bools, where: str) -> UnitChange | None:
    """Conversion after which a part agrees best with the others."""
    chances = {
        words: _likeness(values[~subset], (values[subset] - offset) / factor)
        for words, (factor, offset) in CONVERSIONS.items()
    }
    words = max(chances, key=chances.__getitem__)
    factor, offset = CONVERSIONS[words]
    converted = np.array(values, dtype=np.float64)
    converted[subset] = (converted[subset] - offset) / factor
    low, high = np.nanquantile(converted[subset], (0.1, 0.9))
    usual_low, usual_high = np.nanquantile(converted[~subset], (0.1, 0.9))
    ratio = (high - low) / max(usual_high - usual_low, np.finfo(np.float64).tiny)
    is_alike = 1 / LIMITS.max_unit_ratio <= ratio <= LIMITS.max_unit_ratio
    return (
        UnitChange(where, words, converted)
        if is_alike and chances[words] >= LIMITS.min_likeness
        else None
    )


def _likeness(first: NDArray[np.floating], second: NDArray[np.floating]) -> float:
    """Asymptotic p-value of Kolmogorov and Smirnov that two samples have one distribution."""
    first, second = np.sort(first[np.isfinite(first)]), np.sort(second[np.isfinite(second)])
    m, n = len(first), len(second)
    if min(m, n) < 2:
        return 1.0
    both = np.concatenate([first, second])
    shares = [
        np.searchsorted(sample, both, side="right") / len(sample) for sample in (first, second)
    ]
    distance = np.sqrt(m * n / (m + n)) * np.abs(shares[0] - shares[1]).max()
    terms = np.arange(1, 101)
    if distance < 0.3:
        return 1.0
    return float(min(1.0, 2 * np.sum((-1.0) ** (terms - 1) * np.exp(-2 * (terms * distance) ** 2))))
