"""Files of clusterings and of classes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets import _columns, _delimited, _files, _layout, joining
from karat.datasets._structures import in_order, numpy_columns, structures_in
from karat.datasets._work import Options, quoted, row_numbers, with_visible_names
from karat.datasets.annotated_matrices import ANNOTATED, no_clusterings, obs_table
from karat.labelings.candidates import hard_labelings
from karat.labelings.labels import known_labels
from karat.labelings.structures import Dendrogram, Hardened
from karat.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray


class LabelColumns(dict[str, Any]):
    """Clusterings by name, as :func:`read_labelings` returns them.

    Attributes
    ----------
    notes : tuple of str
        What was decided on the way that a reader should know.
    rows : ndarray of int, or None
        Which row of the data each object is, from 0, where the file says so (column ``row``).
    ids : ndarray, or None
        The names of the objects, where the file has them.
    """

    notes: tuple[str, ...] = ()
    rows: NDArray[np.intp] | None = None
    ids: NDArray[Any] | None = None

    def hardened(self) -> LabelColumns:
        """The same with labels alone: hard ones of memberships, each cut of a dendrogram."""
        labels, memberships = hard_labelings(dict(self))
        found = LabelColumns(labels)
        hardened = [f"{name}: {Hardened.of(one)}" for name, one in memberships.items()]
        found.notes = (*self.notes, *hardened)
        found.rows, found.ids = self.rows, self.ids
        return found


#: the first columns of the rows that ``karat run --labels`` writes
ASSIGNED = ("row", "id", "cluster", "name", "confidence", "unlike", "distance")


@dataclass(frozen=True)
class KnownLabels:
    """Classes of some objects, as :func:`read_labels` returns them.

    Attributes
    ----------
    values : ndarray of object, shape (n,)
        The class of each object, None where it is unknown.
    notes : tuple of str
        What was decided on the way that a reader should know.
    doubts : tuple of str
        Signs in the file that the labelled objects are not a random draw.
    order : tuple of int or None
        The labelled objects in the order of the file, where its column ``row`` names them; that
        is the order of the draw in a file of ``karat sample``.
    """

    values: NDArray[np.object_]
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    order: tuple[int, ...] | None = None


def read_labelings(
    path: str | os.PathLike[str],
    *,
    id_column: str | None = None,
    ids: Any = None,
    drop: tuple[str, ...] | list[str] = (),
    header: bool | None = None,
    wanted: Sequence[str] = (),
) -> LabelColumns:
    r"""Read a table whose columns are clusterings.

    Parameters
    ----------
    path : str or path
        CSV, TSV, Parquet, or NumPy (``.npy`` with one clustering per row or a single one;
        ``.npz`` with one array per clustering: labels (n,), memberships (n, k) whose rows sum to
        1, True and False (n, k) where clusters overlap, or a linkage matrix (n-1, 4)), or
        ``.h5ad``: columns of ``obs`` that are called as clusterings are (``leiden_0.5``). A text
        file of one column may lack the header line; the clustering is then called as the file is.
    id_column : str, optional
        The column that names the objects. By default one that is called so (``id``, ``row``,
        ``customer_id``) and has another value in each row.
    ids : array-like, shape (n,), optional
        The objects of the data set (:attr:`Dataset.ids`). Rows that have ids are put into this
        order, and those of other objects are ignored; without ids there must be one row per
        object, in the same order.
    drop : sequence of str
        Columns that are no clusterings.
    header : bool, optional
        Whether the first line of a text file has the columns' names, as for :func:`read`.
    wanted : sequence of str
        Columns of ``obs`` that are read whatever they are called.

    Returns
    -------
    LabelColumns
        A dict of the labels by the name of the clustering: integers where all of a column's
        labels are whole numbers, else as written. ``-1`` marks outliers. Others are a
        :class:`~karat.labelings.SoftPartition`, :class:`~karat.labelings.OverlappingPartition` or
        :class:`~karat.Dendrogram`.

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
    n = None if ids is None or id_column is not None else len(ids)
    columns, notes = read_columns(file, n=n, header=header, wanted=(id_column, *drop), plain=True)
    structures = structures_in(file)
    drop = (*drop, *no_clusterings(file, columns, wanted))
    for name in (*drop, *([] if id_column is None else [id_column])):
        if name not in columns:
            raise unknown_name(name, columns, "column")
    own_ids = None if id_column is None else columns.pop(id_column)
    for name in drop:
        del columns[name]
    rows = _row_numbers(columns.get("row"))
    named = {}
    if len(columns) + len(structures) > 1:
        for name in joining.id_columns(columns):
            named[name] = columns.pop(name)
            notes.append(f"The column {name!r} names the objects; it is no clustering.")
            if len(columns) + len(structures) == 1:
                break
    if own_ids is None and named and ids is not None:
        id_column = _joined(file, named, ids)
        own_ids = None if id_column is None else named[id_column]
    if not columns and not structures:
        raise InputError(f"{file} has no column with a clustering")
    if own_ids is not None or columns:
        n_rows = len(own_ids if own_ids is not None else next(iter(columns.values())))
    elif ids is not None:
        n_rows = len(ids)
    else:
        first = next(iter(structures.values()))
        n_rows = first.n_objects if isinstance(first, Dendrogram) else len(first.memberships)
    order = None
    if own_ids is not None:
        joining.check_ids(own_ids, f"{file}: {id_column!r}")
        order = None if ids is None else joining.order(own_ids, ids, f"{file}: {id_column!r}")
    elif ids is not None:
        if n_rows != len(ids):
            raise InputError(
                f"{file} has {n_rows:,} rows, but there are {len(ids):,} objects; if a column "
                "names the objects, say which (id_column, --id-column)"
            )
        notes.append(joining.by_row(str(file), ids))
    structures = in_order(file, structures, order, n_rows)
    if order is not None:
        columns = {name: values[order] for name, values in columns.items()}
    _require_labels(columns, file)
    labels = {name: _labels(values) for name, values in columns.items()}
    found = LabelColumns({**labels, **structures})
    found.notes = tuple(notes)
    found.rows = rows if rows is None or order is None else rows[order]
    own = own_ids if own_ids is not None else named.get("id", next(iter(named.values()), None))
    found.ids = own if own is None or order is None else own[order]
    return found


