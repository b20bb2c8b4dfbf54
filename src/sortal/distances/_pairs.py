"""Distances of single pairs of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sortal.distances._metrics import OfRows
from sortal.distances._tiles import Direct, Distances

if TYPE_CHECKING:
    from sortal.runtime.types import Floats, Ints

#: pairs per copy of rows, and pairs per block of all distances
PAIRS_OF_ROWS, PAIRS_OF_BLOCK = 2**13, 4


def pair_distances(distances: Distances, first: Ints, second: Ints) -> Floats:
    """Exact distances of the objects ``first[e]`` and ``second[e]``."""
    out = np.empty(len(first))
    size = PAIRS_OF_ROWS if isinstance(distances, (OfRows, Direct)) else PAIRS_OF_BLOCK
    for start in range(0, len(out), size):
        i, j = first[start : start + size], second[start : start + size]
        subset = distances.take(np.concatenate([i, j]))
        if isinstance(distances, OfRows):
            values = pair_distances(subset, np.arange(len(i)), np.arange(len(i), 2 * len(i)))
        elif isinstance(subset, Direct):
            values = _distances_of_halves(subset, len(i))
        else:
            values = np.diagonal(subset.block(slice(0, len(i)), slice(len(i), 2 * len(i))))
        out[start : start + size] = values
    return out


def _distances_of_halves(distances: Direct, half: int) -> Floats:
    """Distances from the first half of rows to the second, features summed in order as in tiles."""
    from sortal._kernels.distances import CHEBYSHEV, CITYBLOCK

    differences = np.abs(distances.Z[:half] - distances.Z[half:])
    if distances.kind == CHEBYSHEV:
        return np.asarray(differences.max(axis=1))
    terms = differences if distances.kind == CITYBLOCK else differences**2
    sums = np.zeros(half)
    for feature in terms.T:
        sums += feature
    return np.sqrt(sums) if distances.squared else sums
