"""Tables of any size: sources in parts, their one schema, and folders of labels by part."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sortal.datasets.formats import delimited
from sortal.datasets.formats.data_files import explained
from sortal.datasets.formats.delimited import TextLayout, detect_layout
from sortal.datasets.values.names_and_ids import quoted
from sortal.runtime.addresses import (
    filesystem_of,
    has_pattern,
    pattern_expression,
    pattern_folder,
    scheme_of,
)
from sortal.runtime.output import OutputFolder, temporary_file, without_outputs
from sortal.runtime.validation import InputError, StorageError

if TYPE_CHECKING:
    from pyarrow.dataset import Fragment
    from pyarrow.fs import FileSystem

    from sortal.datasets.formats.delimited import TextLayout
    from sortal.runtime.output import WrittenFile
    from sortal.typing import Ints


@dataclass
class ReadingSizes:
    """Sizes from which on tables are read in parts and sampled.

    Attributes
    ----------
    max_whole : int
        Tables of more rows are read in two passes, and studied by a sample.
    sample_rows : int
        Rows of such a sample.
    max_bytes : int
        Text of more bytes is read in two passes; keys of more bytes are not kept.
    batch_rows : int
        Rows in memory at a time, for each core.
    job_rows : int
        Rows that one job reads, where a file can be divided.

    Examples
    --------
    >>> import sortal.datasets
    >>> sortal.datasets.reading_sizes.sample_rows
    50000
    """

    max_whole: int = 200_000  #: limit of cost: memory of a table that is read whole
    sample_rows: int = 50_000  #: limit of cost: pairs of rows
    max_bytes: int = 2**28  #: limit of cost: memory of text
    batch_rows: int = 2**16  #: limit of cost: memory of each core
    job_rows: int = 2**20  #: limit of cost: time that a lost worker loses


#: sizes that all readers of tables in parts use
reading_sizes = ReadingSizes()
PARQUET, ARROW = (".parquet", ".pq"), (".arrow", ".feather", ".ipc")
TEXT = (".csv", ".tsv")
PART_SUFFIXES = (*PARQUET, *ARROW, *TEXT)
#: addresses of files that are downloaded whole
_DOWNLOADED = ("http", "https")


@dataclass(frozen=True)
class Part:
    """Consecutive rows of a source, which one job reads."""

    name: str  # of the file with its rows; unique in a source
    start: int  # number of its first row in the source
    n_rows: int
    #: ``read(columns)`` iterates over Arrow tables; ``None`` for all columns
    read: Callable[[Sequence[str] | None], Iterator[pa.Table]]

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[tuple[int, pa.Table]]:
        """The rows in tables of some thousands, each with the number of its first row."""
        number = self.start
        for table in self.read(columns):
            for offset in range(0, table.num_rows, reading_sizes.batch_rows):
                yield number + offset, table.slice(offset, reading_sizes.batch_rows)
            number += table.num_rows
        if number != self.start + self.n_rows:
            raise InputError(
                f"{self.name} had {self.n_rows:,} rows and now has {number - self.start:,}; the "
                "source changed while it was read"
            )


@dataclass(frozen=True, eq=False)
class Partitions:
    """A table in parts, of any size."""

    name: str
    source: str
    columns: tuple[str, ...]
    parts: tuple[Part, ...]
    text: TextLayout | None = None  # the layout of text files
    is_local: bool = False  # whether only this process can read it
    notes: tuple[str, ...] = ()  # what differs between the parts
    #: paths, pattern or address of its files, as far as they are known; no output goes there
    inputs: tuple[str, ...] = ()
    #: values of further passes, which are computed once
    cache: dict[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(part.n_rows for part in self.parts)

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """All rows, in order."""
        for part in self.parts:
            for _, table in part.tables(columns):
                yield table

    def rows(self, numbers: Ints, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows with these ascending numbers, as one table; only their parts are read."""
        from sortal.runtime.threads import in_order

        wanted = [
            (
                part,
                numbers[slice(*np.searchsorted(numbers, (part.start, part.start + part.n_rows)))],
            )
            for part in self.parts
        ]
        return joined(in_order(partial(_taken, columns), [pair for pair in wanted if len(pair[1])]))

    def drawn(self, numbers: Ints) -> pa.Table:
        """The rows with these numbers, in their order."""
        order = np.argsort(numbers)
        return self.rows(numbers[order]).take(np.argsort(order))

    def check_columns(self, names: Iterable[str]) -> None:
        """Raise for a column that the source lacks."""
        missing = [name for name in names if name not in self.columns]
        if missing:
            raise InputError(
                f"{self.source} has no column {quoted(missing)}; it has {quoted(self.columns)}"
            )


