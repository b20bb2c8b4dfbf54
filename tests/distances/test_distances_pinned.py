"""Pinned parts of distances: every distance of small data, matrices, graphs, and neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from karat.distances import METRICS, StoredDistances, as_distances, neighbors, square
from pinning import PartPins


def names() -> dict[str, Any]:
    """Small dense and sparse data with rows of zeros, copies and ties."""
    rng = np.random.default_rng(0)
    X = rng.random((7, 4)).round(2)
    X[3], X[5] = X[2], 0.0
    whole = rng.integers(0, 3, (40, 3)).astype(float)
    wide = rng.normal(size=(30, 40))
    S = sparse.csr_array(X * (X > 0.4))
    weights = np.array([1.0, 2, 0.5, 1, 3, 1, 1])
    plain = [m for m in METRICS if m not in ("precomputed", "graph", "minkowski:P")]

    def blocks(X: Any, metric: Any, **options: Any) -> Any:
        """Distances of part of the rows, of taken rows, and what they are."""
        try:
            found = as_distances(X, metric, **options)
            taken = found.take(np.array([4, 0, 2])).block(slice(0, 3), slice(0, 3))
            part = found.block(slice(0, 3), slice(1, 6))
            return part, taken, found.n, found.squared, found.symmetric, found.uses_blas
        except ValueError as error:
            return str(error)

    def apart(x: Any, y: Any) -> float:
        """A distance by a function."""
        return float(np.abs(x - y).max())

    def lists(X: Any, k: int, **options: Any) -> Any:
        """Nearest neighbours."""
        return neighbors.neighbor_lists(X, k, **options)

    D = square(X[:, :3], "cityblock")
    calls: list[int] = []

    def counted(x: Any, y: Any) -> float:
        """A distance that counts its calls."""
        calls.append(1)
        return apart(x, y)

    def stored() -> Any:
        """Distances that are stored, and how often the function is called for others."""
        it = StoredDistances(counted, X, square(X, "chebyshev"))
        calls.clear()
        inside = it.between(X[:2], X[2:5]), len(calls)
        outside = it.between(X[:2], X[2:4] + 1), len(calls)
        return inside, outside, it(X[0], X[1]), it.__qualname__

    shared = {"square": square, "as_distances": as_distances, "sparse": sparse}
    return locals() | shared


PINS = PartPins(__file__, names)


@pytest.mark.parametrize("expression", PINS.kept)
def test_the_answer_is_the_pinned_one(expression: str) -> None:
    PINS.check(expression)


if __name__ == "__main__":
    PINS.write([*PINS.kept])
