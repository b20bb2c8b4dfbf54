"""Clustering of sparse rows: scores against dense columns, sums of clusters, single moves.

What belongs to the clusters is held by feature, (d, k),
so that the k values of one stored entry lie side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Rows(NamedTuple):
    """The arrays of a CSR matrix, or of a CSC matrix for its columns."""

    indptr: NDArray[Any]
    indices: NDArray[Any]
    data: NDArray[Any]


@njit(cache=True, nogil=True)
def _add_products(i, rows, columns, out):
    """Add the inner products of row i with the columns (d, k)."""
    for entry in range(rows.indptr[i], rows.indptr[i + 1]):
        value = rows.data[entry]
        column = columns[rows.indices[entry]]
        for h in range(len(out)):
            out[h] += value * column[h]


@njit(cache=True, nogil=True)
def scores(rows, columns, bias, out):
    """out[i, h] = bias[h] + sum over the features j of row i of data[i, j] columns[j, h]."""
    for i in range(len(out)):
        out[i] = bias
        _add_products(i, rows, columns, out[i])


@njit(cache=True, nogil=True)
def assign(rows, columns, bias, labels, slack, reached):
    """Move each row to the cluster of its highest score; ties leave it where it is.

    Returns the number of rows that moved. ``reached`` gets the score of each row. A label of -1
    is no cluster yet. ``slack`` is what a score must be better by.
    """
    row = np.empty(columns.shape[1], dtype=columns.dtype)
    moved = 0
    for i in range(len(labels)):
        row[:] = bias
        _add_products(i, rows, columns, row)
        best = labels[i]
        for h in range(len(row)):
            if best < 0 or row[h] > row[best] + (slack if best == labels[i] else 0.0):
                best = h
        reached[i] = row[best]
        moved += best != labels[i]
        labels[i] = best
    return moved


@njit(cache=True, nogil=True)
def _move(i, rows, old, new, sums):
    """Take row i from one column and add it to another; -1 is none."""
    for entry in range(rows.indptr[i], rows.indptr[i + 1]):
        column = sums[rows.indices[entry]]
        if old >= 0:
            column[old] -= rows.data[entry]
        column[new] += rows.data[entry]


@njit(cache=True, nogil=True)
def move_rows(rows, old, new, sums):
    """Change the sums (d, k) of clusters as their rows go from old to new labels; -1 is none."""
    for i in range(len(new)):
        if old[i] != new[i]:
            _move(i, rows, old[i], new[i], sums)


@njit(cache=True, nogil=True)
def sum_shares(rows, shares, sums):
    """Add ``shares[i, h]`` of each row to column h."""
    indptr, indices, data = rows
    k = sums.shape[1]
    there = np.empty(k, dtype=np.int64)
    for i in range(len(indptr) - 1):
        share = shares[i]
        count = 0
        for h in range(k):
            there[count] = h
            count += share[h] != 0.0
        # most shares of most rows are 0
        for entry in range(indptr[i], indptr[i + 1]):
            value = data[entry]
            column = sums[indices[entry]]
            for j in range(count):
                column[there[j]] += value * share[there[j]]


@njit(cache=True, nogil=True)
def posteriors(out):
    """Scores to shares, in place: exp and divide by the sum. Returns the sum of the log sums."""
    total = 0.0
    for i in range(out.shape[0]):
        row = out[i]
        most = row.max()
        whole = 0.0
        for h in range(len(row)):
            row[h] = np.exp(row[h] - most)
            whole += row[h]
        for h in range(len(row)):
            row[h] /= whole
        total += most + np.log(whole)
    return total


@njit(cache=True, nogil=True)
def _worth(balanced, per_cluster, size, length):
    """What a cluster adds to the objective."""
    if balanced and size > 0:
        return per_cluster * length / size - size * np.log(size / per_cluster)
    return length


@njit(cache=True, nogil=True)
def _rates(balanced, per_cluster, size, length, out):
    """What a row adds that lengthens the sum by f, and takes that shortens it by f.

    ``out`` gets what is added at f = 0 and by f, then what is taken.
    """
    worth = _worth(balanced, per_cluster, size, length)
    out[0] = _worth(balanced, per_cluster, size + 1, length) - worth
    out[2] = worth - _worth(balanced, per_cluster, size - 1, length)
    out[1] = per_cluster / (size + 1) if balanced else 1.0
    out[3] = per_cluster / max(size - 1, 1) if balanced else 1.0


@njit(cache=True, nogil=True)
def single_moves(rows, balanced, labels, sums, squares, sizes, slack, seen, drift):
    """Visit the rows in turn and make each move that raises the objective; returns their number.

    The rows have length 1, ``sums`` (d, k) are those of the clusters, ``squares`` the squares of
    their lengths. The objective is the sum of the lengths or, if ``balanced``, the sum over the
    clusters of (n/k) length / size - size log(size k/n). The last row of a cluster stays.

    A row lengthens the sum of each other cluster by some f and shortens that of its own. A move
    changes the f of any row by at most 1 / (length - 3/2) (Dunkl & Williams 1964), which adds up in
    ``drift`` (k,). ``seen`` (n, k) has the f of each row when it was last looked at, less the drift
    then (plus, of its own cluster), so that rows which cannot move are known without their terms;
    -inf in its own cluster marks a row to look at.
    """
    k = sums.shape[1]
    n = len(labels)
    per_cluster = n / k
    dots, lengths, rates = np.empty(k), np.sqrt(squares), np.empty((k, 4))
    for h in range(k):
        _rates(balanced, per_cluster, sizes[h], lengths[h], rates[h])
    moved = 0
    for i in range(n):
        own = labels[i]
        if sizes[own] == 1:
            continue
        bound = seen[i]
        least = rates[own, 2] + rates[own, 3] * (bound[own] - drift[own])
        may_move = False
        for h in range(k):
            most = rates[h, 0] + rates[h, 1] * (bound[h] + drift[h])
            may_move |= h != own and most > least
        if not may_move:
            continue
        dots[:] = 0.0
        _add_products(i, rows, sums, dots)
        without = max(squares[own] - 2.0 * dots[own] + 1.0, 0.0)
        shorter = lengths[own] - np.sqrt(without)
        loss = rates[own, 2] + rates[own, 3] * shorter
        best, gain = own, slack
        for h in range(k):
            if h != own:
                longer = np.sqrt(max(squares[h] + 2.0 * dots[h] + 1.0, 0.0)) - lengths[h]
                better = rates[h, 0] + rates[h, 1] * longer - loss
                bound[h] = longer - drift[h]
                if better > gain:
                    best, gain = h, better
        bound[own] = shorter + drift[own]
        if best == own:
            continue
        bound[best] = -np.inf
        for h, square, more in (
            (own, without, -1), (best, squares[best] + 2.0 * dots[best] + 1.0, 1)
        ):  # fmt: skip
            length = np.sqrt(square)
            longest = max(lengths[h], length)
            drift[h] += 1.000001 / (longest - 1.5) if longest > 2.0 else 2.0
            squares[h], lengths[h] = square, length
            sizes[h] += more
            _rates(balanced, per_cluster, sizes[h], length, rates[h])
        _move(i, rows, own, best, sums)
        labels[i] = best
        moved += 1
    return moved


@njit(cache=True, nogil=True)
def _entropic(x):
    return x * np.log(x) if x > 0.0 else 0.0


@njit(cache=True, nogil=True)
def distribution_moves(rows, labels, sums, worths, sizes, added, slack):
    """Visit the rows in turn and make each move that keeps more information; returns their number.

    Rows have sum 1; ``sums`` (d, k) are those of the clusters with the ``added`` rows, ``worths``
    x log x of each, and clusters are worth the sum of their column less x log x of its total. The
    last row of a cluster stays.
    """
    indptr, indices, data = rows
    k = sums.shape[1]
    gains = np.empty(k)
    moved = 0
    for i in range(len(indptr) - 1):
        own = labels[i]
        if sizes[own] == 1:
            continue
        for h in range(k):
            total = sizes[h] + added
            gains[h] = _entropic(total) - _entropic(total + 1.0)
        total = sizes[own] + added
        gains[own] = _entropic(total - 1.0) - _entropic(total)
        for entry in range(indptr[i], indptr[i + 1]):
            value = data[entry]
            column, worth = sums[indices[entry]], worths[indices[entry]]
            for h in range(k):
                if h == own:
                    gains[h] += worth[h] - _entropic(column[h] - value)
                else:
                    gains[h] += _entropic(column[h] + value) - worth[h]
        best = own
        for h in range(k):
            if h != own and gains[h] > gains[best] + (slack if best == own else 0.0):
                best = h
        if best == own:
            continue
        for entry in range(indptr[i], indptr[i + 1]):
            j = indices[entry]
            sums[j, own] = max(sums[j, own] - data[entry], 0.0)
            sums[j, best] += data[entry]
            worths[j, own], worths[j, best] = _entropic(sums[j, own]), _entropic(sums[j, best])
        sizes[own] -= 1
        sizes[best] += 1
        labels[i] = best
        moved += 1
    return moved
