"""Nearest-centroid prediction of left-out objects, for many clusterings in one pass."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def cluster_sums(X, codes, starts, first, last, sums):
    """Add each row of X to the sum of its cluster; cluster c of clustering m is row starts[m]+c."""
    for m in range(first, last):
        for i in range(X.shape[0]):
            row = starts[m] + codes[m, i]
            for f in range(X.shape[1]):
                sums[row, f] += X[i, f]


@njit(cache=True, nogil=True)
def centroid_leave_one_out(X, CT, sizes, starts, codes, first, last, out):
    """Nearest centroid of each object, its own cluster's taken without it.

    CT (d, K) holds the centroids of all clusterings as columns. Without the object the squared
    distance to its own centroid is (s / (s - 1))² times that with it. Ties to the lower code.
    """
    d, K = CT.shape
    squares = np.empty(K)
    for i in range(first, last):
        squares[:] = 0.0
        for f in range(d):
            x = X[i, f]
            for c in range(K):
                t = CT[f, c] - x
                squares[c] += t * t
        for m in range(codes.shape[0]):
            own = starts[m] + codes[m, i]
            s = sizes[own]
            if s > 1:
                squares[own] *= (s / (s - 1.0)) ** 2
            else:
                squares[own] = np.inf
            best = starts[m]
            for c in range(starts[m] + 1, starts[m + 1]):
                if squares[c] < squares[best]:
                    best = c
            out[m, i] = best - starts[m]


@njit(cache=True, nogil=True)
def centroid_folds(X, codes, folds, n_clusters, n_folds, out):
    """Nearest centroid of each object, the centroids taken over the other folds."""
    n, d = X.shape
    sums = np.zeros((n_folds, n_clusters, d))
    sizes = np.zeros((n_folds, n_clusters))
    for i in range(n):
        sizes[folds[i], codes[i]] += 1
        for f in range(d):
            sums[folds[i], codes[i], f] += X[i, f]
    total, count = sums.sum(axis=0), sizes.sum(axis=0)
    for fold in range(n_folds):
        for c in range(n_clusters):
            left = count[c] - sizes[fold, c]
            for f in range(d):
                # an empty training cluster is infinitely far
                sums[fold, c, f] = (total[c, f] - sums[fold, c, f]) / left if left else np.inf
    for i in range(n):
        best, nearest = np.inf, 0
        for c in range(n_clusters):
            square = 0.0
            for f in range(d):
                t = sums[folds[i], c, f] - X[i, f]
                square += t * t
            if square < best:
                best, nearest = square, c
        out[i] = nearest
