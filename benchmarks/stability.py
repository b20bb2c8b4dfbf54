"""How often estimators of the number of clusters are right on planted and on structureless data.

``python -m benchmarks.stability [seeds] [estimator ...]``: by default 10 seeds and the calibrated
stability; every estimator of ``karat.stability.ESTIMATORS`` can be named.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from karat.stability import n_clusters


def planted(seed: int) -> Iterator[tuple[str, int, Any]]:
    """Kind, number of clusters, data: 25 objects a cluster, centres 6 standard deviations apart."""
    rng = np.random.default_rng(seed)
    for k in (2, 3, 5):
        centers = np.zeros((k, 2))
        centers[:, 0] = 6.0 * np.arange(k)
        yield "in a row", k, np.repeat(centers, 25, axis=0) + rng.normal(size=(25 * k, 2))
    for k, d in ((3, 10), (5, 2)):
        centers = rng.normal(size=(k, d))
        apart = np.linalg.norm(centers[:, None] - centers[None], axis=2)
        centers *= 6.0 / apart[apart > 0].min()
        yield "at random", k, np.repeat(centers, 25, axis=0) + rng.normal(size=(25 * k, d))
    yield "no clusters", 1, rng.uniform(size=(75, 2))
    yield "no clusters", 1, rng.normal(size=(75, 3)) * [3, 1, 1]
    yield "no clusters", 1, rng.exponential(size=(75, 2))


def main() -> None:
    named = sys.argv[1:]
    seeds = int(named.pop(0)) if named and named[0].isdigit() else 10
    estimators = named or ["stability"]
    right: dict[tuple[str, str], list[bool]] = {}
    for seed in range(seeds):
        for kind, k, X in planted(seed):
            found = n_clusters(X, "kmeans", k=range(1, 8), estimators=estimators, random_state=seed)
            for name, answer in found.table["k"].items():
                right.setdefault((kind, str(name)), []).append(answer == k)
    for (kind, name), hits in right.items():
        print(f"{name:20s} {kind:12s} right in {sum(hits)} of {len(hits)}")


if __name__ == "__main__":
    main()
