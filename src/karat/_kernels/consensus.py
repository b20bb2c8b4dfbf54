"""How often pairs of objects were drawn together, and were in one cluster."""

from __future__ import annotations

from numba import njit

#: code of an object that was not drawn
ABSENT = 255


@njit(cache=True, nogil=True)
def consensus_rows(labels, first, last, together, drawn):
    """Counts of rows first..last against all objects; ``labels`` is (B, n) of uint8."""
    B, n = labels.shape
    together[:] = 0
    drawn[:] = 0
    for b in range(B):
        row = labels[b]
        for i in range(first, last):
            own = row[i]
            if own == ABSENT:
                continue
            t, d = together[i - first], drawn[i - first]
            for j in range(n):
                t[j] += row[j] == own
                d[j] += row[j] != ABSENT


@njit(cache=True, nogil=True)
def consensus_histogram(together, drawn, first, counts):
    """Adds the consensus of the pairs (i, j), j > i, to equal bins; pairs never drawn are not."""
    bins = len(counts)
    missed = 0
    for i in range(together.shape[0]):
        for j in range(first + i + 1, together.shape[1]):
            if drawn[i, j] == 0:
                missed += 1
            else:
                counts[min(together[i, j] * bins // drawn[i, j], bins - 1)] += 1
    return missed
