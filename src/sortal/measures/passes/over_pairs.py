"""Passes over all pair distances of some objects, in parts, on threads or workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeVar

from numpy.typing import NDArray

from sortal.distances import Distances, as_distances
from sortal.runtime.executors import Workers
from sortal.runtime.threads import in_order
from sortal.typing import Floats, Metric, Rows

R = TypeVar("R")


@dataclass(frozen=True)
class OverPairs:
    """Distances of ``objects`` (None: all), and the workers of passes over them.

    ``exact`` and ``weights`` are those of :func:`sortal.distances.as_distances`.
    """

    X: Rows
    metric: Metric
    workers: Workers
    exact: bool = True
    weights: Floats | None = None
    objects: NDArray[Any] | None = None

    @cached_property
    def distances(self) -> Distances:
        """Distances of these objects in this process."""
        return _distances(self.metric, self.exact, self.X, self.weights, self.objects)

    @property
    def n(self) -> int:
        """Number of objects."""
        return self.X.shape[0] if self.objects is None else len(self.objects)

    def take(self, objects: NDArray[Any]) -> OverPairs:
        """The same pass restricted to some of all objects, in the order of ``objects``."""
        return replace(self, objects=objects)

    def map(self, work: Callable[..., R], items: Iterable[Any], *arguments: Any) -> Iterator[R]:
        """``work(distances, *arguments, item)`` of each item, in order."""
        if self.workers.elsewhere is None:
            run, blas = partial(work, self.distances, *arguments), self.distances.uses_blas
            yield from in_order(run, items, one_blas_thread=blas)
            return
        remote_work = partial(_work_of_worker, work, self.metric, self.exact)
        yield from self.workers.map(
            remote_work, (self.X, self.weights, self.objects, arguments), items
        )


def _work_of_worker(
    work: Callable[..., R], metric: Metric, exact: bool, X: Rows, weights: Floats | None,
    objects: NDArray[Any] | None, arguments: tuple[Any, ...], item: object,
) -> R:  # fmt: skip
    """The work of a pass for one item, in another process."""
    return work(_distances(metric, exact, X, weights, objects), *arguments, item)


def _distances(
    metric: Metric, exact: bool, X: Rows, weights: Floats | None, objects: NDArray[Any] | None
) -> Distances:
    """Distances of these objects."""
    distances = as_distances(X, metric, exact=exact, weights=weights)
    return distances if objects is None else distances.take(objects)
