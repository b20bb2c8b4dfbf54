"""Labels in files: grouped in memory, or by DuckDB where they are larger than that."""

from __future__ import annotations

import glob
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets import _columns, _delimited, _files, _labelings
from karat.labelings import ContingencyTable
from karat.labelings.labels import NoisePolicy, as_names
from karat.runtime import resources
from karat.runtime.extras import require
from karat.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    import pyarrow as pa

    from karat.datasets._layout import Layout

Groups = tuple[Any, Any, Any]


#: bytes of files up to which they are read into memory
SMALL = 2**28


def connect(paths: Any, memory_limit: str | None = None) -> Any:
    """A DuckDB of our own, which fetches nothing; None for files that are read into memory.

    They are unless a limit is given, or they are large and DuckDB is installed.
    """
    if memory_limit is None:
        given = paths if isinstance(paths, (list, tuple)) else [paths]
        files = [found for one in given for found in _regular_files(Path(one), True)]
        size = sum(file.stat().st_size for file in files)
        if size > SMALL and find_spec("duckdb") is None:
            otherwise = 'a sample of its rows, or DuckDB: pip install "karat[sql]"'
            resources.require_memory(2 * size, str(files[0]), otherwise)
            return None
        if size <= SMALL:
            return None
    require("duckdb", "a memory limit")
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
    connection : DuckDB connection, or None
        None reads the columns that are asked for into memory.
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
        import pyarrow.parquet as pq

        given = path if isinstance(path, (list, tuple)) else [path]
        paths = [found for one in given for found in _regular_files(Path(one), patterns)]
        self.connection, self.view, self.name = connection, view, ", ".join(map(str, given))
        self.notes: tuple[str, ...] = ()
        self.twice: set[str] = set()
        stem, suffix = _files.split_name(paths[0])
        names = [_literal(file) for file in paths]
        self._parquet = paths if suffix in (".parquet", ".pq") else []
        self._table: pa.Table | None = None
        with _files.explained(paths[0]), _told(f"cannot read {self.name}"):
            if self._parquet:
                written = pq.read_schema(paths[0]).names
                self.twice = {name for name in written if written.count(name) > 1}
                if connection is None:
                    self.columns: list[str] = written
                else:
                    self._use(connection.read_parquet(names))
            elif suffix in _files.TEXT:
                self._use(self._text(paths, names, stem, suffix, header))
            else:
                self._use(self._whole(paths))

    def _use(self, table: Any) -> None:
        if self.connection is None:
            self.columns, self._table = table.column_names, table
        else:
            self.columns = list(table.columns)
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
        if self.connection is None:
            return self._parsed(paths, replace(layout, names=tuple(columns)))
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

    def _parsed(self, paths: list[Path], layout: Layout) -> pa.Table:
        """The columns of text files as text."""
        import pyarrow as pa

        names = list(layout.names)
        tables = []
        for path in paths:
            _delimited.require_memory(path, layout, len(names))
            read = _delimited.read_table(path, layout, names, as_text=set(names), encoding="utf-8")
            tables.append(read)
        return pa.concat_tables(tables)

    def _whole(self, paths: list[Path], header: bool | None = None) -> Any:
        """The files' tables in memory."""
        import pyarrow as pa

        tables = []
        for path in paths:
            columns, _ = _labelings.read_columns(path, n=None, header=header)
            texts = {
                name: pa.array([None if v is None else str(v) for v in column], pa.string())
                for name, column in columns.items()
            }
            tables.append(pa.table(texts))
        table = pa.concat_tables(tables)
        return table if self.connection is None else self.connection.from_arrow(table)

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

    def _select(self, what: str) -> Any:
        """The one row of an aggregate."""
        with _told(f"{self.name} cannot be read"):
            return self.connection.execute(f"SELECT {what} FROM {self.view}").fetchall()[0]

    def values(self, name: str) -> pa.ChunkedArray:
        """A column in memory."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.column(name)
        if self._table is not None:
            return self._table.column(name)
        with _told(f"{self.name} cannot be read"):
            parts = [pq.ParquetFile(path).read(columns=[name]) for path in self._parquet]
            found = pa.concat_tables(parts, promote_options="permissive").column(name)
            if pa.types.is_dictionary(found.type):
                found = found.cast(found.type.value_type)
        return found

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        import pyarrow.parquet as pq

        if self.connection is not None:
            return int(self._select("count(*)")[0])
        if self._table is not None:
            return int(self._table.num_rows)
        return sum(pq.ParquetFile(path).metadata.num_rows for path in self._parquet)

    def first(self, column: str) -> Any:
        """The least value of a column."""
        import pyarrow.compute as pc

        if self.connection is not None:
            return self._select(f"min({self.column(column)})")[0]
        return pc.min(self.values(column)).as_py()

    def _different(self, column: str) -> int:
        """How many values a column has; nothing is none."""
        import pyarrow.compute as pc

        if self.connection is not None:
            return int(self._select(f"count(DISTINCT {self.column(column)})")[0])
        return int(pc.count_distinct(self.values(column)).as_py())

    def names_objects(self, column: str) -> bool:
        """Whether a column has another value in each row."""
        return self.n_rows == self._different(column)

    def check_ids(self, id_column: str) -> int:
        """Number of rows, once every id is known to name one of them."""
        rows, different = self.n_rows, self._different(id_column)
        if rows != different:
            raise InputError(
                f"{self.name}: {rows - different} of {rows} rows repeat or lack their "
                f"{id_column!r}; an id must name one object"
            )
        return rows


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
        What DuckDB may hold, such as ``"1GB"``; it spills to disk beyond. By default files up to
        256 MB are read into memory, larger ones by DuckDB with its own limit, if it is installed
        (``pip install "karat[sql]"``).

    Returns
    -------
    ContingencyTable

    Raises
    ------
    InputError
        If a file or column is not there, or labels are missing.

    Notes
    -----
    In DuckDB one ``GROUP BY``; memory in proportion to the cells.

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
    connection = connect(path, memory_limit)
    file = LabelFile(connection, path, header=header, patterns=True)
    return ContingencyTable.from_counts(*count_columns(file, labels_true, labels_pred), noise=noise)


def count_columns(file: LabelFile, labels_true: str, labels_pred: str) -> Groups:
    """Counts, class and cluster of each group of two columns of one table."""
    if file.connection is None:
        return _group_in_memory(file, file, labels_true, labels_pred)
    return _group(file, file, labels_true, labels_pred, file.view)


def count_rows(true: LabelFile, pred: LabelFile, labels_true: str, labels_pred: str) -> Groups:
    """The same of two files whose rows are the same objects in the same order."""
    sizes = [file.n_rows for file in (true, pred)]
    if sizes[0] != sizes[1]:
        raise InputError(
            f"{true.name} has {sizes[0]} labels and {pred.name} {sizes[1]}; both must name the "
            "same objects in the same order, or share a column to join by (--id-column)"
        )
    if true.connection is None:
        return _group_in_memory(true, pred, labels_true, labels_pred)
    return _group(true, pred, labels_true, labels_pred, f"{true.view} POSITIONAL JOIN {pred.view}")


def count_joined(
    true: LabelFile, pred: LabelFile, labels_true: str, labels_pred: str, id_column: str
) -> tuple[Groups, tuple[int, int]]:
    """The same of two files joined by an id, and how many objects each file has."""
    sizes = (true.check_ids(id_column), pred.check_ids(id_column))
    if true.connection is None:
        groups = _group_in_memory(true, pred, labels_true, labels_pred, id_column)
    else:
        groups = _group(true, pred, labels_true, labels_pred, _joined(true, pred, id_column))
    if len(groups[0]) == 0:
        first = [file.first(id_column) for file in (true, pred)]
        raise InputError(
            f"{true.name} and {pred.name} share no {id_column!r} (they have for example "
            f"{first[0]!r} and {first[1]!r}), so there is no object to compare; check that both "
            "name the same objects"
        )
    return groups, sizes


def _joined(true: LabelFile, pred: LabelFile, id_column: str) -> str:
    keys = [f"CAST({file.column(id_column)} AS VARCHAR)" for file in (true, pred)]
    return f"{true.view} JOIN {pred.view} ON {keys[0]} = {keys[1]}"


def _group_in_memory(
    true: LabelFile, pred: LabelFile, labels_true: str, labels_pred: str, id_column: str = ""
) -> Groups:
    """The counts of two files without DuckDB: by row, or joined by an id."""
    import pyarrow as pa
    import pyarrow.compute as pc

    sides = [true.values(labels_true), pred.values(labels_pred)]
    if id_column:
        own, others = (pc.cast(file.values(id_column), pa.string()) for file in (true, pred))
        at = pc.index_in(own, value_set=others)
        sides = [sides[0].filter(pc.is_valid(at)), sides[1].take(at.drop_null())]
    with _told("cannot count the labels"):
        table = pa.table(sides, ["true", "pred"]).group_by(["true", "pred"])
        groups = table.aggregate([([], "count_all")]).select(["true", "pred", "count_all"])
    rows = list(zip(*(column.to_pylist() for column in groups.columns), strict=True))
    return _named(rows, labels_true, labels_pred)


def _group(
    true: LabelFile, pred: LabelFile, labels_true: str, labels_pred: str, source: str
) -> Groups:
    columns = (true.column(labels_true), pred.column(labels_pred))
    with _told("cannot count the labels"):
        rows = true.connection.execute(
            f"SELECT {columns[0]}, {columns[1]}, count(*) FROM {source} GROUP BY ALL"
        ).fetchall()
    return _named(rows, labels_true, labels_pred)


def _named(rows: list[Any], labels_true: str, labels_pred: str) -> Groups:
    """Counts and labels of the groups, once no label is missing."""
    import pyarrow as pa

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


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Errors of DuckDB and Arrow as errors of the input."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, *_duckdb_errors()) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{what}: {reason}") from None


def _duckdb_errors() -> tuple[type[Exception], ...]:
    duckdb = sys.modules.get("duckdb")
    return () if duckdb is None else (duckdb.Error,)
