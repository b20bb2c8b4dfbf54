"""Matching of the objects of two inputs by their ids, one to one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from karat.datasets._names import first_few, row_numbers
from karat.runtime.validation import InputError

_ID_PATTERN = re.compile(r"^(?:row ?)?id$|^row$|^key$|[_ .]id$|[a-z]I[dD]$", re.IGNORECASE)
MAX_SHOWN_IDS = 3
#: one name an object
Ids: TypeAlias = Sequence[object] | NDArray[Any]


def is_id_name(name: str) -> bool:
    """Whether a column's name is typical of ids."""
    return _ID_PATTERN.search(name.strip()) is not None


def id_columns(columns: Mapping[str, NDArray[Any]]) -> list[str]:
    """Columns that name the objects: by their names, and with unique values."""
    return [name for name, values in columns.items() if is_id_name(name) and all_different(values)]


def all_different(values: NDArray[Any]) -> bool:
    """Whether all values are present and unique."""
    if values.dtype.kind in "iu":
        return len(np.unique(values)) == len(values)
    return None not in values and len(set(values)) == len(values)


def are_positions(ids: object, start: int = 0) -> bool:
    """Whether ids only number the objects in order."""
    if isinstance(ids, range):
        return ids == range(start, start + len(ids))
    array = np.asarray(ids)
    return array.dtype.kind in "iuO" and bool(
        np.array_equal(array, np.arange(start, start + len(array)))
    )


def check_ids(
    ids: NDArray[Any], input_name: str, describe_rows: Callable[[list[int]], str] = row_numbers
) -> None:
    """Raise for missing or repeated ids; ``describe_rows`` words their rows."""
    blank = [row for row, value in enumerate(ids) if value is None]
    if blank:
        raise InputError(
            f"{input_name} is blank in {describe_rows(blank)}; every object needs an id"
        )
    value, count = Counter(ids.tolist()).most_common(1)[0]
    if count > 1:
        rows = describe_rows([row for row, id_ in enumerate(ids) if id_ == value])
        raise InputError(
            f"{input_name}: ids must differ, but {value!r} occurs {count} times ({rows})"
        )


def places(file_ids: Iterable[Any], ids: Iterable[Any]) -> list[int | None]:
    """Position among ``file_ids`` of each of ``ids``; 7 in one input may be "7" in the other."""
    wanted, listed = list(ids), list(file_ids)
    row_of = {value: row for row, value in enumerate(listed)}
    exact = [row_of.get(value) for value in wanted]
    if None not in exact:
        return exact
    row_of_text = {str(value): row for row, value in enumerate(listed)}
    as_text = [row_of_text.get(str(value)) for value in wanted]
    return as_text if None not in as_text or not any(value in row_of for value in wanted) else exact


def order(file_ids: Ids, ids: Ids, input_name: str) -> NDArray[np.intp]:
    """Position among ``file_ids`` of each of ``ids``; raise if any is absent."""
    rows = places(file_ids, ids)
    n_absent = sum(place is None for place in rows)
    if n_absent:
        raise mismatch(file_ids, ids, input_name, n_absent)
    return np.array(rows, dtype=np.intp)


def mismatch(file_ids: Ids, ids: Ids, input_name: str, n_absent: int) -> InputError:
    """Error for two inputs that name different objects."""
    wanted = list(ids)
    rows = places(file_ids, wanted)
    missing = [id_ for id_, row in zip(wanted, rows, strict=True) if row is None]
    if are_positions(ids) and n_absent == len(wanted):
        return InputError(
            f"{input_name} names its objects {_first_ids(file_ids)}, and the data have no ids "
            f"(they are numbered {_first_ids(wanted)}): by row or by name? Name the column of the "
            "data that has the ids (id_column, --id-column), or drop the column from the other file"
        )
    return InputError(
        f"{input_name}: {n_absent:,} of {len(wanted):,} objects are not there (e.g. "
        f"{_first_ids(missing)}); its ids are {_first_ids(file_ids)}, and those of the data "
        f"{_first_ids(wanted)}"
    )


def _first_ids(ids: Iterable[Any]) -> str:
    """First few ids as text, NumPy scalars as Python values."""
    values = (value.item() if isinstance(value, np.generic) else value for value in ids)
    return first_few(map(repr, values), MAX_SHOWN_IDS)


def by_row(input_name: str, ids: object) -> str:
    """Note on an input that is taken in the order of its rows."""
    if ids is None or are_positions(ids):
        return f"{input_name} is taken row by row, because neither it nor the data have ids."
    return f"{input_name} has no ids, so its rows are taken in the order of the data."
