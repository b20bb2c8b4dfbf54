"""Greedy merges of clusters by a criterion of cluster sums and sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit

from sortal._kernels.criterion import H1, parts

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Partners(NamedTuple):
    """Best merge partner found so far for each cluster.

    ``best`` is -1 if none is known. ``bound`` is the upper bound for merges with other clusters.
    ``gains`` (m, 4) has the additions of the best merge to numerator and denominator, and the least
    and greatest addition of any merge to the denominator.
    """

    best: NDArray[Any]
    bound: NDArray[Any]
    gains: NDArray[Any]


class Members(NamedTuple):
    """Linked lists of the clusters' rows, from ``head`` to ``tail``; -1 in ``follows`` ends one."""

    label: NDArray[np.int64]
    head: NDArray[np.int64]
    tail: NDArray[np.int64]
    follows: NDArray[np.int64]


@njit(cache=True)
def _score(code, total, gain):
    """Criterion after a merge; the gain of the merge for criteria that are plain sums."""
    if code < H1:
        return gain[0]
    a, b = total[0] + gain[0], total[1] + gain[1]
    return a / b if b > 0 else a


@njit(cache=True)
def _add(c, by_row, members, dense):
    """Add the rows of cluster c to ``dense``."""
    indptr, indices, data = by_row
    i = members.head[c]
    while i >= 0:
        for p in range(indptr[i], indptr[i + 1]):
            dense[indices[p]] += data[p]
        i = members.follows[i]


@njit(cache=True)
def _products(c, by_row, by_column, members, dense):
    """Inner products of the sum of cluster c with all sums; ``dense`` is zero before and after."""
    indptr, indices, _ = by_row
    starts, rows, values = by_column
    label = members.label
    dots = np.zeros(len(label))
    _add(c, by_row, members, dense)
    i = members.head[c]
    while i >= 0:
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            v = dense[j]
            if v != 0.0:
                for q in range(starts[j], starts[j + 1]):
                    dots[label[rows[q]]] += v * values[q]
                dense[j] = 0.0
        i = members.follows[i]
    return dots


@njit(cache=True)
def _refresh(c, code, total, clusters, partners, dots, adopt):
    """Find the best partner of cluster c from its products with all clusters, ``dots``.

    With ``adopt``, c is new, and becomes the partner of clusters for which it is best.
    """
    sizes, squares, totals = clusters
    partner, bound, gains = partners
    cluster_a, cluster_b = parts(code, sizes[c], squares[c], totals[c])
    best, second, best_partner = -np.inf, -np.inf, -1
    low, high = np.inf, -np.inf
    for s in range(len(sizes)):
        if s == c or sizes[s] == 0:
            continue
        square = squares[c] + squares[s] + 2.0 * dots[s]
        union_a, union_b = parts(code, sizes[c] + sizes[s], square, totals[c] + totals[s])
        partner_a, partner_b = parts(code, sizes[s], squares[s], totals[s])
        da, db = union_a - cluster_a - partner_a, union_b - cluster_b - partner_b
        score = _score(code, total, (da, db))
        low, high = min(low, db), max(high, db)
        if score > best:
            best, second, best_partner = score, best, s
            gains[c, 0], gains[c, 1] = da, db
        elif score > second:
            second = score
        if not adopt:
            continue
        gains[s, 2], gains[s, 3] = min(gains[s, 2], db), max(gains[s, 3], db)
        bound_score = _score(code, total, gains[s]) if partner[s] >= 0 else bound[s]
        if score >= bound_score:
            partner[s] = c
            gains[s, 0], gains[s, 1] = da, db
        bound[s] = max(bound[s], min(score, bound_score))
    partner[c], bound[c] = best_partner, second
    gains[c, 2], gains[c, 3] = low, high


