"""How one column of a table is understood: number, category, code, date, id, text, label."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from karat.datasets import number_formats
from karat.datasets._columns import (
    MAX_CATEGORIES,
    Categories,
    blank_to_null,
    encoded,
    floats,
    is_text,
    objects,
)
from karat.datasets._options import MAX_INVALID_SHARE
from karat.datasets._scaling import center_spread

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from karat.datasets._options import ReadingOptions

ColumnKind = Literal[
    "number", "category", "code", "date", "id", "text", "label", "constant", "empty"
]
ColumnUse = Literal["feature", "name", "excluded"]

#: columns of few values that are called so are classes, not features
LABEL_COLUMN_NAMES = frozenset((
    "class", "classes", "target", "label", "labels", "species", "group", "groups", "cluster",
    "clusters", "clusterid", "y", "truth", "groundtruth", "goldlabel", "outcome", "diagnosis",
    "cultivar", "variety", "classlabel",
))  # fmt: skip
_ID_NAME = re.compile(
    r"(?:^|[_\W])(?:id|ids|key|uuid|guid|no|nr|number|index|rownames|ssn)$|[a-z]I[dD]$"
)
_CODE_NAME = re.compile(
    r"(?:^|[_\W])(?:code|codes|zip|zipcode|postcode|postal|plz|fips|sku|id|type|category|region|"
    r"country|state|city|dept|department|branch|store|sector|industry|occupation|gender|sex|race)$"
    r"|(?:Code|Type|Category|Id|ID)$|^(?:zip|postal|postcode)",
)
#: names of things, also where several rows have the same one
_KEY_NAME = re.compile(r"(?:^|[_\W])(?:id|ids|key|uuid|guid|ssn)$|[a-z]I[dD]$")
#: quantities, however few and uneven their values are
_QUANTITY_NAME = re.compile(
    r"time|day|week|month|year|hour|age|dose|temp|price|cost|amount|size|length|weight|height|rate",
    re.IGNORECASE,
)
MAX_LABELS = 50
MAX_CODES = 30
SENTINEL_GAP = 2.0  # ranges of the other values
MAX_MISSING_SHARE = 0.6
MAX_ID_LENGTH = 60


@dataclass(frozen=True)
class Column:
    """How a column was understood.

    Attributes
    ----------
    name : str
    kind : str
        number, category, code, date, id, text, label, constant or empty.
    use : {"feature", "name", "excluded"}
        What becomes of it.
    missing, n_values : int
        Cells without a value, and different values.
    spread : float or None
        Standard deviation in the column's own unit.
    facts : mapping
        What the findings about it are made of.
    """

    name: str
    kind: ColumnKind
    use: ColumnUse
    missing: int
    n_values: int
    spread: float | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


def understand(column: pa.ChunkedArray, name: str, options: ReadingOptions) -> tuple[Column, Any]:
    """How a column is understood, and what it becomes.

    That is an array of floats, NaN where a value is missing, :class:`Categories`, the names of the
    objects, or None if the column is excluded.
    """
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_temporal(kind):
        return _dates(name, temporal_days(column), "time" if pa.types.is_time(kind) else "date")
    if is_text(kind):
        return _text(column.cast(pa.large_string()), name, options)
    if pa.types.is_boolean(kind):
        values = floats(column.cast(pa.uint8()))
        missing, n_values = int(np.isnan(values).sum()), len(column.drop_null().unique())
        if n_values >= 2 and _named(name, LABEL_COLUMN_NAMES):
            return Column(name, "label", "excluded", missing, n_values), None
        return Column(name, "category", "feature", missing, n_values), values
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _number(floats(column), name, options, {})
    return Column(name, "empty" if pa.types.is_null(kind) else "text", "excluded", 0, 0), None


def temporal_days(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Days since 1970 of dates, and days of durations and of times of the day."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_time(kind) or pa.types.is_duration(kind):
        unit = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[kind.unit]
        whole = pa.int32() if pa.types.is_time32(kind) else pa.int64()
        return column.cast(whole).cast(pa.float64()).to_numpy() / unit / number_formats.DAY
    times = column.cast(pa.timestamp("ms"), safe=False).cast(pa.int64()).cast(pa.float64())
    return times.to_numpy() / 1e3 / number_formats.DAY


def _dates(name: str, values: NDArray[np.float64], form: str) -> tuple[Column, Any]:
    known = values[np.isfinite(values)]
    missing = len(values) - len(known)
    if len(known) == 0:
        return Column(name, "empty", "excluded", missing, 0), None
    n_values, spread = len(np.unique(known)), _spread(known)
    return Column(name, "date", "feature", missing, n_values, spread, {"form": form}), values


def _spread(known: NDArray[Any]) -> float:
    return float(center_spread(known[:, None], "standard")[1][0])


def _named(name: str, among: frozenset[str]) -> bool:
    return re.sub(r"[\W_]", "", name).lower() in among


def _text(column: pa.ChunkedArray, name: str, options: ReadingOptions) -> tuple[Column, Any]:
    """Text that is numbers or dates but for a few cells is that; else category, id or text."""
    import pyarrow.compute as pc

    column = blank_to_null(pc.utf8_trim_whitespace(column))
    codes, dictionary = encoded(column)
    written = dictionary.to_pylist()
    marks = number_formats.MISSING_MARKS | options.missing(name)
    is_mark = np.array([one.lower() in marks for one in written], dtype=bool)
    counts = np.bincount(codes[codes >= 0], minlength=len(written))
    cells = [one for one, marked in zip(written, is_mark, strict=True) if not marked]
    weight = counts[~is_mark]
    if not weight.sum():
        return Column(name, "empty", "excluded", len(column), 0), None
    facts: dict[str, Any] = {}
    if is_mark.any():
        facts["marks"] = sorted({written[i] for i in np.flatnonzero(is_mark)})
    # the code of each object among the cells that are no marks, -1 where its value is missing
    codes = np.append(np.where(is_mark, -1, np.cumsum(~is_mark) - 1), -1)[codes]

    # free text has so many values that a part of them tells
    part = np.arange(0, len(cells), max(1, len(cells) // 5000))

    def share(values: NDArray[np.float64]) -> float:
        return float(weight[part][np.isfinite(values)].sum() / weight[part].sum())

    values, form = number_formats.numbers([cells[i] for i in part])
    if share(values) >= 1 - options.wrong:
        if len(part) < len(cells):
            values, form = number_formats.numbers(cells)
        wrong = np.isnan(values)
        if wrong.any():
            examples = tuple(cells[i] for i in np.flatnonzero(wrong)[:3])
            rows = np.flatnonzero(np.append(wrong, False)[codes])
            facts |= {"not_numbers": int(weight[wrong].sum()), "examples": examples}
            facts |= {"rows": rows[:3].tolist(), "header": rows.tolist() == [0]}
        if form:
            facts["form"] = form
        if number_formats.uses_decimal_comma(cells):
            facts["decimal_comma"] = True
        return _number(np.append(values, np.nan)[codes], name, options, facts)
    dates = number_formats.days([cells[i] for i in part])
    if share(dates) >= 1 - MAX_INVALID_SHARE and not options.accepts("date"):
        days = np.append(number_formats.days(cells), np.nan)[codes]
        found, made = _dates(name, days, "text")
        day_first = number_formats.is_day_first(cells)
        return replace(found, facts={**found.facts, "day_first": day_first}), made
    return _words(column, Categories(codes, cells), name, options, facts)


def _words(
    column: pa.ChunkedArray,
    made: Categories,
    name: str,
    options: ReadingOptions,
    facts: dict[str, Any],
) -> tuple[Column, Any]:
    """Text that is neither numbers nor dates: a category, a label, the objects' names, or text."""
    n, c = len(column), len(made.values)
    known = int((made.codes >= 0).sum())
    missing = n - known
    if c == 1:
        return Column(name, "constant", "excluded", missing, 1, None, facts), None
    label = c <= MAX_LABELS and 5 * c <= n and _named(name, LABEL_COLUMN_NAMES)
    if label and not options.accepts("label"):
        return Column(name, "label", "excluded", missing, c, None, facts), None
    if c > MAX_CATEGORIES or (n > 2 and c == known) or (c > 10 and 2 * c > n):
        longest = max(len(one) for one in made.values)
        if c == n and longest <= MAX_ID_LENGTH and not options.accepts("id"):
            return Column(name, "id", "name", 0, c, None, facts), objects(column, name, plain=True)
        facts["examples"] = made.values[:2]
        return Column(name, "text", "excluded", missing, c, None, facts), None
    return Column(name, "category", "feature", missing, c, None, facts), made


