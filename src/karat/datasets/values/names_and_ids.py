"""Names of columns and numbers of rows, as messages and tables show them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import pyarrow as pa


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
