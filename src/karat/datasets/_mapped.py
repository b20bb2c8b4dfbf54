"""Numbers larger than memory: in a file that is mapped, read and written in blocks of rows.

The operating system reads pages of a mapped file when they are looked at and forgets them when
memory is wanted, so that nothing that goes through the rows block by block needs them all at once.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets import _columns
from karat.datasets._work import Options, Raw, quoted
from karat.runtime import resources
from karat.runtime.resources import readable, row_blocks
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


def copied(X: NDArray[Any], *, rows: Any = None, columns: Any = None) -> NDArray[Any]:
    """Some rows (a mask) and columns (a mask) of ``X``, that may be written to."""

    def part(block: slice) -> NDArray[Any]:
        found = X[block] if rows is None else X[block][rows[block]]
        return found if columns is None else found[:, columns]

    if not resources.is_large(X):
        return np.array(part(slice(None)), order="C")
    d = X.shape[1] if columns is None else int(np.count_nonzero(columns))
    return in_file((part(block) for block in row_blocks(X.shape)), d, X.dtype)


def in_file(blocks: Iterable[NDArray[Any]], d: int, dtype: Any) -> NDArray[Any]:
    """Blocks of rows as one array in a file without a name, which ends with the array."""
    with tempfile.TemporaryFile(prefix="karat-") as file:
        n = 0
        try:
            for block in blocks:
                file.write(np.ascontiguousarray(block, dtype=dtype).data)
                n += len(block)
            file.flush()
        except OSError as error:
            free = readable(shutil.disk_usage(tempfile.gettempdir()).free)
            raise InputError(
                f"data larger than memory are kept in {tempfile.gettempdir()}, which cannot take "
                f"them ({error.strerror}; {free} are free); let TMPDIR name a folder on a larger "
                "disk"
            ) from None
        if n == 0:
            return np.empty((0, d), dtype=dtype)
        return np.asarray(np.memmap(file, dtype=dtype, mode="r+", shape=(n, d)))


def map_npy(path: Path) -> NDArray[Any]:
    """The numbers of an NPY file without reading them; of other types than float, converted."""
    # a private map: what is written to it by mistake does not reach the file
    X = np.load(path, mmap_mode="c", allow_pickle=False)
    if X.dtype in (np.float32, np.float64) and X.dtype.isnative and X.flags.c_contiguous:
        return np.asarray(X)
    kind = np.float32 if X.dtype == np.float32 else np.float64
    return in_file((X[block] for block in row_blocks(X.shape)), X.shape[1], kind)


def read_batches(
    schema: pa.Schema, batches: Iterable[pa.RecordBatch], options: Options, name: str
) -> Raw:
    """A table of what comes in batches; where that is large, its numbers in a mapped file.

    Then every column but that of labels and of ids must be numeric: which values a text has is
    known only at the end.
    """
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    size = 0
    waiting = iter(batches)
    for batch in waiting:
        held.append(batch)
        size += 8 * batch.num_rows * batch.num_columns
        if size >= resources.LARGE:
            break
    else:
        return Raw("", None, pa.Table.from_batches(held, schema), tuple(schema.names))
    kept, _ = _columns.without_index(schema.empty_table(), options.columns())
    aside = [one for one in (options.label_column, options.id_column) if one is not None]
    gone = {*aside, *options.drop}
    features = [one for one in kept.column_names if one not in gone]
    kinds = [schema.field(one).type for one in features]
    text = [one for one, kind in zip(features, kinds, strict=True) if not _is_number(kind)]
    if text:
        raise InputError(
            f"{name} is larger than {readable(resources.LARGE)}, and {quoted(text)} "
            f"{'are' if len(text) > 1 else 'is'} not numeric; exclude text columns with drop "
            "(--drop), or encode them as numbers first"
        )
    single = all(pa.types.is_float32(kind) or pa.types.is_float16(kind) for kind in kinds)
    dtype = np.float32 if single else np.float64
    beside: dict[str, list[Any]] = {one: [] for one in aside}

    def blocks() -> Iterator[NDArray[Any]]:
        for batch in chain(held, waiting):
            for one in aside:
                beside[one].append(batch.column(one))
            yield _numbers(batch, features, dtype)

    X = in_file(blocks(), len(features), dtype)
    return Raw(
        "", None, X, tuple(features), {k: _joined(v, k) for k, v in beside.items()},
        owned=True, all_names=tuple(schema.names),
    )  # fmt: skip


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
    return any(test(kind) for test in tests)


def _numbers(batch: pa.RecordBatch, features: list[str], dtype: Any) -> NDArray[Any]:
    import pyarrow as pa

    out = np.empty((batch.num_rows, len(features)), dtype=dtype)
    for j, name in enumerate(features):
        column = batch.column(name)
        if not pa.types.is_floating(column.type):
            column = column.cast(pa.float64(), safe=False)
        out[:, j] = column.to_numpy(zero_copy_only=False)
    return out


def _joined(parts: list[Any], name: str) -> NDArray[Any]:
    import pyarrow as pa

    return _columns.objects(pa.chunked_array(parts), name)
