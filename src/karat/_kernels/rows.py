"""Rows that are equal, by hashes of their bits, and rows that are far from their cluster."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _bits(value, itemsize):
    """The bits of a number, the same for both zeros."""
    zero = np.uint64(1) << np.uint64(8 * itemsize - 1)
    wide = np.uint64(value)
    return np.uint64(0) if wide == zero else wide


@njit(cache=True, nogil=True)
def hashes(rows):
    """A 64-bit hash of each row of bits (Steele, Lea & Flood 2014, the mixer of SplitMix)."""
    n, d = rows.shape
    out = np.empty(n, np.uint64)
    for i in range(n):
        h = np.uint64(d)
        for j in range(d):
            h = (h + np.uint64(0x9E3779B97F4A7C15)) ^ _bits(rows[i, j], rows.itemsize)
            h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            h = h ^ (h >> np.uint64(31))
        out[i] = h
    return out


@njit(cache=True, nogil=True)
def equal_rows(rows, keys, order):
    """A number for each row, the same for equal ones; ``order`` sorts by the hashes ``keys``."""
    n, d = rows.shape
    groups = np.empty(n, np.int64)
    group = -1
    for place in range(n):
        i = order[place]
        same = place > 0 and keys[i] == keys[order[place - 1]]
        if same:
            before = order[place - 1]
            for j in range(d):
                if _bits(rows[i, j], rows.itemsize) != _bits(rows[before, j], rows.itemsize):
                    same = False
        if not same:
            group += 1
        groups[i] = group
    return groups


@njit(cache=True, nogil=True, error_model="numpy")
def relative_spreads(X, labels, k, out):
    """Raise ``out`` to each row's squared distance to its cluster's mean over their mean."""
    n, d = X.shape
    means, sizes, squares = np.zeros((k, d)), np.zeros(k), np.zeros(k)
    for i in range(n):
        c = labels[i]
        if c >= 0:
            sizes[c] += 1
            for j in range(d):
                means[c, j] += X[i, j]
    for c in range(k):
        means[c] /= sizes[c]
    apart = np.zeros(n, np.float32)
    for i in range(n):
        c = labels[i]
        if c >= 0:
            total = 0.0
            for j in range(d):
                t = X[i, j] - means[c, j]
                total += t * t
            apart[i] = total
            squares[c] += total
    for i in range(n):
        c = labels[i]
        if c >= 0 and squares[c] > 0:
            out[i] = max(out[i], np.float32(apart[i] / squares[c] * sizes[c]))
