"""Sums around centroids of clusters; objects with label -1 are excluded."""

from __future__ import annotations

import numpy as np
from numba import njit


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


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "nsz"})
def centroid_silhouettes(X, labels, weights, sizes, first, means, squares, simplified):
    """Weighted sum over each cluster of silhouettes from distances to the centroids.

    ``simplified``: a and b are the distances to the centroid of the cluster and the nearest other.
    Otherwise they are the mean *squared* Euclidean distances to all objects of the clusters,
    by Σ_y |x − y|² = n_c |x − μ_c|² + Σ_y |y − μ_c|². Excluded objects and singletons get 0.
    """
    n, d = X.shape
    k = len(sizes)
    F, T = np.ascontiguousarray(first.T), np.ascontiguousarray(means.T)
    total = np.zeros(k)
    distance = np.empty(k)
    for i in range(n):
        cluster = labels[i]
        if cluster < 0:
            continue
        rest = sizes[cluster] - min(weights[i], 1.0)
        if rest <= 0.0:
            continue
        distance[:] = 0.0
        for f in range(d):
            x, s, t = np.float64(X[i, f]), F[f], T[f]
            for c in range(k):
                u = (x - s[c]) - t[c]
                distance[c] += u * u
        a, b = 0.0, np.inf
        for c in range(k):
            value = np.sqrt(distance[c]) if simplified else distance[c] + squares[c] / sizes[c]
            if c == cluster:
                a = value if simplified else value * sizes[c] / rest
            else:
                b = min(b, value)
        largest = max(a, b)
        if largest > 0.0:
            total[cluster] += weights[i] * ((b - a) / largest)
    return total


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
