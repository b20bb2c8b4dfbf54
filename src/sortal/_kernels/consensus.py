"""Consensus matrix: how often pairs of objects were drawn together, and clustered together."""

from __future__ import annotations

import numpy as np
from numba import njit

#: code of an object that was not drawn
ABSENT = int(np.iinfo(np.uint8).max)


@njit(cache=True, nogil=True)
def consensus_rows(labels, first, last, together, drawn):
    """Count pairs of objects first..last with all objects; ``labels`` is (B, n) of uint8."""
    B, n = labels.shape
    together[:] = 0
    drawn[:] = 0
    for b in range(B):
        row = labels[b]
        for i in range(first, last):
            label = row[i]
            if label == ABSENT:
                continue
            t, d = together[i - first], drawn[i - first]
            for j in range(n):
                t[j] += row[j] == label
                d[j] += row[j] != ABSENT


@njit(cache=True, nogil=True)
def consensus_histogram(together, drawn, first, counts):
    """Add the consensus of pairs (i, j), j > i, to equal bins; returns the pairs never drawn."""
    bins = len(counts)
    missed = 0
    for i in range(together.shape[0]):
        for j in range(first + i + 1, together.shape[1]):
            if drawn[i, j] == 0:
                missed += 1
            else:
                counts[min(together[i, j] * bins // drawn[i, j], bins - 1)] += 1
    return missed
