"""Indices over a sweep, against their definitions and hand-made sweeps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.datasets import load_iris

import naive_peers as naive
import sortal
from example_counts import examples
from sortal import InputError

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
    hartigan = sortal.hartigan_index(X, labelings)
    krzanowski_lai = sortal.krzanowski_lai_index(X, labelings)
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


def test_order_of_the_sweep_and_of_names_does_not_matter():
    labelings = sweep(X_IRIS)
    reverse = dict(reversed(labelings.items()))
    for function in (sortal.hartigan_index, sortal.krzanowski_lai_index):
        one, two = (function(X_IRIS, given).table for given in (labelings, reverse))
        np.testing.assert_allclose(two.loc[one.index], one, rtol=1e-12)
        moved = function(X_IRIS + 50, {k: 9 - v for k, v in labelings.items()})
        np.testing.assert_allclose(moved.table, one, rtol=1e-6)


def test_clear_clusters_are_found():
    rng = np.random.default_rng(0)
    centers = np.array([[0, 0], [20, 0], [0, 20], [20, 20.0]])
    X = centers[np.repeat(np.arange(4), 30)] + rng.normal(size=(120, 2))
    labelings = sweep(X, range(1, 9))
    assert sortal.krzanowski_lai_index(X, labelings)["krzanowski_lai_index"].idxmax() == "ward-4"
    hartigan = sortal.hartigan_index(X, labelings)["hartigan_index"]
    assert hartigan.diff().abs().idxmax() == "ward-4"


@pytest.mark.parametrize("function", [sortal.hartigan_index, sortal.krzanowski_lai_index])
def test_sweeps_that_cannot_be_compared(function):
    X = [[0.0], [1.0], [2.0], [3.0]]
    with pytest.raises(InputError, match="a and b have 2 clusters"):
        function(X, {"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]})
    with pytest.raises(InputError, match="exclude different objects"):
        function(X, {"a": [0, 0, 1, -1], "b": [0, 1, 2, 2]}, noise="drop")


def test_degenerate_sweeps_have_reasons():
    X = [[0.0], [0.0], [5.0], [5.0]]
    labelings = [[0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 2, 2]]
    assert sortal.hartigan_index(X, labelings)["hartigan_index"].isna().all()
    assert "is 0" in sortal.hartigan_index(X, labelings).reasons["0"]["hartigan_index"]
    assert (
        "no clustering of 0 clusters"
        in sortal.krzanowski_lai_index(X, labelings).reasons["0"]["krzanowski_lai_index"]
    )
    assert (
        "DIFF(3) is 0"
        in sortal.krzanowski_lai_index(X, labelings).reasons["1"]["krzanowski_lai_index"]
    )
