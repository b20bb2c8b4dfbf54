"""Growth of the time of measures with the number of objects and of clusters."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.measures import Measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: objects at the fewest clusters, and clusters at so many objects
OBJECTS, CLUSTERS, AT = (500, 1000, 2000), (5, 20, 80), 1000
#: times as many for external measures, which see no data
LABELS = 200
REPEATS, REPEATS_OF_LABELS = 3, 30


def growth(measure: Measure, *, random_state: int = 0) -> dict[str, float]:
    """The seconds that one clustering takes, and how they grow.

    Parameters
    ----------
    measure : Measure
        An internal one, which is given distances if it takes them; or an external one, which is
        given :data:`LABELS` times as many objects.

    Returns
    -------
    dict
        ``seconds`` for the most objects, and the exponents ``n`` and ``k`` of the steepest step.
    """
    times = LABELS if measure.kind == "external" else 1
    by_n = [_seconds(measure, n * times, CLUSTERS[0], random_state) for n in OBJECTS]
    by_k = [_seconds(measure, AT * times, k, random_state) for k in CLUSTERS]
    return {
        "seconds": by_n[-1],
        "n": _exponent(OBJECTS, by_n),
        "k": _exponent(CLUSTERS, by_k),
    }


def _exponent(sizes: Iterable[int], seconds: list[float]) -> float:
    """Greatest exponent of growth between two sizes."""
    steps = np.diff(np.log(seconds)) / np.diff(np.log(list(sizes)))
    return float(max(steps.max(), 0.0))


def _seconds(measure: Measure, n: int, k: int, random_state: int) -> float:
    """Seconds of one evaluation of a measure."""
    rng = np.random.default_rng([random_state, n, k])
    labels = np.arange(n) % k
    if measure.kind == "external":
        truth = rng.permutation(labels)
        return _best_of(lambda: measure.function(truth, labels), REPEATS_OF_LABELS)
    X: NDArray[Any] = rng.normal(size=(n, 4)) + 3 * rng.normal(size=(k, 4))[labels]
    options: dict[str, Any] = {}
    if measure.takes == "distances":
        from sortal.distances import distance_matrix

        X, options = distance_matrix(X), {"metric": "precomputed"}
    return _best_of(lambda: measure.function(X, labels, **options), REPEATS)


def _best_of(call: Callable[[], Any], repeats: int) -> float:
    """Least time of several calls."""
    best = np.inf
    for _ in range(repeats + 1):  # the first compiles
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return float(best)
