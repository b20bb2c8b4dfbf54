"""Columns of a table to columns of numbers, and to labels and ids.

Tables are Arrow tables here, whatever they came from.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sortal.datasets.values.drafts import DatasetDraft
from sortal.datasets.values.names_and_ids import visible
from sortal.runtime import resources
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

CONTROL_CHARACTERS = r"[\x00-\x08\x0b-\x1f\x7f-\x{9f}]"
_WHOLE_NUMBER = r"^-?(0|[1-9][0-9]{0,17})(\.0*)?$"
_DECIMAL_NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]*)?([eE][+-]?[0-9]+)?$"
_WRITTEN_LIST = r"^\s*\[[-+0-9.eE,\s]*\]\s*$"
_MINUS_ONE = r"^-1(\.0*)?([eE][+-]?0+)?$"


class ArrowStream(Protocol):
    """Table that exports Arrow data, such as a polars data frame."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


Table: TypeAlias = "pd.DataFrame | pa.Table | ArrowStream | Mapping[str, Iterable[object]]"


def to_arrow(table: Table, id_column: str | None = None) -> pa.Table:
    """Arrow table of a table; a pandas index is left behind unless it is called ``id_column``."""
    if isinstance(table, pa.Table):
        return table
    if type(table).__module__.partition(".")[0] == "pandas":
        return _from_pandas(table, id_column)
    if hasattr(table, "collect") and hasattr(table, "collect_schema"):
        table = table.collect()
    try:
        if hasattr(table, "__arrow_c_stream__") or isinstance(table, pa.RecordBatch):
            return pa.table(table)
        if isinstance(table, Mapping):
            columns = {str(key): column_array(value) for key, value in table.items()}
            return pa.table(columns)
    except (pa.ArrowInvalid, pa.ArrowTypeError, ValueError) as error:
        raise InputError(f"the table cannot be used: {error}") from None
    raise InputError(
        f"a table is a pandas, polars or Arrow table or a mapping of columns; got "
        f"{type(table).__name__}. For arrays there is sortal.datasets.from_array"
    )


def column_array(values: Iterable[object]) -> pa.Array:
    """Arrow array of values; mixed types become text."""
    try:
        array = pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        listed = list(values)
        array = pa.array([None if _is_missing(v) else str(v) for v in listed], pa.string())
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _is_missing(value: Any) -> bool:
    """Whether a single value is missing by pandas' rules."""
    import pandas as pd

    return np.ndim(value) == 0 and bool(pd.isna(value))


def _from_pandas(table: Any, id_column: str | None) -> pa.Table:
    """Arrow table of a pandas table, with its index only as the id column."""
    import pandas as pd

    if isinstance(table, pd.Series):
        table = table.to_frame()
    if id_column is not None and id_column not in table.columns and table.index.name == id_column:
        table = table.reset_index()
    names = [str(name) for name in table.columns]
    arrays = [column_array(table.iloc[:, j]) for j in range(len(names))]
    return pa.Table.from_arrays(arrays, names=names)


def without_index(table: pa.Table, keep: Iterable[str] = ()) -> tuple[pa.Table, list[str]]:
    """Exclude the columns that were a pandas index; also return their names."""
    kept_names = set(keep)
    try:
        meta = table.schema.pandas_metadata or {}
    except ValueError as error:
        raise InputError(
            f"the table is damaged where pandas describes its index ({error}); write it anew"
        ) from None
    index = {name for name in meta.get("index_columns", []) if isinstance(name, str)}
    excluded = [name for name in table.column_names if name in index - kept_names]
    return table.drop_columns(excluded), excluded


def without_row_numbers(table: pa.Table, notes: list[str]) -> pa.Table:
    """Drop an unnamed first column that only counts the rows, as pandas and R write it."""
    if table.num_columns < 2 or table.column_names[0] not in ("", "Unnamed: 0", "rownames"):
        return table
    cells = table.column(0).to_pylist()
    for start in (0, 1):
        counted = range(start, start + len(cells))
        if all(cell in (i, str(i), None) for cell, i in zip(cells, counted, strict=True)):
            notes.append("Excluded the first column: it has no name and only numbers the rows.")
            return table.remove_column(0)
    return table.rename_columns([table.column_names[0] or "column1", *table.column_names[1:]])


