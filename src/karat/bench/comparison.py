"""Several methods on several data sets, compared: every statistic, and what they say in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bench.statistics import (
    Friedman,
    _table,
    average_ranks,
    bayesian_signed_rank,
    friedman_test,
    nemenyi_difference,
    pairwise_wilcoxon,
    sets_needed,
)
from karat.runtime.validation import check_random_state

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Comparison:
    """Several methods on several data sets, compared.

    Attributes
    ----------
    scores : DataFrame
        A row for each data set, a column for each method; greater is better.
    ranks : Series
        Average ranks, the best first.
    friedman : Friedman
    critical_difference : float
        By Nemenyi, at ``alpha``.
    pairs : DataFrame
        Of :func:`pairwise_wilcoxon`, with the probabilities of :func:`bayesian_signed_rank` as
        ``better``, ``equivalent`` and ``worse``, and ``sets_for`` a difference of ``rope``·2.
    alpha, rope : float
    """

    scores: pd.DataFrame
    ranks: pd.Series
    friedman: Friedman
    critical_difference: float
    pairs: pd.DataFrame
    alpha: float
    rope: float

    @property
    def cliques(self) -> list[tuple[str, ...]]:
        """The largest groups of methods whose ranks do not differ by the critical difference."""
        names, values = [str(n) for n in self.ranks.index], self.ranks.to_numpy()
        groups: list[tuple[str, ...]] = []
        reach = -1
        for i in range(len(names)):
            j = int(np.searchsorted(values, values[i] + self.critical_difference, "right")) - 1
            if j > reach and j > i:
                groups.append(tuple(names[i : j + 1]))
            reach = max(reach, j)
        return groups

    @property
    def words(self) -> tuple[str, ...]:
        """What the data allow one to say, in sentences."""
        n, k = self.scores.shape
        best = str(self.ranks.index[0])
        told = [
            f"{k} methods on {n} data sets. {best} has the best average rank, "
            f"{self.ranks.iloc[0]:.2f} of {k}, and a mean score of {self.scores[best].mean():.3f}."
        ]
        p = p_text(self.friedman.p_value)
        p = f"p {p}" if p.startswith("<") else f"p = {p}"
        if self.friedman.p_value > self.alpha:
            told.append(
                f"Friedman's test finds no difference between the methods ({p}): the order of the "
                "ranks may be chance, and no method should be called better."
            )
        else:
            told.append(
                f"The methods differ (Friedman's test, {p}). Ranks "
                f"further apart than {self.critical_difference:.2f} differ by Nemenyi's test."
            )
        beaten = [
            str(row["other"] if row["one"] == best else row["one"])
            for _, row in self.pairs.iterrows()
            if best in (row["one"], row["other"]) and row["p_holm"] <= self.alpha
        ]
        if self.friedman.p_value <= self.alpha:
            told.append(
                f"Of the others, {best} is different from {', '.join(beaten)} (Wilcoxon's test, "
                "corrected by Holm)."
                if beaten
                else f"No single other method is told apart from {best} by Wilcoxon's test, "
                "corrected by Holm."
            )
        first = self.pairs[(self.pairs["one"] == best) | (self.pairs["other"] == best)]
        second = str(self.ranks.index[1])
        row = first[(first["one"] == second) | (first["other"] == second)].iloc[0]
        better = row["better"] if row["one"] == best else row["worse"]
        told.append(
            f"Between {best} and the next, {second}: with probability {better:.2f} the first is "
            f"better by more than {self.rope:g}, with {row['equivalent']:.2f} they are equivalent. "
            f"A mean difference of {2 * self.rope:g} between them would take about "
            f"{int(row['sets_for']):,} data sets to show."
        )
        return tuple(told)

    def __str__(self) -> str:
        ranks = self.ranks.round(2).to_string()
        return "\n".join([*self.words, "", "Average ranks:", ranks])


def p_text(value: float) -> str:
    """A p value as it is written."""
    return "< 0.0001" if value < 1e-4 else f"{value:.4f}"


def compare_methods(
    scores: Any, *, alpha: float = 0.05, rope: float = 0.01, random_state: Any = 0
) -> Comparison:
    """Compare methods over data sets: ranks, tests, probabilities, and words.

    Parameters
    ----------
    scores : DataFrame or mapping of str to array-like, (sets, methods)
        Greater is better; none is missing.
    alpha : float, default 0.05
        Chance that any difference is found where there is none, for each of the tests.
    rope : float, default 0.01
        Differences up to this are of no practical meaning.
    random_state : int, Generator or None

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        As for :func:`average_ranks`.

    Examples
    --------
    >>> from karat.bench import compare_methods
    >>> found = compare_methods({"a": [0.9, 0.8, 0.9, 0.7], "b": [0.6, 0.7, 0.5, 0.5]})
    >>> found.ranks.index[0]
    'a'
    """
    table = _table(scores)
    table.columns = table.columns.map(str)
    ranks = average_ranks(table)
    pairs = pairwise_wilcoxon(table[ranks.index])
    rng = check_random_state(random_state)
    more = []
    for _, row in pairs.iterrows():
        one, other = table[row["one"]], table[row["other"]]
        better, same, worse = bayesian_signed_rank(one, other, rope, random_state=rng)
        needed = sets_needed(one, other, max(2 * rope, 1e-6), alpha=alpha)
        more.append({"better": better, "equivalent": same, "worse": worse, "sets_for": needed})
    return Comparison(
        table,
        ranks,
        friedman_test(table),
        nemenyi_difference(table.shape[1], table.shape[0], alpha),
        pairs.assign(**{key: [row[key] for row in more] for key in more[0]}),
        alpha,
        rope,
    )
