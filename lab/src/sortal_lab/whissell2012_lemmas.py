"""Lemmas 3 to 6 of whissell2012 and the order of the PAC-MDL bound, over all small cases."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sortal.bounds import b_max, bucket
from sortal.measures import informativeness
from sortal.measures.clarity import KNearestNeighbors, informativeness_of_predictions
from sortal_lab import ExperimentResult
from sortal_lab.axioms import partitions

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from sortal.typing import Floats, RandomState


#: objects of the lemmas on distances, and the distances: every such matrix is a metric
OBJECTS, DISTANCES = 5, (1.0, 2.0)
#: objects of lemmas 3 and 6, and of the bound
MOST, LABELLED = 7, 12
TOLERANCE = 1e-12


class LemmaTrial(NamedTuple):
    """A claim, its source, the number of cases tried, and a failing case."""

    claim: str
    source: str
    cases: int
    failing: str


def run(
    *,
    name: str = "whissell2012-lemmas",
    samples: int | None = None,
    random_state: RandomState = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Try the lemmas of chapter 6 and the order of the bound on all small cases.

    ``samples``: claims; all by default.

    Returns a row for each claim: cases, ``holds`` or ``fails``, and the case in which it fails.
    """
    import pandas as pd

    rows = []
    for make in CLAIMS[:samples]:
        for claim in make():
            claimed = "" if "no claim" in claim.claim else "holds"
            outcome = "fails" if claim.failing else "holds"
            rows.append(claim._asdict() | {"found": outcome, "published": claimed})
            if progress is not None:
                progress(f"{claim.claim}: {rows[-1]['found']} in {claim.cases:,} cases")
    table = pd.DataFrame(rows)[["claim", "source", "cases", "found", "published", "failing"]]
    return ExperimentResult(
        name,
        table,
        (
            f"Lemmas 4 and 5: all clusterings of {OBJECTS} objects under all matrices of the "
            f"distances {', '.join(map(str, DISTANCES))}. Lemmas 3 and 6: all sizes of up to "
            f"{MOST} objects. The bound: all counts of up to {LABELLED} labelled and as many "
            "unlabelled objects.",
        ),
    )


def more_recognised() -> Iterator[LemmaTrial]:
    """Lemma 3, from predictions that differ in one object that the better classifier gets right."""
    cases, failing = 0, ""
    for n in range(2, MOST + 1):
        for sizes in _sizes(n, 1):
            if len(sizes) < 2:
                continue
            labels = np.repeat(np.arange(len(sizes)), sizes)
            for right in itertools.product(*(range(size + 1) for size in sizes)):
                value = _informativeness(labels, right)
                for c in range(len(sizes)):
                    if right[c] < sizes[c]:
                        more = tuple(r + (i == c) for i, r in enumerate(right))
                        cases += 1
                        if _informativeness(labels, more) < value - TOLERANCE:
                            failing = failing or f"sizes {sizes}, right {right} and {more}"
    yield LemmaTrial("More recognised, no less informative", "lemma 3", cases, failing)


def _informativeness(labels: NDArray[np.int64], right: tuple[int, ...]) -> float:
    """With so many objects of each cluster predicted right, the others not at all."""
    predicted = np.full(len(labels), -1)
    for c, number in enumerate(right):
        predicted[np.flatnonzero(labels == c)[:number]] = c
    return informativeness_of_predictions(labels, predicted)


def _sizes(n: int, least: int) -> Iterator[tuple[int, ...]]:
    """Partitions of n into parts of at least ``least``, ascending."""
    if n == 0:
        yield ()
    for first in range(least, n + 1):
        for rest in _sizes(n - first, first):
            yield (first, *rest)


def consistent() -> Iterator[LemmaTrial]:
    """Lemma 4 for the nearest neighbour; with three, other clusters may join their votes."""
    metrics, clusterings = _metrics(), _clusterings(OBJECTS)
    rows, columns = np.triu_indices(OBJECTS, 1)
    for neighbours, claim in (
        (1, "Consistent with the nearest neighbour"),
        (3, "and with three (no claim)"),
    ):
        values = _values(metrics, clusterings, neighbours)
        distances = metrics[:, rows, columns]
        cases, failing = 0, ""
        for m, labels in enumerate(clusterings):
            within = labels[rows] == labels[columns]
            turned = np.where(within, -distances, distances)
            variants = (turned[None] >= turned[:, None]).all(axis=2)
            cases += int(variants.sum()) - len(metrics)
            worse = variants & (values[None, :, m] < values[:, None, m] - TOLERANCE)
            if worse.any() and not failing:
                before, after = (int(i) for i in np.argwhere(worse)[0])
                failing = (
                    f"labels {labels.tolist()}, distances {distances[before].tolist()} and "
                    f"{distances[after].tolist()}: {values[before, m]:.4g} and "
                    f"{values[after, m]:.4g}"
                )
        yield LemmaTrial(claim, "lemma 4" if neighbours == 1 else "", cases, failing)


