"""Shuffled labels, batches."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import naive_external as naive
import sortal
from sortal import ContingencyTable, InputError, UndefinedMeasureError, measures
from sortal.measures import catalogue

TRUE = [0, 0, 0, 1, 1, 1, 2, 2]
PRED = [0, 0, 1, 1, 1, 1, 2, 0]


def test_permutation_test_equals_all_permutations():
    value = naive.adjusted_rand_index(TRUE, PRED)
    all_values = [naive.adjusted_rand_index(TRUE, p) for p in itertools.islice(
        itertools.permutations(PRED), None)][:: 7]  # fmt: skip
    exact = np.mean([v >= value - 1e-12 for v in all_values])
    result = sortal.permutation_test(
        "adjusted_rand_index", TRUE, PRED, n_permutations=4000, random_state=0
    )
    assert_allclose(result.p_value, exact, atol=0.02)
    assert_allclose(result.mean, 0, atol=4 * result.standard_deviation / math.sqrt(4000))


def test_permutation_direction():
    kwargs = {"n_permutations": 300, "random_state": 0}
    good = sortal.permutation_test("purity", TRUE * 5, PRED * 5, **kwargs)
    same = sortal.permutation_test("variation_of_information", TRUE * 5, PRED * 5, **kwargs)
    assert good.p_value < 0.02
    assert same.p_value < 0.02
    bad = sortal.permutation_test("hamming_distance", [0, 1] * 20, [0, 0, 1, 1] * 10, **kwargs)
    assert bad.p_value > 0.5


@pytest.mark.parametrize(
    ("draws", "error"), [(60, 0.12), pytest.param(200, 0.08, marks=pytest.mark.long)]
)
def test_p_values_are_uniform_under_chance(draws, error):
    rng = np.random.default_rng(0)
    ps = []
    for _ in range(draws):
        true, pred = rng.integers(0, 4, 60), rng.integers(0, 3, 60)
        ps.append(
            sortal.permutation_test(
                "mutual_information", true, pred, n_permutations=99, random_state=rng
            ).p_value
        )
    assert abs(np.mean(ps) - 0.5) < error
    assert np.mean(np.array(ps) <= 0.05) <= 0.05 + error / 2


def test_chance_corrected_rand_is_the_adjusted_one():
    result = sortal.chance_corrected("rand_index", TRUE * 4, PRED * 4, random_state=0)
    exact = sortal.adjusted_rand_index(TRUE * 4, PRED * 4)
    assert abs(result.value - exact) < 4 * result.standard_error
    # mutual information has the greater entropy as its optimum in AMI
    table = ContingencyTable(TRUE * 4, PRED * 4)
    h = sortal.mutual_information(TRUE, TRUE), sortal.mutual_information(PRED, PRED)
    result = sortal.chance_corrected("mutual_information", table, optimum=max(h), random_state=0)
    assert abs(result.value - sortal.adjusted_mutual_information(table)) < 4 * result.standard_error
    with pytest.raises(InputError, match="optimum="):
        sortal.chance_corrected("mutual_information", table)


def test_chance_corrected_of_a_distance():
    result = sortal.chance_corrected("hamming_distance", TRUE * 4, PRED * 4, random_state=0)
    same = sortal.chance_corrected("matching_accuracy", TRUE * 4, PRED * 4, random_state=0)
    assert_allclose(result.value, same.value)
    assert 0 < result.value < result.uncorrected + 1


def test_standardized_equals_monte_carlo():
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 6, 300), rng.integers(0, 5, 300)
    shuffles = sortal.permutation_test(
        "mutual_information", true, pred, n_permutations=4000, random_state=1
    )
    z = (shuffles.value - shuffles.mean) / shuffles.standard_deviation
    assert_allclose(sortal.standardized_mutual_information(true, pred), z, atol=0.08)


@pytest.mark.parametrize("name", ["permutation_test", "chance_corrected"])
def test_seeds_and_errors(name):
    function = getattr(sortal, name)
    first = function("purity", TRUE, PRED, random_state=3)
    assert first == function("purity", TRUE, PRED, random_state=3)
    assert first != function("purity", TRUE, PRED, random_state=4)
    assert f"{first.value:.6g}" in str(first)
    with pytest.raises(InputError, match="silhouette"):
        function("silhouette", TRUE, PRED)
    with pytest.raises(InputError, match="did you mean"):
        function("puritty", TRUE, PRED)
    with pytest.raises(InputError, match="n_permutations"):
        function("purity", TRUE, PRED, n_permutations=1)
    with pytest.raises(UndefinedMeasureError, match="counted"):
        function("purity", ContingencyTable([0, 1], [0, 1], sample_weight=[1, 2.5]))


def test_callables():
    result = sortal.permutation_test(lambda table: float(table.counts.max()), TRUE, PRED,
                                    random_state=0)  # fmt: skip
    assert result.value == 3


@pytest.mark.parametrize("key", [m.key for m in catalogue.select(kind="external")])
def test_compare_labelings(key):
    rng = np.random.default_rng(0)
    labelings = {f"l{k}": rng.integers(0, k, 50) for k in (1, 2, 5, 9)}
    labelings["text"] = np.array(list("abcde"))[rng.integers(0, 5, 50)]
    frame = measures.compare_labelings(labelings, key)
    assert list(frame.index) == list(frame.columns) == list(labelings)
    for one, two in itertools.product(labelings, repeat=2):
        expected = catalogue[key].function(labelings[one], labelings[two])
        assert_allclose(frame.loc[one, two], expected, atol=1e-12)


def test_compare_labelings_with_outliers():
    labelings = {"a": [0, 0, 1, -1], "b": [0, 1, -1, 1], "c": [-1, -1, -1, 2]}
    frame = sortal.compare_labelings(labelings, "purity", noise="drop")
    assert frame.loc["a", "b"] == sortal.purity([0, 0], [0, 1])
    assert np.isnan(frame.loc["a", "c"])
    with pytest.raises(InputError, match="external"):
        sortal.compare_labelings(labelings, "silhouette", noise="drop")


def test_evaluate_judges_by_what_is_known():
    rng = np.random.default_rng(2)
    labels = {f"k{k}": rng.integers(0, k, 80) for k in (2, 4, 6)}
    truth = rng.integers(0, 3, 80).astype(object)
    truth[:20] = None
    scores = sortal.evaluate(None, labels, y=truth)
    for key in scores.table.columns:
        for name, pred in labels.items():
            expected = catalogue[key].function(truth[20:], pred[20:])
            assert_allclose(scores.table.loc[name, key], expected, atol=1e-12)


def test_evaluate_says_why():
    scores = sortal.evaluate(
        None, {"a": [-1, -1, 0, 1]}, y=[0, 1, None, None], measures=["purity"], noise="drop"
    )
    assert np.isnan(scores.table.loc["a", "purity"])
    assert "outlier" in scores.reasons["a"]["purity"]


def test_frames_are_labelings():
    frame = pd.DataFrame({"x": [0, 0, 1], "y": [0, 1, 1]})
    assert measures.compare_labelings(frame).loc["x", "x"] == 1


def test_integer_truth_that_is_not_known_everywhere():
    rng = np.random.default_rng(0)
    labels, truth = rng.integers(0, 4, 200), rng.integers(-1, 5, 200)
    weights = rng.integers(0, 3, 200)
    some = np.where(truth == -1, None, truth.astype(object))
    for options in ({}, {"sample_weight": weights}):
        one, two = (sortal.evaluate(None, labels, y=t, **options) for t in (truth, some))
        pd.testing.assert_frame_equal(one.table, two.table)
    with pytest.raises(InputError, match="class of no object"):
        sortal.evaluate(None, labels, y=np.full(200, -1))
    with pytest.raises(InputError, match="3 labels"):
        sortal.evaluate(None, labels, y=np.array([0, 1, 2]))


def test_labels_of_too_many_objects_are_not_shuffled():
    table = ContingencyTable.from_counts([[2**31, 5], [7, 2**31]])
    with pytest.raises(UndefinedMeasureError, match="2,147,483,648 at most"):
        sortal.permutation_test("rand_index", table)


@pytest.mark.parametrize("counts", [[[3, 4, 5]], [[3], [4]]])
def test_one_cluster_shuffled_is_itself(counts):
    table = ContingencyTable.from_counts(counts)
    found = sortal.permutation_test("purity", table, n_permutations=9)
    assert (found.mean, found.standard_deviation) == (found.value, 0)
