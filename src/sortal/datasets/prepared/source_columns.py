"""Conversion of the cells of an interpreted column to features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sortal.datasets.values import column_arrays, number_readings
from sortal.datasets.values.column_kinds import temporal_days
from sortal.datasets.values.names_and_ids import visible
from sortal.datasets.values.number_readings import PLAIN_READING, numbers_of

if TYPE_CHECKING:
    import pyarrow as pa

    from sortal.runtime.types import Floats


@dataclass(frozen=True)
class SourceColumn:
    """Conversion of a column of the source to features.

    Attributes
    ----------
    name : str
    kind : {"number", "date", "category", "code"}
        A code is a category whose values are whole numbers.
    categories : tuple of str
        Values of a category or code, in the order of their features.
    form : str
        Format of dates, see :func:`sortal.datasets.values.number_readings.days`.
    reading : tuple of str
        Reading of numbers in text, see
        :class:`sortal.datasets.values.number_readings.NumbersOfCells`.
    day_first : bool
    missing : tuple of str
        Marks of missing values besides the usual ones; in lower case.
    sentinels : tuple of float
        Numbers that stand for missing values.
    """

    name: str
    kind: str = "number"
    categories: tuple[str, ...] = ()
    form: str = ""
    reading: tuple[str, ...] = PLAIN_READING
    day_first: bool = False
    missing: tuple[str, ...] = ()
    sentinels: tuple[float, ...] = ()

    @property
    def n_features(self) -> int:
        """Number of features of the column."""
        return len(self.categories) or 1

    def features(self, column: pa.ChunkedArray) -> tuple[Floats, Counter[str]]:
        """Features, NaN where the value is missing, and counts of unknown categories."""
        if self.categories:
            return self._indicators(_category_texts(column, whole=self.kind == "code"))
        values = self._days(column) if self.kind == "date" else self._numbers(column)
        values[~np.isfinite(values) | np.isin(values, self.sentinels)] = np.nan
        return values[:, None], Counter()

    def _indicators(self, texts: list[str | None]) -> tuple[Floats, Counter[str]]:
        """Columns of 0 and 1, one per category, and counts of unknown categories."""
        feature_of_value = {value: j for j, value in enumerate(self.categories)}
        out = np.zeros((len(texts), len(feature_of_value)))
        unknown: Counter[str] = Counter()
        for i, text in enumerate(texts):
            if text is None or self._is_missing(text):
                out[i] = np.nan
            elif text in feature_of_value:
                out[i, feature_of_value[text]] = 1.0
            else:
                unknown[text] += 1
        return out, unknown

    def _is_missing(self, text: str) -> bool:
        """Whether a text marks a missing value."""
        lower = text.lower()
        is_category = text in self.categories
        return lower in self.missing or (lower in number_readings.MISSING_MARKS and not is_category)

    def _numbers(self, column: pa.ChunkedArray) -> Floats:
        """Values of a column of numbers."""
        import pyarrow as pa

        kind = column.type
        if pa.types.is_boolean(kind):
            return np.array(column.cast(pa.float64()).to_numpy(), dtype=np.float64)
        if not column_arrays.is_text(kind) and not pa.types.is_dictionary(kind):
            return np.array(column_arrays.floats(column), dtype=np.float64)
        return self._parse_cells(column, self._parse_numbers)

    def _parse_numbers(self, cells: list[str]) -> Floats:
        """Numbers in text; true is 1 and false 0."""
        values = numbers_of(cells, self.reading).values
        for i in np.flatnonzero(np.isnan(values)):
            values[i] = {"true": 1.0, "false": 0.0}.get(cells[i].lower(), np.nan)
        return values

    def _days(self, column: pa.ChunkedArray) -> Floats:
        """Days since 1970 of a column of dates."""
        import pyarrow as pa

        if pa.types.is_temporal(column.type):
            return np.array(temporal_days(column), dtype=np.float64)
        if self.form in ("seconds", "milliseconds"):
            unit = 1.0 if self.form == "seconds" else 1e3
            return self._numbers(column) / unit / number_readings.DAY
        if self.form == "yyyymmdd":
            values = self._numbers(column)
            is_known = np.isfinite(values)
            digits = number_readings.days_of_digits(values[is_known])
            values[is_known] = np.nan if digits is None else digits
            return values
        return self._parse_cells(column, self._parse_dates)

    def _parse_dates(self, cells: list[str]) -> Floats:
        """Days of dates or times in text."""
        import pyarrow as pa

        if self.form == "time":  # Arrow parsed the text of the file so
            return temporal_days(pa.chunked_array([cells]).cast(pa.time32("ms")))
        return number_readings.days(cells, day_first=self.day_first)

    def _parse_cells(self, column: pa.ChunkedArray, parse: Callable[[list[str]], Floats]) -> Floats:
        """Values of text, each distinct cell parsed once."""
        import pyarrow.compute as pc

        column = pc.utf8_trim_whitespace(_as_text(column))
        codes, dictionary = column_arrays.encoded(column)
        cells = ["" if text is None else text for text in dictionary.to_pylist()]
        valued = [j for j, cell in enumerate(cells) if cell and not self._is_missing(cell)]
        lookup = np.full(len(cells) + 1, np.nan)
        if valued:
            lookup[valued] = parse([cells[j] for j in valued])
        return lookup[codes]


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Column as text."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.large_string())


def _category_texts(column: pa.ChunkedArray, *, whole: bool) -> list[str | None]:
    """Values as categories are written; with ``whole``, 3.0 is 3."""
    import pyarrow as pa

    numeric = pa.types.is_floating(column.type) or pa.types.is_integer(column.type)
    if numeric:
        return [
            None if v is None or v != v else str(int(v)) if v == int(v) else str(v)
            for v in column.to_pylist()
        ]
    cells = [
        None if cell is None or not cell.strip() else visible(cell.strip())
        for cell in _as_text(column).to_pylist()
    ]
    if not whole:
        return cells
    values = numbers_of([cell or "" for cell in cells], PLAIN_READING).values
    return [
        str(int(value)) if value == np.floor(value) and cell is not None else cell
        for cell, value in zip(cells, values, strict=True)
    ]
