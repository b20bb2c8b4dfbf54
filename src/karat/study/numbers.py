"""Numbers of clusters: how likely each is, and how clusterings of different numbers nest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from karat.study.facts import GRADES, Number
from karat.study.scores import candidate_cluster_names, candidate_labels

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.study.judgement import JudgedCandidates
    from karat.study.tried import Tried

#: how many of the most likely numbers are compared with the answer
N_COMPARED = 4
#: probability from which on another number is named
MIN_NAMED = 0.15


def nesting(
    coarse: NDArray[np.integer], fine: NDArray[np.integer]
) -> tuple[float, list[list[int]]]:
    """Share of the objects for which the finer partition divides the coarser, and its parts.

    Outliers of either are not counted.

    >>> nesting(np.array([0, 0, 1, 1, 1, 1]), np.array([0, 0, 1, 1, 2, 2]))
    (1.0, [[0], [1, 2]])
    """
    both = (coarse >= 0) & (fine >= 0)
    table = np.zeros((fine.max() + 1, coarse.max() + 1), dtype=np.int64)
    np.add.at(table, (fine[both], coarse[both]), 1)
    home = np.where(table.any(axis=1), table.argmax(axis=1), -1)
    share = table.max(axis=1).sum() / max(both.sum(), 1)
    return float(share), [np.flatnonzero(home == c).tolist() for c in range(table.shape[1])]


def numbers_of(
    tried: Tried,
    ranked: pd.DataFrame,
    shares: Mapping[int, float],
    judgement: JudgedCandidates | None,
) -> tuple[Number, ...]:
    """Numbers of clusters by their shares, the greatest first, and how they nest in the first."""
    best = _best_of_each(ranked, judgement)
    (k, share), *rest = sorted(shares.items(), key=lambda item: -item[1])
    numbers = [Number(k, share, best[k].name)]
    first = best[k].divided(tried)
    for k, share in rest:
        if len(numbers) >= N_COMPARED:
            numbers.append(Number(k, share, best[k].name))
            continue
        pair = sorted([first, best[k].divided(tried)], key=lambda divided: int(divided[0].max()))
        (coarse, wholes), (fine, names) = pair
        nested, parts = nesting(coarse, fine)
        united = tuple(
            (whole, tuple(names[i] for i in part))
            for whole, part in zip(wholes, parts, strict=True)
        )
        numbers.append(Number(k, share, best[k].name, nested, united))
    return tuple(numbers)


class _BestOfNumber(NamedTuple):
    """The best clustering with a number of clusters: a candidate by name, or a reference."""

    name: str | None
    codes: NDArray[np.int32] | None = None

    def divided(self, tried: Tried) -> tuple[NDArray[np.int32], list[str]]:
        """Its labels, and the names of its clusters."""
        if self.name is not None:
            return candidate_labels(tried, self.name), candidate_cluster_names(tried, self.name)
        assert self.codes is not None
        return self.codes, [str(i) for i in range(int(self.codes.max()) + 1)]


def _best_of_each(
    ranked: pd.DataFrame, judgement: JudgedCandidates | None
) -> dict[int, _BestOfNumber]:
    """The first candidate with each number, unless it is poor and there is a reference."""
    best: dict[int, _BestOfNumber] = {}
    for reference, _ in () if judgement is None else judgement.references:
        k = int(reference.codes.max()) + 1
        best.setdefault(k, _BestOfNumber(None, reference.codes))
    poor: set[Any] = set()
    if "expected" in ranked:
        poor = set(ranked.index[(ranked["expected"] < GRADES["fair"]).to_numpy(dtype=bool)])
    for name, k in reversed([*zip(ranked.index, map(int, ranked["n_clusters"]), strict=True)]):
        if name not in poor or k not in best or best[k].name is not None:
            best[k] = _BestOfNumber(str(name))
    return best
