"""Permutation null distributions for sums of ranks and signed ranks."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sortal.typing import Floats

    #: twice the ranks of each data set, ascending: whole numbers, ties included
    Pattern: TypeAlias = tuple[tuple[int, ...], ...]

#: limit of cost: rank sums that the exact count may visit, a second
_MAX_SUMS = 1_500_000
#: limit of cost: larger tables of ranks use asymptotic distributions
_MAX_RANKS = 600
#: limit of cost: orders that are drawn, for a standard error of 0.0015 at p = 0.05
_DRAWS = 20_000
#: limit of cost: more differences use the normal distribution
_MAX_SIGNS = 200


def settled(values: Floats, scale: Floats) -> Floats:
    """Values rounded to 12 digits of their scale; further digits depend on the order of a sum.

    The last rounded digit is a power of ten, so equal values are equal for any scale.
    """
    with np.errstate(divide="ignore"):
        digits = 12 - np.ceil(np.log10(scale))
    power = 10.0 ** np.minimum(np.abs(digits), 307)
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = np.where(
            digits >= 0, np.rint(values * power) / power, np.rint(values / power) * power
        )
    return np.where(np.isfinite(rounded), rounded, values)


def scale_of_sets(scores: Floats) -> Floats:
    """Largest magnitude of each data set's scores, (sets, 1)."""
    return np.abs(scores).max(axis=1, keepdims=True)


@dataclass(frozen=True)
class RankSums:
    """Null distribution of rank sums: the ranks on each data set in random order."""

    sums: NDArray[np.int64]
    chances: Floats
    exact: bool

    def tail(self, values: NDArray[Any], least: float) -> float:
        """Probability that the values, one for each row of sums, are at least ``least``.

        With drawn orders, the observed order counts as one more draw (Phipson & Smyth 2010).
        """
        reached = float(self.chances[values >= least - 1e-9].sum())
        if self.exact:
            return min(reached, 1.0)
        m = len(self.chances)
        return (round(reached * m) + 1) / (m + 1)


def rank_sums(ranks: Floats) -> RankSums | None:
    """Null distribution of the rank sums, or None if the table is too large."""
    twice = np.sort(np.round(2 * ranks).astype(np.int64), axis=1)
    rows = sorted(tuple(row) for row in twice.tolist() if row[0] < row[-1])
    return _rank_sums(tuple(rows), ranks.shape[1])


@lru_cache(maxsize=64)
def _rank_sums(pattern: Pattern, k: int) -> RankSums | None:
    """Null distribution of a pattern of ranks: exact if possible, else drawn."""
    exact_sums = _exact_rank_sums(pattern, k)
    if exact_sums is not None:
        return RankSums(*exact_sums, exact=True)
    if len(pattern) * k > _MAX_RANKS:
        return None
    rng = np.random.default_rng(0)
    rows = np.array(pattern)[None]
    sums = [
        np.take_along_axis(rows, rng.random((1000, *rows.shape[1:])).argsort(axis=2), 2).sum(axis=1)
        for _ in range(_DRAWS // 1000)
    ]
    return RankSums(np.sort(np.concatenate(sums), axis=1), np.full(_DRAWS, 1 / _DRAWS), exact=False)


def _exact_rank_sums(pattern: Pattern, k: int) -> tuple[NDArray[np.int64], Floats] | None:
    """Every possible row of sorted rank sums and its probability; None if too many."""
    sums, chances, n_visited = np.zeros((1, k), dtype=np.int64), np.ones(1), 0
    digits = (1 + sum(max(row) for row in pattern)) ** np.arange(k, dtype=object)
    if k > 8 or digits[-1] * digits[1] >= 2**63:
        return None
    for row in pattern:
        orders = math.factorial(k)
        for tied in np.unique(row, return_counts=True)[1].tolist():
            orders //= math.factorial(tied)
        n_visited += len(sums) * orders
        if n_visited > _MAX_SUMS:
            return None
        added = np.array(sorted(set(itertools.permutations(row))))
        reached = np.sort((sums[:, None] + added[None]).reshape(-1, k), axis=1)
        shares = np.repeat(chances / len(added), len(added))
        # each row of sums as one number
        _, first, inverse = np.unique(
            reached @ digits.astype(np.int64), return_index=True, return_inverse=True
        )
        sums = reached[first]
        chances = np.bincount(inverse.ravel(), shares).astype(np.float64)
    return sums, chances


def signed_ranks(pairs: Floats) -> tuple[Floats, Floats]:
    """Ranks of the nonzero differences among all differences (Pratt 1959), and their signs.

    ``pairs`` are the scores of two methods, (sets, 2).
    """
    from scipy.stats import rankdata

    gaps = settled(pairs[:, 0] - pairs[:, 1], scale_of_sets(pairs)[:, 0])
    return rankdata(np.abs(gaps))[gaps != 0], np.sign(gaps[gaps != 0])


def signed_rank_p(ranks: Floats, signs: Floats) -> float:
    """Two-sided p value of Wilcoxon's signed-rank test over all signs of these ranks."""
    total, squares = float(ranks.sum()), float((ranks**2).sum())
    positive = float(ranks[signs > 0].sum())
    extreme = max(positive, total - positive)
    if len(ranks) > _MAX_SIGNS:
        return math.erfc((2 * extreme - total) / math.sqrt(2 * squares))
    chances = _signed_sums(tuple(sorted(np.round(2 * ranks).astype(int).tolist())))
    return min(1.0, 2 * float(chances[round(2 * extreme) :].sum()))


@lru_cache(maxsize=256)
def _signed_sums(twice: tuple[int, ...]) -> Floats:
    """Probability of each sum of positively signed ranks, from 0."""
    chances = np.zeros(sum(twice) + 1)
    chances[0] = 1.0
    for rank in twice:
        moved = np.zeros_like(chances)
        moved[rank:] = chances[:-rank]
        chances = (chances + moved) / 2
    return chances
