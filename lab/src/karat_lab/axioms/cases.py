"""What a measure is asked to judge: one situation, and several that a property compares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Metric: TypeAlias = Literal["euclidean", "precomputed"]


@dataclass(frozen=True, eq=False)
class Situation:
    """One thing to judge.

    Attributes
    ----------
    labels : ndarray, shape (n,)
        The clustering.
    truth : ndarray, shape (n,), optional
        The classes: for external measures.
    data : ndarray, optional
        Points (n, d), or distances (n, n): for internal measures.
    metric : {"euclidean", "precomputed"}
        What the data is.
    """

    labels: NDArray[np.int64]
    truth: NDArray[np.int64] | None = None
    data: Floats | None = None
    metric: Metric = "euclidean"

    @property
    def n(self) -> int:
        """How many objects there are."""
        return len(self.labels)

    @property
    def distances(self) -> Floats:
        """The distances (n, n) of the objects."""
        assert self.data is not None
        if self.metric == "precomputed":
            return self.data
        difference = self.data[:, None] - self.data[None]
        return np.asarray(np.sqrt((difference**2).sum(axis=2)))

    def take(self, objects: Any) -> Situation:
        """The same with these objects only."""
        data = self.data
        if data is not None:
            square = self.metric == "precomputed"
            data = data[np.ix_(objects, objects)] if square else data[objects]
        truth = None if self.truth is None else self.truth[objects]
        return Situation(self.labels[objects], truth, data, self.metric)

    def to_dict(self) -> dict[str, Any]:
        """As JSON takes it."""
        stored: dict[str, Any] = {"labels": self.labels.tolist()}
        if self.truth is not None:
            stored["truth"] = self.truth.tolist()
        if self.data is not None:
            stored |= {"data": self.data.tolist(), "metric": self.metric}
        return stored

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Situation:
        """From what :meth:`to_dict` gave."""
        data, truth = stored.get("data"), stored.get("truth")
        return cls(
            np.asarray(stored["labels"], dtype=np.int64),
            None if truth is None else np.asarray(truth, dtype=np.int64),
            None if data is None else np.asarray(data, dtype=np.float64),
            stored.get("metric", "euclidean"),
        )


@dataclass(frozen=True, eq=False)
class Case:
    """Situations that a property compares.

    Attributes
    ----------
    situations : tuple of Situation
    names : tuple of str
        What each is called, such as ``("before", "after")``.
    facts : dict
        Numbers and words that the property needs beside them.
    """

    situations: tuple[Situation, ...]
    names: tuple[str, ...] = ("before", "after")
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """How many objects the first situation has."""
        return self.situations[0].n

    def to_dict(self) -> dict[str, Any]:
        """As JSON takes it."""
        return {
            "situations": [situation.to_dict() for situation in self.situations],
            "names": list(self.names),
            "facts": dict(self.facts),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Case:
        """From what :meth:`to_dict` gave."""
        return cls(
            tuple(Situation.from_dict(each) for each in stored["situations"]),
            tuple(stored["names"]),
            dict(stored["facts"]),
        )


def without_object(case: Case) -> Iterator[Case]:
    """The case without one of its objects, where all situations have the same objects."""
    if case.n < 2 or any(situation.n != case.n for situation in case.situations):
        return
    for i in range(case.n):
        rest = np.delete(np.arange(case.n), i)
        yield replace(case, situations=tuple(each.take(rest) for each in case.situations))


def rotated(case: Case) -> Case:
    """The same with all points turned, those of each dimension alike."""

    def turned(situation: Situation) -> Situation:
        if situation.data is None or situation.metric == "precomputed":
            return situation
        d = situation.data.shape[1]
        turn, _ = np.linalg.qr(np.random.default_rng(d).normal(size=(d, d)))
        return replace(situation, data=situation.data @ turn)

    return replace(case, situations=tuple(map(turned, case.situations)))


def partitions(n: int) -> NDArray[np.int64]:
    """All partitions of n objects, a row each, clusters numbered as they appear.

    Examples
    --------
    >>> from karat_lab.axioms import partitions
    >>> partitions(3).tolist()
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]
    """
    rows = [[0]]
    for _ in range(1, n):
        rows = [[*row, c] for row in rows for c in range(max(row) + 2)]
    return np.array(rows, dtype=np.int64)
