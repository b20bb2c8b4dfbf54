"""What each part of a table is like, and which parts are unlike the others."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sortal.datasets.values.findings import Finding
from sortal.datasets.values.limits import LIMITS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from sortal.typing import Floats

#: limit of cost: rows of a part whose medians and spreads stand for it; in all so many cells as a
#: square of them has
PART_ROWS = 2_000
#: derived: the median, and three ranges about it
_LEVELS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
#: derived: place of the median
_MIDDLE = len(_LEVELS) // 2

Aspect = Literal["spread", "median", "missing"]


@dataclass(frozen=True, eq=False)
class PartSummary:
    """What a part of a table is like."""

    name: str
    n_rows: int  # exact
    missing: Mapping[str, int]  # missing values of each column, exact
    columns: tuple[str, ...]  # the numeric columns
    #: shape (7, d): quantiles of the numeric columns; NaN for few values
    quantiles: Floats
    n_sampled: int  # rows that the quantiles are of, drawn uniformly at random

    @property
    def medians(self) -> Floats:
        """Median of each numeric column."""
        return self.quantiles[_MIDDLE]

    @property
    def spreads(self) -> Floats:
        """Interquartile range of each numeric column."""
        spreads: Floats = self.quantiles[_MIDDLE + 1] - self.quantiles[_MIDDLE - 1]
        return spreads

    @property
    def missing_share(self) -> float:
        """Share of the cells without a value."""
        return sum(self.missing.values()) / max(1, self.n_rows * len(self.missing))

    def to_dict(self) -> dict[str, Any]:
        """The facts for JSON."""
        numbers = {
            name: {"median": _finite(median), "spread": _finite(spread)}
            for name, median, spread in zip(self.columns, self.medians, self.spreads, strict=True)
        }
        return {
            "name": self.name, "n_rows": self.n_rows, "n_sampled": self.n_sampled,
            "columns": {
                name: {"missing": count, **numbers.get(name, {})}
                for name, count in self.missing.items()
            },
        }  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """Column of a part that differs from that of the other parts by orders of magnitude."""

    part: str
    column: str
    aspect: Aspect
    #: spread, median or missing share in the part; then the median of those of the others
    value: float
    usual: float
    #: ratio of the spreads, distance of the medians in spreads, or difference of the shares
    size: float


def _finite(value: float) -> float | None:
    """A number for JSON, None for NaN."""
    return float(value) if np.isfinite(value) else None


def quantiles_of(X: NDArray[np.floating]) -> Floats:
    """Quantiles of the columns of a part, NaN where there are few values."""
    values = np.where(np.isfinite(X), X, np.nan)
    if len(values) < LIMITS.min_part:
        return np.full((len(_LEVELS), X.shape[1]), np.nan)
    quantiles = np.stack([_at(values, level) for level in _LEVELS])
    quantiles[:, np.isfinite(X).sum(axis=0) < LIMITS.min_part] = np.nan
    return quantiles


def differences(parts: Sequence[PartSummary]) -> list[Difference]:
    """Columns of parts that differ from the median of the others by orders of magnitude."""
    if len(parts) < 2:
        return []
    numeric = tuple(dict.fromkeys(name for summary in parts for name in summary.columns))
    quantiles = np.stack([_aligned(summary, numeric) for summary in parts])
    names = tuple(dict.fromkeys(name for summary in parts for name in summary.missing))
    shares = np.array(
        [
            [summary.missing.get(name, summary.n_rows) / summary.n_rows for name in names]
            for summary in parts
        ]
    )
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # columns without numbers
        results = [
            *_of_spreads(parts, numeric, quantiles),
            *_of_medians(parts, numeric, quantiles),
            *_of_missing(parts, names, shares),
        ]
    once = {(difference.part, difference.column): difference for difference in reversed(results)}
    return sorted(once.values(), key=lambda d: (d.aspect != "spread", d.aspect, -abs(_order(d))))


def _order(difference: Difference) -> float:
    """Orders of magnitude of a difference."""
    return float(np.log10(max(difference.size, 1e-300)))


def _aligned(summary: PartSummary, names: Sequence[str]) -> Floats:
    """Quantiles of a part in the order of these columns."""
    place = {name: j for j, name in enumerate(summary.columns)}
    aligned = np.full((len(_LEVELS), len(names)), np.nan)
    for j, name in enumerate(names):
        if name in place:
            aligned[:, j] = summary.quantiles[:, place[name]]
    return aligned


def _others(values: Floats) -> tuple[Floats, Floats]:
    """Median of the values of all other parts, and their deviation from it, by part and column."""
    medians, deviations = np.empty_like(values), np.empty_like(values)
    for p in range(len(values)):
        others = np.delete(values, p, axis=0)
        medians[p] = _median(others)
        # a median deviation as a standard deviation of a normal distribution
        deviations[p] = 1.4826 * _median(np.abs(others - medians[p]))
    return medians, deviations


def _at(values: NDArray[np.floating], level: float, *, above: bool = False) -> Floats:
    """The value of each column below which a share of its values is; much faster than NumPy's."""
    ordered = np.sort(values, axis=0)  # NaN last
    last = np.maximum(np.isfinite(values).sum(axis=0) - 1, 0)
    place = np.ceil(level * last) if above else np.floor(level * last)
    quantiles: Floats = ordered[place.astype(np.intp), np.arange(values.shape[1])]
    return quantiles


