"""Files of clusterings and of classes."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sortal.datasets.labels import drawn_rows
from sortal.datasets.labels.drawn_rows import Draw, Listing
from sortal.datasets.labels.label_columns import read_columns, studio_columns
from sortal.datasets.prepared.dataset import rows_of
from sortal.datasets.values.names_and_ids import quoted, row_numbers
from sortal.datasets.values.reading_options import ReadingOptions
from sortal.labelings.labels import is_unreadable, known_labels, none_note
from sortal.labelings.row_join import (
    ROW,
    JoinedSides,
    RowJoin,
    Rows,
    check_key,
    check_unnamed,
    join_rows,
)
from sortal.labelings.row_values import SCORES, as_list, is_typical_name, names_rows
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from collections.abc import Collection

    import pandas as pd
    from numpy.typing import NDArray

    from sortal.datasets.prepared.dataset import Dataset
    from sortal.datasets.prepared.pipeline import ClassReader
    from sortal.datasets.values.names_and_ids import Ids
    from sortal.typing import Bools


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
    named : Rows
        The rows of the file, and its columns that may name them; of the objects if it is joined.
    join : RowJoin or None
        Row of the file of each object, and how it was decided.
    """

    notes: tuple[str, ...] = ()
    rows: NDArray[np.intp] | None = None
    ids: NDArray[Any] | None = None
    named: Rows | None = None
    join: RowJoin | None = None

    def of(self, objects: Dataset | Rows | Ids) -> LabelColumns:
        """These clusterings in the order of some objects, unless they were read for a data set.

        Raises
        ------
        InputError
            As for :func:`read_labelings`.
        """
        if self.join is not None or self.named is None:
            return self
        join = join_rows(rows_of(objects), self.named, on="left", mend=_LABEL_ALL)
        naming = _naming(self, self.named, join.keys)
        names = [name for name in self if name not in naming]
        joined = LabelColumns({name: self[name][join.places] for name in names})
        joined.notes, joined.named, joined.join = (*self.notes, *join.notes), self.named, join
        return joined

    def known(
        self,
        path: str | os.PathLike[str],
        *,
        id_column: str | None = None,
        on: Literal["same", "inner"] = "same",
        classes: Collection[Any] = (),
        unreadable: Iterable[int] = (),
        in_order: bool = False,
    ) -> KnownLabels:
        """Known classes of these objects, as :func:`read_labels` reads them.

        Parameters
        ----------
        path, id_column, on, classes, unreadable
            As for :func:`read_labels`.
        in_order : bool, default False
            Whether the objects are the rows of the data in their order, if neither a column
            ``row`` nor ids say it.

        Raises
        ------
        InputError
            As for :func:`read_labels`; or if nothing says which objects are labelled.
        """
        labels = read_labels(
            path, self, id_column=id_column, on=on, classes=classes, unreadable=unreadable
        )
        by_number = labels.join is not None and labels.join.key == ROW and self.rows is None
        if by_number and not in_order:
            raise InputError(
                f"{path} names the rows of the data by number, and the clusterings have neither "
                "the column 'row' nor one that names the objects, so they may have been sorted "
                "since. Add one of them (sortal run --labels writes 'row'), or say --in-order "
                "(in_order) if their rows are those of the data, in the same order"
            )
        return labels


#: what can be done about objects that a file of clusterings lacks
_LABEL_ALL = (
    "label these too, with -1 for objects in no cluster (--on inner leaves out labels, not objects)"
)


