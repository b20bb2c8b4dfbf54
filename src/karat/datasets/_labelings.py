"""Files of clusterings and of classes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets import _columns, _delimited, _files, _layout, draw_order, object_ids
from karat.datasets._names import first_few, quoted, row_numbers, with_visible_names
from karat.datasets._options import ReadingOptions
from karat.datasets.annotated_matrices import ANNDATA_SUFFIXES, clusterings_of
from karat.datasets.label_studio import studio_columns
from karat.labelings.labels import known_labels
from karat.runtime.array_files import load_array
from karat.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from karat.datasets.object_ids import Ids
    from karat.runtime.types import Bools


class LabelColumns(dict[str, Any]):
    """Clusterings by name, as :func:`read_labelings` returns them.

    Attributes
    ----------
    notes : tuple of str
        Decisions about the format of the file.
    rows : ndarray of int, or None
        Row of the data of each object, from 0, if the file has a column ``row``.
    ids : ndarray, or None
        The names of the objects, if the file has them.
    """

    notes: tuple[str, ...] = ()
    rows: NDArray[np.intp] | None = None
    ids: NDArray[Any] | None = None


#: first columns of the tables of ``karat run --labels``, without guaranteed classes and with them
ASSIGNED = ("row", "id", "cluster", "name", "confidence", "unlike", "distance")
CLASSIFIED = (
    "row", "id", "class", "class_guaranteed", "confidence", "labelled", "label_next", "cluster",
    "cluster_name", "cluster_confidence", "unlike", "distance",
)  # fmt: skip


@dataclass(frozen=True)
class KnownLabels:
    """Classes of some objects, as :func:`read_labels` returns them.

    Attributes
    ----------
    values : ndarray of object, shape (n,)
        Class of each object, None where unknown.
    notes : tuple of str
        Decisions about the format of the file.
    doubts : tuple of str
        Evidence in the file that the labelled objects are not a random sample.
    order : tuple of int or None
        The labelled objects in the order of the draw: by the column ``draw``, or in the order of
        a file with a column ``row`` that is not sorted.
    taught : tuple of int
        The labelled objects without a number where there is a column ``draw``: they were chosen,
        not drawn.
    unlabelled : tuple of int
        The objects of such a file that have no label yet, in its order.
    column : str
        Name of the column with the classes.
    """

    values: NDArray[np.object_]
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    order: tuple[int, ...] | None = None
    taught: tuple[int, ...] = ()
    unlabelled: tuple[int, ...] = ()
    column: str = ""


def read_labelings(
    path: str | os.PathLike[str],
    *,
    id_column: str | None = None,
    ids: Ids | None = None,
    header: bool | None = None,
) -> LabelColumns:
    r"""Read a table whose columns are clusterings.

    Parameters
    ----------
    path : str or path
        CSV, TSV, Parquet, ``.npy`` (a clustering, or one per row), ``.npz`` (an array per
        clustering), or ``.h5ad`` (columns of ``obs`` with names such as ``leiden_0.5``). A text
        file of one column may lack the header line; the clustering then has the file's name.
    id_column : str, optional
        The column that names the objects. By default a column with such a name (``id``, ``row``,
        ``customer_id``) and unique values.
    ids : array-like, shape (n,), optional
        The objects of the data set (:attr:`Dataset.ids`). Rows with ids are sorted into this
        order, and rows of other objects are ignored. Without ids the file must have one row per
        object, in the same order.
    header : bool, optional
        Whether the first line of a text file has the columns' names, as for :func:`read`.

    Returns
    -------
    LabelColumns
        Labels by the name of the clustering: integers where a whole column is integers, else as
        written. ``-1`` marks outliers.

    Raises
    ------
    InputError
        If a label is missing, an id is missing or repeated, or the numbers of rows differ.

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
    n = None if ids is None or id_column is not None else len(ids)
    columns, notes = read_columns(file, n=n, header=header, wanted=(id_column,), plain=True)
    if id_column is not None and id_column not in columns:
        raise unknown_name(id_column, columns, "column")
    file_ids = None if id_column is None else columns.pop(id_column)
    rows = _row_numbers(columns.get("row"))
    id_columns = {}
    for name in object_ids.id_columns(columns):
        if len(columns) > 1:
            id_columns[name] = columns.pop(name)
            notes.append(f"The column {name!r} names the objects; it is not a clustering.")
    if file_ids is None and id_columns and ids is not None:
        id_column = _joined(file, id_columns, ids)
        file_ids = None if id_column is None else id_columns[id_column]
    if not columns:
        raise InputError(f"{file} has no column with a clustering")
    order = None
    if file_ids is not None:
        object_ids.check_ids(file_ids, f"{file}: {id_column!r}")
        order = None if ids is None else object_ids.order(file_ids, ids, f"{file}: {id_column!r}")
        if order is not None and len(file_ids) > len(order):
            n_ignored = len(file_ids) - len(order)
            notes.append(f"Ignored {n_ignored:,} of its rows, which are of other objects.")
    elif ids is not None:
        n_rows = len(next(iter(columns.values())))
        if n_rows != len(ids):
            raise InputError(
                f"{file} has {n_rows:,} rows, but there are {len(ids):,} objects; if a column "
                "names the objects, say which (id_column, --id-column)"
            )
        notes.append(object_ids.by_row(str(file), ids))
    if file_ids is None:
        file_ids = id_columns.get("id", next(iter(id_columns.values()), None))
    if order is not None:
        columns = {name: values[order] for name, values in columns.items()}
        rows, file_ids = (None if values is None else values[order] for values in (rows, file_ids))
    _require_labels(columns, file)
    labelings = LabelColumns({name: _labels(values) for name, values in columns.items()})
    labelings.notes, labelings.rows, labelings.ids = tuple(notes), rows, file_ids
    return labelings