def joined(tables: Iterable[pa.Table]) -> pa.Table:
    """Tables of rows below each other; types that differ become the wider one."""
    return pa.concat_tables(tables, promote_options="permissive").combine_chunks()


def take_rows(first: int, table: pa.Table, numbers: Ints) -> pa.Table:
    """The rows of a batch, which begins with row ``first``, that have these ascending numbers."""
    low, high = np.searchsorted(numbers, (first, first + table.num_rows))
    return table.take(numbers[low:high] - first)


def _taken(columns: Sequence[str] | None, wanted: tuple[Part, Ints]) -> pa.Table:
    """Some rows of a part."""
    part, numbers = wanted
    return joined(take_rows(first, table, numbers) for first, table in part.tables(columns))


def open_partitions(
    source: Any, *, header: bool | None = None, encoding: str = "utf-8", every: bool = False
) -> Partitions | None:
    """The parts of a source; None for data that are read whole.

    Parameters
    ----------
    source : path-like, str, or lazy table
        A file, or a folder, pattern or address of Parquet, Arrow or text files; or a PyArrow
        dataset, Dask or Polars lazy frame, or DuckDB relation.
    header, encoding
        As for :func:`sortal.datasets.read`.
    every : bool
        Whether to open small single files, too.

    Raises
    ------
    InputError
        If there are no such files, or they cannot be read.
    """
    if isinstance(source, Partitions):
        return source
    if not isinstance(source, (str, os.PathLike)):
        return _open_lazy(source)
    address = os.fspath(source)
    scheme = scheme_of(address)
    if scheme in _DOWNLOADED or not (scheme or _names_files(Path(address))):
        return None
    if not scheme and not every and _is_small_file(Path(address)):
        return None
    filesystem, path = filesystem_of(address)
    files, base, notes = _listed(filesystem, path, address)
    opened = _open_files(filesystem, files, base, address, header, encoding)
    return replace(opened, notes=(*notes, *opened.notes), inputs=(address,))


def _is_small_file(path: Path) -> bool:
    """Whether a path is a single file that its reader takes whole, or explains why it cannot."""
    import pyarrow.parquet as pq

    suffix = _suffix(path.name)
    if not path.is_file() or suffix in ARROW:
        return False
    if suffix in TEXT:
        return path.stat().st_size < reading_sizes.max_bytes
    try:
        return int(pq.read_metadata(path).num_rows) <= reading_sizes.max_whole
    except (OSError, pa.ArrowException):
        return True


def _suffix(path: str) -> str:
    """The suffix of a file without that of its compression, in lower case."""
    name = PurePosixPath(path.lower())
    inner = PurePosixPath(name.stem) if name.suffix in (".gz", ".bz2", ".zst") else name
    return inner.suffix


def _names_files(path: Path) -> bool:
    """Whether a path is a pattern, a folder of tables, or a single file that may be large."""
    try:
        if path.is_dir():
            files = islice((file for file in path.rglob("*") if file.is_file()), 1000)
            names, _ = without_outputs(file.relative_to(path).as_posix() for file in files)
            return any(
                _is_data(PurePosixPath(name).name) and _suffix(name) in PART_SUFFIXES
                for name in names
            )
        if path.is_file():
            return _suffix(path.name) in PART_SUFFIXES and path.stat().st_size > 0
    except OSError:
        return False
    return any(mark in str(path) for mark in "*?")


