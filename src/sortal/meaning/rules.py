"""The shortest rule that separates a cluster from the rest, and its held-out accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sortal.meaning.features import (
    LIMITS,
    Condition,
    DescriptionLimits,
    Feature,
    Rule,
    Table,
    units,
)
from sortal.typing import Bools, Floats

#: limit of cost: rules are learned and checked on so many objects, drawn from larger data
MAX_RULE_OBJECTS = 3_000
#: limit of cost: questions are sought about the features that differ most
MAX_FEATURES = 50
#: limit of cost: conjunctions that the search extends at a time
BEAM = 4


@dataclass(frozen=True)
class CheckedRule:
    """A rule with its quality on held-out objects."""

    rule: Rule
    accuracy: float
    precision: float
    recall: float
    n_held_out: int


@dataclass(frozen=True)
class _Cut:
    """A question: whether a feature is above, or at most, a threshold."""

    column: int
    above: bool
    threshold: float

    def holds(self, values: Floats) -> Bools:
        """Whether the answer is yes for each object; never for a missing value."""
        column = values[:, self.column]  # a missing value never holds
        return column > self.threshold if self.above else column <= self.threshold


def find_rules(
    table: Table, codes: NDArray[Any], random_state: int, limits: DescriptionLimits = LIMITS
) -> dict[int, CheckedRule]:
    """Rules of the clusters that beat a constant answer on held-out objects.

    Rules are learned from all objects and judged by five-fold cross-fitting of the whole search. A
    rule is kept if it is right for most objects that it includes, and for most that it excludes.
    Both are exact sign tests at 5 % over the number of clusters.
    """
    from scipy.stats import binom

    k = int(codes.max()) + 1
    rng = np.random.default_rng(random_state)
    rows = np.sort(rng.permutation(len(codes))[:MAX_RULE_OBJECTS])
    codes_of_rows = codes[rows]
    if k < 2 or len(rows) < 2 * limits.folds:
        return {}
    fold = np.empty(len(rows), dtype=np.intp)
    fold[np.lexsort((rng.random(len(rows)), codes_of_rows))] = np.arange(len(rows)) % limits.folds
    included = np.zeros((k, len(rows)), dtype=bool)
    for i in range(limits.folds):
        train, test = rows[fold != i], rows[fold == i]
        for c in range(k):
            used, cuts = _learn(table, train, codes_of_rows[fold != i] == c)
            included[c, fold == i] = _hold(cuts, table.columns(test, used))
    rules = {}
    n = len(rows)
    for c in range(k):
        members = codes_of_rows == c
        n_included, n_excluded = int(included[c].sum()), int((~included[c]).sum())
        hits, passes = int((included[c] & members).sum()), int((~included[c] & ~members).sum())
        chance = max(binom.sf(hits - 1, n_included, 0.5), binom.sf(passes - 1, n_excluded, 0.5))
        if chance > limits.level / k:
            continue
        used, cuts = _learn(table, rows, members)
        rule = _worded(cuts, [table.features[j] for j in used], table.columns(rows, used), members)
        rules[c] = CheckedRule(
            rule, (hits + passes) / n, hits / n_included, hits / int(members.sum()), n
        )
    return rules


def _learn(
    table: Table, rows: NDArray[np.intp], members: Bools
) -> tuple[NDArray[np.intp], tuple[_Cut, ...]]:
    """Features that were searched, and the best questions about them: a beam search for F1."""
    if not members.any() or members.all():
        return np.arange(0), ()
    used = _strongest(table, rows, members)
    values = table.columns(rows, used)
    order = np.argsort(values, axis=0, kind="stable")
    ordered = np.take_along_axis(values, order, axis=0)
    beam: list[tuple[float, tuple[_Cut, ...], Bools]] = [(0.0, (), np.ones(len(rows), dtype=bool))]
    best: tuple[float, tuple[_Cut, ...]] = (2 * members.mean() / (1 + members.mean()), ())
    for _ in range(LIMITS.n_items):
        grown: dict[bytes, tuple[float, tuple[_Cut, ...], Bools]] = {}
        for _, cuts, mask in beam:
            for score, cut in _cuts(order, ordered, members, mask):
                included = mask & cut.holds(values)
                grown.setdefault(included.tobytes(), (score, (*cuts, cut), included))
        beam = sorted(grown.values(), key=lambda candidate: -candidate[0])[:BEAM]
        if not beam:
            break
        if beam[0][0] >= best[0] + (LIMITS.min_gain if best[1] else 0):
            best = beam[0][:2]
    return used, best[1]


def _strongest(table: Table, rows: NDArray[np.intp], members: Bools) -> NDArray[np.intp]:
    """The features whose means differ most in standard deviations, the strongest first."""
    values = table.values[rows]
    weights = members / members.sum() - ~members / (~members).sum()
    if isinstance(values, np.ndarray):
        filled = np.nan_to_num(values / units(values))
        spread = filled.std(axis=0)
        difference = np.abs(weights @ filled)
    else:
        values = sparse.csr_array(values.multiply(1 / units(values)))
        mean = np.asarray(values.mean(axis=0)).ravel()
        squares = np.asarray(values.multiply(values).mean(axis=0)).ravel()
        spread = np.sqrt(np.maximum(squares - mean**2, 0))
        difference = np.abs(np.asarray(weights @ values).ravel())
    strength = np.where(spread > 0, difference / np.where(spread > 0, spread, 1), 0)
    order = np.argsort(-strength.round(12), kind="stable")[:MAX_FEATURES]
    return np.asarray(order[spread[order] > 0])


def _cuts(
    order: NDArray[np.intp], ordered: Floats, members: Bools, mask: Bools
) -> list[tuple[float, _Cut]]:
    """The best question in either direction about each feature, within a mask, best first."""
    if order.shape[1] == 0:
        return []
    inside = mask[order]
    hits = np.cumsum(inside & members[order], axis=0)
    seen = np.cumsum(inside, axis=0)
    distinct = ordered[:-1] < ordered[1:]  # false beside a missing value
    present = ~np.isnan(ordered)
    last = np.maximum(present.sum(axis=0) - 1, 0), np.arange(order.shape[1])
    candidates = []
    for above in (False, True):
        hit = (hits[last] - hits[:-1]) if above else hits[:-1]
        n_said = (seen[last] - seen[:-1]) if above else seen[:-1]
        score = np.where(distinct, 2 * hit / (np.maximum(n_said, 0) + members.sum()), -1.0)
        at = np.argmax(score, axis=0)
        for j, i in enumerate(at):
            if score[i, j] > 0:
                low, high = float(ordered[i, j]), float(ordered[i + 1, j])
                candidates.append((float(score[i, j]), j, above, low, high))
    best = sorted(candidates, key=lambda candidate: -candidate[0])[:BEAM]
    return [(score, _Cut(j, above, between(*ends))) for score, j, above, *ends in best]


def _hold(cuts: tuple[_Cut, ...], values: Floats) -> Bools:
    """Whether all answers are yes for each object; without a question never."""
    included = np.full(len(values), bool(cuts))
    for cut in cuts:
        included &= cut.holds(values)
    return included


def _worded(
    cuts: tuple[_Cut, ...], features: list[Feature], values: Floats, members: Bools
) -> Rule:
    """The questions as conditions, with both questions about a feature merged."""
    ends: dict[int, list[float | None]] = {}
    for cut in cuts:
        low_high = ends.setdefault(cut.column, [None, None])
        i, tighter = (0, max) if cut.above else (1, min)
        end = low_high[i]
        low_high[i] = cut.threshold if end is None else tighter(cut.threshold, end)
    conditions, values = [], values / units(values)
    for j, (low, high) in ends.items():
        within, elsewhere = np.nanmean(values[members, j]), np.nanmean(values[~members, j])
        shift = (within - elsewhere) * (1 if high is None else -1)
        is_apart = bool(shift >= LIMITS.min_effect * np.nanstd(values[:, j]))
        conditions.append(Condition(features[j], low, high, is_apart))
    return Rule(tuple(conditions))


def between(low: float, high: float) -> float:
    """The number with the fewest digits from low to just below high, near their middle if possible.

    >>> between(29.0, 34.0), between(39.0, 40.0), between(0.755, 0.781), between(51_230, 52_870)
    (30.0, 39.0, 0.77, 52000.0)
    """
    if low <= 0 < high:
        return 0.0
    middle = low + (high - low) / 2
    for digits in range(1, 17):
        for number, rounding in ((middle, ROUND_HALF_EVEN), (low, ROUND_CEILING)):
            near = float(Context(prec=digits, rounding=rounding).create_decimal(number))
            if low <= near < high:
                return near
    return low
