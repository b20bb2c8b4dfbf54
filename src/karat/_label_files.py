"""Labels in files larger than memory: DuckDB groups, karat gets the counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

from karat.partition import as_names
from karat.validation import InputError, unknown_name

FileKind = Literal["parquet", "csv"]


def file_kind(path: Any) -> FileKind:
    """Parquet or CSV, by the ending of the name."""
    endings = [suffix.lower() for suffix in Path(str(path)).suffixes]
    if endings and endings[-1] in (".parquet", ".pq"):
        return "parquet"
    if any(ending in (".csv", ".tsv", ".txt") for ending in endings[-2:]):
        return "csv"
    raise InputError(f"{path} is neither Parquet nor CSV by its name; rename it to end so")


def connect(memory_limit: str = "1GB") -> Any:
    """A DuckDB of our own in memory."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET memory_limit = ?", [memory_limit])
    connection.execute("SET enable_progress_bar = false")
    return connection


def relation(connection: Any, path: Any, kind: FileKind) -> Any:
    """The files as a DuckDB relation, columns of CSV files as text."""
    import duckdb

    paths = [str(p) for p in (path if isinstance(path, (list, tuple)) else [path])]
    try:
        if kind == "parquet":
            return connection.read_parquet(paths)
        return connection.read_csv(paths, header=True, all_varchar=True)
    except duckdb.Error as error:
        raise InputError(f"cannot read {', '.join(paths)}: {_first_line(error)}") from None


def check_column(table: Any, column: str, path: Any) -> None:
    """Raise :class:`InputError` unless the file has the column."""
    if column not in table.columns:
        raise InputError(f"{path}: {unknown_name(column, table.columns, 'column')}")


def quoted(column: str) -> str:
    """The column as an SQL name."""
    return '"' + column.replace('"', '""') + '"'


def count_pairs(
    path: Any, kind: FileKind, labels_true: str, labels_pred: str, memory_limit: str
) -> tuple[Any, Any, Any]:
    """Counts, class and cluster of each group of two columns."""
    connection = connect(memory_limit)
    table = relation(connection, path, kind)
    for column in (labels_true, labels_pred):
        check_column(table, column, path)
    return group(
        connection,
        f"SELECT {quoted(labels_true)} AS t, {quoted(labels_pred)} AS p FROM source",
        {"source": table},
        kind,
        (labels_true, labels_pred),
    )


def count_joined(
    true_path: Any, pred_path: Any, id_column: str, labels_true: str, labels_pred: str
) -> tuple[tuple[Any, Any, Any], dict[str, int]]:
    """Counts of two files joined by an id, and how many ids each has and both share."""
    connection = connect()
    true = relation(connection, true_path, file_kind(true_path))
    pred = relation(connection, pred_path, file_kind(pred_path))
    for table, column, path in ((true, labels_true, true_path), (pred, labels_pred, pred_path)):
        check_column(table, column, path)
        check_column(table, id_column, path)
    key = quoted(id_column)
    sizes = {}
    for side, table, path in (("true", true, true_path), ("pred", pred, pred_path)):
        rows, different = table.aggregate(f"count(*), count(DISTINCT {key})").fetchone()
        if rows != different:
            raise InputError(
                f"{path}: {rows - different} of {rows} rows repeat or lack their {id_column!r}; "
                "an id names one object"
            )
        sizes[side] = rows
    groups = group(
        connection,
        f"SELECT gold.{quoted(labels_true)} AS t, found.{quoted(labels_pred)} AS p "
        f"FROM gold JOIN found ON CAST(gold.{key} AS VARCHAR) = CAST(found.{key} AS VARCHAR)",
        {"gold": true, "found": pred},
        "csv" if "csv" in (file_kind(true_path), file_kind(pred_path)) else "parquet",
        (labels_true, labels_pred),
    )
    sizes["both"] = int(sum(groups[0]))
    return groups, sizes


def group(
    connection: Any, select: str, tables: dict[str, Any], kind: FileKind, columns: tuple[str, str]
) -> tuple[Any, Any, Any]:
    """Run the GROUP BY over ``select``, a query with columns t and p."""
    import duckdb

    for name, table in tables.items():
        table.create_view(name, replace=True)
    try:
        rows = connection.execute(
            f"SELECT t, p, count(*) AS n FROM ({select}) GROUP BY t, p"
        ).fetchall()
    except duckdb.Error as error:
        raise InputError(f"cannot count the labels: {_first_line(error)}") from None
    if not rows:
        return np.array([], dtype=np.int64), as_names([]), as_names([])
    true, pred, counts = (list(side) for side in zip(*rows, strict=True))
    for labels, column in ((true, columns[0]), (pred, columns[1])):
        missing = sum(c for v, c in zip(labels, counts, strict=True) if v is None or v != v)
        if missing:
            raise InputError(
                f"column {column!r} has {missing} missing label{'s' if missing > 1 else ''}; leave "
                "those objects out, or give them a label of their own (-1 marks outliers)"
            )
    if kind == "csv":
        true, pred = ([-1 if v == "-1" else v for v in side] for side in (true, pred))
    return np.array(counts, dtype=np.int64), as_names(true), as_names(pred)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
