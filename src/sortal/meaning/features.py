"""Features in original units: numbers, dates, categories; and words for their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse

from sortal.runtime.numerals import percent
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import Bools, Floats, Rows


Kind = Literal["number", "date", "yes-no", "category"]


@dataclass(frozen=True)
class DescriptionLimits:
    """Numbers of facts that describe a cluster, and their thresholds."""

    #: tuned: by eye, questions of a rule, words of a name, carriers and central objects
    n_items: int = 3
    #: tuned: by eye, telling features of a cluster
    n_telling: int = 5
    #: tuned: by eye, least share of a carrier's variance between the clusters
    min_share: float = 0.1
    #: derived: a small difference in standard deviations (Cohen 1988, section 2.2.4)
    min_effect: float = 0.2
    #: derived: a medium difference (ibid.), which can name a cluster without a rule
    clear_effect: float = 0.5
    #: tuned: by convention, chance that any interval misses, or any rule is no better than chance
    level: float = 0.05
    #: tuned: by convention, parts of the objects that are held out in turn
    folds: int = 5
    #: tuned: on planted rules, gain in F1 that a further question needs
    min_gain: float = 0.02
    #: tuned: by eye, neighbours that decide whether an object is on an edge
    edge_neighbors: int = 10
    #: tuned: by eye, least share of these in the other cluster
    min_edge_share: float = 0.4


LIMITS = DescriptionLimits()
#: words for a low, a middle and a high value, where "low age" is no English
_WORDS = {
    "age": ("younger", "middle-aged", "older"),
    "date": ("early {}", "{} in between", "late {}"),
    "number": ("low {}", "medium {}", "high {}"),
}


@dataclass(frozen=True)
class Feature:
    """One column of numbers and its meaning; a category's column is 1 for one of its values.

    Attributes
    ----------
    source : str
        The column of the table.
    kind : {"number", "date", "yes-no", "category"}
    value : str
        The value of a category.
    columns : tuple of int
        Clustered columns that the source has.
    """

    source: str
    kind: Kind
    value: str = ""
    columns: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """Name for people; a category's with its value."""
        return f"{self.source} is {self.value}" if self.kind == "category" else self.source

    def text(self, value: float) -> str:
        """A value, or mean of values, in words; a category's share."""
        if self.kind in ("yes-no", "category"):
            return percent(value, 0)
        return self.exactly(float(f"{value:.3g}") if self.kind == "number" else value)

    def exactly(self, value: float) -> str:
        """A value with all its digits, in words."""
        if self.kind == "date":
            return str(np.datetime64(int(np.floor(value)), "D"))
        return f"{value:,.10g}" if abs(value) >= 10_000 else f"{value:.10g}"


