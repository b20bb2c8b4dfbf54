"""Scores of candidates for one representative, given the two nearest of the others."""

from __future__ import annotations

import numpy as np
from numba import njit

from karat._kernels.distances import direct_tile, roots


@njit(cache=True, nogil=True, error_model="numpy")
def add_scores(tile, rows, first, second, relative, scores):
    """Add each row's score to each column's: the ratio, or nearest less second nearest.

    ``first`` and ``second`` are the distances of a row's object to the nearest two of the other
    representatives; a row whose ``first`` is below 0 is one of them and adds nothing.
    """
    for r in range(rows):
        one, two = first[r], second[r]
        if one < 0.0:
            continue
        row = tile[r]
        if relative:
            for j in range(len(scores)):
                d = row[j]
                near, far = min(one, d), max(one, min(two, d))
                scores[j] += near / far if far > 0.0 else 1.0
        else:
            for j in range(len(scores)):
                d = row[j]
                scores[j] += min(one, d) - max(one, min(two, d))


@njit(cache=True, nogil=True, error_model="numpy")
def candidate_scores(kind, squared, Z, strip, first, second, relative, scores):
    """:func:`add_scores` of all objects Z for the candidates whose coordinates ``strip`` holds."""
    tile = np.empty((32, strip.shape[1]))
    for r0 in range(0, len(Z), 32):
        r1 = min(r0 + 32, len(Z))
        direct_tile(kind, Z, r0, r1, strip, tile)
        if squared:
            roots(tile, r1 - r0)
        add_scores(tile, r1 - r0, first[r0:r1], second[r0:r1], relative, scores)
