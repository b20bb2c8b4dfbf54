"""Interpretation of one column of a table: number, category, code, date, id, text, label."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sortal.datasets.values import number_readings
from sortal.datasets.values.column_arrays import (
    Categories,
    blank_to_null,
    encoded,
    floats,
    is_text,
    objects,
)
from sortal.datasets.values.column_contradictions import lone_cells
from sortal.datasets.values.feature_scaling import center_spread
from sortal.datasets.values.limits import LIMITS, MAX_ROWS
from sortal.datasets.values.number_readings import PLAIN_READING, are_padded, numbers_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.datasets.values.reading_options import ReadingOptions
    from sortal.typing import Bools, Floats

ColumnKind = Literal[
    "number", "category", "code", "date", "id", "text", "label", "weight", "constant", "empty"
]
ColumnRole = Literal["feature", "id", "time", "outcome", "weight", "text", "set aside"]
ColumnUse = Literal["feature", "name", "excluded"]

#: names of columns whose few values are classes, not features
LABEL_NAMES = frozenset((
    "class", "classes", "target", "label", "labels", "species", "group", "groups", "cluster",
    "clusters", "clusterid", "y", "truth", "groundtruth", "goldlabel", "outcome", "diagnosis",
    "cultivar", "variety", "classlabel",
))  # fmt: skip
#: names of what happened to the objects, which clusters are usually compared with
_OUTCOME_NAME = re.compile(
    r"(?:^|[_\W])(?:is|has|did|was|will)?[_\W]?(?:churn(?:ed|er)?|attrition|attrited|default(?:ed)?|"
    r"fraud(?:ulent)?|convert(?:ed)?|conversion|surviv(?:ed|al)|died|dead|deceased|death|exited|"
    r"readmitted|relapsed?|recurrence|cancell?ed|responded|subscribed|outcome|approved|rejected|"
    r"is_?buyer|bought|purchased|clicked|dropp?ed[_\W]?out|dropout|hired|promoted|label)"
    r"(?:[_\W]?(?:flag|status|yn|label|(?:payment[_\W])?next[_\W]month))?\W*$",
    re.IGNORECASE,
)
_WEIGHT_NAME = re.compile(
    r"^(?:(?:sample|sampling|survey|case|row|obs|observation|frequency|design|person|population|"
    r"household|expansion|replicate)[_\W]?(?:weights?|wgt|wt)|fnlwgt|[fp]weight)$",
    re.IGNORECASE,
)
_ID_NAME = re.compile(
    r"(?:^|[_\W])(?:id|ids|key|uuid|guid|no|nr|number|index|rownames|ssn)$|[a-z]I[dD]$"
)
_CODE_NAME = re.compile(
    r"(?:^|[_\W])(?:code|codes|zip|zipcode|postcode|postal|plz|fips|sku|id|type|category|region|"
    r"country|state|city|dept|department|branch|store|sector|industry|occupation|gender|sex|race)$"
    r"|(?:Code|Type|Category|Id|ID)$|^(?:zip|postal|postcode)"
)
#: names of columns that identify things, even with repeated values
_KEY_NAME = re.compile(r"(?:^|[_\W])(?:id|ids|key|uuid|guid|ssn)$|[a-z]I[dD]$")
#: names of quantities, even with few and uneven values
_QUANTITY_NAME = re.compile(
    r"time|day|week|month|year|hour|age|dose|temp|price|cost|amount|size|length|weight|height|rate",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Column:
    """Interpretation of a column.

    Attributes
    ----------
    name : str
    kind : str
        number, category, code, date, id, text, label, weight, constant or empty.
    use : {"feature", "name", "excluded"}
        Role in the data set.
    missing, n_values : int
        Cells without a value, and different values.
    spread : float or None
        Standard deviation in the column's own unit.
    facts : mapping
        Facts for the findings about it.
    weight : float or None
        Its weight, see :func:`sortal.datasets.weighted`; None where columns are not weighed.
    """

    name: str
    kind: ColumnKind
    use: ColumnUse
    missing: int
    n_values: int
    spread: float | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    weight: float | None = None

    @property
    def role(self) -> ColumnRole:
        """Part of the column in the table."""
        if self.kind == "date" and self.use == "feature":
            return "time"
        if self.use != "excluded":
            return "feature" if self.use == "feature" else "id"
        roles: dict[str, ColumnRole] = {
            "label": "outcome", "weight": "weight", "text": "text", "id": "id",
        }  # fmt: skip
        return roles.get(self.kind, "set aside")


#: a column and its values, None where it is excluded
Interpretation: TypeAlias = tuple[Column, Any]


def interpret_column(
    column: pa.ChunkedArray, name: str, options: ReadingOptions, decimal: str = "."
) -> Interpretation:
    """Interpretation of a column, and its values: floats, categories, names, or None."""
    dtype = column.type
    if pa.types.is_dictionary(dtype):
        column = column.cast(dtype.value_type)
        dtype = column.type
    if pa.types.is_temporal(dtype):
        form = "time" if pa.types.is_time(dtype) else "date"
        return _date_column(name, temporal_days(column), form)
    if is_text(dtype):
        return _interpret_text(column.cast(pa.large_string()), name, options, decimal)
    if pa.types.is_boolean(dtype):
        values = floats(column.cast(pa.uint8()))
        missing, n_values = int(np.isnan(values).sum()), len(column.drop_null().unique())
        label = _label(name, len(values), missing, n_values, None, options, {})
        if label is not None:
            return label
        return Column(name, "category", "feature", missing, n_values), values
    if pa.types.is_integer(dtype) or pa.types.is_floating(dtype) or pa.types.is_decimal(dtype):
        return _interpret_numbers(floats(column), name, options, {})
    return Column(name, "empty" if pa.types.is_null(dtype) else "text", "excluded", 0, 0), None


def temporal_days(column: pa.ChunkedArray) -> Floats:
    """Dates as days since 1970; durations and times of the day as days."""
    dtype = column.type
    if pa.types.is_time(dtype) or pa.types.is_duration(dtype):
        unit = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[dtype.unit]
        integer_type = pa.int32() if pa.types.is_time32(dtype) else pa.int64()
        return column.cast(integer_type).cast(pa.float64()).to_numpy() / unit / number_readings.DAY
    times = column.cast(pa.timestamp("ms"), safe=False).cast(pa.int64()).cast(pa.float64())
    return times.to_numpy() / 1e3 / number_readings.DAY


def _date_column(name: str, values: Floats, form: str) -> Interpretation:
    """Interpretation of a column of days, and the days."""
    observed = values[np.isfinite(values)]
    missing = len(values) - len(observed)
    if len(observed) == 0:
        return Column(name, "empty", "excluded", missing, 0), None
    n_values, spread = len(np.unique(observed)), _spread(observed)
    return Column(name, "date", "feature", missing, n_values, spread, {"form": form}), values


def _spread(values: NDArray[Any]) -> float:
    """Standard deviation."""
    return float(center_spread(values[:, None], "standard")[1][0])


def _label(
    name: str,
    n: int,
    missing: int,
    c: int,
    spread: float | None,
    options: ReadingOptions,
    facts: dict[str, Any],
) -> Interpretation | None:
    """Interpretation as classes or an outcome, by the column's name and few values."""
    plain_name = re.sub(r"[\W_]", "", name).lower()
    if plain_name in LABEL_NAMES:
        is_label = 2 <= c <= LIMITS.max_labels and 5 * c <= n and not options.accepts("label")
    else:
        is_label = 2 <= c <= LIMITS.max_outcomes and 5 * c <= n and not options.accepts("outcome")
        is_label = is_label and _OUTCOME_NAME.search(name) is not None
        facts = {**facts, "outcome": True}
    if is_label:
        return Column(name, "label", "excluded", missing, c, spread, facts), None
    return None


