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
def scores(indptr, indices, data, columns, bias, out):
    """out[i, h] = bias[h] + sum over the features j of row i of data[i, j] columns[j, h]."""
    k = columns.shape[1]
    for i in range(len(indptr) - 1):
        row = out[i]
        for h in range(k):
            row[h] = bias[h]
        for entry in range(indptr[i], indptr[i + 1]):
            value = data[entry]
            column = columns[indices[entry]]
            for h in range(k):
                row[h] += value * column[h]


@njit(cache=True, nogil=True)
def assign(indptr, indices, data, columns, bias, labels, slack, reached):
    """Move each row to the cluster of its highest score; ties leave it where it is.

    Returns the number of rows that moved. ``reached`` gets the score of each row. A label of -1
    is no cluster yet. ``slack`` is what a score must be better by.
    """
    k = columns.shape[1]
    row = np.empty(k, dtype=columns.dtype)
    moved = 0
    for i in range(len(indptr) - 1):
        for h in range(k):
            row[h] = bias[h]
        for entry in range(indptr[i], indptr[i + 1]):
            value = data[entry]
            column = columns[indices[entry]]
            for h in range(k):
                row[h] += value * column[h]
        best = labels[i]
        for h in range(k):
            if best < 0 or row[h] > row[best] + (slack if best == labels[i] else 0.0):
                best = h
        reached[i] = row[best]
        moved += best != labels[i]
        labels[i] = best
    return moved


@njit(cache=True, nogil=True)
def assign_bounded(
    indptr, indices, data, centers, scale, bias, kept, turned, labels, sums, slack, room, lower,
    upper,
):  # fmt: skip
    """:func:`assign` by ``bias[h] + scale[h]`` times the cosine, without the rows that cannot move.

    Rows and ``centers`` have length 1; ``sums`` (d, k) are those of the clusters before and after.

    ``kept[h]`` and ``turned[h]`` are the cosine and sine of the angle between center h and where
    it was at the last call, ``lower`` (n,) bounds the cosine of each row with its own center from
    below, ``upper`` (n, k) those with all centers from above. Angles between unit vectors obey the
    triangle inequality, so bounds are updated by how far the centers turned (Schubert, Lang &
    Feher 2021). ``room`` is what rounding may add to a cosine.
    """
    k = centers.shape[1]
    row = np.empty(k, dtype=centers.dtype)
    moved = 0
    for i in range(len(indptr) - 1):
        own = labels[i]
        low = lower[i]
        if low < -kept[own]:
            low = -1.0
        else:
            low = low * kept[own] - np.sqrt(max(0.0, 1.0 - low * low)) * turned[own]
        reached = bias[own] + scale[own] * low
        may_move = False
        for h in range(k):
            up = upper[i, h]
            if up >= kept[h]:
                up = 1.0
            else:
                up = up * kept[h] + np.sqrt(max(0.0, 1.0 - up * up)) * turned[h]
            upper[i, h] = up
            may_move |= h != own and bias[h] + scale[h] * up > reached
        if not may_move:
            lower[i] = low
            continue
        for h in range(k):
            row[h] = 0
        for entry in range(indptr[i], indptr[i + 1]):
            value = data[entry]
            column = centers[indices[entry]]
            for h in range(k):
                row[h] += value * column[h]
        best = own
        most = bias[own] + scale[own] * row[own]
        for h in range(k):
            upper[i, h] = row[h] + room
            score = bias[h] + scale[h] * row[h]
            if score > most + (slack if best == own else 0.0):
                best, most = h, score
        lower[i] = row[best] - room
        if best == own:
            continue
        for entry in range(indptr[i], indptr[i + 1]):
            sums[indices[entry], own] -= data[entry]
            sums[indices[entry], best] += data[entry]
        moved += 1
        labels[i] = best
    return moved


@njit(cache=True, nogil=True)
def sum_rows(indptr, indices, data, labels, sums):
    """Add each row to the column of its cluster; ``sums`` (d, k) is of zeros."""
    for i in range(len(indptr) - 1):
        h = labels[i]
        for entry in range(indptr[i], indptr[i + 1]):
            sums[indices[entry], h] += data[entry]


@njit(cache=True, nogil=True)
def sum_shares(indptr, indices, data, shares, sums):
    """Add ``shares[i, h]`` of each row to column h."""
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
def single_moves(
    indptr, indices, data, balanced, labels, sums, squares, sizes, slack, seen, drift
):  # fmt: skip
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
    n = len(indptr) - 1
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
        for entry in range(indptr[i], indptr[i + 1]):
            value = data[entry]
            column = sums[indices[entry]]
            for h in range(k):
                dots[h] += value * column[h]
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
        for entry in range(indptr[i], indptr[i + 1]):
            sums[indices[entry], own] -= data[entry]
            sums[indices[entry], best] += data[entry]
        labels[i] = best
        moved += 1
    return moved


@njit(cache=True, nogil=True)
def assign_some(indptr, indices, data, chosen, centers, labels, sums, slack):
    """Move the chosen rows to the center of the highest cosine, and ``sums`` (d, k) with them.

    Ties leave a row where it is; a label of -1 is no cluster yet. Returns how many moved.
    """
    k = centers.shape[1]
    row = np.empty(k, dtype=centers.dtype)
    moved = 0
    for i in chosen:
        row[:] = 0
        for entry in range(indptr[i], indptr[i + 1]):
            value = data[entry]
            column = centers[indices[entry]]
            for h in range(k):
                row[h] += value * column[h]
        own = labels[i]
        best = own
        for h in range(k):
            if best < 0 or row[h] > row[best] + (slack if best == own else 0.0):
                best = h
        if best == own:
            continue
        for entry in range(indptr[i], indptr[i + 1]):
            if own >= 0:
                sums[indices[entry], own] -= data[entry]
            sums[indices[entry], best] += data[entry]
        labels[i] = best
        moved += 1
    return moved


@njit(cache=True, nogil=True)
def _entropic(x):
    return x * np.log(x) if x > 0.0 else 0.0


@njit(cache=True, nogil=True)
def distribution_moves(indptr, indices, data, labels, sums, worths, sizes, added, slack):
    """Visit the rows in turn and make each move that keeps more information; returns their number.

    Rows have sum 1; ``sums`` (d, k) are those of the clusters with the ``added`` rows, ``worths``
    x log x of each, and clusters are worth the sum of their column less x log x of its total. The
    last row of a cluster stays.
    """
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
