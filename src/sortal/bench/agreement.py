"""Whether several measures rank methods alike."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sortal.bench.rank_tests import ranked
from sortal.bench.statistics import score_table
from sortal.runtime.validation import InputError, check_random_state

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.bench.statistics import MethodScores
    from sortal.typing import Floats, RandomState


def rank_agreement(
    scores: Mapping[str, MethodScores],
    *,
    published: Mapping[str, Sequence[object]] | None = None,
    n_resamples: int = 1000,
    random_state: RandomState = 0,
) -> pd.DataFrame:
    """Kendall's τ between rankings of methods, one by each measure.

    Parameters
    ----------
    scores : mapping of str to DataFrame, each (sets, methods)
        By the measure's name; greater is better. All have the same sets and methods.
    published : mapping of str to sequence of methods, optional
        Rankings from elsewhere, best first, each of all methods. They are not resampled.
    n_resamples : int, default 1000
        Bootstrap draws of the data sets.
    random_state : int, Generator or None

    Returns
    -------
    DataFrame
        A row for each pair of rankings, ``one`` and ``other``. ``tau`` is τ-b between the methods'
        average ranks over the sets, in the interval from ``low`` to ``high``.

    Notes
    -----
    Intervals come from a bootstrap: sets are drawn with replacement, the same for all measures.
    Average ranks of few sets are noisy. Noise pulls τ towards 0, and resampling adds to it. The
    interval therefore covers both the percentiles of the draws and their reflection at τ. 18 races
    were simulated, with 5 or 10 methods on 7, 14 or 30 sets. At a level of 0.95 it covered the τ of
    very many sets in 85 to 100 % of 100 trials each. Percentiles alone covered it in 36 to 100 %,
    reflected ones in 62 to 100 %. O(n_resamples · methods²) for each pair.

    Examples
    --------
    >>> from sortal.bench import rank_agreement
    >>> nmi = {"a": [0.9, 0.8, 0.9], "b": [0.6, 0.7, 0.5], "c": [0.5, 0.6, 0.4]}
    >>> purity = {"a": [0.9, 0.8, 0.9], "b": [0.5, 0.6, 0.4], "c": [0.6, 0.7, 0.5]}
    >>> rank_agreement({"NMI": nmi, "purity": purity})["tau"].round(3).tolist()
    [0.333]
    """
    import pandas as pd

    tables = _score_tables(scores)
    first = next(iter(tables.values()))
    n, methods = first.shape[0], list(first.columns)
    draws = _draw_sets(n, n_resamples, random_state)
    # ranks turned so that greater is better; sums of ranks are exact, means would not be
    ranks = {key: -ranked(table).to_numpy() for key, table in tables.items()}
    signs = {key: _signs(table.sum(axis=0)) for key, table in ranks.items()}
    resampled = {key: _signs(table[draws].sum(axis=1)) for key, table in ranks.items()}
    for key, table_signs in signs.items():
        if not table_signs.any():
            raise InputError(f"all methods tie by {key}, so it has no ranking; exclude it")
    fixed = {
        str(key): _signs(_positions(key, ranking, methods))
        for key, ranking in (published or {}).items()
    }
    signs |= fixed
    resampled |= fixed
    rows = []
    for first_key, second_key in itertools.combinations([*tables, *fixed], 2):
        if first_key in fixed:
            continue
        tau = float(_tau(signs[first_key], signs[second_key]))
        taus = _tau(resampled[first_key], resampled[second_key])
        low, high = _interval(tau, taus)
        rows.append({"one": first_key, "other": second_key, "tau": tau, "low": low, "high": high})
    return pd.DataFrame(rows, columns=["one", "other", "tau", "low", "high"])


def _score_tables(scores: Mapping[str, MethodScores]) -> dict[str, pd.DataFrame]:
    """Validated score table of each measure, all with the same data sets and methods."""
    tables = {str(key): score_table(by_measure) for key, by_measure in scores.items()}
    if not tables:
        raise InputError("give the scores by one measure or more")
    key, first = next(iter(tables.items()))
    for name, table in tables.items():
        if list(table.columns) != list(first.columns) or list(table.index) != list(first.index):
            raise InputError(f"scores by {key} and by {name} differ in data sets or methods")
    return tables


def _positions(key: str, ranking: Iterable[object], methods: Sequence[object]) -> Floats:
    """Position of each method in a ranking, negated so that greater is better."""
    order = list(ranking)
    if sorted(map(str, order)) != sorted(map(str, methods)):
        raise InputError(
            f"the ranking {key} must name each method once: {', '.join(map(str, methods))}; "
            f"got {', '.join(map(str, order))}"
        )
    return np.array([-order.index(method) for method in methods], dtype=np.float64)


def _draw_sets(n: int, n_resamples: int, random_state: RandomState) -> NDArray[np.int64]:
    """Indices of the data sets of each bootstrap draw."""
    if n_resamples < 1:
        raise InputError(f"n_resamples must be at least 1; got {n_resamples}")
    return check_random_state(random_state).integers(0, n, (n_resamples, n))


def _signs(values: Floats) -> NDArray[np.int8]:
    """Sign of the difference within each pair of methods, along the last axis."""
    left, right = np.triu_indices(values.shape[-1], 1)
    return np.sign(values[..., left] - values[..., right]).astype(np.int8)


def _tau(left: NDArray[np.int8], right: NDArray[np.int8]) -> Floats:
    """Kendall's τ-b of two rankings along the last axis; NaN where all methods tie."""
    same = (left * right).sum(axis=-1, dtype=np.int64)
    moved = np.abs(left).sum(axis=-1, dtype=np.int64) * np.abs(right).sum(axis=-1, dtype=np.int64)
    return np.where(moved > 0, same / np.sqrt(np.maximum(moved, 1)), np.nan)


def _interval(value: float, drawn: Floats) -> tuple[float, float]:
    """Interval that covers the percentiles of the draws and their reflection at the value."""
    defined = drawn[~np.isnan(drawn)]
    if not len(defined):
        return np.nan, np.nan
    low, high = np.quantile(defined, [0.025, 0.975])
    reflected = np.clip([2 * value - high, 2 * value - low], -1.0, 1.0)
    return float(min(reflected[0], low)), float(max(reflected[1], high))