def objects(column: pa.ChunkedArray, name: str, *, plain: bool = False) -> NDArray[Any]:
    """Values of a label or id column as Python objects, None where blank.

    Values that are all whole numbers, however written, become integers; so does a lone ``-1``
    among names. Everything else stays as written, but for blanks around it. With ``plain``,
    integers without blanks stay an array of integers, which takes a fifth of the memory.
    """
    dtype = column.type
    if pa.types.is_dictionary(dtype):
        column = column.cast(dtype.value_type)
        dtype = column.type
    minus_1 = None
    if is_text(dtype):
        column = blank_to_null(pc.utf8_trim_whitespace(column.cast(pa.large_string())))
        # a name must not move or colour a terminal
        column = pc.replace_substring_regex(column, CONTROL_CHARACTERS, "\ufffd")
        numbers = _whole_numbers(column)
        if numbers is not None:
            column = numbers
        else:
            minus_1 = pc.match_substring_regex(column, _MINUS_ONE).fill_null(False).to_numpy(False)
    elif pa.types.is_floating(dtype):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, dtype), column)
        if pc.all(pc.equal(pc.floor(column), column)).as_py() and _fits_int(column):
            column = column.cast(pa.int64())
    elif pa.types.is_nested(dtype) or pa.types.is_binary(dtype) or pa.types.is_large_binary(dtype):
        raise InputError(f"column {name!r} holds {dtype}; labels and ids are numbers or text")
    is_whole = column.null_count == 0 and pa.types.is_integer(column.type)
    if is_whole and plain:
        return np.asarray(column.to_numpy())
    out = np.empty(len(column), dtype=object)
    if is_whole:
        out[:] = column.to_numpy().tolist()
    else:
        out[:] = column.to_pylist()
    if minus_1 is not None:
        out[minus_1] = -1
    return out


def _whole_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Integer column of a text column of whole numbers; None for other text.

    NumPy writes 2 as ``2.000000000000000000e+00`` and pandas as ``2.0``; ``007`` is a name.
    """
    if column.null_count == len(column):
        return None
    if pc.all(pc.match_substring_regex(column, _WHOLE_NUMBER)).as_py():
        return pc.replace_substring_regex(column, r"\.0*$", "").cast(pa.int64())
    if not pc.all(pc.match_substring_regex(column, _DECIMAL_NUMBER)).as_py():
        return None
    values = column.cast(pa.float64())
    if pc.all(pc.equal(pc.floor(values), values)).as_py() and _fits_int(values):
        return values.cast(pa.int64())
    return None


def trimmed(column: pa.ChunkedArray, name: str) -> list[str]:
    """Note on labels that equal others once blanks around them are removed, if any."""
    values = set(column.unique().to_pylist()) if is_text(column.type) else set()
    padded = sorted(v for v in values if v and v != v.strip() and v.strip() in values)
    return [
        f"{name!r}: {text!r} was read as {text.strip()!r}, without the blanks around it."
        for text in padded[:1]
    ]


def _fits_int(column: pa.ChunkedArray) -> bool:
    """Whether every number is small enough to be exact as an integer."""
    largest = pc.max(pc.abs(column)).as_py()
    return largest is not None and largest < 2**53


@dataclass(frozen=True)
class Categories:
    """Column of categories: the code of each object, -1 where missing, and the values."""

    codes: NDArray[np.intp]
    values: list[str]


def features(
    columns: Mapping[str, NDArray[Any] | Categories], flags: Container[str]
) -> DatasetDraft:
    """Draft of a data set from numeric and categorical columns; ``flags`` were booleans."""
    blocks = [
        _indicators(name, column) if isinstance(column, Categories) else ((name,), column)
        for name, column in columns.items()
    ]
    widths = [len(names) for names, _ in blocks]
    n, is_single = len(blocks[0][1]), all(values.dtype == np.float32 for _, values in blocks)
    dtype = np.float32 if is_single else np.float64
    resources.require_memory(
        n * sum(widths) * np.dtype(dtype).itemsize,
        f"the data ({n:,} rows × {sum(widths):,} columns after encoding)",
        "exclude columns with drop (--drop), or give a sample of the rows",
    )
    X = np.zeros((n, sum(widths)), dtype=dtype)
    starts = np.cumsum([0, *widths[:-1]])
    notes = []
    for start, (names, values), (name, column) in zip(starts, blocks, columns.items(), strict=True):
        if isinstance(column, Categories):
            coded_rows = np.flatnonzero(values >= 0)
            X[coded_rows, start + values[coded_rows]] = 1.0
            X[values < 0, start : start + len(names)] = np.nan
            listed = ", ".join(value[len(name) + 1 :] for value in names[:6])
            c = len(names)
            listed += f", and {c - 6} more" if c > 6 else ""
            notes.append(
                f"{name!r} became {c} column{'s' if c > 1 else ''} of 0 and 1, one per value "
                f"({listed})."
            )
        else:
            X[:, start] = values
            if name in flags:
                notes.append(f"{name!r}: true became 1, false 0.")
    categorical = [isinstance(column, Categories) for column in columns.values()]
    return DatasetDraft(
        X,
        tuple(name for names, _ in blocks for name in names),
        np.repeat(np.arange(len(blocks)), widths),
        tuple(columns),
        np.repeat(categorical, widths),
        notes,
        owned=True,
    )


def _indicators(name: str, categories: Categories) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Names of a category's indicator columns, and each object's column or -1."""
    labels = [visible(str(value)) for value in categories.values]
    order = np.argsort(np.array(labels, dtype=object), kind="stable")
    rank = np.full(len(labels) + 1, -1)
    rank[order] = np.arange(len(labels))
    return tuple(f"{name}={labels[i]}" for i in order), rank[categories.codes]


