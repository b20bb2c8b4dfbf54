"""Dependence of columns on each other: which of them say something about the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.stats import chi2, norm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.runtime.types import Bools, Floats, Ints

#: probability of taking any of many independent columns for a dependent one
LEVEL = 0.01
#: distinct values up to which a numeric column is coded like a category
MAX_CODED_VALUES = 6
#: codes of a column that fewer objects have are one code
MIN_CODE_SHARE, MIN_CODE_COUNT = 0.02, 5
#: columns are compared with as many others, drawn at random where there are more
MAX_PARTNERS = 200
#: objects that the comparison takes, and cells where there are many columns
MAX_OBJECTS, MAX_CELLS, MIN_SAMPLED = 5_000, 2_000_000, 500
#: triples of columns are tested up to this number of columns
MAX_IN_TRIPLES = 60
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
    """Codes of a numeric column: its few values, else its quarters; equal values share a code."""
    distinct, codes = np.unique(values, return_inverse=True)
    if len(distinct) > MAX_CODED_VALUES:
        edges = np.unique(np.quantile(values, (0.25, 0.5, 0.75)))
        codes = np.searchsorted(edges, values)
    return merge_rare(codes.astype(np.int64))


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


def pair_tests(codes: Sequence[Ints], partners: Ints) -> Floats:
    """p-value of independence (χ²) of each column and each partner; 1 for a column with itself.

    Time O(n D P) for D codes of all columns and P codes of the partners.
    """
    n = len(codes[0])
    sizes = np.array([int(code.max()) + 1 for code in codes])
    rows = _indicators(codes, sizes)
    columns = _indicators([codes[j] for j in partners], sizes[partners])
    counts = (rows.T @ columns).astype(np.float64)
    shares = counts**2 / np.outer(rows.sum(axis=0), columns.sum(axis=0))
    starts = np.r_[0, np.cumsum(sizes)[:-1]]
    partner_starts = np.r_[0, np.cumsum(sizes[partners])[:-1]]
    sums = np.add.reduceat(np.add.reduceat(shares, starts, axis=0), partner_starts, axis=1)
    statistic = np.maximum(n * (sums - 1), 0.0)
    freedom = np.outer(sizes - 1, sizes[partners] - 1)
    p_values = np.where(freedom > 0, chi2.sf(statistic, np.maximum(freedom, 1)), 1.0)
    p_values[partners, np.arange(len(partners))] = 1.0
    return p_values


def _indicators(codes: Sequence[Ints], sizes: Ints) -> NDArray[np.float32]:
    """Columns of 0 and 1, one for each code of each column."""
    out = np.zeros((len(codes[0]), int(sizes.sum())), dtype=np.float32)
    start = 0
    for code, size in zip(codes, sizes, strict=True):
        out[np.arange(len(code)), start + code] = 1.0
        start += size
    return out


def mode_p_value(values: Floats, rng: np.random.Generator) -> float:
    """p-value of one mode: Hartigan's dip against a uniform density, ties spread apart."""
    distinct = np.unique(values)
    if len(distinct) <= MAX_CODED_VALUES:
        return 1.0
    if len(distinct) < 0.8 * len(values):
        steps = np.diff(distinct)
        reach = np.minimum(steps, 3 * np.median(steps)) / 2
        at = np.searchsorted(distinct, values)
        below, above = np.r_[reach[0], reach][at], np.r_[reach, reach[-1]][at]
        values = values + rng.uniform(-below, above)
    from karat._kernels.dip import dip_evidence  # starts Numba

    return float(np.exp(-dip_evidence(np.sort(values))))


def triple_tests(values: Floats, candidates: Bools) -> Floats:
    """Smallest p-value of each candidate with two columns: of its sign and their product's sign.

    Values above their median are 1, others -1. A column whose sign goes with the product of two
    others' signs depends on the two together, though it may depend on neither alone (XOR).
    """
    n, d = values.shape
    signs = np.where(values > np.median(values, axis=0), 1.0, -1.0)
    share = (signs > 0).mean(axis=0)
    has_two_sides = np.minimum(share, 1 - share) >= MIN_SIDE
    standardized = (signs - signs.mean(axis=0)) / np.where(has_two_sides, signs.std(axis=0), np.inf)
    p_values = np.ones(d)
    for i in np.flatnonzero(candidates & has_two_sides):
        means = standardized.T @ (standardized * standardized[:, [i]]) / n
        np.fill_diagonal(means, 0.0)
        means[i] = means[:, i] = 0.0
        p_values[i] = 2 * norm.sf(np.sqrt(n) * float(np.abs(means).max()))
    return p_values


def informative(
    codes: Sequence[Ints], values: Floats, is_numeric: Bools, rng: np.random.Generator
) -> Bools:
    """Mask of the columns that depend on others or have several modes.

    ``values`` has a number per column, for categories their codes.
    """
    d = len(codes)
    partners = np.arange(d)
    if d > MAX_PARTNERS:
        partners = np.sort(rng.choice(d, MAX_PARTNERS, replace=False))
    n_pairs = d * (len(partners) - 1) / (2 if len(partners) == d else 1)
    mask: Bools = pair_tests(codes, partners).min(axis=1) * n_pairs <= LEVEL
    for j in np.flatnonzero(is_numeric & ~mask):
        mask[j] = mode_p_value(values[:, j], rng) * d <= LEVEL
    if d <= MAX_IN_TRIPLES and not mask.all():
        n_triples = d * (d - 1) * (d - 2) / 6
        mask |= triple_tests(values, ~mask) * n_triples <= LEVEL
    return mask
