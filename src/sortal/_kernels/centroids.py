"""Sums around centroids of clusters; objects with label -1 are excluded."""

from __future__ import annotations

import numpy as np
from numba import njit

from sortal._kernels.distances import FAST, SQUARED, direct_tile


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
def _squared_length(x):
    """Squared Euclidean length of a vector."""
    total = 0.0
    for f in range(len(x)):
        total += x[f] * x[f]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def centroid_sums(X, labels, weights, first):
    """Sums (k, d) of the objects of each cluster minus its ``first`` object.

    Divided by the sizes they are ``means``: the centroids minus ``first``. Differences of an
    object and a centroid are taken in these two steps, so that tight clusters far from the origin,
    or from each other, lose no digits.
    """
    n, d = X.shape
    sums = np.zeros(first.shape)
    for i in range(n):
        c, w = labels[i], weights[i]
        if c >= 0:
            # element by element, here and elsewhere: to compile an assignment of rows takes seconds
            for f in range(d):
                sums[c, f] += w * (X[i, f] - first[c, f])
    return sums


@njit(cache=True, nogil=True, error_model="numpy")
def centroid_squares(X, labels, weights, first, means):
    """Squares and distances around centroids, per cluster.

    ``around`` (k, 3): sum of squared distances, sum of distances and largest distance to the
    centroid; ``squares`` (k, d): sum of squares by feature.
    """
    n, d = X.shape
    around = np.zeros((len(first), 3))
    squares = np.zeros(first.shape)
    t = np.empty(d)
    for i in range(n):
        c, w = labels[i], weights[i]
        if c >= 0:
            for f in range(d):
                t[f] = (X[i, f] - first[c, f]) - means[c, f]
                squares[c, f] += w * (t[f] * t[f])
            total = _squared_length(t)
            root = np.sqrt(total)
            around[c, 0] += w * total
            around[c, 1] += w * root
            around[c, 2] = max(around[c, 2], root)
    return around, squares


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "nsz", "nnan"})
def _to_own_and_nearest(X, labels, sizes, first, means, within):
    """Of each object, the squared distance to its centroid and the smallest to another (n, 2).

    ``within`` is added to each cluster's. Some clusters at a time, which stay in the first cache.
    """
    n, d = X.shape
    k, B = len(sizes), 256
    nearest = np.full((n, 2), np.inf)
    distance = np.empty(B)
    for c0 in range(0, k, B):
        F, T = (
            np.ascontiguousarray(first[c0 : c0 + B].T),
            np.ascontiguousarray(means[c0 : c0 + B].T),
        )
        added = within[c0 : c0 + B]
        width = len(added)
        for i in range(n):
            for c in range(width):
                distance[c] = added[c]
            for f in range(d):
                x, s, t = np.float64(X[i, f]), F[f], T[f]
                for c in range(width):
                    u = (x - s[c]) - t[c]
                    distance[c] += u * u
            at = labels[i] - c0
            if 0 <= at < width:
                nearest[i, 0], distance[at] = distance[at], np.inf
            b = nearest[i, 1]
            for c in range(width):
                b = min(b, distance[c])
            nearest[i, 1] = b
    return nearest


@njit(cache=True, nogil=True, error_model="numpy")
def centroid_silhouettes(X, labels, weights, sizes, first, means, squares, simplified):
    """Weighted sum over each cluster of silhouettes from distances to the centroids.

    ``simplified``: a and b are the distances to the centroid of the cluster and the nearest other.
    Otherwise they are the mean *squared* Euclidean distances to all objects of the clusters,
    by Σ_y |x − y|² = n_c |x − μ_c|² + Σ_y |y − μ_c|². Excluded objects and singletons get 0.
    """
    within = np.zeros(len(sizes)) if simplified else squares / sizes
    nearest = _to_own_and_nearest(X, labels, sizes, first, means, within)
    total = np.zeros(len(sizes))
    for i in range(len(X)):
        cluster = labels[i]
        rest = sizes[cluster] - min(weights[i], 1.0)
        if cluster < 0 or rest <= 0.0:
            continue
        a, b = nearest[i]
        if simplified:
            a, b = np.sqrt(a), np.sqrt(b)
        else:
            a *= sizes[cluster] / rest
        largest = max(a, b)
        if largest > 0.0:
            total[cluster] += weights[i] * ((b - a) / largest)
    return total


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def between_centroids(C, spreads, start, stop, out):
    """Of centroids ``start`` to ``stop``: what their distances to all others give, in ``out``.

    Rows (4, k): the smallest distance, the largest, the sum, and the largest
    (spread + spread)/distance.
    """
    k, R, B = len(C), 32, 256
    tile = np.empty((R, B))
    for j0 in range(start, stop, B):
        block = slice(j0, min(j0 + B, stop))
        strip, s = np.ascontiguousarray(C[block].T), spreads[block]
        nearest, farthest, total, worst = out[0, block], out[1, block], out[2, block], out[3, block]
        width = len(s)
        for j in range(width):
            nearest[j], farthest[j], total[j], worst[j] = np.inf, 0.0, 0.0, 0.0
        for r0 in range(0, k, R):
            r1 = min(r0 + R, k)
            direct_tile(SQUARED, C, r0, r1, strip, tile[:, :width])
            for r in range(r0, r1):
                row = tile[r - r0]
                for j in range(width):
                    row[j] = np.sqrt(row[j])
                    farthest[j] = max(farthest[j], row[j])
                    total[j] += row[j]
                if 0 <= r - j0 < width:
                    row[r - j0] = np.inf
                for j in range(width):
                    nearest[j] = min(nearest[j], row[j])
                    worst[j] = max(worst[j], (spreads[r] + s[j]) / row[j])


@njit(cache=True, nogil=True)
def sparse_sums(indptr, indices, data, labels, weights, k, d):
    """Sums of CSR rows and of their squares by cluster: two arrays of shape (k, d)."""
    sums, squares = np.zeros((k, d)), np.zeros((k, d))
    for i in range(len(labels)):
        sum_, square, weight = sums[labels[i]], squares[labels[i]], weights[i]
        for at in range(indptr[i], indptr[i + 1]):
            value = data[at]
            sum_[indices[at]] += weight * value
            square[indices[at]] += weight * value * value
    return sums, squares
