"""How the time of a measure grows with the number of objects and of clusters."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.measures import Measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: objects at the fewest clusters, and clusters at so many objects
OBJECTS, CLUSTERS, AT = (500, 1000, 2000), (5, 20, 80), 1000
REPEATS = 3


def growth(measure: Measure, *, random_state: int = 0) -> dict[str, float]:
    """The seconds that one clustering takes, and how they grow.

    Parameters
    ----------
    measure : Measure
        An internal one; of distances, which it is given.
    random_state : int

    Returns
    -------
    dict
        ``seconds`` for the most objects, and the exponents ``n`` and ``k`` of the steepest step.
    """
    by_n = [_seconds(measure, n, CLUSTERS[0], random_state) for n in OBJECTS]
    by_k = [_seconds(measure, AT, k, random_state) for k in CLUSTERS]
    return {
        "seconds": by_n[-1],
        "n": _exponent(OBJECTS, by_n),
        "k": _exponent(CLUSTERS, by_k),
    }


def _exponent(sizes: Iterable[int], seconds: list[float]) -> float:
    steps = np.diff(np.log(seconds)) / np.diff(np.log(list(sizes)))
    return float(max(steps.max(), 0.0))


def _seconds(measure: Measure, n: int, k: int, random_state: int) -> float:
    rng = np.random.default_rng([random_state, n, k])
    labels = np.arange(n) % k
    X: NDArray[Any] = rng.normal(size=(n, 4)) + 3 * rng.normal(size=(k, 4))[labels]
    options: dict[str, Any] = {}
    if measure.takes == "distances":
        from karat.distances import distance_matrix

        X, options = distance_matrix(X), {"metric": "precomputed"}
    best = np.inf
    for _ in range(REPEATS + 1):  # the first compiles
        start = time.perf_counter()
        measure.function(X, labels, **options)
        best = min(best, time.perf_counter() - start)
    return float(best)
