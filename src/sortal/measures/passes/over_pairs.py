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
from sortal.runtime.types import Floats, Metric, Rows

R = TypeVar("R")


@dataclass(frozen=True)
class OverPairs:
    """Distances of the ``kept`` objects (None: all), and the workers of passes over them.

    ``exact`` and ``weights`` are those of :func:`sortal.distances.as_distances`.
    """

    X: Rows
    metric: Metric
    workers: Workers
    exact: bool = True
    weights: Floats | None = None
    kept: NDArray[Any] | None = None

    @cached_property
    def distances(self) -> Distances:
        """Distances of these objects in this process."""
        return _distances(self.metric, self.exact, self.X, self.weights, self.kept)

    @property
    def n(self) -> int:
        """Number of objects."""
        return self.X.shape[0] if self.kept is None else len(self.kept)

    def take(self, kept: NDArray[Any]) -> OverPairs:
        """The same pass restricted to some of all objects, in the order of ``kept``."""
        return replace(self, kept=kept)

    def map(self, part: Callable[..., R], items: Iterable[Any], *arguments: Any) -> Iterator[R]:
        """``part(distances, *arguments, item)`` of each item, in order."""
        if self.workers.elsewhere is None:
            work, blas = partial(part, self.distances, *arguments), self.distances.uses_blas
            yield from in_order(work, items, one_blas_thread=blas)
            return
        remote_part = partial(_part_of_worker, part, self.metric, self.exact)
        yield from self.workers.map(
            remote_part, (self.X, self.weights, self.kept, arguments), items
        )


def _part_of_worker(
    part: Callable[..., R], metric: Metric, exact: bool, X: Rows, weights: Floats | None,
    kept: NDArray[Any] | None, arguments: tuple[Any, ...], item: object,
) -> R:  # fmt: skip
    """The part of a pass for one item, in another process."""
    return part(_distances(metric, exact, X, weights, kept), *arguments, item)


def _distances(
    metric: Metric, exact: bool, X: Rows, weights: Floats | None, kept: NDArray[Any] | None
) -> Distances:
    """Distances of the kept objects."""
    distances = as_distances(X, metric, exact=exact, weights=weights)
    return distances if kept is None else distances.take(kept)