@dataclass(frozen=True)
class KnownLabels:
    """Classes of some objects, as :func:`read_labels` returns them.

    Attributes
    ----------
    values : ndarray of object, shape (n,)
        Class of each object, None where unknown.
    notes : tuple of str
        Decisions about the format of the file.
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
    join : RowJoin
        Row of the file of each object, and how it was decided.
    skipped : tuple of int
        For each object of ``order``, how many objects without a label were drawn before it: rows
        that are blank, deleted, or no objects any more. Empty if there is none.
    draw : Draw
        What the file says about the draw, and which of its cells are as they were drawn.
    """

    values: NDArray[np.object_]
    notes: tuple[str, ...] = ()
    order: tuple[int, ...] | None = None
    taught: tuple[int, ...] = ()
    unlabelled: tuple[int, ...] = ()
    column: str = ""
    join: RowJoin | None = None
    skipped: tuple[int, ...] = ()
    draw: Draw = field(default_factory=Draw, repr=False)

    def verified(self, cells: pd.DataFrame, rows: NDArray[np.intp] | None = None) -> KnownLabels:
        """The same, with a note that the labelled rows are unchanged in the data.

        Parameters
        ----------
        cells : DataFrame
            The data, as :func:`read_cells` returns them.
        rows : ndarray of int, optional
            Row of the data of each object. By default all rows are objects.

        Raises
        ------
        InputError
            If a row of the draw was changed since.
        """
        return replace(self, notes=(*self.notes, *self.draw.verified_in(cells, rows)))


def read_labelings(
    path: str | os.PathLike[str],
    *,
    id_column: str | None = None,
    ids: Dataset | Rows | Ids | None = None,
    header: bool | None = None,
    on: Literal["left", "both"] = "left",
) -> LabelColumns:
    r"""Read a table whose columns are clusterings.

    Parameters
    ----------
    path : str or path
        CSV, TSV, Parquet, ``.npy`` (a clustering, or one per row), ``.npz`` (an array per
        clustering), or ``.h5ad`` (columns of ``obs`` with names such as ``leiden_0.5``). A text
        file of one column may lack the header line; the clustering then has the file's name.
    id_column : str, optional
        The column that names the objects. By default any column that the data set has too, under
        the same name, and whose values differ from row to row and match.
    ids : Dataset, or array-like, shape (n,), optional
        The data set, or the ids of its objects. Rows are put into its order, and rows of other
        objects are ignored. Rows are taken in order only where no column of the file names them.
    header : bool, optional
        Whether the first line of a text file has the columns' names, as for :func:`read`.
    on : {"left", "both"}
        Whether rows of other objects are ignored or an error.

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
    >>> import pathlib, tempfile, sortal.datasets
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "mine.csv")
    ...     _ = path.write_text("name,k2,k3\nb,0,0\na,1,2\n")
    ...     sortal.datasets.read_labelings(path, id_column="name", ids=["a", "b"])
    {'k2': array([1, 0]), 'k3': array([2, 0])}
    """
    file = Path(path)
    left = None if ids is None else rows_of(ids, key=id_column)
    n = None if left is None or id_column is not None else left.n
    columns, notes, written = read_columns(
        file, n=n, header=header, wanted=(id_column,), plain=True
    )
    right = Rows(str(file), _n_rows(written), written)
    join = None
    if left is not None:
        key = _said(id_column, left, right)
        join = join_rows(left, right, key=key, on=on, mend=_LABEL_ALL if on == "left" else "")
    elif id_column is not None:
        check_key(right, id_column)
    naming = _naming(columns, right, {id_column} if join is None else join.keys, id_column)
    named = {name: columns[name] for name in naming}
    labels = {name: values for name, values in columns.items() if name not in named}
    if not labels:
        raise InputError(f"{file} has no column with a clustering")
    rows = _row_numbers(columns.get(ROW))
    first = [id_column, None if join is None else join.key, "id"]
    best = sorted(named, key=lambda name: first.index(name) if name in first else len(first))
    file_ids = named[best[0]] if best else None
    if join is not None and not join.is_in_order:
        labels = {name: values[join.places] for name, values in labels.items()}
        rows = None if rows is None else rows[join.places]
        file_ids = None if file_ids is None else file_ids[join.places]
    labelings = LabelColumns(_checked_labels(labels, file))
    how = [f"The column {name!r} names the objects; it is not a clustering." for name in named]
    labelings.notes = (*notes, *(how if join is None else join.notes))
    labelings.rows, labelings.ids = rows, file_ids
    labelings.named, labelings.join = (right if left is None else left), join
    return labelings


