"""Every measure that is computed by default has a naive oracle, and equals it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import naive_clarity
import naive_external
import naive_internal
import sortal
from sortal import InputError
from sortal.measures import catalogue

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
        "r_squared": 1 - squares / ((X - X.mean(axis=0)) ** 2).sum(),
        "xie_beni_index": squares / 30 / separations["centroid"] ** 2,
        "informativeness": naive_clarity.informativeness(LABELS, predicted),
        "informativeness_ari": naive_external.adjusted_rand_index(predicted, LABELS),
        "informativeness_eq": naive_external.entropy_quality(predicted, LABELS),
        "informativeness_f1": naive_external.f_quality(predicted, LABELS),
        "informativeness_pq": naive_external.purity(predicted, LABELS),
    }


INTERNAL = internal()


# those of graphs have theirs in test_communities.py
@pytest.mark.parametrize(
    "key", [m.key for m in catalogue.values() if m.default and m.takes != "graph"]
)
def test_a_default_measure_equals_its_oracle(key):
    measure = catalogue[key]
    if measure.kind == "internal":
        assert key in INTERNAL, naive_internal.MISSING.format(key)
        assert measure.function(X, LABELS) == pytest.approx(INTERNAL[key], rel=1e-9)
        return
    if key in naive_external.OWN_TEST:
        source = (Path(__file__).parent / "test_external_more.py").read_text()
        assert f"def {naive_external.OWN_TEST[key]}(" in source
        assert key in source
        return
    oracle = getattr(naive_external, key, None)
    assert oracle is not None, naive_external.MISSING.format(key)
    if key not in ("adjusted_mutual_information", "standardized_mutual_information"):
        assert measure.function(TRUTH, LABELS) == pytest.approx(oracle(TRUTH, LABELS), abs=1e-12)


@pytest.mark.parametrize("key", [m.key for m in catalogue.select(kind="external")])
def test_external_functions_take_weights_as_evaluate_does(key):
    weights = RNG.integers(1, 4, 30)
    function = catalogue[key].function
    found = function(TRUTH, LABELS, sample_weight=weights)
    repeated = np.repeat(TRUTH, weights), np.repeat(LABELS, weights)
    assert found == pytest.approx(function(*repeated), rel=1e-12)
    scores = sortal.evaluate(None, LABELS, y=TRUTH, sample_weight=weights, measures=[key])
    assert found == pytest.approx(scores[key]["0"], rel=1e-12)
    with pytest.raises(InputError, match="omit sample_weight"):
        function(sortal.ContingencyTable(TRUTH, LABELS), sample_weight=weights)


def test_weights_are_not_ignored_where_they_have_no_meaning():
    overlapping = sortal.labelings.OverlappingPartition([[True, True], [True, False]])
    for function in (sortal.bcubed_f_measure, sortal.element_centric_similarity):
        with pytest.raises(InputError, match="no sample_weight"):
            function(overlapping, overlapping, sample_weight=[1, 2])
    soft = sortal.labelings.SoftPartition([[0.5, 0.5], [1.0, 0.0]])
    with pytest.raises(InputError, match="no sample_weight"):
        sortal.rand_index(soft, [0, 1], sample_weight=[1, 2])
