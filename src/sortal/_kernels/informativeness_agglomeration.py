"""Greedy merging of clusters by leave-one-out nearest-neighbour informativeness."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _votes(row, codes, candidates, votes):
    """Write the distinct codes of a neighbour list, by appearance, with votes; their number."""
    count = 0
    for j in row:
        code = codes[j]
        for a in range(count):
            if candidates[a] == code:
                votes[a] += 1
                break
        else:
            candidates[count] = code
            votes[count] = 1
            count += 1
    return count


@njit(cache=True, nogil=True)
def _winner(votes, count):
    """Position of the most votes, ties to the first."""
    best = 0
    for a in range(1, count):
        if votes[a] > votes[best]:
            best = a
    return best


@njit(cache=True, nogil=True)
def _contribute(row, label, sign, codes, weight, gains, losses, candidates, votes):
    """Add the effect of merging each pair on an object; returns whether it is recognised now.

    gains[a, b] counts objects of a or b that become recognised by the merge; losses[a, b] sums
    the weights of objects of other clusters that are no longer recognised. Only a < b is used.
    """
    count = _votes(row, codes, candidates, votes)
    best = _winner(votes, count)
    mine = -1
    for a in range(count):
        if candidates[a] == label:
            mine = a
    if candidates[best] == label:
        for a in range(count):
            for b in range(a + 1, count):
                if a == mine or b == mine:
                    continue
                together = votes[a] + votes[b]
                # of equal votes the first in the list wins, and a comes before b
                if together > votes[mine] or (together == votes[mine] and a < mine):
                    x, y = min(candidates[a], candidates[b]), max(candidates[a], candidates[b])
                    losses[x, y] += sign * weight[label]
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
            gains[min(label, candidates[b]), max(label, candidates[b])] += sign
    return False


@njit(cache=True, nogil=True)
def _informativeness(information, entropy, k):
    """Informativeness of k clusters."""
    return (k * information / entropy - 1) / (k - 1)


@njit(cache=True, nogil=True)
def _linked(neighbors, codes, k):
    """Whether each two clusters have neighbours of each other."""
    linked = np.zeros((k, k), dtype=np.bool_)
    for i in range(len(codes)):
        for j in neighbors[i]:
            linked[codes[i], codes[j]] = True
            linked[codes[j], codes[i]] = True
    return linked


@njit(cache=True, nogil=True)
def _best_pair(alive, length, sizes, weight, n_right, gains, losses, linked, distances):
    """Pair to merge next; the first keeps its code."""
    information = (n_right[alive] * weight[alive]).sum()
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
                joint_information = (n_right[x] + n_right[y] + gains[x, y]) * w - losses[x, y]
                joint_information += information - n_right[x] * weight[x] - n_right[y] * weight[y]
                joint_entropy = entropy - sizes[x] * weight[x] - sizes[y] * weight[y]
                joint_entropy += (sizes[x] + sizes[y]) * w
                value = _informativeness(joint_information, joint_entropy, left)
            tie = abs(value - best) <= 1e-12
            if place > tier or (distances[x, y] < distances[a, b] if tie else value > best):
                tier, best, a, b = place, value, x, y
    return a, b


@njit(cache=True, nogil=True)
def agglomerate(neighbors, codes, distances, merges, path):
    """Merge once for each row of ``merges``; codes (n,) and distances (k, k) are overwritten.

    Candidates are pairs that are mistaken for each other. Without any, they are pairs with
    neighbouring objects, otherwise all pairs. The merge leaves the largest informativeness. Ties go
    to the least distance, which is updated as in single linkage. merges[step] is the pair; its
    first cluster keeps its code. path[step] is the informativeness before the step, path[-1] the
    last.
    """
    n, r = neighbors.shape
    k = distances.shape[0]
    length = np.log(n) - np.log(np.maximum(np.arange(n + 1), 1))
    sizes = np.zeros(k, dtype=np.int64)
    for i in range(n):
        sizes[codes[i]] += 1
    weight = length[sizes]
    alive = np.arange(k)
    linked = _linked(neighbors, codes, k)
    gains = np.zeros((k, k), dtype=np.int64)
    losses = np.zeros((k, k))
    n_right = np.zeros(k, dtype=np.int64)
    candidates = np.empty(r, dtype=np.int64)
    votes = np.empty(r, dtype=np.int64)
    for i in range(n):
        if _contribute(neighbors[i], codes[i], 1, codes, weight, gains, losses, candidates, votes):
            n_right[codes[i]] += 1
    touched = np.empty(n, dtype=np.bool_)
    for step in range(len(merges)):
        information = (n_right[alive] * weight[alive]).sum()
        entropy = (sizes[alive] * weight[alive]).sum()
        path[step] = _informativeness(information, entropy, len(alive))
        a, b = _best_pair(alive, length, sizes, weight, n_right, gains, losses, linked, distances)
        merges[step, 0], merges[step, 1] = a, b
        for i in range(n):
            touched[i] = codes[i] == a or codes[i] == b
            for j in neighbors[i]:
                if codes[j] == a or codes[j] == b:
                    touched[i] = True
            if touched[i] and _contribute(
                neighbors[i], codes[i], -1, codes, weight, gains, losses, candidates, votes
            ):
                n_right[codes[i]] -= 1
        sizes[a] += sizes[b]
        weight[a] = length[sizes[a]]
        for i in range(n):
            if codes[i] == b:
                codes[i] = a
        alive = alive[alive != b]
        for c in alive:
            distances[a, c] = distances[c, a] = min(distances[a, c], distances[b, c])
            linked[a, c] = linked[c, a] = linked[a, c] or linked[b, c]
        for i in range(n):
            if touched[i] and _contribute(
                neighbors[i], codes[i], 1, codes, weight, gains, losses, candidates, votes
            ):
                n_right[codes[i]] += 1
    if len(alive) > 1:
        information = (n_right[alive] * weight[alive]).sum()
        path[-1] = _informativeness(information, (sizes[alive] * weight[alive]).sum(), len(alive))
