"""Passes over the distances of all pairs of some objects, in parts, wherever these are computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from karat.distances import Distances, as_distances
from karat.runtime.executors import Workers
from karat.runtime.threads import in_order
from karat.runtime.validation import Data

if TYPE_CHECKING:
    from numpy.typing import NDArray

R = TypeVar("R")


@dataclass(frozen=True)
class OverPairs:
    """The distances of some objects (``kept``; None are all), and who computes passes over them.

    ``exact`` and ``weights`` are those of :func:`karat.distances.as_distances`.
    """

    X: Data
    metric: Any
    workers: Workers
    exact: bool = True
    weights: NDArray[Any] | None = None
    kept: NDArray[Any] | None = None

    @cached_property
    def distances(self) -> Distances:
        """Of these objects, in this process."""
        return _distances(self.metric, self.exact, self.X, self.weights, self.kept)

    @property
    def n(self) -> int:
        """Number of objects."""
        return self.X.shape[0] if self.kept is None else len(self.kept)

    def take(self, kept: NDArray[Any]) -> OverPairs:
        """Those of some of all objects, in that order."""
        return replace(self, kept=kept)

    def map(self, part: Callable[..., R], items: Iterable[Any], *known: Any) -> Iterator[R]:
        """``part(distances, *known, item)`` of each item, in order."""
        if self.workers.elsewhere is None:
            work, blas = partial(part, self.distances, *known), self.distances.uses_blas
            yield from in_order(work, items, one_blas_thread=blas)
            return
        there = partial(_part, part, self.metric, self.exact)
        yield from self.workers.map(there, (self.X, self.weights, self.kept, known), items)


def _part(
    part: Callable[..., R], metric: Any, exact: bool, X: Data, weights: Any, kept: Any, known: Any,
    item: Any,
) -> R:  # fmt: skip
    return part(_distances(metric, exact, X, weights, kept), *known, item)


def _distances(metric: Any, exact: bool, X: Data, weights: Any, kept: Any) -> Distances:
    distances = as_distances(X, metric, exact=exact, weights=weights)
    return distances if kept is None else distances.take(kept)
