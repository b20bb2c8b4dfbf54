"""Changes that must not matter: scale, order and names, duplicates, and almost nothing at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.measures.properties import Case, Situation, SituationMetric
from sortal_lab.axioms.cases import partitions
from sortal_lab.axioms.consistency import rounder, simpler_one
from sortal_lab.axioms.point_sets import clumps, random_distances, random_labels, symmetric
from sortal_lab.axioms.search import Trial, gain, unequal
from sortal_lab.axioms.small_metrics import small_data
from sortal_lab.axioms.valuation import Replayed, Valuation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Floats, Ints


BASES = 60
#: powers of two, so that what ties before ties after
FACTORS = (2.0, 0.0625)
FOUR = ("one, before", "other, before", "one, after", "other, after")
#: how far distances are moved for continuity, as shares of them
FAR, NEAR = 1e-6, 1e-9
#: a jump is at least so large a share of the value
JUMP = 1e-4


@dataclass(frozen=True)
class ClusteredData:
    """Clusterings (M, n) of one data set, and whether they are exhaustive."""

    data: Any
    metric: SituationMetric
    labelings: NDArray[np.int64]
    last_of: int | None = None
    facts: dict[str, Any] = field(default_factory=dict)


def bases(judge: Valuation, rng: np.random.Generator) -> list[ClusteredData]:
    """All small data, then random data: the same for the same state of the generator."""
    data_sets = []
    for n in range(3, 6):
        every = small_data(judge, n)
        for g, (data, metric) in enumerate(every):
            data_sets.append(
                ClusteredData(data, metric, partitions(n), n if g == len(every) - 1 else None)
            )
    for _ in range(BASES):
        n = int(rng.integers(4, 25))
        labelings = random_labels(rng, n, 20 if judge.batched else 5)
        if judge.measure.takes == "features":
            d = int(rng.integers(1, 4))
            data = clumps(rng, n, d) + 1e-3 * rng.normal(size=(n, d))
            data_sets.append(ClusteredData(data, "euclidean", labelings))
        else:
            data_sets.append(ClusteredData(random_distances(rng, n), "precomputed", labelings))
    return data_sets


Change = Callable[[ClusteredData, np.random.Generator], Iterator[ClusteredData]]


@dataclass(frozen=True)
class Pair:
    """Values of some clusterings before a change and after it."""

    base: ClusteredData
    changed: ClusteredData
    before: Floats
    after: Floats
    last_of: int | None


def changes(judge: Valuation, rng: np.random.Generator, change: Change) -> Iterator[Pair]:
    """Data before and after a change, judged once for all properties that compare them."""
    key = (change.__name__, str(rng.bit_generator.state))
    if key not in judge.memo:
        judge.memo[key] = Replayed(_changes(judge, deepcopy(rng), change))
    return iter(judge.memo[key])


def _changes(judge: Valuation, rng: np.random.Generator, change: Change) -> Iterator[Pair]:
    """Pairs of data before and after a change, with their values."""
    state = str(rng.bit_generator.state)
    for number, base in enumerate(bases(judge, rng)):
        key = (number, state)
        if key not in judge.memo:
            judge.memo[key] = judge.batch(base.data, base.metric, base.labelings)
        changed_data = list(change(base, rng))
        for i, changed in enumerate(changed_data):
            after = judge.batch(changed.data, changed.metric, changed.labelings)
            last = base.last_of if i == len(changed_data) - 1 else None
            yield Pair(base, changed, judge.memo[key], after, last)


def one_value(change: Change, *, exhaustive: int = 5) -> Callable[..., Iterator[Trial]]:
    """Trials that compare each clustering's values before and after.

    Up to so many objects all changes are among them.
    """
    return partial(_one_value, change=change, exhaustive=exhaustive)


def _one_value(
    judge: Valuation, rng: np.random.Generator, change: Change, exhaustive: int
) -> Iterator[Trial]:
    """Trials of :func:`one_value`."""
    for pair in changes(judge, rng, change):
        margins = unequal(pair.before, pair.after)
        defined = np.isfinite(margins)
        case = None
        if (margins[defined] < 0).any():
            m = int(np.where(defined, margins, 0).argmin())
            case = Case((_at(pair.base, m), _at(pair.changed, m)), facts=pair.changed.facts)
        last = pair.last_of if pair.last_of is None or pair.last_of <= exhaustive else None
        yield Trial(int(defined.sum()), int((~defined).sum()), last, case)


def two_values(change: Change, differ: Callable[..., Floats]) -> Callable[..., Iterator[Trial]]:
    """Trials that compare how two clusterings stand to each other before and after."""
    return partial(_two_values, change=change, differ=differ)


def _two_values(
    judge: Valuation, rng: np.random.Generator, change: Change, differ: Callable[..., Floats]
) -> Iterator[Trial]:
    """Trials of :func:`two_values`."""
    for pair in changes(judge, rng, change):
        before, after = pair.before, pair.after
        defined = np.isfinite(before) & np.isfinite(after)
        kept = np.flatnonzero(defined)
        p, q = (kept[i] for i in np.triu_indices(len(kept), 1))
        margins = differ(before[p], before[q], after[p], after[q])
        case = None
        if (margins < 0).any():
            i = int(margins.argmin())
            case = Case(
                tuple(
                    _at(each, int(m)) for each in (pair.base, pair.changed) for m in (p[i], q[i])
                ),
                FOUR,
                pair.changed.facts,
            )
        yield Trial(len(p), int((~defined).sum()), pair.last_of, case)


def _at(base: ClusteredData, m: int) -> Situation:
    """One clustering of the data as a situation."""
    return Situation(base.labelings[m], data=base.data, metric=base.metric)


def other_ratio(first: Floats, second: Floats, first_after: Floats, second_after: Floats) -> Any:
    """Negative where the ratio of two values changes, by products so that 0 needs no division."""
    return unequal(first * second_after, second * first_after)


def other_order(first: Floats, second: Floats, first_after: Floats, second_after: Floats) -> Any:
    """Negative where the better of two clusterings is the other one after."""
    return np.minimum(gain(first, second) * gain(first_after, second_after), 0.0)


def margin_of_one(values: Floats, case: Case, sign: int) -> float:
    """Margin function for :func:`one_value`."""
    return float(unequal(values[0], values[1]))


def margin_of_two(differ: Callable[..., Floats]) -> Callable[[Floats, Case, int], float]:
    """Margin function for :func:`two_values`."""

    def margin(values: Floats, case: Case, sign: int) -> float:
        return float(differ(*values))

    return margin


def scaled(base: ClusteredData, rng: np.random.Generator) -> Iterator[ClusteredData]:
    """All distances multiplied by a factor."""
    for factor in FACTORS:
        yield _scaled(base, {"factor": factor})


def _scaled(base: ClusteredData, facts: dict[str, Any]) -> ClusteredData:
    """Data multiplied by a stored factor."""
    return replace(base, data=facts["factor"] * base.data, facts=facts)


def reordered(base: ClusteredData, rng: np.random.Generator) -> Iterator[ClusteredData]:
    """The objects in other orders, and the clusters under other names."""
    n = base.labelings.shape[1]
    orders: Any = permutations(range(n)) if n <= 4 else [rng.permutation(n) for _ in range(3)]
    for order in orders:
        yield _reordered(base, {"order": [int(i) for i in order]})


def _reordered(base: ClusteredData, facts: dict[str, Any]) -> ClusteredData:
    """Objects in a stored order, clusters under other names."""
    order = facts["order"]
    rows = base.labelings[:, order]
    rows = rows.max(axis=1, keepdims=True) - rows
    return replace(_taken(base, order), labelings=rows, facts=facts)


def duplicated(base: ClusteredData, rng: np.random.Generator) -> Iterator[ClusteredData]:
    """Every object twice, the copy at distance 0 and in the same cluster."""
    yield _duplicated(base, {})


def _duplicated(base: ClusteredData, facts: dict[str, Any]) -> ClusteredData:
    """Every object twice."""
    return _taken(base, np.tile(np.arange(base.labelings.shape[1]), 2))


def _taken(base: ClusteredData, objects: Ints) -> ClusteredData:
    """Data and labels of these objects."""
    square = base.metric == "precomputed"
    data = base.data[np.ix_(objects, objects)] if square else base.data[objects]
    return replace(base, data=data, labelings=base.labelings[:, objects])


#: change -> how the later half of a case comes from the earlier
MAKES: dict[Change, Callable[[ClusteredData, dict[str, Any]], ClusteredData]] = {
    scaled: _scaled,
    reordered: _reordered,
    duplicated: _duplicated,
}


def changed_by(change: Change) -> Callable[[Case], bool]:
    """The premise that the later half of a case is the change of the earlier."""

    def premise(case: Case) -> bool:
        remade_case = _made(change, case, dict(case.facts))
        return all(
            np.array_equal(np.asarray(stored.data), np.asarray(remade.data))
            and np.array_equal(stored.labels, remade.labels)
            for stored, remade in zip(case.situations, remade_case.situations, strict=True)
        )

    return premise


def _made(change: Change, case: Case, facts: dict[str, Any]) -> Case:
    """The earlier half of a case, and what the change makes of it."""
    first = case.situations[: len(case.situations) // 2]
    base = [ClusteredData(each.data, each.metric, each.labels[None]) for each in first]
    later = (_at(MAKES[change](each, facts), 0) for each in base)
    return Case((*first, *later), case.names, facts)


def simpler_by(change: Change) -> Callable[[Case], Iterator[Case]]:
    """The earlier half made simpler, and changed again."""

    def simpler(case: Case) -> Iterator[Case]:
        half = len(case.situations) // 2
        first = Case(case.situations[:half], case.names[:half])
        for fewer in (*simpler_one(first), *rounder(first)):
            facts = dict(case.facts)
            if "order" in facts:
                for order in (range(fewer.n), range(fewer.n - 1, -1, -1), facts["order"]):
                    if len(order) == fewer.n:
                        facts = {"order": list(order)}
                        yield _made(change, _doubled(fewer, case), facts)
            else:
                yield _made(change, _doubled(fewer, case), facts)

    return simpler


def _doubled(first: Case, case: Case) -> Case:
    """Case whose second half repeats the first."""
    return Case((*first.situations, *first.situations), case.names)


def continuity(judge: Valuation, rng: np.random.Generator) -> Iterator[Trial]:
    """Distances moved by a millionth and by a billionth: the value must follow."""
    for base in bases(judge, rng):
        if base.metric == "precomputed":  # now no distance is the sum of two others
            base = replace(base, data=base.data**0.9)
        for _ in range(1 if base.data.shape[0] > 5 else 2):
            noise = rng.normal(size=base.data.shape)
            if base.metric == "precomputed":
                noise = symmetric(noise)
            if rng.random() < 0.5:
                noise = _alone(noise, base.metric, rng)
            moved = [base.data * (1 + share * noise) for share in (FAR, NEAR)]
            if base.metric == "euclidean":
                size = np.abs(base.data).max()
                moved = [base.data + share * size * noise for share in (FAR, NEAR)]
            values = [
                judge.batch(data, base.metric, base.labelings) for data in (base.data, *moved)
            ]
            margins = _jump(*values)
            defined = np.isfinite(margins)
            case = None
            if (margins[defined] < 0).any():
                m = int(np.where(defined, margins, 0).argmin())
                labels = base.labelings[m]
                case = Case(
                    tuple(
                        Situation(labels, data=data, metric=base.metric)
                        for data in (base.data, *moved)
                    ),
                    ("at", "a millionth away", "a billionth away"),
                )
            yield Trial(int(defined.sum()), int((~defined).sum()), case=case)


def _alone(noise: Floats, metric: SituationMetric, rng: np.random.Generator) -> Floats:
    """Noise on one distance, or on one object."""
    kept = np.zeros_like(noise)
    i, j = rng.choice(len(noise), 2, replace=False)
    if metric == "precomputed":
        kept[i, j] = kept[j, i] = rng.choice([-1.0, 1.0])
    else:
        kept[i] = noise[i]
    return kept


def _jump(at: Any, away: Any, near: Any) -> Any:
    """Negative where the value stays apart from its limit however near the distances come."""
    share = np.abs(gain(at, near))
    with np.errstate(invalid="ignore"):
        stays = np.abs(near - at) > 0.5 * np.abs(away - at)
    jump = np.where(stays & (share > JUMP), -share, 0.0)
    return np.where(np.isnan(at) | np.isnan(away) | np.isnan(near), np.nan, jump)


def margin_of_jump(values: Floats, case: Case, sign: int) -> float:
    """Margin function for :func:`continuity`."""
    return float(_jump(*values))
