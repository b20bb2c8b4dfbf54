"""Moves of single rows that raise a criterion of cluster sums and sizes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

I1, I2, E1, G1, G1P, H1, H2 = range(7)


class Clusters(NamedTuple):
    """Sizes of clusters, squares of the lengths of their sums, and products with the whole sum."""

    sizes: NDArray[np.int64]
    squares: NDArray[np.float64]
    totals: NDArray[np.float64]


@njit(cache=True)
def parts(code, size, square, total):
    """What one cluster adds to the sum to be maximised, or to numerator and denominator."""
    if size == 0:
        return 0.0, 0.0
    q = max(square, 1e-12)
    if code == I1:
        return q / size, 0.0
    if code == I2:
        return math.sqrt(q), 0.0
    if code == E1:
        return -size * total / math.sqrt(q), 0.0
    if code == G1:
        return -(total - q) / q, 0.0
    if code == G1P:
        return -size * size * (total - q) / q, 0.0
    return q / size if code == H1 else math.sqrt(q), size * total / math.sqrt(q)


@njit(cache=True)
def criterion_value(code, clusters):
    """Numerator and denominator of the criterion; the denominator is 0 where there is none."""
    a = b = 0.0
    for h in range(len(clusters.sizes)):
        x, y = parts(code, clusters.sizes[h], clusters.squares[h], clusters.totals[h])
        a += x
        b += y
    return a, b


@njit(cache=True, nogil=True)
def criterion_moves(rows, code, order, own, others, labels, sums, clusters, tolerance):
    """One pass over the rows in ``order``; each goes where the criterion is greatest.

    ``own`` has the product of each row with the sum of the collection; ``others`` are numerator and
    denominator of the clusters that are not among those of ``sums`` (d, k). Everything about the
    clusters is updated. Returns the number of moves.
    """
    indptr, indices, data = rows
    sizes, squares, totals = clusters
    k = sums.shape[1]
    dots = np.empty(k)
    a, b = criterion_value(code, clusters)
    a += others[0]
    b += others[1]
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
        left_a, left_b = parts(code, sizes[r] - 1, left_square, left_total)
        was_a, was_b = parts(code, sizes[r], squares[r], totals[r])
        left_a -= was_a
        left_b -= was_b
        now = a / b if b > 0 else a
        best, to = 0.0, r
        for s in range(k):
            if s == r:
                continue
            square = squares[s] + 2 * dots[s] + length
            total = totals[s] + own[i]
            new_a, new_b = parts(code, sizes[s] + 1, square, total)
            was_a, was_b = parts(code, sizes[s], squares[s], totals[s])
            da, db = left_a + new_a - was_a, left_b + new_b - was_b
            gain = (a + da) / (b + db) - now if b > 0 else da
            if gain > best:
                best, to = gain, s
        if to == r or best <= tolerance * abs(now):
            continue
        square = squares[to] + 2 * dots[to] + length
        total = totals[to] + own[i]
        new_a, new_b = parts(code, sizes[to] + 1, square, total)
        was_a, was_b = parts(code, sizes[to], squares[to], totals[to])
        a += left_a + new_a
        a -= was_a
        b += left_b + new_b
        b -= was_b
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
