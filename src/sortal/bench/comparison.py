"""Comparison of several methods on several data sets: statistics and their verdict in words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sortal.bench.rank_tests import (
    Friedman,
    average_ranks,
    critical_difference,
    friedman_test,
    pairwise_wilcoxon,
    ranked,
)
from sortal.bench.statistics import score_table
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd

    from sortal.bench.statistics import MethodScores


@dataclass(frozen=True)
class Comparison:
    """Comparison of several methods on several data sets.

    Attributes
    ----------
    scores : DataFrame
        A row for each data set, a column for each method, the best average rank first; greater is
        better.
    ranks : Series
        Average ranks, the best first.
    friedman : Friedman
        Friedman's test: its ``p_value``, the ``least`` possible p value, the ``method``.
    critical_difference : float
        Smallest significant difference of average ranks by Nemenyi's test at ``alpha``, exact for
        few data sets; infinite if no difference could be significant.
    pairs : DataFrame
        A row for each pair, ``one`` and ``other``: ``difference`` of their means, ``effect``
        (rank-biserial correlation), ``wins``, ``losses``, ``p`` of Wilcoxon's signed-rank test,
        ``p_holm``, and ``different``. A pair is ``different`` if Friedman's test and the pair's
        test, corrected by Holm, are significant at ``alpha``.
    alpha : float
    notes : tuple of str
        Caveats for the reader, such as failed fits.
    """

    scores: pd.DataFrame
    ranks: pd.Series
    friedman: Friedman
    critical_difference: float
    pairs: pd.DataFrame
    alpha: float
    notes: tuple[str, ...] = ()

    @property
    def leaders(self) -> list[str]:
        """The methods with the best average rank."""
        return [str(name) for name in self.ranks.index[self.ranks < self.ranks.iloc[0] + 1e-9]]

    def different_from(self, method: str) -> list[str]:
        """The methods significantly different from ``method``, in the order of their ranks."""
        significant = self.pairs[self.pairs["different"]]
        others = [
            *significant["other"][significant["one"] == method],
            *significant["one"][significant["other"] == method],
        ]
        return [str(name) for name in self.ranks.index if name in others]

    @property
    def cliques(self) -> list[tuple[str, ...]]:
        """The largest groups of methods whose ranks differ by less than the critical difference."""
        names, values = [str(n) for n in self.ranks.index], self.ranks.to_numpy()
        groups: list[tuple[str, ...]] = []
        reach = -1
        for i in range(len(names)):
            bound = values[i] + self.critical_difference - 1e-9
            j = int(np.searchsorted(values, bound, "left")) - 1
            if j > reach and j > i:
                groups.append(tuple(names[i : j + 1]))
            reach = max(reach, j)
        return groups

    @property
    def groups(self) -> pd.DataFrame:
        """Mean scores and average ranks by group of data sets: the name's part before a ``/``.

        A row for each group and method: ``group``, ``sets``, ``method``, ``score``, ``rank``;
        empty if the names of the data sets have no groups.
        """
        import pandas as pd

        group = self.scores.index.map(lambda name: str(name).rpartition("/")[0])
        ranks = ranked(self.scores).groupby(group).mean()
        rows = [
            (key, len(of_group), method, of_group[method].mean(), ranks[method][key])
            for key, of_group in self.scores.groupby(group, sort=False)
            for method in self.scores
            if any(group)
        ]
        return pd.DataFrame(rows, columns=["group", "sets", "method", "score", "rank"])

    @property
    def words(self) -> tuple[str, ...]:
        """The verdict of the tests, in sentences."""
        sentences = [self._ranking_sentence(), *self.notes, self._friedman_sentence()]
        if self.friedman.p_value <= self.alpha:
            sentences += [self._leader_sentence(name) for name in self.leaders]
        sentences.append(self._first_two_sentence())
        return tuple(sentences)

    def _ranking_sentence(self) -> str:
        """The methods with the best average rank."""
        n, k = self.scores.shape
        opening, best = f"{k} methods on {n} data sets. ", self.leaders
        rank = f"{self.ranks.iloc[0]:.2f} of {k}"
        if len(best) == 1:
            mean = f"{self.scores[best[0]].mean():.3f}"
            return (
                f"{opening}{best[0]} has the best average rank, {rank}, and a mean score of {mean}."
            )
        share = "have the same" if len(best) == k else "share the best"
        return f"{opening}{_list(best)} {share} average rank, {rank}."

    def _friedman_sentence(self) -> str:
        """Whether the methods differ at all, by Friedman's test."""
        test = self.friedman
        p = p_text(test.p_value)
        p = f"p {p}" if p.startswith("<") else f"p = {p}"
        p += f", {test.method}"
        if test.p_value <= self.alpha:
            opening = f"The methods differ (Friedman's test, {p})."
            if math.isinf(self.critical_difference):
                return opening
            return (
                f"{opening} Average ranks {self.critical_difference:.2f} or more apart differ by "
                "Nemenyi's test."
            )
        if test.least == 1:
            return "All methods have the same score on each data set."
        if test.least > self.alpha:
            return (
                "On these data sets nothing could be significant: whatever the order of the "
                f"methods on each, p is {test.least:.2g} or more (Friedman's test), so no method "
                "should be called better."
            )
        return (
            f"Friedman's test finds no difference between the methods ({p}): the order of the "
            "ranks may be chance, and no method should be called better."
        )

    def _leader_sentence(self, best: str) -> str:
        """The methods that are significantly different from a leader."""
        different = self.different_from(best)
        if different:
            return (
                f"Of the others, {best} is different from {', '.join(different)} (Wilcoxon's test, "
                "corrected by Holm)."
            )
        text = (
            f"No single other method is told apart from {best} by Wilcoxon's test, corrected by "
            "Holm."
        )
        n, least = len(self.scores), len(self.pairs) * 2.0 ** (1 - len(self.scores))
        if least > self.alpha:
            text += f" On {n} data sets none could be: the least corrected p is {least:.2g}."
        return text

    def _first_two_sentence(self) -> str:
        """The difference between the first two methods."""
        best, second = (str(name) for name in self.ranks.index[:2])
        row = self.pairs[(self.pairs["one"] == best) & (self.pairs["other"] == second)].iloc[0]
        return (
            f"{best} and {second}, the first two: the mean difference is {row['difference']:+.3f}, "
            f"with {row['wins']} data sets won and {row['losses']} lost."
        )

    def __str__(self) -> str:
        ranks = self.ranks.round(2).to_string()
        return "\n".join([*self.words, "", "Average ranks:", ranks])