def _is_data(path: str) -> bool:
    """Whether no part of a relative path is hidden, or a marker such as ``_SUCCESS``."""
    return not any(name.startswith((".", "_")) for name in PurePosixPath(path).parts)


def _listed(
    filesystem: FileSystem, path: str, address: str
) -> tuple[list[str], str, tuple[str, ...]]:
    """The files of a path, folder or pattern, sorted, the folder that they are in, and notes."""
    from pyarrow import fs

    is_pattern = has_pattern(path)
    base = pattern_folder(path) if is_pattern else path
    try:
        info = filesystem.get_file_info(base)
        if info.type == fs.FileType.File:
            return [base], str(PurePosixPath(base).parent), ()
        everything = filesystem.get_file_info(fs.FileSelector(base, recursive=True))
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{address} cannot be listed: {error}") from None
    sizes = {entry.path: entry.size for entry in everything if entry.is_file}
    inputs, notes = without_outputs(os.path.relpath(file, base) for file in sizes)
    files = [file for file in sizes if os.path.relpath(file, base) in inputs]
    if is_pattern:
        expression = re.compile(pattern_expression(path))
        files = [file for file in files if expression.fullmatch(file)]
    files = sorted(
        file
        for file in files
        if _suffix(file) in PART_SUFFIXES and _is_data(os.path.relpath(file, base))
    )
    if not files:
        raise InputError(
            f"{address} has no file of a table; Parquet, Arrow (.arrow, .feather), CSV and TSV "
            "files can be parts"
        )
    _check_sizes([file for file in files if sizes[file] == 0], address)
    kinds = {_kind(file) for file in files}
    if len(kinds) > 1:
        raise InputError(
            f"{address} has files of several formats ({', '.join(sorted(kinds))}); name those of "
            "one, as in 'folder/*.parquet'"
        )
    return files, base, notes


def _check_sizes(empty: list[str], address: str) -> None:
    """Raise for files of 0 bytes: their rows would be missing unseen."""
    if empty:
        more = f" and {len(empty) - 1:,} more are empty" if len(empty) > 1 else " is empty"
        raise InputError(
            f"{empty[0]}{more} (0 bytes): each part of {address} needs its rows. Write the file "
            "again, or move it elsewhere if it has no rows"
        )


def _kind(file: str) -> str:
    """The format of a file in Arrow's words."""
    suffix = _suffix(file)
    return "parquet" if suffix in PARQUET else "arrow" if suffix in ARROW else "csv"


def _open_files(
    filesystem: FileSystem,
    files: list[str],
    base: str,
    address: str,
    header: bool | None,
    encoding: str,
) -> Partitions:
    """The parts of files of one format."""
    from pyarrow import dataset as arrow

    file_format = _kind(files[0])
    text = None
    format_: Any = file_format
    try:
        if file_format == "csv":
            text, format_ = _text_format(filesystem, files[0], header, encoding)
            check_headers(filesystem, files, text)
        opened = arrow.dataset(
            files, filesystem=filesystem, format=format_, partitioning="hive",
            partition_base_dir=base,
        )  # fmt: skip
        fragments = list(opened.get_fragments())
        schema = opened.schema
        if text is None:
            schema = common_schema(schema, file_schemas(fragments))
        return _of_fragments(fragments, schema, base, address, text)
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{address} cannot be read: {error}") from None


