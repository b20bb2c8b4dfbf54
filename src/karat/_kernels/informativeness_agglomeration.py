"""Greedy merging of clusters by leave-one-out nearest-neighbour informativeness."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _votes(row, codes, found, votes):
    """Distinct codes in a neighbour list, in order of appearance, with their votes; how many."""
    count = 0
    for j in row:
        code = codes[j]
        for a in range(count):
            if found[a] == code:
                votes[a] += 1
                break
        else:
            found[count] = code
            votes[count] = 1
            count += 1
    return count


@njit(cache=True, nogil=True)
def _winner(votes, count):
    best = 0
    for a in range(1, count):
        if votes[a] > votes[best]:
            best = a
    return best


@njit(cache=True, nogil=True)
def _contribute(row, own, sign, codes, weight, gains, losses, found, votes):
    """Add what merging each pair would do to this object; returns whether it is right now.

    gains[a, b] counts objects of a or b that the merge makes right; losses[a, b] sums the
    weights of objects of other clusters that it makes wrong. Only a < b is used.
    """
    count = _votes(row, codes, found, votes)
    best = _winner(votes, count)
    mine = -1
    for a in range(count):
        if found[a] == own:
            mine = a
    if found[best] == own:
        for a in range(count):
            for b in range(a + 1, count):
                if a == mine or b == mine:
                    continue
                together = votes[a] + votes[b]
                # of equal votes the first in the list wins, and a comes before b
                if together > votes[mine] or (together == votes[mine] and a < mine):
                    x, y = min(found[a], found[b]), max(found[a], found[b])
                    losses[x, y] += sign * weight[own]
        return True
    for b in range(count):
        if b == mine:
            continue
        together = votes[b] + (votes[mine] if mine >= 0 else 0)
        first = min(b, mine) if mine >= 0 else b
        wins = True
        for c in range(count):
            if (
                c != b
                and c != mine
                and (votes[c] > together or (votes[c] == together and c < first))
            ):
                wins = False
        if wins:
            gains[min(own, found[b]), max(own, found[b])] += sign
    return False


@njit(cache=True, nogil=True)
def _informativeness(information, entropy, k):
    return (k * information / entropy - 1) / (k - 1)


@njit(cache=True, nogil=True)
def _linked(neighbors, codes, k):
    linked = np.zeros((k, k), dtype=np.bool_)
    for i in range(len(codes)):
        for j in neighbors[i]:
            linked[codes[i], codes[j]] = True
            linked[codes[j], codes[i]] = True
    return linked


@njit(cache=True, nogil=True)
def _best_pair(alive, length, sizes, weight, right, gains, losses, linked, apart):
    """The pair to merge next, the first of which keeps its code."""
    information = (right[alive] * weight[alive]).sum()
    entropy = (sizes[alive] * weight[alive]).sum()
    left = len(alive) - 1
    tier, best, a, b = -1, -np.inf, -1, -1
    for p in range(left + 1):
        for q in range(p + 1, left + 1):
            x, y = alive[p], alive[q]
            place = 2 if gains[x, y] > 0 else int(linked[x, y])
            if place < tier:
                continue
            value = 1.0
            if left > 1:
                w = length[sizes[x] + sizes[y]]
                told = (right[x] + right[y] + gains[x, y]) * w - losses[x, y]
                told += information - right[x] * weight[x] - right[y] * weight[y]
                whole = entropy - sizes[x] * weight[x] - sizes[y] * weight[y]
                whole += (sizes[x] + sizes[y]) * w
                value = _informativeness(told, whole, left)
            tie = abs(value - best) <= 1e-12
            if place > tier or (apart[x, y] < apart[a, b] if tie else value > best):
                tier, best, a, b = place, value, x, y
    return a, b


@njit(cache=True, nogil=True)
def agglomerate(neighbors, codes, apart, merges, path):
    """Merge once for each row of ``merges``; codes (n,) and apart (k, k) are overwritten.

    Each step merges, of the pairs that are mistaken for each other (or, without any, of those
    that hold neighbours of each other, or else of all), the one that leaves the largest
    informativeness, of equal ones the one with the least ``apart``, which is taken as in single
    linkage. merges[step] holds the pair, the first of which keeps its code; path[step] the
    informativeness before the step, and path[-1] the last.
    """
    n, r = neighbors.shape
    k = apart.shape[0]
    length = np.log(n) - np.log(np.maximum(np.arange(n + 1), 1))
    sizes = np.zeros(k, dtype=np.int64)
    for i in range(n):
        sizes[codes[i]] += 1
    weight = length[sizes]
    alive = np.arange(k)
    linked = _linked(neighbors, codes, k)
    gains = np.zeros((k, k), dtype=np.int64)
    losses = np.zeros((k, k))
    right = np.zeros(k, dtype=np.int64)
    found = np.empty(r, dtype=np.int64)
    votes = np.empty(r, dtype=np.int64)
    for i in range(n):
        if _contribute(neighbors[i], codes[i], 1, codes, weight, gains, losses, found, votes):
            right[codes[i]] += 1
    touched = np.empty(n, dtype=np.bool_)
    for step in range(len(merges)):
        information = (right[alive] * weight[alive]).sum()
        entropy = (sizes[alive] * weight[alive]).sum()
        path[step] = _informativeness(information, entropy, len(alive))
        a, b = _best_pair(alive, length, sizes, weight, right, gains, losses, linked, apart)
        merges[step, 0], merges[step, 1] = a, b
        for i in range(n):
            touched[i] = codes[i] == a or codes[i] == b
            for j in neighbors[i]:
                if codes[j] == a or codes[j] == b:
                    touched[i] = True
            if touched[i] and _contribute(
                neighbors[i], codes[i], -1, codes, weight, gains, losses, found, votes
            ):
                right[codes[i]] -= 1
        sizes[a] += sizes[b]
        weight[a] = length[sizes[a]]
        for i in range(n):
            if codes[i] == b:
                codes[i] = a
        alive = alive[alive != b]
        for c in alive:
            apart[a, c] = apart[c, a] = min(apart[a, c], apart[b, c])
            linked[a, c] = linked[c, a] = linked[a, c] or linked[b, c]
        for i in range(n):
            if touched[i] and _contribute(
                neighbors[i], codes[i], 1, codes, weight, gains, losses, found, votes
            ):
                right[codes[i]] += 1
    if len(alive) > 1:
        information = (right[alive] * weight[alive]).sum()
        path[-1] = _informativeness(information, (sizes[alive] * weight[alive]).sum(), len(alive))
