"""Distances from rows to columns, added up by column and cluster, for many clusterings at once."""

from __future__ import annotations

import numpy as np
from numba import njit

from sortal._kernels.distances import FAST

#: positions of the accumulators
SUM, MIN, MAX, INVERSE = range(4)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def accumulate(tile, squared, r0, j0, inputs, into, at):
    """Add a tile of distances, from the objects from ``r0`` to those from ``j0``.

    ``into`` are (sum of all k, columns) arrays of weighted sums, minima, maxima and sums of 1/d².
    Cluster c of clustering m is row ``starts[m] + c``, and the tile's columns begin at ``at``. Rows
    of equal ``run``, whose labels are the same, are added up first. Squared distances are replaced
    by their roots in the tile. ``inputs`` are runs, weights and labels (n, M) of all objects, then
    ``starts`` and which arrays are wanted.
    """
    run, weights, labels, starts, wanted = inputs
    R, B = tile.shape
    sums, minima, maxima, inverses = np.empty(B), np.empty(B), np.empty(B), np.empty(B)
    end = 0
    while end < R:
        begin = end
        end += 1
        while end < R and run[r0 + end] == run[r0 + begin]:
            end += 1
        for j in range(B):
            sums[j], minima[j], maxima[j], inverses[j] = 0.0, np.inf, 0.0, 0.0
        for r in range(begin, end):
            row, w, diagonal = tile[r], weights[r0 + r], r0 + r - j0
            if squared:
                for j in range(B):
                    row[j] = np.sqrt(row[j])
            if 0 <= diagonal < B:
                row[diagonal] = 0.0
            if wanted[SUM]:
                for j in range(B):
                    sums[j] += w * row[j]
            if wanted[MAX]:
                for j in range(B):
                    maxima[j] = max(maxima[j], row[j])
            if 0 <= diagonal < B:
                row[diagonal] = np.inf
            if wanted[MIN]:
                for j in range(B):
                    minima[j] = min(minima[j], row[j])
            if wanted[INVERSE]:
                for j in range(B):
                    inverses[j] += w / (row[j] * row[j])
        row_labels = labels[r0 + begin]
        for m in range(len(row_labels)):
            if row_labels[m] < 0:
                continue
            c = starts[m] + row_labels[m]
            if wanted[SUM]:
                a = into[SUM][c, at : at + B]
                for j in range(B):
                    a[j] += sums[j]
            if wanted[MIN]:
                a = into[MIN][c, at : at + B]
                for j in range(B):
                    a[j] = min(a[j], minima[j])
            if wanted[MAX]:
                a = into[MAX][c, at : at + B]
                for j in range(B):
                    a[j] = max(a[j], maxima[j])
            if wanted[INVERSE]:
                a = into[INVERSE][c, at : at + B]
                for j in range(B):
                    a[j] += inverses[j]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST | {"nnan"})
def accumulate_rows(tile, j0, inputs, into, at):
    """Add a tile of roots as :func:`accumulate` does, but from the objects from ``j0`` to the rows.

    The rows begin at ``at`` of the accumulators. The tile is off the diagonal. Columns of equal
    ``run`` are read together, so that this is slow where most runs have one column.
    """
    run, weights, labels, starts, wanted = inputs
    R, B = tile.shape
    values = np.empty(R)
    end = 0
    while end < B:
        begin = end
        end += 1
        while end < B and run[j0 + end] == run[j0 + begin]:
            end += 1
        w = weights[j0 + begin : j0 + end]
        for statistic in range(4):
            if not wanted[statistic]:
                continue
            for r in range(R):
                row, value = tile[r, begin:end], np.inf if statistic == MIN else 0.0
                if statistic == SUM:
                    for j in range(len(w)):
                        value += w[j] * row[j]
                elif statistic == MIN:
                    for j in range(len(w)):
                        value = min(value, row[j])
                elif statistic == MAX:
                    for j in range(len(w)):
                        value = max(value, row[j])
                else:
                    for j in range(len(w)):
                        value += w[j] / (row[j] * row[j])
                values[r] = value
            for m in range(labels.shape[1]):
                label = labels[j0 + begin, m]
                if label < 0:
                    continue
                a = into[statistic][starts[m] + label, at : at + R]
                for r in range(R):
                    if statistic == MIN:
                        a[r] = min(a[r], values[r])
                    elif statistic == MAX:
                        a[r] = max(a[r], values[r])
                    else:
                        a[r] += values[r]


@njit(cache=True, nogil=True, error_model="numpy")
def by_object(values, wanted, clusters, first, sizes, parts):
    """Add accumulators of the clusters from ``first`` to what objects need of all clusters.

    ``values`` are those of :func:`accumulate` for one clustering. ``parts`` (8, objects) are sums,
    means and extremes of the own cluster and of the others.
    """
    own, other, mean, near, far, widest, inside, outside = parts
    for c in range(len(sizes)):
        size = sizes[c]
        if wanted[SUM]:
            a = values[SUM][c]
            for j in range(len(clusters)):
                is_own = clusters[j] == first + c
                own[j] += a[j] if is_own else 0.0
                other[j] += 0.0 if is_own else a[j]
                mean[j] = min(mean[j], np.inf if is_own else a[j] / size)
        if wanted[MIN]:
            a = values[MIN][c]
            for j in range(len(clusters)):
                is_own = clusters[j] == first + c
                near[j] = a[j] if is_own else near[j]
                far[j] = min(far[j], np.inf if is_own else a[j])
        if wanted[MAX]:
            a = values[MAX][c]
            for j in range(len(clusters)):
                widest[j] = a[j] if clusters[j] == first + c else widest[j]
        if wanted[INVERSE]:
            a = values[INVERSE][c]
            for j in range(len(clusters)):
                is_own = clusters[j] == first + c
                inside[j] += a[j] if is_own else 0.0
                outside[j] += 0.0 if is_own else a[j]


@njit(cache=True, nogil=True, error_model="numpy")
def turn(tile, out):
    """Transpose a tile: ``out[j, r] = tile[r, j]``, a cache line of each row at a time."""
    R, B = tile.shape
    in_eights = B // 8 * 8
    for j in range(0, in_eights, 8):
        for r in range(R):
            row = tile[r]
            out[j, r] = row[j]
            out[j + 1, r] = row[j + 1]
            out[j + 2, r] = row[j + 2]
            out[j + 3, r] = row[j + 3]
            out[j + 4, r] = row[j + 4]
            out[j + 5, r] = row[j + 5]
            out[j + 6, r] = row[j + 6]
            out[j + 7, r] = row[j + 7]
    for j in range(in_eights, B):
        for r in range(R):
            out[j, r] = tile[r, j]


@njit(cache=True, nogil=True, error_model="numpy")
def add_scores(tile, first, second, relative, scores):
    """Add each row's margin to each candidate: ratio or difference of the two least distances.

    ``first`` and ``second`` are the distances of a row's object to the two nearest of the other
    representatives. A negative ``first`` marks a representative, which adds nothing.
    """
    for r in range(len(tile)):
        first_distance, second_distance = first[r], second[r]
        if first_distance < 0.0:
            continue
        for j in range(len(scores)):
            d = tile[r, j]
            near, far = min(first_distance, d), max(first_distance, min(second_distance, d))
            if relative:
                scores[j] += near / far if far > 0.0 else 1.0
            else:
                scores[j] += near - far
