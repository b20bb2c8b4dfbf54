"""Formats of numbers and dates in text: 1,200, 1.200,5, 12 %, € 5, 15.03.2020."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from karat.runtime.types import Floats

#: contents of cells without a value, besides blanks; case is ignored
MISSING_MARKS = frozenset((
    "?", ".", "-", "--", "---", "n/a", "na", "n.a.", "#n/a", "#na", "nan", "null", "none", "nil",
    "empty", "missing", "#value!", "#ref!", "#div/0!", "(null)", "<na>",
))  # fmt: skip
_CURRENCY = r"(?:[€$£¥₹]|EUR|USD|GBP|CHF|JPY)"
_AFFIXES = re.compile(rf"^\s*([+-]?)\s*{_CURRENCY}?\s*(.*?)\s*(%|{_CURRENCY})?\s*$", re.IGNORECASE)
_PLAIN_NUMBER = re.compile(
    r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf|infinity", re.ASCII | re.IGNORECASE
)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_EUROPEAN = re.compile(r"\d{1,3}(?:[. '\u00a0\u202f]\d{3})+(?:,\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"\d+,\d+", re.ASCII)
_DATE = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?|\d{4}[-/]\d{2}"
    r"|(?:\d{1,2}[ -.])?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ .,-]+.*\d{4}.*"
    r"|\d{1,2}[- ](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[- ]\d{2,4}",
    re.IGNORECASE,
)
DAY = 86400.0


def numbers(cells: list[str], *, decimal_comma: bool | None = None) -> tuple[Floats, str]:
    """Values of ``cells``, NaN for other text, and their format ("" if plain).

    ``decimal_comma`` defaults to the result of :func:`uses_decimal_comma`.
    """
    matches = [_AFFIXES.match(cell) for cell in cells]
    bodies = ["" if match is None else match[2] for match in matches]
    if decimal_comma is None:
        decimal_comma = _has_decimal_comma(bodies)
    values = np.full(len(cells), np.nan)
    forms: set[str] = set()
    for i, (cell, match, body) in enumerate(zip(cells, matches, bodies, strict=True)):
        if match is None:
            continue
        value, form = _value(body, decimal_comma)
        if value is None:
            continue
        values[i] = -value if match[1] == "-" else value
        forms |= {form} if form else set()
        if cell.rstrip().endswith("%"):
            forms.add("per cent")
        elif re.search(_CURRENCY, cell, re.IGNORECASE):
            forms.add("a currency")
    return values, " and ".join(sorted(forms))


def uses_decimal_comma(cells: list[str]) -> bool:
    """Whether any cell rules out commas as thousands separators."""
    matches = [_AFFIXES.match(cell) for cell in cells]
    return _has_decimal_comma(["" if match is None else match[2] for match in matches])


def _has_decimal_comma(bodies: list[str]) -> bool:
    """Whether any number is only valid with a decimal comma."""
    return any(
        _DECIMAL_COMMA.fullmatch(body) and not _THOUSANDS.fullmatch(body) for body in bodies
    ) or any(_EUROPEAN.fullmatch(body) and "," in body for body in bodies)


def _value(body: str, decimal_comma: bool) -> tuple[float | None, str]:
    """Value of a number without sign and currency, None for other text, and its format."""
    if decimal_comma and _EUROPEAN.fullmatch(body):
        whole = re.sub(r"[. '\u00a0\u202f]", "", body)
        return float(whole.replace(",", ".")), "a decimal comma"
    if decimal_comma and _DECIMAL_COMMA.fullmatch(body):
        return float(body.replace(",", ".")), "a decimal comma"
    if _PLAIN_NUMBER.fullmatch(body):
        return float(body), ""
    if not decimal_comma and _THOUSANDS.fullmatch(body):
        return float(body.replace(",", "")), "commas between thousands"
    return None, ""


def days(cells: list[str], *, day_first: bool | None = None) -> Floats:
    """Days since 1970 of dates in text, NaN for other text.

    ``day_first`` defaults to the result of :func:`is_day_first`.
    """
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
    whole = values.astype(np.int64)
    year, month, day = whole // 10000, whole // 100 % 100, whole % 100
    valid = (year >= 1800) & (year <= 2200) & (month >= 1) & (month <= 12)
    if not (valid & (day >= 1) & (day <= 31)).all():
        return None
    months = (12 * (year - 1970) + month - 1).astype("datetime64[M]")
    days_since_1970 = months.astype("datetime64[D]").astype(np.int64) + day - 1
    return days_since_1970.astype(np.float64)
