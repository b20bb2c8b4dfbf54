"""Every measure that is computed by default has a naive oracle, and equals it."""

from __future__ import annotations

import numpy as np
import pytest

import naive_clarity
import naive_external
import naive_internal
from karat.measures import catalogue

RNG = np.random.default_rng(0)
X, LABELS = RNG.normal(size=(30, 3)), RNG.integers(0, 3, 30).tolist()
TRUTH = RNG.integers(0, 4, 30).tolist()


def internal() -> dict[str, float]:
    D = naive_internal.matrix(X)
    predicted = naive_clarity.nearest_vote(naive_clarity.distances(X), LABELS, 5)
    separations = naive_internal.separations(X, D, LABELS)
    squares = sum(
        ((X[i] - X[[LABELS[j] == LABELS[i] for j in range(30)]].mean(axis=0)) ** 2).sum()
        for i in range(30)
    )
    return {
        **naive_internal.of_distances(D, LABELS),
        **naive_internal.of_centroids(X, LABELS),
        "generalized_dunn_index_12": separations["single"]
        / naive_internal.diameters(X, D, LABELS)["average"],
        "xie_beni_index": squares / 30 / separations["centroid"] ** 2,
        "informativeness": naive_clarity.informativeness(LABELS, predicted),
        "informativeness_ari": naive_external.adjusted_rand_index(predicted, LABELS),
        "informativeness_eq": naive_external.entropy_quality(predicted, LABELS),
        "informativeness_f1": naive_external.f_quality(predicted, LABELS),
        "informativeness_pq": naive_external.purity(predicted, LABELS),
    }


INTERNAL = internal()


@pytest.mark.parametrize("key", [m.key for m in catalogue.values() if m.default])
def test_a_default_measure_equals_its_oracle(key):
    measure = catalogue[key]
    if measure.kind == "internal":
        assert key in INTERNAL, f"{key} has no naive oracle"
        assert measure.function(X, LABELS) == pytest.approx(INTERNAL[key], rel=1e-9)
        return
    oracle = getattr(naive_external, key, None)
    assert oracle is not None, f"{key} has no naive oracle"
    if key not in ("adjusted_mutual_information", "standardized_mutual_information"):
        assert measure.function(TRUTH, LABELS) == pytest.approx(oracle(TRUTH, LABELS), abs=1e-12)
