"""Statistics for several methods on several data sets: ranks, tests, and what they allow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.runtime.validation import InputError, check_random_state

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def _table(scores: Any) -> pd.DataFrame:
    """Scores with a row for each data set and a column for each method, none missing."""
    import pandas as pd

    table = pd.DataFrame(scores).astype(float)
    if table.shape[0] < 2 or table.shape[1] < 2:
        raise InputError(
            f"a comparison needs two data sets and two methods or more; got {table.shape[0]} and "
            f"{table.shape[1]}"
        )
    empty = table.isna()
    if empty.to_numpy().any():
        row, column = np.argwhere(empty.to_numpy())[0]
        raise InputError(
            f"{int(empty.to_numpy().sum())} scores are missing, the first of "
            f"{table.columns[column]!r} on {table.index[row]!r}; drop the data sets or the methods "
            "that have none, or score a failure as the worst value"
        )
    return table


def average_ranks(scores: Any) -> pd.Series:
    """The mean rank of each method over the data sets; 1 is best.

    Parameters
    ----------
    scores : DataFrame or array-like, shape (sets, methods)
        Greater is better.

    Returns
    -------
    Series
        Best first, in [1, methods]; equal scores share the mean of their ranks.

    Raises
    ------
    InputError
        For a missing score, or fewer than two sets or methods.

    Examples
    --------
    >>> from karat.bench import average_ranks
    >>> average_ranks({"a": [0.9, 0.8, 0.7], "b": [0.5, 0.8, 0.6]}).tolist()
    [1.1666666666666667, 1.8333333333333333]
    """
    table = _table(scores)
    return table.rank(axis=1, ascending=False).mean().sort_values(kind="stable")


@dataclass(frozen=True)
class Friedman:
    """Friedman's test of equal ranks, in Iman and Davenport's form.

    Attributes
    ----------
    chi_square : float
        Friedman's statistic, corrected for ties.
    statistic : float
        F = (N − 1)χ²/(N(k − 1) − χ²) for N sets and k methods; infinite where every set has the
        same order.
    p_value : float
        By the F distribution with k − 1 and (k − 1)(N − 1) degrees of freedom.
    """

    chi_square: float
    statistic: float
    p_value: float


def friedman_test(scores: Any) -> Friedman:
    """Whether any method ranks differently from another.

    Parameters
    ----------
    scores : DataFrame or array-like, shape (sets, methods)
        Greater is better.

    Returns
    -------
    Friedman

    Raises
    ------
    InputError
        As for :func:`average_ranks`.

    Notes
    -----
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets, §3.2.2. Where
    all scores are equal χ² is 0 and p is 1.

    Examples
    --------
    >>> from karat.bench import friedman_test
    >>> scores = {"a": [3, 3, 3, 3], "b": [2, 2, 2, 1], "c": [1, 1, 1, 2]}
    >>> round(friedman_test(scores).p_value, 3)
    0.007
    """
    from scipy import stats

    table = _table(scores)
    n, k = table.shape
    ranks = table.rank(axis=1).to_numpy()
    sums = ranks.sum(axis=0)
    spread = float(((ranks - (k + 1) / 2) ** 2).sum())
    between = float(((sums - n * (k + 1) / 2) ** 2).sum())
    chi = 0.0 if spread == 0 else (k - 1) * between / spread
    left = n * (k - 1) - chi
    statistic = math.inf if left <= 1e-12 else (n - 1) * chi / left
    p = 0.0 if math.isinf(statistic) else float(stats.f.sf(statistic, k - 1, (k - 1) * (n - 1)))
    return Friedman(chi, statistic, p)


def nemenyi_difference(n_methods: int, n_sets: int, alpha: float = 0.05) -> float:
    """The difference of average ranks from which two methods differ by Nemenyi's test.

    Parameters
    ----------
    n_methods, n_sets : int
    alpha : float, default 0.05
        Chance that any of the pairs is called different where none is.

    Returns
    -------
    float
        q √(k(k + 1)/(6N)), q from the Studentised range.

    Notes
    -----
    Demšar (2006), table 5: q is 2.343 for 3 methods at 0.05, and 3.164 for 10.

    Examples
    --------
    >>> from karat.bench import nemenyi_difference
    >>> round(nemenyi_difference(4, 14), 2)
    1.25
    """
    from scipy import stats

    if n_methods < 2 or n_sets < 1 or not 0 < alpha < 1:
        raise InputError(
            "a critical difference needs 2 methods, 1 set and alpha in (0, 1); got "
            f"{n_methods}, {n_sets} and {alpha}"
        )
    q = float(stats.studentized_range.ppf(1 - alpha, n_methods, np.inf)) / math.sqrt(2)
    return q * math.sqrt(n_methods * (n_methods + 1) / (6 * n_sets))


def pairwise_wilcoxon(scores: Any) -> pd.DataFrame:
    """Wilcoxon's signed-rank test of every pair of methods, corrected by Holm.

    Parameters
    ----------
    scores : DataFrame or array-like, shape (sets, methods)
        Greater is better.

    Returns
    -------
    DataFrame
        A row for each pair: ``one``, ``other``, ``difference`` (mean of one less other), ``wins``,
        ``losses``, ``p`` and ``p_holm``.

    Raises
    ------
    InputError
        As for :func:`average_ranks`.

    Notes
    -----
    Ties of the two methods are ranked and shared between the signs (Pratt's zeros are not
    dropped: ``zero_method="zsplit"``). Holm (1979) keeps the chance of any false difference at
    alpha.

    Examples
    --------
    >>> from karat.bench import pairwise_wilcoxon
    >>> scores = {"a": [5, 6, 7, 8, 9, 10], "b": [4, 4, 4, 4, 4, 4]}
    >>> pairwise_wilcoxon(scores)[["wins", "p"]].values.tolist()
    [[6.0, 0.03125]]
    """
    import itertools

    import pandas as pd
    from scipy import stats

    table = _table(scores)
    rows = []
    for one, other in itertools.combinations(table.columns, 2):
        gap = (table[one] - table[other]).to_numpy()
        exact = len(gap) <= 50 and len(np.unique(np.abs(gap))) == len(gap) and (gap != 0).all()
        p = 1.0
        if gap.any():
            method = "exact" if exact else "approx"
            p = float(stats.wilcoxon(gap, zero_method="zsplit", method=method).pvalue)
        rows.append(
            {
                "one": one,
                "other": other,
                "difference": float(gap.mean()),
                "wins": int((gap > 0).sum()),
                "losses": int((gap < 0).sum()),
                "p": p,
            }
        )
    found = pd.DataFrame(rows)
    order = np.argsort(found["p"].to_numpy(), kind="stable")
    stepped = found["p"].to_numpy()[order] * (len(found) - np.arange(len(found)))
    holm = np.empty(len(found))
    holm[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return found.assign(p_holm=holm)


def bayesian_signed_rank(
    one: Any, other: Any, rope: float = 0.01, *, n_draws: int = 20_000, random_state: Any = 0
) -> tuple[float, float, float]:
    """Probabilities that one method is better, that they are equivalent, that the other is better.

    Parameters
    ----------
    one, other : array-like, shape (sets,)
        Scores of the two methods on the same data sets.
    rope : float, default 0.01
        Differences up to this are of no practical meaning.
    n_draws : int, default 20,000
        Draws from the posterior.
    random_state : int, Generator or None

    Returns
    -------
    tuple of float
        They sum to 1.

    Raises
    ------
    InputError
        For other shapes, missing scores or a negative ``rope``.

    Notes
    -----
    Benavoli, Corani, Mangili & Zaffalon (2014), with a Dirichlet process of strength 0.5 at a
    difference of 0. O(draws · sets²).

    Examples
    --------
    >>> from karat.bench import bayesian_signed_rank
    >>> better, same, worse = bayesian_signed_rank([0.9] * 8, [0.5] * 8)
    >>> better > 0.99
    True
    """
    gap = np.asarray(one, dtype=np.float64) - np.asarray(other, dtype=np.float64)
    if gap.ndim != 1 or not len(gap) or not np.isfinite(gap).all() or rope < 0:
        raise InputError("two rows of finite scores of the same sets and rope ≥ 0 are wanted")
    rng = check_random_state(random_state)
    z = np.concatenate([[0.0], gap])
    means = (z[:, None] + z[None, :]) / 2
    above, below = (means > rope).astype(float), (means < -rope).astype(float)
    alpha = np.concatenate([[0.5], np.ones(len(gap))])
    wins = np.zeros(3)
    for start in range(0, n_draws, 2000):
        weights = rng.dirichlet(alpha, size=min(2000, n_draws - start))
        right = np.einsum("si,ij,sj->s", weights, above, weights, optimize=True)
        left = np.einsum("si,ij,sj->s", weights, below, weights, optimize=True)
        inside = 1 - right - left
        wins += np.bincount(np.argmax([right, inside, left], axis=0), minlength=3)
    better, same, worse = (wins / wins.sum()).tolist()
    return better, same, worse


def mean_interval(values: Any, level: float = 0.95) -> tuple[float, float]:
    """The interval of a mean by Student's t; missing for one value.

    Parameters
    ----------
    values : array-like, shape (n,)
    level : float, default 0.95

    Returns
    -------
    tuple of float
        Lower and upper end.

    Examples
    --------
    >>> from karat.bench import mean_interval
    >>> [round(end, 3) for end in mean_interval([1.0, 2.0, 3.0])]
    [-0.484, 4.484]
    """
    from scipy import stats

    x = np.asarray(values, dtype=np.float64)
    if len(x) < 2:
        return math.nan, math.nan
    half = float(stats.t.ppf((1 + level) / 2, len(x) - 1) * x.std(ddof=1) / math.sqrt(len(x)))
    return float(x.mean()) - half, float(x.mean()) + half


def performance_profile(values: Any, *, ratios: bool = False) -> pd.DataFrame:
    """On which share of the data sets a method is at most so far from the best.

    Parameters
    ----------
    values : DataFrame or array-like, shape (sets, methods)
        Scores, greater is better; with ``ratios`` costs above 0 (seconds, bytes), less is better.
    ratios : bool, default False
        Distance from the best of a set as cost over the least cost (Dolan & Moré 2002), otherwise
        as the difference from the greatest score, because scores may be 0 or negative.

    Returns
    -------
    DataFrame
        A row for each distance at which any share changes, ascending from 0 (1 with ``ratios``),
        named ``distance``; a column for each method, non-decreasing to 1. The first row is the
        share of sets on which the method is best or as good as the best.

    Raises
    ------
    InputError
        For missing values, or costs that are not positive.

    Examples
    --------
    >>> from karat.bench import performance_profile
    >>> performance_profile({"a": [2, 8], "b": [4, 4]}, ratios=True)
                a    b
    distance
    1.0       0.5  0.5
    2.0       1.0  1.0
    """
    import pandas as pd

    table = _table(values)
    x = table.to_numpy()
    if ratios and not (x > 0).all():
        raise InputError("ratios are of costs, which must be above 0; leave ratios out for scores")
    away = x / x.min(axis=1, keepdims=True) if ratios else x.max(axis=1, keepdims=True) - x
    steps = np.unique(np.append(away, 1.0 if ratios else 0.0))
    shares = (away[None] <= steps[:, None, None]).mean(axis=1)
    return pd.DataFrame(shares, index=pd.Index(steps, name="distance"), columns=table.columns)


def expected_best(tries: Any, m: int) -> float:
    """Expected greatest of ``m`` of the tries, drawn without replacement.

    Parameters
    ----------
    tries : array-like
        Scores of all tries of a method on a data set.
    m : int
        How many each method may try.

    Returns
    -------
    float
        The mean over all choices of m tries.

    Raises
    ------
    InputError
        If there are fewer than ``m`` tries.

    Notes
    -----
    Σ x₍ᵢ₎ C(i − 1, m − 1)/C(s, m) over the ordered tries. The best of ten tries is greater than
    that of one by chance alone; with the same m for all, nobody wins by trying more often.

    Examples
    --------
    >>> from karat.bench import expected_best
    >>> expected_best([1, 2, 3], 2)
    2.6666666666666665
    """
    x = np.sort(np.asarray(tries, dtype=np.float64))
    s = len(x)
    if not 1 <= m <= s:
        raise InputError(f"the best of {m} tries cannot be told from {s}")
    weights = [math.comb(i, m - 1) / math.comb(s, m) for i in range(s)]
    return float(x @ np.array(weights))


def sets_needed(
    one: Any, other: Any, difference: float = 0.02, *, alpha: float = 0.05, power: float = 0.8
) -> int:
    """How many data sets would show a mean difference with this power.

    Parameters
    ----------
    one, other : array-like, shape (sets,)
        Scores of two methods on the same data sets, a pilot.
    difference : float, default 0.02
        The mean difference that matters.
    alpha, power : float
        Two-sided level of a paired t test, and the chance that it finds the difference.

    Returns
    -------
    int
        At least 2.

    Raises
    ------
    InputError
        If a pilot has fewer than two sets, or ``difference`` is not positive.

    Notes
    -----
    The least N for which the noncentral t distribution has that power, with the pilot's standard
    deviation, as if data sets were a random draw.

    Examples
    --------
    >>> from karat.bench import sets_needed
    >>> sets_needed([0.5, 0.6, 0.7, 0.4], [0.5, 0.5, 0.6, 0.5])
    182
    """
    from scipy import stats

    gap = np.asarray(one, dtype=np.float64) - np.asarray(other, dtype=np.float64)
    if gap.ndim != 1 or len(gap) < 2 or difference <= 0:
        raise InputError("a pilot of 2 sets or more and a difference above 0 are wanted")
    effect = difference / max(float(gap.std(ddof=1)), 1e-12)

    def has_power(n: int) -> bool:
        limit = stats.t.ppf(1 - alpha / 2, n - 1)
        return bool(stats.nct.sf(limit, n - 1, effect * math.sqrt(n)) >= power)

    low, high = 1, 2
    while not has_power(high) and high < 10**7:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if has_power(middle) else (middle, high)
    return high
