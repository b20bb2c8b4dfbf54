"""Distances that improve: consistency and its kin, exhaustive on small metrics, then random."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from karat.axioms._base import Trial, gain
from karat.axioms._cases import Case, Situation, without_object
from karat.axioms._data import (
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
from karat.axioms._judge import Judge
from karat.axioms._small import data_of, far_for, numbered, sizes, small, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Side: TypeAlias = Literal["within", "between", "both"]

SIDES: tuple[Side, ...] = ("within", "between", "both")
#: random metrics whose pairs are changed one at a time, and cases with changes of their own
BASES, CASES = 60, 400
#: steps of the search that follows the smallest margin
STEPS = 120


def margin(values: Floats, case: Case, sign: int) -> float:
    """By what share the second situation is better than the first."""
    return float(gain(values[0], values[1], sign))


def nontrivial(labels: NDArray[Any]) -> bool:
    """Neither one cluster nor singletons only."""
    return 1 < len(np.unique(labels)) < len(labels)


def improves(case: Case, side: Side, *, strictly: bool = False) -> bool:
    """Whether distances within only shrink and those between only grow, on one side or both."""
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
    if strictly and (np.abs(shrunk).max() < 1e-3 * D.max() or not nontrivial(before.labels)):
        return False
    return before.metric == "euclidean" or (is_metric(D) and is_metric(changed))


def premise(side: Side, *, strictly: bool) -> Callable[[Case], bool]:
    """The premise of one of the properties."""
    return partial(improves, side=side, strictly=strictly)


def trials(side: Side, *, strict: bool) -> Callable[..., Iterator[Trial]]:
    """The trials of one of the properties."""
    return partial(_trials, side=side, strict=strict)


def _trials(judge: Judge, rng: np.random.Generator, *, side: Side, strict: bool) -> Iterator[Trial]:
    for n in sizes(judge):
        yield _all_small(judge, n, side, strict)
    yield from _one_pair(judge, rng, side, strict)
    yield from _own_change(judge, rng, side, strict)


def broken(margins: Any, strict: bool) -> Any:
    """Which margins break a property."""
    return (margins <= 0) if strict else (margins < 0)


def _all_small(judge: Judge, n: int, side: Side, strict: bool) -> Trial:
    """Each pair's distance exchanged for the other one, in each metric, for each clustering."""
    cases, values = small(n), table(judge, n)
    asked = cases.far[:, :, None] == cases.within.T[None]
    asked &= cases.nontrivial
    if side != "both":
        asked &= cases.within.T[None] == (side == "within")
    after = values[cases.target[:, :, None], cases.renamed]
    margins = np.where(asked, gain(values[:, None], after, judge.sign), np.nan)
    defined = np.isfinite(margins)
    bad = defined & broken(margins, strict)
    case = None
    if bad.any():
        g, e, k = np.unravel_index(np.where(bad, margins, np.inf).argmin(), margins.shape)
        far = far_for(judge)
        D = cases.distances(int(g), far)
        changed = D.copy()
        i, j = cases.pairs[e]
        changed[i, j] = changed[j, i] = 1.0 if cases.far[g, e] else far
        case = _case(judge, cases.partitions[k], D, changed)
    return Trial(int(defined.sum()), int(asked.sum() - defined.sum()), n, case)


def _case(judge: Judge, labels: NDArray[np.int64], D: Floats, changed: Floats) -> Case | None:
    situations = []
    for distances in (D, changed):
        data, metric = data_of(judge, distances)
        if data is None:
            return None
        situations.append(Situation(labels, data=data, metric=metric))
    return Case(tuple(situations))


def _one_pair(judge: Judge, rng: np.random.Generator, side: Side, strict: bool) -> Iterator[Trial]:
    """One distance of a random metric changed, for many clusterings at once."""
    points = judge.measure.takes == "features"
    for number in range(BASES):
        n = int(rng.integers(4, 13 if points else 41 if number % 4 == 0 else 16))
        D = _simplex(rng, n) if points else random_distances(rng, n)
        i, j = rng.choice(n, 2, replace=False)
        if rng.random() < 0.5:  # an extreme one
            extreme = D + np.diag(np.full(n, np.inf if rng.random() < 0.5 else -np.inf))
            at = extreme.argmin() if np.isposinf(extreme[0, 0]) else extreme.argmax()
            i, j = np.unravel_index(at, D.shape)
        factor = rng.choice([0.5, 0.8, 0.95, 1.05, 1.3, 2.0])
        wanted = D.copy()
        wanted[i, j] = wanted[j, i] = factor * D[i, j]
        ok = (lambda T: embedded(T) is not None) if points else is_metric
        changed = between_zero_and(D, wanted, ok)
        if changed is None:
            continue
        labelings = random_labels(rng, n, 30 if judge.batched else 6)
        inside = labelings[:, i] == labelings[:, j]
        asked = inside == (factor < 1)
        if side != "both":
            asked &= inside == (side == "within")
        if not asked.any():
            continue
        labelings = labelings[asked]
        before, after = (
            judge.batch(*data_of(judge, distances), labelings) for distances in (D, changed)
        )
        margins = gain(before, after, judge.sign)
        defined = np.isfinite(margins)
        bad = defined & broken(margins, strict)
        case = None
        if bad.any():
            m = int(np.where(bad, margins, np.inf).argmin())
            case = _case(judge, labelings[m], D, changed)
        yield Trial(int(defined.sum()), int((~defined).sum()), case=case)