def _joined(file: Path, id_columns: dict[str, NDArray[Any]], ids: Ids) -> str | None:
    """Column that joins a file to the objects by id; None where it only counts the rows."""
    wanted_ids = set(map(str, ids))
    for name, values in id_columns.items():
        if wanted_ids.issubset(map(str, values)):
            return name
    for name, values in id_columns.items():
        is_counter = any(object_ids.are_positions(values, start) for start in (0, 1))
        if is_counter and (name == "row" or object_ids.are_positions(ids)):
            return None
    name, values = next(reversed(id_columns.items()))
    n_absent = sum(place is None for place in object_ids.places(values, ids))
    raise object_ids.mismatch(values, ids, f"{file}: {name!r}", n_absent)


def labels_of_column(column: pa.ChunkedArray, name: str) -> tuple[NDArray[Any], list[str]]:
    """Labels in a column of an Arrow table, None where missing, and notes on trimmed blanks."""
    return _columns.objects(column, name), _columns.trimmed(column, name)


def read_labels(
    path: str | os.PathLike[str],
    n_objects: int,
    *,
    rows: Iterable[int] | None = None,
    ids: Ids | None = None,
    classes: Iterable[Any] = (),
    header: bool | None = None,
) -> KnownLabels:
    r"""Read the known classes of some of the objects.

    Parameters
    ----------
    path : str or path
        One of four formats:

        - a table of ``karat sample``: ``row`` is the row in the data (from 0), ``label`` the class
          or empty, ``draw`` the number in the draw (from 1)
        - a table with a column of ids (``id``, ``customer_id``) and the classes
        - an export of Label Studio (``.json``) of what ``karat label --export`` wrote
        - one class, or empty cell, for each object in order

        The

        classes are the column ``label``, or the only one besides the ids.
    n_objects : int
        Number of objects.
    rows : array-like of int, shape (n_objects,), optional
        Row of the data of each object. By default all rows are objects.
    ids : array-like, shape (n_objects,), optional
        The names of the objects (:attr:`Dataset.ids`).
    classes : iterable
        The classes, if known; -1 is a class if it is among them.
    header : bool, optional
        As for :func:`read`.

    Raises
    ------
    InputError
        If a row does not exist or is repeated, or no class is known.

    Notes
    -----
    Labels are read as written (``NA`` and ``nan`` are classes). Whole numbers become
    integers, and ``-1`` marks an unknown class where no cell is empty.

    Examples
    --------
    >>> import pathlib, tempfile, karat.datasets
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "few.csv")
    ...     _ = path.write_text("row,label\n2,NA\n0,b\n")
    ...     karat.datasets.read_labels(path, 4).values
    array(['b', None, 'NA', None], dtype=object)
    """
    file = Path(path)
    notes: list[str] = []
    if file.suffix.lower() == ".json":
        columns = studio_columns(file)
    else:
        columns, notes = read_columns(
            file, n=n_objects, header=header, wanted=("row", "label"), single=True
        )
    columns, drawn_rows = draw_order.by_draw(columns, file)
    if drawn_rows is not None:
        del columns[draw_order.DRAW]
    has_rows = "row" in columns and "label" in columns
    id_columns = [] if has_rows or len(columns) < 2 else object_ids.id_columns(columns)
    id_columns = [name for name in id_columns if name not in ("label", "row")]
    label_columns = [name for name in columns if name not in id_columns]
    if "label" not in columns and len(label_columns) != 1:
        raise InputError(
            f"{file} has {len(columns)} columns ({quoted(columns)}) and none is called 'label'; "
            "a file of classes has this column, a single column, or one besides the ids"
        )
    label_name = "label" if "label" in columns else label_columns[0]
    labels = columns[label_name]
    doubts: list[str] = []
    is_ordered = drawn_rows is not None
    listed_objects: list[int] = []
    places: list[int | None] | None = None  # row of the file of each object
    if has_rows:
        numbers = _drawn_rows(file, columns["row"])
        data_rows = list(range(n_objects)) if rows is None else [int(row) for row in rows]
        places = object_ids.places(numbers, data_rows)
        labelled = [row for row, label in zip(numbers, labels, strict=True) if label is not None]
        absent_rows = [row for row in labelled if row not in set(data_rows)]
        if absent_rows and (rows is None or len(absent_rows) == len(labelled)):
            among = f"0 to {n_objects - 1}" if rows is None else "of the clusterings"
            raise InputError(f"{file}: row {absent_rows[0]} is not among the objects {among}")
        if absent_rows:
            notes.append(f"Ignored {len(absent_rows):,} labels of objects without a cluster.")
        by = "" if drawn_rows is not None else draw_order.sorted_by(columns)
        notes += [draw_order.unknown_order(by)] if by else []
        doubts += [] if by else _skipped(numbers, set(labelled))
        is_ordered = not by
        position_of_row = {row: i for i, row in enumerate(data_rows)}
        listed_objects = [position_of_row[row] for row in numbers if row in position_of_row]
    elif (
        id_columns and (places := _by_id(file, columns, id_columns[0], ids, n_objects)) is not None
    ):
        n_ignored = len(labels) - sum(position is not None for position in places)
        if n_ignored:
            notes.append(f"Ignored {n_ignored:,} labels of objects that the data do not hold.")
    elif len(labels) != n_objects:
        raise InputError(
            f"{file} has {len(labels):,} labels for {n_objects:,} objects; add a column 'row' with "
            "the row of each labelled object, counted from 0"
        )
    if places is not None:
        listed = [None if place is None else labels[place] for place in places]
        labels = np.array(listed, dtype=object)
    values = known_labels(labels, name=str(file), classes=classes)
    order, taught = _drawn(values, places, drawn_rows) if is_ordered else (None, ())
    unlabelled = tuple(i for i in listed_objects if values[i] is None) if is_ordered else ()
    return KnownLabels(values, tuple(notes), tuple(doubts), order, taught, unlabelled, label_name)


