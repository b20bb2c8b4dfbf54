"""Greedy merges of clusters by a criterion of cluster sums and sizes."""

from __future__ import annotations

import numpy as np
from numba import njit

from karat._kernels.criterion import H1, external, internal


@njit(cache=True)
def _score(code, a, b, gain):
    """The criterion after a merge; what it adds where the criterion is a sum."""
    if code < H1:
        return gain[0]
    return (a + gain[0]) / (b + gain[1]) if b + gain[1] > 0 else a + gain[0]


@njit(cache=True)
def _refresh(
    c, by_row, by_column, code, a, b, label, head, follows, sizes, squares, totals, partner, bound,
    gains, dense, dots, adopt,
):  # fmt: skip
    """Compute what merging cluster c with each other one gives, and find its best partner.

    ``gains`` (m, 4) has what the merge with the partner adds to numerator and denominator, and the
    least and the most that any merge adds to the denominator. With ``adopt``, c is new, and the
    others take it as their partner where it is the best for them.
    """
    indptr, indices, data = by_row
    starts, rows, values = by_column
    m = len(sizes)
    i = head[c]
    while i >= 0:
        for p in range(indptr[i], indptr[i + 1]):
            dense[indices[p]] += data[p]
        i = follows[i]
    dots[:] = 0.0
    i = head[c]
    while i >= 0:
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            v = dense[j]
            if v != 0.0:
                for q in range(starts[j], starts[j + 1]):
                    dots[label[rows[q]]] += v * values[q]
                dense[j] = 0.0
        i = follows[i]
    own_a = internal(code, sizes[c], squares[c], totals[c])
    own_b = external(code, sizes[c], squares[c], totals[c])
    made = np.empty(2)
    best, second, to = -np.inf, -np.inf, -1
    low, high = np.inf, -np.inf
    for s in range(m):
        if s == c or sizes[s] == 0:
            continue
        size = sizes[c] + sizes[s]
        square = squares[c] + squares[s] + 2.0 * dots[s]
        total = totals[c] + totals[s]
        da = internal(code, size, square, total) - own_a
        da -= internal(code, sizes[s], squares[s], totals[s])
        db = external(code, size, square, total) - own_b
        db -= external(code, sizes[s], squares[s], totals[s])
        made[0], made[1] = da, db
        score = _score(code, a, b, made)
        low, high = min(low, db), max(high, db)
        if score > best:
            best, second, to = score, best, s
            gains[c, :2] = made
        elif score > second:
            second = score
        if not adopt:
            continue
        gains[s, 2], gains[s, 3] = min(gains[s, 2], db), max(gains[s, 3], db)
        other = _score(code, a, b, gains[s]) if partner[s] >= 0 else bound[s]
        if score >= other:
            partner[s] = c
            gains[s, :2] = made
        bound[s] = max(bound[s], min(score, other))
    partner[c], bound[c] = to, second
    gains[c, 2], gains[c, 3] = low, high


@njit(cache=True)
def _likely(code, a, b, sizes, partner, bound, gains):
    """The cluster that most may be gained with, how much, and the best merge that is known."""
    first, top = -1, -np.inf
    chosen, best = -1, -np.inf
    for c in range(len(sizes)):
        if sizes[c] == 0:
            continue
        if first < 0 or bound[c] > top:
            first, top = c, bound[c]
        if partner[c] >= 0:
            score = _score(code, a, b, gains[c])
            if chosen < 0 or score > best:
                chosen, best = c, score
    return first, top, chosen, best


@njit(cache=True)
def _join(r, s, by_row, label, head, tail, follows, dense):
    """Put the rows of cluster s into r; returns the squared length of their sum."""
    i = head[s]
    while i >= 0:
        label[i] = r
        i = follows[i]
    follows[tail[r]] = head[s]
    tail[r] = tail[s]
    indptr, indices, data = by_row
    i = head[r]
    while i >= 0:
        for p in range(indptr[i], indptr[i + 1]):
            dense[indices[p]] += data[p]
        i = follows[i]
    square = 0.0
    i = head[r]
    while i >= 0:
        for p in range(indptr[i], indptr[i + 1]):
            square += dense[indices[p]] * dense[indices[p]]
            dense[indices[p]] = 0.0
        i = follows[i]
    return square


@njit(cache=True, nogil=True)
def merge_clusters(
    by_row, by_column, code, whole, sizes, squares, totals, partner, bound, gains, name, tree, step,
    until,
):  # fmt: skip
    """Merge the pair that leaves the criterion greatest, until so many clusters are left.

    The rows of the matrix, in CSR and CSC form, are the sums of clusters. ``sizes``, ``squares``
    and ``totals`` describe them, ``whole`` (2,) is the criterion's numerator and denominator,
    ``name`` are the nodes in ``tree`` (n-1, 4), filled from ``step`` on. ``partner`` is the best
    one of each cluster, or -1 where it is not known, and ``bound`` is what no merge with another
    one can exceed. All are updated; a merged cluster has size 0. Returns for each row where its
    cluster is, and the next step.
    """
    m = len(sizes)
    n = len(tree) + 1
    label = np.arange(m)
    head, tail = np.arange(m), np.arange(m)
    follows = np.full(m, -1)
    dots = np.empty(m)
    dense = np.zeros(len(by_column[0]) - 1)
    ratio = code >= H1
    left = m
    a, b = whole[0], whole[1]
    while left > until:
        # as in lazy greedy search: only what may be best is computed anew
        while True:
            first, top, chosen, best = _likely(code, a, b, sizes, partner, bound, gains)
            if chosen >= 0 and top - best <= 1e-14 * abs(best):
                break
            _refresh(
                first, by_row, by_column, code, a, b, label, head, follows, sizes, squares,
                totals, partner, bound, gains, dense, dots, False,
            )  # fmt: skip
        r, s = chosen, partner[chosen]
        if s < r:
            r, s = s, r
        tree[step, 0], tree[step, 1] = min(name[r], name[s]), max(name[r], name[s])
        tree[step, 2], tree[step, 3] = step + 1, sizes[r] + sizes[s]
        name[r] = n + step
        step += 1
        left -= 1
        da, db = gains[chosen, 0], gains[chosen, 1]
        squares[r] = _join(r, s, by_row, label, head, tail, follows, dense)
        totals[r] += totals[s]
        sizes[r] += sizes[s]
        sizes[s] = 0
        partner[r] = -1
        for c in range(m):
            if sizes[c] == 0 or c == r:
                continue
            if partner[c] == r or partner[c] == s:
                partner[c] = -1
            if ratio and np.isfinite(bound[c]):
                # a + x <= bound (b + y) for any merge of c, and low <= y <= high
                change = da - bound[c] * db
                below = b + min(db, 0.0) + gains[c, 2] > 0
                bound[c] += (
                    change / (b + db + gains[c, 3 if change < 0 else 2]) if below else np.inf
                )
        a += da
        b += db
        if left > 1:
            _refresh(
                r, by_row, by_column, code, a, b, label, head, follows, sizes, squares, totals,
                partner, bound, gains, dense, dots, True,
            )  # fmt: skip
    whole[0], whole[1] = a, b
    return label, step