def _interpret_text(
    column: pa.ChunkedArray, name: str, options: ReadingOptions, decimal: str
) -> Interpretation:
    """Interpret text as numbers or dates if nearly all of it is; else as words."""
    column = blank_to_null(pc.utf8_trim_whitespace(column))
    codes, dictionary = encoded(column)
    texts = dictionary.to_pylist()
    marks = number_readings.MISSING_MARKS | options.missing(name)
    is_mark = np.array([text.lower() in marks for text in texts], dtype=bool)
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    cells = [text for text, marked in zip(texts, is_mark, strict=True) if not marked]
    cell_counts = counts[~is_mark]
    if not cell_counts.sum():
        return Column(name, "empty", "excluded", len(column), 0), None
    facts: dict[str, Any] = {}
    if is_mark.any():
        facts["marks"] = sorted({texts[i] for i in np.flatnonzero(is_mark)})
    # code of each object among the cells that are not marks, -1 where missing
    codes = np.append(np.where(is_mark, -1, np.cumsum(~is_mark) - 1), -1)[codes]

    if are_padded(cells):
        return _interpret_words(column, Categories(codes, cells), name, options, facts)
    # of many distinct texts a sample suffices
    checked = np.arange(0, len(cells), max(1, len(cells) // MAX_ROWS))

    def share(values: Floats) -> float:
        return float(cell_counts[checked][np.isfinite(values)].sum() / cell_counts[checked].sum())

    written = options.number_marks
    read = numbers_of([cells[i] for i in checked], written, cell_counts[checked], decimal)
    if share(read.values) >= 1 - options.max_invalid_share:
        if len(checked) < len(cells):
            read = numbers_of(cells, written, cell_counts, decimal)
        values, wrong = read.values, np.isnan(read.values)
        if wrong.any():
            examples = tuple(cells[i] for i in np.flatnonzero(wrong)[:3])
            rows = np.flatnonzero(np.append(wrong, False)[codes])
            facts |= {"not_numbers": int(cell_counts[wrong].sum()), "examples": examples}
            facts |= {"rows": rows[:3].tolist(), "header": rows.tolist() == [0]}
        if read.form:
            facts["form"] = read.form
        if read.reading != PLAIN_READING:
            facts["reading"] = read.reading
        if read.doubtful and not options.accepts("decimal-mark"):
            facts["doubtful"] = read.doubtful
        return _interpret_numbers(np.append(values, np.nan)[codes], name, options, facts)
    dates = number_readings.days([cells[i] for i in checked])
    if share(dates) >= 1 - LIMITS.max_invalid_share and not options.accepts("date"):
        days = np.append(number_readings.days(cells), np.nan)[codes]
        interpretation, values = _date_column(name, days, "text")
        facts = {**interpretation.facts, "day_first": number_readings.is_day_first(cells)}
        return replace(interpretation, facts=facts), values
    return _interpret_words(column, Categories(codes, cells), name, options, facts)


def _interpret_words(
    column: pa.ChunkedArray,
    categories: Categories,
    name: str,
    options: ReadingOptions,
    facts: dict[str, Any],
) -> Interpretation:
    """Interpret text without numbers or dates: a category, a label, names, or text."""
    n, c = len(column), len(categories.values)
    n_known = int((categories.codes >= 0).sum())
    missing = n - n_known
    if c == 1:
        return Column(name, "constant", "excluded", missing, 1, None, facts), None
    label = _label(name, n, missing, c, None, options, facts)
    if label is not None:
        return label
    if c > LIMITS.max_categories or (n > 2 and c == n_known) or (c > 10 and 2 * c > n):
        longest = max(len(value) for value in categories.values)
        if c == n and longest <= LIMITS.max_id_length and not options.accepts("id"):
            return Column(name, "id", "name", 0, c, None, facts), objects(column, name, plain=True)
        facts["examples"] = categories.values[:2]
        return Column(name, "text", "excluded", missing, c, None, facts), None
    return Column(name, "category", "feature", missing, c, None, facts), categories


def _interpret_numbers(
    values: NDArray[Any], name: str, options: ReadingOptions, facts: dict[str, Any]
) -> Interpretation:
    """Interpret numbers, with far repeated values as missing."""
    marks = {float(mark) for mark in options.missing(name) if _is_float(mark)}
    absent = np.isin(values, list(marks)) if marks else np.zeros(len(values), dtype=bool)
    observed = np.isfinite(values) & ~absent
    distinct, counts = np.unique(values[observed], return_counts=True)
    if not options.accepts("sentinel"):
        far_values = sentinels(distinct.astype(np.float64), counts)
        if far_values:
            facts["sentinels"] = tuple(far_values)
            is_kept = ~np.isin(distinct, far_values)
            facts["n_sentinels"] = int(counts[~is_kept].sum())
            absent |= np.isin(values, far_values)
            observed &= ~absent
            distinct, counts = distinct[is_kept], counts[is_kept]
    lone = lone_cells(np.where(observed, values, np.nan))
    if len(lone) and not options.accepts("lone"):
        facts["lone"] = {int(row): float(values[row]) for row in lone[:3]}
        absent[lone], observed[lone] = True, False
        distinct, counts = np.unique(values[observed], return_counts=True)
        facts["usual"] = (float(distinct[0]), float(distinct[-1]))
    n, n_known, c = len(values), int(observed.sum()), len(distinct)
    missing = n - n_known
    if c == 0:
        return Column(name, "empty", "excluded", missing, 0, None, facts), None
    cleaned = np.where(absent, np.nan, values).astype(np.float64) if absent.any() else values
    spread = _spread(values[observed])
    if c == 1:
        return Column(name, "constant", "feature", missing, c, 0.0, facts), cleaned
    is_whole = bool((distinct == np.floor(distinct)).all() and np.abs(distinct).max() < 2**53)
    label = _label(name, n, missing, c, spread, options, facts)
    if label is not None:
        return label
    if _WEIGHT_NAME.search(name) and not options.accepts("weight") and distinct[0] >= 0:
        return Column(name, "weight", "excluded", missing, c, spread, facts), None
    if is_whole:
        interpretation = _interpret_integers(values, observed, distinct, name, options, facts)
        if interpretation is not None:
            return interpretation
    return Column(name, "number", "feature", missing, c, spread, facts), cleaned


def _interpret_integers(
    values: NDArray[Any],
    is_known: Bools,
    distinct: NDArray[Any],
    name: str,
    options: ReadingOptions,
    facts: dict[str, Any],
) -> Interpretation | None:
    """Interpret whole numbers as an id, a date or a code; None if they are quantities."""
    n, missing, c = len(values), int((~is_known).sum()), len(distinct)
    called_id = bool(_ID_NAME.search(name) or name.lower() in ("id", "row", "rowid"))
    is_consecutive = distinct[-1] - distinct[0] == c - 1 and distinct[0] in (0, 1) and n >= 20
    is_ascending = missing == 0 and bool((np.diff(values) > 0).all())
    if c == n and not options.accepts("id") and (called_id or (is_consecutive and is_ascending)):
        return Column(name, "id", "name", missing, c, None, facts), values.astype(np.int64)
    dates, form = _as_dates(distinct)
    if dates is not None and not options.accepts("date"):
        day_values = np.full(n, np.nan)
        day_values[is_known] = dates[np.searchsorted(distinct, values[is_known])]
        column, cleaned = _date_column(name, day_values, form)
        return replace(column, facts={**facts, "form": form}), cleaned
    if not options.accepts("code") and _is_code(distinct, n, name):
        if c > LIMITS.max_codes:
            return Column(name, "code", "excluded", missing, c, None, facts), None
        codes = np.full(n, -1)
        codes[is_known] = np.searchsorted(distinct, values[is_known])
        cleaned = Categories(codes, [str(int(value)) for value in distinct])
        return Column(name, "code", "feature", missing, c, None, facts), cleaned
    return None


def _as_dates(distinct: NDArray[Any]) -> tuple[Floats | None, str]:
    """Days of numbers that are written as dates, and their format."""
    c, low, high = len(distinct), float(distinct[0]), float(distinct[-1])
    if c >= 3 and low >= 18000101 and high <= 22001231:
        days = number_readings.days_of_digits(distinct)
        if days is not None:
            return days, "yyyymmdd"
    year_2000 = 946684800.0  # to 2035: other integers rarely all lie within
    for form, unit in (("seconds", 1.0), ("milliseconds", 1e3)):
        if c >= 10 and year_2000 * unit <= low and high <= 2051222400 * unit:
            return distinct.astype(np.float64) / unit / number_readings.DAY, form
    return None, ""


def _is_code(distinct: NDArray[Any], n: int, name: str) -> bool:
    """Whether whole numbers name things, judged by the column's name or by large uneven gaps."""
    c = len(distinct)
    if c < 3 or distinct[0] < 0:
        return False
    if _KEY_NAME.search(name):
        return True
    if _CODE_NAME.search(name):
        return bool(10 * c <= n or not _is_evenly_spread(distinct))
    if _QUANTITY_NAME.search(name):
        return False
    return (
        20 * c <= n
        and c <= LIMITS.max_codes
        and distinct[0] >= 10
        and not _is_evenly_spread(distinct)
    )


def _is_evenly_spread(distinct: NDArray[Any]) -> bool:
    """Whether values fill their range, or are multiples of a round step, as quantities do."""
    step = np.gcd.reduce(np.diff(distinct).astype(np.int64))
    return bool((distinct[-1] - distinct[0]) / step < 5 * len(distinct))


def sentinels(distinct: Floats, counts: NDArray[Any]) -> list[float]:
    """Values at either end, far from all others and repeated exactly: -999, 9999, 0.

    Values of nines (and -1) may be nearer to the rest: a tenth of its range is enough. Other values
    must be twice its range away.
    """
    far_values: list[float] = []
    n = int(counts.sum())
    for _ in range(4):
        if len(distinct) < 6:
            break
        ends = [(-1, distinct[-2], slice(None, -1)), (0, distinct[1], slice(1, None))]
        for end, neighbour, remaining in ends:
            value, rest_values = distinct[end], distinct[remaining]
            reach = rest_values[-1] - rest_values[0]
            is_frequent = counts[end] >= max(3, 0.005 * n) and counts[end] < 0.6 * n
            typical = float(np.median(counts[remaining]))
            if is_frequent and _is_sentinel(
                value, neighbour, reach, counts[end], typical, rest_values
            ):
                far_values.append(float(value))
                distinct, counts = rest_values, counts[remaining]
                break
        else:
            break
    return far_values


def _is_sentinel(
    value: float, neighbour: float, reach: float, count: int, typical: float, rest_values: Floats
) -> bool:
    """Whether a repeated value at an end is too far from the others to be real."""
    gap = abs(value - neighbour)
    digits = f"{abs(value):.10g}"
    if count < 2 * typical:
        return False
    if value < 0 <= rest_values[0] and digits in ("1", "9", "99", "999", "9999", "99999"):
        return gap >= 0.05 * reach or digits != "1"
    if len(digits) >= 2 and set(digits) == {"9"}:
        return gap >= 0.1 * reach
    if value == 0:
        return bool(rest_values[0] > 0 and gap >= 0.5 * reach and len(rest_values) >= 10)
    return gap >= LIMITS.sentinel_gap * reach and len(rest_values) >= 10


def _is_float(text: str) -> bool:
    """Whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
