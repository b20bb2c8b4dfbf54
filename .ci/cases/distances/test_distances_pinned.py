"""Pinned parts of distances: every distance of small data, matrices, graphs, and neighbours."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pinning import Pins, tried
from scipy import sparse

from sortal.distances import (
    METRICS,
    StoredDistances,
    as_distances,
    neighbors,
    object_distances,
    square,
)


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

    # few binary digits: squares and products are exact, ties stay ties
    exact = rng.integers(-8, 9, (12, 3)) / 4
    broad = rng.integers(-2, 3, (14, 20)) / 2

    def near(X: Any, k: int, metric: Any = "euclidean", **numbers: Any) -> Any:
        """Nearest neighbours, with other limits, here and on an executor."""
        with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as pool:
            for key, value in numbers.items():
                patch.setattr(neighbors, key, value)
            here = neighbors.neighbor_lists(X, k, metric=metric)
            there = neighbors.neighbor_lists(X, k, metric=metric, executor=pool)
            assert all(map(np.array_equal, here, there))
            return here

    def spied(n: int, k: int, parts: int) -> Any:
        """Objects of each call of a search, here and on an executor."""
        seen: list[Any] = []
        work = neighbors._lists

        def lists_of(k: int, metric: Any, X: Any, objects: Any) -> Any:
            seen.append(len(objects))
            return work(k, metric, X, objects)

        with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as pool:
            patch.setattr(neighbors, "_lists", lists_of)
            patch.setattr(neighbors, "PASS_PARTS", parts)
            neighbors.neighbor_lists(X[:n], k)
            neighbors.neighbor_lists(X[:n], k, executor=pool)
        return seen

    def faked(objects: Any, metric: str) -> Any:
        """What is made of objects by a distance in place of that of another package."""
        sums = SimpleNamespace(
            cdist_dtw=lambda s: abs(np.subtract.outer(*[[x.sum() for x in s]] * 2)),
            cdist=lambda a, b, scorer, dtype, workers: [len(a), len(b), scorer, workers],
        )
        edits = SimpleNamespace(Levenshtein=SimpleNamespace(distance="Levenshtein"))
        modules = {"tslearn.metrics": sums, "rapidfuzz.process": sums, "rapidfuzz.distance": edits}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sortal.distances._objects.require", lambda *_: None)
            for name, module in {**modules, "tslearn": sums, "rapidfuzz": sums}.items():
                patch.setitem(sys.modules, name, module)
            return tried(object_distances, objects, metric)

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

    shared = {
        "SimpleNamespace": SimpleNamespace,
        "square": square,
        "as_distances": as_distances,
        "sparse": sparse,
    }
    return locals() | shared


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