def _drawn(
    values: NDArray[np.object_], places: list[int | None] | None, drawn_rows: Bools | None
) -> tuple[tuple[int, ...] | None, tuple[int, ...]]:
    """Labelled objects in the order of the draw, and those that were not drawn."""
    rows = range(len(values)) if places is None else places
    labelled = [(row, i) for i, row in enumerate(rows) if row is not None and values[i] is not None]
    drawn = [i for row, i in sorted(labelled) if drawn_rows is None or drawn_rows[row]]
    return tuple(drawn), tuple(i for _, i in sorted(labelled) if i not in set(drawn))


def _by_id(
    path: Path, columns: dict[str, NDArray[Any]], name: str, ids: Ids | None, n: int
) -> list[int | None] | None:
    """Row of the file with each object, joined by id; None where the ids only count the rows."""
    file_ids, wanted_ids = columns[name], range(n) if ids is None else ids
    is_counter = any(object_ids.are_positions(file_ids, start) for start in (0, 1))
    if len(file_ids) == n and is_counter and object_ids.are_positions(wanted_ids):
        return None
    places = object_ids.places(file_ids, wanted_ids)
    n_absent = sum(place is None for place in places)
    if n_absent == n or (n_absent and object_ids.are_positions(wanted_ids)):
        raise object_ids.mismatch(file_ids, wanted_ids, f"{path}: {name!r}", n_absent)
    return places


def _drawn_rows(path: Path, row_column: NDArray[np.object_]) -> list[int]:
    """Row numbers that a file of labels names, in its order."""
    numbers = _row_numbers(row_column)
    if numbers is None:
        value = next(v for v in row_column if type(v) is not int or v < 0)
        raise InputError(f"{path}: row {value} is not the number of a row, counted from 0")
    row, count = Counter(numbers.tolist()).most_common(1)[0]
    if count > 1:
        raise InputError(f"{path} labels row {row} twice")
    return numbers.tolist()


def _skipped(numbers: list[int], labelled: set[int]) -> list[str]:
    """Doubt about unlabelled objects that were drawn before labelled ones, if any."""
    last = max((i for i, row in enumerate(numbers) if row in labelled), default=0)
    skipped = [row for row in numbers[:last] if row not in labelled]
    if not skipped or numbers == sorted(numbers):
        return []
    rows = f"row{'s' * (len(skipped) > 1)} {first_few(skipped, 5)}"
    return [
        f"{len(skipped)} objects ({rows}) were skipped "
        "though objects drawn later have a label: what is skipped may be what is hard, so label "
        "them too"
    ]


