"""Sums of objects that are drawn with replacement."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def sums_of_draws(uniform, values, counts, out):
    """Add to ``out[r, s]`` rows of ``values``: from the c of a stratum s, c − 1 at random.

    The rows come stratum after stratum. ``uniform`` (replicates, n) are numbers from 0 to 1; the
    first of each stratum is not looked at.
    """
    for r in range(len(uniform)):
        start = 0
        for s in range(len(counts)):
            total = np.zeros(values.shape[1])
            for i in range(start + 1, start + counts[s]):
                pick = start + int(uniform[r, i] * counts[s])
                for column in range(len(total)):
                    total[column] += values[pick, column]
            out[r, s] += total
            start += counts[s]
