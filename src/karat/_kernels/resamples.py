"""Comparison of a resample's clusters with those of the data."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def best_matches(labels, resample_labels, n_clusters):
    """Largest Jaccard similarity of each cluster with a resample's, and the objects in both.

    NaN for a cluster without objects. Outliers of ``labels`` are ignored. An outlier of
    ``resample_labels`` matches no cluster, but counts in the cluster that it is in by ``labels``.
    """
    width = 1
    for label in resample_labels:
        width = max(width, label + 1)
    counts = np.zeros((n_clusters, width), np.int64)
    sizes, resample_sizes = np.zeros(n_clusters, np.int64), np.zeros(width, np.int64)
    for i in range(len(labels)):
        cluster, matched = labels[i], resample_labels[i]
        if cluster >= 0:
            sizes[cluster] += 1
            if matched >= 0:
                counts[cluster, matched] += 1
                resample_sizes[matched] += 1
    best, match = np.full(n_clusters, np.nan), np.zeros(n_clusters, np.int64)
    for cluster in range(n_clusters):
        if sizes[cluster] == 0:
            continue
        best[cluster] = 0.0
        for matched in range(width):
            shared = counts[cluster, matched]
            similarity = shared / (sizes[cluster] + resample_sizes[matched] - shared)
            if similarity > best[cluster]:
                best[cluster], match[cluster] = similarity, matched
    kept = np.zeros(len(labels), np.bool_)
    for i in range(len(labels)):
        kept[i] = labels[i] >= 0 and resample_labels[i] == match[labels[i]]
    return best, kept


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
