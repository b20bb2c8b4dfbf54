"""The density at each object, and what of it comes from other clusters (Hennig 2019)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from karat.distances import Distances
from karat.labelings.partitions import Labelings
from karat.measures.passes.over_pairs import OverPairs
from karat.measures.passes.ranks import by_kept, order_statistics
from karat.measures.passes.trees import coordinates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SHARE = 0.1
BLOCK_ROWS = 256


def densities(pairs: OverPairs, labelings: Labelings) -> tuple[list[Floats], Floats]:
    """For each clustering densities (2, n) over the largest, and the kernel's radius.

    The first row is the density, the second what other clusters add to it, both NaN for objects
    that are excluded. The radius is the quantile of all distances, and 0 where there is none.
    """
    M, n = labelings.codes.shape
    found = [np.full((2, n), np.nan) for _ in range(M)]
    radii = np.zeros(M)
    for kept, which in by_kept(labelings):
        some = pairs.take(kept)
        radius = quantile(some, SHARE)
        if radius == 0:
            continue
        codes = np.ascontiguousarray(labelings.codes[which][:, kept])
        everywhere, others = _weights(some, radius, codes)
        for m, other in zip(which, others, strict=True):
            found[m][:, kept] = np.stack([everywhere, other]) / everywhere.max()
            radii[m] = radius
    return found, radii


def _weights(pairs: OverPairs, radius: float, codes: NDArray[np.int32]) -> tuple[Floats, Floats]:
    starts = range(0, pairs.n, BLOCK_ROWS)
    everywhere, others = zip(*pairs.map(_weights_of, starts, radius, codes), strict=True)
    return np.concatenate(everywhere), np.concatenate(others, axis=1)


def _weights_of(
    distances: Distances, radius: float, codes: NDArray[np.int32], start: int
) -> tuple[Floats, Floats]:
    from karat._kernels import densities as kernels

    n = distances.n
    stop = min(start + BLOCK_ROWS, n)
    everywhere, others = np.zeros(n), np.zeros(codes.shape)
    if (given := coordinates(distances)) is not None:
        kind, Z = given
        kernels.densities(
            kind, distances.squared, Z, radius, codes, start, stop, everywhere, others
        )
    else:
        for i, row in enumerate(distances.block(slice(start, stop), slice(0, n)), start):
            kernels.near_weights(row, radius, codes, i, everywhere, others)
    return everywhere[start:stop], others[:, start:stop].copy()


def quantile(pairs: OverPairs, share: float) -> float:
    """That of all pair distances, linear between two of them."""
    number = pairs.n * (pairs.n - 1) // 2
    at = share * (number - 1)
    low = math.floor(at)
    values = order_statistics(pairs, [low + 1, min(low + 2, number)])
    return values[0] + (at - low) * (values[-1] - values[0])
