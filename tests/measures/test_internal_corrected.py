"""Internal measures corrected for chance: expectations by enumeration, C-Index as corrected WCS."""

import itertools

import numpy as np
import pytest

import sortal
from sortal import UndefinedMeasureError

SIZES = [(4, 2, 1), (3, 2, 2), (3, 4), (2, 2, 2, 1), (1, 1, 5)]


def relabelings(sizes):
    """All different labelings with clusters of these sizes."""
    labels = np.repeat(np.arange(len(sizes)), sizes).tolist()
    return sorted(set(itertools.permutations(labels)))


def points(kind):
    rng = np.random.default_rng(5)
    return rng.integers(0, 3, (7, 2)).astype(float) if kind == "ties" else rng.normal(size=(7, 2))


def test_ratio_cut_of_coincident_objects_has_no_expectation():
    with pytest.raises(UndefinedMeasureError, match="infinite"):
        sortal.chance_corrected_internal("ratio_cut", [[0.0], [0.0], [1.0], [2.0]], [0, 0, 1, 1])


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_c_index_with_the_mean_in_place_of_the_minimum_is_corrected_wcs(sizes):
    X = points("none")
    d = np.sort([np.linalg.norm(a - b) for a, b in itertools.combinations(X, 2)])
    pairs = sum(s * (s - 1) // 2 for s in sizes)
    low, mean, high = d[:pairs].sum(), pairs * d.mean(), d[-pairs:].sum()
    for labels in relabelings(sizes)[::17]:
        wcs = sortal.within_cluster_scatter(X, labels)
        upwards = sortal.chance_corrected_internal(
            "within_cluster_scatter", X, labels, optimum=high
        )
        assert upwards.value == pytest.approx((wcs - mean) / (high - mean))
        downwards = sortal.chance_corrected_internal(
            "within_cluster_scatter", X, labels, optimum=low
        )
        c_index = sortal.chance_corrected_internal("c_index", X, labels)
        assert c_index.value == pytest.approx(downwards.value)


def test_corrected_r_squared_is_adjusted_r_squared():
    X = points("none")
    labels = [0, 0, 1, 1, 2, 2, 2]
    adjusted = 1 - (1 - sortal.r_squared(X, labels)) * (7 - 1) / (7 - 3)
    found = sortal.chance_corrected_internal("r_squared", X, labels)
    assert found.value == pytest.approx(adjusted)
    pooled = sortal.chance_corrected_internal("pooled_variance", X, labels)
    assert pooled.value == pytest.approx(adjusted)


CONSTANT = ["average_within_cluster_scatter", "pooled_variance", "aucc", "kendall_tau_index",
            "point_biserial_index"]  # fmt: skip


@pytest.mark.parametrize("key", CONSTANT)
def test_a_constant_expectation_is_the_same_for_all_sizes(key):
    X = points("none")
    expected = [
        sortal.chance_corrected_internal(key, X, np.repeat(range(len(sizes)), sizes)).expected
        for sizes in SIZES
    ]
    assert expected == pytest.approx([expected[0]] * len(SIZES))
