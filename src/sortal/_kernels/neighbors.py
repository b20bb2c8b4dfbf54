"""Nearest neighbours by direct distances, ties broken by the lower index, and votes over them."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _insert(distances, indices, value, index):
    """Insert a neighbour into a sorted list, after equal distances."""
    at = distances.shape[0] - 1
    while at > 0 and value < distances[at - 1]:
        distances[at] = distances[at - 1]
        indices[at] = indices[at - 1]
        at -= 1
    distances[at] = value
    indices[at] = index


@njit(cache=True, nogil=True)
def add_nearest(D, others, queries, distances, indices):
    """Update the neighbour lists (q, k) with the distances D (others, q).

    ``others`` ascend from call to call. Column j belongs to object ``queries[j]``, which is
    excluded from its list.
    """
    q, k = distances.shape
    worst = distances[:, k - 1].copy()
    for r in range(len(others)):
        for j in range(q):
            if D[r, j] < worst[j] and others[r] != queries[j]:
                _insert(distances[j], indices[j], D[r, j], others[r])
                worst[j] = distances[j, k - 1]


@njit(cache=True, nogil=True)
def _length(row, k):
    """Length of a neighbour list without the -1 at its end."""
    while k > 0 and row[k - 1] < 0:
        k -= 1
    return k


@njit(cache=True, nogil=True)
def majority_vote(neighbors, codes, start, stop, out):
    """Most frequent code in each list; ties to the code that comes first in the list.

    codes is (n, M), so that one neighbour's codes in all M clusterings lie together; out (M, n).
    A list ends before its first index -1; out is left as it is where the list is empty.
    """
    for i in range(start, stop):
        k = _length(neighbors[i], neighbors.shape[1])
        for m in range(codes.shape[1]):
            best = 0
            for a in range(k):
                if k - a <= best:
                    break
                code = codes[neighbors[i, a], m]
                count = 1
                for b in range(a + 1, k):
                    if codes[neighbors[i, b], m] == code:
                        count += 1
                if count > best:
                    best = count
                    out[m, i] = code


@njit(cache=True, nogil=True)
def smallest_mean_vote(neighbors, distances, codes, start, stop, out):
    """Code whose members in the list have the smallest mean distance.

    Arguments as for :func:`majority_vote`.
    """
    for i in range(start, stop):
        k = _length(neighbors[i], neighbors.shape[1])
        for m in range(codes.shape[1]):
            best = np.inf
            for a in range(k):
                code = codes[neighbors[i, a], m]
                total, count = 0.0, 0
                for b in range(k):
                    if codes[neighbors[i, b], m] == code:
                        if b < a:
                            count = 0
                            break
                        total += distances[i, b]
                        count += 1
                if count > 0 and total / count < best:
                    best = total / count
                    out[m, i] = code


@njit(cache=True, nogil=True)
def outside_fold(neighbors, k, folds, chosen):
    """Positions in each list of the first k neighbours in other folds; -1 where the list ends.

    Returns how many objects have fewer than k.
    """
    short = 0
    for i in range(len(folds)):
        count = 0
        for a in range(neighbors.shape[1]):
            if folds[neighbors[i, a]] != folds[i]:
                chosen[i, count] = a
                count += 1
                if count == k:
                    break
        for rest in range(count, k):
            chosen[i, rest] = -1
        if count < k:
            short += 1
    return short