@dataclass(frozen=True)
class Condition:
    """One question about a feature: whether its value is above ``low`` and at most ``high``.

    For a category, ``low`` asks for its value, and ``high`` for any other. ``apart`` says whether
    the cluster's mean differs, too: an income over 30,000 need not be high.
    """

    feature: Feature
    low: float | None = None
    high: float | None = None
    apart: bool = True

    def holds(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether the condition holds for each value; never for a missing one."""
        low = -np.inf if self.low is None else self.low
        high = np.inf if self.high is None else self.high
        return (values > low) & (values <= high)

    def __str__(self) -> str:
        return self._text("over", "at most")

    @property
    def brief(self) -> str:
        """The condition with signs for limits."""
        return self._text(">", "≤")

    def _text(self, over: str, most: str) -> str:
        """The condition in words, with these words for limits of numbers."""
        feature = self.feature
        if feature.kind == "category":
            return f"{feature.source} is {'' if self.high is None else 'not '}{feature.value}"
        if feature.kind == "yes-no":
            return f"{feature.source} is {'yes' if self.high is None else 'no'}"
        if feature.kind == "date":
            over, most = "after", "until"
        parts = []
        if self.low is not None:
            parts.append(f"{over} {feature.exactly(self.low)}")
        if self.high is not None:
            parts.append(f"{most} {feature.exactly(self.high)}")
        return f"{feature.source} {' and '.join(parts)}"

    @property
    def word(self) -> str:
        """One or two words for objects that fulfil the condition."""
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
    """Conjunction of up to three conditions; it prints as a phrase."""

    conditions: tuple[Condition, ...]

    def __str__(self) -> str:
        return " and ".join(map(str, self.conditions))

    @property
    def brief(self) -> str:
        """The conditions with signs for limits, separated by commas."""
        return ", ".join(condition.brief for condition in self.conditions)


def word(feature: Feature, direction: int) -> str:
    """Name for objects whose value is low (-1), between (0) or high (1)."""
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

    def columns(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.float64]:
        """Selected features of selected objects."""
        block = self.values[rows][:, columns]
        return np.asarray(block.toarray() if sparse.issparse(block) else block, dtype=np.float64)


def as_table(
    X: Rows,
    feature_names: Sequence[object] | None,
    original: pd.DataFrame | Rows | None,
) -> Table:
    """The features of the objects in original units; by default the data as clustered."""
    import pandas as pd

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
    if len(original.shape) != 2 or original.shape[0] != X.shape[0]:
        raise InputError(
            f"original must have a row for each of the {X.shape[0]:,} objects; its shape is "
            f"{original.shape}"
        )
    if not isinstance(original, pd.DataFrame):
        return _of_columns(original, names, at)
    read = [_column(column, str(label), at) for label, column in original.items()]
    values = [column for columns, _ in read for column in columns]
    return Table(np.column_stack(values), tuple(each for _, features in read for each in features))


def units(values: Rows) -> Floats:
    """The power of two below the largest value of each column, in which no square overflows."""
    if sparse.issparse(values):
        largest = np.abs(values).max(axis=0).toarray().ravel()
    else:
        largest = np.fmax(np.fmax.reduce(values, axis=0), -np.fmin.reduce(values, axis=0))
    exponent = np.frexp(np.asarray(largest, dtype=np.float64))[1] - 1
    return np.ldexp(1.0, np.maximum(exponent, -1022))


def _of_columns(values: Rows, names: list[str], at: dict[str, list[int]]) -> Table:
    """Columns of numbers; ``column=value`` of 0 and 1 is a category."""
    if values.shape[1] != len(names):
        raise InputError(f"original has {values.shape[1]} columns and X has {len(names)}")
    is_binary = _of_two_values(values)
    features = []
    for j, name in enumerate(names):
        source, equals, value = name.partition("=")
        if is_binary[j] and equals:
            features.append(Feature(source, "category", value, tuple(at.get(source, ()))))
        else:
            features.append(Feature(name, "yes-no" if is_binary[j] else "number", columns=(j,)))
    return Table(values, tuple(features))


def _of_two_values(values: Rows) -> Bools:
    """Whether each column has the values 0 and 1 alone."""
    if not isinstance(values, np.ndarray):
        rows = sparse.csr_array(values)
        return np.bincount(rows.indices[rows.data != 1], minlength=rows.shape[1]) == 0
    if not np.issubdtype(values.dtype, np.number):
        raise InputError("original must be a DataFrame where it has other columns than numbers")
    return np.asarray(((values == 0) | (values == 1) | np.isnan(values)).all(axis=0))


def _column(
    column: pd.Series[Any], name: str, at: dict[str, list[int]]
) -> tuple[list[Floats], list[Feature]]:
    """A column of a DataFrame as numbers; a text column as one column per value."""
    import pandas as pd

    positions = tuple(at.get(name, ()))
    if pd.api.types.is_datetime64_any_dtype(column):
        days = (column - pd.Timestamp(0, tz=column.dt.tz)) / pd.Timedelta(days=1)
        return [np.asarray(days, dtype=np.float64)], [Feature(name, "date", columns=positions)]
    if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        numbers = np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)
        feature = _of_columns(numbers[:, None], [name], at).features[0]
        return [numbers], [replace(feature, columns=tuple(at.get(feature.source, ())))]
    texts = column.astype(object)
    values = sorted({str(value) for value in texts.dropna()})
    indicators = [np.where(texts.isna(), np.nan, (texts.astype(str) == value)) for value in values]
    return [indicator.astype(np.float64) for indicator in indicators], [
        Feature(name, "category", value, positions) for value in values
    ]
