"""Agglomeration under the criterion functions of Zhao and Karypis."""

from __future__ import annotations

import numpy as np
from numba import njit

I1, I2, E1 = 0, 1, 2


@njit(cache=True, nogil=True)
def _gain(criterion, n_a, q_a, e_a, n_b, q_b, e_b, dot):
    """Gain of the criterion by merging a and b; E1 is minimised and counts negative.

    n sizes, q sums of the similarities within, e sums of those with all objects.
    """
    q = q_a + q_b + 2 * dot
    if criterion == I1:
        return q / (n_a + n_b) - q_a / n_a - q_b / n_b
    a, b, ab = np.sqrt(q_a), np.sqrt(q_b), np.sqrt(max(q, 0.0))
    if criterion == I2:
        return ab - a - b
    totals = (n_a + n_b) * (e_a + e_b) / ab if ab > 0 else 0.0
    part_a = n_a * e_a / a if a > 0 else 0.0
    part_b = n_b * e_b / b if b > 0 else 0.0
    return part_a + part_b - totals


@njit(cache=True, nogil=True)
def _best_partner(criterion, t, alive, sizes, squares, totals, dots):
    """Best merge partner of cluster t, with the gain."""
    best, partner = -np.inf, -1
    for s in range(len(alive)):
        if alive[s] and s != t:
            gain = _gain(
                criterion,
                sizes[t],
                squares[t],
                totals[t],
                sizes[s],
                squares[s],
                totals[s],
                dots[t, s],
            )
            if gain > best:
                best, partner = gain, s
    return best, partner


@njit(cache=True, nogil=True)
def agglomerate(dots, criterion, merges):
    """Fill ``merges`` (n-1, 2) with the slots joined at each step; the first keeps the cluster.

    ``dots`` holds the similarities of the objects (inner products, in the papers) and is
    overwritten with their sums between clusters.
    """
    n = dots.shape[0]
    sizes = np.ones(n)
    squares = np.diag(dots).copy()
    totals = dots.sum(axis=1)
    alive = np.ones(n, dtype=np.bool_)
    best = np.empty(n)
    partner = np.empty(n, dtype=np.int64)
    for t in range(n):
        best[t], partner[t] = _best_partner(criterion, t, alive, sizes, squares, totals, dots)
    for step in range(n - 1):
        a = -1
        for t in range(n):
            if alive[t] and (a < 0 or best[t] > best[a]):
                a = t
        b = partner[a]
        if b < a:
            a, b = b, a
        merges[step, 0], merges[step, 1] = a, b
        alive[b] = False
        squares[a] += squares[b] + 2 * dots[a, b]
        sizes[a] += sizes[b]
        totals[a] += totals[b]
        for t in range(n):
            dots[a, t] += dots[b, t]
            dots[t, a] = dots[a, t]
        for t in range(n):
            if not alive[t] or t == a:
                continue
            if partner[t] == a or partner[t] == b:
                best[t], partner[t] = _best_partner(
                    criterion, t, alive, sizes, squares, totals, dots
                )
            else:
                gain = _gain(
                    criterion,
                    sizes[t],
                    squares[t],
                    totals[t],
                    sizes[a],
                    squares[a],
                    totals[a],
                    dots[t, a],
                )
                if gain > best[t]:
                    best[t], partner[t] = gain, a
        best[a], partner[a] = _best_partner(criterion, a, alive, sizes, squares, totals, dots)
