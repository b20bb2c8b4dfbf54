"""Parts of the learned judge: evidence of odd data, places, shares, trees, few labels and pairs."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import numpy as np
from pinning import Pins
from scipy import sparse
from scipy.spatial.distance import pdist

from sortal.judge import evidence, features, gather, judgements, likelihood, load_judge
from sortal.labelings.pairs import as_constraints


def names() -> dict[str, Any]:
    """Data with four groups, wide ones, counts, and ones with repeated values."""
    rng = np.random.default_rng(0)
    four = np.arange(72) % 4
    X = rng.normal(size=(72, 3)) + 5.0 * rng.normal(size=(4, 3))[four]
    wide = rng.normal(size=(50, 40)) + 3.0 * rng.normal(size=(3, 40))[np.arange(50) % 3]
    long = rng.normal(size=(70, 34)) * np.linspace(5, 1, 34)
    whole = rng.integers(0, 4, (72, 5)).astype(float)
    copies = np.repeat(X[:24], 3, axis=0)
    counts = sparse.csr_matrix(rng.poisson(0.6, (60, 12)) + np.eye(60, 12, dtype=int))
    out = np.where(np.arange(72) % 9 == 4, -1, four)
    codes = np.array([four, four // 2, out, np.arange(72) % 5, np.arange(72) // 24,
                      (np.arange(72) == 3)], dtype=np.int32)  # fmt: skip

    def seen(X: Any, codes: Any = codes, fits: bool = False) -> Any:
        """Everything that is known of partitions of some points."""
        view = evidence.look_at(X)
        own = evidence.own_evidence(view, codes)
        likely = likelihood.likelihood_evidence(view.axes, codes)
        numbers = codes.max(axis=1).astype(np.int64) + 1
        of_fits = {
            "stable": evidence.stability_evidence(view, codes, numbers),
            "null": evidence.null_evidence(view, numbers, own, likely).mean(axis=0),
        }
        return {
            "own": own, "likely": likely, "data": evidence.data_evidence(X, view),
            "columns": evidence.column_evidence(evidence.column_intervals(X), codes),
            "shape": [view.wide.shape, view.near.shape, view.edges.shape, view.place.mean()],
        } | (of_fits if fits else {})  # fmt: skip

    def all_of(X: Any, metric: Any = "euclidean") -> Any:
        """What a judge says of the partitions of some data."""
        found = gather(X, codes[:, : X.shape[0]], metric=metric)
        said = load_judge()(found)
        columns = features.columns(found)
        return said.predicted, said.score, said.probability, said.prior, said.near_best, [
            float(np.mean(columns[name])) for name in sorted(columns)
        ]  # fmt: skip

    def apart(X: Any, metric: Any = "euclidean") -> Any:
        """Shape and distances of the points of some data."""
        points = evidence.as_points(X, metric)
        return points.shape, points.dtype.str, np.abs(pdist(points)[::37])

    sizes = evidence.size_evidence(codes)
    judge = load_judge()
    forest = judgements.Forest(
        np.array([0, 3], dtype=np.int32), np.array([0, -1, -1, 1, -1, 0, -1, -1], dtype=np.int16),
        np.array([0.5, 0, 0, 2.0, 0, -1.0, 0, 0], dtype=np.float32),
        np.array([1, 0, 0, 4, 0, 6, 0, 0], dtype=np.int32),
        np.array([0.3, 0.1, 0.6, 0.2, 0.0, 0.5, 0.4, 0.7], dtype=np.float32),
    )  # fmt: skip
    F = np.array([[0.5, 2.0], [0.6, 2.1], [-1.0, 3.0], [-0.5, 0.0]])
    known = as_constraints(
        [(0, 4, "must"), (0, 1, "cannot"), (1, 2, "must"), (8, 4, "must"), (0, 8, "must")], 72
    )

    def broken(**changed: Any) -> Any:
        """A judge's file with other arrays."""
        file = io.BytesIO()
        arrays = {k: v for k, v in (judge.arrays() | changed).items() if v is not None}
        np.savez(file, **arrays)
        file.seek(0)
        return load_judge(file)

    def stopped() -> Any:
        """An error that ends what is not looked at."""
        raise ValueError("seen")

    return locals() | {"as_constraints": as_constraints, "SimpleNamespace": SimpleNamespace}


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
