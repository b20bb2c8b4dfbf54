"""How far two clusterings are different divisions, and whether a third is both crossed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int32]

#: the most that one clustering may tell of another: mutual information, corrected for chance, over
#: the smaller entropy
ALIKE = 0.2
#: share of the combinations of clusters that occur, and of the expected objects that count
CROSSED, OCCURS = 0.75, 0.25
#: share of a clustering's information that two others have which it crosses, and the part of the
#: weaker effect on the means that their interaction may be
MERGED, LEFT = 0.75, 0.15


def told_by(one: Codes, other: Codes) -> float:
    """How much one clustering tells of the other, from 0 (as chance) to 1 (it is finer, or equal).

    Mutual information over the smaller entropy, both less what chance brings on average, to first
    order (adjusted mutual information; Miller & Madow 1955). Outliers of either are left out.
    """
    table = _table(one, other)
    n = table.sum()
    if n == 0:
        return 0.0
    rows, columns = table.sum(axis=1) / n, table.sum(axis=0) / n
    smaller = min(_entropy(rows), _entropy(columns))
    chance = (np.count_nonzero(rows) - 1) * (np.count_nonzero(columns) - 1) / (2 * n)
    shared = _entropy(rows) + _entropy(columns) - _entropy(table.ravel() / n)
    return float(np.clip((shared - chance) / max(smaller - chance, 1e-12), 0, 1))


def _entropy(p: Floats) -> float:
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


def _table(one: Codes, other: Codes) -> Floats:
    both = (one >= 0) & (other >= 0)
    k, m = int(one.max()) + 1, int(other.max()) + 1
    counts = np.bincount(one[both].astype(np.int64) * m + other[both], minlength=k * m)
    return counts.reshape(k, m).astype(np.float64)


def differ(one: Codes, other: Codes) -> bool:
    """Whether neither tells much of the other, and their clusters occur in most combinations."""
    return told_by(one, other) <= ALIKE and _occurring(one, other) > CROSSED


def _occurring(one: Codes, other: Codes) -> float:
    """Share of the combinations of clusters that have a part of the objects expected by chance."""
    table = _table(one, other)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / max(table.sum(), 1)
    return float((table >= OCCURS * expected).mean())


def diverse(codes: Sequence[Codes], n: int) -> list[int]:
    """The first, then each time the one that the chosen tell least of; in their order."""
    chosen = list(range(min(1, len(codes))))
    while len(chosen) < min(n, len(codes)):
        rest = [i for i in range(len(codes)) if i not in chosen]
        chosen.append(min(rest, key=lambda i: max(told_by(codes[i], codes[j]) for j in chosen)))
    return sorted(chosen)


def is_crossed(own: Codes, a: Codes, b: Codes, P: Floats) -> bool:
    """Whether a clustering of the points P is two independent divisions, crossed.

    The divisions tell nothing of each other, all combinations of their clusters occur, both
    together tell the clustering, and their effects on the means add up.
    """
    if told_by(a, b) > ALIKE or _occurring(a, b) < 1:
        return False
    return _makes_up(own, a, b) and _adds_up(a, b, P)


def _makes_up(own: Codes, a: Codes, b: Codes) -> bool:
    """Whether two divisions together tell a clustering, and are no coarser."""
    both = a * (int(b.max()) + 1) + b
    whole = _entropy(np.bincount(own[own >= 0]) / max((own >= 0).sum(), 1))
    shared = told_by(both, own) * min(whole, _entropy(np.bincount(both) / len(both)))
    return bool(shared >= MERGED * whole)


def _adds_up(a: Codes, b: Codes, P: Floats) -> bool:
    """Whether the means of the crossed clusters are sums of an effect of either division."""
    A, B = _members(a), _members(b)
    crossed = (A[:, :, None] * B[:, None, :]).reshape(len(P), -1)
    one, other = _explained(A, P), _explained(B, P)
    both = _explained(np.column_stack([A, B]), P)
    rest = _explained(crossed, P) - both
    return bool(rest <= LEFT * min(both - one, both - other))


def _members(codes: Codes) -> Floats:
    return np.asarray(codes[:, None] == np.arange(int(codes.max()) + 1), dtype=np.float64)


def _explained(M: Floats, P: Floats) -> float:
    """Sum of squares of the projection of P onto the columns of M."""
    inner = M.T @ M
    cross = M.T @ P
    return float((cross * (np.linalg.pinv(inner, hermitian=True) @ cross)).sum())