def _joined(file: Path, named: dict[str, NDArray[Any]], ids: Any) -> str | None:
    """The column by which a file is joined to the objects; None where it only counts the rows."""
    wanted = set(map(str, ids))
    for name, values in named.items():
        if wanted.issubset(map(str, values)):
            return name
    for name, values in named.items():
        counts = any(joining.are_positions(values, start) for start in (0, 1))
        if counts and (name == "row" or joining.are_positions(ids)):
            return None
    name, values = next(reversed(named.items()))
    absent = sum(place is None for place in joining.places(values, ids))
    raise joining.mismatch(values, ids, f"{file}: {name!r}", absent)


def read_labels(
    path: str | os.PathLike[str],
    n_objects: int,
    *,
    rows: Any = None,
    ids: Any = None,
    classes: Iterable[Any] = (),
    header: bool | None = None,
) -> KnownLabels:
    r"""Read the known classes of some of the objects.

    Parameters
    ----------
    path : str or path
        A table as ``karat sample`` writes it: the column ``label`` has the class, or nothing
        where it is unknown, of the object in the row of the data that the column ``row`` names
        (from 0); other columns are ignored. Or a table with a column of ids (``id``,
        ``customer_id``) and the classes. Or one class, or empty cell, for each object in order.
        The classes are the column ``label``, or the only one besides the ids.
    n_objects : int
        How many objects there are.
    rows : array-like of int, shape (n_objects,), optional
        Which row of the data each object is. By default all rows are objects.
    ids : array-like, shape (n_objects,), optional
        The names of the objects (:attr:`Dataset.ids`).
    classes : iterable
        The classes, where they are known; with -1 among them it is a class.
    header : bool, optional
        As for :func:`read`.

    Returns
    -------
    KnownLabels

    Raises
    ------
    InputError
        If a row is named that is not there or named twice, or no class is known.

    Notes
    -----
    Labels are read as they are written (``NA`` and ``nan`` are classes). Whole numbers become
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
    columns, notes = read_columns(
        file, n=n_objects, header=header, wanted=("row", "label"), single=True
    )
    named = "row" in columns and "label" in columns
    own = [] if named or len(columns) < 2 else joining.id_columns(columns)
    own = [name for name in own if name not in ("label", "row")]
    rest = [name for name in columns if name not in own]
    if "label" not in columns and len(rest) != 1:
        raise InputError(
            f"{file} has {len(columns)} columns ({quoted(columns)}) and none is called 'label'; "
            "a file of classes has that one, a single column, or one besides the ids"
        )
    given = columns["label" if "label" in columns else rest[0]]
    doubts: list[str] = []
    order = None
    if named:
        given, order = _by_row(file, columns["row"], given, n_objects, rows, notes, doubts)
    elif own and (by := _by_id(file, own[0], columns[own[0]], ids, n_objects)) is not None:
        found = np.full(n_objects, None, dtype=object)
        at = np.array([-1 if place is None else place for place in by], dtype=np.intp)
        found[at >= 0] = np.asarray(given, dtype=object)[at[at >= 0]]
        others = len(given) - int((at >= 0).sum())
        if others:
            notes.append(f"Ignored {others:,} labels of objects that the data do not hold.")
        given = found
    elif len(given) != n_objects:
        raise InputError(
            f"{file} has {len(given):,} labels for {n_objects:,} objects; add a column 'row' with "
            "the number of each labelled object, counted from 0"
        )
    values = known_labels(given, name=str(file), classes=classes)
    if order is not None:
        order = tuple(i for i in order if values[i] is not None)
    return KnownLabels(values, tuple(notes), tuple(doubts), order)


def _by_id(path: Path, name: str, own: NDArray[Any], ids: Any, n: int) -> list[int | None] | None:
    """Which row of the file has each object; None where the ids only count the rows."""
    wanted = range(n) if ids is None else ids
    counts = any(joining.are_positions(own, start) for start in (0, 1))
    if len(own) == n and counts and joining.are_positions(wanted):
        return None
    found = joining.places(own, wanted)
    absent = sum(place is None for place in found)
    if absent == n or (absent and joining.are_positions(wanted)):
        raise joining.mismatch(own, wanted, f"{path}: {name!r}", absent)
    return found


def _by_row(
    path: Path,
    named: NDArray[np.object_],
    labels: NDArray[np.object_],
    n: int,
    rows: Any,
    notes: list[str],
    doubts: list[str],
) -> tuple[NDArray[np.object_], tuple[int, ...]]:
    """The labels in the order of the objects, from their rows, and the objects in file order."""
    numbers = _row_numbers(named)
    if numbers is None:
        value = next(v for v in named if type(v) is not int or v < 0)
        raise InputError(f"{path}: row {value} is not the number of a row, counted from 0")
    if len(set(numbers.tolist())) < len(numbers):
        twice = Counter(numbers.tolist()).most_common(1)[0][0]
        raise InputError(f"{path} labels row {twice} twice")
    place = (
        {row: row for row in range(n)} if rows is None else {int(r): i for i, r in enumerate(rows)}
    )
    known = [value is not None for value in labels]
    absent = [row for row in numbers[known].tolist() if row not in place]
    if absent and (rows is None or len(absent) == sum(known)):
        among = f"0 to {n - 1}" if rows is None else "in the clusterings"
        raise InputError(f"{path}: row {absent[0]} is none of the objects {among}")
    if absent:
        notes.append(f"Ignored {len(absent):,} labels of objects that the clusterings do not hold.")
    last = max((i for i, is_known in enumerate(known) if is_known), default=0)
    holes = [int(numbers[i]) for i in range(last) if not known[i]]
    if holes and (np.diff(numbers) < 0).any():
        some = ", ".join(map(str, holes[:5])) + (", ..." if len(holes) > 5 else "")
        doubts.append(
            f"{len(holes)} objects (row{'s' if len(holes) > 1 else ''} {some}) were skipped "
            "though objects drawn later have a label: what is skipped may be what is hard, so "
            "label them too"
        )
    out = np.full(n, None, dtype=object)
    for row, label in zip(numbers.tolist(), labels, strict=True):
        if row in place:
            out[place[row]] = label
    return out, tuple(place[row] for row in numbers.tolist() if row in place)


def _row_numbers(values: NDArray[Any] | None) -> NDArray[np.intp] | None:
    """Row numbers as integers, None where they are not whole numbers from 0 on."""
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
    """The columns of a file of labels, and notes. ``n`` objects tell whether there is a header.

    With ``plain``, columns of integers are arrays of integers, not of objects, and arrays of two
    dimensions are excluded.
    """
    _files.check_file(path)
    stem, suffix = _files.split_name(path)
    notes: list[str] = []
    with _files.explained(path):
        if suffix in (".npy", ".npz"):
            return numpy_columns(path, stem, suffix, plain), notes
        if suffix in _files.TEXT:
            names = {name for name in wanted if name is not None}
            table = _text(path, stem, suffix, n, header, names, single, notes)
        else:
            table = obs_table(path) if suffix in ANNOTATED else _other(path, suffix)
    table = with_visible_names(table)
    keep = {name for name in wanted if name is not None}
    table = _columns.without_index(table, keep)[0]
    if tuple(table.column_names[: len(ASSIGNED)]) == ASSIGNED:
        # what karat wrote: beside the clusters are the rows of the data
        table = table.select(["row", "id", "cluster"])
    if table.num_columns > 1 and table.column_names[0] in ("", "Unnamed: 0", "rownames"):
        # as pandas and R write the names of the rows
        first = "id" if "id" not in table.column_names else "column1"
        table = table.rename_columns([first, *table.column_names[1:]])
    notes += [
        note
        for name in table.column_names
        if (note := _columns.trimmed(table.column(name), name)) is not None
    ]
    return {
        name: _columns.objects(table.column(name), name, plain=plain) for name in table.column_names
    }, notes


def _other(path: Path, suffix: str) -> pa.Table:
    if suffix not in (".parquet", ".pq"):
        raise InputError(f"{path}: labels are read from CSV, TSV, Parquet, .npy, .npz and .h5ad")
    return _files.read_raw(path, Options()).content


def layout_of(
    path: Path,
    suffix: str,
    header: bool | None,
    wanted: Iterable[str] = (),
    single: bool = False,
) -> _layout.Layout:
    """The layout of a text file of labels: one column unless lines are cut alike.

    Blanks are part of the label in a ``single`` column.
    """
    options: dict[str, Any] = {"header": header, "encoding": "utf-8", "wanted": wanted}
    layout = _layout.look(path, suffix, **options)
    if len(layout.names) == 1 or (single and layout.delimiter == " "):
        return _layout.look(path, ".csv", delimiter=",", **options)
    return layout


def _text(
    path: Path,
    stem: str,
    suffix: str,
    n: int | None,
    header: bool | None,
    wanted: set[str],
    single: bool,
    notes: list[str],
) -> pa.Table:
    """Every column as text; the number of objects decides where the header is a guess."""

    def parsed(header: bool | None) -> tuple[_layout.Layout, pa.Table]:
        layout = layout_of(path, suffix, header, wanted, single)
        _delimited.require_memory(path, layout, len(layout.names))
        names = list(layout.names)
        read = _delimited.read_rows(path, layout, names, as_text=set(names), encoding="utf-8")
        return layout, read[0]

    layout, table = parsed(header)
    sure = False
    if layout.guessed and n is not None:
        sure = table.num_rows == n
        if table.num_rows == (n - 1 if layout.has_header else n + 1):
            layout, table = parsed(not layout.has_header)
            sure = True
    if not sure:
        notes += layout.notes
    if len(layout.names) == 1 and not (layout.has_header and layout.names[0]):
        table = table.rename_columns([stem])
    return table


def _require_labels(columns: dict[str, NDArray[Any]], path: Path) -> None:
    """Reject clusterings without a label somewhere, all in one message."""
    places = []
    for name, values in columns.items():
        if values.dtype.kind in "iu":
            continue
        blank = [row for row, value in enumerate(values) if value is None]
        if blank:
            places.append(
                f"the clustering {name!r} has no label in {len(blank):,} of {len(values):,} "
                f"objects ({row_numbers(blank)})"
            )
    if places:
        more = f"; and {len(places) - 5} more clusterings" if len(places) > 5 else ""
        raise InputError(
            f"{path}: {'; '.join(places[:5])}{more}; write -1 where an object is an outlier, or "
            "exclude what is no clustering"
        )


def _labels(values: NDArray[Any]) -> NDArray[Any]:
    whole = values.dtype.kind in "iu" or all(type(value) is int for value in values)
    return values.astype(np.int64, copy=False) if whole else values
