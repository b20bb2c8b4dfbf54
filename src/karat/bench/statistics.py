"""Statistics of scores over data sets: intervals, the best of several tries, power."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bench.permutation import settled
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd


def score_table(scores: Any) -> pd.DataFrame:
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
        Two-sided level of Wilcoxon's signed-rank test, and the chance that it finds the difference.

    Returns
    -------
    int
        At least so many that the test can find anything.

    Raises
    ------
    InputError
        If a pilot has fewer than two sets or the same difference on all, or ``difference`` is not
        positive.

    Notes
    -----
    The least N for which the paired t test has that power (noncentral t), with the pilot's standard
    deviation, as if data sets were a random draw; times π/3, because Wilcoxon's test is so much
    less efficient for normal differences. N sets in favour of one method have p = 2^(1 − N).

    Examples
    --------
    >>> from karat.bench import sets_needed
    >>> sets_needed([0.5, 0.6, 0.7, 0.4], [0.5, 0.5, 0.6, 0.5])
    191
    """
    from scipy import stats

    gap = np.asarray(one, dtype=np.float64) - np.asarray(other, dtype=np.float64)
    if gap.ndim != 1 or len(gap) < 2 or difference <= 0:
        raise InputError("a pilot of 2 sets or more and a difference above 0 are wanted")
    deviation = float(settled(gap).std(ddof=1))
    if deviation <= 1e-15 * np.abs(gap).max():
        raise InputError(
            "the pilot has the same difference on every set and does not tell how much it varies; "
            "give one in which it does"
        )
    effect = difference / deviation
    least = 1 + math.ceil(-math.log2(alpha))

    def has_power(n: int) -> bool:
        limit = stats.t.ppf(1 - alpha / 2, n - 1)
        away = effect * math.sqrt(n)
        own = float(stats.nct.sf(limit, n - 1, away))
        if math.isnan(own):  # far from 0, where only the standard deviation is left to chance
            own = float(stats.chi2.cdf((n - 1) * (away / limit) ** 2, n - 1))
        return own >= power

    low, high = 1, 2
    while not has_power(high):
        low, high = high, 2 * high
        if high > 10**6:  # the t distribution is the normal one
            total = stats.norm.isf(alpha / 2) + stats.norm.isf(1 - power)
            return math.ceil((total / effect) ** 2 * math.pi / 3)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if has_power(middle) else (middle, high)
    return max(math.ceil(high * math.pi / 3), least)
