"""Distances that improve: consistency and its kin, exhaustive on small metrics, then random."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from sortal.measures.properties import Case, Situation
from sortal_lab.axioms.cases import without_object
from sortal_lab.axioms.point_sets import (
    SAME,
    between_zero_and,
    clumps,
    embedded,
    is_metric,
    random_distances,
    random_labels,
    same_cluster,
    symmetric,
)
from sortal_lab.axioms.search import Trial, gain
from sortal_lab.axioms.small_metrics import data_of, far_for, numbered, sizes, small, table
from sortal_lab.axioms.valuation import Replayed, Valuation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Floats


Side: TypeAlias = Literal["within", "between", "both"]

#: random metrics whose pairs are changed one at a time, and cases with changes of their own
BASES, CASES = 60, 400
#: the same for points, of which more are needed: few changes hurt
CASES_OF_POINTS = 900
#: the largest distance over the smallest, where a value that stays shall mean something
MOST_APART = 30
CROSSES = "an object crosses"
#: steps of the search that follows the smallest margins
STEPS = 300


def margin(values: Floats, case: Case, sign: int) -> float:
    """Relative gain of the second situation over the first."""
    return float(gain(values[0], values[1], sign))


def strict_margin(values: Floats, case: Case, sign: int) -> float:
    """Relative gain, in which only rounding counts as no change."""
    return float(gain(values[0], values[1], sign, tolerance=1e-12))


def nontrivial(labels: NDArray[Any]) -> bool:
    """Neither one cluster nor singletons only."""
    return 1 < len(np.unique(labels)) < len(labels)


def improves(case: Case, side: Side) -> bool:
    """Whether distances within only shrink and those between only grow, on one side or both.

    Some must, visibly, and the clustering be neither one cluster nor singletons only.
    """
    before, after = case.situations
    if not np.array_equal(before.labels, after.labels):
        return False
    D, changed = before.distances, after.distances
    slack = SAME * max(D.max(initial=0), changed.max(initial=0))
    shrunk, inside = D - changed, same_cluster(before.labels)
    if side != "within" and (shrunk[~inside] > slack).any():
        return False
    if side != "between" and (shrunk[inside] < -slack).any():
        return False
    if side == "within" and (np.abs(shrunk[~inside]) > slack).any():
        return False
    if side == "between" and (np.abs(shrunk[inside]) > slack).any():
        return False
    if np.abs(shrunk).max() < 1e-3 * D.max() or not nontrivial(before.labels):
        return False
    return before.metric == "euclidean" or (is_metric(D) and is_metric(changed))


def visibly_improves(case: Case, side: Side) -> bool:
    """Premise of one improved distance among distances of similar size."""
    apart = ~np.eye(case.n, dtype=bool)
    sizes = np.concatenate([each.distances[apart] for each in case.situations])
    return sizes.max() <= MOST_APART * sizes.min() and improves(case, side)


def premise(side: Side, *, strict: bool = False) -> Callable[[Case], bool]:
    """The premise of one of the properties."""
    return partial(visibly_improves if strict else improves, side=side)


def trials(side: Side, *, strict: bool) -> Callable[..., Iterator[Trial]]:
    """The trials of one of the properties."""
    return partial(_trials, side=side, strict=strict)


@dataclass(frozen=True)
class ComparedValues:
    """By how much values improve, and how to make a case of one of them."""

    margins: Floats
    undefined: int
    case: Callable[[int], Case | None]
    exhaustive_to: int | None = None


def _trials(
    judge: Valuation, rng: np.random.Generator, *, side: Side, strict: bool
) -> Iterator[Trial]:
    """Trials of changes of distances on one side."""
    for compared in _compared(judge, rng, side):
        bad = broken(compared.margins, strict)
        worst = int(np.where(bad, compared.margins, np.inf).argmin()) if bad.any() else None
        case = None if worst is None else compared.case(worst)
        yield Trial(len(compared.margins), compared.undefined, compared.exhaustive_to, case)


def _compared(judge: Valuation, rng: np.random.Generator, side: Side) -> Iterator[ComparedValues]:
    """The weak form, the strict one and consistency read the same values."""
    if side == "both":  # what improves on one side alone improves on both
        yield from _compared(judge, rng, "within")
        yield from _compared(judge, rng, "between")
        yield from _own_change(judge, deepcopy(rng), side)
        return
    key = ("improve", side, str(rng.bit_generator.state))
    if key not in judge.memo:
        judge.memo[key] = Replayed(_of_one_side(judge, deepcopy(rng), side))
    yield from judge.memo[key]


def _of_one_side(
    judge: Valuation, rng: np.random.Generator, side: Side
) -> Iterator[ComparedValues]:
    """Compared values for small, random and own changes."""
    for n in sizes(judge):
        yield _all_small(judge, n, side)
    yield from _one_pair(judge, rng, side)
    yield from _own_change(judge, rng, side)


def broken(margins: Floats, strict: bool) -> Any:
    """Mask of the margins that break a property."""
    return (margins <= 0) if strict else (margins < 0)


def _all_small(judge: Valuation, n: int, side: Side) -> ComparedValues:
    """Each pair's distance exchanged for the other one, in each metric, for each clustering."""
    cases, values = small(n), table(judge, n)
    relevant = cases.far[:, :, None] == cases.within.T[None]
    relevant &= cases.nontrivial & (cases.within.T[None] == (side == "within"))
    after = values[cases.target[:, :, None], cases.renamed]
    margins = np.where(relevant, gain(values[:, None], after, judge.sign), np.nan)
    at = np.argwhere(np.isfinite(margins))

    def case(i: int) -> Case | None:
        g, e, k = at[i]
        far = far_for(judge)
        D = cases.distances(int(g), far)
        changed = D.copy()
        i, j = cases.pairs[e]
        changed[i, j] = changed[j, i] = 1.0 if cases.far[g, e] else far
        return _case(judge, cases.partitions[k], D, changed)

    return ComparedValues(margins[tuple(at.T)], int(relevant.sum()) - len(at), case, n)


