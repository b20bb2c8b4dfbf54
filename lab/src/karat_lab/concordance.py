"""Concordant less discordant pairs between and within groups."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def concordance(x, y, agree, moved_x, moved_y):
    """Fill three (S, S) matrices from x and y of S groups of M objects, shape (S, M).

    Entry (s, t) sums sign(Δx)·sign(Δy), |sign(Δx)| and |sign(Δy)| over the pairs of an object of
    s with one of t. Pairs with a NaN in x do not count; y has none.
    """
    S, M = x.shape
    for s in range(S):
        for t in range(s + 1):
            a = b = c = 0
            for i in range(M):
                xi, yi = x[s, i], y[s, i]
                if np.isnan(xi):
                    continue
                for j in range(M):
                    xj, yj = x[t, j], y[t, j]
                    dx = int(xi > xj) - int(xi < xj)
                    dy = int(yi > yj) - int(yi < yj)
                    a += dx * dy
                    b += dx * dx
                    c += dy * dy * int(xj == xj)
            agree[s, t] = agree[t, s] = a
            moved_x[s, t] = moved_x[t, s] = b
            moved_y[s, t] = moved_y[t, s] = c
