"""The jackknife: objects left out one by one, and intervals that cover."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import karat
from karat import ContingencyTable
from karat.measures import catalogue
from karat.runtime.validation import InputError, UndefinedMeasureError


@pytest.mark.parametrize("key", ["rand_index", "adjusted_rand_index", "mutual_information"])
def test_every_object_is_left_out_once(key):
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 3, 40), rng.integers(0, 4, 40)
    pred[:20] = true[:20]
    function = catalogue[key].function
    value = function(true, pred)
    rest = [np.arange(40) != i for i in range(40)]
    without = np.array([function(true[r], pred[r]) for r in rest])
    bias = 39 * (without.mean() - value)
    error = math.sqrt(39 / 40 * ((without - without.mean()) ** 2).sum())
    found = karat.jackknife_interval(key, true, pred, confidence_level=0.8)
    assert found.value == value
    assert found.bias == pytest.approx(bias)
    assert found.standard_error == pytest.approx(error)
    reach = stats.t.ppf(0.9, 39) * error
    assert found.interval == pytest.approx((value - bias - reach, value - bias + reach))
    assert f"{value:.6g}" in str(found)


def test_the_error_of_a_share_is_that_of_a_sample_mean():
    table = ContingencyTable.from_counts([[30, 10], [10, 50]])

    def accuracy(t):
        same = t.row_names[t.rows] == t.column_names[t.columns]
        return float(t.counts[same].sum() / t.n)

    found = karat.jackknife_interval(accuracy, table)
    assert found.bias == pytest.approx(0, abs=1e-12)
    assert found.standard_error == pytest.approx(math.sqrt(0.8 * 0.2 / 99))


def test_intervals_cover():
    rng = np.random.default_rng(0)
    population = np.eye(3) * 0.25 + (1 - np.eye(3)) * 0.25 / 6
    truth = karat.rand_index(ContingencyTable.from_counts((population * 6e9).astype(int)))
    hits = 0
    for _ in range(300):
        counts = rng.multinomial(60, population.ravel() / population.sum()).reshape(3, 3)
        low, high = karat.jackknife_interval(
            "rand_index", ContingencyTable.from_counts(counts)
        ).interval
        hits += low <= truth <= high
    assert 0.92 <= hits / 300 <= 0.98


def test_ends_stay_in_the_range():
    found = karat.jackknife_interval(
        "rand_index", [0, 0, 1, 1] * 3, [0, 0, 1, 1] * 2 + [0, 0, 1, 0]
    )
    assert found.interval[1] <= 1
    assert karat.jackknife_interval("rand_index", [0, 1] * 9, [1, 0] * 9).interval == (1, 1)


def test_what_cannot_be_left_out():
    with pytest.raises(InputError, match="3 objects"):
        karat.jackknife_interval("rand_index", [0, 1], [0, 1])
    with pytest.raises(InputError, match="confidence_level"):
        karat.jackknife_interval("rand_index", [0, 1, 1], [0, 1, 1], confidence_level=1.5)
    table = ContingencyTable([0, 1], [0, 1], sample_weight=[1, 2.5])
    with pytest.raises(UndefinedMeasureError, match="counted"):
        karat.jackknife_interval("rand_index", table)
