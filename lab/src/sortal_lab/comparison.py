"""Our figures beside the published ones, in one form whatever table they come from."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from sortal.typing import Ints

#: columns that hold our figure, beside one called "published"
OURS = ("sortal", "ours", "bound", "change", "tau", "verdict", "sign", "better", "found", "size")
#: half widths of 95 % intervals, first of what the publication has one of; and standard errors
HALF_WIDTHS, ERRORS = ("one draw ±", "±"), ("error", "standard error")
#: columns that tell no row from another
NO_NAMES = ("difference", "low", "high", "cases", "exhaustive to", "better on", "repeats")
AGREES, DIFFERS, NO_ERROR, OTHER_DATA = "agrees", "differs", "no error known", "other data"
#: verdicts that count neither for nor against
NO_EFFECT, BOTH_ZERO = "cannot be told from no effect", "0 in both"
REPEATED, SAME_DATA = "repeats another figure", "same data"
#: chance at which two rows of counts differ, and draws that estimate it
LEVEL, DRAWS = 0.05, 9_999


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
    is_effect : bool
        Whether the figure is a change or a correlation, and 0 no effect.
    is_size : bool
        Whether the figure describes the data and is no result: a number of objects, say.
    repeats : bool
        Whether the publication has the same figure elsewhere, where it is counted, or has those
        that this is the average of.
    p : float
        Chance of a difference as large, where the figure is a row of counts or a ranking.
    is_random : bool
        Whether ours would be another in other samples, so that without an interval an equal
        figure decides as little as a different one.
    """

    quantity: str
    ours: float | str
    published: float | str
    low: float = math.nan
    high: float = math.nan
    other_data: bool = False
    is_effect: bool = False
    is_size: bool = False
    repeats: bool = False
    p: float = math.nan
    is_random: bool = False

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
        if self.repeats:
            return REPEATED
        if self.is_size:
            return SAME_DATA if self.ours == self.published else OTHER_DATA
        if not math.isnan(self.p):
            return AGREES if self.p >= LEVEL else DIFFERS
        if isinstance(self.ours, str) or isinstance(self.published, str):
            return _verdict_on_words(str(self.ours), str(self.published))
        if math.isnan(self.ours):
            return "no value"
        if self.ours == self.published == 0:
            return BOTH_ZERO
        if not math.isnan(self.low):
            if not self.low <= self.published <= self.high:
                return DIFFERS
            return NO_EFFECT if self.is_effect and self.low <= 0 <= self.high else AGREES
        if self.is_random:
            return NO_ERROR
        digits = len(f"{self.published:.15g}".partition(".")[2])
        return AGREES if round(self.ours, digits) == self.published else NO_ERROR

    def as_dict(self) -> dict[str, Any]:
        """Values for JSON, with None for missing ones."""
        values = asdict(self) | {"difference": self.difference, "verdict": self.verdict}
        for flag in ("other_data", "is_effect", "is_size", "repeats", "is_random"):
            del values[flag]
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


def comparisons(table: pd.DataFrame, *, is_random: bool = False) -> list[PublishedComparison]:
    """Every published figure of an experiment's table; none where it has none."""
    if table.columns.nlevels > 1:
        found = _by_columns(table)
    elif table.index.nlevels > 1 and "published" in table.index.get_level_values(-1):
        found = _by_rows(table)
    else:
        found = _of_records(table)
    return [replace(each, is_random=is_random) for each in found]


def _by_columns(table: pd.DataFrame) -> Iterator[PublishedComparison]:
    """Columns (data set, published or sortal or error or ±) of correlations; their average repeats.

    A column "corpus" of a data set says what other data its published figures are of.
    """
    for which in table.columns.get_level_values(0).unique():
        of_set: Any = table[which]
        for quantity, row in of_set.iterrows():
            half, error = row.get("±", math.nan), row["error"]
            name = f"{quantity}, {which}"
            comparison = _comparison(name, row["sortal"], row["published"], half=half, error=error)
            yield replace(
                comparison, repeats=which == "average", other_data="corpus" in of_set.columns,
                is_effect=True,
            )  # fmt: skip


def _by_rows(table: pd.DataFrame) -> Iterator[PublishedComparison]:
    """Rows (..., published or sortal or error) of counts; each pair of rows is one figure."""
    for keys, group in table.groupby(level=list(range(table.index.nlevels - 1)), sort=False):
        parts = {key[-1]: row for key, row in zip(group.index, group.to_numpy(float), strict=True)}
        counts = [np.rint(parts[part]).astype(np.int64) for part in ("sortal", "published")]
        ours, published = (
            ", ".join(f"{column}: {n}" for column, n in zip(table.columns, row, strict=True) if n)
            for row in counts
        )
        quantity = " ".join(map(str, keys))
        yield PublishedComparison(quantity, ours, published, p=same_chance(*counts))


def same_chance(ours: Ints, published: Ints) -> float:
    """Chance of two rows of counts that differ as much, if both come from one distribution.

    Pearson's statistic, with the totals of rows and columns fixed (Patefield 1981), by draws.

    >>> same_chance(np.array([20, 0]), np.array([12, 38])) < 0.001
    True
    """
    totals = ours + published
    kept = totals > 0
    ours, totals = ours[kept], totals[kept]
    expected = totals * (ours.sum() / totals.sum())
    rng = np.random.default_rng(0)
    draws = rng.multivariate_hypergeometric(totals, int(ours.sum()), DRAWS)
    # the statistic of two rows grows with this sum alone
    distance = np.square(draws - expected) @ (1 / totals)
    seen = np.square(ours - expected) @ (1 / totals)
    return float((1 + (distance >= seen * (1 - 1e-9)).sum()) / (1 + DRAWS))


def _of_records(table: pd.DataFrame) -> Iterator[PublishedComparison]:
    """Columns "published" beside ours, or "M published" beside "M"; a "change" is an effect.

    A column "corpus" says what other data the published figures are of.
    """
    columns = [str(column) for column in table.columns]
    paired = [c for c in columns if c.endswith(" published") and c[:-10] in columns]
    ours = next((c for c in OURS if c in columns and "published" in columns), None)
    used = {*OURS, *paired, *(c[:-10] for c in paired), *NO_NAMES, "published"}
    named = [c for c in columns if c not in used and table[c].dtype.kind in "OUTi"]
    counted: set[tuple[object, ...]] = set()
    for row in table.to_dict("records"):
        quantity = ", ".join(str(row[c]) for c in named if row[c] == row[c] and row[c] != "")
        # the same figure beside ours on fewer data sets
        figure = (*(row[c] for c in named if c != "sets"), row.get("published"))
        repeats = bool(row.get("repeats", False)) or ("sets" in named and figure in counted)
        counted.add(figure)
        if ours is not None:
            for comparison in _published(quantity, row, ours, "published", ""):
                yield replace(
                    comparison, other_data="corpus" in columns, is_effect=ours == "change",
                    is_size=ours == "size", repeats=repeats,
                )  # fmt: skip
        for column in paired:
            name = column[:-10]
            for comparison in _published(f"{quantity}, {name}", row, name, column, f"{name} "):
                yield replace(comparison, is_effect=name.endswith("change"))


def _published(
    quantity: str, row: dict[Any, Any], ours: str, published: str, prefix: str
) -> Iterator[PublishedComparison]:
    """Comparison of one published value, if there is one."""
    value = row[published]
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return
    if not math.isnan(row.get("p", math.nan)):
        yield PublishedComparison(quantity, row[ours], value, p=row["p"])
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
