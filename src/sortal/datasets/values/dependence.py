"""Dependence of columns on each other: which of them say something about the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.runtime.types import Bools, Floats, Ints

#: expected share of columns that depend on nothing among those that pairs show to depend
MAX_FALSE_SHARE = 0.01
#: probability that modes, or triples, take any of many independent columns for one that counts
LEVEL = 0.01
#: with fewer objects off its most frequent value a column cannot show that it depends
MIN_UNUSUAL = 15
#: distinct values up to which a numeric column is coded like a category
MAX_CODED_VALUES = 6
#: with fewer columns other numeric ones always count: each may matter, and little can be tested
MIN_COLUMNS = 4
#: codes of a column that fewer objects have are one code
MIN_CODE_SHARE, MIN_CODE_COUNT = 0.02, 5
#: columns are compared with as many others, drawn at random where there are more
MAX_PARTNERS = 200
#: objects that the comparison takes, and cells where there are many columns
MAX_OBJECTS, MAX_CELLS, MIN_SAMPLED = 5_000, 2_000_000, 500
#: triples of columns are tested, and modes by likelihoods, up to this number of columns
MAX_IN_TRIPLES = MAX_FITTED = 60
#: least share of objects on either side of a column's median for a test of triples
MIN_SIDE = 0.1


@dataclass(frozen=True)
class Weighing:
    """Weight of each column of a data set, and how it was decided.

    Attributes
    ----------
    weights : mapping of str to float
        Differences in a column are multiplied by its weight; columns of weight 0 are excluded.
    by : {"dependence", "user"}
    independent, repeated : tuple of str
        Columns without weight because they depend on no other, or repeat one.
    sampled : str
        What part of the data the decision is based on; "" for all.
    """

    weights: Mapping[str, float]
    by: Literal["dependence", "user"] = "dependence"
    independent: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    sampled: str = ""


def code_values(values: Floats) -> Ints:
    """Codes of a numeric column: its few values, else its quarters and its two best parts."""
    distinct, codes = np.unique(values, return_inverse=True)
    if len(distinct) > MAX_CODED_VALUES:
        edges = np.unique([*np.quantile(values, (0.25, 0.5, 0.75)), _best_split(values)])
        codes = np.searchsorted(edges, values)
    return merge_rare(codes.astype(np.int64))


def _best_split(values: Floats) -> float:
    """Last value of the lower of the two parts with the least squares within (Otsu 1979)."""
    ordered = np.sort(values)
    below = np.arange(1, len(ordered))
    between = np.cumsum(ordered - ordered.mean())[:-1] ** 2 / (below * below[::-1])
    return float(ordered[np.argmax(np.where(np.diff(ordered) > 0, between, -1.0))])


def merge_rare(codes: Ints) -> Ints:
    """Codes from 0 without gaps, where all rare ones are one code."""
    counts = np.bincount(codes)
    is_rare = counts < max(MIN_CODE_COUNT, MIN_CODE_SHARE * len(codes))
    if is_rare.sum() > 1 or (is_rare.any() and counts[is_rare].sum() < MIN_CODE_COUNT):
        common = np.flatnonzero(~is_rare)
        rest = counts[is_rare].sum()
        # too few to be a code of their own: they join the most frequent
        target = -1 if rest >= MIN_CODE_COUNT else int(np.argmax(counts))
        codes = np.where(is_rare[codes], target, codes)
        if len(common) == 0:
            return np.zeros(len(codes), dtype=np.int64)
    return np.unique(codes, return_inverse=True)[1]


def pair_tests(codes: Sequence[Ints], partners: Ints) -> tuple[Floats, Floats]:
    """p-value of independence (χ²) of each column and each partner; 1 for a column with itself.

    Also the p-value of independence from all partners together, by the sum of the χ². Two of its
    moments follow from the dependence among the partners.

    Objects without a value have the code -1, and are in no test of the column. Time O(n D P) for
    D codes of all columns and P codes of the partners.
    """
    from scipy import stats

    sizes = np.array([max(1, int(code.max()) + 1) for code in codes])
    of_rows, of_columns = sizes, sizes[partners]
    rows = _indicators(codes, of_rows)
    columns = _indicators([codes[j] for j in partners], of_columns)
    starts = np.r_[0, np.cumsum(of_rows)[:-1]]
    partner_starts = np.r_[0, np.cumsum(of_columns)[:-1]]
    has_row = np.add.reduceat(rows, starts, axis=1)
    has_column = np.add.reduceat(columns, partner_starts, axis=1)
    counts = (rows.T @ columns).astype(np.float64)
    expected = np.repeat(rows.T @ has_column, of_columns, axis=1).astype(np.float64)
    expected *= np.repeat(has_row.T @ columns, of_rows, axis=0)
    shares = counts**2 / np.maximum(expected, 1)
    sums = np.add.reduceat(np.add.reduceat(shares, starts, axis=0), partner_starts, axis=1)
    strength = np.maximum(sums - 1, 0.0)
    statistic = (has_row.T @ has_column) * strength
    freedom = np.outer(of_rows - 1, of_columns - 1)
    p_values = np.where(freedom > 0, stats.chi2.sf(statistic, np.maximum(freedom, 1)), 1.0)
    p_values[partners, np.arange(len(partners))] = 1.0
    is_other = (partners != np.arange(len(codes))[:, None]).astype(np.float64)
    between = strength[partners]
    np.fill_diagonal(between, of_columns - 1)
    mean = np.maximum(is_other @ (of_columns - 1), 1)
    ratio = np.maximum(((is_other @ between) * is_other).sum(axis=1) / mean, 1)
    together = (statistic * is_other).sum(axis=1) / ratio
    return p_values, np.asarray(stats.chi2.sf(together, np.maximum(of_rows - 1, 1) * mean / ratio))


def _indicators(codes: Sequence[Ints], sizes: Ints) -> NDArray[np.float32]:
    """Columns of 0 and 1, one for each code of each column."""
    out = np.zeros((len(codes[0]), int(sizes.sum())), dtype=np.float32)
    start = 0
    for code, size in zip(codes, sizes, strict=True):
        rows = np.flatnonzero(code >= 0)
        out[rows, start + code[rows]] = 1.0
        start += size
    return out


def mode_p_value(values: Floats, rng: np.random.Generator, *, fitted: bool) -> float:
    """p-value of one mode by Hartigan's dip, ties spread apart.

    Also by the likelihood of two groups if ``fitted``, which takes longer and sees small groups.
    """
    values = np.sort(values)
    distinct = np.unique(values)
    if len(distinct) <= MAX_CODED_VALUES:
        return 1.0
    if len(distinct) < 0.8 * len(values):
        steps = np.diff(distinct)
        reach = np.minimum(steps, 3 * np.median(steps)) / 2
        at = np.searchsorted(distinct, values)
        below, above = np.r_[reach[0], reach][at], np.r_[reach, reach[-1]][at]
        values = values + rng.uniform(-below, above)
    from sortal._kernels.dip import dip_evidence  # starts Numba
    from sortal._kernels.modes import line_evidence

    evidence = line_evidence(values) if fitted else dip_evidence(np.sort(values))
    return float(np.exp(-evidence))


def triple_tests(values: Floats, candidates: Bools) -> Floats:
    """Smallest p-value of each candidate with two columns: of its sign and their product's sign.

    Values above their median are 1, others -1. A column whose sign goes with the product of two
    others' signs depends on the two together, though it may depend on neither alone (XOR).
    """
    from scipy import stats

    n, d = values.shape
    signs = np.where(values > np.nanmedian(values, axis=0), 1.0, -1.0)
    signs[np.isnan(values)] = np.nan
    share = (1 + np.nanmean(signs, axis=0)) / 2
    has_two_sides = np.minimum(share, 1 - share) >= MIN_SIDE
    spread = np.where(has_two_sides, np.nanstd(signs, axis=0), np.inf)
    standardized = np.nan_to_num((signs - np.nanmean(signs, axis=0)) / spread)
    squares = standardized**2
    spread = np.sqrt(np.maximum(squares.T @ squares / n, 1))  # of the product of two columns
    p_values = np.ones(d)
    for i in np.flatnonzero(candidates & has_two_sides):
        means = standardized.T @ (standardized * standardized[:, [i]]) / (n * spread)
        np.fill_diagonal(means, 0.0)
        means[i] = means[:, i] = 0.0
        p_values[i] = 2 * stats.norm.sf(np.sqrt(n) * float(np.abs(means).max()))
    return p_values


def informative(values: Floats, is_numeric: Bools, rng: np.random.Generator) -> Bools:
    """Mask of the columns that count: all, unless some depend on others or have several modes.

    ``values`` has a number per column, for categories their codes, and NaN for missing values. Then
    those count, and those of so few unusual values that dependence could not show.
    """
    from scipy import stats

    d = values.shape[1]
    codes = [_coded(column, numeric) for column, numeric in zip(values.T, is_numeric, strict=True)]
    partners = np.arange(d)
    if d > MAX_PARTNERS:
        partners = np.sort(rng.choice(d, MAX_PARTNERS, replace=False))
    by_pair, together = pair_tests(codes, partners)
    p_values = 2 * np.minimum(by_pair.min(axis=1) * max(1, len(partners) - 1), together)
    mask: Bools = stats.false_discovery_control(np.minimum(p_values, 1)) <= MAX_FALSE_SHARE
    for j in np.flatnonzero(is_numeric & ~mask):
        column = values[:, j]
        fitted = d <= MAX_FITTED
        mask[j] = mode_p_value(column[~np.isnan(column)], rng, fitted=fitted) * d <= LEVEL
    if 3 <= d <= MAX_IN_TRIPLES and not mask.all():
        n_triples = d * (d - 1) * (d - 2) / 6
        mask |= triple_tests(values, ~mask) * n_triples <= LEVEL
    if d < MIN_COLUMNS:
        distinct = [len(np.unique(column[~np.isnan(column)])) for column in values.T]
        mask |= is_numeric & (np.array(distinct) > MAX_CODED_VALUES)
    if not mask.any():
        return ~mask
    for j in np.flatnonzero(~mask):
        counts = np.unique(values[~np.isnan(values[:, j]), j], return_counts=True)[1]
        mask[j] = 0 < counts.sum() - counts.max() < MIN_UNUSUAL
    return mask


def _coded(values: Floats, is_numeric: bool) -> Ints:
    """Codes of a column, -1 for missing values."""
    codes = np.full(len(values), -1, dtype=np.int64)
    seen = ~np.isnan(values)
    if seen.any():
        observed = values[seen]
        codes[seen] = code_values(observed) if is_numeric else merge_rare(observed.astype(np.int64))
    return codes
