"""Names of columns, numbers of rows and ids of objects."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sortal.runtime.validation import InputError


def visible(name: str) -> str:
    """Name without characters that move or colour a terminal."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "\ufffd", name)


def check_names(names: Iterable[str]) -> None:
    """Raise where two columns have the same name."""
    for name, count in Counter(names).most_common(1):
        if count > 1:
            raise InputError(f"two columns are called {name!r}; rename one")


def with_visible_names(table: pa.Table) -> pa.Table:
    """Arrow table with unique, printable column names; metadata are kept."""
    renamed = table.rename_columns([visible(name) for name in table.column_names])
    check_names(renamed.column_names)
    return renamed.replace_schema_metadata(table.schema.metadata)


def first_few(items: Iterable[object], max_shown: int) -> str:
    """First few items, separated by commas."""
    items = list(items)
    return ", ".join(map(str, items[:max_shown])) + ", ..." * (len(items) > max_shown)


def row_numbers(rows: Iterable[int], max_shown: int = 3) -> str:
    """Text such as ``rows 1, 2, 5``: counted from 1, the first few."""
    numbers = [row + 1 for row in rows]
    return f"row{'s' * (len(numbers) > 1)} {first_few(numbers, max_shown)}"


def quoted(names: Iterable[str], max_shown: int = 8) -> str:
    """Text of the first few names in quotes."""
    return first_few(map(repr, names), max_shown)


#: one name an object
Ids: TypeAlias = Sequence[object] | NDArray[Any]


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
