"""Tables with several rows per object: how they are recognized, and made one row per object."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets.values import column_arrays
from karat.datasets.values.findings import Finding
from karat.datasets.values.number_formats import days
from karat.labelings.row_values import is_typical_name
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

_THING_NAME = re.compile(
    r"(?:^|[_\W])(?:id|ids|key|uuid|guid|ssn)$|[a-z]I[dD]$|^(?:customer|client|user|patient|subject|"
    r"person|member|household|account|device|sensor|meter|machine|station|player|student|employee|"
    r"participant|respondent|animal|company|firm|country|name|vehicle|driver)s?$",
    re.IGNORECASE,
)
_TIME_NAME = re.compile(
    r"(?:^|[_\W])(?:time|date|datetime|timestamp|year|month|week|day|hour|minute|period|step|tick|"
    r"visit|wave|t)$",
    re.IGNORECASE,
)
_VARIABLE_NAME = re.compile(
    r"^(?:variable|attribute|measure|feature|indicator|parameter|metric|field|item|question|test|"
    r"analyte|quantity|property)(?:[_ ]?name)?s?$",
    re.IGNORECASE,
)
MAX_VARIABLES = 300
MIN_OBJECTS = 3
MANY_OBJECTS = 30
MIN_SERIES = 6  # rows per object that are a series
MIN_UNIQUE = 0.99  # share of different pairs of object and variable, or object and time


@dataclass(frozen=True)
class _Keys:
    """Codes of the values of a column, and how many there are."""

    name: str
    codes: NDArray[np.intp]
    count: int


def several_rows(table: pa.Table) -> Finding | None:
    """Finding that an id names several rows, with the option that makes them one object each."""
    if table.num_rows < 12 or table.num_columns < 2:
        return None
    keys = {name: _keys(table.column(name), name) for name in table.column_names}
    if any(_names_rows(key, table) for key in keys.values()):
        return None
    n = table.num_rows
    for name in table.column_names:
        key = keys[name]
        if key is None or not MIN_OBJECTS <= key.count <= n / 1.5 or not _is_complete(key):
            continue
        found = _long_format(table, keys, key) or _series(table, keys, key)
        if found is None and _THING_NAME.search(name):
            sizes = np.bincount(key.codes)
            is_balanced = bool(sizes.min() == sizes.max()) and key.count >= 10
            if key.count > MANY_OBJECTS or is_balanced:
                facts = {"n": n, "objects": key.count}
                option = {"one_row_per": name}
                found = Finding("repeated-ids", "harmful", facts, (name,), option, assumed=False)
        if found is not None:
            return found
    return None


def is_time_column(table: pa.Table, name: str) -> bool:
    """Whether a column of a table has times."""
    key = _keys(table.column(name), name)
    return key is not None and _is_time(key, table)


def series_columns(table: pa.Table, id_column: str | None) -> tuple[str, str]:
    """Columns with the ids and the times, for series in long format."""
    finding = several_rows(table)
    if id_column is None and finding is not None and finding.key == "series":
        return finding.columns[0], finding.columns[1]
    times = [name for name in table.column_names if is_time_column(table, name)]
    times = [name for name in times if name != id_column]
    if not times:
        raise InputError(
            "no column looks like times, so the rows are not times of series. If each row is a "
            "series, leave out series (--series) and compare the rows with metric='dtw' "
            "(--metric dtw)"
        )
    if id_column is not None:
        return id_column, times[0]
    raise InputError(
        "name the column that says whose series a row belongs to: id_column (--id-column)"
    )


def _keys(column: pa.ChunkedArray, name: str) -> _Keys | None:
    """Codes of a column of text or whole numbers; None for other columns."""
    import pyarrow as pa

    dtype = column.type
    if pa.types.is_dictionary(dtype):
        column = column.cast(dtype.value_type)
        dtype = column.type
    if pa.types.is_floating(dtype):
        values = column_arrays.floats(column)
        if not np.isfinite(values).all() or (values != np.floor(values)).any():
            return None
    elif not (
        column_arrays.is_text(dtype) or pa.types.is_integer(dtype) or pa.types.is_temporal(dtype)
    ):
        return None
    codes, dictionary = column_arrays.encoded(column)
    return _Keys(name, codes, len(dictionary))


def _is_complete(key: _Keys) -> bool:
    """Whether every row has a value, and nearly all values name several rows."""
    if (key.codes < 0).any():
        return False
    sizes = np.bincount(key.codes, minlength=key.count)
    return bool((sizes >= 2).mean() >= 0.5)


def _names_rows(key: _Keys | None, table: pa.Table) -> bool:
    """Whether a column gives every row a name."""
    if key is None or key.count < table.num_rows:
        return False
    is_text = column_arrays.is_text(table.column(key.name).type)
    called_id = is_typical_name(key.name) or bool(_THING_NAME.search(key.name))
    return called_id or (is_text and not _is_time(key, table))


def _is_time(key: _Keys, table: pa.Table) -> bool:
    """Whether a column has times: by its type, its name, or its text."""
    import pyarrow as pa

    column = table.column(key.name)
    if pa.types.is_temporal(column.type):
        return True
    if column_arrays.is_text(column.type):
        cells = [cell or "" for cell in column.slice(0, 50).to_pylist()]
        return bool(np.isfinite(days(cells)).mean() > 0.9)
    return bool(_TIME_NAME.search(key.name))


def _are_unique(first: _Keys, second: _Keys) -> bool:
    """Whether the pairs of two columns hardly repeat."""
    pairs = first.codes.astype(np.int64) * second.count + second.codes
    return len(np.unique(pairs)) >= MIN_UNIQUE * len(pairs)


def _long_format(table: pa.Table, keys: dict[str, _Keys | None], key: _Keys) -> Finding | None:
    """Finding that rows are an object, a variable and its value."""
    if table.num_columns != 3 or not (key.count >= 10 or _THING_NAME.search(key.name)):
        return None
    for name in table.column_names:
        variable = keys[name]
        if variable is None or name == key.name or not 2 <= variable.count <= MAX_VARIABLES:
            continue
        is_called = bool(_VARIABLE_NAME.search(name))
        is_text = column_arrays.is_text(table.column(name).type) and not _is_time(variable, table)
        is_crossed = table.num_rows >= 0.5 * key.count * variable.count
        if (variable.codes < 0).any() or not (is_called or (is_text and is_crossed)):
            continue
        if not _are_unique(key, variable):
            continue
        value = next(other for other in table.column_names if other not in (key.name, name))
        facts = {"objects": key.count, "variables": variable.count, "value": value}
        option = {"pivot": f"{name}:{value}"}
        names = (key.name, name)
        return Finding("long-format", "harmful", facts, names, option, assumed=False)
    return None


def _series(table: pa.Table, keys: dict[str, _Keys | None], key: _Keys) -> Finding | None:
    """Finding that rows are times of several objects."""
    if _is_time(key, table):
        return None
    for name in table.column_names:
        time = keys[name]
        if time is None or name == key.name or time.count < 3 or not _is_time(time, table):
            continue
        mean_rows = table.num_rows / key.count
        is_thing = bool(_THING_NAME.search(key.name))
        if (
            not _are_unique(key, time)
            or mean_rows < 3
            or not (is_thing or time.count < mean_rows * 2)
        ):
            continue
        if not is_thing and column_arrays.is_text(table.column(key.name).type) and key.count < 10:
            continue  # a category beside dates
        option: dict[str, Any] = {"series": True}
        if mean_rows < MIN_SERIES:
            option = {"one_row_per": key.name}
        facts = {"objects": key.count, "rows": round(mean_rows), "time": name}
        return Finding("series", "harmful", facts, (key.name, name), option, assumed=False)
    return None
