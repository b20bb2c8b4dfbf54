"""What is handed from a reader to the data set: options, raw content, work in progress."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias, TypedDict, get_args

import numpy as np
from numpy.typing import NDArray

from karat.runtime.validation import InputError, check_choice, unknown_name

Scale: TypeAlias = Literal["auto", "none", "standard", "robust", "minmax"]
DataKind: TypeAlias = Literal["features", "distances", "graph"]
Impute: TypeAlias = Literal["neighbors", "median", "drop"]
SCALES: tuple[Scale, ...] = get_args(Scale)
IMPUTES: tuple[Impute, ...] = get_args(Impute)
KINDS: tuple[DataKind, ...] = get_args(DataKind)
#: share of the cells of a column that are taken for mistakes
MISTAKES = 0.1


class FileOptions(TypedDict, total=False):
    """How a file is written, and how its texts become numbers; see :func:`karat.datasets.read`."""

    na_values: Iterable[str] | str
    kind: DataKind | None
    header: bool | None
    encoding: str
    text_column: str | None
    messages: bool | None
    terms: str | os.PathLike[str] | None
    vectorizer: Any


@dataclass(frozen=True)
class Options:
    """What the user asked for; names as for :func:`karat.datasets.read`."""

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
    header: bool | None = None
    encoding: str = "utf-8"
    text_column: str | None = None
    messages: bool | None = None
    terms: str | None = None
    vectorizer: Any = None

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
    def of(cls, **given: Any) -> Options:
        """Options, where lists of names may be one name, and files paths."""
        for name in ("drop", "accept", "na_values"):
            names = given.get(name, ())
            given[name] = (names,) if isinstance(names, str) else tuple(map(str, names))
        for name in ("truth", "terms"):
            if isinstance(given.get(name), os.PathLike):
                given[name] = os.fspath(given[name])
        return cls(**given)

    def given(self) -> dict[str, Any]:
        """The options that are not the default, so that they can be shown and given again."""
        names = [field.name for field in fields(self)]
        if not isinstance(self.truth, str):
            names.remove("truth")
        chosen = {name: getattr(self, name) for name in names}
        return {name: value for name, value in chosen.items() if value != getattr(Options, name)}

    @property
    def wrong(self) -> float:
        """The share of cells up to which text among numbers is a mistake, not a category."""
        return 0.5 if self.strict else MISTAKES

    def accepts(self, key: str) -> bool:
        """Whether columns are taken as written where there might be a finding of this kind."""
        return self.strict or key in self.accept

    def missing(self, name: str) -> frozenset[str]:
        """The additional marks of one column: ``-9`` holds for all, ``age:0`` for one."""
        own = [given.partition(":") for given in self.na_values]
        return frozenset(
            (value if colon else column).strip().lower()
            for column, colon, value in own
            if not colon or column == name
        )

    def columns(self) -> list[str]:
        """Every column that was named."""
        named = (self.label_column, self.id_column, *self.drop)
        return [name for name in named if name is not None]

    def check_columns(self, names: Iterable[str]) -> None:
        """Raise unless every column that was named is there."""
        known = list(names)
        marked = [one.partition(":")[0] for one in self.na_values if ":" in one]
        for name in (*self.columns(), *marked):
            if name not in known:
                raise unknown_name(name, known, "column")


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
    owned : bool
        Whether ``content`` may be written to.
    ragged : ndarray of bool, shape (n,), optional
        Rows without values, because their lines have too few or too many cells.
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
    owned: bool = False
    ragged: NDArray[np.bool_] | None = None
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
    notes: list[str]
    owned: bool
    ids: NDArray[Any] | None = None
    labels: NDArray[np.object_] | None = None
    rows: NDArray[np.intp] | None = None  # where not all are left
    filler: Any = None  # what filled missing values

    @property
    def sparse(self) -> bool:
        return not isinstance(self.X, np.ndarray)

    def row_numbers(self, rows: Iterable[int]) -> str:
        """:func:`row_numbers` of the source, for rows of what is left."""
        return row_numbers(rows if self.rows is None else self.rows[list(rows)].tolist())

    def own(self) -> None:
        """Make ``X`` one that may be written to."""
        if not self.owned:
            self.X, self.owned = np.array(self.X), True

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
    name, count = Counter(names).most_common(1)[0]
    for name, count in Counter(names).most_common(1):
        if count > 1:
            raise InputError(f"two columns are called {name!r}; rename one")


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