def _number(
    values: NDArray[Any], name: str, options: ReadingOptions, facts: dict[str, Any]
) -> tuple[Column, Any]:
    """Numbers, unless they are ids, dates, codes or classes; far repeated values are missing."""
    own = {float(one) for one in options.missing(name) if _is_float(one)}
    gone = np.isin(values, list(own)) if own else np.zeros(len(values), dtype=bool)
    known = np.isfinite(values) & ~gone
    distinct, counts = np.unique(values[known], return_counts=True)
    if not options.accepts("sentinel"):
        far = sentinels(distinct.astype(np.float64), counts)
        if far:
            facts["sentinels"] = tuple(far)
            kept = ~np.isin(distinct, far)
            facts["n_sentinels"] = int(counts[~kept].sum())
            gone |= np.isin(values, far)
            known &= ~gone
            distinct, counts = distinct[kept], counts[kept]
    n, n_known, c = len(values), int(known.sum()), len(distinct)
    missing = n - n_known
    if c == 0:
        return Column(name, "empty", "excluded", missing, 0, None, facts), None
    made = np.where(gone, np.nan, values).astype(np.float64) if gone.any() else values
    spread = _spread(values[known])
    if c == 1:
        return Column(name, "constant", "feature", missing, c, 0.0, facts), made
    whole = bool((distinct == np.floor(distinct)).all() and np.abs(distinct).max() < 2**53)
    if (
        c <= MAX_LABELS
        and 5 * c <= n
        and _named(name, LABEL_COLUMN_NAMES)
        and not options.accepts("label")
    ):
        return Column(name, "label", "excluded", missing, c, spread, facts), None
    if whole:
        other = _whole(values, known, distinct, name, options, facts)
        if other is not None:
            return other
    return Column(name, "number", "feature", missing, c, spread, facts), made


