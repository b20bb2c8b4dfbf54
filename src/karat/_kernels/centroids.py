"""Sums around centroids for labels ``0..k-1`` (``-1`` is left out)."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def centroid_sums(X, shift, labels, sizes):
    """Centroids minus ``shift``, and squares and distances around them, per cluster.

    Returns centroids (k, d); ``around`` (k, 3): sum of squared distances, sum of distances and
    largest distance to the centroid; ``squares`` (k, d): sum of squares by feature. Two passes,
    after the shift, so that clusters far from the origin lose nothing.
    """
    n, d = X.shape
    k = len(sizes)
    centroids = np.zeros((k, d))
    around = np.zeros((k, 3))
    squares = np.zeros((k, d))
    for i in range(n):
        c = labels[i]
        if c >= 0:
            for f in range(d):
                centroids[c, f] += X[i, f] - shift[f]
    for c in range(k):
        for f in range(d):
            centroids[c, f] /= sizes[c]
    for i in range(n):
        c = labels[i]
        if c >= 0:
            total = 0.0
            for f in range(d):
                t = (X[i, f] - shift[f]) - centroids[c, f]
                squares[c, f] += t * t
                total += t * t
            root = np.sqrt(total)
            around[c, 0] += total
            around[c, 1] += root
            around[c, 2] = max(around[c, 2], root)
    return centroids, around, squares


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
def centroid_silhouettes(X, shift, labels, sizes, centroids, squares, simplified):
    """Silhouette of each object from its distances to the centroids.

    ``simplified``: a and b are the distances to the own and to the nearest other centroid.
    Otherwise they are the mean *squared* Euclidean distances to all objects of the clusters,
    by Σ_y |x − y|² = n_c |x − μ_c|² + Σ_y |y − μ_c|². Objects left out and singletons get 0.
    """
    n, d = X.shape
    k = len(sizes)
    T = np.ascontiguousarray(centroids.T)
    result = np.zeros(n)
    x = np.empty(d)
    distance = np.empty(k)
    for i in range(n):
        own = labels[i]
        if own < 0 or sizes[own] == 1:
            continue
        for f in range(d):
            x[f] = X[i, f] - shift[f]
        distance[:] = 0.0
        for f in range(d):
            a, t = x[f], T[f]
            for c in range(k):
                u = a - t[c]
                distance[c] += u * u
        a, b = 0.0, np.inf
        for c in range(k):
            value = np.sqrt(distance[c]) if simplified else distance[c] + squares[c] / sizes[c]
            if c == own:
                a = value if simplified else value * sizes[c] / (sizes[c] - 1)
            else:
                b = min(b, value)
        largest = max(a, b)
        if largest > 0.0:
            result[i] = (b - a) / largest
    return result
