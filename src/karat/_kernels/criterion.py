"""Moves of single rows that raise a criterion of cluster sums and sizes."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

I1, I2, E1, G1, G1P, H1, H2 = range(7)


@njit(cache=True)
def internal(code, size, square, total):
    """The part of one cluster that is summed: to be maximised, or the numerator of H1 and H2."""
    if size == 0:
        return 0.0
    q = max(square, 1e-12)
    if code in (I1, H1):
        return q / size
    if code in (I2, H2):
        return math.sqrt(q)
    if code == E1:
        return -size * total / math.sqrt(q)
    if code == G1:
        return -(total - q) / q
    return -size * size * (total - q) / q


@njit(cache=True)
def external(code, size, square, total):
    """The cluster's part of E1, the denominator of H1 and H2; 0 for the other criteria."""
    if code < H1 or size == 0:
        return 0.0
    return size * total / math.sqrt(max(square, 1e-12))


@njit(cache=True)
def criterion_value(code, sizes, squares, totals):
    """Numerator and denominator of the criterion; the denominator is 0 where there is none."""
    a = b = 0.0
    for h in range(len(sizes)):
        a += internal(code, sizes[h], squares[h], totals[h])
        b += external(code, sizes[h], squares[h], totals[h])
    return a, b


@njit(cache=True, nogil=True)
def criterion_moves(
    indptr, indices, data, code, order, own, other_a, other_b, labels, sums, squares, sizes,
    totals, tolerance,
):  # fmt: skip
    """One pass over the rows in ``order``; each goes where the criterion is greatest.

    ``own`` has the product of each row with the sum of the collection; ``other_a`` and
    ``other_b`` are the parts of clusters that are not among those of ``sums`` (d, k). Everything
    about the clusters is updated. Returns the number of moves.
    """
    k = sums.shape[1]
    dots = np.empty(k)
    a, b = criterion_value(code, sizes, squares, totals)
    a += other_a
    b += other_b
    moved = 0
    for i in order:
        r = labels[i]
        if sizes[r] == 1:
            continue
        dots[:] = 0.0
        length = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            v = data[p]
            length += v * v
            row = sums[indices[p]]
            for h in range(k):
                dots[h] += v * row[h]
        left_square = squares[r] - 2 * dots[r] + length
        left_total = totals[r] - own[i]
        left_a = internal(code, sizes[r] - 1, left_square, left_total)
        left_b = external(code, sizes[r] - 1, left_square, left_total)
        left_a -= internal(code, sizes[r], squares[r], totals[r])
        left_b -= external(code, sizes[r], squares[r], totals[r])
        now = a / b if b > 0 else a
        best, to = 0.0, r
        for s in range(k):
            if s == r:
                continue
            square = squares[s] + 2 * dots[s] + length
            total = totals[s] + own[i]
            da = left_a + internal(code, sizes[s] + 1, square, total)
            da -= internal(code, sizes[s], squares[s], totals[s])
            db = left_b + external(code, sizes[s] + 1, square, total)
            db -= external(code, sizes[s], squares[s], totals[s])
            gain = (a + da) / (b + db) - now if b > 0 else da
            if gain > best:
                best, to = gain, s
        if to == r or best <= tolerance * abs(now):
            continue
        square = squares[to] + 2 * dots[to] + length
        total = totals[to] + own[i]
        a += left_a + internal(code, sizes[to] + 1, square, total)
        a -= internal(code, sizes[to], squares[to], totals[to])
        b += left_b + external(code, sizes[to] + 1, square, total)
        b -= external(code, sizes[to], squares[to], totals[to])
        squares[r], totals[r] = left_square, left_total
        squares[to], totals[to] = square, total
        sizes[r] -= 1
        sizes[to] += 1
        for p in range(indptr[i], indptr[i + 1]):
            sums[indices[p], r] -= data[p]
            sums[indices[p], to] += data[p]
        labels[i] = to
        moved += 1
    return moved
