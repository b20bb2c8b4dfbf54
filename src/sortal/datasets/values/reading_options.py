"""Options of the readers, and the problems of a file that they settle."""

from __future__ import annotations

import csv
import io
import os
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, TypedDict, get_args

from sortal.datasets.values.limits import LIMITS
from sortal.runtime.validation import InputError, check_choice, unknown_name

Scale: TypeAlias = Literal["auto", "none", "standard", "robust", "minmax"]
DataKind: TypeAlias = Literal["features", "distances", "graph"]
Impute: TypeAlias = Literal["neighbors", "median", "drop"]
DecimalMark: TypeAlias = Literal[".", ","]
SCALES: tuple[Scale, ...] = get_args(Scale)
IMPUTES: tuple[Impute, ...] = get_args(Impute)
DATA_KINDS: tuple[DataKind, ...] = get_args(DataKind)


class FileOptions(TypedDict, total=False):
    """Format of a file, and vectorization of its texts; see :func:`sortal.datasets.read`."""

    na_values: Iterable[str] | str
    on: Literal["same", "inner"]
    decimal: DecimalMark | None
    one_row_per: str | None
    pivot: str | None
    series: bool
    kind: DataKind | None
    header: bool | None
    encoding: str
    text_column: str | None
    messages: bool | None
    terms: str | os.PathLike[str] | None
    vectorizer: Any


@dataclass(frozen=True)
class ReadingOptions:
    """User's options; names as for :func:`sortal.datasets.read`."""

    label_column: str | None = None
    id_column: str | None = None
    drop: tuple[str, ...] = ()
    scale: Scale = "auto"
    impute: Impute | None = None
    y: Any = None
    on: Literal["same", "inner"] = "same"
    strict: bool = False
    accept: tuple[str, ...] = ()
    na_values: tuple[str, ...] = ()
    decimal: DecimalMark | None = None
    one_row_per: str | None = None
    pivot: str | None = None
    series: bool = False
    kind: DataKind | None = None
    header: bool | None = None
    encoding: str = "utf-8"
    text_column: str | None = None
    messages: bool | None = None
    terms: str | None = None
    vectorizer: Any = None

    def __post_init__(self) -> None:
        if self.kind is not None:
            check_choice(self.kind, DATA_KINDS, "kind")
        check_choice(self.on, ("same", "inner"), "on")
        if self.decimal is not None:
            check_choice(self.decimal, get_args(DecimalMark), "decimal")
        check_choice(self.scale, SCALES, "scale")
        if self.impute is not None:
            check_choice(self.impute, IMPUTES, "impute")
        shapes = {"one_row_per": self.one_row_per, "pivot": self.pivot, "series": self.series}
        chosen = [name for name, value in shapes.items() if value]
        if len(chosen) > 1:
            raise InputError(f"{' and '.join(chosen)} each make one row per object; choose one")
        if self.label_column is not None and self.y is not None:
            raise InputError("the classes come from label_column or from truth; give one of them")
        if self.label_column is not None and self.label_column == self.id_column:
            raise InputError(f"column {self.label_column!r} cannot be both the label and the id")
        for role in ("label_column", "id_column"):
            if getattr(self, role) in self.drop:
                raise InputError(
                    f"column {getattr(self, role)!r} is both {role} and dropped; choose one"
                )

    @classmethod
    def of(cls, **arguments: Any) -> ReadingOptions:
        """Options of arguments, where lists may be single names, and files paths."""
        for name in ("drop", "accept", "na_values"):
            names = arguments.get(name, ())
            arguments[name] = (names,) if isinstance(names, str) else tuple(map(str, names))
        for name in ("y", "terms"):
            if isinstance(arguments.get(name), os.PathLike):
                arguments[name] = os.fspath(arguments[name])
        return cls(**arguments)

    def non_defaults(self) -> dict[str, Any]:
        """Options that differ from the default, to show and to repeat them."""
        names = [field.name for field in fields(self)]
        if not isinstance(self.y, str):
            names.remove("y")
        values = {name: getattr(self, name) for name in names}
        return {
            name: value for name, value in values.items() if value != getattr(ReadingOptions, name)
        }

    @property
    def reshapes(self) -> bool:
        """Whether several rows are made one object."""
        return bool(self.one_row_per or self.pivot or self.series)

    @property
    def reshaping(self) -> dict[str, Any]:
        """Options that make several rows one object, for further rows."""
        names = ("one_row_per", "pivot", "series", "id_column")
        return {name: getattr(self, name) for name in names} if self.reshapes else {}

    @property
    def number_marks(self) -> tuple[str, ...]:
        """Reading of the marks in numbers; empty where the cells decide."""
        return {None: (), ".": ("point", "either"), ",": ("comma",)}[self.decimal]

    @property
    def max_invalid_share(self) -> float:
        """Largest share of cells at which text among numbers is a mistake, not a category."""
        return 0.5 if self.strict else LIMITS.max_invalid_share

    def accepts(self, key: str) -> bool:
        """Whether findings of this kind are accepted, so that columns stay as written."""
        return self.strict or key in self.accept

    def missing(self, name: str) -> frozenset[str]:
        """Additional missing-value marks of a column: ``-9`` holds for all, ``age:0`` for one."""
        marks = [mark.partition(":") for mark in self.na_values]
        return frozenset(
            (mark_of_column if colon else prefix).strip().lower()
            for prefix, colon, mark_of_column in marks
            if not colon or prefix == name
        )

    def columns(self) -> list[str]:
        """All named columns."""
        pivoted = filter(None, (self.pivot or "").rpartition(":")[::2])
        listed = (self.label_column, self.id_column, *self.drop, self.one_row_per, *pivoted)
        return [name for name in listed if name is not None]

    def check_columns(self, names: Iterable[str]) -> None:
        """Raise unless every named column exists."""
        listed = list(names)
        marked = [mark.partition(":")[0] for mark in self.na_values if ":" in mark]
        for name in (*self.columns(), *marked):
            if name not in listed:
                raise unknown_name(name, listed, "column")


