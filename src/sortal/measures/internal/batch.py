"""Batch forms of internal measures, and the functions of one clustering made from them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from sortal.labelings.labels import NoisePolicy
from sortal.measures.catalogue import catalogue, define
from sortal.measures.inputs import Inputs
from sortal.measures.passes.statistics import Statistics
from sortal.runtime.validation import InputError, UndefinedMeasureError

if TYPE_CHECKING:
    from sortal.labelings.partitions import SoftPartition
    from sortal.typing import ArrayLike, Floats, Labels, Metric

__all__: list[str] = []

Compute: TypeAlias = Callable[[Statistics], Sequence[float | str]]
#: value of clustering m, or the reason of a missing one
Value: TypeAlias = Callable[[Statistics, int], float | str]
#: labels of one clustering; memberships are rejected with a hint
HardOrSoft: TypeAlias = "Labels | SoftPartition"
TOO_FEW_CLUSTERS = "the clustering has fewer than two clusters; it needs at least 2"
SINGLETONS_ONLY = "every cluster is a singleton, so no pair is within a cluster"


def inputs_of_one(X: ArrayLike, labels: HardOrSoft, **options: Any) -> Inputs:
    """Validated input of a public function of one clustering."""
    inputs = Inputs.of_data(X, labels, **options)
    if inputs.memberships:
        raise InputError(
            f"labels has memberships ({type(labels).__name__}), and hard labels are needed here; "
            "take labels.harden(), or judge it with sortal.evaluate, which says what is hardened"
        )
    if len(inputs.labelings) > 1:
        raise InputError(
            f"labels has {len(inputs.labelings)} clusterings, and one is needed here; "
            "sortal.evaluate judges many"
        )
    return inputs


def statistics_of_one(
    X: ArrayLike, labels: HardOrSoft, needs: Iterable[str], *, title: str = "", **options: Any
) -> tuple[Statistics, Inputs]:
    """Statistics and validated input of one clustering; with a title, of at least two clusters."""
    inputs = inputs_of_one(X, labels, **options)
    metric, weights = inputs.metric, inputs.weights
    stats = Statistics(inputs.X, inputs.labelings, needs, metric=metric, weights=weights)
    stats.raise_failed()
    if title and (why := too_few_clusters(stats, 0)):
        raise UndefinedMeasureError(f"{title} is undefined: {why}")
    return stats, inputs


def of_each_object(
    title: str, name: str, X: ArrayLike, labels: HardOrSoft, **options: Any
) -> Floats:
    """Values of the statistic ``"objects"`` by their name; NaN for excluded objects."""
    stats, inputs = statistics_of_one(X, labels, ["objects"], title=title, **options)
    values = np.full(len(inputs.has_weight), np.nan)
    values[inputs.has_weight] = stats.objects[name][0]
    return values


def measure_one(key: str, X: ArrayLike, labels: HardOrSoft, **options: Any) -> float:
    """Value of a catalogue measure for one clustering."""
    measure = catalogue[key]
    assert measure.compute is not None
    return compute_one(measure.title, measure.compute, measure.needs, X, labels, **options)


def compute_one(
    title: str,
    compute: Compute,
    needs: Iterable[str],
    X: ArrayLike,
    labels: HardOrSoft,
    **options: Any,
) -> float:
    """Value of a batch computation for one clustering; raise if it is undefined."""
    value = compute(statistics_of_one(X, labels, needs, **options)[0])[0]
    if isinstance(value, str):
        raise UndefinedMeasureError(f"{title} is undefined: {value}")
    return value


def batch_form(value: Value, *, least_k: int = 2) -> Compute:
    """The batch form of ``value(stats, m)``, which returns a number or a reason.

    Clusterings of fewer than ``least_k`` clusters have no value.
    """

    def compute(stats: Statistics) -> list[float | str]:
        return [too_few_clusters(stats, m, least_k) or value(stats, m) for m in range(len(stats))]

    return compute


def too_few_clusters(stats: Statistics, m: int, least_k: int = 2) -> str:
    """Reason if clustering m has too few clusters, else an empty text."""
    k = int(stats.labelings.n_clusters[m])
    if k >= least_k:
        return ""
    return f"the clustering has {k} cluster{'s' * (k != 1)}; it needs at least {least_k}"


# -- a measure written as its formula ------------------------------------------------------------


class OfDistances(Protocol):
    """A measure of sums over pairs or of nearest objects, with object weights."""

    def __call__(
        self,
        X: ArrayLike,
        labels: Labels,
        *,
        metric: Metric = "euclidean",
        noise: NoisePolicy = "error",
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Value for one clustering."""