def p_text(value: float) -> str:
    """A p value to four decimals."""
    return "< 0.0001" if value < 1e-4 else f"{value:.4f}"


def _list(names: list[str]) -> str:
    """Two or more names joined by commas and "and"."""
    return f"{', '.join(names[:-1])} and {names[-1]}"


def compare_methods(
    scores: MethodScores, *, alpha: float = 0.05, notes: Iterable[str] = ()
) -> Comparison:
    """Compare methods over data sets: ranks, tests, and a verdict in words.

    Parameters
    ----------
    scores : DataFrame or mapping of str to array-like, (sets, methods)
        Greater is better; all finite. Scores tie if they agree to 12 digits of the data set's
        largest.
    alpha : float, default 0.05
        Probability of any false positive, for each of the tests.
    notes : iterable of str
        Further sentences for the verdict.

    Examples
    --------
    >>> from sortal.bench import compare_methods
    >>> comparison = compare_methods({"a": [0.9, 0.8, 0.9, 0.7], "b": [0.6, 0.7, 0.5, 0.5]})
    >>> comparison.ranks.index[0]
    'a'
    >>> comparison.friedman.p_value  # four data sets are too few for two methods
    0.125
    """
    table = score_table(scores)
    table.columns = table.columns.map(str)
    if not table.columns.is_unique:
        raise InputError(f"methods need different names; got {', '.join(table.columns)}")
    ranks = average_ranks(table)
    table = table[ranks.index]
    friedman = friedman_test(table)
    pairs = pairwise_wilcoxon(table)
    pairs["different"] = (pairs["p_holm"] <= alpha) & (friedman.p_value <= alpha)
    critical = critical_difference(table, alpha)
    return Comparison(table, ranks, friedman, critical, pairs, alpha, tuple(notes))
