"""Samples of tables of any size, and exact sums over all their rows."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sortal.datasets.formats import data_files
from sortal.datasets.formats.delimited import TextLayout
from sortal.datasets.partitioned.part_summaries import (
    PART_ROWS,
    Difference,
    PartSummary,
    differences,
    quantiles_of,
)
from sortal.datasets.partitioned.partitions import (
    Part,
    Partitions,
    joined,
    reading_sizes,
    take_rows,
)
from sortal.datasets.values import column_arrays
from sortal.datasets.values.drafts import RawData
from sortal.datasets.values.limits import LIMITS
from sortal.datasets.values.names_and_ids import quoted
from sortal.datasets.values.reading_options import ReadingOptions
from sortal.runtime.draws import draw_rows
from sortal.runtime.executors import Workers
from sortal.runtime.output import temporary_file
from sortal.runtime.progress import progress_bar
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import Floats, Ints

#: options that need all rows at once
_NOT_IN_PARTS = (
    "one_row_per", "pivot", "series", "text_column", "y", "kind", "messages", "terms",
)  # fmt: skip
_NUMBER = re.compile(r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$").pattern


@dataclass(frozen=True, eq=False)
class ColumnSums:
    """Exact sums of the columns of a table; of numeric columns also moments and ranges."""

    n_rows: int
    missing: dict[str, int]  # missing values of each column
    names: tuple[str, ...]  # the numeric columns, which the arrays are about
    #: number of values of each, their mean, sum of squared deviations from it, least and greatest
    counts: NDArray[np.int64]
    means: Floats
    squares: Floats
    low: Floats
    high: Floats
    n_complete: int  # rows without any missing number
    #: mean of the complete rows, and sums of the products of deviations from it
    center: Floats
    products: Floats

    @classmethod
    def of(cls, table: pa.Table, names: Sequence[str], layout: TextLayout | None) -> ColumnSums:
        """The sums of a batch of rows."""
        missing = {name: table[name].null_count for name in table.column_names}
        X = _matrix(table, names, layout)
        present = np.isfinite(X)
        missing |= dict(zip(names, (len(X) - present.sum(axis=0)).tolist(), strict=True))
        counts = present.sum(axis=0)
        is_complete = present.all(axis=1)
        filled = np.where(present, X, 0.0) if not is_complete.all() else X
        means = filled.sum(axis=0) / np.maximum(counts, 1)
        deviations = np.where(present, X - means, 0.0) if not is_complete.all() else X - means
        complete = X[is_complete]
        center = complete.mean(axis=0) if len(complete) else np.zeros(len(names))
        centered = complete - center
        return cls(
            table.num_rows, missing, tuple(names), counts, means,
            np.einsum("ij,ij->j", deviations, deviations),
            np.where(present, X, np.inf).min(axis=0, initial=np.inf),
            np.where(present, X, -np.inf).max(axis=0, initial=-np.inf),
            len(complete), center, np.einsum("ij,ik->jk", centered, centered, optimize=True),
        )  # fmt: skip

    def __add__(self, more: ColumnSums) -> ColumnSums:
        """The sums of both (Chan, Golub and LeVeque 1983)."""
        counts, shift = self.counts + more.counts, more.means - self.means
        share = more.counts / np.maximum(counts, 1)
        n = self.n_complete + more.n_complete
        step, weight = more.center - self.center, more.n_complete / max(n, 1)
        return ColumnSums(
            self.n_rows + more.n_rows,
            {name: self.missing[name] + more.missing[name] for name in self.missing},
            self.names, counts, self.means + shift * share,
            self.squares + more.squares + shift**2 * self.counts * share,
            np.minimum(self.low, more.low), np.maximum(self.high, more.high), n,
            self.center + step * weight,
            self.products + more.products + np.outer(step, step) * self.n_complete * weight,
        )  # fmt: skip

    @property
    def covariance(self) -> Floats:
        """Covariances of the numeric columns over the complete rows."""
        return self.products / max(self.n_complete - 1, 1)

    @property
    def table(self) -> pd.DataFrame:
        """A row for each column: missing values, and of numbers mean, deviation and range."""
        import pandas as pd

        numbers = pd.DataFrame(
            {
                "mean": self.means,
                "sd": np.sqrt(self.squares / np.maximum(self.counts - 1, 1)),
                "min": self.low,
                "max": self.high,
            },
            index=list(self.names),
        )
        return pd.DataFrame({"missing": self.missing}).join(numbers)


@dataclass(frozen=True, eq=False)
class WholeTable:
    """The table that a data set is a sample of."""

    partitions: Partitions
    sums: ColumnSums  # exact, over all rows
    is_sampled: bool  # whether the data set is of some rows only
    parts: tuple[PartSummary, ...] = ()  # what each part is like

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.partitions.n_rows

    @property
    def differences(self) -> list[Difference]:
        """Columns of parts that differ from those of the others by orders of magnitude."""
        return differences(self.parts)


@dataclass
class TableSample:
    """Rows of a table in parts, as raw data, and what is known of all rows."""

    raw: RawData
    rows: Ints  # row of the table for each sampled row
    whole: WholeTable
    notes: tuple[str, ...] = ()  # columns whose other rows are unlike the sampled ones


def sample_rows(
    partitions: Partitions,
    options: ReadingOptions,
    *,
    whole: bool = False,
    executor: object = None,
    progress: bool | None = None,
) -> TableSample:
    """A uniform sample of the rows of a large table, whatever its parts; all rows of others."""
    unusable = unusable_in_parts(options)
    if unusable:
        raise InputError(
            f"{partitions.source} is read in parts, where {quoted(unusable)} cannot be used: it "
            "needs all rows at once. Give a single file that fits into memory, or prepare the "
            "columns before"
        )
    options.check_columns(partitions.columns)
    n = partitions.n_rows
    size = n if whole or n <= reading_sizes.max_whole else reading_sizes.sample_rows
    sums, summaries, table, numbers = _first_pass(partitions, options, size, executor, progress)
    raw = _raw_sample(partitions, table, options)
    raw.name, raw.source, raw.names = partitions.name, partitions.source, partitions.columns
    raw.notes += partitions.notes
    is_sample = len(numbers) < n
    if is_sample:
        raw.notes.append(
            f"The study is of {len(numbers):,} of the {n:,} rows, drawn uniformly "
            "at random; numbers that do not say they are of all rows are of these."
        )
    notes = tuple(_beyond_sample(sums, table)) if is_sample else ()
    return TableSample(raw, numbers, WholeTable(partitions, sums, is_sample, summaries), notes)


def unusable_in_parts(options: ReadingOptions) -> list[str]:
    """Names of the options that need all rows at once."""
    return [name for name in _NOT_IN_PARTS if getattr(options, name)]


def _first_pass(
    partitions: Partitions,
    options: ReadingOptions,
    size: int,
    executor: object,
    progress: bool | None,
) -> tuple[ColumnSums, tuple[PartSummary, ...], pa.Table, Ints]:
    """Sums of all rows, summaries of the parts, the sampled rows, and their numbers."""
    n, key = partitions.n_rows, options.id_column
    columns = [name for name in partitions.columns if name not in options.drop]
    numbers = None if key else draw_rows(n, size, 0)
    # enough in all but one of 10^15 cases
    share = min(1.0, (size + 8 * np.sqrt(size)) / n)
    work = partial(_pass_over, columns, key, share, partitions.text)
    workers = in_process_if_local(partitions, executor)
    tables: list[pa.Table] = []
    places: list[NDArray[Any]] = []
    summaries: list[PartSummary] = []
    sums: ColumnSums | None = None
    with progress_bar("Reading", n, show=progress) as advance:
        for of_part, summary, table, place in workers.map(
            work, (numbers,), partitions.parts, one_blas_thread=True
        ):
            sums = of_part if sums is None else sums + of_part
            summaries.append(summary)
            tables.append(table)
            places.append(place)
            advance(of_part.n_rows)
    assert sums is not None
    rows, place = joined(tables), np.concatenate(places)
    if key:
        order = np.argsort(place["hash"], kind="stable")[:size]
        rows, place = rows.take(order), place[order]
    return sums, tuple(summaries), rows, place["row"]


def in_process_if_local(partitions: Partitions, executor: object) -> Workers:
    """Workers for the parts; raises where another process cannot read these."""
    if executor is not None and partitions.is_local:
        raise InputError(
            "a DuckDB relation can be read in this process only; write it to Parquet files to use "
            "an executor"
        )
    return Workers.of(executor)


def _pass_over(
    columns: list[str],
    key: str | None,
    share: float,
    layout: TextLayout | None,
    numbers: Ints | None,
    part: Part,
) -> tuple[ColumnSums, PartSummary, pa.Table, NDArray[Any]]:
    """Sums and summary of a part, its sampled rows, and their numbers and hashes."""
    sums: ColumnSums | None = None
    n_compared = max(1, min(PART_ROWS, PART_ROWS**2 // max(len(columns), 1)))
    compared = part.start + draw_rows(part.n_rows, n_compared, part.start)
    values: list[Floats] = []
    tables: list[pa.Table] = []
    places: list[NDArray[Any]] = []
    for first, batch in part.tables(columns):
        numeric = _numeric_columns(batch, layout)
        of_batch = ColumnSums.of(batch, numeric, layout)
        sums = of_batch if sums is None else sums + of_batch
        values.append(_matrix(take_rows(first, batch, compared), numeric, layout))
        hashes = np.zeros(batch.num_rows, np.uint64)
        if key is None:
            assert numbers is not None
            low, high = np.searchsorted(numbers, (first, first + batch.num_rows))
            rows = numbers[low:high] - first
            tables.append(take_rows(first, batch, numbers))
        else:
            hashes = _hashes(batch[key])
            rows = np.flatnonzero(hashes <= np.uint64(share * (2**64 - 2**11)))
            tables.append(batch.take(rows))
        place = np.empty(len(rows), [("row", np.int64), ("hash", np.uint64)])
        place["row"], place["hash"] = first + rows, hashes[rows]
        places.append(place)
    assert sums is not None
    summary = PartSummary(
        part.name, sums.n_rows, sums.missing, sums.names, quantiles_of(np.concatenate(values)),
        len(compared),
    )  # fmt: skip
    return sums, summary, joined(tables), np.concatenate(places)


def _hashes(ids: pa.ChunkedArray, seed: int = 0) -> NDArray[np.uint64]:
    """A hash of each id, which depends on its text and the seed alone."""
    import pandas as pd

    texts = ids.cast(pa.string()).to_numpy(zero_copy_only=False).astype(object)
    hashes: NDArray[np.uint64] = pd.util.hash_array(
        texts, hash_key=f"{seed:016d}", categorize=False
    )
    return hashes


def rows_by_key(batches: Iterator[pa.ChunkedArray], size: int, seed: int) -> Ints:
    """Numbers of rows drawn by their ids, in the order of the draw: the same in any row order."""
    lowest = np.empty(0, [("hash", np.uint64), ("row", np.int64)])
    first = 0
    for ids in batches:
        place = np.empty(len(ids), lowest.dtype)
        place["hash"], place["row"] = _hashes(ids, seed), first + np.arange(len(ids))
        lowest = np.sort(np.concatenate([lowest, place]), order=["hash", "row"])[:size]
        first += len(ids)
    if len(np.unique(lowest["hash"])) < len(lowest):
        raise InputError("some drawn rows have the same id, which must name one row only")
    rows: Ints = lowest["row"]
    return rows


def _numeric_columns(table: pa.Table, layout: TextLayout | None) -> list[str]:
    """The columns of numbers: by type, or in text by the first lines."""
    if layout is not None:
        return [name for name in table.column_names if name in layout.numeric]
    types = pa.types
    return [
        field.name
        for field in table.schema
        if types.is_integer(field.type) or types.is_floating(field.type)
        or types.is_decimal(field.type) or types.is_boolean(field.type)
    ]  # fmt: skip


def _matrix(table: pa.Table, names: Sequence[str], layout: TextLayout | None) -> Floats:
    """The numbers of these columns, NaN where there is none."""
    X = np.empty((table.num_rows, len(names)))
    for j, name in enumerate(names):
        X[:, j] = _numbers(table[name], layout)
    return X


def _numbers(column: pa.ChunkedArray, layout: TextLayout | None) -> NDArray[Any]:
    """The numbers of a column, NaN where there is none."""
    if layout is not None:
        column = pc.utf8_trim_whitespace(column)
        if layout.decimal == ",":
            column = pc.replace_substring(column, ",", ".")
        is_number = pc.match_substring_regex(column, _NUMBER)
        column = pc.if_else(is_number, column, None)
    return np.asarray(column_arrays.floats(column.cast(pa.float64())), dtype=np.float64)


def _raw_sample(partitions: Partitions, table: pa.Table, options: ReadingOptions) -> RawData:
    """Raw data of the sampled rows, text as the reader of text files takes it."""
    dropped = replace(options, drop=())  # these columns were not read
    if partitions.text is None:
        return RawData("", None, table, tuple(table.column_names))
    from pyarrow import csv as arrow_csv

    content = io.BytesIO()
    arrow_csv.write_csv(table, content)
    with temporary_file(content.getvalue(), "sample.csv") as path:
        return data_files.read_raw(path, replace(dropped, header=True, encoding="utf-8"))


def _beyond_sample(sums: ColumnSums, sample: pa.Table) -> Iterator[str]:
    """Notes on columns whose other rows are unlike the sampled ones."""
    far = []
    for j, name in enumerate(sums.names):
        if not (pa.types.is_integer(sample[name].type) or pa.types.is_floating(sample[name].type)):
            continue
        values = np.asarray(column_arrays.floats(sample[name]), dtype=np.float64)
        values = values[np.isfinite(values)]
        if not len(values):
            continue
        reach = LIMITS.far * max(float(values.std()), 1e-300)
        if sums.low[j] < values.min() - reach or sums.high[j] > values.max() + reach:
            far.append(f"{name!r} (from {sums.low[j]:g} to {sums.high[j]:g})")
    if far:
        yield (
            "Of all rows, values lie far outside the range of the sampled ones in "
            f"{', '.join(far[:6])}{', ...' * (len(far) > 6)}."
        )
