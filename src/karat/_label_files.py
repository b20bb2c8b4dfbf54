"""Labels in files larger than memory: DuckDB groups, karat gets the counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from karat.partition import as_names
from karat.validation import InputError, unknown_name

Groups = tuple[Any, Any, Any]


def connect(memory_limit: str | None = None) -> Any:
    """A DuckDB of our own in memory."""
    import duckdb

    connection = duckdb.connect()
    if memory_limit is not None:
        connection.execute("SET memory_limit = ?", [memory_limit])
    connection.execute("SET enable_progress_bar = false")
    return connection


class LabelFile:
    """One or more files of one kind, seen as a table; columns of text files stay text."""

    def __init__(
        self,
        connection: Any,
        path: Any,
        *,
        view: str = "gold",
        text: bool | None = None,
        header: bool | None = True,
    ) -> None:
        import duckdb

        paths = [str(p) for p in (path if isinstance(path, (list, tuple)) else [path])]
        self.connection, self.view, self.name = connection, view, ", ".join(paths)
        self.text = _is_text(paths[0]) if text is None else text
        try:
            if not self.text:
                table = connection.read_parquet(paths)
            else:
                if header is None:
                    header = _has_header(connection, paths[0])
                table = connection.read_csv(paths, header=header, all_varchar=True)
            self.columns: list[str] = list(table.columns)
            table.create_view(view, replace=True)
        except duckdb.Error as error:
            raise InputError(f"cannot read {self.name}: {_first_line(error)}") from None

    def column(self, name: str) -> str:
        """The column as SQL names it, once it is known to be there."""
        if name not in self.columns:
            raise InputError(f"{self.name}: {unknown_name(name, self.columns, 'column')}")
        return f"{self.view}.{_quoted(name)}"

    def only_column(self, besides: str | None) -> str:
        """The one column that must hold the labels."""
        columns = [name for name in self.columns if name != besides]
        if len(columns) != 1:
            raise InputError(
                f"{self.name} has {len(columns)} columns that may hold the labels "
                f"({', '.join(columns)}); say which with --columns"
            )
        return columns[0]

    def select(self, what: str) -> Any:
        """The one row of an aggregate."""
        return self.connection.execute(f"SELECT {what} FROM {self.view}").fetchall()[0]

    def check_ids(self, id_column: str) -> int:
        """Number of rows, once every id is known to name one of them."""
        rows, different = self.select(f"count(*), count(DISTINCT {self.column(id_column)})")
        if rows != different:
            raise InputError(
                f"{self.name}: {rows - different} of {rows} rows repeat or lack their "
                f"{id_column!r}; an id must name one object"
            )
        return int(rows)


def count_columns(file: LabelFile, labels_true: str, labels_pred: str) -> Groups:
    """Counts, class and cluster of each group of two columns of one table."""
    return _group(file, file, labels_true, labels_pred, file.view)


def count_rows(true: LabelFile, pred: LabelFile, labels_true: str, labels_pred: str) -> Groups:
    """The same of two files whose rows are the same objects in the same order."""
    sizes = [file.select("count(*)")[0] for file in (true, pred)]
    if sizes[0] != sizes[1]:
        raise InputError(
            f"{true.name} has {sizes[0]} labels and {pred.name} {sizes[1]}; both must name the "
            "same objects in the same order, or share a column to join by (--id-column)"
        )
    return _group(true, pred, labels_true, labels_pred, f"{true.view} POSITIONAL JOIN {pred.view}")


def count_joined(
    true: LabelFile, pred: LabelFile, labels_true: str, labels_pred: str, id_column: str
) -> tuple[Groups, tuple[int, int]]:
    """The same of two files joined by an id, and how many objects each file has."""
    sizes = (true.check_ids(id_column), pred.check_ids(id_column))
    keys = [f"CAST({file.column(id_column)} AS VARCHAR)" for file in (true, pred)]
    joined = f"{true.view} JOIN {pred.view} ON {keys[0]} = {keys[1]}"
    groups = _group(true, pred, labels_true, labels_pred, joined)
    if len(groups[0]) == 0:
        first = [file.select(f"min({file.column(id_column)})")[0] for file in (true, pred)]
        raise InputError(
            f"{true.name} and {pred.name} share no {id_column!r} (they have for example "
            f"{first[0]!r} and {first[1]!r}), so there is no object to compare; check that both "
            "name the same objects"
        )
    return groups, sizes


def _group(
    true: LabelFile, pred: LabelFile, labels_true: str, labels_pred: str, source: str
) -> Groups:
    import duckdb

    columns = (true.column(labels_true), pred.column(labels_pred))
    try:
        rows = true.connection.execute(
            f"SELECT {columns[0]}, {columns[1]}, count(*) FROM {source} GROUP BY ALL"
        ).fetchall()
    except duckdb.Error as error:
        raise InputError(f"cannot count the labels: {_first_line(error)}") from None
    labels: list[list[Any]] = [[row[side] for row in rows] for side in (0, 1)]
    counts = [row[2] for row in rows]
    for side, column in zip(labels, (labels_true, labels_pred), strict=True):
        missing = sum(c for v, c in zip(side, counts, strict=True) if v is None or v != v)
        if missing:
            raise InputError(
                f"column {column!r} has {missing} missing label{'s' if missing > 1 else ''}; leave "
                "those objects out, or give them a label of their own (-1 marks outliers)"
            )
    named = [
        as_names(-1 if file.text and v == "-1" else v for v in side)
        for file, side in zip((true, pred), labels, strict=True)
    ]
    return np.array(counts, dtype=np.int64), named[0], named[1]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _is_text(path: str) -> bool:
    endings = [suffix.lower() for suffix in Path(path).suffixes[-2:]]
    if any(ending in (".parquet", ".pq") for ending in endings[-1:]):
        return False
    if any(ending in (".csv", ".tsv", ".txt") for ending in endings):
        return True
    raise InputError(f"{path} has neither a Parquet nor a CSV suffix; rename it to end in one")


def _has_header(connection: Any, path: str) -> bool:
    """As DuckDB finds; but a lone first value that comes again below is a label."""
    found, columns = connection.execute(
        "SELECT HasHeader, Columns FROM sniff_csv(?)", [path]
    ).fetchall()[0]
    if not found or len(columns) > 1:
        return bool(found)
    file = LabelFile(connection, path, view="look", text=True, header=True)
    name = file.columns[0]
    text = name.replace("'", "''")
    return bool(file.select(f"count(*) FILTER ({_quoted(name)} = '{text}')")[0] == 0)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