def read_joined(
    paths: Sequence[Path],
    *,
    id_column: str | None = None,
    on: Literal["same", "inner"] = "same",
    header: bool | None = None,
) -> tuple[dict[Path, LabelColumns], dict[Path, int]]:
    """Labelings of several files about the same objects, and the rows ignored of each.

    The objects are in the order of the first file.
    """
    tables = {
        path: read_columns(path, n=None, header=header, wanted=(id_column,), plain=True)
        for path in paths
    }
    rows = {path: Rows(str(path), _n_rows(table[2]), table[2]) for path, table in tables.items()}
    left, *others = rows.values()
    sides: JoinedSides = "inner" if on == "inner" else "both"
    joins = {right.name: join_rows(left, right, key=id_column, on=sides) for right in others}
    is_common = np.ones(left.n, dtype=bool)
    for join in joins.values():
        is_common &= join.places >= 0
    for right in others:
        if joins[right.name].by_position:
            check_unnamed(left, right)
    left_keys = {id_column, *(name for join in joins.values() for name in join.left_keys)}
    labelings, ignored = {}, {}
    for path, (columns, notes, _) in tables.items():
        of_file = joins.get(str(path))
        places = np.flatnonzero(is_common) if of_file is None else of_file.places[is_common]
        keys = left_keys if of_file is None else of_file.keys
        naming = _naming(columns, rows[path], keys, id_column)
        labels = {name: values[places] for name, values in columns.items() if name not in naming}
        if not labels:
            raise InputError(f"{path} has no column with a clustering")
        labelings[path] = LabelColumns(_checked_labels(labels, path))
        labelings[path].notes = (*notes, *(() if of_file is None else of_file.notes))
        ignored[path] = rows[path].n - len(places)
    return labelings, ignored


def _n_rows(columns: Mapping[str, Any]) -> int:
    """Number of rows of a table."""
    return len(next(iter(columns.values()), ()))


def _said(id_column: str | None, left: Rows, right: Rows) -> str | None:
    """The key that the user names; None for a file that has none, or the rows of the data."""
    if id_column in right.columns or not left.is_data:
        return id_column
    return None if ROW in right.columns or len(right.columns) < 2 else id_column


def _naming(
    columns: Mapping[str, Any], rows: Rows, keys: Container[str | None], said: str | None = None
) -> list[str]:
    """Columns of a file that name its rows; the others are labels, at least one."""
    naming = [name for name in columns if name in keys]
    if said is None and len(naming) == len(columns):  # one is a clustering
        naming = [name for name in naming if is_typical_name(name)]
    more = [n for n in columns if n not in naming and names_rows(n, rows.columns[n])]
    return naming + more if len(naming) + len(more) < len(columns) else naming