@njit(cache=True)
def _likely(code, total, sizes, partners):
    """Cluster with the greatest bound, this bound, and the best known merge with its score."""
    partner, bound, gains = partners
    most_promising, greatest_bound = -1, -np.inf
    chosen, best = -1, -np.inf
    for c in range(len(sizes)):
        if sizes[c] == 0:
            continue
        if most_promising < 0 or bound[c] > greatest_bound:
            most_promising, greatest_bound = c, bound[c]
        if partner[c] >= 0:
            score = _score(code, total, gains[c])
            if chosen < 0 or score > best:
                chosen, best = c, score
    return most_promising, greatest_bound, chosen, best


@njit(cache=True)
def _join(r, s, by_row, members, dense):
    """Move the rows of cluster s to r; returns the squared length of their sum."""
    label, head, tail, follows = members
    i = head[s]
    while i >= 0:
        label[i] = r
        i = follows[i]
    follows[tail[r]] = head[s]
    tail[r] = tail[s]
    _add(r, by_row, members, dense)
    indptr, indices, _ = by_row
    square = 0.0
    i = head[r]
    while i >= 0:
        for p in range(indptr[i], indptr[i + 1]):
            square += dense[indices[p]] * dense[indices[p]]
            dense[indices[p]] = 0.0
        i = follows[i]
    return square


@njit(cache=True)
def _loosen(r, s, code, total, sizes, partners, gain):
    """Update partners and bounds of the other clusters after s is merged into r."""
    partner, bound, gains = partners
    b, da, db = total[1], gain[0], gain[1]
    partner[r] = -1
    for c in range(len(sizes)):
        if sizes[c] == 0 or c == r:
            continue
        if partner[c] == r or partner[c] == s:
            partner[c] = -1
        if code >= H1 and np.isfinite(bound[c]):
            # a + x <= bound (b + y) for any merge of c, and low <= y <= high
            change = da - bound[c] * db
            below = b + min(db, 0.0) + gains[c, 2] > 0
            bound[c] += change / (b + db + gains[c, 3 if change < 0 else 2]) if below else np.inf


@njit(cache=True, nogil=True)
def merge_clusters(by_row, by_column, code, total, clusters, partners, name, tree, step, until):
    """Merge the pair that leaves the criterion greatest, until ``until`` clusters are left.

    The rows of the matrix, in CSR and CSC form, are the sums of ``clusters``. ``total`` (2,) has
    the criterion's numerator and denominator. ``name`` are the nodes in ``tree`` (n-1, 4), filled
    from ``step`` on. All are updated; a merged cluster has size 0. Returns the cluster of each row,
    and the next step.
    """
    sizes, squares, totals = clusters
    m = len(sizes)
    members = Members(np.arange(m), np.arange(m), np.arange(m), np.full(m, -1))
    dense = np.zeros(len(by_column[0]) - 1)
    for left in range(m - 1, until - 1, -1):
        # lazy greedy search: only merges that may be best are computed anew
        while True:
            first, top, chosen, best = _likely(code, total, sizes, partners)
            if chosen >= 0 and top - best <= 1e-14 * abs(best):
                break
            dots = _products(first, by_row, by_column, members, dense)
            _refresh(first, code, total, clusters, partners, dots, False)
        r, s = chosen, partners.best[chosen]
        if s < r:
            r, s = s, r
        tree[step, 0], tree[step, 1] = min(name[r], name[s]), max(name[r], name[s])
        tree[step, 2], tree[step, 3] = step + 1, sizes[r] + sizes[s]
        name[r] = len(tree) + 1 + step
        step += 1
        gain = partners.gains[chosen, 0], partners.gains[chosen, 1]
        squares[r] = _join(r, s, by_row, members, dense)
        totals[r] += totals[s]
        sizes[r] += sizes[s]
        sizes[s] = 0
        _loosen(r, s, code, total, sizes, partners, gain)
        total[0] += gain[0]
        total[1] += gain[1]
        if left > 1:
            dots = _products(r, by_row, by_column, members, dense)
            _refresh(r, code, total, clusters, partners, dots, True)
    return members.label, step
