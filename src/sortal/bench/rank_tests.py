"""Rank tests of several methods on several data sets, of all methods and of each pair.

Scores have a row for each data set and a column for each method; greater is better.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sortal.bench.permutation import (
    rank_sums,
    scale_of_sets,
    settled,
    signed_rank_p,
    signed_ranks,
)
from sortal.bench.statistics import score_table
from sortal.bounds.multiplicity import holm
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd

    from sortal.bench.statistics import MethodScores


def average_ranks(scores: MethodScores) -> pd.Series:
    """Mean rank of each method over the data sets, the best first; 1 is best.

    Parameters
    ----------
    scores : DataFrame or mapping of str to array-like, (sets, methods)
        Greater is better; all finite.

    Returns
    -------
    Series
        By method.

    Examples
    --------
    >>> from sortal.bench import average_ranks
    >>> average_ranks({"a": [0.9, 0.8, 0.7], "b": [0.5, 0.8, 0.6]}).tolist()
    [1.1666666666666667, 1.8333333333333333]
    """
    return ranked(scores).mean().sort_values(kind="stable")


def ranked(scores: MethodScores) -> pd.DataFrame:
    """Rank of each method on each data set; 1 is best, equal scores share their mean rank."""
    table = score_table(scores)
    values = table.to_numpy()
    table[:] = settled(values, scale_of_sets(values))
    return table.rank(axis=1, ascending=False)


@dataclass(frozen=True)
class Friedman:
    """Friedman's test of equal ranks.

    Attributes
    ----------
    chi_square : float
        Friedman's statistic, corrected for ties.
    statistic : float
        Iman and Davenport's F = (N − 1)χ²/(N(k − 1) − χ²) for N sets and k methods; infinite if
        every set has the same order.
    p_value : float
    least : float
        The least possible p value of data sets with these ties.
    method : str
        ``"exact"``, ``"20,000 permutations"``, or ``"F distribution"`` with k − 1 and
        (k − 1)(N − 1) degrees of freedom.
    """

    chi_square: float
    statistic: float
    p_value: float
    least: float
    method: str


def friedman_test(scores: MethodScores) -> Friedman:
    """Friedman's test of whether any method ranks differently (Demšar 2006, §3.2.2).

    Parameters
    ----------
    scores : DataFrame or mapping of str to array-like, (sets, methods)
        Greater is better; all finite.

    Returns
    -------
    Friedman

    Notes
    -----
    The p value is the share of all orders of the methods on each data set with at least this χ².
    Orders are drawn if they are too many to count. Only large tables use the F distribution, since
    it rejects too often for few sets. For two equal methods on two sets, at a level of 0.05, it
    rejects half of the tables. If all scores are equal, χ² is 0 and p is 1.

    Examples
    --------
    >>> from sortal.bench import friedman_test
    >>> scores = {"a": [3, 3, 3, 3], "b": [2, 2, 2, 1], "c": [1, 1, 1, 2]}
    >>> round(friedman_test(scores).p_value, 3)
    0.042
    """
    from scipy import stats

    ranks = ranked(scores).to_numpy()
    n, k = ranks.shape
    spread = float(((ranks - (k + 1) / 2) ** 2).sum())
    if spread == 0:
        return Friedman(0.0, 0.0, 1.0, 1.0, "exact")
    between = ((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum()
    chi = float((k - 1) * between / spread)
    remainder = n * (k - 1) - chi
    statistic = math.inf if remainder <= 1e-12 else (n - 1) * chi / remainder
    null = rank_sums(ranks)
    if null is None:
        p = 0.0 if math.isinf(statistic) else stats.f.sf(statistic, k - 1, (k - 1) * (n - 1))
        return Friedman(chi, statistic, float(p), 0.0, "F distribution")
    # sets on which all methods tie add nothing to the sums
    values = null.sums - null.sums.mean(axis=1, keepdims=True)
    squares = (values**2).sum(axis=1) / 4
    greatest = float(squares.max()) if null.exact else math.inf
    p, least = null.tail(squares, float(between)), null.tail(squares, greatest)
    method = "exact" if null.exact else f"{len(null.chances):,} permutations"
    return Friedman(chi, statistic, p, least, method)


def nemenyi_difference(n_methods: int, n_sets: int, alpha: float = 0.05) -> float:
    """Critical difference q √(k(k + 1)/(6N)) of Nemenyi's test (Demšar 2006, table 5).

    Parameters
    ----------
    n_methods, n_sets : int
    alpha : float, default 0.05

    Returns
    -------
    float
        The factor q is a quantile of the Studentised range, divided by √2.

    Examples
    --------
    >>> from sortal.bench import nemenyi_difference
    >>> round(nemenyi_difference(4, 14), 2)
    1.25
    """
    from scipy import stats

    if not 0 < alpha < 1:
        raise InputError(f"alpha must be in (0, 1); got {alpha}")
    q = float(stats.studentized_range.ppf(1 - alpha, n_methods, np.inf)) / math.sqrt(2)
    return q * math.sqrt(n_methods * (n_methods + 1) / (6 * n_sets))


def critical_difference(scores: MethodScores, alpha: float = 0.05) -> float:
    """Smallest significant difference of average ranks for these data sets.

    Parameters
    ----------
    scores : DataFrame or mapping of str to array-like, (sets, methods)
        Greater is better; all finite.
    alpha : float, default 0.05

    Returns
    -------
    float
        Infinite if no difference could be significant.

    Notes
    -----
    It is a quantile of the greatest difference over all orders of the methods on each data set,
    see :func:`friedman_test`. For large tables it is :func:`nemenyi_difference`, its limit.
    Whether two methods differ by this test depends on the ranks of the others (Benavoli, Corani &
    Mangili 2016); :func:`pairwise_wilcoxon` compares the two alone.

    Examples
    --------
    >>> from sortal.bench import critical_difference
    >>> critical_difference({"a": [2, 2, 2], "b": [1, 1, 1]})
    inf
    >>> critical_difference({"a": [2] * 6, "b": [1] * 6})
    1.0
    """
    ranks = ranked(scores).to_numpy()
    n, k = ranks.shape
    asymptotic = nemenyi_difference(k, n, alpha)
    null = rank_sums(ranks)
    if null is None:
        return asymptotic
    ranges = null.sums[:, -1] - null.sums[:, 0]
    significant = [span for span in np.unique(ranges) if null.tail(ranges, span) <= alpha]
    return float(significant[0]) / (2 * n) if significant else math.inf


def pairwise_wilcoxon(scores: MethodScores) -> pd.DataFrame:
    """Wilcoxon's signed-rank test of every pair of methods, corrected by Holm (1979).

    Parameters
    ----------
    scores : DataFrame or mapping of str to array-like, (sets, methods)
        Greater is better; all finite.

    Returns
    -------
    DataFrame
        A row for each pair: ``one``, ``other``, ``difference`` (mean of one minus mean of other),
        ``effect``, ``wins``, ``losses``, ``p`` and ``p_holm``.

    Notes
    -----
    ``p`` is two-sided and exact, ties
    included, for up to 200 data sets on which the two differ, and normal for more. Sets on
    which they tie are ranked and have no sign (Pratt 1959). The effect is the rank-biserial
    correlation: the share of the ranks in favour of ``one`` minus the share in favour of
    ``other`` (Kerby 2014); ties favour neither.

    Examples
    --------
    >>> from sortal.bench import pairwise_wilcoxon
    >>> scores = {"a": [5, 6, 7, 8, 9, 10], "b": [4, 4, 4, 4, 4, 4]}
    >>> pairwise_wilcoxon(scores)[["wins", "effect", "p"]].values.tolist()
    [[6.0, 1.0, 0.03125]]
    """
    import pandas as pd

    table = score_table(scores)
    total = len(table) * (len(table) + 1) / 2
    rows = []
    for first, second in itertools.combinations(table.columns, 2):
        ranks, signs = signed_ranks(table[[first, second]].to_numpy())
        rows.append(
            {
                "one": first,
                "other": second,
                "difference": float((table[first] - table[second]).mean()),
                "effect": float(ranks @ signs) / total,
                "wins": int((signs > 0).sum()),
                "losses": int((signs < 0).sum()),
                "p": signed_rank_p(ranks, signs),
            }
        )
    pairs = pd.DataFrame(rows)
    return pairs.assign(p_holm=holm(pairs["p"].to_numpy()))