class OfFeatures(Protocol):
    """A measure of centroids."""

    def __call__(
        self,
        X: ArrayLike,
        labels: Labels,
        *,
        noise: NoisePolicy = "error",
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Value for one clustering."""


class OfOrder(Protocol):
    """A measure of the order of all distances, without object weights."""

    def __call__(
        self,
        X: ArrayLike,
        labels: Labels,
        *,
        metric: Metric = "euclidean",
        noise: NoisePolicy = "error",
    ) -> float:
        """Value for one clustering."""


class OfMatrices(Protocol):
    """A measure of scatter matrices."""

    def __call__(self, X: ArrayLike, labels: Labels, *, noise: NoisePolicy = "error") -> float:
        """Value for one clustering."""


class OfGraph(Protocol):
    """A measure of edges."""

    def __call__(self, graph: ArrayLike, labels: Labels, *, noise: NoisePolicy = "error") -> float:
        """Value for one clustering."""


def of_distances(title: str, **record: Any) -> Callable[[Value], OfDistances]:
    """A decorator that turns a formula ``value(stats, m)`` into a measure.

    ``record``: options of :func:`sortal.measures.catalogue.define`, and ``least_k``, the least
    number of clusters with a value.
    """
    return _measure(OfDistances, title, record)


def of_features(title: str, **record: Any) -> Callable[[Value], OfFeatures]:
    """As :func:`of_distances`, for measures of features with object weights."""
    return _measure(OfFeatures, title, {"takes": "features", **record})


def of_order(title: str, **record: Any) -> Callable[[Value], OfOrder]:
    """As :func:`of_distances`, for measures without object weights."""
    return _measure(OfOrder, title, record)


def of_matrices(title: str, **record: Any) -> Callable[[Value], OfMatrices]:
    """As :func:`of_features`, for measures without object weights."""
    return _measure(OfMatrices, title, {"takes": "features", **record})


def of_graph(title: str, **record: Any) -> Callable[[Value], OfGraph]:
    """As :func:`of_distances`, for measures of the edges of a graph."""
    graph = {"takes": "graph", "needs": ["edges"], "cost": "O(edges)"}
    return _measure(OfGraph, title, {**graph, **record})


def _measure(protocol: type, title: str, record: dict[str, Any]) -> Callable[[Value], Any]:
    """A decorator that defines a measure; name and documentation are those of the formula."""
    call = inspect.signature(protocol.__call__)
    signature = call.replace(parameters=[*call.parameters.values()][1:])
    least_k = record.pop("least_k", 2)
    fixed = {"metric": "graph"} if record.get("takes") == "graph" else {}
    undefined = "For fewer than two clusters, or a division by 0." if least_k > 1 else ""

    def add(value: Value) -> Any:
        def function(*arguments: object, **options: object) -> float:
            bound = signature.bind(*arguments, **options)
            X, labels = bound.args
            return measure_one(value.__name__, X, labels, **bound.kwargs, **fixed)

        for attribute in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(function, attribute, getattr(value, attribute))
        function.__signature__ = signature  # type: ignore[attr-defined]
        compute = batch_form(value, least_k=least_k)
        define(function, title, compute=compute, **{"undefined": undefined, **record})
        return function

    return add
