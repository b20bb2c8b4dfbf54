"""Labelings in files, for ``sortal compare``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sortal.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    import pyarrow as pa

    from sortal.datasets.partitioned.partitions import Part


def split_columns(columns: str | None) -> list[str] | None:
    """Names in ``--columns``; raises for fewer than two."""
    import csv

    names = next(csv.reader([columns])) if columns else None
    if names is not None and len(names) < 2:
        raise InputError(f"--columns takes two or more names separated by commas; got {columns!r}")
    return names


def read_files(
    files: list[Path],
    names: list[str] | None,
    truth: str | None,
    id_column: str | None,
    header: bool | None,
    on: Literal["same", "inner"],
) -> tuple[dict[str, Any], str | None, dict[str, int], list[str]]:
    """Labelings by name, the gold standard's name, excluded objects per file, notes."""
    from sortal.datasets import read_joined

    gold_file = Path(truth) if truth is not None and Path(truth).is_file() else None
    paths = list(dict.fromkeys([*([gold_file] if gold_file else []), *files]))
    read, ignored = read_joined(paths, id_column=id_column, on=on, header=header)
    excluded = {str(path): count for path, count in ignored.items()}
    notes = [
        note if str(path) in note else f"{path}: {note}"
        for path, columns in read.items()
        for note in columns.notes
    ]
    labelings = _unique_names(read)
    if names is not None and len(names) == len(paths) == 2:
        pairs = zip(names, read.values(), strict=True)
        labelings |= {name: columns[name] for name, columns in pairs if name in columns}
    gold = _gold_standard(read, labelings, names, truth, gold_file)
    if names is not None:
        labelings = {name: labelings[name] for name in dict.fromkeys([gold or names[0], *names])}
    if len(labelings) < 2:
        raise InputError(
            f"there is one labeling, {next(iter(labelings))!r}; give another file, or --truth"
        )
    return labelings, gold, excluded, notes


def count_pairs(
    sources: list[str], names: list[str] | None
) -> tuple[Any, tuple[Any, Any], list[str], list[str]] | None:
    """Numbers of the pairs of labels in tables in parts, the labels, their names, and notes.

    Two columns of one table, or two tables of one column each, row by row. Exact, in memory for
    the distinct pairs and a few thousand rows. None for other files, or without the columns;
    InputError for missing labels.
    """
    from sortal.datasets import labels_of_column
    from sortal.datasets.partitioned.partitions import PARQUET, open_partitions
    from sortal.runtime.threads import in_order

    opened = []
    for source in sources:
        is_parquet = Path(source).suffix.lower() in PARQUET
        try:
            opened.append(open_partitions(source, every=is_parquet))
        except InputError:
            if not Path(source).is_file():
                raise
            return None  # the reader of all kinds of files says what is wrong
    tables = [table for table in opened if table is not None]
    if len(tables) == 1 == len(sources) and names is not None:
        if not set(names) <= set(tables[0].columns):
            return None
        totals = in_order(partial(_pairs_of_part, names), tables[0].parts)
    elif len(tables) == 2 == len(sources) and all(len(table.columns) == 1 for table in tables):
        first, second = tables
        if first.n_rows != second.n_rows:
            return None  # the reader in memory says so
        names = [first.columns[0], second.columns[0]]
        if names[0] == names[1]:
            names = [Path(source).stem for source in sources]
        if names[0] == names[1]:
            names = list(sources)
        totals = iter([_grouped(_side_by_side(first.tables(), second.tables()))])
    elif not any(map(_in_parts, sources)):
        return None  # the reader in memory joins them, or says what is missing
    elif len(sources) == 1:
        raise InputError(f"{sources[0]} is a table in parts: name two of its columns (--columns)")
    else:
        raise InputError(
            "tables in parts are not joined by ids. Join them to one first, for example in DuckDB: "
            f"COPY (SELECT a.x, b.y FROM '{sources[0]}' a JOIN '{sources[1]}' b USING (id)) "
            "TO 'both.parquet'. Then: sortal compare both.parquet --columns x,y"
        )
    total = _grouped(totals)
    counts = total["n"].to_numpy()
    notes, sides = [], []
    for side, name in (("true", names[0]), ("pred", names[1])):
        labels, trimmed = labels_of_column(total[side], name)
        notes += trimmed
        missing = int(counts[[label is None for label in labels]].sum())
        if missing:
            raise InputError(
                f"{sources[0]}: the clustering {name!r} has no label in {missing:,} of "
                f"{int(counts.sum()):,} objects; write -1 where an object is an outlier"
            )
        is_whole = all(type(label) is int for label in labels)
        sides.append(labels.astype(np.int64) if is_whole else labels)
    return counts, (sides[0], sides[1]), names, notes


