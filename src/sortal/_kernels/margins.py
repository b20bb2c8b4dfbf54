"""Scores of candidates for one representative, from the two nearest other representatives."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def add_scores(tile, first, second, relative, scores):
    """Add each row's margin to each candidate: ratio or difference of the two least distances.

    ``first`` and ``second`` are the distances of a row's object to the two nearest of the other
    representatives. A negative ``first`` marks a representative, which adds nothing.
    """
    for r in range(len(tile)):
        first_distance, second_distance = first[r], second[r]
        if first_distance < 0.0:
            continue
        for j in range(len(scores)):
            d = tile[r, j]
            near, far = min(first_distance, d), max(first_distance, min(second_distance, d))
            if relative:
                scores[j] += near / far if far > 0.0 else 1.0
            else:
                scores[j] += near - far
