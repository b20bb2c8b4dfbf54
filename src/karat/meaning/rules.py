"""The shortest rule that tells a cluster from the rest, and how often it is right elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from karat.meaning.features import Condition, Feature, Rule, Table, units

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

#: objects that rules are found and judged on; of more, a random sample
AT_MOST = 3_000
#: features among which questions are sought: those that differ most
FEATURES = 50
QUESTIONS = 3
FOLDS = 5
#: by how much F1 must grow for a further question
WORTH = 0.02
#: chance that any rule of a clustering is no better than a constant answer
LEVEL = 0.05
#: standard deviations by which a cluster differs that is called high or low
LEAST = 0.2
_BEAM = 4


@dataclass(frozen=True)
class Judged:
    """A rule with what it is worth on objects that it was not learned from."""

    rule: Rule
    accuracy: float
    precision: float
    recall: float
    n_held_out: int


@dataclass(frozen=True)
class _Cut:
    column: int
    above: bool
    threshold: float

    def holds(self, values: Floats) -> Flags:
        own = values[:, self.column]  # a missing value never holds
        return own > self.threshold if self.above else own <= self.threshold


def find_rules(table: Table, codes: NDArray[Any], random_state: int) -> dict[int, Judged]:
    """Of each cluster the rule, where it is better on held-out objects than a constant answer.

    Rules are learned from all objects and judged by five-fold cross-fitting of the whole search.
    One is dropped unless those that it includes are more often right than wrong, and those that
    it excludes too: exact sign tests at 5 % over the number of clusters.
    """
    from scipy.stats import binom

    k = int(codes.max()) + 1
    rng = np.random.default_rng(random_state)
    rows = np.sort(rng.permutation(len(codes))[:AT_MOST])
    own = codes[rows]
    if k < 2 or len(rows) < 2 * FOLDS:
        return {}
    fold = np.empty(len(rows), dtype=np.intp)
    fold[np.lexsort((rng.random(len(rows)), own))] = np.arange(len(rows)) % FOLDS
    told = np.zeros((k, len(rows)), dtype=bool)
    for i in range(FOLDS):
        train, test = rows[fold != i], rows[fold == i]
        for c in range(k):
            used, cuts = _learn(table, train, own[fold != i] == c)
            told[c, fold == i] = _hold(cuts, table.columns(test, used))
    found = {}
    for c in range(k):
        is_own = own == c
        yes, no = int(told[c].sum()), int((~told[c]).sum())
        hits, passes = int((told[c] & is_own).sum()), int((~told[c] & ~is_own).sum())
        chance = max(binom.sf(hits - 1, yes, 0.5), binom.sf(passes - 1, no, 0.5))
        if chance > LEVEL / k:
            continue
        used, cuts = _learn(table, rows, is_own)
        rule = _worded(cuts, [table.features[j] for j in used], table.columns(rows, used), is_own)
        n = len(rows)
        found[c] = Judged(rule, (hits + passes) / n, hits / yes, hits / int(is_own.sum()), n)
    return found


def _learn(
    table: Table, rows: NDArray[np.intp], own: Flags
) -> tuple[NDArray[np.intp], tuple[_Cut, ...]]:
    """The features that were looked at, and the questions about them: a beam search for F1."""
    if not own.any() or own.all():
        return np.arange(0), ()
    used = _strongest(table, rows, own)
    values = table.columns(rows, used)
    order = np.argsort(values, axis=0, kind="stable")
    ordered = np.take_along_axis(values, order, axis=0)
    beam: list[tuple[float, tuple[_Cut, ...], Flags]] = [(0.0, (), np.ones(len(rows), dtype=bool))]
    best: tuple[float, tuple[_Cut, ...]] = (2 * own.mean() / (1 + own.mean()), ())
    for _ in range(QUESTIONS):
        grown: dict[bytes, tuple[float, tuple[_Cut, ...], Flags]] = {}
        for _, cuts, mask in beam:
            for score, cut in _cuts(order, ordered, own, mask):
                held = mask & cut.holds(values)
                grown.setdefault(held.tobytes(), (score, (*cuts, cut), held))
        beam = sorted(grown.values(), key=lambda one: -one[0])[:_BEAM]
        if not beam:
            break
        if beam[0][0] >= best[0] + (WORTH if best[1] else 0):
            best = beam[0][:2]
    return used, best[1]


def _strongest(table: Table, rows: NDArray[np.intp], own: Flags) -> NDArray[np.intp]:
    """The features whose means differ most in standard deviations, the strongest first."""
    values = table.values[rows]
    weights = own / own.sum() - ~own / (~own).sum()
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
    order = np.argsort(-strength.round(12), kind="stable")[:FEATURES]
    return np.asarray(order[spread[order] > 0])


def _cuts(
    order: NDArray[np.intp], ordered: Floats, own: Flags, mask: Flags
) -> list[tuple[float, _Cut]]:
    """The best question in either direction about each feature, within a mask, best first."""
    if order.shape[1] == 0:
        return []
    inside = mask[order]
    hits = np.cumsum(inside & own[order], axis=0)
    seen = np.cumsum(inside, axis=0)
    apart = ordered[:-1] < ordered[1:]  # false beside a missing value
    known = ~np.isnan(ordered)
    last = np.maximum(known.sum(axis=0) - 1, 0), np.arange(order.shape[1])
    found = []
    for above in (False, True):
        hit = (hits[last] - hits[:-1]) if above else hits[:-1]
        said = (seen[last] - seen[:-1]) if above else seen[:-1]
        score = np.where(apart, 2 * hit / (np.maximum(said, 0) + own.sum()), -1.0)
        at = np.argmax(score, axis=0)
        for j, i in enumerate(at):
            if score[i, j] > 0:
                low, high = float(ordered[i, j]), float(ordered[i + 1, j])
                found.append((float(score[i, j]), j, above, low, high))
    best = sorted(found, key=lambda one: -one[0])[:_BEAM]
    return [(score, _Cut(j, above, between(*ends))) for score, j, above, *ends in best]


def _hold(cuts: tuple[_Cut, ...], values: Floats) -> Flags:
    held = np.full(len(values), bool(cuts))
    for cut in cuts:
        held &= cut.holds(values)
    return held


def _worded(cuts: tuple[_Cut, ...], features: list[Feature], values: Floats, own: Flags) -> Rule:
    """The questions, two about one feature made one."""
    ends: dict[int, list[float | None]] = {}
    for cut in cuts:
        low_high = ends.setdefault(cut.column, [None, None])
        i, tighter = (0, max) if cut.above else (1, min)
        known = low_high[i]
        low_high[i] = cut.threshold if known is None else tighter(cut.threshold, known)
    conditions, values = [], values / units(values)
    for j, (low, high) in ends.items():
        within, elsewhere = np.nanmean(values[own, j]), np.nanmean(values[~own, j])
        shift = (within - elsewhere) * (1 if high is None else -1)
        apart = bool(shift >= LEAST * np.nanstd(values[:, j]))
        conditions.append(Condition(features[j], low, high, apart))
    return Rule(tuple(conditions))


def between(low: float, high: float) -> float:
    """A number with fewest digits from low to just below high, if possible near their middle.

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
