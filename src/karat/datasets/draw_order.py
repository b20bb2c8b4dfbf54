"""Order of the draw in a file of labels: its column ``draw``, or the order of its rows."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.runtime.types import Bools, Floats

#: the column with the number of each object in the draw, from 1
DRAW = "draw"
#: a column is sorted on purpose if a random order would sort it so with a smaller chance than this;
#: five different rows have one of 1/60
SORTED_ROWS, SORTED_COLUMN = 1 / 59, 1e-5


def by_draw(
    columns: dict[str, NDArray[Any]], path: Path
) -> tuple[dict[str, NDArray[Any]], Bools | None]:
    """Columns with the drawn objects first, in the order of the draw, and the mask of these.

    The mask is None without a column ``draw``. An object without a number was not drawn.
    """
    if DRAW not in columns or len(columns) < 3:
        return columns, None
    # a spreadsheet or pandas may write 1.0 where other cells are empty
    place = np.array([_number(value) for value in columns[DRAW]])
    numbers = place[np.isfinite(place)].tolist()
    for value, number in zip(columns[DRAW], place, strict=True):
        if not number >= 1 or (np.isfinite(number) and number % 1):
            raise InputError(
                f"{path}: draw {value} is no number of a draw; karat sample writes 1, 2, ... to "
                "the column 'draw', and empty cells for objects that were not drawn"
            )
    number, count = Counter(numbers).most_common(1)[0] if numbers else (0, 1)
    if count > 1:
        raise InputError(
            f"{path} has {count} objects with draw {number:g}; restore the column 'draw' as karat "
            "sample wrote it, or delete it"
        )
    order = np.argsort(place, kind="stable")
    return {name: values[order] for name, values in columns.items()}, np.isfinite(place[order])


def numbers(values: Iterable[Any]) -> Floats | None:
    """Number of each row in the draw, NaN where it has none; None for any other column."""
    missing = [value is None or value == "" or value != value for value in values]
    place = np.array([_number(value) for value in values])
    seen = place[~np.array(missing)]
    if not len(seen) or not (seen >= 1).all() or (seen % 1).any() or len(set(seen)) < len(seen):
        return None
    return np.where(missing, np.nan, place)


def _number(value: Any) -> float:
    """Number of an object in the draw; infinite for an empty cell, NaN for a text."""
    try:
        return math.inf if value is None else float(value)
    except (TypeError, ValueError):
        return math.nan


def sorted_by(columns: Mapping[str, NDArray[Any]]) -> str:
    """Name of a column by which the rows were sorted on purpose; empty without one."""
    for name, values in columns.items():
        level = SORTED_ROWS if name == "row" else SORTED_COLUMN
        if _is_monotone(values) and _chance_sorted(values) < level:
            return name
    return ""


def _is_monotone(values: NDArray[Any]) -> bool:
    """Whether the values that are there rise or fall throughout."""
    plain = [value for value in values if value is not None]
    try:
        pairs = list(itertools.pairwise(plain))
        return all(a <= b for a, b in pairs) or all(a >= b for a, b in pairs)
    except TypeError:
        return False


def _chance_sorted(values: NDArray[Any]) -> float:
    """Chance that a random order of these values rises or falls throughout."""
    counts = Counter(value for value in values if value is not None)
    if len(counts) < 2:
        return 1.0
    ties = sum(math.lgamma(count + 1) for count in counts.values())
    return 2 * math.exp(ties - math.lgamma(counts.total() + 1))


def unknown_order(name: str) -> str:
    """Note that the order of the draw is not known, and how to restore it."""
    return (
        f"The rows are sorted by {name!r} and there is no column 'draw', so the order of the draw "
        "is not known. Restore the order in which karat sample wrote them to stop at any number."
    )
