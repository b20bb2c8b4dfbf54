"""Weak local consistency: every cluster shrinks evenly, and representatives move apart evenly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sortal.measures.properties import Case, Situation
from sortal_lab.axioms.consistency import margin, rounder
from sortal_lab.axioms.point_sets import (
    SAME,
    between_zero_and,
    clumps,
    is_metric,
    random_distances,
    random_labels,
    same_cluster,
)
from sortal_lab.axioms.search import Trial
from sortal_lab.axioms.valuation import Valuation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Floats


CASES = 800


def is_local_variant(case: Case) -> bool:
    """Whether the second distances are a weakly locally consistent variant of the first."""
    before, after = case.situations
    if not np.array_equal(before.labels, after.labels):
        return False
    labels, D, changed = before.labels, before.distances, after.distances
    slack = SAME * max(D.max(initial=0), changed.max(initial=0))
    if (changed - D < -slack)[~same_cluster(labels)].any():
        return False
    for c in np.unique(labels):
        block = np.ix_(labels == c, labels == c)
        if not _scaled(D[block], changed[block], slack, (0.0, 1.0)):
            return False
    members = case.facts["representatives"]
    block = np.ix_(members, members)
    if sorted(labels[members]) != sorted(set(labels.tolist())):
        return False
    if not _scaled(D[block], changed[block], slack, (1.0, np.inf)):
        return False
    return before.metric == "euclidean" or (is_metric(D) and is_metric(changed))


def _scaled(D: Floats, changed: Floats, slack: float, limits: tuple[float, float]) -> bool:
    """Whether all distances are multiplied by one number within the limits."""
    if not D.any():
        return True
    factor = changed.sum() / D.sum()
    even = bool((np.abs(changed - factor * D) <= slack).all())
    return even and limits[0] - SAME <= factor <= limits[1] + SAME


def trials(judge: Valuation, rng: np.random.Generator) -> Iterator[Trial]:
    """Random variants; those of points contract clusters about objects that move apart."""
    for _ in range(CASES):
        n = int(rng.integers(3, 25))
        labels = random_labels(rng, n, 1)[0]
        members = [
            int(rng.choice(np.flatnonzero(labels == c))) for c in range(int(labels.max()) + 1)
        ]
        make = _of_points if judge.measure.takes == "features" else _of_distances
        case = make(rng, labels, members)
        if case is None or not is_local_variant(case):
            continue
        share = margin(judge.values(case.situations), case, judge.sign)
        if np.isnan(share):
            yield Trial(0, 1)
        else:
            yield Trial(1, case=case if share < 0 else None)


def _factors(rng: np.random.Generator, k: int) -> tuple[Floats, float]:
    """Random factors within and between clusters."""
    shrink = rng.choice([1.0, 0.95, 0.7, 0.2], size=k)
    return shrink, float(rng.choice([1.0, 1.05, 1.5, 3.0]))


def _of_distances(
    rng: np.random.Generator, labels: NDArray[np.int64], members: list[int]
) -> Case | None:
    """Random distances and a locally consistent variant."""
    D = random_distances(rng, len(labels))
    shrink, spread = _factors(rng, int(labels.max()) + 1)
    inside = same_cluster(labels)
    wanted = np.where(inside, D * shrink[labels][:, None], D * spread)
    wanted = np.triu(wanted, 1) + np.triu(wanted, 1).T
    changed = between_zero_and(D, wanted, is_metric)
    if changed is None:
        return None
    return Case(
        tuple(Situation(labels, data=each, metric="precomputed") for each in (D, changed)),
        facts={"representatives": members},
    )


def _of_points(rng: np.random.Generator, labels: NDArray[np.int64], members: list[int]) -> Case:
    """Random points and a locally consistent variant."""
    X = clumps(rng, len(labels), int(rng.integers(1, 4)))
    k = int(labels.max()) + 1
    if rng.random() < 0.8:
        X = X + rng.choice([2.0, 6.0]) * rng.normal(size=(k, X.shape[1]))[labels]
    shrink, spread = _factors(rng, k)
    centers = X[members][labels]
    moved = spread * centers + shrink[labels][:, None] * (X - centers)
    return Case(
        (Situation(labels, data=X), Situation(labels, data=moved)),
        facts={"representatives": members},
    )


def simpler(case: Case) -> Iterator[Case]:
    """Cases without one object that represents no cluster, or without a cluster."""
    members = case.facts["representatives"]
    labels = case.situations[0].labels
    drops = [np.array([i]) for i in range(case.n) if i not in members]
    drops += [np.flatnonzero(labels == c) for c in np.unique(labels)]
    for gone in drops:
        rest = np.setdiff1d(np.arange(case.n), gone)
        if len(rest) < 2:
            continue
        kept = [int(np.searchsorted(rest, i)) for i in members if i in rest]
        yield replace(
            case,
            situations=tuple(each.take(rest) for each in case.situations),
            facts={"representatives": kept},
        )
    yield from rounder(case)
