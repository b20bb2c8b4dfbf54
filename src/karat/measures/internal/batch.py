"""The batch form of an internal measure, and the function of one clustering that it gives."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from karat.labelings.labels import NoisePolicy
from karat.measures.catalogue import catalogue, define
from karat.measures.inputs import Inputs
from karat.measures.passes.statistics import Statistics
from karat.runtime.validation import InputError, UndefinedMeasureError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__: list[str] = []

Compute: TypeAlias = Callable[[Statistics], Sequence[float | str]]
#: of clustering m a number, or why there is none
Value: TypeAlias = Callable[[Statistics, int], float | str]
SINGLETONS_ONLY = "every cluster is a singleton, so no pair is within a cluster"


def inputs_of_one(X: Any, labels: Any, **options: Any) -> Inputs:
    """What a caller of a public function of one clustering gave, checked."""
    given = Inputs.read(X, labels, **options)
    if given.memberships:
        raise InputError(
            f"labels has memberships ({type(labels).__name__}), and hard labels are needed here; "
            "take labels.harden(), or judge it with karat.evaluate, which says what is hardened"
        )
    if len(given.labelings) > 1:
        raise InputError(
            f"labels has {len(given.labelings)} clusterings, and one is needed here; "
            "karat.evaluate judges many"
        )
    return given


def statistics_of_one(X: Any, labels: Any, needs: Any, **options: Any) -> tuple[Statistics, Inputs]:
    """The statistics of one clustering, from what a caller of a public function gave."""
    given = inputs_of_one(X, labels, **options)
    stats = Statistics(given.X, given.labelings, needs, metric=given.metric, weights=given.weights)
    stats.raise_failed()
    return stats, given


def of_each_object(
    title: str, column: int, X: Any, labels: Any, **options: Any
) -> NDArray[np.float64]:
    """A column of the statistic ``"objects"``; NaN for objects that are excluded."""
    stats, given = statistics_of_one(X, labels, ["objects"], **options)
    if why := too_few_clusters(stats, 0):
        raise UndefinedMeasureError(f"{title} is undefined: {why}")
    values = np.full(len(given.kept), np.nan)
    values[given.kept] = stats.object_values(0, column)
    return values


def one(key: str, X: Any, labels: Any, **options: Any) -> float:
    """A measure of one clustering: the batch at M = 1; options are those of the caller."""
    measure = catalogue[key]
    assert measure.compute is not None
    return one_value(measure.title, measure.compute, measure.needs, X, labels, **options)


def one_value(
    title: str, compute: Compute, needs: Any, X: Any, labels: Any, **options: Any
) -> float:
    """As :func:`one`, for a computation that is not in the catalogue."""
    found = compute(statistics_of_one(X, labels, needs, **options)[0])[0]
    if isinstance(found, str):
        raise UndefinedMeasureError(f"{title} is undefined: {found}")
    return found


def each(value: Callable[[Statistics, int], float | str], *, least_k: int = 2) -> Compute:
    """The batch form of ``value(stats, m)``, which returns a number or why there is none.

    Clusterings of fewer than ``least_k`` clusters have no value.
    """

    def compute(stats: Statistics) -> list[float | str]:
        return [too_few_clusters(stats, m, least_k) or value(stats, m) for m in range(len(stats))]

    return compute


def too_few_clusters(stats: Statistics, m: int, least_k: int = 2) -> str:
    """Why clustering m has too few clusters, or nothing."""
    k = int(stats.labelings.n_clusters[m])
    if k >= least_k:
        return ""
    return f"the clustering has {k} cluster{'s' * (k != 1)}; it needs at least {least_k}"


# -- a measure written as its formula ------------------------------------------------------------


class OfDistances(Protocol):
    """A measure of sums over pairs or of nearest objects, which take weights."""

    def __call__(
        self,
        X: Any,
        labels: Any,
        *,
        metric: Any = "euclidean",
        noise: NoisePolicy = "error",
        sample_weight: Any = None,
    ) -> float:
        """Its value for one clustering."""


class OfFeatures(Protocol):
    """A measure of centroids."""

    def __call__(
        self, X: Any, labels: Any, *, noise: NoisePolicy = "error", sample_weight: Any = None
    ) -> float:
        """Its value for one clustering."""


class OfOrder(Protocol):
    """A measure of all distances together, which have no weighted form."""

    def __call__(
        self, X: Any, labels: Any, *, metric: Any = "euclidean", noise: NoisePolicy = "error"
    ) -> float:
        """Its value for one clustering."""


class OfMatrices(Protocol):
    """A measure of scatter matrices."""

    def __call__(self, X: Any, labels: Any, *, noise: NoisePolicy = "error") -> float:
        """Its value for one clustering."""


class OfGraph(Protocol):
    """A measure of edges."""

    def __call__(self, graph: Any, labels: Any, *, noise: NoisePolicy = "error") -> float:
        """Its value for one clustering."""


def of_distances(title: str, **record: Any) -> Callable[[Value], OfDistances]:
    """A decorator that makes ``value(stats, m)`` a measure of its name: function and record.

    ``record`` is that of :func:`karat.measures.catalogue.define`, with ``least_k``, the fewest
    clusters that have a value.
    """
    return _measure(OfDistances, title, record)


def of_features(title: str, **record: Any) -> Callable[[Value], OfFeatures]:
    """As :func:`of_distances`, for what is made of the features and takes weights."""
    return _measure(OfFeatures, title, {"takes": "features", **record})


def of_order(title: str, **record: Any) -> Callable[[Value], OfOrder]:
    """As :func:`of_distances`, for what has no weighted form."""
    return _measure(OfOrder, title, record)


def of_matrices(title: str, **record: Any) -> Callable[[Value], OfMatrices]:
    """As :func:`of_features`, for what has no weighted form."""
    return _measure(OfMatrices, title, {"takes": "features", **record})


def of_graph(title: str, **record: Any) -> Callable[[Value], OfGraph]:
    """As :func:`of_distances`, for the edges of a graph."""
    graph = {"takes": "graph", "needs": ["edges"], "cost": "O(edges)"}
    return _measure(OfGraph, title, {**graph, **record})


def _measure(protocol: Any, title: str, record: dict[str, Any]) -> Callable[[Value], Any]:
    """The function under the name and the documentation of the formula, in the catalogue."""
    call = inspect.signature(protocol.__call__)
    signature = call.replace(parameters=[*call.parameters.values()][1:])
    least_k = record.pop("least_k", 2)
    fixed = {"metric": "graph"} if record.get("takes") == "graph" else {}
    undefined = "For fewer than two clusters." if least_k > 1 else ""

    def add(value: Value) -> Any:
        def function(*given: Any, **options: Any) -> float:
            bound = signature.bind(*given, **options)
            X, labels = bound.args
            return one(value.__name__, X, labels, **bound.kwargs, **fixed)

        for attribute in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(function, attribute, getattr(value, attribute))
        function.__signature__ = signature  # type: ignore[attr-defined]
        compute = each(value, least_k=least_k)
        define(function, title, compute=compute, **{"undefined": undefined, **record})
        return function

    return add