def scale_invariant() -> Iterator[LemmaTrial]:
    """Lemma 5."""
    metrics, clusterings = _metrics(), _clusterings(OBJECTS)
    values = _values(metrics, clusterings, 1)
    cases, failing = 0, ""
    for scale in (1e-6, 0.3, 7.0, 1e9):
        differ = np.argwhere(np.abs(_values(metrics * scale, clusterings, 1) - values) > TOLERANCE)
        cases += values.size
        if len(differ):
            at = tuple(differ[0])
            failing = failing or f"scale {scale}: {metrics[at[0]].tolist()}, {clusterings[at[1]]}"
    yield LemmaTrial("Scale invariant with the nearest neighbour", "lemma 5", cases, failing)


def rich() -> Iterator[LemmaTrial]:
    """Lemma 6: 0.1 within and 1 between; and whether C is then the only best clustering."""
    cases, failing, alone = 0, "", ""
    for neighbours in (1, 2, 3):
        for n in range(2 * neighbours + 2, MOST + 1):
            clusterings = _clusterings(n)
            for sizes in _sizes(n, neighbours + 1):
                if len(sizes) < 2:
                    continue
                labels = np.repeat(np.arange(len(sizes)), sizes)
                D = np.where(labels[:, None] == labels, 0.1, 1.0) * (1 - np.eye(n))
                values = _values(D[None], clusterings, neighbours)[0]
                position = int(np.flatnonzero((clusterings == labels).all(axis=1))[0])
                cases += 1
                if (
                    values[position] < values.max() - TOLERANCE
                    or abs(values[position] - 1) > TOLERANCE
                ):
                    failing = failing or f"{neighbours} neighbours, sizes {sizes}"
                others = np.flatnonzero(values > values[position] - TOLERANCE)
                if len(others) > 1 and not alone:
                    rival = next(i for i in others if i != position)
                    alone = f"{labels.tolist()}; as good is {clusterings[rival].tolist()}"
    yield LemmaTrial("Rich where clusters have r + 1 objects or more", "lemma 6", cases, failing)
    yield LemmaTrial("and no other clustering is as good (no claim)", "", cases, alone)


def bound_order() -> Iterator[LemmaTrial]:
    """Monotonicity of b_max and its tail in each argument."""
    levels = [2.0**-i for i in range(0, 40, 3)]
    m, n, a, d = (
        grid.ravel()
        for grid in np.meshgrid(
            *[np.arange(1, LABELLED + 1)] * 2, np.arange(LABELLED), levels, indexing="ij"
        )
    )
    ok = a < m
    m, n, a, d = m[ok], n[ok], a[ok], d[ok]
    value = b_max(m, n, a, d)
    for words, change, sign in (
        ("more errors on the labelled", (0, 0, 1, 1.0), 1),
        ("more unlabelled objects", (0, 1, 0, 1.0), 1),
        ("more bits of description, or a smaller delta", (0, 0, 0, 0.5), 1),
        ("more labelled objects with the same errors", (1, 0, 0, 1.0), -1),
    ):
        after = b_max(m + change[0], n + change[1], a + change[2], d * change[3])
        bad = np.flatnonzero(sign * (after - value) < 0)
        failing = f"m {m[bad[0]]}, n {n[bad[0]]}, a {a[bad[0]]}" if len(bad) else ""
        moves = "rises" if sign > 0 else "falls"
        claim = f"The bound {moves} or stays with {words}"
        yield LemmaTrial(claim, "banerjee2004 theorem 1", len(m), failing)
    steps = [
        (i, j, k, b)
        for i in range(1, LABELLED + 1)
        for j in range(1, LABELLED + 1)
        for k in range(i + 1)
        for b in range(j)
    ]
    m, n, a, b = np.array(steps).T
    bad = np.flatnonzero(bucket(m, n, a, b + 1) > bucket(m, n, a, b) + TOLERANCE)
    failing = str(steps[bad[0]]) if len(bad) else ""
    yield LemmaTrial("Bucket falls with b", "banerjee2004 section 2", len(steps), failing)


def _metrics() -> Floats:
    """All matrices of the distances; no two of them are less than the third."""
    rows, columns = np.triu_indices(OBJECTS, 1)
    distances = np.array(list(itertools.product(DISTANCES, repeat=len(rows))))
    D = np.zeros((len(distances), OBJECTS, OBJECTS))
    D[:, rows, columns] = D[:, columns, rows] = distances
    return D


def _clusterings(n: int) -> NDArray[np.int64]:
    """All clusterings of at least two clusters."""
    rows = partitions(n)
    return rows[rows.max(axis=1) > 0]


def _values(metrics: Floats, clusterings: NDArray[np.int64], neighbours: int) -> Floats:
    """Informativeness of each clustering under each metric."""
    classifier = KNearestNeighbors(neighbours)
    return np.array(
        [
            informativeness(D, clusterings, classifiers=classifier, metric="precomputed")
            for D in metrics
        ]
    )


CLAIMS = (more_recognised, consistent, scale_invariant, rich, bound_order)
