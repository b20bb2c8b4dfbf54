"""Tables with several rows per object: how they are recognized, and made one row per object."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sortal.datasets.values import column_arrays
from sortal.datasets.values.column_kinds import interpret_column
from sortal.datasets.values.findings import Finding
from sortal.datasets.values.limits import LIMITS
from sortal.datasets.values.number_readings import days
from sortal.datasets.values.reading_options import ReadingOptions
from sortal.labelings.row_values import is_typical_name
from sortal.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Floats

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
        if key is None or not 3 <= key.count <= n / 1.5 or not _is_complete(key):
            continue
        finding = _long_format(table, keys, key) or _series_finding(table, keys, key)
        if finding is None and _THING_NAME.search(name):
            sizes = np.bincount(key.codes)
            is_balanced = bool(sizes.min() == sizes.max()) and key.count >= 10
            if key.count > LIMITS.many_objects or is_balanced:
                facts = {"n": n, "objects": key.count}
                option = {"one_row_per": name}
                finding = Finding("repeated-ids", "harmful", facts, (name,), option, assumed=False)
        if finding is not None:
            return finding
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
    return len(np.unique(pairs)) >= LIMITS.min_unique * len(pairs)


def _long_format(table: pa.Table, keys: dict[str, _Keys | None], key: _Keys) -> Finding | None:
    """Finding that rows are an object, a variable and its value."""
    if table.num_columns != 3 or not (key.count >= 10 or _THING_NAME.search(key.name)):
        return None
    for name in table.column_names:
        variable = keys[name]
        if variable is None or name == key.name or not 2 <= variable.count <= LIMITS.max_variables:
            continue
        is_called = bool(_VARIABLE_NAME.search(name))
        is_text = column_arrays.is_text(table.column(name).type) and not _is_time(variable, table)
        is_crossed = table.num_rows >= 0.5 * key.count * variable.count
        if (variable.codes < 0).any() or not (is_called or (is_text and is_crossed)):
            continue
        if not _are_unique(key, variable):
            continue
        value = next(column for column in table.column_names if column not in (key.name, name))
        facts = {"objects": key.count, "variables": variable.count, "value": value}
        option = {"pivot": f"{name}:{value}"}
        names = (key.name, name)
        return Finding("long-format", "harmful", facts, names, option, assumed=False)
    return None


def _series_finding(table: pa.Table, keys: dict[str, _Keys | None], key: _Keys) -> Finding | None:
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
        if mean_rows < LIMITS.min_series:
            option = {"one_row_per": key.name}
        facts = {"objects": key.count, "rows": round(mean_rows), "time": name}
        return Finding("series", "harmful", facts, (key.name, name), option, assumed=False)
    return None


#: options that leave columns as written
AS_WRITTEN = ReadingOptions(accept=("code", "date", "id", "label", "outcome", "weight"))


@dataclass
class OneRowEach:
    """Table with one row per object."""

    table: pa.Table  # features, without the ids
    id_name: str
    ids: NDArray[Any]
    first_rows: NDArray[np.intp]  # first row of each object in the table that was reshaped
    note: str


def reshaped(
    table: pa.Table, options: ReadingOptions, wanted: Sequence[str] = ()
) -> OneRowEach | None:
    """Table with one row per object, and ``wanted`` columns; None if no option says so."""
    if options.pivot is not None:
        return _pivoted(table, options.pivot, options.id_column)
    if options.series:
        return _series(table, options.id_column, wanted)
    if options.one_row_per is not None:
        return _aggregated(table, options.one_row_per, options, wanted)
    return None


def _column(table: pa.Table, name: str) -> pa.ChunkedArray:
    """Column by name; raise for a name that does not exist."""
    if name not in table.column_names:
        raise unknown_name(name, table.column_names, "column")
    return table.column(name)


def _groups(table: pa.Table, name: str) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[np.intp]]:
    """Ids in order of appearance, the object of each row, and the first row of each object."""
    values = column_arrays.objects(_column(table, name), name)
    number: dict[Any, int] = {}
    codes = np.array([number.setdefault(value, len(number)) for value in values], dtype=np.intp)
    if None in number:
        row = int(np.flatnonzero(codes == number[None])[0])
        raise InputError(
            f"{name!r} is blank in row {row + 1}; every row needs the id of its object"
        )
    ids = np.empty(len(number), dtype=object)
    ids[:] = list(number)
    return ids, codes, np.unique(codes, return_index=True)[1]


def _pivoted(table: pa.Table, pivot: str, id_column: str | None) -> OneRowEach:
    """One row per object of a table of objects, variables and values."""
    variable, colon, value = pivot.rpartition(":")
    if not colon:
        raise InputError(
            f"pivot is {pivot!r}; write it as VARIABLE:VALUE, the names of two columns"
        )
    variables = column_arrays.objects(_column(table, variable), variable)
    remaining = [name for name in table.column_names if name not in (variable, value)]
    if id_column is None and not remaining:
        raise InputError("pivot needs a third column that names the objects")
    name = remaining[0] if id_column is None else id_column
    ids, codes, first_rows = _groups(table, name)
    cells = _column(table, value)
    names = list(dict.fromkeys(variables.tolist()))
    if len(names) > 10_000:
        raise InputError(f"{variable!r} has {len(names):,} values; at most 10,000 become columns")
    place = {name: j for j, name in enumerate(names)}
    rows = np.full((len(ids), len(names)), -1)
    repeated = 0
    for row, (i, variable_name) in enumerate(zip(codes, variables, strict=True)):
        j = place[variable_name]
        repeated += rows[i, j] >= 0
        rows[i, j] = row
    columns = {
        str(name): cells.take(pa.array(rows[:, j], mask=rows[:, j] < 0))
        for j, name in enumerate(names)
    }
    constant = [
        column for column in remaining if column != name and _is_constant(table, column, codes)
    ]
    columns |= {column: table.column(column).take(pa.array(first_rows)) for column in constant}
    note = f"One row per {name!r}: each value of {variable!r} became a column of {value!r}."
    if repeated:
        note += f" Of {repeated:,} repeated values the last counts."
    return OneRowEach(pa.table(columns), name, ids, first_rows, note)


def _is_constant(table: pa.Table, name: str, codes: NDArray[np.intp]) -> bool:
    """Whether a column has one value in all rows of an object."""
    values, dictionary = column_arrays.encoded(table.column(name))
    pairs = np.unique(codes.astype(np.int64) * (len(dictionary) + 1) + values)
    return len(pairs) == codes.max() + 1


def _series(table: pa.Table, id_column: str | None, wanted: Sequence[str] = ()) -> OneRowEach:
    """One row per object of series in long format: the values at common or relative times."""
    id_name, time_name = series_columns(table, id_column)
    ids, codes, first_rows = _groups(table, id_name)
    times = _times(table.column(time_name), time_name)
    grid = np.unique(times)
    are_common = (
        len(times) >= LIMITS.min_filled * len(ids) * len(grid) and len(grid) <= LIMITS.max_points
    )
    if wanted:
        are_common = not all(name.endswith(f"/{LIMITS.n_points}") for name in wanted)
        n_wanted = max(Counter(name.rpartition(" @")[0] for name in wanted).values())
        if are_common and len(grid) != n_wanted:
            raise InputError(
                f"the series have {len(grid)} times, but those of the model {n_wanted}; a model "
                "of series at common times takes series at the same times only"
            )
    columns: dict[str, Any] = {}
    for name in table.column_names:
        if name in (id_name, time_name):
            continue
        column, values = interpret_column(table.column(name), name, AS_WRITTEN)
        if column.kind != "number" or not isinstance(values, np.ndarray):
            continue
        if are_common:
            titles = [f"{name} @{j + 1}" for j in range(len(grid))]
            matrix = np.full((len(ids), len(grid)), np.nan)
            matrix[codes, np.searchsorted(grid, times)] = values
        else:
            titles = [f"{name} @{j + 1}/{LIMITS.n_points}" for j in range(LIMITS.n_points)]
            matrix = _resampled(codes, times, values.astype(np.float64), len(ids))
        columns |= dict(zip(titles, matrix.T, strict=True))
    if not columns:
        raise InputError(f"there is no column of numbers beside {id_name!r} and {time_name!r}")
    points = (
        "each time is a column" if are_common else f"resampled to {LIMITS.n_points} points each"
    )
    note = f"One series per {id_name!r}, ordered by {time_name!r}: {points}."
    return OneRowEach(pa.table(columns), id_name, ids, first_rows, note)


def _times(column: pa.ChunkedArray, name: str) -> Floats:
    """Times as numbers."""
    if column_arrays.is_text(column.type):
        times = days([cell or "" for cell in column.to_pylist()])
    elif pa.types.is_temporal(column.type):
        from sortal.datasets.values.column_kinds import temporal_days

        times = temporal_days(column)
    else:
        times = np.asarray(column_arrays.floats(column), dtype=np.float64)
    if not np.isfinite(times).all():
        row = int(np.flatnonzero(~np.isfinite(times))[0])
        raise InputError(f"{name!r} has no time in row {row + 1}")
    return times


def _resampled(codes: NDArray[np.intp], times: Floats, values: Floats, n: int) -> Floats:
    """Means of each series over equal parts of its time, gaps interpolated."""
    matrix = np.full((n, LIMITS.n_points), np.nan)
    centers = (np.arange(LIMITS.n_points) + 0.5) / LIMITS.n_points
    order = np.lexsort((times, codes))
    bounds = np.searchsorted(codes[order], np.arange(n + 1))
    for i in range(n):
        rows = order[bounds[i] : bounds[i + 1]]
        rows = rows[np.isfinite(values[rows])]
        if not len(rows):
            continue
        span = times[rows[-1]] - times[rows[0]]
        places = (times[rows] - times[rows[0]]) / span if span else np.zeros(len(rows))
        interval = np.minimum((places * LIMITS.n_points).astype(np.intp), LIMITS.n_points - 1)
        count = np.bincount(interval, minlength=LIMITS.n_points)
        total = np.bincount(interval, values[rows], minlength=LIMITS.n_points)
        is_filled = count > 0
        means = total[is_filled] / count[is_filled]
        matrix[i] = np.interp(centers, centers[is_filled], means)
    return matrix


def _aggregated(
    table: pa.Table, id_name: str, options: ReadingOptions, wanted: Sequence[str] = ()
) -> OneRowEach:
    """One row per object: means, last values, shares of categories, and the number of rows."""
    ids, codes, first_rows = _groups(table, id_name)
    time_name = next(
        (n for n in table.column_names if n != id_name and is_time_column(table, n)), None
    )
    order = np.arange(len(codes))
    if time_name is not None:
        order = np.argsort(_times(table.column(time_name), time_name), kind="stable")
    last_rows = np.zeros(len(ids), dtype=np.intp)
    last_rows[codes[order]] = order
    counts = np.bincount(codes).astype(np.float64)
    columns: dict[str, Any] = {}
    if wanted or (counts != counts[0]).any():
        columns["count"] = counts
    excluded = []
    for name in table.column_names:
        if name in (id_name, time_name, options.label_column):
            continue
        plan = AS_WRITTEN if wanted else options
        column, values = interpret_column(table.column(name), name, plan)
        shares = [title for title in wanted if title.startswith(f"{name}=")]
        if shares:
            numbers, dictionary = column_arrays.encoded(table.column(name))
            values = column_arrays.Categories(numbers, [str(v) for v in dictionary.to_pylist()])
        elif column.use != "feature" and name not in wanted:
            excluded.append(name)
            continue
        if name in wanted or (not wanted and _is_constant(table, name, codes)):
            columns[name] = table.column(name).take(pa.array(first_rows))
        elif isinstance(values, column_arrays.Categories):
            columns |= _shares(name, values, codes, shares)
        else:
            columns[f"{name} (mean)"] = _means(values, codes, len(ids))
            if column.kind == "number":
                columns[f"{name} (last)"] = np.asarray(values, dtype=np.float64)[last_rows]
    if not columns:
        raise InputError(f"there is nothing to average beside {id_name!r}")
    note = (
        f"One row per {id_name!r}: means and last values of numbers, shares of categories"
        f"{', number of rows' if 'count' in columns else ''}."
    )
    if excluded:
        note += f" Excluded: {', '.join(map(repr, excluded))}."
    if wanted:
        columns = {name: columns[name] for name in wanted if name in columns}
    return OneRowEach(pa.table(columns), id_name, ids, first_rows, note)


def _means(values: NDArray[Any], codes: NDArray[np.intp], n: int) -> Floats:
    """Mean of each object's values, NaN where it has none."""
    is_known = np.isfinite(values)
    count = np.bincount(codes[is_known], minlength=n)
    total = np.bincount(codes[is_known], values[is_known], minlength=n)
    with np.errstate(invalid="ignore"):
        return total / np.where(count, count, np.nan)


def _shares(
    name: str, categories: column_arrays.Categories, codes: NDArray[np.intp], titles: Sequence[str]
) -> dict[str, Floats]:
    """Share of each frequent value, or of those in titles, among an object's rows."""
    n, suffix = int(codes.max()) + 1, " (share)"
    frequency = np.bincount(categories.codes[categories.codes >= 0])
    frequent = np.argsort(-frequency, kind="stable")[: LIMITS.max_shares].tolist()
    values = sorted(categories.values[j] for j in frequent)
    if len(values) == 2:
        values = values[:1]  # the other one is the rest
    if titles:
        values = [title[len(name) + 1 :].removesuffix(suffix) for title in titles]
    place = {value: j for j, value in enumerate(categories.values)}
    return {
        f"{name}={value}{suffix}": _means(
            np.where(categories.codes < 0, np.nan, categories.codes == place.get(value, -2)),
            codes,
            n,
        )
        for value in values
    }
