"""The clusters of a resample beside those of the data."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def best_matches(own, found, n_clusters):
    """Largest Jaccard similarity of each cluster with one found, and who is in that one.

    NaN for a cluster without objects. Outliers of ``own`` are judged in nothing; an outlier of
    ``found`` is in no cluster that could match, but counts in its own.
    """
    width = 1
    for label in found:
        width = max(width, label + 1)
    counts = np.zeros((n_clusters, width), np.int64)
    sizes, others = np.zeros(n_clusters, np.int64), np.zeros(width, np.int64)
    for i in range(len(own)):
        mine, theirs = own[i], found[i]
        if mine >= 0:
            sizes[mine] += 1
            if theirs >= 0:
                counts[mine, theirs] += 1
                others[theirs] += 1
    best, match = np.full(n_clusters, np.nan), np.zeros(n_clusters, np.int64)
    for mine in range(n_clusters):
        if sizes[mine] == 0:
            continue
        best[mine] = 0.0
        for theirs in range(width):
            shared = counts[mine, theirs]
            similarity = shared / (sizes[mine] + others[theirs] - shared)
            if similarity > best[mine]:
                best[mine], match[mine] = similarity, theirs
    stayed = np.zeros(len(own), np.bool_)
    for i in range(len(own)):
        stayed[i] = own[i] >= 0 and found[i] == match[own[i]]
    return best, stayed


@njit(cache=True, nogil=True)
def nearest_means(X, train, labels, test, out):
    """Labels of the ``test`` rows by the nearest mean of the labelled ``train`` rows."""
    k, d = labels.max() + 1, X.shape[1]
    sizes, means = np.zeros(k), np.zeros((d, k))
    for i in range(len(train)):
        sizes[labels[i]] += 1
        for j in range(d):
            means[j, labels[i]] += X[train[i], j]
    for j in range(d):
        for c in range(k):
            means[j, c] = means[j, c] / sizes[c] if sizes[c] > 0 else np.inf
    apart = np.empty(k)
    for i in range(len(test)):
        apart[:] = 0.0
        for j in range(d):
            x = X[test[i], j]
            for c in range(k):
                apart[c] += (x - means[j, c]) ** 2
        out[i] = apart.argmin()


@njit(cache=True, nogil=True)
def least_share(labels, predicted):
    """Share of the pairs of a cluster that are predicted together, for the worst cluster."""
    k, width = max(labels.max() + 1, 0), max(predicted.max() + 1, 0)
    counts, sizes = np.zeros((k, width), np.int64), np.zeros(k, np.int64)
    for i in range(len(labels)):
        if labels[i] >= 0:
            sizes[labels[i]] += 1
            if predicted[i] >= 0:
                counts[labels[i], predicted[i]] += 1
    least = 1.0
    for c in range(k):
        if sizes[c] > 1:
            together = 0
            for v in range(width):
                together += counts[c, v] * (counts[c, v] - 1)
            least = min(least, together / (sizes[c] * (sizes[c] - 1)))
    return least
