"""Ids of objects: whether they name them, or only number them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from karat.datasets.values.names_and_ids import row_numbers
from karat.runtime.validation import InputError

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
