"""Data sets of tables and arrays in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sortal.datasets.labels.labelings import classes_of_file
from sortal.datasets.prepared.dataset import Dataset
from sortal.datasets.prepared.pipeline import index_ids, prepare
from sortal.datasets.values import names_and_ids
from sortal.datasets.values.column_arrays import to_arrow
from sortal.datasets.values.drafts import RawData
from sortal.datasets.values.reading_options import Impute, ReadingOptions, Scale

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.datasets.values.column_arrays import Table
    from sortal.datasets.values.names_and_ids import Ids
    from sortal.typing import ArrayLike, Labels


def from_table(
    table: Table,
    *,
    label_column: str | None = None,
    id_column: str | None = None,
    drop: Iterable[str] | str = (),
    scale: Scale = "auto",
    impute: Impute | None = None,
    y: Labels | str | os.PathLike[str] | None = None,
    strict: bool = False,
    accept: Iterable[str] | str = (),
    name: str = "data",
) -> Dataset:
    """Make a data set of a pandas, polars or Arrow table.

    Parameters
    ----------
    table : DataFrame, Arrow table, or mapping of str to columns
        One row per object. A pandas index is the ids unless it only counts the rows.
    label_column, id_column, drop, scale, impute, y, strict, accept
        As for :func:`read`.
    name : str
        Name of the data set.

    Raises
    ------
    InputError
        As for :func:`read`.

    Examples
    --------
    >>> import sortal.datasets
    >>> table = {"size": [1.0, 2.0, 4.0, 4.5], "colour": ["red", "red", "blue", "blue"]}
    >>> fruit = sortal.datasets.from_table(table, name="fruit")
    >>> fruit.feature_names
    ('size', 'colour=blue', 'colour=red')
    >>> print(fruit)
    fruit: 4 objects, 3 features
      'colour' became 2 columns of 0 and 1, one per value (blue, red).
      Scaled to mean 0 and standard deviation 1.
      Columns of 0 and 1 that stand for categories are 0 and 0.5, because numbers stand beside them.
    """
    options = ReadingOptions.of(
        label_column=label_column, id_column=id_column, drop=drop, scale=scale, impute=impute,
        y=y, strict=strict, accept=accept,
    )  # fmt: skip
    ids = None if id_column is not None else _pandas_ids(table)
    raw = RawData(name, None, to_arrow(table, id_column))
    return prepare(raw, options, ids=ids, classes=classes_of_file(options))


def from_array(
    X: ArrayLike,
    *,
    y: Labels | None = None,
    ids: Ids | None = None,
    feature_names: Iterable[str] | None = None,
    scale: Scale = "none",
    impute: Impute | None = None,
    name: str = "data",
) -> Dataset:
    """Make a data set of an array or a sparse matrix.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        Objects in rows. float32 stays float32, sparse stays sparse; a C-contiguous float array is
        not copied unless it is scaled or imputed, and never written to.
    y : array-like, shape (n,), optional
        Class of each object; None, NaN or -1 where unknown.
    ids : array-like, shape (n,), optional
        Names of the objects.
    feature_names : iterable of str, optional
        By default ``x1 .. xd``.
    scale, impute
        As for :func:`read`.
    name : str
        Name of the data set.

    Raises
    ------
    InputError
        As for :func:`read`.

    Examples
    --------
    >>> import sortal.datasets
    >>> sortal.datasets.from_array([[0, 1], [2, 5]], scale="minmax").X
    array([[0., 0.],
           [1., 1.]])
    """
    options = ReadingOptions.of(scale=scale, impute=impute, y=y)
    names = _column_names(X) if feature_names is None else tuple(map(str, feature_names))
    raw = RawData(name, None, X, names=names)
    ids = _pandas_ids(X) if ids is None else ids
    return prepare(raw, options, ids=ids, classes=classes_of_file(options))


def _pandas_ids(table: object) -> NDArray[Any] | None:
    """Ids in a pandas index; None where it counts or groups the rows."""
    ids = index_ids(table)
    return None if ids is None or not names_and_ids.all_different(ids) else ids


def _column_names(X: object) -> tuple[str, ...] | None:
    """Names of a table's columns; None unless they are distinct texts."""
    columns = getattr(X, "columns", ())
    names = tuple(columns) if getattr(X, "ndim", 0) == 2 else ()
    are_distinct = all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
    return names if names and are_distinct else None
