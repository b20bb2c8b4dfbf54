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
