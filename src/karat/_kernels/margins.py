"""Scores of candidates for one representative, given the two nearest of the others."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def add_scores(tile, first, second, relative, scores):
    """Add each row's score to each column's: the ratio, or nearest less second nearest.

    ``first`` and ``second`` are the distances of a row's object to the nearest two of the other
    representatives; a row whose ``first`` is below 0 is one of them and adds nothing.
    """
    for r in range(len(tile)):
        one, two = first[r], second[r]
        if one < 0.0:
            continue
        for j in range(len(scores)):
            d = tile[r, j]
            near, far = min(one, d), max(one, min(two, d))
            if relative:
                scores[j] += near / far if far > 0.0 else 1.0
            else:
                scores[j] += near - far
