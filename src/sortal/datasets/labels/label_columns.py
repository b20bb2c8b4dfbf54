"""Columns of files of labels and constraints: tables, arrays, and exports of Label Studio."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from sortal.datasets.formats import data_files, delimited
from sortal.datasets.formats.annotated_matrices import ANNDATA_SUFFIXES, clusterings_of
from sortal.datasets.values import column_arrays
from sortal.datasets.values.names_and_ids import with_visible_names
from sortal.datasets.values.reading_options import ReadingOptions
from sortal.labelings.pairs import CANNOT, MUST
from sortal.runtime.array_files import load_array
from sortal.runtime.validation import InputError, StorageError

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: first columns of the tables of ``sortal run --labels``, without guaranteed classes and with them
ASSIGNED = ("row", "id", "cluster", "name", "confidence", "unlike", "distance")
CLASSIFIED = (
    "row", "id", "class", "class_guaranteed", "confidence", "labelled", "label_next", "cluster",
    "cluster_name", "cluster_confidence", "unlike", "distance",
)  # fmt: skip


def labels_of_column(column: pa.ChunkedArray, name: str) -> tuple[NDArray[Any], list[str]]:
    """Labels in a column of an Arrow table, None where missing, and notes on trimmed blanks."""
    return column_arrays.objects(column, name), column_arrays.trimmed(column, name)


def read_columns(
    path: Path,
    *,
    n: int | None,
    header: bool | None,
    wanted: Iterable[str | None] = (),
    single: bool = False,
    plain: bool = False,
) -> tuple[dict[str, NDArray[Any]], list[str], dict[str, Any]]:
    """Read the columns of a file of labels or constraints.

    Parameters
    ----------
    path : path
        CSV, TSV, Parquet, ``.npy``, ``.npz`` or ``.h5ad``.
    n : int or None
        Number of objects, which settles a guess about the header.
    header : bool or None
        Whether the first line has the columns' names; detected by default.
    wanted : iterable of str or None
        Columns that mark the first line as a header.
    single : bool
        Whether blanks belong to the labels of a file with one column.
    plain : bool
        Whether columns of integers become arrays of integers, not of objects.

    Returns
    -------
    columns : dict of str to ndarray
    notes : list of str
        Decisions about the format of the file.
    written : dict of str to array
        All columns as written.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    data_files.check_file(path)
    suffix = data_files.split_name(path)[1]
    wanted_columns = {name for name in wanted if name is not None}
    notes: list[str] = []
    with data_files.explained(path):
        if suffix in (".npy", ".npz"):
            arrays = _numpy_columns(path, plain)
            return arrays, notes, dict(arrays)
        if suffix in data_files.TEXT_SUFFIXES:
            table = _text(path, n, header, wanted_columns, single, notes)
        elif suffix in ANNDATA_SUFFIXES:
            table = clusterings_of(path)
        elif suffix in data_files.PARQUET_SUFFIXES:
            table = data_files.read_raw(path, ReadingOptions()).content
        else:
            raise InputError(
                f"{path}: labels are read from CSV, TSV, Parquet, .npy, .npz and .h5ad"
            )
    table = column_arrays.without_index(with_visible_names(table), wanted_columns)[0]
    written = dict(zip(table.column_names, table.columns, strict=True))
    names = tuple(table.column_names)
    if names[: len(ASSIGNED)] == ASSIGNED or names[: len(CLASSIFIED)] == CLASSIFIED:
        # a table by sortal has the rows of the data beside the clusters
        table = table.select(["row", "id", "cluster"])
    if table.num_columns > 1 and table.column_names[0] in ("", "Unnamed: 0", "rownames"):
        # pandas and R write the names of the rows so
        first_name = "id" if "id" not in table.column_names else "column1"
        written[first_name] = written.pop(table.column_names[0])
        table = table.rename_columns([first_name, *table.column_names[1:]])
    columns = dict(zip(table.column_names, table.columns, strict=True))
    values = {}
    for name, column in columns.items():
        notes += column_arrays.trimmed(column, name)
        values[name] = column_arrays.objects(column, name, plain=plain)
    return values, notes, written


def _numpy_columns(path: Path, plain: bool) -> dict[str, NDArray[Any]]:
    """Labelings of an ``.npy`` or ``.npz`` file, one-dimensional arrays, by name."""
    stem, suffix = data_files.split_name(path)
    loaded = load_array(path, archive=suffix == ".npz")
    if suffix == ".npz":
        with loaded:
            arrays = data_files.members(loaded, path)
    elif loaded.ndim == 2:
        arrays = {f"{stem}-{m + 1}": row for m, row in enumerate(loaded)}
    else:
        arrays = {stem: loaded}
    for name, array in arrays.items():
        if array.ndim != 1:
            raise InputError(
                f"{path}: {name!r} has shape {array.shape}; labels are (n,), or (clusterings, n) "
                "in an .npy file. Memberships and trees are taken by Study.add"
            )
        if not (plain and array.dtype.kind in "iu"):
            arrays[name] = column_arrays.objects(
                column_arrays.column_array(array), name, plain=plain
            )
    return arrays


