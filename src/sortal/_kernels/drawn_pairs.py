"""Sums over drawn pairs by group of pairs, and quantiles of two samples of distances."""

from __future__ import annotations

import numpy as np
from numba import njit

#: limit of cost: bits of a number that one pass of the selection settles
DIGITS = 16


@njit(cache=True, nogil=True)
def add_pairs(distances, first, second, start, by_first, by_second, squares):
    """Add pairs to sums by group; ``start`` is the number of the first pair.

    ``by_first`` and ``by_second`` (G, k) have sums of distances by the cluster of either end.
    """
    groups = len(squares)
    for e in range(len(distances)):
        g = (start + e) % groups
        d = distances[e]
        by_first[g, first[e]] += d
        by_second[g, second[e]] += d
        squares[g] += d * d


@njit(cache=True, nogil=True)
def sum_excess(distances, low, high, below, above):
    """Sums by group of how far distances are below ``low``, and above ``high``."""
    groups = len(below)
    for e in range(len(distances)):
        g = e % groups
        d = distances[e]
        if d < low:
            below[g] += low - d
        if d > high:
            above[g] += d - high


@njit(cache=True, nogil=True)
def weighted_quantile(first, second, weights, target):
    """The least value of two samples up to which their weights add up to ``target``.

    A sample is given as the bits of its numbers (``view(np.int64)``), and has one weight. The bits
    of the quantile are settled from the highest down, sixteen by a pass over the samples, so
    nothing is sorted or copied.
    """
    flip = np.int64(0x7FFFFFFFFFFFFFFF)
    prefix = np.int64(0)
    before_first = before_second = 0
    for level in range(64 // DIGITS):
        shift = 64 - DIGITS * (level + 1)
        counts = np.zeros((2, 2**DIGITS), np.int64)
        for side in range(2):
            bits = first if side == 0 else second
            for e in range(len(bits)):
                b = bits[e]
                if b < 0:  # in the order of the numbers
                    b ^= flip
                if level == 0:
                    counts[side, (b >> shift) + 2 ** (DIGITS - 1)] += 1
                elif b >> (shift + DIGITS) == prefix:
                    counts[side, (b >> shift) & (2**DIGITS - 1)] += 1
        last = -1
        for digit in range(2**DIGITS):
            if counts[0, digit] + counts[1, digit] == 0:
                continue
            last = digit
            n_first, n_second = before_first + counts[0, digit], before_second + counts[1, digit]
            if n_first * weights[0] + n_second * weights[1] >= target:
                break
            before_first, before_second = n_first, n_second
        else:  # rounding only: the largest value
            before_first -= counts[0, last]
            before_second -= counts[1, last]
        # the first digit has the sign
        prefix = np.int64(last - 2 ** (DIGITS - 1)) if level == 0 else (prefix << DIGITS) | last
    return prefix ^ flip if prefix < 0 else prefix
