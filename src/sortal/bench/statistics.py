"""Statistics of scores over data sets: intervals, the best of several tries."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    #: scores with a row for each data set and a column for each method
    MethodScores: TypeAlias = pd.DataFrame | dict[str, Any] | npt.NDArray[Any]


def score_table(scores: MethodScores) -> pd.DataFrame:
    """Validate scores: a row for each data set, a column for each method, all finite."""
    import pandas as pd

    try:
        table = pd.DataFrame(scores).astype(float)
    except (ValueError, TypeError) as error:
        raise InputError(
            f"scores are numbers, for each method as many as there are data sets ({error})"
        ) from None
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
    infinite = np.argwhere(np.isinf(table.to_numpy()))
    if len(infinite):
        row, column = infinite[0]
        raise InputError(
            f"{len(infinite)} scores are infinite, the first of {table.columns[column]!r} on "
            f"{table.index[row]!r}. Drop these data sets or methods, or score them as the worst "
            "or best finite value"
        )
    return table


def mean_interval(values: npt.ArrayLike) -> tuple[float, float]:
    """95 % interval of a mean by Student's t; NaN for a single value.

    Parameters
    ----------
    values : array-like, shape (n,)

    Returns
    -------
    tuple of float
        Lower and upper end.

    Examples
    --------
    >>> from sortal.bench import mean_interval
    >>> [round(end, 3) for end in mean_interval([1.0, 2.0, 3.0])]
    [-0.484, 4.484]
    """
    from scipy import stats

    x = np.asarray(values, dtype=np.float64)
    if len(x) < 2:
        return math.nan, math.nan
    half = float(stats.t.ppf(0.975, len(x) - 1) * x.std(ddof=1) / math.sqrt(len(x)))
    return float(x.mean()) - half, float(x.mean()) + half


def expected_best(tries: npt.ArrayLike, m: int) -> float:
    """Expected greatest score of ``m`` tries drawn without replacement.

    Parameters
    ----------
    tries : array-like
        Scores of all tries of a method on a data set.
    m : int
        Number of tries that each method may use.

    Returns
    -------
    float
        The mean of the greatest score over all choices of m tries.

    Notes
    -----
    Σ x₍ᵢ₎ C(i − 1, m − 1)/C(s, m) over the ordered tries. The best of ten tries is greater than
    that of one by chance alone; with the same m for all, nobody wins by trying more often.

    Examples
    --------
    >>> from sortal.bench import expected_best
    >>> expected_best([1, 2, 3], 2)
    2.6666666666666665
    """
    x = np.sort(np.asarray(tries, dtype=np.float64))
    s = len(x)
    if not 1 <= m <= s:
        raise InputError(f"the best of {m} tries cannot be computed from {s}")
    weights = [math.comb(i, m - 1) / math.comb(s, m) for i in range(s)]
    return float(x @ np.array(weights))