#: limit of cost: tables of pairs that are added up at a time
_TABLES_AT_ONCE = 16


def _in_parts(source: str) -> bool:
    """Whether a source is a folder, a pattern or an address, and no file of this very name."""
    place = Path(source)
    return not place.is_file() and ("*" in source or "://" in source or place.is_dir())


def _pairs_of_part(names: list[str], part: Part) -> pa.Table:
    """Numbers of the pairs of labels in a part of a table."""
    tables = (table.select(names) for _, table in part.tables(list(dict.fromkeys(names))))
    return _grouped(table.rename_columns(["true", "pred"]) for table in tables)


def _grouped(tables: Iterable[pa.Table]) -> pa.Table:
    """Numbers of the pairs in tables of pairs, which may have numbers already."""
    import pyarrow as pa

    waiting: list[Any] = []

    def add_up() -> None:
        both = pa.concat_tables(waiting, promote_options="permissive")
        sums = both.group_by(["true", "pred"], use_threads=False).aggregate([("n", "sum")])
        waiting[:] = [sums.select(["true", "pred", "n_sum"]).rename_columns(["true", "pred", "n"])]

    for table in tables:
        if "n" not in table.column_names:
            table = table.append_column("n", pa.array(np.ones(len(table), np.int64)))
        waiting.append(table)
        if len(waiting) == _TABLES_AT_ONCE:
            add_up()
    add_up()
    return waiting[0]


def _side_by_side(first: Iterator[pa.Table], second: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Tables of the labels of the same rows in two tables."""
    import pyarrow as pa

    left = right = None
    while True:
        left = next(first, None) if left is None or not len(left) else left
        right = next(second, None) if right is None or not len(right) else right
        if left is None or right is None:
            return
        n = min(len(left), len(right))
        columns = [left.column(0).slice(0, n), right.column(0).slice(0, n)]
        yield pa.table(columns, names=["true", "pred"])
        left, right = left.slice(n), right.slice(n)


def label_facts(labels: Any, counts: Any, noise: str) -> dict[str, Any]:
    """Number of clusters and coverage of a labeling whose labels stand for so many objects."""
    from sortal.labelings.labels import NOISE, encode

    encoded = encode(labels)
    n_outliers = int(counts[encoded.codes == NOISE].sum())
    extra = {"cluster": min(n_outliers, 1), "singletons": n_outliers}.get(noise, 0)
    dropped = n_outliers if noise == "drop" else 0
    clusters = len(set(encoded.codes.tolist()) - {NOISE}) + extra
    return {"clusters": clusters, "coverage": 1 - dropped / int(counts.sum())}


def _gold_standard(
    read: dict[Path, Any],
    labelings: dict[str, Any],
    names: list[str] | None,
    truth: str | None,
    gold_file: Path | None,
) -> str | None:
    """Name of the gold standard; raises for an unknown column."""
    for name in names or ():
        if name not in labelings:
            raise unknown_name(name, labelings, "column")
    if gold_file is not None:
        if len(read[gold_file]) != 1:
            raise InputError(
                f"--truth {truth} has {len(read[gold_file])} columns "
                f"({', '.join(read[gold_file])}); give a file of one"
            )
        return next(iter(labelings))
    if truth is not None and truth not in labelings:
        raise InputError(
            f"--truth {truth} is not a file, and {unknown_name(truth, labelings, 'column')}"
        )
    if truth is None and names is not None and len(names) == 2:
        return names[0]
    if truth is None and len(read) == 2 and all(len(columns) == 1 for columns in read.values()):
        return next(iter(labelings))
    return truth


def _unique_names(read: dict[Path, Any]) -> dict[str, Any]:
    """Labelings by column, or by file if two files have a column of the same name."""
    names = [name for columns in read.values() for name in columns]
    if len(set(names)) == len(names):
        return {name: labels for columns in read.values() for name, labels in columns.items()}
    stems = [path.stem for path in read]
    files = [str(path) for path in read] if len(set(stems)) < len(stems) else stems
    return {
        file if len(columns) == 1 else f"{file}:{name}": labels
        for file, columns in zip(files, read.values(), strict=True)
        for name, labels in columns.items()
    }
