"""Changes of the cases that a property compares, and all partitions of a few objects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sortal.measures.properties import Case, Situation

if TYPE_CHECKING:
    from numpy.typing import NDArray


def without_object(case: Case) -> Iterator[Case]:
    """The case without one of its objects, where all situations have the same objects."""
    if case.n < 2 or any(situation.n != case.n for situation in case.situations):
        return
    for i in range(case.n):
        rest = np.delete(np.arange(case.n), i)
        yield replace(case, situations=tuple(each.take(rest) for each in case.situations))


def rotated(case: Case) -> Case:
    """Case with all points rotated, in the same way for each dimension."""

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
    >>> from sortal_lab.axioms import partitions
    >>> partitions(3).tolist()
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]
    """
    rows = [[0]]
    for _ in range(1, n):
        rows = [[*row, c] for row in rows for c in range(max(row) + 2)]
    return np.array(rows, dtype=np.int64)