def _text_format(
    filesystem: FileSystem, file: str, header: bool | None, encoding: str
) -> tuple[TextLayout, Any]:
    """The layout of text files by the first of them, and Arrow's format; all cells are text."""
    from pyarrow import dataset as arrow

    with filesystem.open_input_stream(file, compression="detect") as stream:
        content = stream.read(delimited.HEAD_BYTES)
    is_whole = len(content) < delimited.HEAD_BYTES
    content = content if is_whole else content[: content.rfind(b"\n") + 1]
    with temporary_file(content, f"head{_suffix(file)}") as head, explained(Path(file)):
        layout = detect_layout(head, _suffix(file), header=header, encoding=encoding)
    if layout.delimiter == " ":
        raise InputError(f"{file}: columns are separated by blanks; write commas or tabs")
    types = dict.fromkeys(layout.names, pa.string())
    options = delimited.arrow_options(layout, [], types, encoding, ("",))
    format_ = arrow.CsvFileFormat(
        parse_options=options["parse_options"],
        default_fragment_scan_options=arrow.CsvFragmentScanOptions(
            convert_options=options["convert_options"], read_options=options["read_options"]
        ),
    )
    return layout, format_


def _of_fragments(
    fragments: Sequence[Fragment],
    schema: pa.Schema,
    base: str,
    address: str,
    text: TextLayout | None = None,
) -> Partitions:
    """The parts of Arrow's fragments: files, or groups of rows of these."""
    from sortal.runtime.threads import in_order

    divided = list(in_order(_divided, fragments))
    jobs: list[tuple[str, Any]] = []
    counts: list[int] = []
    for number, fragment in enumerate(fragments):
        path = getattr(fragment, "path", None)
        name = f"part-{number:05d}" if path is None else os.path.relpath(path, base)
        name = name.removesuffix(PurePosixPath(name).suffix)
        pieces = divided[number]
        for piece_number, (piece, count) in enumerate(pieces):
            jobs.append((name if len(pieces) == 1 else f"{name}-{piece_number:03d}", piece))
            counts.append(count)
    starts = np.cumsum([0, *counts]).tolist()
    parts = tuple(
        Part(name, start, count, partial(_fragment_tables, piece, schema))
        for (name, piece), start, count in zip(jobs, starts[:-1], counts, strict=True)
        if count
    )
    if not parts:
        raise InputError(f"{address} has no rows")
    stem = PurePosixPath(address.rstrip("/")).name.split("*")[0].partition(".")[0].rstrip("-_")
    notes = [] if text is not None else list(column_notes(schema, file_schemas(fragments)))
    without = [name for (name, _), count in zip(jobs, counts, strict=True) if not count]
    if without:
        notes.append(f"{len(without):,} of {len(jobs):,} parts have no rows ({without[0]}).")
    return Partitions(stem or "data", address, tuple(schema.names), parts, text, notes=tuple(notes))


def _divided(fragment: Fragment) -> list[tuple[Any, int]]:
    """Pieces of about a million rows of a Parquet file, other files whole; with their rows."""
    n_rows = int(fragment.count_rows())
    if not hasattr(fragment, "split_by_row_group") or n_rows <= reading_sizes.job_rows:
        return [(fragment, n_rows)]
    pieces: list[list[int]] = [[]]
    counts = [0]
    for group in fragment.row_groups:
        if counts[-1] >= reading_sizes.job_rows:
            pieces.append([])
            counts.append(0)
        pieces[-1].append(group.id)
        counts[-1] += group.num_rows
    # a subset counts the rows of the whole file
    subsets = [fragment.subset(row_group_ids=ids) for ids in pieces]
    return list(zip(subsets, counts, strict=True))


def _fragment_tables(
    fragment: Fragment, schema: pa.Schema, columns: Sequence[str] | None
) -> Iterator[pa.Table]:
    """The rows of a fragment in batches."""
    try:
        batches = fragment.to_batches(
            schema=schema, columns=None if columns is None else list(columns),
            batch_size=reading_sizes.batch_rows, batch_readahead=2, fragment_readahead=1,
            use_threads=False,
        )  # fmt: skip
        for batch in batches:
            if batch.num_rows:
                yield pa.Table.from_batches([batch])
    except (OSError, pa.ArrowException) as error:
        path = getattr(fragment, "path", "the data")
        raise InputError(f"{path} cannot be read: {error}") from None


