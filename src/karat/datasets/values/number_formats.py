"""Formats of dates in text and numbers (15.03.2020, 20200315), and marks of missing values."""

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
_DATE = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?|\d{4}[-/]\d{2}"
    r"|(?:\d{1,2}[ -.])?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ .,-]+.*\d{4}.*"
    r"|\d{1,2}[- ](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[- ]\d{2,4}",
    re.IGNORECASE,
)
DAY = 86400.0


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