def _whole(
    values: NDArray[Any],
    known: NDArray[np.bool_],
    distinct: NDArray[Any],
    name: str,
    options: ReadingOptions,
    facts: dict[str, Any],
) -> tuple[Column, Any] | None:
    """Whole numbers that are an id, a date or a code; None if they are quantities."""
    n, missing, c = len(values), int((~known).sum()), len(distinct)
    called_id = bool(_ID_NAME.search(name) or name.lower() in ("id", "row", "rowid"))
    counted = distinct[-1] - distinct[0] == c - 1 and distinct[0] in (0, 1) and n >= 20
    in_order = missing == 0 and bool((np.diff(values) > 0).all())
    if c == n and not options.accepts("id") and (called_id or (counted and in_order)):
        return Column(name, "id", "name", missing, c, None, facts), values.astype(np.int64)
    dates, form = _as_dates(distinct)
    if dates is not None and not options.accepts("date"):
        found = np.full(n, np.nan)
        found[known] = dates[np.searchsorted(distinct, values[known])]
        column, made = _dates(name, found, form)
        return replace(column, facts={**facts, "form": form}), made
    if not options.accepts("code") and _is_code(distinct, n, name):
        if c > MAX_CODES:
            return Column(name, "code", "excluded", missing, c, None, facts), None
        codes = np.full(n, -1)
        codes[known] = np.searchsorted(distinct, values[known])
        made = Categories(codes, [str(int(value)) for value in distinct])
        return Column(name, "code", "feature", missing, c, None, facts), made
    return None


def _as_dates(distinct: NDArray[Any]) -> tuple[NDArray[np.float64] | None, str]:
    """Days of numbers that are written as dates, and how."""
    c, low, high = len(distinct), float(distinct[0]), float(distinct[-1])
    if c >= 3 and low >= 18000101 and high <= 22001231:
        days = number_formats.days_of_digits(distinct)
        if days is not None:
            return days, "yyyymmdd"
    since = 946684800.0  # the year 2000 to 2035: few other whole numbers are all there
    for form, unit in (("seconds", 1.0), ("milliseconds", 1e3)):
        if c >= 10 and since * unit <= low and high <= 2051222400 * unit:
            return distinct.astype(np.float64) / unit / number_formats.DAY, form
    return None, ""


def _is_code(distinct: NDArray[Any], n: int, name: str) -> bool:
    """Whether whole numbers name things: by what the column is called, or by uneven large gaps."""
    c = len(distinct)
    if c < 3 or distinct[0] < 0:
        return False
    if _KEY_NAME.search(name):
        return True
    if _CODE_NAME.search(name):
        return bool(10 * c <= n or not _even(distinct))
    if _QUANTITY_NAME.search(name):
        return False
    return 20 * c <= n and c <= MAX_CODES and distinct[0] >= 10 and not _even(distinct)


def _even(distinct: NDArray[Any]) -> bool:
    """Whether values fill their range, or are multiples of a round step, as quantities do."""
    step = np.gcd.reduce(np.diff(distinct).astype(np.int64))
    return bool((distinct[-1] - distinct[0]) / step < 5 * len(distinct))


def sentinels(distinct: NDArray[np.float64], counts: NDArray[Any]) -> list[float]:
    """Values at either end, far from all others and repeated exactly: -999, 9999, 0.

    Values of nines (and -1) may be nearer than others: a tenth of the range of the rest is enough
    if they lie outside of it, where others have to be twice its range away.
    """
    found: list[float] = []
    n = int(counts.sum())
    for _ in range(4):
        if len(distinct) < 6:
            break
        ends = [(-1, distinct[-2], slice(None, -1)), (0, distinct[1], slice(1, None))]
        for end, neighbour, rest in ends:
            value, others = distinct[end], distinct[rest]
            reach = others[-1] - others[0]
            often = counts[end] >= max(3, 0.005 * n) and counts[end] < 0.6 * n
            typical = float(np.median(counts[rest]))
            if often and _stands_apart(value, neighbour, reach, counts[end], typical, others):
                found.append(float(value))
                distinct, counts = others, counts[rest]
                break
        else:
            break
    return found


def _stands_apart(
    value: float, neighbour: float, reach: float, count: int, typical: float, others: Any
) -> bool:
    gap = abs(value - neighbour)
    digits = f"{abs(value):.10g}"
    if count < 2 * typical:
        return False
    if value < 0 <= others[0] and digits in ("1", "9", "99", "999", "9999", "99999"):
        return gap >= 0.05 * reach or digits != "1"
    if len(digits) >= 2 and set(digits) == {"9"}:
        return gap >= 0.1 * reach
    if value == 0:
        return bool(others[0] > 0 and gap >= 0.5 * reach and len(others) >= 10)
    return gap >= SENTINEL_GAP * reach and len(others) >= 10


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
