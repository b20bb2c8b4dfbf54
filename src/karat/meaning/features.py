"""Features as people know them: numbers, dates, categories in original units; words for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse

from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kind = Literal["number", "date", "yes-no", "category"]
#: words for a low, a middle and a high value, where "low age" is no English
_WORDS = {
    "age": ("younger", "middle-aged", "older"),
    "date": ("early {}", "{} in between", "late {}"),
    "number": ("low {}", "medium {}", "high {}"),
}


@dataclass(frozen=True)
class Feature:
    """One column of numbers, and what it stands for: of a category, 1 for one of its values."""

    source: str
    kind: Kind
    value: str = ""
    columns: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """For people: of a category with its value."""
        return f"{self.source} is {self.value}" if self.kind == "category" else self.source

    def text(self, value: float) -> str:
        """A value, or mean of values, for people; of categories a share."""
        if self.kind in ("yes-no", "category"):
            return f"{100 * value:.0f} %"
        return self.exactly(float(f"{value:.3g}") if self.kind == "number" else value)

    def exactly(self, value: float) -> str:
        """A value with all its digits."""
        if self.kind == "date":
            return str(np.datetime64(int(np.floor(value)), "D"))
        return f"{value:,.10g}" if abs(value) >= 10_000 else f"{value:.10g}"


@dataclass(frozen=True)
class Condition:
    """One question about a feature: whether its value is above ``low`` and at most ``high``.

    Of a category, ``low`` asks for its value, and ``high`` for any other. ``apart`` says whether
    the cluster differs from the rest on the whole: what is over 30,000 need not be a high income.
    """

    feature: Feature
    low: float | None = None
    high: float | None = None
    apart: bool = True

    def holds(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """For which values; never for a missing one."""
        low = -np.inf if self.low is None else self.low
        high = np.inf if self.high is None else self.high
        return (values > low) & (values <= high)

    def __str__(self) -> str:
        feature = self.feature
        if feature.kind == "category":
            return f"{feature.source} is {'' if self.high is None else 'not '}{feature.value}"
        if feature.kind == "yes-no":
            return f"{feature.source} is {'yes' if self.high is None else 'no'}"
        over, most = ("after", "until") if feature.kind == "date" else ("over", "at most")
        parts = []
        if self.low is not None:
            parts.append(f"{over} {feature.exactly(self.low)}")
        if self.high is not None:
            parts.append(f"{most} {feature.exactly(self.high)}")
        return f"{feature.source} {' and '.join(parts)}"

    @property
    def word(self) -> str:
        """What it says of an object, in a word or two."""
        if self.low is not None and self.high is not None:
            return word(self.feature, 0)
        up = self.high is None
        if self.apart or self.feature.kind in ("yes-no", "category"):
            return word(self.feature, 1 if up else -1)
        end = {"age": ("old", "young"), "date": ("late", "early")}.get(
            "age" if self.feature.source.lower() == "age" else self.feature.kind, ("high", "low")
        )
        return f"{self.feature.source.replace('_', ' ')} not {end[up]}"


@dataclass(frozen=True)
class Rule:
    """Up to three questions, all of which have to be answered with yes; it prints as a phrase."""

    conditions: tuple[Condition, ...]

    def __str__(self) -> str:
        return " and ".join(map(str, self.conditions))


def word(feature: Feature, direction: int) -> str:
    """What to call an object whose value is low (-1), between (0) or high (1)."""
    source = feature.source.replace("_", " ").strip()
    if feature.kind == "category":
        value = feature.value.replace("_", " ")
        return f"{value} {source}" if direction > 0 else f"{source} not {value}"
    if feature.kind == "yes-no":
        return source if direction > 0 else f"not {source}"
    words = _WORDS[feature.kind]
    if source.lower() == "age":
        words = _WORDS["age"]
    return words[direction + 1].format(source)


@dataclass(frozen=True)
class Table:
    """Objects by their features: numbers, shape (n, p), dense or sparse."""

    values: Any
    features: tuple[Feature, ...]

    def columns(self, rows: NDArray[np.intp], these: NDArray[np.intp]) -> NDArray[np.float64]:
        """Some features of some objects."""
        block = self.values[rows][:, these]
        return np.asarray(block.toarray() if sparse.issparse(block) else block, dtype=np.float64)


def as_table(X: Any, feature_names: Sequence[object] | None, original: Any) -> Table:
    """The features of the objects in original units; by default the data as clustered."""
    d = int(X.shape[1])
    names = [f"x{j + 1}" for j in range(d)] if feature_names is None else [*map(str, feature_names)]
    if len(names) != d:
        raise InputError(f"there are {len(names)} feature names for {d} columns of X")
    at: dict[str, list[int]] = {}
    for j, name in enumerate(names):
        for source in {name, name.partition("=")[0]}:
            at.setdefault(source, []).append(j)
    if original is None:
        return _of_columns(X, names, at)
    if not hasattr(original, "columns"):
        return _of_columns(_checked(original, X), names, at)
    parts, features = [], []
    for name, column in _checked(original, X).items():
        columns, found = _column(column, str(name), at)
        parts += columns
        features += found
    return Table(np.column_stack(parts), tuple(features))


def units(values: Any) -> NDArray[np.float64]:
    """The power of two below the largest value of each column, in which no square overflows."""
    if sparse.issparse(values):
        largest = np.abs(values).max(axis=0).toarray().ravel()
    else:
        largest = np.fmax(np.fmax.reduce(values, axis=0), -np.fmin.reduce(values, axis=0))
    exponent = np.frexp(np.asarray(largest, dtype=np.float64))[1] - 1
    return np.ldexp(1.0, np.maximum(exponent, -1022))


def _checked(original: Any, X: Any) -> Any:
    if len(original.shape) != 2 or original.shape[0] != X.shape[0]:
        raise InputError(
            f"original must have a row for each of the {X.shape[0]:,} objects; its shape is "
            f"{original.shape}"
        )
    return original


def _of_columns(values: Any, names: list[str], at: dict[str, list[int]]) -> Table:
    """Columns of numbers; ``column=value`` of 0 and 1 is a category."""
    if values.shape[1] != len(names):
        raise InputError(f"original has {values.shape[1]} columns and X has {len(names)}")
    two = _of_two_values(values)
    features = []
    for j, name in enumerate(names):
        source, equals, value = name.partition("=")
        if two[j] and equals:
            features.append(Feature(source, "category", value, tuple(at.get(source, ()))))
        else:
            kind: Kind = "yes-no" if two[j] else "number"
            features.append(Feature(name, kind, columns=(j,)))
    return Table(values, tuple(features))


def _of_two_values(values: Any) -> NDArray[np.bool_]:
    """Which columns are of 0 and 1 alone."""
    if sparse.issparse(values):
        ones = values.copy()
        ones.data = (values.data != 1).astype(np.float64)
        return np.asarray(ones.sum(axis=0)).ravel() == 0
    values = np.asarray(values)
    if not np.issubdtype(values.dtype, np.number):
        raise InputError("original must be a DataFrame where it has other columns than numbers")
    return np.asarray(((values == 0) | (values == 1) | np.isnan(values)).all(axis=0))


def _column(
    column: Any, name: str, at: dict[str, list[int]]
) -> tuple[list[NDArray[np.float64]], list[Feature]]:
    """A column of a DataFrame as numbers; of text, one for each value."""
    import pandas as pd

    own = tuple(at.get(name, ()))
    if pd.api.types.is_datetime64_any_dtype(column):
        days = (column - pd.Timestamp(0, tz=column.dt.tz)) / pd.Timedelta(days=1)
        return [days.to_numpy(dtype=np.float64)], [Feature(name, "date", columns=own)]
    if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        feature = _of_columns(numbers[:, None], [name], at).features[0]
        return [numbers], [replace(feature, columns=tuple(at.get(feature.source, ())))]
    texts = column.astype(object)
    values = sorted({str(value) for value in texts.dropna()})
    made = [np.where(texts.isna(), np.nan, (texts.astype(str) == value)) for value in values]
    return [one.astype(np.float64) for one in made], [
        Feature(name, "category", value, own) for value in values
    ]
