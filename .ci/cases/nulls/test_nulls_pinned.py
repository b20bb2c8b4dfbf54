"""What null references and the search for valleys give for small inputs, so that none changes unseen.
Clusters are given, or so far apart that k-means ends in the same ones on every processor.
"""

from __future__ import annotations

from functools import cache
from typing import Any
from unittest import mock

import numpy as np
from pinning import Pins
from scipy import sparse

import sortal
from sortal.nulls import coordinates, gaps, references, structure, valleys
from sortal.nulls.structure import Structure


class Drawn:
    """Random numbers that are none: the middle of each range."""

    def uniform(self, low: Any, high: Any, size: Any = None) -> Any:
        return np.broadcast_to(
            (np.asarray(low) + 0.75 * (high - np.asarray(low))), size or np.shape(high)
        )

    def integers(self, high: int, size: Any = None) -> Any:
        return np.zeros(size, dtype=int) if size else 0


def searched(evidence: list[float], groups: list[int], X: Any, metric: Any = "euclidean") -> Any:
    """What is said of a search that finds this evidence, and how many numbers each one tries."""
    tried: list[tuple[int, int]] = []

    def find(Z: Any, rng: Any, numbers: Any, settings: Any) -> Any:
        tried.append((len(Z), len(numbers)))
        given = [
            (sortal.nulls.valleys.NUMBERS_OF_CLUSTERS.index(k)) % len(evidence) for k in numbers
        ]
        spread = rng.choice([0.98, 1.02], size=len(given))
        return np.array(evidence)[given] * spread, np.array(groups)[given]

    with mock.patch.object(structure, "find_valleys", find):
        found = structure.structure_of(X, metric, np.random.default_rng(0))
    return found, np.unique(tried, axis=0, return_counts=True)


@cache
def names() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    y = np.arange(240) % 3
    far = rng.normal(size=(240, 2)) + 30.0 * np.eye(3)[y][:, :2]
    turn = np.linspace(0, 3, 120)
    arc = np.column_stack([9 * np.cos(turn), 9 * np.sin(turn)]) + rng.normal(size=(120, 2)) / 4
    return {
        "np": np, "sparse": sparse, "sortal": sortal, "valleys": valleys, "co": coordinates,
        "references": references, "gaps": gaps, "structure": structure, "Structure": Structure, "rng": np.random.default_rng,
        "far": far, "y": y, "near": far / 9, "line": np.sort(rng.normal(size=(90, 1)), axis=0), "arc": arc, "half": (np.arange(120) > 59),
        "cloud": rng.normal(size=(240, 4)), "Drawn": Drawn, "searched": searched, "counts": sparse.csr_array(rng.poisson(0.5, size=(20, 9)).astype(float)),
        "many": rng.normal(size=(320, 310)) + 3 * rng.normal(size=(320, 1)) * rng.normal(size=310), "grid": rng.integers(0, 4, size=(60, 2)).astype(float),
    }  # fmt: skip


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
