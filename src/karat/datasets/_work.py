"""What is handed from a reader to the data set: options, raw content, work in progress."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from karat.runtime.validation import InputError, check_choice, unknown_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

Scale: TypeAlias = Literal["auto", "none", "standard", "robust", "minmax"]
DataKind: TypeAlias = Literal["features", "distances", "graph"]
Impute: TypeAlias = Literal["neighbors", "mean", "median", "most-frequent", "drop"]
SCALES: tuple[Scale, ...] = get_args(Scale)
IMPUTES: tuple[Impute, ...] = get_args(Impute)
KINDS: tuple[DataKind, ...] = get_args(DataKind)


@dataclass(frozen=True)
class Options:
    """What the user asked for."""

    label_column: str | None = None
    id_column: str | None = None
    drop: tuple[str, ...] = ()
    scale: Scale = "auto"
    impute: Impute | None = None
    truth: Any = None
    strict: bool = False
    accept: tuple[str, ...] = ()
    na_values: tuple[str, ...] = ()
    kind: DataKind | None = None

    def __post_init__(self) -> None:
        if self.kind is not None:
            check_choice(self.kind, KINDS, "kind")
        check_choice(self.scale, SCALES, "scale")
        if self.impute is not None:
            check_choice(self.impute, IMPUTES, "impute")
        if self.label_column is not None and self.truth is not None:
            raise InputError("the classes come from label_column or from truth; give one of them")
        if self.label_column is not None and self.label_column == self.id_column:
            raise InputError(f"column {self.label_column!r} cannot be both the label and the id")
        for role in ("label_column", "id_column"):
            if getattr(self, role) in self.drop:
                raise InputError(
                    f"column {getattr(self, role)!r} is both {role} and dropped; choose one"
                )

    @classmethod
    def of(cls, drop: Iterable[str] | str, **given: Any) -> Options:
        """Options, where lists of names may be one name."""
        for name in ("accept", "na_values"):
            given[name] = as_names(given.get(name, ()))
        return cls(drop=as_names(drop), **given)

    def given(self) -> dict[str, Any]:
        """The options that are not the default, so that they can be shown and given again."""
        chosen = {
            name: getattr(self, name)
            for name in (
                "label_column",
                "id_column",
                "drop",
                "scale",
                "impute",
                "strict",
                "accept",
                "na_values",
                "kind",
            )
            if getattr(self, name) != getattr(type(self), name)
        }
        if isinstance(self.truth, str):
            chosen["truth"] = self.truth
        return chosen

    def columns(self) -> list[str]:
        """Every column that was named."""
        named = (self.label_column, self.id_column, *self.drop)
        return [name for name in named if name is not None]

    def check_columns(self, names: Iterable[str]) -> None:
        """Raise unless every column that was named is there."""
        known = list(names)
        for name in self.columns():
            if name not in known:
                raise unknown_name(name, known, "column")


def as_names(given: Iterable[str] | str) -> tuple[str, ...]:
    """One name or several as a tuple."""
    return (given,) if isinstance(given, str) else tuple(str(name) for name in given)


@dataclass
class Raw:
    """What was read, before anything is decided.

    Attributes
    ----------
    name, source : str
    content : Arrow table, ndarray of shape (n, d), or csr_array
    names : tuple of str, optional
        Columns of an array; of a table, those that the source has, read or not.
    beside : mapping of str to ndarray
        One-dimensional arrays that lie beside an array (in an NPZ file).
    notes : list of str
    options : mapping
        Options of the reader, to be recorded.
    owned : bool
        Whether ``content`` may be written to.
    ragged : ndarray of bool, shape (n,), optional
        Rows without values, because their lines have too few or too many cells.
    all_names : tuple of str, optional
        Of an array that was made of a table: all columns of that.
    findings : list of Finding
    ids : ndarray, optional
        Names of the objects, where the source has them beside its columns.
    of_terms : bool
        Whether the columns are terms: a namespace of their own, which no option names.
    """

    name: str
    source: str | None
    content: Any
    names: tuple[str, ...] | None = None
    beside: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    options: Mapping[str, Any] = field(default_factory=dict)
    owned: bool = False
    ragged: NDArray[np.bool_] | None = None
    all_names: tuple[str, ...] | None = None
    findings: list[Any] = field(default_factory=list)
    ids: NDArray[Any] | None = None
    of_terms: bool = False


@dataclass
class Work:
    """The data set in the making; ``origin`` maps each feature to its source column."""

    X: Any
    names: tuple[str, ...]
    origin: NDArray[np.intp]
    columns: tuple[str, ...]
    categorical: NDArray[np.bool_]
    ids: NDArray[Any] | None
    labels: NDArray[np.object_] | None
    notes: list[str]
    owned: bool
    rows: NDArray[np.intp] | None = None  # where not all are left
    filler: Any = None  # what filled missing values

    @property
    def sparse(self) -> bool:
        return not isinstance(self.X, np.ndarray)

    def row_numbers(self, rows: Iterable[int]) -> str:
        """:func:`row_numbers` of the source, for rows of what is left."""
        return row_numbers(rows if self.rows is None else self.rows[list(rows)].tolist())

    def keep_features(self, keep: NDArray[np.bool_]) -> None:
        self.X = self.X[:, keep] if self.sparse else np.ascontiguousarray(self.X[:, keep])
        self.names = tuple(name for name, kept in zip(self.names, keep, strict=True) if kept)
        self.origin, self.categorical = self.origin[keep], self.categorical[keep]
        self.owned = True

    def keep_objects(self, keep: NDArray[np.bool_]) -> None:
        self.rows = np.flatnonzero(keep) if self.rows is None else self.rows[keep]
        self.X = self.X[keep]
        self.ids = None if self.ids is None else self.ids[keep]
        self.labels = None if self.labels is None else self.labels[keep]
        self.owned = True


def visible(name: str) -> str:
    """A name without characters that move or colour a terminal."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "\ufffd", name)


def check_names(names: Iterable[str]) -> None:
    """Raise where two columns have the same name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(f"two columns are called {twice[0]!r}; rename one")


def with_visible_names(table: Any) -> Any:
    """An Arrow table whose columns have different names that can be shown; metadata are kept."""
    named = table.rename_columns([visible(name) for name in table.column_names])
    check_names(named.column_names)
    return named.replace_schema_metadata(table.schema.metadata)


def row_numbers(rows: Iterable[int], most: int = 3) -> str:
    """``rows 1, 2, 5``: counted from 1, the first few."""
    rows = list(rows)
    listed = ", ".join(str(row + 1) for row in rows[:most]) + (", ..." if len(rows) > most else "")
    return f"row{'s' if len(rows) > 1 else ''} {listed}"


def quoted(names: Iterable[str], most: int = 8) -> str:
    """The first few names in quotes."""
    names = list(names)
    return ", ".join(map(repr, names[:most])) + (", ..." if len(names) > most else "")