def _simplex(rng: np.random.Generator, n: int) -> Floats:
    """Distances of points in general position in n - 1 dimensions."""
    points = np.pad(clumps(rng, n, int(rng.integers(1, 3))), ((0, 0), (0, n)))
    points[:, -n:] += rng.uniform(0.3, 1.0) * np.eye(n) + 0.05 * rng.normal(size=(n, n))
    return np.asarray(np.linalg.norm(points[:, None] - points[None], axis=2))


def _own_change(
    judge: Judge, rng: np.random.Generator, side: Side, strict: bool
) -> Iterator[Trial]:
    """Changes of many distances at once; then steps from the case of the smallest margin."""
    best: tuple[float, Case | None] = (np.inf, None)
    for number in range(CASES + STEPS):
        base = best[1] if number >= CASES else None
        # what improves on one side alone improves on both
        asked: Side = SIDES[number % 3] if side == "both" else side
        case = _random_case(judge, rng, asked, base)
        if case is None or not improves(case, side, strictly=strict):
            continue
        share = margin(judge.values(case.situations), case, judge.sign)
        if np.isnan(share):
            yield Trial(0, 1)
            continue
        if share < best[0]:
            best = (share, case)
        yield Trial(1, case=case if broken(share, strict) else None)


def _random_case(
    judge: Judge, rng: np.random.Generator, side: Side, base: Case | None
) -> Case | None:
    """A case at random, or near another one."""
    if judge.measure.takes == "features" and rng.random() < 0.7:
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
    return embedded(D) is not None


def _moved_points(rng: np.random.Generator, side: Side, base: Case | None) -> Case | None:
    """Clusters that contract and move apart, or an object that crosses a plane of the others."""
    if base is not None and (base.facts or base.situations[0].metric == "precomputed"):
        base = None
    if side != "both":
        return _across_a_plane(rng, side)
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


def _across_a_plane(rng: np.random.Generator, side: Side) -> Case:
    """An object is reflected in the plane in which all lie whose distance to it must stay.

    The others lie on one side, to which it comes from the other if they are of its own cluster.
    """
    within = side == "within"
    n, d = int(rng.integers(4, 25)), int(rng.integers(2, 4))
    labels, X = random_labels(rng, n, 1)[0], clumps(rng, n, d)
    if rng.random() < 0.5:
        X[:, :-1] += 4 * rng.normal(size=(int(labels.max()) + 1, d - 1))[labels]
    own = np.flatnonzero(np.bincount(labels) > 1)
    a = int(rng.choice(np.flatnonzero(np.isin(labels, own))))
    mates = labels == labels[a]
    heights = np.abs(X[:, -1]) * (rng.random(n) < 0.7)
    X[:, -1] = np.where(mates if within else ~mates, heights, 0.0)
    height = float(rng.uniform(0.05, 2.0))
    X[a, -1] = -height if within else height
    moved = X.copy()
    moved[a, -1] = -X[a, -1]
    situations = (Situation(labels, data=X), Situation(labels, data=moved))
    return Case(
        situations, facts={"an object crosses": "the plane of those whose distance to it stays"}
    )


def simpler(case: Case) -> Iterator[Case]:
    """One object less, one cluster less, one change less, or rounder."""
    yield from simpler_one(case)
    yield from _one_change_less(case)
    yield from rounder(case)


def simpler_one(case: Case) -> Iterator[Case]:
    """One object or one cluster less, or clusters numbered as they appear."""
    yield from without_object(case)
    first = case.situations[0].labels
    if any(not np.array_equal(each.labels, first) for each in case.situations):
        return
    fewer = [np.where(first > c, first - 1, first) for c in range(int(first.max()))]
    for labels in (*fewer, np.array(numbered(first))):
        if not np.array_equal(labels, first):
            yield _labelled(case, labels)


def _labelled(case: Case, labels: NDArray[np.int64]) -> Case:
    return replace(case, situations=tuple(replace(each, labels=labels) for each in case.situations))


def rounder(case: Case) -> Iterator[Case]:
    """The same with fewer digits."""
    given = [np.asarray(each.data) for each in case.situations]
    for digits in (0, 1, 2, 3, 12):
        rounded = [np.round(data, digits) + 0.0 for data in given]
        if any(not np.array_equal(a, b) for a, b in zip(rounded, given, strict=True)):
            yield replace(
                case,
                situations=tuple(
                    replace(each, data=data)
                    for each, data in zip(case.situations, rounded, strict=True)
                ),
            )


def _one_change_less(case: Case) -> Iterator[Case]:
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
