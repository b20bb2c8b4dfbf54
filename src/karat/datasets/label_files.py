"""Labels in files larger than memory: DuckDB groups, karat gets the counts."""

from __future__ import annotations

import glob
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from karat.datasets import _columns, _files, _labelings
from karat.labelings import ContingencyTable
from karat.labelings.labels import NoisePolicy, as_names
from karat.runtime.extras import require
from karat.runtime.validation import InputError, unknown_name

Groups = tuple[Any, Any, Any]


def connect(memory_limit: str | None = None) -> Any:
    """A DuckDB of our own in memory, which fetches nothing."""
    require("duckdb", "reading label files")
    import duckdb

    connection = duckdb.connect(
        config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    )
    if memory_limit is not None:
        connection.execute("SET memory_limit = ?", [memory_limit])
    connection.execute("SET enable_progress_bar = false")
    return connection


class LabelFile:
    """One or more files of one kind, seen as a table; columns of text files stay text.

    Parameters
    ----------
    connection : DuckDB connection
    path : path or list of paths
        Regular files. Text and Parquet may be larger than memory, unless the text is compressed
        by .bz2 or .xz or separated by blanks; NumPy files are read into it.
    view : str
        What the connection calls the table.
    header : bool, optional
        As for :func:`karat.datasets.read`.
    patterns : bool
        Whether a name that no file has is a pattern such as ``part-*.parquet``.
    """

    def __init__(
        self,
        connection: Any,
        path: Any,
        *,
        view: str = "gold",
        header: bool | None = None,
        patterns: bool = False,
    ) -> None:
        import duckdb
        import pyarrow.parquet as pq

        given = path if isinstance(path, (list, tuple)) else [path]
        paths = [found for one in given for found in _regular_files(Path(one), patterns)]
        self.connection, self.view, self.name = connection, view, ", ".join(map(str, given))
        self.notes: tuple[str, ...] = ()
        self.twice: set[str] = set()
        stem, suffix = _files.split_name(paths[0])
        names = [_literal(file) for file in paths]
        with _files.explained(paths[0]):
            try:
                if suffix in (".parquet", ".pq"):
                    written = pq.read_schema(paths[0]).names
                    self.twice = {name for name in written if written.count(name) > 1}
                    self._use(connection.read_parquet(names))
                elif suffix in _files.TEXT:
                    self._use(self._text(paths, names, stem, suffix, header))
                else:
                    self._use(self._whole(paths))
            except duckdb.Error as error:
                raise InputError(f"cannot read {self.name}: {_first_line(error)}") from None

    def _use(self, table: Any) -> None:
        self.columns: list[str] = list(table.columns)
        table.create_view(self.view, replace=True)

    def _text(
        self, paths: list[Path], names: list[str], stem: str, suffix: str, header: bool | None
    ) -> Any:
        layout = _labelings.layout_of(paths[0], suffix, header)
        self.notes = layout.notes
        columns = list(layout.names)
        if len(columns) == 1 and not layout.has_header:
            columns = [stem]
        if layout.delimiter == " " or paths[0].suffix.lower() in (".bz2", ".xz"):
            return self._whole(paths, header)
        return self.connection.read_csv(
            names,
            sep=layout.delimiter,
            header=False,
            skiprows=layout.skip,
            all_varchar=True,
            auto_detect=False,
            quotechar='"',
            escapechar='"',
            columns=dict.fromkeys(columns, "VARCHAR"),
        )

    def _whole(self, paths: list[Path], header: bool | None = None) -> Any:
        """The files' tables in memory."""
        import pyarrow as pa

        tables = []
        for path in paths:
            columns, _ = _labelings.read_columns(path, n=None, header=header)
            tables.append(pa.table({k: [str(v) for v in c] for k, c in columns.items()}))
        return self.connection.from_arrow(pa.concat_tables(tables))

    def column(self, name: str) -> str:
        """The column as SQL names it, once it is known to be there."""
        if name not in self.columns:
            raise InputError(f"{self.name}: {unknown_name(name, self.columns, 'column')}")
        if name in self.twice:
            raise InputError(f"{self.name}: two columns are called {name!r}; rename one")
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
        import duckdb

        try:
            return self.connection.execute(f"SELECT {what} FROM {self.view}").fetchall()[0]
        except duckdb.Error as error:
            raise InputError(f"{self.name} cannot be read: {_first_line(error)}") from None

    def names_objects(self, column: str) -> bool:
        """Whether a column has another value in each row."""
        rows, different = self.select(f"count(*), count(DISTINCT {self.column(column)})")
        return bool(rows == different)

    def check_ids(self, id_column: str) -> int:
        """Number of rows, once every id is known to name one of them."""
        rows, different = self.select(f"count(*), count(DISTINCT {self.column(id_column)})")
        if rows != different:
            raise InputError(
                f"{self.name}: {rows - different} of {rows} rows repeat or lack their "
                f"{id_column!r}; an id must name one object"
            )
        return int(rows)


