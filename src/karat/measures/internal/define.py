"""How an internal measure is defined: one compute function, one record, one public function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import check_metric, check_points
from karat.measures.catalogue import Measure, catalogue
from karat.measures.passes.statistics import Statistics, weigh
from karat.partition import NoisePolicy
from karat.validation import UndefinedMeasureError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__: list[str] = []

SINGLETONS_ONLY = "every cluster is a singleton, so no pair is within a cluster"


def statistics_of_one(
    X: Any,
    labels: Any,
    needs: Any,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> Statistics:
    """The statistics of one clustering, from what a caller of a public function gave."""
    return _statistics_and_kept(X, labels, needs, metric, noise, sample_weight)[0]


def _statistics_and_kept(
    X: Any, labels: Any, needs: Any, metric: Any, noise: NoisePolicy, sample_weight: Any
) -> tuple[Statistics, NDArray[np.bool_]]:
    metric = check_metric(metric)
    data = check_points(X, metric)
    data, labelings, weights, kept = weigh(
        data, {"labels": labels}, sample_weight, metric=metric, noise=noise
    )
    stats = Statistics(data, labelings, needs, metric=metric, weights=weights)
    stats.refuse_failed()
    return stats, kept


def of_each_object(
    title: str,
    column: int,
    X: Any,
    labels: Any,
    metric: Any,
    noise: NoisePolicy,
    sample_weight: Any,
) -> NDArray[np.float64]:
    """A column of the statistic ``"objects"``; NaN for objects that are excluded."""
    stats, kept = _statistics_and_kept(X, labels, ["objects"], metric, noise, sample_weight)
    if why := too_few_clusters(stats, 0):
        raise UndefinedMeasureError(f"{title} is undefined: {why}")
    values = np.full(len(kept), np.nan)
    values[kept] = stats.object_values(0, column)
    return values


def one(
    key: str,
    X: Any,
    labels: Any,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """A measure of one clustering: the batch at M = 1."""
    measure = catalogue[key]
    assert measure.compute is not None
    return one_value(
        measure.title, measure.compute, measure.needs, X, labels, metric, noise, sample_weight
    )


def one_value(
    title: str,
    compute: Callable[[Statistics], NDArray[np.float64]],
    needs: Any,
    X: Any,
    labels: Any,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """As :func:`one`, for a computation that is not in the catalogue."""
    stats = statistics_of_one(X, labels, needs, metric, noise, sample_weight)
    value = float(compute(stats)[0])
    if 0 in stats.undefined:
        raise UndefinedMeasureError(f"{title} is undefined: {stats.undefined[0]}")
    return value


def each(
    value: Callable[[Statistics, int], float | str], *, least_k: int = 2
) -> Callable[[Statistics], NDArray[np.float64]]:
    """The batch form of ``value(stats, m)``, which returns a number or why there is none.

    Clusterings of fewer than ``least_k`` clusters have no value.
    """

    def compute(stats: Statistics) -> NDArray[np.float64]:
        values = stats.values()
        for m in range(len(stats)):
            found = too_few_clusters(stats, m, least_k) or value(stats, m)
            if isinstance(found, str):
                stats.undefined[m] = found
            else:
                values[m] = found
        return values

    return compute


def too_few_clusters(stats: Statistics, m: int, least_k: int = 2) -> str:
    """Why clustering m has too few clusters, or nothing."""
    k = int(stats.labelings.n_clusters[m])
    if k >= least_k:
        return ""
    return f"the clustering has {k} cluster{'s' * (k != 1)}; it needs at least {least_k}"


def define(
    key: str,
    title: str,
    family: str,
    function: Callable[..., Any],
    compute: Callable[[Statistics], NDArray[np.float64]] | None,
    needs: tuple[str, ...] = (),
    **record: Any,
) -> Measure:
    """Add an internal measure to the catalogue."""
    return catalogue.add(
        Measure(
            key=key,
            title=title,
            kind="internal",
            family=family,
            function=function,
            compute=compute,
            needs=frozenset(needs),
            **record,
        )
    )


def fixed(function: Callable[..., Any], summary: str, **choice: Any) -> Callable[..., Any]:
    """``function`` with some of its options chosen, documented by ``summary``."""

    def measure(X: Any, labels: Any, **options: Any) -> Any:
        return function(X, labels, **choice, **options)

    measure.__name__ = function.__name__
    options = ", ".join(f"{name}={value!r}" for name, value in choice.items())
    measure.__doc__ = f"{summary}\n\n``{function.__name__}(X, labels, {options})``."
    return measure
