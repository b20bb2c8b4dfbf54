"""Pairs of objects with graded memberships."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _top_two(U):
    """Largest and second largest membership of each object, and the cluster of the largest."""
    n, k = U.shape
    first = np.zeros(n)
    second = np.zeros(n)
    where = np.zeros(n, np.int64)
    for i in range(n):
        for c in range(k):
            u = U[i, c]
            if u > first[i]:
                second[i] = first[i]
                first[i] = u
                where[i] = c
            elif u > second[i]:
                second[i] = u
    return first, second, where


@njit(cache=True, nogil=True, inline="always")
def _norm(x, y, product):
    """The t-norm of two degrees: their product or minimum."""
    return x * y if product else min(x, y)


@njit(cache=True, nogil=True, inline="always")
def _bonds(U, first, second, where, i, j, product):
    """Degrees to which i and j are together and apart: the best t-norms over clusters."""
    together = 0.0
    for c in range(U.shape[1]):
        together = max(together, _norm(U[i, c], U[j, c], product))
    if where[i] != where[j]:
        apart = _norm(first[i], first[j], product)
    else:
        apart = max(_norm(first[i], second[j], product), _norm(second[i], first[j], product))
    return together, apart


@njit(cache=True, nogil=True)
def fuzzy_pairs(U, V, product, start, stop):
    """Sums of together/apart t-norms over pairs i < j with ``start <= i < stop``."""
    sums = np.zeros(4)
    u1, u2, uw = _top_two(U)
    v1, v2, vw = _top_two(V)
    for i in range(start, stop):
        for j in range(i + 1, U.shape[0]):
            ut, ua = _bonds(U, u1, u2, uw, i, j, product)
            vt, va = _bonds(V, v1, v2, vw, i, j, product)
            sums[0] += _norm(ut, vt, product)
            sums[1] += _norm(ua, vt, product)
            sums[2] += _norm(ut, va, product)
            sums[3] += _norm(ua, va, product)
    return sums
