"""Readings of numbers in text: marks, signs, units, limits, and the reading that fits a column."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from karat.datasets.values.unit_names import SCALE_OF_UNIT, scales_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from karat.runtime.types import Bools, Floats

_CURRENCY = r"(?:[€$£¥₹]|(?:EUR|USD|GBP|CHF|JPY)(?![A-Za-z]))"
_CELL = re.compile(
    rf"\s*(?P<limit>[<>≤≥~≈]=?|ca\.)?\s*(?P<sign>[-+−])?\s*(?P<bracket>\()?\s*"
    rf"(?P<currency>{_CURRENCY})?\s*(?P<quote>')?(?P<sign2>[-−])?"
    r"(?P<body>inf(?:inity)?|\.?\d(?:[\d.,'\u00a0\u202f]| (?=\d{3}(?!\d)))*(?:[eE][+-]?\d+)?)"
    r"\s*(?P<minus>-)?(?P<close>\))?"
    rf"\s*(?P<unit>%|°\s?[CFK]?|{_CURRENCY}|[^\W\d_][^\W\d_/³²^]{{0,9}}(?:/[^\W\d_]{{1,4}})?[²³]?)?"
    r"\s*\)?\s*",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf|infinity", re.ASCII | re.IGNORECASE)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_EUROPEAN = re.compile(r"[1-9]\d{0,2}(?:[. '\u00a0\u202f]\d{3})+(?:,\d+)?", re.ASCII)
_GROUPED = re.compile(r"\d{1,3}(?:[ '\u00a0\u202f]\d{3})+(?:\.\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"\d+,\d+(?:[eE][+-]?\d+)?", re.ASCII)
#: readings of the marks in numbers, the usual one first
MARKS = ("point", "comma", "either")
#: reading of plain numbers
PLAIN_READING = ("point", "=1")
#: reading of a lone cell, whose unit does not matter
LONE_READING = ("point", "=1", "%=1", "€=1", "$=1", "£=1")
#: decades per cell by which a reading has to be better to be taken
MIN_DECADES = 0.5
#: cells that show where the others of their column lie
MIN_USUAL = 8
#: share of numbers below 1,000 without a mark beside those with points between thousands
MIN_SHORT_SHARE = 0.1


@dataclass(frozen=True)
class NumbersOfCells:
    """Numbers of the cells of a column, and how they were read.

    Attributes
    ----------
    values : ndarray of float64
        NaN where a cell is no number.
    form : str
        Format in words; empty for plain numbers.
    reading : tuple of str
        Marks (``point``, ``comma``, ``either``), then units, each as ``unit=factor``.
    doubtful : tuple of str
        Cells whose value depends on the reading, where no reading fits the column better.
    """

    values: Floats
    form: str
    reading: tuple[str, ...]
    doubtful: tuple[str, ...] = ()


def numbers_of(
    cells: Sequence[str],
    reading: Sequence[str] = (),
    counts: Sequence[int] | None = None,
    decimal: str = ".",
) -> NumbersOfCells:
    """Numbers of cells in the reading that most cells have and that keeps them closest together.

    ``reading`` is that of other cells of the column. Words for marks alone leave the units open,
    and the first one that reads most cells holds.
    ``decimal`` is the mark of the file, for columns that can be read in two ways.
    """
    matches = [_CELL.fullmatch(cell) for cell in cells]
    units = ["" if match is None else (match["unit"] or "") for match in matches]
    weights = np.ones(len(cells)) if counts is None else np.asarray(counts, dtype=np.float64)
    settled = [word for word in reading if word in MARKS]
    marks = settled or _possible_marks(matches, decimal)
    factors_read = _factors_of(word for word in reading if word not in MARKS)
    if factors_read:
        factors = [factors_read]
    else:
        tally: Counter[str] = Counter()
        for unit, match, weight in zip(units, matches, weights, strict=True):
            if match is not None:
                tally[unit] += int(weight)
        factors = scales_of(tally)
    candidates = [
        (mark, scale, _values(matches, units, mark, scale)) for mark in marks for scale in factors
    ]
    costs = [_cost(values, weights) for *_, values in candidates]
    ranks = [settled.index(mark) if settled else 0 for mark, *_ in candidates]
    best = min(range(len(costs)), key=lambda i: (costs[i][0], ranks[i], costs[i][1]))
    mark, scale, values = candidates[best]
    doubtful = () if settled else _doubtful_cells(cells, candidates, costs, best, weights)
    words = _words(cells, matches, mark, scale, values)
    written = tuple(f"{unit}={factor:.12g}" for unit, factor in scale.items())
    return NumbersOfCells(values, words, (mark, *written), doubtful)


def _factors_of(written: Iterable[str]) -> dict[str, float]:
    """Factor of each unit from words such as ``kg=1``."""
    parts = [word.rpartition("=") for word in written]
    return {unit: float(factor) for unit, _, factor in parts}


def _possible_marks(matches: list[re.Match[str] | None], decimal: str) -> list[str]:
    """Readings of the marks that give the cells different values, that of the file first.

    Commas before groups of three digits alone, without any point, stand between thousands unless
    the file has decimal commas.
    """
    bodies = [match["body"] for match in matches if match is not None]
    with_comma = [body for body in bodies if "," in body]
    usual = ["comma", "point"] if decimal == "," else ["point", "comma"]
    if not with_comma:
        return usual if any(map(_EUROPEAN.fullmatch, bodies)) else ["point"]
    are_groups = all(_THOUSANDS.fullmatch(body) for body in with_comma)
    if are_groups and not any("." in body for body in bodies):
        return ["point"] if decimal == "." else usual
    return [*usual, "either"]


def uses_decimal_comma(columns: Iterable[Sequence[str]]) -> bool:
    """Whether the cells of a file have decimal commas, and points only between thousands."""
    cells = [cell.strip().lstrip("+-") for column in columns for cell in column]
    points = [cell for cell in cells if "." in cell and _PLAIN.fullmatch(cell)]
    n_commas = sum(_DECIMAL_COMMA.fullmatch(cell) is not None for cell in cells)
    return n_commas >= max(1, len(points)) and all(map(_EUROPEAN.fullmatch, points))


def may_have_groups(cells: Sequence[str]) -> bool:
    """Whether points stand between thousands: before three digits only, beside short numbers."""
    cells = [cell.strip().lstrip("+-") for cell in cells]
    points = [cell for cell in cells if "." in cell]
    n_short = sum(cell.isdecimal() and len(cell) <= 3 for cell in cells)
    is_frequent = n_short >= MIN_SHORT_SHARE * len(cells)
    return bool(points) and is_frequent and all(map(_EUROPEAN.fullmatch, points))


def _values(
    matches: list[re.Match[str] | None], units: list[str], mark: str, scale: dict[str, float]
) -> Floats:
    """Values of cells in one reading, NaN where they have none."""
    values = np.full(len(matches), np.nan)
    for i, (match, unit) in enumerate(zip(matches, units, strict=True)):
        if match is None or unit not in scale:
            continue
        value = _number(match["body"], mark)
        if value is None or bool(match["bracket"]) != bool(match["close"]):
            continue
        minuses = [match["sign"] or "+", match["sign2"], match["minus"], match["bracket"]]
        is_negative = minuses[0] in "-−" or any(minuses[1:])
        values[i] = (-value if is_negative else value) * scale[unit]
    return values


def _number(body: str, mark: str) -> float | None:
    """Value of digits and marks in one reading, None if they have none."""
    if mark != "point" and _DECIMAL_COMMA.fullmatch(body):
        return float(body.replace(",", "."))
    if mark == "comma" and _EUROPEAN.fullmatch(body):
        return float(re.sub(r"[. '\u00a0\u202f]", "", body).replace(",", "."))
    if _PLAIN.fullmatch(body):
        return float(body)
    if _GROUPED.fullmatch(body):
        return float(re.sub(r"[ '\u00a0\u202f]", "", body))
    if mark == "point" and _THOUSANDS.fullmatch(body):
        return float(body.replace(",", ""))
    return None


def _cost(values: Floats, weights: Floats) -> tuple[float, float]:
    """Cells without a value, and decades of the others from their median."""
    is_number = np.isfinite(values) & (values != 0)
    unread = float(weights[np.isnan(values)].sum())
    if not is_number.any():
        return unread, 0.0
    decades = np.log10(np.abs(values[is_number]))
    # half a decade per cell is what the spread of any column may have
    return unread, round(
        float((weights[is_number] * np.abs(decades - np.median(decades))).sum()), 6
    )


def _doubtful_cells(
    cells: Sequence[str],
    candidates: list[tuple[str, dict[str, float], Floats]],
    costs: list[tuple[float, float]],
    best: int,
    weights: Floats,
) -> tuple[str, ...]:
    """Cells whose value depends on the reading where another one fits about as well."""
    values = candidates[best][2]
    for i, (_, scale, others) in enumerate(candidates):
        if i == best or costs[i][0] > costs[best][0]:
            continue
        both = np.isfinite(values) & np.isfinite(others) & (values != 0) & (others != 0)
        if not both.any():
            continue
        ratio = np.round(np.log10(np.abs(values[both] / others[both])), 6)
        usual = Counter(ratio.tolist()).most_common(1)[0][0]
        differing = np.flatnonzero(both)[ratio != usual]
        margin = costs[i][1] - costs[best][1]
        is_close = margin < MIN_DECADES * weights[differing].sum()
        is_alike = scale == candidates[best][1] and _continue(others, both, differing)
        if len(differing) and (is_close or is_alike):
            return tuple(cells[j] for j in differing[:3])
    return ()


def _continue(values: Floats, is_number: Bools, chosen: NDArray[np.intp]) -> bool:
    """Whether some values lie beside the others, no farther off than most of these spread."""
    is_usual = is_number.copy()
    is_usual[chosen] = False
    if not len(chosen) or is_usual.sum() < MIN_USUAL:
        return False
    low, high = np.quantile(np.log10(np.abs(values[is_usual])), (0.1, 0.9))
    decades = np.log10(np.abs(values[chosen]))
    reach = high - low
    return bool(decades.min() >= low - reach and decades.max() <= high + reach)


def _words(
    cells: Sequence[str],
    matches: list[re.Match[str] | None],
    mark: str,
    scale: dict[str, float],
    values: Floats,
) -> str:
    """Format of the numbers in words, empty for plain ones."""
    forms: set[str] = set()
    for match, value in zip(matches, values, strict=True):
        if match is None or np.isnan(value):
            continue
        body = match["body"]
        if "," in body:
            is_decimal = mark != "point"
            forms.add("a decimal comma" if is_decimal else "commas between thousands")
        elif not _PLAIN.fullmatch(body):
            forms.add("points between thousands" if "." in body else "blanks between thousands")
        elif mark == "comma" and _EUROPEAN.fullmatch(body):
            forms.add("points between thousands")
        if match["limit"]:
            forms.add("limits (<, >), taken as their value")
        if match["bracket"] or match["minus"] or "−" in match[0]:
            forms.add("other minus signs")
        if match["currency"] or SCALE_OF_UNIT.get((match["unit"] or "").lower()) == "currency":
            forms.add("a currency")
    units = [
        unit
        for unit in scale
        if unit and unit != "%" and SCALE_OF_UNIT.get(unit.lower()) != "currency"
    ]
    if "%" in scale:
        forms.add("per cent and shares" if scale.get("", 1.0) != 1.0 else "per cent")
    if units:
        forms.add(f"the unit{'s' * (len(units) > 1)} {', '.join(units)}")
    return " and ".join(sorted(forms))