def _median(values: Floats) -> Floats:
    """Median of each column without its NaN."""
    return (_at(values, 0.5) + _at(values, 0.5, above=True)) / 2


def _range(quantiles: Floats, level: int) -> Floats:
    """Distance of the quantiles with this number of quantiles between each and the median."""
    distance: Floats = quantiles[:, _MIDDLE + level] - quantiles[:, _MIDDLE - level]
    return distance


def _of_spreads(
    parts: Sequence[PartSummary], names: Sequence[str], quantiles: Floats
) -> Iterator[Difference]:
    """Parts whose spread is another order of magnitude, in the middle and in the tails alike."""
    ratios = np.empty((_MIDDLE, len(parts), len(names)))
    is_unlike = np.empty(ratios.shape, dtype=bool)
    for level in range(1, _MIDDLE + 1):
        values = _range(quantiles, level)
        logs = np.log10(np.where(values > 0, values, np.nan))
        usual, deviation = _others(logs)
        ratio = logs - usual
        far = (np.abs(ratio) >= np.log10(LIMITS.min_ratio)) & (
            np.abs(ratio) > LIMITS.min_deviations * deviation
        )
        is_constant = ~(_median(values) > 0)  # in most parts: wider ranges decide
        ratios[level - 1] = np.where(is_constant, np.nan, ratio)
        is_unlike[level - 1] = far | is_constant
    # extremes confirm; where more than nine tenths of the values are one, they are chance alone
    is_unlike &= np.isfinite(ratios[-1]) & np.isfinite(ratios[-2])
    for p, j in np.argwhere(is_unlike.all(axis=0)):
        signs = set(np.sign(ratios[:, p, j][np.isfinite(ratios[:, p, j])]))
        if len(signs) > 1 or (len(parts) == 2 and p == 0):
            continue  # of two parts the second differs as much
        size = float(10 ** min(ratios[:, p, j], key=_magnitude))
        value = float(_range(quantiles, _MIDDLE)[p, j])
        yield Difference(parts[p].name, names[j], "spread", value, value / size, size)


def _magnitude(ratio: float) -> float:
    """Size of a logarithm of a ratio; that of an unknown one is the largest."""
    return abs(ratio) if np.isfinite(ratio) else np.inf


def _of_medians(
    parts: Sequence[PartSummary], names: Sequence[str], quantiles: Floats
) -> Iterator[Difference]:
    """Parts whose median is far from the others'; of two parts either may be the usual one."""
    if len(parts) < 3:
        return
    medians = quantiles[:, _MIDDLE]
    usual, deviation = _others(medians)
    within = _others(_range(quantiles, _MIDDLE - 1))[0]
    scale = np.maximum(deviation, within)
    shift = np.abs(medians - usual) / np.where(scale > 0, scale, np.nan)
    for p, j in np.argwhere(shift >= LIMITS.min_ratio):
        value, usual_value = float(medians[p, j]), float(usual[p, j])
        yield Difference(parts[p].name, names[j], "median", value, usual_value, float(shift[p, j]))


def _of_missing(
    parts: Sequence[PartSummary], names: Sequence[str], shares: Floats
) -> Iterator[Difference]:
    """Parts that lack a column the others have."""
    usual, deviation = _others(shares)
    apart = shares - usual
    for p, j in np.argwhere(
        (apart >= LIMITS.min_missing) & (apart > LIMITS.min_deviations * deviation)
    ):
        value, usual_value = float(shares[p, j]), float(usual[p, j])
        yield Difference(
            parts[p].name, names[j], "missing", value, usual_value, value - usual_value
        )


def unlike_finding(results: Sequence[Difference]) -> Finding | None:
    """Finding about parts unlike the others; one whose numbers are of another size stops."""
    if not results:
        return None
    facts = {"differences": [vars(difference) for difference in results]}
    columns = tuple(dict.fromkeys(difference.column for difference in results))
    is_settled = all(difference.aspect == "missing" for difference in results)
    return Finding(
        "unlike-part", "harmful", facts, columns, {"accept": ("unlike-part",)}, assumed=is_settled
    )
