"""Moves of single rows that raise a criterion of cluster sums and sizes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

I1, I2, E1, G1, G1P, H1, H2 = range(7)


class Clusters(NamedTuple):
    """Sizes of clusters, squared lengths of their sums, and products with the overall sum."""

    sizes: NDArray[Any]
    squares: NDArray[Any]
    totals: NDArray[Any]


@njit(cache=True)
def parts(code, size, square, total):
    """Contribution of one cluster to the numerator and the denominator (0 for plain sums)."""
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
    """Numerator and denominator of the criterion; the denominator of a plain sum is 0."""
    a = b = 0.0
    for h in range(len(clusters.sizes)):
        x, y = parts(code, clusters.sizes[h], clusters.squares[h], clusters.totals[h])
        a += x
        b += y
    return a, b


@njit(cache=True, nogil=True)
def criterion_moves(rows, code, order, products, others, labels, sums, clusters, tolerance):
    """Move each row in ``order`` to the cluster that makes the criterion greatest.

    ``products`` has the product of each row with the sum of the collection. ``others`` are the
    numerator and denominator of the clusters beside those of ``sums`` (d, k). All arrays about
    the clusters are updated. Returns the number of moves.
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
        left_total = totals[r] - products[i]
        left_a, left_b = parts(code, sizes[r] - 1, left_square, left_total)
        was_a, was_b = parts(code, sizes[r], squares[r], totals[r])
        left_a -= was_a
        left_b -= was_b
        value = a / b if b > 0 else a
        best, target = 0.0, r
        for s in range(k):
            if s == r:
                continue
            square = squares[s] + 2 * dots[s] + length
            total = totals[s] + products[i]
            new_a, new_b = parts(code, sizes[s] + 1, square, total)
            was_a, was_b = parts(code, sizes[s], squares[s], totals[s])
            da, db = left_a + new_a - was_a, left_b + new_b - was_b
            gain = (a + da) / (b + db) - value if b > 0 else da
            if gain > best:
                best, target = gain, s
        if target == r or best <= tolerance * abs(value):
            continue
        square = squares[target] + 2 * dots[target] + length
        total = totals[target] + products[i]
        new_a, new_b = parts(code, sizes[target] + 1, square, total)
        was_a, was_b = parts(code, sizes[target], squares[target], totals[target])
        a += left_a + new_a
        a -= was_a
        b += left_b + new_b
        b -= was_b
        squares[r], totals[r] = left_square, left_total
        squares[target], totals[target] = square, total
        sizes[r] -= 1
        sizes[target] += 1
        for p in range(indptr[i], indptr[i + 1]):
            sums[indices[p], r] -= data[p]
            sums[indices[p], target] += data[p]
        labels[i] = target
        moved += 1
    return moved