def _case(judge: Valuation, labels: NDArray[np.int64], D: Floats, changed: Floats) -> Case | None:
    """Case of one clustering before and after a change of distances."""
    situations = []
    for distances in (D, changed):
        data, metric = data_of(judge, distances)
        if data is None:
            return None
        situations.append(Situation(labels, data=data, metric=metric))
    return Case(tuple(situations))


def _one_pair(judge: Valuation, rng: np.random.Generator, side: Side) -> Iterator[ComparedValues]:
    """Change of one distance of a random metric, for many clusterings at once."""
    points = judge.measure.takes == "features"
    for number in range(BASES):
        n = int(rng.integers(4, 13 if points else 41 if number % 4 == 0 else 16))
        D = _simplex(rng, n) if points else random_distances(rng, n)
        i, j = rng.choice(n, 2, replace=False)
        if rng.random() < 0.5:  # an extreme one
            extreme = D + np.diag(np.full(n, np.inf if rng.random() < 0.5 else -np.inf))
            at = extreme.argmin() if np.isposinf(extreme[0, 0]) else extreme.argmax()
            i, j = np.unravel_index(at, D.shape)
        factor = rng.choice([0.5, 0.8, 0.95] if side == "within" else [1.05, 1.3, 2.0])
        wanted = D.copy()
        wanted[i, j] = wanted[j, i] = factor * D[i, j]
        ok = (lambda T: embedded(T) is not None) if points else is_metric
        changed = between_zero_and(D, wanted, ok)
        if changed is None:
            continue
        labelings = random_labels(rng, n, 30 if judge.batched else 6)
        inside = labelings[:, i] == labelings[:, j]
        relevant = inside == (side == "within")
        if not relevant.any():
            continue
        labelings = labelings[relevant]
        before, after = (
            judge.batch(*data_of(judge, distances), labelings) for distances in (D, changed)
        )
        margins = gain(before, after, judge.sign)
        defined = np.flatnonzero(np.isfinite(margins))
        rows = labelings[defined]
        case = partial(_case_of, judge, rows, D, changed)
        yield ComparedValues(margins[defined], len(margins) - len(defined), case)


def _case_of(
    judge: Valuation, rows: NDArray[np.int64], D: Floats, changed: Floats, i: int
) -> Case | None:
    """Case of the i-th clustering."""
    return _case(judge, rows[i], D, changed)


