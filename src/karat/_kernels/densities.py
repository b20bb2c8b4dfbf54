"""Densities of objects by a kernel that falls to 0 at a radius."""

from __future__ import annotations

import numpy as np
from numba import njit

from karat._kernels.distances import direct_tile


@njit(cache=True, nogil=True)
def near_weights(row, radius, codes, i, everywhere, others):
    """Add 1 − d/radius for each distance of object i below the radius.

    ``everywhere[i]`` gets all of them, ``others[m, i]`` those of objects that have another code
    in row m of ``codes``.
    """
    for j in range(len(row)):
        if row[j] < radius:
            weight = 1.0 - row[j] / radius
            everywhere[i] += weight
            for m in range(len(codes)):
                if codes[m, j] != codes[m, i]:
                    others[m, i] += weight


@njit(cache=True, nogil=True, error_model="numpy")
def densities(kind, squared, Z, radius, codes, first, last, everywhere, others):
    """As :func:`near_weights` for the objects first..last, from coordinates."""
    strip = np.ascontiguousarray(Z.T)
    tile = np.empty((1, len(Z)))
    row = tile[0]
    for i in range(first, last):
        direct_tile(kind, Z, i, i + 1, strip, tile)
        row[i] = 0.0
        if squared:
            for j in range(len(row)):
                row[j] = np.sqrt(row[j])
        near_weights(row, radius, codes, i, everywhere, others)
