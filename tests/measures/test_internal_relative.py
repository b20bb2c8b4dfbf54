"""Indices over a sweep, against their definitions and hand-made sweeps."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.datasets import load_iris

import karat
import naive_internal
import naive_peers as naive
from example_counts import examples
from karat.runtime.validation import InputError

X_IRIS, Y_IRIS = load_iris(return_X_y=True)
SLOW = examples(15)


def sweep(X, numbers=range(2, 7)):
    tree = linkage(X, "ward")
    return {f"ward-{k}": fcluster(tree, k, "maxclust") for k in numbers}


def random_data(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(int(rng.integers(15, 30)), int(rng.integers(1, 4))))


@SLOW
@given(st.integers(0, 10**6))
def test_hartigan_and_krzanowski_lai_equal_the_definitions(seed):
    X = random_data(seed)
    n, d = X.shape
    labelings = sweep(X)
    W = {k: naive.within(X, labelings[f"ward-{k}"]) for k in range(2, 7)}
    W[1] = naive.within(X, np.zeros(n, int))
    diff = {k: (k - 1) ** (2 / d) * W[k - 1] - k ** (2 / d) * W[k] for k in range(2, 7)}
    hartigan = karat.hartigan_index(X, labelings)
    krzanowski_lai = karat.krzanowski_lai_index(X, labelings)
    for k in range(2, 6):
        row = f"ward-{k}"
        assert hartigan["hartigan_index"][row] == pytest.approx(
            (W[k] / W[k + 1] - 1) * (n - k - 1), rel=1e-9
        )
        assert krzanowski_lai["krzanowski_lai_index"][row] == pytest.approx(
            abs(diff[k] / diff[k + 1]), rel=1e-6
        )
    for found in (hartigan, krzanowski_lai):
        (key,) = found
        assert list(found.table.index) == list(labelings)
        assert math.isnan(found[key]["ward-6"])
        assert found.reasons == {
            "ward-6": {key: "there is no clustering of 7 clusters to compare with"}
        }


@SLOW
@given(st.integers(0, 10**6), st.sampled_from(["euclidean", "cityblock"]))
def test_sd_and_frey_equal_the_definitions(seed, metric):
    X = random_data(seed)
    labelings = sweep(X)
    spread = [naive.of_spread(X, labels) for labels in labelings.values()]
    expected = [
        spread[-1]["sd_separation"] * s["sd_scattering"] + s["sd_separation"] for s in spread
    ]
    np.testing.assert_allclose(karat.sd_index(X, labelings)["sd_index"], expected, rtol=1e-9)
    D = naive_internal.matrix(X, metric)
    means = [naive.mean_pairs(D, labels) for labels in labelings.values()]
    frey = karat.frey_index(X, labelings, metric=metric)
    for m in range(4):
        (w, b), (next_w, next_b) = means[m : m + 2]
        assert frey["frey_index"].iloc[m] == pytest.approx((next_b - b) / (next_w - w), rel=1e-6)
    assert list(frey.reasons) == ["ward-6"]


@SLOW
@given(st.integers(0, 10**6))
def test_split_statistics_equal_the_definitions(seed):
    from scipy.stats import f

    X = random_data(seed)
    d = X.shape[1]
    labelings = sweep(X, range(1, 6))
    rows = list(labelings)
    found = karat.split_statistics(X, labelings)
    for coarse, fine in itertools.pairwise(rows):
        for c in set(labelings[coarse]):
            members = labelings[coarse] == c
            parts = set(labelings[fine][members])
            if len(parts) == 2:
                break
        Y, part = X[members], labelings[fine][members]
        whole, inner, n = naive.within(Y, np.zeros(len(Y))), naive.within(Y, part), len(Y)
        row = found.table.loc[coarse]
        assert row["duda_hart"] == pytest.approx(inner / whole, rel=1e-9)
        critical = 1 - 2 / (math.pi * d) - 3.2 * math.sqrt(2 * (1 - 8 / (math.pi**2 * d)) / (n * d))
        assert row["duda_hart_critical"] == pytest.approx(critical)
        if inner > 1e-12:
            t2 = (whole - inner) / (inner / (n - 2))
            assert row["pseudo_t2"] == pytest.approx(t2, rel=1e-7)
            beale = ((whole - inner) / inner) / ((n - 1) / (n - 2) * 2 ** (2 / d) - 1)
            assert row["beale"] == pytest.approx(beale, rel=1e-7)
            assert row["beale_p_value"] == pytest.approx(f.sf(beale, d, (n - 2) * d), rel=1e-6)
            # the two critical values are the same test
            below = row["pseudo_t2"] < row["pseudo_t2_critical"]
            assert below == (row["duda_hart"] > critical)
        else:
            assert "coincide" in found.reasons[coarse]["pseudo_t2"]


def test_order_of_the_sweep_and_of_names_does_not_matter():
    labelings = sweep(X_IRIS)
    reverse = dict(reversed(labelings.items()))
    functions = (
        karat.hartigan_index,
        karat.krzanowski_lai_index,
        karat.sd_index,
        karat.frey_index,
        karat.split_statistics,
    )
    for function in functions:
        one, two = (function(X_IRIS, given).table for given in (labelings, reverse))
        np.testing.assert_allclose(two.loc[one.index], one, rtol=1e-12)
        moved = function(X_IRIS + 50, {k: 9 - v for k, v in labelings.items()})
        np.testing.assert_allclose(moved.table, one, rtol=1e-6)


def test_clear_clusters_are_found():
    rng = np.random.default_rng(0)
    centers = np.array([[0, 0], [20, 0], [0, 20], [20, 20.0]])
    X = centers[np.repeat(np.arange(4), 30)] + rng.normal(size=(120, 2))
    labelings = sweep(X, range(1, 9))
    assert karat.krzanowski_lai_index(X, labelings)["krzanowski_lai_index"].idxmax() == "ward-4"
    assert karat.sd_index(X, labelings)["sd_index"].idxmin() == "ward-4"
    hartigan = karat.hartigan_index(X, labelings)
    assert karat.level_differences(hartigan["hartigan_index"], range(1, 9)).idxmax() == "ward-4"
    scores = karat.evaluate(X, labelings, measures=["within_sum_of_squares", "marriott_index"])
    for key in scores:
        second = karat.level_differences(scores[key], range(1, 9), order=2)
        assert second.index[second.argmax()] in ("ward-2", "ward-4")


def test_splits_stop_at_clear_clusters():
    rng = np.random.default_rng(0)
    centers = np.array([[0, 0], [15, 0], [100, 0], [130, 30.0]])
    X = centers[np.repeat(np.arange(4), 30)] + rng.normal(size=(120, 2))
    labelings = sweep(X, range(1, 9))
    split = karat.split_statistics(X, labelings)
    assert (split.table["duda_hart"] > split.table["duda_hart_critical"]).idxmax() == "ward-4"
    assert (split.table["pseudo_t2"] < split.table["pseudo_t2_critical"]).idxmax() == "ward-4"
    assert (split.table["beale_p_value"] >= 0.1).idxmax() == "ward-4"


def test_what_is_not_nested_has_a_reason():
    X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    labelings = {"two": [0, 0, 1, 1, 1], "three": [0, 1, 1, 2, 2]}
    found = karat.split_statistics(X, labelings)
    assert found.table.isna().all(axis=None)
    assert found.reasons["two"]["beale"] == "three does not split one cluster of two"


@pytest.mark.parametrize(
    "function", [karat.hartigan_index, karat.krzanowski_lai_index, karat.split_statistics]
)
def test_sweeps_that_cannot_be_compared(function):
    X = [[0.0], [1.0], [2.0], [3.0]]
    with pytest.raises(InputError, match="a and b both have 2 clusters"):
        function(X, {"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]})
    with pytest.raises(InputError, match="exclude different objects"):
        function(X, {"a": [0, 0, 1, -1], "b": [0, 1, 2, 2]}, noise="drop")


def test_degenerate_sweeps_have_reasons():
    X = [[0.0], [0.0], [5.0], [5.0]]
    labelings = [[0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 2, 2]]
    assert karat.hartigan_index(X, labelings)["hartigan_index"].isna().all()
    assert "is 0" in karat.hartigan_index(X, labelings).reasons["0"]["hartigan_index"]
    assert (
        "no smaller"
        in karat.krzanowski_lai_index(X, labelings).reasons["0"]["krzanowski_lai_index"]
    )
    assert (
        "DIFF(3) is 0"
        in karat.krzanowski_lai_index(X, labelings).reasons["1"]["krzanowski_lai_index"]
    )
    assert "same centroid" in karat.sd_index(X, labelings).reasons["1"]["sd_index"]
    assert "one cluster" in karat.frey_index(X, labelings).reasons["0"]["frey_index"]
    split = karat.split_statistics(X, labelings)
    assert split.table.loc["0", "duda_hart"] == 0
    assert "each part" in split.reasons["0"]["pseudo_t2"]
    assert "coincide" in split.reasons["1"]["duda_hart"]


def test_level_differences():
    first = karat.level_differences([10.0, 2.0, 7.0], [4, 2, 3])
    assert first.tolist()[0::2] == [3.0, 5.0]
    assert math.isnan(first[1])
    second = karat.level_differences([10.0, 2.0, 7.0], [4, 2, 3], order=2)
    assert second[2] == 10 - 14 + 2
    with pytest.raises(InputError, match="both have 2 clusters"):
        karat.level_differences([1.0, 2.0], [2, 2])
    with pytest.raises(InputError, match="order"):
        karat.level_differences([1.0, 2.0], [2, 3], order=3)
    with pytest.raises(InputError, match="2 values, but 3"):
        karat.level_differences([1.0, 2.0], [2, 3, 4])
