"""Clustering of sparse rows: scores against dense columns, sums of clusters, single moves.

Arrays of clusters are stored by feature, (d, k),
so that the k values of one stored entry are adjacent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SparseRows(NamedTuple):
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
    """Write out[i, h] = bias[h] + sum over the features j of data[i, j] columns[j, h]."""
    for i in range(len(out)):
        for h in range(len(bias)):  # assigning an array takes seconds to compile
            out[i, h] = bias[h]
        _add_products(i, rows, columns, out[i])


@njit(cache=True, nogil=True)
def assign(rows, columns, bias, labels, slack, reached):
    """Move each row to the cluster of its highest score; ties do not move it.

    Returns the number of moved rows. ``reached`` gets the score of each row. Label -1 means no
    cluster yet. ``slack`` is the least improvement of a score that counts.
    """
    row = np.empty(columns.shape[1], dtype=columns.dtype)
    moved = 0
    for i in range(len(labels)):
        for h in range(len(row)):
            row[h] = bias[h]
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
    """Subtract row i from one column and add it to another; old label -1 is none."""
    for entry in range(rows.indptr[i], rows.indptr[i + 1]):
        column = sums[rows.indices[entry]]
        if old >= 0:
            column[old] -= rows.data[entry]
        column[new] += rows.data[entry]


@njit(cache=True, nogil=True)
def move_rows(rows, old, new, sums):
    """Update the sums (d, k) of clusters for a change of labels; old label -1 is none."""
    for i in range(len(new)):
        if old[i] != new[i]:
            _move(i, rows, old[i], new[i], sums)


@njit(cache=True, nogil=True)
def sum_shares(rows, shares, sums):
    """Add ``shares[i, h]`` of each row to column h."""
    indptr, indices, data = rows
    k = sums.shape[1]
    nonzero = np.empty(k, dtype=np.int64)
    for i in range(len(indptr) - 1):
        share = shares[i]
        count = 0
        for h in range(k):
            nonzero[count] = h
            count += share[h] != 0.0
        # most shares of most rows are 0
        for entry in range(indptr[i], indptr[i + 1]):
            value = data[entry]
            column = sums[indices[entry]]
            for j in range(count):
                column[nonzero[j]] += value * share[nonzero[j]]


@njit(cache=True, nogil=True)
def posteriors(out):
    """Turn scores into shares in place (softmax of each row); returns the sum of the log sums."""
    total = 0.0
    for i in range(out.shape[0]):
        row = out[i]
        largest = row[0]
        for score in row:  # the method takes a second to compile
            largest = max(largest, score)
        shares_sum = 0.0
        for h in range(len(row)):
            row[h] = np.exp(row[h] - largest)
            shares_sum += row[h]
        for h in range(len(row)):
            row[h] /= shares_sum
        total += largest + np.log(shares_sum)
    return total


@njit(cache=True, nogil=True)
def _worth(balanced, per_cluster, size, length):
    """Contribution of a cluster to the objective."""
    if balanced and size > 0:
        return per_cluster * length / size - size * np.log(size / per_cluster)
    return length


@njit(cache=True, nogil=True)
def _rates(balanced, per_cluster, size, length, out):
    """Linear change of the objective when a row that changes the sum's length by f moves.

    ``out`` gets intercept and slope of the gain when it is added, then of the loss when removed.
    """
    worth = _worth(balanced, per_cluster, size, length)
    out[0] = _worth(balanced, per_cluster, size + 1, length) - worth
    out[2] = worth - _worth(balanced, per_cluster, size - 1, length)
    out[1] = per_cluster / (size + 1) if balanced else 1.0
    out[3] = per_cluster / max(size - 1, 1) if balanced else 1.0


@njit(cache=True, nogil=True)
def single_moves(rows, balanced, labels, sums, squares, sizes, slack, seen, drift):
    """Make each move of a single row that raises the objective; returns their number.

    The rows have length 1, ``sums`` (d, k) are those of the clusters, ``squares`` the squares of
    their lengths. The objective is the sum of the lengths or, if ``balanced``, the sum over the
    clusters of (n/k) length / size - size log(size k/n). The last row of a cluster stays.

    A row lengthens the sum of every other cluster by some f and shortens that of its cluster. A
    move changes the f of any row by at most 1 / (length - 3/2) (Dunkl & Williams 1964), which adds
    up in ``drift`` (k,). ``seen`` (n, k) has the f of each row at its last visit, less the drift
    then (plus the drift for its cluster). Rows that cannot move are thus skipped without reading
    their terms; -inf in its cluster marks a row to visit.
    """
    k = sums.shape[1]
    n = len(labels)
    per_cluster = n / k
    dots, lengths, rates = np.empty(k), np.sqrt(squares), np.empty((k, 4))
    for h in range(k):
        _rates(balanced, per_cluster, sizes[h], lengths[h], rates[h])
    moved = 0
    for i in range(n):
        cluster = labels[i]
        if sizes[cluster] == 1:
            continue
        bound = seen[i]
        least = rates[cluster, 2] + rates[cluster, 3] * (bound[cluster] - drift[cluster])
        may_move = False
        for h in range(k):
            most = rates[h, 0] + rates[h, 1] * (bound[h] + drift[h])
            may_move |= h != cluster and most > least
        if not may_move:
            continue
        dots[:] = 0.0
        _add_products(i, rows, sums, dots)
        remaining_square = max(squares[cluster] - 2.0 * dots[cluster] + 1.0, 0.0)
        shorter = lengths[cluster] - np.sqrt(remaining_square)
        loss = rates[cluster, 2] + rates[cluster, 3] * shorter
        best, gain = cluster, slack
        for h in range(k):
            if h != cluster:
                longer = np.sqrt(max(squares[h] + 2.0 * dots[h] + 1.0, 0.0)) - lengths[h]
                better = rates[h, 0] + rates[h, 1] * longer - loss
                bound[h] = longer - drift[h]
                if better > gain:
                    best, gain = h, better
        bound[cluster] = shorter + drift[cluster]
        if best == cluster:
            continue
        bound[best] = -np.inf
        for h, square, more in (
            (cluster, remaining_square, -1), (best, squares[best] + 2.0 * dots[best] + 1.0, 1)
        ):  # fmt: skip
            length = np.sqrt(square)
            longest = max(lengths[h], length)
            drift[h] += 1.000001 / (longest - 1.5) if longest > 2.0 else 2.0
            squares[h], lengths[h] = square, length
            sizes[h] += more
            _rates(balanced, per_cluster, sizes[h], length, rates[h])
        _move(i, rows, cluster, best, sums)
        labels[i] = best
        moved += 1
    return moved


@njit(cache=True, nogil=True)
def _entropic(x):
    """Value of x log x, 0 at 0."""
    return x * np.log(x) if x > 0.0 else 0.0


@njit(cache=True, nogil=True)
def distribution_moves(rows, labels, sums, worths, sizes, added, slack):
    """Make each move of a single row that raises the information; returns their number.

    Rows have sum 1; ``sums`` (d, k) are those of the clusters with the ``added`` rows, ``worths``
    x log x of each. The objective of a cluster is the sum of its column of ``worths`` less x log x
    of its total. The last row of a cluster stays.
    """
    indptr, indices, data = rows
    k = sums.shape[1]
    gains = np.empty(k)
    moved = 0
    for i in range(len(indptr) - 1):
        cluster = labels[i]
        if sizes[cluster] == 1:
            continue
        for h in range(k):
            total = sizes[h] + added
            gains[h] = _entropic(total) - _entropic(total + 1.0)
        total = sizes[cluster] + added
        gains[cluster] = _entropic(total - 1.0) - _entropic(total)
        for entry in range(indptr[i], indptr[i + 1]):
            value = data[entry]
            column, worth = sums[indices[entry]], worths[indices[entry]]
            for h in range(k):
                if h == cluster:
                    gains[h] += worth[h] - _entropic(column[h] - value)
                else:
                    gains[h] += _entropic(column[h] + value) - worth[h]
        best = cluster
        for h in range(k):
            if h != cluster and gains[h] > gains[best] + (slack if best == cluster else 0.0):
                best = h
        if best == cluster:
            continue
        for entry in range(indptr[i], indptr[i + 1]):
            j = indices[entry]
            sums[j, cluster] = max(sums[j, cluster] - data[entry], 0.0)
            sums[j, best] += data[entry]
            worths[j, cluster] = _entropic(sums[j, cluster])
            worths[j, best] = _entropic(sums[j, best])
        sizes[cluster] -= 1
        sizes[best] += 1
        labels[i] = best
        moved += 1
    return moved