def _text(
    path: Path, n: int | None, header: bool | None, wanted: set[str], single: bool, notes: list[str]
) -> pa.Table:
    """Text table of a file of labels; the number of objects settles a guessed header."""
    stem, suffix = data_files.split_name(path)

    def parse(header: bool | None) -> tuple[delimited.TextLayout, pa.Table]:
        options: dict[str, Any] = {"header": header, "encoding": "utf-8", "wanted": wanted}
        layout = delimited.detect_layout(path, suffix, **options)
        if len(layout.names) == 1 or (single and layout.delimiter == " "):
            layout = delimited.detect_layout(path, ".csv", delimiter=",", **options)
        delimited.require_memory(path, layout, len(layout.names))
        names = list(layout.names)
        rows = delimited.read_rows(path, layout, names, as_text=set(names), encoding="utf-8")
        return layout, rows[0]

    layout, table = parse(header)
    is_settled = layout.guessed and table.num_rows == n
    if layout.guessed and n is not None and table.num_rows == n + (-1 if layout.has_header else 1):
        layout, table = parse(not layout.has_header)
        is_settled = True
    if not is_settled:
        notes += layout.notes
    if len(layout.names) == 1 and not (layout.has_header and layout.names[0]):
        table = table.rename_columns([stem])
    return table


def read_constraints(path: str | Path) -> list[tuple[Any, Any, str]]:
    """Read pairs of objects from a table of three columns: two ids, and ``must`` or ``cannot``.

    Parameters
    ----------
    path : path-like
        CSV, TSV, Parquet, Excel, ...; with or without a header.

    Returns
    -------
    list of tuple
        For :func:`sortal.Study.constrain`.

    Raises
    ------
    InputError
        If the file cannot be read or does not have three columns, the last with the words.
    """
    columns, *_ = read_columns(Path(path), n=None, header=False)
    if len(columns) != 3:
        raise InputError(
            f"{path} has {len(columns)} columns ({', '.join(columns)}); constraints have three: "
            "two ids, and must or cannot"
        )
    rows = list(
        zip(*(np.asarray(column, dtype=object) for column in columns.values()), strict=True)
    )
    is_header = str(rows[0][2]).strip().lower() not in MUST + CANNOT
    return rows[1:] if is_header else rows


#: label of an object whose class the labeller does not know
UNKNOWN = "don't know"


class StudioLabel(NamedTuple):
    """An annotation: draw, check, row and text of its object, the label, the labeller or None."""

    draw: str
    check: str
    row: str
    text: str
    label: str
    by: str | None


def studio_labels(path: Path) -> Iterator[StudioLabel]:
    """Annotations in their order; without a choice *don't know*."""
    try:
        tasks = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
            raise ValueError
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path} is not a list of tasks, as Label Studio exports it") from None
    for number, task in enumerate(tasks, 1):
        try:
            yield from list(_annotations(task))
        except (AttributeError, KeyError, TypeError):
            raise InputError(f"{path}: task {number} is not as Label Studio exports it") from None


def studio_columns(path: Path) -> dict[str, Any]:
    """Columns ``draw``, ``check``, ``row`` and ``label`` of the objects, by first annotations."""
    first: dict[str, StudioLabel] = {}
    for note in studio_labels(path):
        if not note.row.isdigit():
            raise InputError(
                f"{path} has an annotation without the 'row' of its object; sortal label --import "
                "finds objects by their text"
            )
        first.setdefault(note.row, note)
    if not first:
        raise InputError(f"{path} has no annotation")
    notes = list(first.values())
    is_whole = all(note.label.isascii() and note.label.isdigit() for note in notes)
    columns: dict[str, list[Any]] = {
        "draw": [note.draw or None for note in notes],
        "check": [note.check or None for note in notes],
        "row": [int(note.row) for note in notes],
        "label": [int(note.label) if is_whole else note.label for note in notes],
    }
    for name in ("draw", "check"):
        if not any(columns[name]):
            del columns[name]
    return {name: np.array(values, dtype=object) for name, values in columns.items()}


def _annotations(task: dict[str, Any]) -> Iterator[StudioLabel]:
    """Annotations of a task."""
    data = task.get("data", task)
    text = str(data.get("text", data.get("image", "")))
    draw, check, row = (str(data.get(name, "")) for name in ("draw", "check", "row"))
    for note in task.get("annotations", []):
        if note.get("was_cancelled"):
            continue
        chosen = [result for result in note.get("result") or [] if result.get("type") == "choices"]
        classes = chosen[0]["value"]["choices"] if chosen else [UNKNOWN]
        if len(classes) > 1:
            raise InputError(f"an object has one class; got {', '.join(map(str, classes))}")
        labeller = note.get("completed_by")
        if isinstance(labeller, dict):
            labeller = labeller.get("email") or labeller.get("username") or labeller.get("id")
        labeller = None if labeller is None else str(labeller)
        yield StudioLabel(draw, check, row, text, str(*classes), labeller)