def _open_lazy(source: Any) -> Partitions | None:
    """The parts of a lazy table; None for data in memory."""
    package, name = type(source).__module__.partition(".")[0], type(source).__name__
    if package == "pyarrow" and hasattr(source, "get_fragments"):
        files = getattr(source, "files", ())
        folder = os.path.commonpath([os.path.dirname(file) for file in files]) if files else ""
        opened = _of_fragments(list(source.get_fragments()), source.schema, folder, "data")
        return replace(opened, inputs=tuple(files))
    if package in ("dask", "dask_expr") and hasattr(source, "to_delayed"):
        return _of_dask(source)
    if package == "polars" and name == "LazyFrame":
        import polars

        count = int(source.select(polars.len()).collect().item())
        return _stream(source.collect_schema().names(), count, partial(_polars_tables, source))
    if name == "DuckDBPyRelation":
        count = int(source.count("*").fetchall()[0][0])
        return _stream(source.columns, count, partial(_duckdb_tables, source), is_local=True)
    return None


def _stream(columns: Sequence[str], n_rows: int, read: Any, *, is_local: bool = False) -> Any:
    """Partitions of one part, which an engine streams."""
    if not n_rows:
        raise InputError("the table has no rows")
    part = Part("part-00000", 0, n_rows, read)
    return Partitions("data", "data", tuple(columns), (part,), is_local=is_local)


def _polars_tables(frame: Any, columns: Sequence[str] | None) -> Iterator[pa.Table]:
    """Batches of a Polars lazy frame."""
    chosen = frame if columns is None else frame.select(list(columns))
    for batch in chosen.collect_batches(chunk_size=reading_sizes.batch_rows, maintain_order=True):
        yield batch.to_arrow()


def _duckdb_tables(relation: Any, columns: Sequence[str] | None) -> Iterator[pa.Table]:
    """Batches of a DuckDB relation."""
    names = relation.columns if columns is None else columns
    chosen = relation.project(", ".join('"' + name.replace('"', '""') + '"' for name in names))
    for batch in chosen.to_arrow_reader(reading_sizes.batch_rows):
        yield pa.Table.from_batches([batch])


def _of_dask(frame: Any) -> Partitions:
    """The partitions of a Dask data frame."""
    pieces = frame.to_delayed()
    counts = [int(count) for count in frame.map_partitions(len).compute()]
    starts = np.cumsum([0, *counts]).tolist()
    parts = tuple(
        Part(f"part-{number:05d}", start, count, partial(_dask_tables, piece))
        for number, (piece, start, count) in enumerate(
            zip(pieces, starts[:-1], counts, strict=True)
        )
        if count
    )
    if not parts:
        raise InputError("the table has no rows")
    return Partitions("data", "data", tuple(map(str, frame.columns)), parts)


def _dask_tables(piece: Any, columns: Sequence[str] | None) -> Iterator[pa.Table]:
    """The rows of a partition of a Dask data frame."""
    frame = piece.compute(scheduler="synchronous")
    frame = frame if columns is None else frame[list(columns)]
    yield pa.Table.from_pandas(frame, preserve_index=False)


def check_headers(filesystem: FileSystem, files: list[str], layout: TextLayout) -> None:
    """Raise for a file with another header line than the first: Arrow matches by position."""
    from sortal.runtime.threads import in_order

    def header(file: str) -> bytes:
        """The header line of a file, without quotes."""
        with filesystem.open_input_stream(file, compression="detect") as stream:
            lines = stream.read(delimited.HEAD_BYTES).split(b"\n", layout.skip)[: layout.skip]
        return lines[-1].removeprefix(b"\xef\xbb\xbf").replace(b'"', b"").strip()

    if layout.has_header and len(files) > 1:
        first, *others = in_order(header, files)
        for file, line in zip(files[1:], others, strict=True):
            if line != first:
                raise InputError(
                    f"{file} has another header line than {files[0]}; parts of a table need the "
                    "same columns in the same order: name the files of one, as in 'part-*.csv'"
                )


