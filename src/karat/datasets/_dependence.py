"""Dependence of columns on each other: which of them say something about the rest, and how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import chi2, norm

from karat._kernels.dip import dip_evidence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.runtime.types import Bools, Floats, Ints

#: probability of taking any of many independent columns for a dependent one
LEVEL = 0.01
#: distinct values up to which a numeric column is coded like a category
MAX_CODED_VALUES = 6
#: codes of a column that fewer objects have are one code
MIN_CODE_SHARE, MIN_CODE_COUNT = 0.02, 5
#: weight of a column per unit of its largest Cramér's V with another column
STEEPNESS = 2.0
#: columns are compared with as many others, drawn at random where there are more
MAX_PARTNERS = 200
#: objects that the comparison takes, and cells where there are many columns
MAX_OBJECTS, MAX_CELLS, MIN_SAMPLED = 5_000, 2_000_000, 500
#: triples of columns are tested up to this number of columns
MAX_IN_TRIPLES = 60
#: least share of objects on either side of a column's median for a test of triples
MIN_SIDE = 0.1


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


def pair_tests(codes: Sequence[Ints], partners: Ints) -> tuple[Floats, Floats]:
    """p-value of independence and bias-corrected Cramér's V of each column with each partner.

    A column with itself has the p-value 1 and V 0. Time O(n D P) for D codes of all columns and P
    codes of the partners.
    """
    n = len(codes[0])
    sizes = np.array([int(code.max()) + 1 for code in codes])
    rows = _indicators(codes, sizes)
    chosen = [codes[j] for j in partners]
    columns = _indicators(chosen, sizes[partners])
    counts = (rows.T @ columns).astype(np.float64)
    shares = counts**2 / np.outer(rows.sum(axis=0), columns.sum(axis=0))
    starts = np.r_[0, np.cumsum(sizes)[:-1]]
    partner_starts = np.r_[0, np.cumsum(sizes[partners])[:-1]]
    sums = np.add.reduceat(np.add.reduceat(shares, starts, axis=0), partner_starts, axis=1)
    statistic = np.maximum(n * (sums - 1), 0.0)
    freedom = np.outer(sizes - 1, sizes[partners] - 1)
    smaller = np.minimum.outer(sizes, sizes[partners]) - 1
    excess = np.maximum(statistic - freedom, 0.0)
    strength = np.sqrt(excess / (n * np.maximum(smaller, 1)))
    p_values = np.where(freedom > 0, chi2.sf(statistic, np.maximum(freedom, 1)), 1.0)
    p_values[partners, np.arange(len(partners))] = 1.0
    strength[partners, np.arange(len(partners))] = 0.0
    return p_values, np.where(freedom > 0, strength, 0.0)


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
    return float(np.exp(-dip_evidence(np.sort(values))))


def triple_strength(values: Floats, candidates: Bools) -> tuple[Floats, Floats]:
    """Smallest p-value and strength of each candidate's triples: the sign of two columns' product.

    Values above and below their median are 1 and -1. A column whose sign goes with the product of
    two others' signs depends on the two together, though it may depend on neither alone (XOR).
    """
    d = values.shape[1]
    signs = np.where(values > np.median(values, axis=0), 1.0, -1.0)
    share = (signs > 0).mean(axis=0)
    two_sided = np.minimum(share, 1 - share) >= MIN_SIDE
    centred = (signs - signs.mean(axis=0)) / np.where(two_sided, signs.std(axis=0), np.inf)
    n = len(values)
    p_values, strength = np.ones(d), np.zeros(d)
    for i in np.flatnonzero(candidates & two_sided):
        means = centred.T @ (centred * centred[:, [i]]) / n
        np.fill_diagonal(means, 0.0)
        means[i] = means[:, i] = 0.0
        strongest = float(np.abs(means).max())
        p_values[i] = 2 * norm.sf(np.sqrt(n) * strongest)
        strength[i] = strongest
    return p_values, strength


def informative_weights(
    codes: Sequence[Ints], values: Floats, is_numeric: Bools, rng: np.random.Generator
) -> Floats:
    """Weights of columns from their codes; 0 for one that depends on no other and has one mode.

    ``values`` has a number per column, for categories their codes. The weight is twice the largest
    V, at most 1; that of a column with several modes is 1.
    """
    d = len(codes)
    partners = np.arange(d)
    if d > MAX_PARTNERS:
        partners = np.sort(rng.choice(d, MAX_PARTNERS, replace=False))
    p_values, strength = pair_tests(codes, partners)
    n_pairs = d * (len(partners) - 1) / (2 if len(partners) == d else 1)
    is_dependent = p_values.min(axis=1) * n_pairs <= LEVEL
    weights = np.where(is_dependent, np.minimum(1.0, STEEPNESS * strength.max(axis=1)), 0.0)
    for j in np.flatnonzero(is_numeric & (weights < 1)):
        if mode_p_value(values[:, j], rng) * d <= LEVEL:
            weights[j] = 1.0
    if d <= MAX_IN_TRIPLES and (weights == 0).any():
        p_of_triples, strength_of_triples = triple_strength(values, weights == 0)
        n_triples = d * (d - 1) * (d - 2) / 6
        is_joint = p_of_triples * n_triples <= LEVEL
        weights = np.where(is_joint, np.minimum(1.0, STEEPNESS * strength_of_triples), weights)
    return weights