def read_labels(
    path: str | os.PathLike[str],
    objects: int | Dataset | LabelColumns | Rows,
    *,
    rows: Iterable[int] | None = None,
    ids: Ids | None = None,
    id_column: str | None = None,
    on: Literal["same", "inner"] = "same",
    classes: Collection[Any] = (),
    header: bool | None = None,
    unreadable: Iterable[int] = (),
    is_subset: bool = False,
) -> KnownLabels:
    r"""Read the known classes of some of the objects.

    Parameters
    ----------
    path : str or path
        One of four formats:

        - a table of ``sortal sample``: ``row`` is the row in the data (from 0), ``label`` the class
          or empty; ``draw`` and ``check`` are verified
        - a table with the classes and any column that names the objects in the data too
        - an export of Label Studio (``.json``) of what ``sortal label --export`` wrote
        - one class, or empty cell, for each object in order

        The classes are the column ``label``, or the only one that does not name the objects.
    objects : int, Dataset or LabelColumns
        The objects, or their number.
    rows : array-like of int, shape (n_objects,), optional
        Row of the data of each object, if only the number of objects is given. By default all
        rows are objects.
    ids : array-like, shape (n_objects,), optional
        The names of the objects, if only their number is given.
    id_column : str, optional
        The column that names the objects, if several do.
    on : {"same", "inner"}
        ``"inner"`` ignores labels of other objects.
    classes : collection
        The classes, if known; -1 is a class if it is among them.
    header : bool, optional
        As for :func:`read`.
    unreadable : iterable of int
        Numbers in the draw of rows without a label, for a reason that cannot depend on the class.
        The label ``unreadable`` says the same.
    is_subset : bool, default False
        Whether the objects are some of the rows, chosen without a look at the labels. Otherwise a
        drawn row of the file that is no object is one that was skipped.

    Raises
    ------
    InputError
        If a row does not exist, is repeated or was changed since the draw, or no class is known.

    Notes
    -----
    Labels are read as written (``NA`` and ``none`` are classes; ``nan`` is an unknown one). Whole
    numbers become integers, and ``-1`` marks an unknown class where no cell is empty.

    Examples
    --------
    >>> import pathlib, tempfile, sortal.datasets
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "few.csv")
    ...     _ = path.write_text("row,label\n2,NA\n0,b\n")
    ...     sortal.datasets.read_labels(path, 4).values
    array(['b', None, 'NA', None], dtype=object)
    """
    left = _labelled_rows(objects, rows, ids, id_column)
    file = _ClassFile.read(Path(path), left.n, header, id_column)
    join = file.joined(left, id_column, on)
    column = file.label_column(join)
    labels = file.listing.columns[column].copy()
    excused = [row for row, label in enumerate(labels) if is_unreadable(label, classes)]
    labels[excused] = None
    row_of = {i: None if row < 0 else row for i, row in enumerate(join.places.tolist())}
    listed = [None if row is None else labels[row] for row in row_of.values()]
    values = known_labels(np.array(listed, dtype=object), name=file.name, classes=classes)
    draw = Draw.of(file.listing, row_of, [*unreadable], excused)
    sorting = [drawn_rows.unknown_order(file.sorted_by)] if file.sorted_by else []
    notes = (*file.notes, *join.notes, *sorting, *none_note(values))
    labelled = KnownLabels(values, notes, column=column, join=join, draw=draw)
    if not file.is_ordered:
        return labelled
    order, taught = _drawn(values, row_of, file.listing.is_drawn)
    in_file = join.left_rows[np.argsort(join.right_rows, kind="stable")].tolist()
    return replace(
        labelled,
        order=order,
        taught=taught,
        unlabelled=tuple(
            i for i in in_file if file.has_rows and values[i] is None and draw.is_readable(i)
        ),
        skipped=draw.skipped(order, is_subset=is_subset),
    )


@dataclass(frozen=True)
class _ClassFile:
    """A file of classes: its rows in the order of the draw, and their cells as written."""

    name: str
    listing: Listing
    written: Mapping[str, Any]
    notes: Sequence[str]

    @classmethod
    def read(cls, path: Path, n: int, header: bool | None, id_column: str | None) -> _ClassFile:
        """A table about ``n`` objects, or an export of Label Studio."""
        notes: list[str] = []
        if path.suffix.lower() == ".json":
            columns: dict[str, Any] = studio_columns(path)
            written = dict(columns)
            listing = replace(drawn_rows.listing(columns, path), size=None)  # annotated tasks only
        else:
            wanted = (ROW, "label", id_column)
            columns, notes, written = read_columns(
                path, n=n, header=header, wanted=wanted, single=True
            )
            listing = drawn_rows.listing(columns, path)
        cells = {
            name: np.array(as_list(values), dtype=object)[listing.order]
            for name, values in written.items()
            if name in listing.columns
        }
        return cls(str(path), listing, cells, notes)

    @property
    def rows(self) -> Rows:
        """The rows, with all columns that may name them."""
        return Rows(self.name, _n_rows(self.written), self.written)

    @property
    def has_rows(self) -> bool:
        """Whether the file numbers the rows of the data."""
        columns = self.listing.columns
        return "label" in columns and _row_numbers(columns.get(ROW)) is not None

    @property
    def sorted_by(self) -> str:
        """Column by which the rows were sorted, so that their order is not that of the draw."""
        if self.listing.numbers is not None or not self.has_rows:
            return ""
        return drawn_rows.sorted_by(self.listing.columns)

    @property
    def is_ordered(self) -> bool:
        """Whether the rows are in the order of the draw."""
        return self.listing.numbers is not None or (self.has_rows and not self.sorted_by)

    def joined(self, left: Rows, id_column: str | None, on: Literal["same", "inner"]) -> RowJoin:
        """Row of the file of each object; a single column has labels, which name no row."""
        columns = self.listing.columns
        right = self.rows.without(columns if len(columns) < 2 else {"label"} - {id_column})
        sides: JoinedSides = "inner" if on == "inner" else "right"
        return join_rows(left, right, key=_said(id_column, left, right), on=sides)

    def label_column(self, join: RowJoin) -> str:
        """Name of the column with the classes."""
        columns = self.listing.columns
        if "label" in columns:
            return "label"
        naming = {*_naming(columns, self.rows, join.keys), ROW, *SCORES}
        names = [name for name in columns if name not in naming]
        if len(names) != 1:
            raise InputError(
                f"{self.name} has {len(columns)} columns ({quoted(columns)}) and none is called "
                "'label'; a file of classes has this column, a single column, or one besides the "
                "ids"
            )
        return names[0]


