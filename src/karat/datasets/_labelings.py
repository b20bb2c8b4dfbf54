"""Files of clusterings and of classes."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets import _columns, _delimited, _files
from karat.datasets._work import Options, quoted, row_numbers
from karat.validation import InputError, unknown_name

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


def read_labelings(
    path: str | os.PathLike[str],
    *,
    id_column: str | None = None,
    ids: Any = None,
    drop: tuple[str, ...] | list[str] = (),
) -> dict[str, NDArray[Any]]:
    r"""Read a table whose columns are clusterings.

    Parameters
    ----------
    path : str or path
        CSV, TSV, Parquet, or NumPy (``.npy`` with one clustering per row or a single one;
        ``.npz`` with one array per clustering). A text file of one column may lack the header
        line; the clustering is then called as the file is.
    id_column : str, optional
        The column that names the objects.
    ids : array-like, shape (n,), optional
        The objects of the data set (:attr:`Dataset.ids`). With ``id_column`` the rows are put
        into this order, and rows of other objects are excluded; without it there must be one row
        per object, in the same order.
    drop : sequence of str
        Columns that are no clusterings.

    Returns
    -------
    dict of str to ndarray
        The labels by the name of the clustering: integers where all of a column's labels are
        whole numbers, else as written. ``-1`` marks outliers.

    Raises
    ------
    InputError
        If a label is missing, an id is missing, unknown or repeated, or the numbers of rows differ.

    Examples
    --------
    >>> import pathlib, tempfile, karat.datasets
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "mine.csv")
    ...     _ = path.write_text("name,k2,k3\nb,0,0\na,1,2\n")
    ...     karat.datasets.read_labelings(path, id_column="name", ids=["a", "b"])
    {'k2': array([1, 0]), 'k3': array([2, 0])}
    """
    file = Path(path)
    n = None if ids is None else len(ids)
    columns = _read_columns(file, id_column, n)
    for name in drop:
        if name not in columns:
            raise unknown_name(name, columns, "column")
    own_ids = columns.pop(id_column) if id_column is not None else None
    for name in drop:
        columns.pop(name)
    if not columns:
        raise InputError(f"{file} has no column with a clustering")
    order = _order(file, own_ids, ids, id_column, len(next(iter(columns.values()))))
    return {name: _labels(values[order], name, file) for name, values in columns.items()}


def read_truth(path: str, n: int) -> NDArray[np.object_]:
    """The classes in a file of one column, one per object; None where blank."""
    columns = _read_columns(Path(path), None, n, single=True)
    if len(columns) != 1:
        raise InputError(
            f"{path} has {len(columns)} columns ({quoted(columns)}); a file of classes has one"
        )
    return next(iter(columns.values()))


def _read_columns(
    path: Path, id_column: str | None, n: int | None, *, single: bool = False
) -> dict[str, NDArray[Any]]:
    _files.check_file(path)
    stem, suffix = _files.split_name(path)
    with _files.explained(path):
        if suffix in (".npy", ".npz"):
            columns = _numpy_columns(path, stem, suffix)
            if id_column is not None and id_column not in columns:
                raise unknown_name(id_column, columns, "array")
            return columns
        if suffix in _files.TEXT:
            table = _text(path, stem, suffix, n, single)
        else:
            table = _other(path, suffix, id_column)
    wanted = Options(id_column=id_column)
    wanted.check_columns(table.column_names)
    return {name: _columns.objects(table.column(name), name) for name in table.column_names}


def _other(path: Path, suffix: str, id_column: str | None) -> pa.Table:
    if suffix not in (".parquet", ".pq"):
        raise InputError(f"{path}: clusterings are read from CSV, TSV, Parquet, .npy and .npz")
    table = _files.read_raw(path, Options(id_column=id_column)).content
    return _columns.without_index(table, () if id_column is None else (id_column,))[0]


def _text(path: Path, stem: str, suffix: str, n: int | None, single: bool) -> pa.Table:
    layout = _delimited.look(path, suffix, header=None, encoding="utf-8")
    if len(layout.names) == 1 or (single and layout.delimiter == " "):
        return _one_column(path, stem, layout.names[0], n)
    _delimited.require_memory(path, layout, len(layout.names))
    return _delimited.read_table(
        path, layout, list(layout.names), as_text=set(layout.names), encoding="utf-8"
    )


def _one_column(path: Path, stem: str, first: str, n: int | None) -> pa.Table:
    """One label per line; a header line is one line more than there are objects."""
    layout = _delimited.look(path, ".csv", header=False, encoding="utf-8", delimiter=",")
    table = _delimited.read_table(path, layout, ["x1"], as_text={"x1"}, encoding="utf-8")
    headed = table.num_rows == n + 1 if n is not None else first != "x1"
    if headed and table.num_rows > 1:
        name = str(table.column(0)[0].as_py() or stem)
        return table.slice(1).rename_columns([name])
    return table.rename_columns([stem])


def _numpy_columns(path: Path, stem: str, suffix: str) -> dict[str, NDArray[Any]]:
    loaded = np.load(path, allow_pickle=False)
    if suffix == ".npz":
        with loaded:
            arrays = {name: loaded[name] for name in loaded.files}
        wrong = [name for name, array in arrays.items() if array.ndim != 1]
        if wrong:
            raise InputError(
                f"{path}: {wrong[0]!r} is not one-dimensional, so it is not a clustering"
            )
        return {name: _boxed(array, name) for name, array in arrays.items()}
    if loaded.ndim == 1:
        return {stem: _boxed(loaded, stem)}
    if loaded.ndim == 2:
        return {f"{stem}-{m + 1}": _boxed(row, stem) for m, row in enumerate(loaded)}
    raise InputError(f"{path} has shape {loaded.shape}; expected (n,) or (clusterings, n)")


def _boxed(array: NDArray[Any], name: str) -> NDArray[np.object_]:
    return _columns.objects(_columns.column_array(array), name)


def _order(
    path: Path, own: NDArray[Any] | None, ids: Any, id_column: str | None, n_rows: int
) -> NDArray[np.intp]:
    """Which row of the file belongs to each object."""
    if own is not None:
        blank = [row for row, value in enumerate(own) if value is None]
        if blank:
            raise InputError(f"{path}: {id_column!r} is blank in {row_numbers(blank)}")
        value, count = Counter(own).most_common(1)[0]
        if count > 1:
            raise InputError(f"{path}: the id {value!r} occurs {count} times in {id_column!r}")
    if ids is None:
        return np.arange(n_rows)
    wanted = list(ids)
    if own is None:
        if n_rows != len(wanted):
            raise InputError(
                f"{path} has {n_rows:,} rows, but there are {len(wanted):,} objects; if a column "
                "names the objects, say which (id_column, --id-column)"
            )
        return np.arange(n_rows)
    at = {value: row for row, value in enumerate(own)}
    absent = [value for value in wanted if value not in at]
    if absent:
        # 7 in one file may be "007" or "7" in the other
        as_text = {str(value): row for value, row in at.items()}
        if all(str(value) in as_text for value in wanted):
            return np.array([as_text[str(value)] for value in wanted], dtype=np.intp)
        raise InputError(
            f"{path}: {len(absent):,} of {len(wanted):,} objects are not in {id_column!r} "
            f"(e.g. {', '.join(map(repr, absent[:3]))})"
        )
    return np.array([at[value] for value in wanted], dtype=np.intp)


def _labels(values: NDArray[np.object_], name: str, path: Path) -> NDArray[Any]:
    blank = [row for row, value in enumerate(values) if value is None]
    if blank:
        raise InputError(
            f"{path}: the clustering {name!r} has no label in {len(blank):,} of {len(values):,} "
            f"objects ({row_numbers(blank)}); write -1 where an object is an outlier"
        )
    if all(type(value) is int for value in values):
        return values.astype(np.int64)
    return values