def _row_numbers(values: NDArray[Any] | None) -> NDArray[np.intp] | None:
    """Row numbers as integers; None unless they are whole numbers from 0 on."""
    if values is not None and values.dtype.kind in "iu":
        return values.astype(np.intp) if values.min() >= 0 else None
    if values is None or any(type(value) is not int or value < 0 for value in values):
        return None
    return values.astype(np.intp)


def read_columns(
    path: Path,
    *,
    n: int | None,
    header: bool | None,
    wanted: Iterable[str | None] = (),
    single: bool = False,
    plain: bool = False,
) -> tuple[dict[str, NDArray[Any]], list[str]]:
    """Columns of a file of labels, and notes; ``n`` objects help to detect a header.

    ``wanted`` columns are a header; blanks are part of the label in a ``single`` column. With
    ``plain``, columns of integers are arrays of integers, not of objects.
    """
    _files.check_file(path)
    suffix = _files.split_name(path)[1]
    wanted_columns = {name for name in wanted if name is not None}
    notes: list[str] = []
    with _files.explained(path):
        if suffix in (".npy", ".npz"):
            return _numpy_columns(path, plain), notes
        if suffix in _files.TEXT_SUFFIXES:
            table = _text(path, n, header, wanted_columns, single, notes)
        elif suffix in ANNDATA_SUFFIXES:
            table = clusterings_of(path)
        elif suffix in _files.PARQUET_SUFFIXES:
            table = _files.read_raw(path, ReadingOptions()).content
        else:
            raise InputError(
                f"{path}: labels are read from CSV, TSV, Parquet, .npy, .npz and .h5ad"
            )
    table = _columns.without_index(with_visible_names(table), wanted_columns)[0]
    names = tuple(table.column_names)
    if names[: len(ASSIGNED)] == ASSIGNED or names[: len(CLASSIFIED)] == CLASSIFIED:
        # a table by karat has the rows of the data beside the clusters
        table = table.select(["row", "id", "cluster"])
    if table.num_columns > 1 and table.column_names[0] in ("", "Unnamed: 0", "rownames"):
        # pandas and R write the names of the rows so
        first_name = "id" if "id" not in table.column_names else "column1"
        table = table.rename_columns([first_name, *table.column_names[1:]])
    columns = dict(zip(table.column_names, table.columns, strict=True))
    values = {}
    for name, column in columns.items():
        notes += _columns.trimmed(column, name)
        values[name] = _columns.objects(column, name, plain=plain)
    return values, notes


def _numpy_columns(path: Path, plain: bool) -> dict[str, NDArray[Any]]:
    """Labelings of an ``.npy`` or ``.npz`` file, one-dimensional arrays, by name."""
    stem, suffix = _files.split_name(path)
    loaded = load_array(path, archive=suffix == ".npz")
    if suffix == ".npz":
        with loaded:
            arrays = _files.members(loaded, path)
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
            arrays[name] = _columns.objects(_columns.column_array(array), name, plain=plain)
    return arrays


def _text(
    path: Path,
    n: int | None,
    header: bool | None,
    wanted: set[str],
    single: bool,
    notes: list[str],
) -> pa.Table:
    """Text table of a file of labels; the number of objects settles a guessed header."""
    stem, suffix = _files.split_name(path)

    def parse(header: bool | None) -> tuple[_layout.TextLayout, pa.Table]:
        """Layout and table of the file, with or without a header line."""
        options: dict[str, Any] = {"header": header, "encoding": "utf-8", "wanted": wanted}
        layout = _layout.detect_layout(path, suffix, **options)
        if len(layout.names) == 1 or (single and layout.delimiter == " "):
            layout = _layout.detect_layout(path, ".csv", delimiter=",", **options)
        _delimited.require_memory(path, layout, len(layout.names))
        names = list(layout.names)
        rows = _delimited.read_rows(path, layout, names, as_text=set(names), encoding="utf-8")
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


def _require_labels(columns: dict[str, NDArray[Any]], path: Path) -> None:
    """Raise for clusterings with missing labels, all in one message."""
    places = []
    for name, values in columns.items():
        if values.dtype.kind in "iu":
            continue
        unlabelled = [row for row, value in enumerate(values) if value is None]
        if unlabelled:
            places.append(
                f"the clustering {name!r} has no label in {len(unlabelled):,} of {len(values):,} "
                f"objects ({row_numbers(unlabelled)})"
            )
    if places:
        more = f"; and {len(places) - 5} more clusterings" if len(places) > 5 else ""
        raise InputError(
            f"{path}: {'; '.join(places[:5])}{more}; write -1 where an object is an outlier, or "
            "exclude columns that are not clusterings"
        )


def _labels(values: NDArray[Any]) -> NDArray[Any]:
    """Labels as integers where all are whole numbers, else as written."""
    is_whole = values.dtype.kind in "iu" or all(type(value) is int for value in values)
    return values.astype(np.int64, copy=False) if is_whole else values
