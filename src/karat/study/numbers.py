"""How likely each number of clusters is, and how clusterings of different numbers go together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from karat.study.answer import Number

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.study.judging import Judged
    from karat.study.study import Study

#: so many of the most likely numbers are compared with the answer
COMPARED = 4


@dataclass(frozen=True)
class Nesting:
    """How the finer of two partitions divides the coarser.

    Attributes
    ----------
    share : float
        Of the objects, those for which it does; outliers of either are not counted.
    parts : tuple of tuple of int
        For each cluster of the coarser, the clusters of the finer that have most of their
        objects in it.
    """

    share: float
    parts: tuple[tuple[int, ...], ...]


def nesting(coarse: NDArray[np.integer], fine: NDArray[np.integer]) -> Nesting:
    """Which clusters of the finer partition make up each cluster of the coarser.

    Examples
    --------
    >>> nesting(np.array([0, 0, 1, 1, 1, 1]), np.array([0, 0, 1, 1, 2, 2]))
    Nesting(share=1.0, parts=((0,), (1, 2)))
    """
    both = (coarse >= 0) & (fine >= 0)
    table = np.zeros((fine.max() + 1, coarse.max() + 1), dtype=np.int64)
    np.add.at(table, (fine[both], coarse[both]), 1)
    home = table.argmax(axis=1)
    share = table.max(axis=1).sum() / max(both.sum(), 1)
    there = table.any(axis=1)
    parts = [np.flatnonzero((home == c) & there).tolist() for c in range(table.shape[1])]
    return Nesting(float(share), tuple(map(tuple, parts)))


def numbers_of(
    study: Study, ranked: pd.DataFrame, shares: Mapping[int, float], found: Judged | None
) -> tuple[Number, ...]:
    """The numbers by their shares, the greatest first; how the likely ones go with the answer."""
    name = str(ranked.index[0])
    mine = study.labels(name)
    found_k = list(map(int, ranked["n_clusters"]))
    at_k = dict(zip(found_k[::-1], map(str, ranked.index[::-1]), strict=True))
    elsewhere = {} if found is None else {int(c.codes.max()) + 1: c for c, _ in found.company[::-1]}
    told: list[Number] = []
    for k, share in sorted(shares.items(), key=lambda one: -one[1]):
        other = at_k.get(k)
        if k == found_k[0] or len(told) >= COMPARED:
            told.append(Number(k, share, other))
            continue
        codes = study.labels(other) if other is not None else elsewhere[k].codes
        own = [str(i) for i in range(k)] if other is None else study.cluster_names(other)
        pair = [(mine, study.cluster_names(name)), (codes, own)]
        (coarse, _), (fine, names) = sorted(pair, key=lambda one: int(one[0].max()))
        how = nesting(coarse, fine)
        united = tuple(tuple(names[i] for i in part) for part in how.parts)
        told.append(Number(k, share, other, how.share, united))
    return tuple(told)
