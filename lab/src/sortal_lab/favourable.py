"""Which evidence speaks for a partition, and which against it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: evidence about a partition by itself that is better lower, see :mod:`sortal.judge.evidence`
AGAINST = {
    "worst conductance", "fallen apart", "lonely", "outnumbered", "tree extra cuts", "touching",
    "border share", "filled middle", "most filled middle", "bimodal within", "most bimodal within",
}  # fmt: skip
#: evidence about a partition by itself that is better neither lower nor higher
NEITHER = {"tree longest kept", "worst thin border", "excess within", "unequal spread"}
#: columns that describe the data, or how many clusters there are and of what sizes
DESCRIPTIONS = ("data ", "best ", "median ", "size ")


def favourable(columns: Sequence[str]) -> tuple[NDArray[np.intp], NDArray[np.int8]]:
    """Positions of the columns that have a meaning, and the sign of each.

    It is 1 where greater values speak for a partition, -1 where they speak against it, and 0 for
    descriptions, which differ between data sets or numbers of clusters.
    """
    every = [sign_of(column) for column in columns]
    read = np.array([j for j, sign in enumerate(every) if sign is not None])
    return read, np.array([every[j] for j in read], dtype=np.int8)


def sign_of(column: str) -> int | None:
    """The sign of a column; None where neither more nor less speaks for a partition."""
    if column.startswith(DESCRIPTIONS) or column.endswith(" of k") or column == "null methods":
        return 0
    kind, _, name = column.partition(" ")
    if kind != "own":
        return 1
    name = name if name == "tree cut place" else name.removesuffix(" place")
    return None if name in NEITHER else -1 if name in AGAINST else 1
