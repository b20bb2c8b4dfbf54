"""Richness: whether distances can be found under which a given clustering is best."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.measures.properties import SituationMetric, cluster_name
from sortal_lab.axioms.cases import partitions
from sortal_lab.axioms.point_sets import (
    is_metric,
    random_distances,
    random_labels,
    same_cluster,
    symmetric,
)
from sortal_lab.axioms.search import Trial, gain
from sortal_lab.axioms.small_metrics import small, small_data
from sortal_lab.axioms.valuation import Valuation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Floats


#: distances tried for each clustering
TRIES = 120


def patterns(n: int) -> Iterator[NDArray[np.int64]]:
    """One clustering of every pattern of cluster sizes, neither one cluster nor singletons."""
    seen = set()
    for row in partitions(n):
        sizes = tuple(sorted(np.bincount(row), reverse=True))
        if 1 < len(sizes) < n and sizes not in seen:
            seen.add(sizes)
            yield row


def richness(judge: Valuation, rng: np.random.Generator) -> Iterator[Trial]:
    """Trials of richness: for each pattern of sizes, distances that make a clustering best."""
    for n in range(3, 7 if judge.batched else 6):
        every = partitions(n)
        for labels in patterns(n):
            yield _best_somewhere(judge, rng, labels, every)
        yield Trial(0, exhaustive_to=n)


def _best_somewhere(
    judge: Valuation, rng: np.random.Generator, labels: NDArray[np.int64], every: NDArray[np.int64]
) -> Trial:
    """Search for data on which a clustering is the best one."""
    at = int((every == labels).all(axis=1).argmax())
    rivals = np.zeros(len(every), dtype=int)
    undefined = tried = 0
    nearest: tuple[float, Any] = (-np.inf, None)
    for number in range(TRIES):
        near = nearest[1] if number % 3 == 2 else None
        data, metric = _separated(judge, rng, labels, near)
        values = judge.batch(data, metric, every)
        if np.isnan(values[at]):
            undefined += 1
            continue
        better = gain(values[at], values, judge.sign)
        if np.nanmax(better) <= 0:
            return Trial(1)
        tried += 1
        rivals += better > 0
        if -np.nanmax(better) > nearest[0]:
            nearest = (-float(np.nanmax(better)), (data, metric))
    name = as_sets(labels)
    if not tried:
        return Trial(0, undefined)
    rival, times = int(rivals.argmax()), int(rivals.max())
    return Trial(
        0,
        undefined,
        open=f"No distances found under which {name} is best of all clusterings of "
        f"{len(labels)} objects, of {tried:,} tried; {as_sets(every[rival])} was better in "
        f"{'all' if times == tried else f'{times:,}'}",
    )


def as_sets(labels: NDArray[np.int64]) -> str:
    """A clustering in words: each object's cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal_lab.axioms.richness import as_sets
    >>> as_sets(np.array([0, 0, 1]))
    'AAB'
    """
    return "".join(cluster_name(int(code)) for code in labels)


def _separated(
    judge: Valuation, rng: np.random.Generator, labels: NDArray[np.int64], near: Any
) -> tuple[Any, SituationMetric]:
    """Data of which these are the clusters, more or less clearly; or near other data."""
    n, k = len(labels), int(labels.max()) + 1
    if near is not None:
        data, metric = near
        noise = np.exp(0.3 * rng.normal(size=data.shape))
        if metric == "euclidean":
            return data + 0.1 * data.std() * rng.normal(size=data.shape), metric
        moved = data * symmetric(noise)
        return (moved, metric) if is_metric(moved) else near
    width = float(rng.choice([1e-4, 0.01, 0.1, 0.3, 0.8])) * rng.choice([0.1, 1.0, 3.0], size=k)
    if judge.measure.takes == "distances":
        inside = symmetric(rng.uniform(1, rng.choice([1.0, 2.0]), (n, n))) * width[labels][:, None]
        inside = np.minimum(inside, inside.T)
        apart = symmetric(rng.uniform(1, rng.choice([1.0, 2.0]), (k, k)))[labels][:, labels]
        D = np.where(same_cluster(labels), inside, apart)
        np.fill_diagonal(D, 0.0)
        return (D, "precomputed") if is_metric(D) else _separated(judge, rng, labels, None)
    d = int(rng.choice([1, 2, max(2, n - 1)]))
    if d > 2:
        centers = np.eye(d)[:k] if k <= d else rng.normal(size=(k, d))
    else:
        centers = rng.permutation(k)[:, None] * np.eye(d)[0] + rng.choice([0.0, 1.0]) * (
            rng.normal(size=(k, d))
        )
    shape = rng.normal(size=(n, d)) if rng.random() < 0.7 else rng.choice([-1.0, 1.0], (n, d))
    return centers[labels] + width[labels][:, None] * shape, "euclidean"


def cofinal_richness(judge: Valuation, rng: np.random.Generator) -> Iterator[Trial]:
    """Trials of cofinal richness: consistent variants in which a clustering beats all others."""
    for n in (3, 4):
        rows, cases = partitions(n), small(n)
        for data, metric in small_data(judge, n):
            yield from _overtake(judge, data, metric, rows, rows[cases.nontrivial])
        yield Trial(0, exhaustive_to=n)
    for _ in range(30):
        n = int(rng.integers(5, 9))
        rows = random_labels(rng, n, 30 if judge.batched else 8)
        if judge.measure.takes == "features":
            d = int(rng.integers(1, 3))
            yield from _overtake(judge, rng.normal(size=(n, d)), "euclidean", rows, rows[:3])
        else:
            yield from _overtake(judge, random_distances(rng, n), "precomputed", rows, rows[:3])


def _overtake(
    judge: Valuation,
    data: Floats,
    metric: SituationMetric,
    rivals: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> Iterator[Trial]:
    """Trials of data on which rival clusterings become best."""
    values = judge.batch(data, metric, rivals)
    # only non-trivial clusterings are to be overtaken
    k = rivals.max(axis=1) + 1
    values = values[(k > 1) & (k < rivals.shape[1]) & np.isfinite(values)]
    if not len(values):
        yield Trial(0, len(rows))
        return
    best = judge.sign * (judge.sign * values).max()
    for labels in rows:
        rival_values = [
            judge.batch(variant, metric, labels[None])[0]
            for variant in _variants(data, metric, labels)
        ]
        defined = np.array([value for value in rival_values if np.isfinite(value)])
        if not len(defined):
            yield Trial(0, 1)
        elif (gain(best, defined, judge.sign) >= 0).any():
            yield Trial(1)
        else:
            yield Trial(
                0,
                open=f"No consistent variant found in which {as_sets(labels)} is as good as the "
                f"best clustering was before, of {len(rival_values)} tried; values up to "
                f"{judge.sign * (judge.sign * defined).max():.4g}, the best before was {best:.4g}",
            )
            return


def _variants(data: Floats, metric: SituationMetric, labels: NDArray[np.int64]) -> Iterator[Floats]:
    """Clusters that shrink and move apart, more and more."""
    inside = same_cluster(labels)
    for shrink, apart in ((1, 3), (0.1, 1), (0.1, 10), (1e-3, 1e3), (1e-5, 1e5)):
        if metric == "precomputed":
            D = np.where(inside, shrink * data, max(apart, 1.0) * data.max())
            np.fill_diagonal(D, 0.0)
            yield D
            continue
        k = int(labels.max()) + 1
        centers = np.array([data[labels == c].mean(axis=0) for c in range(k)])
        tight = shrink * (data - centers[labels])
        size = np.ptp(data, axis=0).sum() + 1.0
        yield np.column_stack([tight, apart * size * np.eye(k)[labels]])
        spread = np.zeros_like(tight)
        spread[:, 0] = 3 * apart * size * labels
        yield tight + spread