#: options with another name on the command line
_RENAMED_FLAGS = {"kind": "--as", "column_weights": "--weights"}
_LIST_OPTIONS = ("drop", "accept", "na_values")
_VECTORIZER_OPTIONS = ("weight", "min_df", "max_df", "stemmer")


class RepairableError(InputError):
    """Problems of a file that options of :func:`sortal.datasets.read` solve.

    Attributes
    ----------
    repairs : dict
        The options. Names in ``drop`` are added to the user's.
    """

    __module__ = "sortal.datasets"

    def __init__(self, *problems: str, **repairs: Any) -> None:
        super().__init__("\n".join(problems))
        self.repairs = repairs


class DoubtfulError(InputError):
    """Ambiguous data; the message says which options settle their meaning."""

    __module__ = "sortal.datasets"


def _non_defaults(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that differ from the default."""
    return {
        name: value
        for name, value in options.items()
        if value is not None and value != getattr(ReadingOptions, name, None)
    }


def as_flags(options: Mapping[str, Any]) -> list[str]:
    """Options of the reader as command-line words."""
    words: list[str] = []
    for name, value in _non_defaults(options).items():
        flag = _RENAMED_FLAGS.get(name, f"--{name.replace('_', '-')}")
        if name in _LIST_OPTIONS:
            words += [word for item in value for word in (flag, _csv_cell(item))]
        elif isinstance(value, bool):
            words.append(flag if value else f"--no-{flag[2:]}")
        elif isinstance(value, Mapping):
            words += as_flags(
                {key: value[key] or "none" for key in _VECTORIZER_OPTIONS if key in value}
            )
        else:
            words += [flag, str(value)]
    return words


def _csv_cell(name: str) -> str:
    """Name of a column, quoted for a comma-separated list."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([name])
    return line.getvalue()


def command(source: str, options: Mapping[str, Any]) -> str:
    """Command ``sortal run`` with the file and the options."""
    return shlex.join(["sortal", "run", source, *as_flags(options)])
