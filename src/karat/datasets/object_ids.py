"""Objects of two inputs brought together by their ids, one to one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.datasets._names import row_numbers
from karat.runtime.validation import InputError

_ID_NAME = re.compile(r"^(?:row ?)?id$|^row$|^key$|[_ .]id$|[a-z]I[dD]$", re.IGNORECASE)
MAX_SHOWN_IDS = 3


def is_id_name(name: str) -> bool:
    """Whether a column of a file of labels is called as the names of objects are."""
    return _ID_NAME.search(name.strip()) is not None


def id_columns(columns: Mapping[str, NDArray[Any]]) -> list[str]:
    """The columns that name the objects: called so, and another value in each row."""
    return [name for name, values in columns.items() if is_id_name(name) and all_different(values)]


def all_different(values: NDArray[Any]) -> bool:
    """Whether every object has a value that no other one has."""
    if values.dtype.kind in "iu":
        return len(np.unique(values)) == len(values)
    return None not in values and len(set(values)) == len(values)


def are_positions(ids: Any, start: int = 0) -> bool:
    """Whether ids only number the objects, in their order."""
    if isinstance(ids, range):
        return ids == range(start, start + len(ids))
    array = np.asarray(ids)
    return array.dtype.kind in "iuO" and bool(
        np.array_equal(array, np.arange(start, start + len(array)))
    )


def check_ids(ids: NDArray[Any], what: str, told: Callable[[list[int]], str] = row_numbers) -> None:
    """Raise for ids that are missing or name two objects, in rows that are ``told``."""
    blank = [row for row, value in enumerate(ids) if value is None]
    if blank:
        raise InputError(f"{what} is blank in {told(blank)}; every object needs an id")
    value, count = Counter(ids.tolist()).most_common(1)[0]
    if count > 1:
        rows = told([row for row, other in enumerate(ids) if other == value])
        raise InputError(f"{what}: ids must differ, but {value!r} occurs {count} times ({rows})")


def places(own: Iterable[Any], ids: Iterable[Any]) -> list[int | None]:
    """Which of ``own`` each of ``ids`` is; 7 in one input may be "7" in the other."""
    wanted, given = list(ids), list(own)
    at = {value: row for row, value in enumerate(given)}
    exact = [at.get(value) for value in wanted]
    if None not in exact:
        return exact
    as_text = {str(value): row for row, value in enumerate(given)}
    found = [as_text.get(str(value)) for value in wanted]
    return found if None not in found or not any(value in at for value in wanted) else exact


def order(own: NDArray[Any], ids: Any, what: str) -> NDArray[np.intp]:
    """Which row of ``own`` belongs to each of ``ids``, all of which must be there."""
    found = places(own, ids)
    absent = sum(place is None for place in found)
    if absent:
        raise mismatch(own, ids, what, absent)
    return np.array(found, dtype=np.intp)


def mismatch(own: Any, ids: Any, what: str, absent: int) -> InputError:
    """The error for two inputs that name other objects."""
    wanted = list(ids)
    missing = [one for one, place in zip(wanted, places(own, ids), strict=True) if place is None]
    if are_positions(ids) and absent == len(wanted):
        return InputError(
            f"{what} names its objects {_some(own)}, and the data have no ids (they are numbered "
            f"{_some(wanted)}): by row or by name? Name the column of the data that has the ids "
            "(id_column, --id-column), or drop the column from the other file"
        )
    return InputError(
        f"{what}: {absent:,} of {len(wanted):,} objects are not there (e.g. {_some(missing)}); its "
        f"ids are {_some(own)}, and those of the data {_some(wanted)}"
    )


def _some(ids: Iterable[Any]) -> str:
    listed = list(ids)
    return ", ".join(repr(_bare(one)) for one in listed[:MAX_SHOWN_IDS]) + ", ..." * (
        len(listed) > MAX_SHOWN_IDS
    )


def _bare(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def by_row(what: str, ids: Any) -> str:
    """The note about an input that is taken in the order of its rows."""
    if ids is None or are_positions(ids):
        return f"{what} is taken row by row: neither it nor the data have ids."
    return f"{what} has no ids, so its rows are taken in the order of the data."