def _simplex(rng: np.random.Generator, n: int) -> Floats:
    """Distances of points in general position in n - 1 dimensions."""
    points = np.pad(clumps(rng, n, int(rng.integers(1, 3))), ((0, 0), (0, n)))
    points[:, -n:] += rng.uniform(0.3, 1.0) * np.eye(n) + 0.05 * rng.normal(size=(n, n))
    return np.asarray(np.linalg.norm(points[:, None] - points[None], axis=2))


def _own_change(judge: Valuation, rng: np.random.Generator, side: Side) -> Iterator[ComparedValues]:
    """Changes of many distances at once; then steps from the case of the smallest margin."""
    best: tuple[float, Case | None] = (np.inf, None)
    near: list[tuple[float, Case]] = []
    cases = CASES_OF_POINTS if judge.measure.takes == "features" else CASES
    for number in range(cases + STEPS):
        start = number - cases
        if start in (0, STEPS // 2):  # from the smallest margin, and from the next one
            near.sort(key=lambda pair: pair[0])
            best = near[min(start, len(near) - 1, 1)] if near else best
        base = best[1] if start >= 0 else None
        case = _random_case(judge, rng, side, base)
        if case is None or not improves(case, side):
            continue
        share = margin(judge.values(case.situations), case, judge.sign)
        defined = np.array([share])[np.isfinite([share])]
        yield ComparedValues(defined, 1 - len(defined), partial(_itself, case))
        if start < 0 and len(defined):
            near.append((share, case))
        elif share < best[0]:
            best = (share, case)


def _itself(case: Case, i: int) -> Case:
    """The case unchanged."""
    return case


def _random_case(
    judge: Valuation, rng: np.random.Generator, side: Side, base: Case | None
) -> Case | None:
    """A case at random, or near another one."""
    if judge.measure.takes == "features" and rng.random() < 0.8:
        return _moved_points(rng, side, base)
    if base is not None and base.situations[0].metric == "precomputed":
        labels, D = base.situations[0].labels, base.situations[0].distances
        D = D * symmetric(np.exp(0.1 * rng.normal(size=D.shape)))
        if not is_metric(D):
            return None
    else:
        points = judge.measure.takes == "features"
        n = int(rng.integers(3, 13))
        D = _simplex(rng, n) if points else random_distances(rng, n)
        labels = random_labels(rng, n, 1)[0]
    inside = same_cluster(labels)
    chosen = symmetric((rng.random(D.shape) < rng.choice([0.2, 0.6, 1.0])).astype(float)) > 0
    power = symmetric(rng.random(D.shape)) if rng.random() < 0.6 else 1.0
    strength = float(rng.choice([0.1, 0.5, 2.0]))
    factors = np.where(inside, np.exp(-strength * power), np.exp(strength * power))
    if side != "both":
        chosen &= inside == (side == "within")
    wanted = np.where(chosen, D * factors, D)
    np.fill_diagonal(wanted, 0.0)
    ok: Any = is_metric if judge.measure.takes == "distances" else _is_embedded
    changed = between_zero_and(D, wanted, ok)
    return None if changed is None else _case(judge, labels, D, changed)


def _is_embedded(D: Floats) -> bool:
    """Whether distances are those of points."""
    return embedded(D) is not None


def _moved_points(rng: np.random.Generator, side: Side, base: Case | None) -> Case | None:
    """Clusters that contract and move apart, or an object that crosses a plane of the others."""
    if base is not None and bool(base.facts) == (side == "both"):
        base = None
    if side != "both":
        return _across_a_plane(rng, side, base)
    if base is None:
        n, d = int(rng.integers(4, 25)), int(rng.integers(1, 4))
        labels, X = random_labels(rng, n, 1)[0], clumps(rng, n, d)
        if rng.random() < 0.7:
            X = X + 4 * rng.normal(size=(int(labels.max()) + 1, d))[labels]
    else:
        labels, X = base.situations[0].labels, np.asarray(base.situations[0].data)
        X = X + 0.1 * X.std() * rng.normal(size=X.shape)
    k = int(labels.max()) + 1
    centers = np.array([X[labels == c].mean(axis=0) for c in range(k)])
    shrink = rng.choice([1.0, 0.9, 0.5, 0.05], size=k)[:, None]
    spread = rng.choice([1.0, 1.1, 2.0, 6.0])
    moved = centers[labels] * spread + shrink[labels] * (X - centers[labels])
    return Case((Situation(labels, data=X), Situation(labels, data=moved)))


def _across_a_plane(rng: np.random.Generator, side: Side, base: Case | None) -> Case:
    """An object is reflected in the plane in which all lie whose distance to it must stay.

    The others lie on one side, to which it comes from the other if they are of its own cluster.
    """
    if base is not None:  # moves along the plane, and nearer or farther, keep that
        labels, X = base.situations[0].labels, np.asarray(base.situations[0].data).copy()
        a = int((base.situations[1].distances != base.situations[0].distances).sum(axis=0).argmax())
        size = 10.0 ** -rng.uniform(0.3, 2)
        X[:, :-1] += size * X[:, :-1].std() * rng.normal(size=X[:, :-1].shape)
        X[:, -1] *= np.exp(size * rng.normal(size=len(X)))
    else:
        n = int(rng.integers(4, 9) if rng.random() < 0.7 else rng.integers(9, 25))
        d = int(rng.integers(2, 4))
        labels, X = random_labels(rng, n, 1)[0], clumps(rng, n, d)
        if rng.random() < 0.5:
            X[:, :-1] += 4 * rng.normal(size=(int(labels.max()) + 1, d - 1))[labels]
        a = int(rng.choice(np.flatnonzero(np.bincount(labels)[labels] > 1)))
        mates = (labels == labels[a]) == (side == "within")
        heights = np.abs(X[:, -1]) * (rng.random(n) < 0.7)
        X[:, -1] = np.where(mates, heights, 0.0)
        height = float(rng.uniform(0.05, 2.0))
        X[a, -1] = -height if side == "within" else height
    moved = X.copy()
    moved[a, -1] = -X[a, -1]
    situations = (Situation(labels, data=X), Situation(labels, data=moved))
    return Case(situations, facts={CROSSES: "the plane of those whose distance to it stays"})


def simpler(case: Case) -> Iterator[Case]:
    """Cases with fewer objects, clusters, changes or digits."""
    yield from simpler_one(case)
    yield from _one_change_less(case)
    yield from rounder(case)


def simpler_one(case: Case) -> Iterator[Case]:
    """Cases with fewer objects or clusters, or clusters numbered by appearance."""
    yield from without_object(case)
    first = case.situations[0].labels
    if any(not np.array_equal(each.labels, first) for each in case.situations):
        return
    fewer = [np.where(first > c, first - 1, first) for c in range(int(first.max()))]
    for labels in (*fewer, np.array(numbered(first))):
        if not np.array_equal(labels, first):
            yield _labelled(case, labels)


def _labelled(case: Case, labels: NDArray[np.int64]) -> Case:
    """Case with other labels."""
    return replace(case, situations=tuple(replace(each, labels=labels) for each in case.situations))


def rounder(case: Case) -> Iterator[Case]:
    """Cases with fewer digits."""
    originals = [np.asarray(each.data) for each in case.situations]
    for digits in (0, 1, 2, 3, 12):
        rounded = [np.round(data, digits) + 0.0 for data in originals]
        if any(not np.array_equal(a, b) for a, b in zip(rounded, originals, strict=True)):
            yield replace(
                case,
                situations=tuple(
                    replace(each, data=data)
                    for each, data in zip(case.situations, rounded, strict=True)
                ),
            )


def _one_change_less(case: Case) -> Iterator[Case]:
    """Cases with one changed distance less."""
    if len(case.situations) != 2 or case.situations[0].metric != "precomputed":
        return
    before, after = case.situations
    assert before.data is not None
    assert after.data is not None
    if before.data.shape != after.data.shape:
        return
    changed = np.argwhere(np.triu(before.data != after.data))
    if len(changed) < 2:
        return
    for i, j in changed:
        data = after.data.copy()
        data[i, j] = data[j, i] = before.data[i, j]
        yield replace(case, situations=(before, replace(after, data=data)))
