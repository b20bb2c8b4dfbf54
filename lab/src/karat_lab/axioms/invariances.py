"""Changes that must not matter: scale, order and names, duplicates, and almost nothing at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.measures.properties import Case, Situation, SituationMetric
from karat_lab.axioms.cases import partitions
from karat_lab.axioms.consistency import rounder, simpler_one
from karat_lab.axioms.point_sets import clumps, random_distances, random_labels, symmetric
from karat_lab.axioms.search import Trial, gain, unequal
from karat_lab.axioms.small_metrics import small_data
from karat_lab.axioms.valuation import Replayed, Valuation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BASES = 60
#: powers of two, so that what ties before ties after
FACTORS = (2.0, 0.0625)
FOUR = ("one, before", "other, before", "one, after", "other, after")
#: how far distances are moved for continuity, as shares of them
FAR, NEAR = 1e-6, 1e-9
#: a jump is at least so large a share of the value
JUMP = 1e-4


@dataclass(frozen=True)
class Given:
    """Clusterings (M, n) of one data set, and whether they are all there are of all such data."""

    data: Any
    metric: SituationMetric
    labelings: NDArray[np.int64]
    last_of: int | None = None
    facts: dict[str, Any] = field(default_factory=dict)


def bases(judge: Valuation, rng: np.random.Generator) -> list[Given]:
    """All small data, then random data: the same for the same state of the generator."""
    found = []
    for n in range(3, 6):
        every = small_data(judge, n)
        for g, (data, metric) in enumerate(every):
            found.append(Given(data, metric, partitions(n), n if g == len(every) - 1 else None))
    for _ in range(BASES):
        n = int(rng.integers(4, 25))
        labelings = random_labels(rng, n, 20 if judge.batched else 5)
        if judge.measure.takes == "features":
            d = int(rng.integers(1, 4))
            data = clumps(rng, n, d) + 1e-3 * rng.normal(size=(n, d))
            found.append(Given(data, "euclidean", labelings))
        else:
            found.append(Given(random_distances(rng, n), "precomputed", labelings))
    return found


Change = Callable[[Given, np.random.Generator], Iterator[Given]]


@dataclass(frozen=True)
class Pair:
    """Values of some clusterings before a change and after it."""

    given: Given
    other: Given
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
    state = str(rng.bit_generator.state)
    for number, given in enumerate(bases(judge, rng)):
        key = (number, state)
        if key not in judge.memo:
            judge.memo[key] = judge.batch(given.data, given.metric, given.labelings)
        others = list(change(given, rng))
        for i, other in enumerate(others):
            after = judge.batch(other.data, other.metric, other.labelings)
            last = given.last_of if i == len(others) - 1 else None
            yield Pair(given, other, judge.memo[key], after, last)


def one_value(change: Change, *, exhaustive: int = 5) -> Callable[..., Iterator[Trial]]:
    """Trials that compare each clustering's values before and after.

    Up to so many objects all changes are among them.
    """
    return partial(_one_value, change=change, exhaustive=exhaustive)


def _one_value(
    judge: Valuation, rng: np.random.Generator, change: Change, exhaustive: int
) -> Iterator[Trial]:
    for pair in changes(judge, rng, change):
        margins = unequal(pair.before, pair.after)
        defined = np.isfinite(margins)
        case = None
        if (margins[defined] < 0).any():
            m = int(np.where(defined, margins, 0).argmin())
            case = Case((_at(pair.given, m), _at(pair.other, m)), facts=pair.other.facts)
        last = pair.last_of if pair.last_of is None or pair.last_of <= exhaustive else None
        yield Trial(int(defined.sum()), int((~defined).sum()), last, case)


def two_values(change: Change, differ: Any) -> Callable[..., Iterator[Trial]]:
    """Trials that compare how two clusterings stand to each other before and after."""
    return partial(_two_values, change=change, differ=differ)


def _two_values(
    judge: Valuation, rng: np.random.Generator, change: Change, differ: Any
) -> Iterator[Trial]:
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
                tuple(_at(each, int(m)) for each in (pair.given, pair.other) for m in (p[i], q[i])),
                FOUR,
                pair.other.facts,
            )
        yield Trial(len(p), int((~defined).sum()), pair.last_of, case)


def _at(given: Given, m: int) -> Situation:
    return Situation(given.labelings[m], data=given.data, metric=given.metric)


def other_ratio(one: Any, other: Any, one_after: Any, other_after: Any) -> Any:
    """Negative where the ratio of two values changes, by products so that 0 needs no division."""
    return unequal(one * other_after, other * one_after)


def other_order(one: Any, other: Any, one_after: Any, other_after: Any) -> Any:
    """Negative where the better of two clusterings is the other one after."""
    return np.minimum(gain(one, other) * gain(one_after, other_after), 0.0)


def margin_of_one(values: Floats, case: Case, sign: int) -> float:
    """For :func:`one_value`."""
    return float(unequal(values[0], values[1]))


def margin_of_two(differ: Any) -> Callable[[Floats, Case, int], float]:
    """For :func:`two_values`."""

    def margin(values: Floats, case: Case, sign: int) -> float:
        return float(differ(*values))

    return margin


def scaled(given: Given, rng: np.random.Generator) -> Iterator[Given]:
    """All distances multiplied by a factor."""
    for factor in FACTORS:
        yield _scaled(given, {"factor": factor})


def _scaled(given: Given, facts: dict[str, Any]) -> Given:
    return replace(given, data=facts["factor"] * given.data, facts=facts)


def reordered(given: Given, rng: np.random.Generator) -> Iterator[Given]:
    """The objects in other orders, and the clusters under other names."""
    n = given.labelings.shape[1]
    orders: Any = permutations(range(n)) if n <= 4 else [rng.permutation(n) for _ in range(3)]
    for order in orders:
        yield _reordered(given, {"order": [int(i) for i in order]})


def _reordered(given: Given, facts: dict[str, Any]) -> Given:
    order = facts["order"]
    rows = given.labelings[:, order]
    rows = rows.max(axis=1, keepdims=True) - rows
    return replace(_taken(given, order), labelings=rows, facts=facts)


def duplicated(given: Given, rng: np.random.Generator) -> Iterator[Given]:
    """Every object twice, the copy at distance 0 and in the same cluster."""
    yield _duplicated(given, {})


def _duplicated(given: Given, facts: dict[str, Any]) -> Given:
    return _taken(given, np.tile(np.arange(given.labelings.shape[1]), 2))


def _taken(given: Given, objects: Any) -> Given:
    square = given.metric == "precomputed"
    data = given.data[np.ix_(objects, objects)] if square else given.data[objects]
    return replace(given, data=data, labelings=given.labelings[:, objects])


#: change -> how the later half of a case comes from the earlier
MAKES: dict[Change, Callable[[Given, dict[str, Any]], Given]] = {
    scaled: _scaled,
    reordered: _reordered,
    duplicated: _duplicated,
}


def changed_by(change: Change) -> Callable[[Case], bool]:
    """The premise that the later half of a case is the change of the earlier."""

    def premise(case: Case) -> bool:
        again = _made(change, case, dict(case.facts))
        return all(
            np.array_equal(np.asarray(one.data), np.asarray(other.data))
            and np.array_equal(one.labels, other.labels)
            for one, other in zip(case.situations, again.situations, strict=True)
        )

    return premise


def _made(change: Change, case: Case, facts: dict[str, Any]) -> Case:
    """The earlier half of a case, and what the change makes of it."""
    first = case.situations[: len(case.situations) // 2]
    given = [Given(each.data, each.metric, each.labels[None]) for each in first]
    later = (_at(MAKES[change](each, facts), 0) for each in given)
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
    return Case((*first.situations, *first.situations), case.names)


def continuity(judge: Valuation, rng: np.random.Generator) -> Iterator[Trial]:
    """Distances moved by a millionth and by a billionth: the value must follow."""
    for given in bases(judge, rng):
        if given.metric == "precomputed":  # now no distance is the sum of two others
            given = replace(given, data=given.data**0.9)
        for _ in range(1 if given.data.shape[0] > 5 else 2):
            noise = rng.normal(size=given.data.shape)
            if given.metric == "precomputed":
                noise = symmetric(noise)
            if rng.random() < 0.5:
                noise = _alone(noise, given.metric, rng)
            moved = [given.data * (1 + share * noise) for share in (FAR, NEAR)]
            if given.metric == "euclidean":
                size = np.abs(given.data).max()
                moved = [given.data + share * size * noise for share in (FAR, NEAR)]
            values = [
                judge.batch(data, given.metric, given.labelings) for data in (given.data, *moved)
            ]
            margins = _jump(*values)
            defined = np.isfinite(margins)
            case = None
            if (margins[defined] < 0).any():
                m = int(np.where(defined, margins, 0).argmin())
                labels = given.labelings[m]
                case = Case(
                    tuple(
                        Situation(labels, data=data, metric=given.metric)
                        for data in (given.data, *moved)
                    ),
                    ("at", "a millionth away", "a billionth away"),
                )
            yield Trial(int(defined.sum()), int((~defined).sum()), case=case)


def _alone(noise: Floats, metric: SituationMetric, rng: np.random.Generator) -> Floats:
    """One distance, or one object, moves."""
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
    """For :func:`continuity`."""
    return float(_jump(*values))
