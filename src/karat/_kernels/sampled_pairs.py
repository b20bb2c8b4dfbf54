"""Distances of single pairs of rows."""

from __future__ import annotations

import numpy as np
from numba import njit

from karat._kernels.distances import CHEBYSHEV, CITYBLOCK


# features strictly in their order and without fused steps: ties are the same on every machine
@njit(cache=True, nogil=True, error_model="numpy", fastmath=False)
def pair_distances(kind, squared, Z, first, second, out):
    """Distances of the rows ``first[e]`` and ``second[e]`` of Z; roots of sums if ``squared``."""
    for e in range(len(first)):
        x, y = Z[first[e]], Z[second[e]]
        total = 0.0
        if kind == CITYBLOCK:
            for f in range(len(x)):
                total += abs(x[f] - y[f])
        elif kind == CHEBYSHEV:
            for f in range(len(x)):
                total = max(total, abs(x[f] - y[f]))
        else:
            for f in range(len(x)):
                t = x[f] - y[f]
                total += t * t
        out[e] = np.sqrt(total) if squared else total