def file_schemas(fragments: Sequence[Fragment]) -> list[tuple[str, pa.Schema]]:
    """Path and schema of each file; raises for one without columns."""
    from sortal.runtime.threads import in_order

    schemas = in_order(lambda fragment: fragment.physical_schema, fragments)
    paths = [getattr(fragment, "path", "a part") for fragment in fragments]
    named = list(zip(paths, schemas, strict=True))
    for path, schema in named:
        if not schema.names:
            raise InputError(
                f"{path} has no columns; parts of a table need those of the others: write the "
                "file again, or move it elsewhere"
            )
    return named


def common_schema(schema: pa.Schema, files: Sequence[tuple[str, pa.Schema]]) -> pa.Schema:
    """Schema of the first file, with types that hold the values of all files."""
    for j, name in enumerate(schema.names):
        common, first = schema.field(j), None
        for path, of_file in files:
            if of_file.get_field_index(name) < 0:
                continue
            field = of_file.field(name)
            first = first or (path, field)
            try:
                common = _wider(common, field)
            except (pa.ArrowTypeError, pa.ArrowInvalid):
                raise InputError(
                    f"{name!r} is {_words(field.type)} in {path} and {_words(first[1].type)} in "
                    f"{first[0]}; parts of a table need one type: write the file again, or move it "
                    "elsewhere"
                ) from None
        schema = schema.set(j, common)
    return schema


def _wider(first: pa.Field, second: pa.Field) -> pa.Field:
    """A field that has the values of both."""
    if first.type == second.type or (_is_text(first.type) and _is_text(second.type)):
        return first
    fields = (pa.schema([field.with_nullable(True)]) for field in (first, second))
    return pa.unify_schemas(list(fields), promote_options="permissive").field(0)


def _is_text(dtype: pa.DataType) -> bool:
    """Whether a type is text, also of categories."""
    values = dtype.value_type if pa.types.is_dictionary(dtype) else dtype
    return bool(pa.types.is_string(values) or pa.types.is_large_string(values))


def _words(dtype: pa.DataType) -> str:
    """A type in words."""
    return "text" if _is_text(dtype) else f"of type {dtype}"


def column_notes(schema: pa.Schema, files: Sequence[tuple[str, pa.Schema]]) -> Iterator[str]:
    """Notes on columns that only some of the files have."""
    for name in sorted({name for _, of_file in files for name in of_file.names}):
        lacking = [path for path, of_file in files if name not in of_file.names]
        if lacking and name in schema.names:
            yield f"{name!r} is missing in {len(lacking):,} of {len(files):,} files ({lacking[0]})."
        elif lacking:
            more = next(path for path, of_file in files if name in of_file.names)
            yield f"{name!r} is not used: {files[0][0]}, the first file, lacks it ({more} has it)."


SUFFIX = ".parquet"


@dataclass(frozen=True)
class LabelFolder(OutputFolder):
    """Folder with a Parquet file of labels for each part of a table.

    It is written as a whole: what an earlier run left is taken over, replaced or refused.
    """

    def parts(self) -> frozenset[str]:
        """Names of the parts whose labels an earlier output wrote."""
        names = (name for name in self.names() if name.endswith(SUFFIX))
        return frozenset(name.removesuffix(SUFFIX) for name in names)

    def write(self, part: str, tables: Iterator[pa.Table]) -> WrittenFile:
        """Write the labels of a part to the stage; a file is whole or absent."""
        import pyarrow.parquet as pq

        first = next(tables)
        options: Any = {
            "use_dictionary": ["name"], "column_encoding": {"row": "DELTA_BINARY_PACKED"}
        }  # fmt: skip
        with self.file(f"{part}{SUFFIX}") as file:
            try:
                with pq.ParquetWriter(file, first.schema, **options) as writer:
                    writer.write_table(first)
                    for table in tables:
                        writer.write_table(table)
            except pa.ArrowException as error:
                raise StorageError(f"{part}{SUFFIX} could not be written: {error}") from None
        return file.written()