def plain_columns(table: pa.Table) -> pa.Table:
    """Table with text for dictionaries, and a column for each entry of lists and records."""
    columns: dict[str, pa.ChunkedArray] = {}
    for j, name in enumerate(table.column_names):
        if (lists := _written_lists(table.column(j))) is not None:
            table = table.set_column(j, name, lists)
    if not any(
        pa.types.is_dictionary(dtype) or pa.types.is_nested(dtype) for dtype in table.schema.types
    ):
        return table
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_dictionary(column.type):
            column = _decoded(column)
        entries = _entries(column)
        if entries is None:
            columns[_unique(name, columns)] = column
            continue
        for entry, values in entries.items():
            columns[_unique(f"{name}{entry}", columns)] = values
    plain = pa.table(list(columns.values()), names=list(columns))
    return plain.replace_schema_metadata(table.schema.metadata)


def _written_lists(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Lists of numbers that a column has as text, all of one length above 1; None for others."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return None
    head = column.slice(0, 20).drop_null()
    if not len(head) or not pc.all(pc.match_substring_regex(head, _WRITTEN_LIST)).as_py():
        return None
    if not pc.all(pc.match_substring_regex(column, _WRITTEN_LIST)).as_py():
        return None
    cells = column.to_pylist()
    try:
        lists = [
            None
            if cell is None
            else [float(x) for x in cell.strip()[1:-1].replace(",", " ").split()]
            for cell in cells
        ]
    except ValueError:  # such as 1.2.3
        return None
    widths = {len(numbers) for numbers in lists if numbers is not None}
    if len(widths) != 1 or widths <= {0, 1}:
        return None
    return pa.chunked_array([pa.array(lists, pa.list_(pa.float64()))])


def _unique(name: str, names: Container[str]) -> str:
    """Name that is not yet among the names."""
    while name in names:
        name += "'"
    return name


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values of a dictionary column; views of text become text."""
    values = column.type.value_type
    target = pa.large_string() if is_text(values) else values
    chunks = [
        pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(target)).cast(target)
        for chunk in column.chunks
    ]
    return pa.chunked_array(chunks, target)


def _entries(column: pa.ChunkedArray) -> dict[str, pa.ChunkedArray] | None:
    """Columns of the entries of lists of one length, and of records; None for other columns."""
    dtype = column.type
    if pa.types.is_struct(dtype):
        fields = [dtype.field(i).name for i in range(dtype.num_fields)]
        return {f".{name}": pc.struct_field(column, name) for name in fields}
    is_list = pa.types.is_list(dtype) or pa.types.is_large_list(dtype)
    if not is_list and not pa.types.is_fixed_size_list(dtype):
        return None
    value_type = dtype.value_type
    if not (pa.types.is_floating(value_type) or pa.types.is_integer(value_type)):
        return None
    lengths = pc.list_value_length(column)
    length = pc.max(lengths).as_py()
    if column.null_count or not length or pc.min(lengths).as_py() != length:
        return None
    matrix = floats(pc.list_flatten(column)).reshape(len(column), length)
    return {f"[{j + 1}]": pa.chunked_array([matrix[:, j]]) for j in range(length)}


def is_number(dtype: pa.DataType) -> bool:
    """Whether an Arrow type is numeric."""
    return bool(pa.types.is_integer(dtype) or pa.types.is_floating(dtype))


def is_text(dtype: pa.DataType) -> bool:
    """Whether an Arrow type is text."""
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(is_kind(dtype) for is_kind in kinds)


def blank_to_null(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text column with empty cells as nulls."""
    return pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)


def encoded(column: pa.ChunkedArray) -> tuple[NDArray[np.intp], pa.Array]:
    """Codes (-1 where missing), and the distinct values in order of appearance."""
    encoded = pc.dictionary_encode(column.combine_chunks())
    return encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False), encoded.dictionary


def floats(column: pa.ChunkedArray) -> NDArray[np.floating[Any]]:
    """Numeric column as floats, single precision where it is stored so."""
    if pa.types.is_float16(column.type):
        column = column.cast(pa.float32())
    elif not pa.types.is_floating(column.type):
        column = column.cast(pa.float64(), safe=False)
    return column.to_numpy()
