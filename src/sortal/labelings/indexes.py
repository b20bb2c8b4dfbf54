"""Tables and series in memory, put into one order by their indexes."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from sortal.labelings.row_join import JoinedSides, RowJoin, Rows, join_rows
from sortal.runtime.validation import InputError

_MEND = 'take the common ones (on="inner")'


def index_rows(value: Any, name: str) -> Rows | None:
    """Rows of a pandas table or series, or of the first of several; None without an index."""
    if isinstance(value, Rows):
        return value
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        rows = [entry for entry in map(_rows_of_table, value, [name] * len(value)) if entry]
        return next((entry for entry in rows if entry.index is not None), next(iter(rows), None))
    return _rows_of_table(value, name)


def _rows_of_table(value: Any, name: str) -> Rows | None:
    """The rows of one pandas table or series."""
    pd = sys.modules.get("pandas")
    if pd is None or not isinstance(value, (pd.Series, pd.DataFrame)):
        return None
    index, n = value.index, len(value.index)
    if index.equals(pd.RangeIndex(n)):
        return Rows(name, n, is_counted=True)
    ids = index.to_numpy() if index.dtype.kind in "iu" else list(index)
    return Rows(name, n, index=ids)


def in_order_of(
    reference: object, target: object, *, name: str, other_name: str, on: JoinedSides = "both"
) -> Any:
    """Put tables and series with an index of ids into the order of another one.

    Both are tables, series, a mapping or list of these; everything else stays as it is. With
    ``on="right"`` the target may lack objects, which are None then.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"x": [1.0, 2.0]}, index=["a", "b"])
    >>> labels = pd.Series([0, 1], ["b", "a"])
    >>> in_order_of(table, labels, name="X", other_name="labels").tolist()
    [1, 0]
    """
    left = index_rows(reference, name)
    if left is None:
        return target
    if isinstance(target, Mapping):
        return {
            key: in_order_of(left, value, name=name, other_name=f"{other_name}[{key!r}]", on=on)
            for key, value in target.items()
        }
    if isinstance(target, list) and target and all(map(_rows_of_table, target, [""] * len(target))):
        return [in_order_of(left, each, name=name, other_name=other_name, on=on) for each in target]
    right = _rows_of_table(target, other_name)
    if right is None or _is_same(left, right):
        return target
    mend = "" if on == "right" else "leave out the others"
    return _taken(target, join_rows(left, right, on=on, mend=mend))


def _is_same(left: Rows, right: Rows) -> bool:
    """Whether two indexes are the same, or neither names the rows."""
    if left.index is None and right.index is None:
        return True
    if left.index is None or right.index is None or left.n != right.n:
        return False
    return bool(np.array_equal(np.asarray(left.index, object), np.asarray(right.index, object)))


def _taken(target: Any, join: RowJoin) -> Any:
    """Values of a table or series in the order of a join; None where it has none."""
    if (join.places >= 0).all():
        return target.iloc[join.places]
    values = np.full(len(join.places), None, dtype=object)
    values[join.left_rows] = np.asarray(target, dtype=object)[join.right_rows]
    return values


def aligned(labelings: Any, *, name: str = "labelings", on: JoinedSides = "both") -> Any:
    """Series in a mapping or list, all in the order of the first that has an index.

    With ``on="inner"`` objects that some of them lack are excluded.

    Examples
    --------
    >>> import pandas as pd
    >>> a, b = pd.Series([0, 1], ["x", "y"]), pd.Series([5, 6], ["y", "z"])
    >>> {key: series.tolist() for key, series in aligned({"a": a, "b": b}, on="inner").items()}
    {'a': [1], 'b': [5]}
    """
    entries = labelings if isinstance(labelings, Mapping) else dict(enumerate(labelings))
    tables = {key: _rows_of_table(value, f"{name}[{key!r}]") for key, value in entries.items()}
    named = [rows for rows in tables.values() if rows is not None]
    left = next((rows for rows in named if rows.index is not None), None)
    if left is None or len(named) < 2:
        return labelings
    if len(named) < len(tables) and on == "inner":
        plain = next(key for key, rows in tables.items() if rows is None)
        raise InputError(f"{name}[{plain!r}] has no index, so its objects cannot be joined")
    joins = {
        key: join_rows(left, rows, on=on, mend=_MEND)
        for key, rows in tables.items()
        if rows is not None and not _is_same(left, rows)
    }
    is_common = np.ones(left.n, dtype=bool)
    for join in joins.values():
        is_common &= join.places >= 0
    if not is_common.any():
        raise InputError(f"{name}: no object is common to all; nothing can be compared")
    ordered = {
        key: value.iloc[joins[key].places[is_common]]
        if key in joins
        else value if tables[key] is None or is_common.all() else value.loc[is_common]
        for key, value in entries.items()
    }  # fmt: skip
    return ordered if isinstance(labelings, Mapping) else list(ordered.values())