def classes_of_file(options: ReadingOptions) -> ClassReader | None:
    """What reads the file of classes that options name; None if they name none."""
    if not isinstance(options.y, str):
        return None

    def classes(rows: Rows) -> tuple[NDArray[np.object_], str, list[str]]:
        labels = read_labels(options.y, rows, id_column=options.id_column, on=options.on)
        return labels.values, labels.column, [*labels.notes]

    return classes


def _labelled_rows(
    objects: int | Dataset | LabelColumns | Rows,
    rows: Iterable[int] | None,
    ids: Ids | None,
    id_column: str | None,
) -> Rows:
    """The rows of the objects that may have a label."""
    if isinstance(objects, LabelColumns):
        assert objects.named is not None
        return objects.named
    if not isinstance(objects, (int, np.integer)):
        return rows_of(objects, key=id_column)
    named = Rows("the data", int(objects)) if ids is None else rows_of(ids, key=id_column)
    if named.n != objects:
        raise InputError(f"there are {named.n} ids, but {objects} objects")
    numbers = None if rows is None else np.array(list(rows), dtype=np.intp)
    return replace(named, numbers=numbers)


def _drawn(
    values: NDArray[np.object_], row_of: Mapping[int, int | None], is_drawn: Bools | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Labelled objects in the order of the draw, and those that were not drawn."""
    labelled = [(row, i) for i, row in row_of.items() if row is not None and values[i] is not None]
    order = [i for row, i in sorted(labelled) if is_drawn is None or is_drawn[row]]
    return tuple(order), tuple(i for _, i in sorted(labelled) if i not in set(order))


def _row_numbers(values: NDArray[Any] | None) -> NDArray[np.intp] | None:
    """Row numbers as integers; None unless they are whole numbers from 0 on."""
    if values is not None and values.dtype.kind in "iu":
        return values.astype(np.intp) if values.min() >= 0 else None
    if values is None or any(type(value) is not int or value < 0 for value in values):
        return None
    return values.astype(np.intp)


def _checked_labels(columns: Mapping[str, NDArray[Any]], path: Path) -> dict[str, NDArray[Any]]:
    """Labels as integers where all are whole numbers; raises once for all that are missing."""
    places = []
    for name, values in columns.items():
        is_whole = values.dtype.kind in "iu"
        unlabelled = () if is_whole else [row for row, value in enumerate(values) if value is None]
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
    return {name: _integers(values) for name, values in columns.items()}


def _integers(values: NDArray[Any]) -> NDArray[Any]:
    """Labels as integers where all are whole numbers, else as written."""
    is_whole = values.dtype.kind in "iu" or all(type(value) is int for value in values)
    return values.astype(np.int64, copy=False) if is_whole else values
