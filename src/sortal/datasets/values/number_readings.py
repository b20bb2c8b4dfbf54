"""Numbers, dates, units and marks of missing values in text, and the reading of a column."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sortal.datasets.values.limits import LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sortal.typing import Bools, Floats

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


@dataclass(frozen=True)
class NumbersOfCells:
    """Numbers of the cells of a column, and how they were read."""

    values: Floats  # NaN where a cell is no number
    form: str  # format in words; empty for plain numbers
    #: marks (``point``, ``comma``, ``either``), then units, each as ``unit=factor``
    reading: tuple[str, ...]
    #: cells whose value depends on the reading, where no reading fits the column better
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
    units_read = [word.rpartition("=") for word in reading if word not in MARKS]
    factors_read = {unit: float(factor) for unit, _, factor in units_read}
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
    words = _words(matches, mark, scale, values)
    written = tuple(f"{unit}={factor:.12g}" for unit, factor in scale.items())
    return NumbersOfCells(values, words, (mark, *written), doubtful)


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
    is_frequent = n_short >= LIMITS.min_short_share * len(cells)
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
        is_close = margin < LIMITS.min_decades * weights[differing].sum()
        is_alike = scale == candidates[best][1] and _continue(others, both, differing)
        if len(differing) and (is_close or is_alike):
            return tuple(cells[j] for j in differing[:3])
    return ()


def _continue(values: Floats, is_number: Bools, chosen: NDArray[np.intp]) -> bool:
    """Whether some values lie beside the others, no farther off than most of these spread."""
    is_usual = is_number.copy()
    is_usual[chosen] = False
    if not len(chosen) or is_usual.sum() < LIMITS.min_usual_cells:
        return False
    low, high = np.quantile(np.log10(np.abs(values[is_usual])), (0.1, 0.9))
    decades = np.log10(np.abs(values[chosen]))
    reach = high - low
    return bool(decades.min() >= low - reach and decades.max() <= high + reach)


def _words(
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


#: factor of each unit, by what it measures
SCALES: dict[str, dict[str, float]] = {
    "magnitude": {
        "": 1, "k": 1e3, "tsd": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6, "b": 1e9,
        "bn": 1e9, "mrd": 1e9, "billion": 1e9,
    },
    "mass": {
        "kg": 1, "g": 1e-3, "mg": 1e-6, "t": 1e3, "lb": 0.45359237, "lbs": 0.45359237,
        "oz": 0.028349523125,
    },
    "length": {
        "m": 1, "cm": 0.01, "mm": 1e-3, "km": 1e3, "in": 0.0254, "inch": 0.0254, "inches": 0.0254,
        "ft": 0.3048, "feet": 0.3048, "yd": 0.9144, "mi": 1609.344, "miles": 1609.344,
    },
    "duration": {
        "s": 1, "sec": 1, "ms": 1e-3, "min": 60, "mins": 60, "h": 3600, "hr": 3600, "hrs": 3600,
        "d": 86400, "day": 86400, "days": 86400,
    },
    "volume": {"l": 1, "ml": 1e-3, "cl": 1e-2, "dl": 0.1},
    "energy": {"wh": 1, "kwh": 1e3, "mwh": 1e6},
    "power": {"w": 1, "kw": 1e3, "mw": 1e6},
    "bytes": {"b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12},
    "currency": dict.fromkeys(("€", "$", "£", "¥", "₹", "eur", "usd", "gbp", "chf", "jpy"), 1.0),
}  # fmt: skip
#: what a unit measures; of a unit with several meanings the last
SCALE_OF_UNIT = {unit: scale for scale, units in SCALES.items() for unit in units if unit}
#: conversions from one unit to another that people make in the middle of a file: factor, offset
CONVERSIONS: dict[str, tuple[float, float]] = {
    "inches instead of cm": (1 / 2.54, 0.0),
    "cm instead of inches": (2.54, 0.0),
    "pounds instead of kg": (1 / 0.45359237, 0.0),
    "kg instead of pounds": (0.45359237, 0.0),
    "feet instead of m": (1 / 0.3048, 0.0),
    "m instead of feet": (0.3048, 0.0),
    "miles instead of km": (1 / 1.609344, 0.0),
    "km instead of miles": (1.609344, 0.0),
    "°F instead of °C": (1.8, 32.0),
    "°C instead of °F": (1 / 1.8, -32.0 / 1.8),
    "a unit 10 times smaller": (10.0, 0.0),
    "a unit 10 times larger": (0.1, 0.0),
    "a unit 60 times smaller": (60.0, 0.0),
    "a unit 60 times larger": (1 / 60, 0.0),
    "a unit 100 times smaller": (100.0, 0.0),
    "a unit 100 times larger": (0.01, 0.0),
    "a unit 1,000 times smaller": (1000.0, 0.0),
    "a unit 1,000 times larger": (0.001, 0.0),
}


def scales_of(counts: Counter[str]) -> list[dict[str, float]]:
    """Candidate factors of the units behind the numbers of a column, the most likely first."""
    units = {unit for unit in counts if unit}
    if not units:
        return [{"": 1.0}]
    usual = max(counts, key=lambda unit: (counts[unit], unit))
    lower = {unit.lower().replace(" ", "") for unit in units}
    if lower == {"%"}:
        same = {"": 1.0, "%": 1.0}
        return [same] if not counts[""] else [same, {"": 100.0, "%": 1.0}]
    if len(lower) == 1 or lower <= set(SCALES["currency"]):
        same = dict.fromkeys((*units, ""), 1.0)
        unit = next(iter(lower))
        if counts[""] and unit in SCALES["magnitude"]:
            factor = SCALES["magnitude"][unit]
            return [same, {"": 1.0, **dict.fromkeys(units, factor)}]
        return [same]
    for scale in SCALES.values():
        if lower <= set(scale):
            base = scale.get(usual.lower(), scale[min(lower)])
            factors = {unit: scale[unit.lower()] / base for unit in sorted(units)}
            return [{"": 1.0, **factors}]
    unit = max(units, key=lambda unit: (counts[unit], unit))
    return [{"": 1.0, **({unit: 1.0} if counts[unit] > counts[""] else {})}]


#: contents of unquoted cells without a value
MISSING_CELLS = ("", "?", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "None")
#: contents of cells without a value, besides blanks; case is ignored
MISSING_MARKS = frozenset((
    "?", ".", "-", "--", "---", "n/a", "na", "n.a.", "#n/a", "#na", "nan", "null", "none", "nil",
    "empty", "missing", "#value!", "#ref!", "#div/0!", "(null)", "<na>",
))  # fmt: skip
_DATE = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?|\d{4}[-/]\d{2}"
    r"|(?:\d{1,2}[ -.])?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ .,-]+.*\d{4}.*"
    r"|\d{1,2}[- ](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[- ]\d{2,4}",
    re.IGNORECASE,
)
#: derived: seconds of a day
DAY = SCALES["duration"]["day"]


def days(cells: list[str], *, day_first: bool | None = None) -> Floats:
    """Days since 1970 of dates in text, NaN for other text."""
    import pandas as pd

    values = np.full(len(cells), np.nan)
    is_date_like = np.array(
        [_DATE.fullmatch(cell.strip()) is not None for cell in cells], dtype=bool
    )
    if not is_date_like.any():
        return values
    dates = [cell.strip() for cell, is_date in zip(cells, is_date_like, strict=True) if is_date]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        times = pd.to_datetime(
            pd.Series(dates), errors="coerce", format="mixed", utc=True,
            dayfirst=is_day_first(dates) if day_first is None else day_first,
        )  # fmt: skip
    seconds = (times - pd.Timestamp("1970-01-01", tz="UTC")).dt.total_seconds()
    values[is_date_like] = seconds.to_numpy(dtype=np.float64) / DAY
    return values


def is_day_first(cells: list[str]) -> bool:
    """Whether dates begin with the day, by a number above 12 or a point after it."""
    dates = [cell.strip() for cell in cells if _DATE.fullmatch(cell.strip())]
    parts = [re.split(r"[-/.]", cell)[:2] for cell in dates]
    first_numbers = [int(p[0]) for p in parts if len(p) == 2 and p[0].isdigit() and len(p[0]) <= 2]
    return bool(first_numbers) and (max(first_numbers) > 12 or "." in dates[0])


def days_of_digits(values: NDArray[Any]) -> Floats | None:
    """Days since 1970 of whole numbers yyyymmdd; None unless all of them are dates."""
    digits = values.astype(np.int64)
    year, month, day = digits // 10000, digits // 100 % 100, digits % 100
    valid = (year >= 1800) & (year <= 2200) & (month >= 1) & (month <= 12)
    if not (valid & (day >= 1) & (day <= 31)).all():
        return None
    months = (12 * (year - 1970) + month - 1).astype("datetime64[M]")
    days_since_1970 = months.astype("datetime64[D]").astype(np.int64) + day - 1
    return days_since_1970.astype(np.float64)


def are_padded(cells: Sequence[str]) -> bool:
    """Whether cells are codes: digits of one width, some after leading zeros."""
    digits = {cell.strip() for cell in cells} - {*MISSING_CELLS}
    return (
        len({*map(len, digits)}) == 1
        and all(cell.isdecimal() for cell in digits)
        and any(cell[0] == "0" and len(cell) > 1 for cell in digits)
    )
