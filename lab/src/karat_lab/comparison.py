"""Our figures beside the published ones, in one form whatever table they come from."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

#: columns that hold our figure, beside one called "published"
OURS = ("karat", "ours", "bound", "change", "tau", "verdict", "sign", "better", "found")
#: half widths of 95 % intervals, first of what the publication has one of; and standard errors
HALF_WIDTHS, ERRORS = ("one draw ±", "±"), ("error", "standard error")
#: columns that tell no row from another
NO_NAMES = ("difference", "low", "high", "cases", "exhaustive to", "better on")
AGREES, DIFFERS, NO_ERROR, OTHER_DATA = "agrees", "differs", "no error known", "other data"


@dataclass(frozen=True)
class PublishedComparison:
    """A published figure and ours.

    Attributes
    ----------
    quantity : str
        The row, and the column where there are several.
    ours, published : float or str
        Words where the table has words.
    low, high : float
        Our 95 % interval; NaN where no error is known.
    other_data : bool
        Whether the published figure is of data that cannot be had, so that nothing is decided.
    """

    quantity: str
    ours: float | str
    published: float | str
    low: float = math.nan
    high: float = math.nan
    other_data: bool = False

    @property
    def difference(self) -> float:
        """Ours less the published; NaN for words."""
        if isinstance(self.ours, str) or isinstance(self.published, str):
            return math.nan
        return self.ours - self.published

    @property
    def verdict(self) -> str:
        """Whether the published figure is in our interval, or equal where nothing is random."""
        if self.other_data:
            return OTHER_DATA
        if isinstance(self.ours, str) or isinstance(self.published, str):
            return _verdict_on_words(str(self.ours), str(self.published))
        if math.isnan(self.ours):
            return "no value"
        if not math.isnan(self.low):
            return AGREES if self.low <= self.published <= self.high else DIFFERS
        digits = len(f"{self.published:.15g}".partition(".")[2])
        return AGREES if round(self.ours, digits) == self.published else NO_ERROR

    def as_dict(self) -> dict[str, Any]:
        """Values for JSON, with None for missing ones."""
        values = asdict(self) | {"difference": self.difference, "verdict": self.verdict}
        del values["other_data"]
        return {
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in values.items()
        }


def _verdict_on_words(ours: str, published: str) -> str:
    """Verdict in a table of properties, which is that of the search."""
    if ours == published or ours == "confirmed":
        return AGREES
    if ours.startswith("not "):  # not refuted, not decided
        return ours
    return DIFFERS


def comparisons(table: pd.DataFrame) -> list[PublishedComparison]:
    """Every published figure of an experiment's table; none where it has none."""
    if table.columns.nlevels > 1:
        return list(_by_columns(table))
    if table.index.nlevels > 1 and "published" in table.index.get_level_values(-1):
        return list(_by_rows(table))
    return list(_of_records(table))


def _by_columns(table: pd.DataFrame) -> Iterator[PublishedComparison]:
    """Columns (data set, published or karat or error or ±)."""
    for which in table.columns.get_level_values(0).unique():
        of_set: Any = table[which]
        for quantity, row in of_set.iterrows():
            half, error = row.get("±", math.nan), row["error"]
            name = f"{quantity}, {which}"
            yield _comparison(name, row["karat"], row["published"], half=half, error=error)


def _by_rows(table: pd.DataFrame) -> Iterator[PublishedComparison]:
    """Rows (..., published or karat or error); counts of as many samples as each has."""
    for keys, group in table.groupby(level=list(range(table.index.nlevels - 1)), sort=False):
        parts = {key[-1]: row for key, row in zip(group.index, group.to_numpy(float), strict=True)}
        n, n_published = (parts[p].sum() for p in ("karat", "published"))
        each = 1 / n + 1 / n_published
        for place, column in enumerate(table.columns):
            ours, published = (parts[p][place] for p in ("karat", "published"))
            # the difference of two shares of so many samples that is no surprise
            p = (ours + published) / (n + n_published)
            half = 1.96 * math.sqrt(p * (1 - p) * each) + 0.5 * each
            yield PublishedComparison(
                f"{' '.join(map(str, keys))}, k = {column}",
                float(ours / n),
                float(published / n_published),
                float(ours / n - half),
                float(ours / n + half),
            )


def _of_records(table: pd.DataFrame) -> Iterator[PublishedComparison]:
    """Columns "published" beside ours, or "M published" beside "M".

    A column "corpus" says what other data the published figures are of.
    """
    columns = [str(column) for column in table.columns]
    paired = [c for c in columns if c.endswith(" published") and c[:-10] in columns]
    ours = next((c for c in OURS if c in columns and "published" in columns), None)
    used = {*OURS, *paired, *(c[:-10] for c in paired), *NO_NAMES, "published"}
    named = [c for c in columns if c not in used and table[c].dtype.kind in "OUTi"]
    for row in table.to_dict("records"):
        quantity = ", ".join(str(row[c]) for c in named if row[c] == row[c] and row[c] != "")
        if ours is not None:
            for comparison in _published(quantity, row, ours, "published", ""):
                yield replace(comparison, other_data="corpus" in columns)
        for column in paired:
            name = column[:-10]
            yield from _published(f"{quantity}, {name}", row, name, column, f"{name} ")


def _published(
    quantity: str, row: dict[Any, Any], ours: str, published: str, prefix: str
) -> Iterator[PublishedComparison]:
    """Comparison of one published value, if there is one."""
    value = row[published]
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return
    half = next((row[prefix + c] for c in HALF_WIDTHS if prefix + c in row), math.nan)
    error = next((row[prefix + c] for c in ERRORS if prefix + c in row), math.nan)
    if "low" in row and not prefix and not isinstance(row[ours], str):
        yield PublishedComparison(quantity, row[ours], value, row["low"], row["high"])
    else:
        yield _comparison(quantity, row[ours], value, half=half, error=error)


def _comparison(
    quantity: str, ours: Any, published: Any, *, half: float = math.nan, error: float = math.nan
) -> PublishedComparison:
    """Comparison of two values, with an interval from the error."""
    if isinstance(ours, str) or isinstance(published, str):
        return PublishedComparison(quantity, str(ours), str(published))
    half = 1.96 * error if math.isnan(half) else half
    ours, published = float(ours), float(published)
    return PublishedComparison(quantity, ours, published, ours - half, ours + half)
