"""Clustering of sparse rows: scores against dense columns, sums of clusters, single moves.

Rows come as the arrays of a CSR matrix. What belongs to the clusters is held by feature, (d, k),
so that the k values of one stored entry lie side by side.
"""

from __future__ import annotations

import numpy as np
from numba import njit


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
def assign_bounded(indptr, indices, data, centers, kept, turned, labels, sums, slack, lower, upper):
    """:func:`assign` for unit rows and centers, without the rows that cannot move.

    ``sums`` (d, k) are those of the clusters before and after.

    ``kept[h]`` and ``turned[h]`` are the cosine and sine of the angle between center h and where
    it was at the last call, ``lower`` (n,) bounds the cosine of each row with its own center from
    below, ``upper`` (n, k) those with all centers from above. Angles between unit vectors obey the
    triangle inequality, so bounds are updated by how far the centers turned (Schubert, Lang &
    Feher 2021).
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
        may_move = False
        for h in range(k):
            up = upper[i, h]
            if up >= kept[h]:
                up = 1.0
            else:
                up = up * kept[h] + np.sqrt(max(0.0, 1.0 - up * up)) * turned[h]
            upper[i, h] = up
            may_move |= h != own and up > low
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
        for h in range(k):
            # rounding must not make a bound wrong
            upper[i, h] = row[h] + slack
            if row[h] > row[best] + (slack if best == own else 0.0):
                best = h
        lower[i] = row[best] - slack
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
    for i in range(len(indptr) - 1):
        share = shares[i]
        for entry in range(indptr[i], indptr[i + 1]):
            value = data[entry]
            column = sums[indices[entry]]
            for h in range(k):
                column[h] += value * share[h]


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


@njit(cache=True, nogil=True, inline="always")
def _worth(balanced, per_cluster, size, square):
    """What a cluster adds to the objective."""
    if size <= 0:
        return 0.0
    length = np.sqrt(max(square, 0.0))
    if balanced:
        return per_cluster * length / size - size * np.log(size / per_cluster)
    return length


@njit(cache=True, nogil=True)
def single_moves(indptr, indices, data, balanced, labels, sums, squares, sizes, slack):
    """Visit the rows in turn and make each move that raises the objective; returns their number.

    The rows have length 1, ``sums`` (d, k) are those of the clusters, ``squares`` the squares of
    their lengths. The objective is the sum of the lengths or, if ``balanced``, the sum over the
    clusters of (n/k) length / size - size log(size k/n). The last row of a cluster stays.
    """
    k = sums.shape[1]
    n = len(indptr) - 1
    per_cluster = n / k
    dots = np.empty(k)
    moved = 0
    for i in range(n):
        own = labels[i]
        if sizes[own] == 1:
            continue
        dots[:] = 0.0
        for entry in range(indptr[i], indptr[i + 1]):
            value = data[entry]
            column = sums[indices[entry]]
            for h in range(k):
                dots[h] += value * column[h]
        without = squares[own] - 2.0 * dots[own] + 1.0
        loss = _worth(balanced, per_cluster, sizes[own], squares[own]) - _worth(
            balanced, per_cluster, sizes[own] - 1, without
        )
        best, gain = own, slack
        for h in range(k):
            if h != own:
                with_it = squares[h] + 2.0 * dots[h] + 1.0
                better = (
                    _worth(balanced, per_cluster, sizes[h] + 1, with_it)
                    - _worth(balanced, per_cluster, sizes[h], squares[h])
                    - loss
                )
                if better > gain:
                    best, gain = h, better
        if best == own:
            continue
        squares[own] = max(without, 0.0)
        squares[best] += 2.0 * dots[best] + 1.0
        sizes[own] -= 1
        sizes[best] += 1
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