def contingency_of_file(
    path: Any,
    labels_true: str,
    labels_pred: str,
    *,
    noise: NoisePolicy = "error",
    memory_limit: str | None = None,
) -> ContingencyTable:
    r"""Table from two columns of Parquet or CSV files that need not fit in memory.

    Parameters
    ----------
    path : str, path or list of them
        Files; a pattern such as ``"part-*.parquet"`` names many.
    labels_true, labels_pred : str
        The columns. Labels of a CSV column that are all whole numbers are integers, others stay
        as they are written; ``-1`` is an outlier, and an empty cell a missing label.
    noise : {"error", "cluster", "singletons", "drop"}
        What the label ``-1`` means.
    memory_limit : str, optional
        What DuckDB may hold, such as ``"1GB"``; it spills to disk beyond. By default its own
        limit: a low one makes it slower even where it is not reached.

    Returns
    -------
    ContingencyTable

    Raises
    ------
    InputError
        If a file or column is not there, or labels are missing.

    Notes
    -----
    One ``GROUP BY`` in DuckDB; memory in proportion to the cells.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from karat.datasets import contingency_of_file
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> _ = path.write_text("t,c\na,0\na,1\nb,1\n")
    >>> contingency_of_file(path, "t", "c")
    ContingencyTable(2 classes × 2 clusters, 3 objects)
    """
    paths = path if isinstance(path, list | tuple) else [path]
    parquet = all(".parquet" in Path(one).suffixes for one in paths)
    header = None if parquet else True
    file = LabelFile(connect(memory_limit), path, header=header, patterns=True)
    return ContingencyTable.from_counts(*count_columns(file, labels_true, labels_pred), noise=noise)


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
    import pyarrow as pa

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
        _columns.objects(pa.chunked_array([_columns.column_array(side)]), column)
        for side, column in zip(labels, (labels_true, labels_pred), strict=True)
    ]
    if all(len(set(new)) == len(set(old)) for new, old in zip(named, labels, strict=True)):
        return np.array(counts, dtype=np.int64), named[0], named[1]
    # labels that differ by blanks around them are one
    totals: Counter[Any] = Counter()
    for *group, count in zip(*named, counts, strict=True):
        totals[tuple(group)] += count
    sides = [as_names(group[side] for group in totals) for side in (0, 1)]
    return np.array(list(totals.values()), dtype=np.int64), sides[0], sides[1]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _regular_files(path: Path, patterns: bool) -> list[Path]:
    """The file, or those that the pattern matches."""
    if patterns and not path.exists():
        found = sorted(map(Path, glob.glob(str(path), recursive=True)))
        if found:
            return [file for one in found for file in _regular_files(one, False)]
    _files.check_file(path)
    return [path]


def _literal(path: Path) -> str:
    """The name for DuckDB, which reads patterns."""
    return re.sub(r"([\[*?])", r"[\1]", str(path))


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
