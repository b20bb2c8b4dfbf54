"""One pass over the distances for many clusterings.

Objects are sorted by their tuple of labels. A strip of B columns meets rows; rows of equal tuples
(a *run*) are summed up first and added once to the accumulators of their clusters: a tuple of
``(sum of all k, columns)`` arrays for sums, minima, maxima and 1/d², in which cluster c of
clustering m is row ``starts[m] + c``. Where distances are symmetric, a tile is then turned over
and added to the accumulators of its rows too.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from karat._kernels.distances import FAST, direct_tile, roots

SUM, MIN, MAX, INVERSE = 0, 1, 2, 3


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _nothing(partial):
    partial[SUM] = 0.0
    partial[MIN] = np.inf
    partial[MAX] = 0.0
    partial[INVERSE] = 0.0


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _flush(labels, starts, wanted, partial, B, into, at):
    """Add the partial results of a run of objects with these labels, and begin anew.

    They belong to the B columns from ``at`` of the accumulators.
    """
    for m in range(len(labels)):
        if labels[m] < 0:
            continue
        c = starts[m] + labels[m]
        if wanted[SUM]:
            a, p = into[SUM][c, at : at + B], partial[SUM]
            for j in range(B):
                a[j] += p[j]
        if wanted[MIN]:
            a, p = into[MIN][c, at : at + B], partial[MIN]
            for j in range(B):
                a[j] = min(a[j], p[j])
        if wanted[MAX]:
            a, p = into[MAX][c, at : at + B], partial[MAX]
            for j in range(B):
                a[j] = max(a[j], p[j])
        if wanted[INVERSE]:
            a, p = into[INVERSE][c, at : at + B], partial[INVERSE]
            for j in range(B):
                a[j] += p[j]
    _nothing(partial)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _add(tile, first, r0, R, j0, B, run, weights, labels, starts, wanted, partial, into, at):
    """Add R rows of distances, of the objects from ``r0``, to the B columns from ``j0``.

    Sums take each row times its object's weight. The run that is not finished stays in
    ``partial``; ``first`` is the row that began it.
    """
    for r in range(R):
        i = r0 + r
        if i > first and run[i] != run[i - 1]:
            _flush(labels[i - 1], starts, wanted, partial, B, into, at)
        row, w = tile[r], weights[i]
        own = i - j0
        itself = 0 <= own < B
        if itself:
            row[own] = 0.0
        if wanted[SUM]:
            p = partial[SUM]
            for j in range(B):
                p[j] += w * row[j]
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
            for j in range(B):
                p[j] += w / (row[j] * row[j])


@njit(inline="always", error_model="numpy")
def _turn(tile, R, out):
    """``out[j, r] = tile[r, j]``, in pieces of a cache line of each row."""
    B = tile.shape[1]
    whole = B // 8 * 8
    for j in range(0, whole, 8):
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
    for j in range(whole, B):
        for r in range(R):
            out[j, r] = tile[r, j]


@njit(inline="always", error_model="numpy")
def _add_both(
    tile, first, r0, R, j0, squared, run, weights, labels, starts, wanted,
    partial, into, column, mirrored, turned, row_partial, row_into, row,
):  # fmt: skip
    B = tile.shape[1]
    if squared:
        roots(tile, R)
    at, row_at = j0 - column, r0 - row
    _add(tile, first, r0, R, j0, B, run, weights, labels, starts, wanted, partial, into, at)
    # the square on the diagonal has both ways by itself
    if mirrored and r0 >= j0 + B:
        _turn(tile, R, turned)
        _add(
            turned, j0, j0, B, r0, R, run, weights, labels, starts, wanted,
            row_partial, row_into, row_at,
        )  # fmt: skip
        _flush(labels[j0 + B - 1], starts, wanted, row_partial, R, row_into, row_at)


STEP = 128  # rows of a tile that are turned over at a time


@njit(cache=True, nogil=True, error_model="numpy")
def accumulate(
    tile, r0, R, j0, squared, run, weights, labels, starts, wanted,
    into, column, mirrored, row_into, row,
):  # fmt: skip
    """Add a tile of distances (squared ones if ``squared``) to the accumulators.

    Those of its columns, which are the objects from ``j0``, are ``into``, which begins with object
    ``column``; if ``mirrored``, those of its rows, the objects from ``r0``, are ``row_into``, which
    begins with object ``row``. Rows of the diagonal are those of whole strips of columns, whose
    square is not mirrored. The tile is overwritten.
    """
    B = tile.shape[1]
    partial, row_partial = np.empty((4, B)), np.empty((4, STEP))
    turned = np.empty((B, STEP))
    _nothing(partial)
    _nothing(row_partial)
    a = 0
    while a < R:
        b = min(a + (B if r0 + a == j0 else STEP), R)
        _add_both(
            tile[a:b], r0, r0 + a, b - a, j0, squared, run, weights, labels, starts, wanted,
            partial, into, column, mirrored, turned, row_partial, row_into, row,
        )  # fmt: skip
        a = b
    _flush(labels[r0 + R - 1], starts, wanted, partial, B, into, j0 - column)


@njit(cache=True, nogil=True, error_model="numpy")
def accumulate_direct(
    kind, Z, r0, r1, columns, squared, run, weights, labels, starts, wanted,
    into, column, mirrored, row_into, row,
):  # fmt: skip
    """As :func:`accumulate`, for rows r0..r1, with tiles from differences of coordinates.

    ``columns`` (d, columns) are the coordinates of the objects from ``column``.
    """
    row_partial = np.empty((4, STEP))
    room, room_turned = np.empty(STEP * STEP), np.empty(STEP * STEP)
    for c in range(0, columns.shape[1], STEP):
        strip = columns[:, c : c + STEP].copy()
        B, j0 = strip.shape[1], column + c
        tile, turned = room[: STEP * B].reshape(STEP, B), room_turned[: STEP * B].reshape(B, STEP)
        partial = np.empty((4, B))
        _nothing(partial)
        _nothing(row_partial)
        first = j0 if mirrored and r0 == column else r0
        a = first
        while a < r1:
            b = min(a + (B if a == j0 else STEP), r1)
            direct_tile(kind, Z, a, b, strip, tile)
            _add_both(
                tile, first, a, b - a, j0, squared, run, weights, labels, starts, wanted,
                partial, into, column, mirrored, turned, row_partial, row_into, row,
            )  # fmt: skip
            a = b
        _flush(labels[r1 - 1], starts, wanted, partial, B, into, j0 - column)


@njit(cache=True, nogil=True, error_model="numpy")
def accumulate_gathered(
    D, order, r0, r1, columns, run, weights, labels, starts, wanted, into, column
):  # fmt: skip
    """As :func:`accumulate`, for rows r0..r1, with distances from a matrix, not mirrored.

    The strip is of as many ``columns``. Each row of the matrix is read once from end to end, with
    three others: they stay in the cache for what picks among them.
    """
    R = r1 - r0
    room = np.empty(R * min(STEP, columns))
    for c in range(0, columns, STEP):
        B, j0 = min(STEP, columns - c), column + c
        tile = room[: R * B].reshape(R, B)
        whole = B // 4 * 4
        for j in range(0, whole, 4):
            l0, l1 = D[order[j0 + j]], D[order[j0 + j + 1]]
            l2, l3 = D[order[j0 + j + 2]], D[order[j0 + j + 3]]
            for r in range(R):
                row, i = tile[r], order[r0 + r]
                row[j] = l0[i]
                row[j + 1] = l1[i]
                row[j + 2] = l2[i]
                row[j + 3] = l3[i]
        for j in range(whole, B):
            line = D[order[j0 + j]]
            for r in range(R):
                tile[r, j] = line[order[r0 + r]]
        partial = np.empty((4, B))
        _nothing(partial)
        _add(
            tile, r0, r0, R, j0, B, run, weights, labels, starts, wanted,
            partial, into, j0 - column,
        )  # fmt: skip
        _flush(labels[r1 - 1], starts, wanted, partial, B, into, j0 - column)


# columns of the per-cluster results
(
    WITHIN_SUM, BETWEEN_SUM, WITHIN_INVERSE, BETWEEN_INVERSE,
    NEAREST_WITHIN, NEAREST_BETWEEN, DIAMETER, SILHOUETTE, MARGIN,
) = range(9)  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def fold(
    labels, weights, starts, sizes, wanted, sums, minima, maxima, inverses,
    per_cluster, matrix_starts, want_matrices, sum_matrix, min_matrix, max_matrix, far_matrix,
    want_objects, objects,
):  # fmt: skip
    """Add one strip's accumulators to the results of each cluster.

    ``labels`` (B, M) and ``weights`` (B) are the strip's; ``per_cluster`` (sum of k, 9); the
    matrices hold the k×k blocks of all clusterings one after the other; ``objects`` (M, B, 8)
    takes for each object its silhouette, its margin, its distances to the nearest object within
    and between, and its sums of distances and of 1/d² within and between.

    An object of weight w > 1 stands for several that coincide: each is 0 from its nearest. The
    rest of its cluster weighs W − 1; for w < 1, a part of an object, W − w.
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
            w = weights[j]
            rest = sizes[start + own] - min(w, 1.0)
            if wanted[SUM]:
                nearest, total = np.inf, 0.0
                for c in range(k):
                    if c != own:
                        value = sums[start + c, j]
                        total += value
                        nearest = min(nearest, value / sizes[start + c])
                within = sums[start + own, j]
                mine[WITHIN_SUM] += w * within
                mine[BETWEEN_SUM] += w * total
                s = 0.0
                if rest > 0.0:
                    a = within / rest
                    largest = max(a, nearest)
                    if largest > 0.0 and nearest < np.inf:
                        s = (nearest - a) / largest
                mine[SILHOUETTE] += w * s
                if want_objects:
                    objects[m, j, 0] = s
                    objects[m, j, 4] = within
                    objects[m, j, 5] = total
            if wanted[MIN]:
                near = minima[start + own, j] if w <= 1.0 else 0.0
                far = np.inf
                for c in range(k):
                    if c != own:
                        far = min(far, minima[start + c, j])
                mine[NEAREST_WITHIN] = min(mine[NEAREST_WITHIN], near)
                mine[NEAREST_BETWEEN] = min(mine[NEAREST_BETWEEN], far)
                # a singleton, or coincident with objects of both kinds: neutral
                margin = 1.0
                if rest > 0.0 and not (near == 0.0 and far == 0.0):
                    margin = near / far if far > 0.0 else np.inf
                mine[MARGIN] += w * margin
                if want_objects:
                    objects[m, j, 1] = margin
                    objects[m, j, 2] = near
                    objects[m, j, 3] = far
            if wanted[MAX]:
                mine[DIAMETER] = max(mine[DIAMETER], maxima[start + own, j])
            if wanted[INVERSE]:
                within = inverses[start + own, j] if w <= 1.0 else np.inf
                total = 0.0
                for c in range(k):
                    if c != own:
                        total += inverses[start + c, j]
                mine[WITHIN_INVERSE] += w * within
                mine[BETWEEN_INVERSE] += w * total
                if want_objects:
                    objects[m, j, 6] = within
                    objects[m, j, 7] = total
            if want_matrices:
                at = matrix_starts[m] + own * k
                for c in range(k):
                    sum_matrix[at + c] += w * sums[start + c, j]
                    min_matrix[at + c] = min(min_matrix[at + c], minima[start + c, j])
                    max_matrix[at + c] = max(max_matrix[at + c], maxima[start + c, j])
                    far_matrix[at + c] = max(far_matrix[at + c], minima[start + c, j])
