"""One pass over the distances for many clusterings.

Objects are sorted by their tuple of labels. A strip of B columns meets all rows; rows of equal
tuples (a *run*) are summed up first and added once to the accumulators of their clusters, which
are rows of ``(sum of all k, B)`` arrays: cluster c of clustering m is row ``starts[m] + c``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from karat._kernels.distances import FAST, direct_tile

SUM, MIN, MAX, INVERSE = 0, 1, 2, 3


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _flush(labels, starts, partial, wanted, sums, minima, maxima, inverses):
    """Add the partial results of a run of objects with these labels, and begin anew."""
    B = partial.shape[1]
    for m in range(len(labels)):
        if labels[m] < 0:
            continue
        c = starts[m] + labels[m]
        if wanted[SUM]:
            a, p = sums[c], partial[SUM]
            for j in range(B):
                a[j] += p[j]
        if wanted[MIN]:
            a, p = minima[c], partial[MIN]
            for j in range(B):
                a[j] = min(a[j], p[j])
        if wanted[MAX]:
            a, p = maxima[c], partial[MAX]
            for j in range(B):
                a[j] = max(a[j], p[j])
        if wanted[INVERSE]:
            a, p = inverses[c], partial[INVERSE]
            for j in range(B):
                a[j] += p[j]
    partial[SUM] = 0.0
    partial[MIN] = np.inf
    partial[MAX] = 0.0
    partial[INVERSE] = 0.0


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def accumulate(
    tile, r0, R, j0, squared, run, labels, starts, wanted, partial, sums, minima, maxima, inverses
):
    """Add R rows of distances (squared ones if ``squared``) to the accumulators.

    ``partial`` carries an unfinished run from tile to tile; the caller flushes the last one.
    """
    B = tile.shape[1]
    for r in range(R):
        i = r0 + r
        if i > 0 and run[i] != run[i - 1]:
            _flush(labels[i - 1], starts, partial, wanted, sums, minima, maxima, inverses)
        row = tile[r]
        own = i - j0
        itself = 0 <= own < B
        if itself:
            row[own] = 0.0
        if wanted[SUM]:
            p = partial[SUM]
            if squared:
                for j in range(B):
                    p[j] += np.sqrt(row[j])
            else:
                for j in range(B):
                    p[j] += row[j]
        if wanted[MAX]:
            p = partial[MAX]
            for j in range(B):
                p[j] = max(p[j], row[j])
        if itself:
            row[own] = np.inf
        if wanted[MIN]:
            p = partial[MIN]
            for j in range(B):
                p[j] = min(p[j], row[j])
        if wanted[INVERSE]:
            p = partial[INVERSE]
            if squared:
                for j in range(B):
                    p[j] += 1.0 / row[j]
            else:
                for j in range(B):
                    p[j] += 1.0 / (row[j] * row[j])


@njit(cache=True, nogil=True, error_model="numpy")
def finish(labels, starts, squared, wanted, partial, sums, minima, maxima, inverses):
    """Flush the last run and turn squared distances into distances."""
    _flush(labels, starts, partial, wanted, sums, minima, maxima, inverses)
    if squared:
        minima[:] = np.sqrt(minima)
        maxima[:] = np.sqrt(maxima)


@njit(cache=True, nogil=True, error_model="numpy")
def accumulate_direct(
    kind, Z, strip, tile, j0, squared,
    run, labels, starts, wanted, partial, sums, minima, maxima, inverses,
):  # fmt: skip
    """All rows against one strip, with tiles from differences of coordinates."""
    n, R = len(Z), len(tile)
    for r0 in range(0, n, R):
        r1 = min(r0 + R, n)
        direct_tile(kind, Z, r0, r1, strip, tile)
        accumulate(
            tile, r0, r1 - r0, j0, squared,
            run, labels, starts, wanted, partial, sums, minima, maxima, inverses,
        )  # fmt: skip


# columns of the per-cluster results
(
    WITHIN_SUM, BETWEEN_SUM, WITHIN_INVERSE, BETWEEN_INVERSE,
    NEAREST_WITHIN, NEAREST_BETWEEN, DIAMETER, SILHOUETTE, MARGIN,
) = range(9)  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def fold(
    labels, starts, sizes, wanted, sums, minima, maxima, inverses,
    per_cluster, matrix_starts, want_matrices, sum_matrix, min_matrix, max_matrix, far_matrix,
    want_objects, objects,
):  # fmt: skip
    """Add one strip's accumulators to the results of each cluster.

    ``labels`` (B, M) are the strip's; ``per_cluster`` (sum of k, 9); the matrices hold the k×k
    blocks of all clusterings one after the other; ``objects`` (M, B, 8) takes for each object
    its silhouette, its margin, its distances to the nearest object within and between, and its
    sums of distances and of 1/d² within and between.
    """
    B, M = labels.shape
    for m in range(M):
        start, end = starts[m], starts[m + 1]
        k = end - start
        for j in range(B):
            own = labels[j, m]
            if own < 0:
                continue
            mine = per_cluster[start + own]
            if wanted[SUM]:
                nearest, total = np.inf, 0.0
                for c in range(k):
                    if c != own:
                        value = sums[start + c, j]
                        total += value
                        nearest = min(nearest, value / sizes[start + c])
                within = sums[start + own, j]
                mine[WITHIN_SUM] += within
                mine[BETWEEN_SUM] += total
                s = 0.0
                if sizes[start + own] > 1:
                    a = within / (sizes[start + own] - 1)
                    largest = max(a, nearest)
                    if largest > 0.0 and nearest < np.inf:
                        s = (nearest - a) / largest
                mine[SILHOUETTE] += s
                if want_objects:
                    objects[m, j, 0] = s
                    objects[m, j, 4] = within
                    objects[m, j, 5] = total
            if wanted[MIN]:
                near = minima[start + own, j]
                far = np.inf
                for c in range(k):
                    if c != own:
                        far = min(far, minima[start + c, j])
                mine[NEAREST_WITHIN] = min(mine[NEAREST_WITHIN], near)
                mine[NEAREST_BETWEEN] = min(mine[NEAREST_BETWEEN], far)
                # a singleton, or coincident with objects of both kinds: neutral
                margin = 1.0
                if sizes[start + own] > 1 and not (near == 0.0 and far == 0.0):
                    margin = near / far if far > 0.0 else np.inf
                mine[MARGIN] += margin
                if want_objects:
                    objects[m, j, 1] = margin
                    objects[m, j, 2] = near
                    objects[m, j, 3] = far
            if wanted[MAX]:
                mine[DIAMETER] = max(mine[DIAMETER], maxima[start + own, j])
            if wanted[INVERSE]:
                total = 0.0
                for c in range(k):
                    if c != own:
                        total += inverses[start + c, j]
                mine[WITHIN_INVERSE] += inverses[start + own, j]
                mine[BETWEEN_INVERSE] += total
                if want_objects:
                    objects[m, j, 6] = inverses[start + own, j]
                    objects[m, j, 7] = total
            if want_matrices:
                at = matrix_starts[m] + own * k
                for c in range(k):
                    sum_matrix[at + c] += sums[start + c, j]
                    min_matrix[at + c] = min(min_matrix[at + c], minima[start + c, j])
                    max_matrix[at + c] = max(max_matrix[at + c], maxima[start + c, j])
                    far_matrix[at + c] = max(far_matrix[at + c], minima[start + c, j])
