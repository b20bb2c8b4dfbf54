"""All clusterings of a few objects under all metrics of two distances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.labelings import as_labelings
from sortal.measures.properties import SituationMetric
from sortal_lab.axioms.cases import partitions
from sortal_lab.axioms.point_sets import embedded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Floats
    from sortal_lab.axioms.valuation import Valuation


#: the two distances; those of points have an embedding for every choice up to 6 objects
NEAR, FAR, FAR_OF_POINTS = 1.0, 2.0, 1.4**0.5
SCOPE = "all clusterings under all metrics of two distances"


@dataclass(frozen=True)
class Small:
    """All metrics of two distances on n objects, up to the names of the objects.

    Attributes
    ----------
    pairs : ndarray, shape (E, 2)
    far : ndarray of bool, shape (G, E)
        Which pairs have the larger distance, in each metric.
    partitions : ndarray, shape (K, n)
    within : ndarray of bool, shape (K, E)
    nontrivial : ndarray of bool, shape (K,)
        Neither one cluster nor singletons only.
    target : ndarray, shape (G, E)
        The metric that exchanging the distance of one pair gives, up to the names of the objects.
    renamed : ndarray, shape (G, E, K)
        Which partition each partition is under those names.
    """

    n: int
    pairs: NDArray[np.intp]
    far: NDArray[np.bool_]
    partitions: NDArray[np.int64]
    within: NDArray[np.bool_]
    nontrivial: NDArray[np.bool_]
    target: NDArray[np.intp]
    renamed: NDArray[np.intp]

    def distances(self, g: int, far: float = FAR) -> Floats:
        """The distances (n, n) of metric g."""
        D = np.zeros((self.n, self.n))
        i, j = self.pairs.T
        D[i, j] = D[j, i] = np.where(self.far[g], far, NEAR)
        return D


@cache
def small(n: int) -> Small:
    """The metrics and clusterings of n objects."""
    pairs = np.array(list(combinations(range(n), 2)), dtype=np.intp)
    orders = np.array(list(permutations(range(n))), dtype=np.intp)
    place = np.zeros((n, n), dtype=np.intp)
    place[pairs[:, 0], pairs[:, 1]] = place[pairs[:, 1], pairs[:, 0]] = np.arange(len(pairs))
    moved = 1 << place[orders[:, pairs[:, 0]], orders[:, pairs[:, 1]]]
    # each mask of far pairs is the image of a first one under an order of the objects
    first, order = np.full(2 ** len(pairs), -1), np.zeros(2 ** len(pairs), dtype=np.intp)
    masks: list[int] = []
    for mask in range(2 ** len(pairs)):
        if first[mask] < 0:
            bits = mask >> np.arange(len(pairs)) & 1
            images = (moved * bits).sum(axis=1)
            first[images], order[images] = len(masks), np.arange(len(orders))
            masks.append(mask)
    flipped = np.array(masks)[:, None] ^ (1 << np.arange(len(pairs)))
    target = first[flipped]
    rows = partitions(n)
    names = {tuple(row): k for k, row in enumerate(rows)}

    @cache
    def under(o: int) -> NDArray[np.intp]:
        return np.array([names[numbered(row)] for row in rows[:, orders[o]]], dtype=np.intp)

    renamed = np.array([[under(int(order[mask])) for mask in row] for row in flipped])
    k = rows.max(axis=1) + 1
    return Small(
        n,
        pairs,
        (np.array(masks)[:, None] >> np.arange(len(pairs)) & 1).astype(bool),
        rows,
        rows[:, pairs[:, 0]] == rows[:, pairs[:, 1]],
        (k > 1) & (k < n),
        target,
        renamed,
    )


def numbered(row: NDArray[np.int64]) -> tuple[int, ...]:
    """Clusters numbered as they appear."""
    seen: dict[int, int] = {}
    return tuple(seen.setdefault(int(code), len(seen)) for code in row)


def sizes(judge: Valuation) -> range:
    """Up to how many objects all cases are judged: fewer where each clustering costs a call."""
    return range(3, 7 if judge.batched else 6)


def data_of(judge: Valuation, D: Floats) -> tuple[Any, SituationMetric]:
    """Input of the measure: the distances, or points with these distances."""
    if judge.measure.takes == "distances":
        return D, "precomputed"
    return embedded(D), "euclidean"


def far_for(judge: Valuation) -> float:
    """The larger of the two distances."""
    return FAR if judge.measure.takes == "distances" else FAR_OF_POINTS


@cache
def _labelings(n: int) -> Any:
    """Labelings of all partitions of n objects."""
    return as_labelings(partitions(n), n_objects=n, noise="cluster")


def table(judge: Valuation, n: int, factor: float = 1.0) -> Floats:
    """Values (G, K) of all partitions under all metrics, the distances times a factor."""
    key = ("small", n, factor)
    if key not in judge.memo:
        judge.memo[key] = np.array(
            [
                judge.batch(factor * data, metric, _labelings(n))
                for data, metric in small_data(judge, n)
            ]
        )
    return np.asarray(judge.memo[key])


def small_data(judge: Valuation, n: int) -> list[tuple[Any, SituationMetric]]:
    """The data of each metric."""
    cases = small(n)
    return [data_of(judge, cases.distances(g, far_for(judge))) for g in range(len(cases.far))]
