"""Intervals of shares by enumeration, tails at the smallest delta, and sentences of forecasts."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

import karat
from karat.bounds import binomial_tail_bound, wording
from karat.bounds.pairs import share_of_pairs


def chance(K, m, population, x):
    """Chance of x among m draws where K of the population have the property."""
    if not 0 <= x <= K or m - x > population - K:
        return 0.0
    return math.comb(K, x) * math.comb(population - K, m - x) / math.comb(population, m)


@pytest.mark.parametrize("x", range(6))
@pytest.mark.parametrize("delta", [0.05, 0.4])
def test_an_interval_of_a_share_is_that_of_all_numbers_not_refuted(x, delta):
    m, population = 5, 13
    kept = [
        K for K in range(x, population - (m - x) + 1)
        if sum(chance(K, m, population, y) for y in range(x, m + 1)) > delta / 2
        and sum(chance(K, m, population, y) for y in range(x + 1)) > delta / 2
    ]  # fmt: skip
    low, high = share_of_pairs(x, m, population, delta)
    assert (low, high) == pytest.approx((kept[0] / population, kept[-1] / population))


@pytest.mark.parametrize("delta", [1e-320, 1e-300, 1e-200, 0.5])
def test_a_bound_is_a_share_at_any_delta(delta):
    assert 3 / 10 <= binomial_tail_bound(10, 3, delta) <= 1


def test_a_forecast_says_from_how_few_labels_on():
    def needed(low, high):
        return SimpleNamespace(target=0.1, refused="", more=30, low=low, high=high)

    said = [wording.forecast(needed(*ends)) for ends in ((None, 50), (12, None))]
    assert "about 30 more labels (0 to 50)" in said[0]
    assert "(12 to more than there are objects)" in said[1]


def test_confidence_has_three_digits():
    y = np.repeat([0, 1, 2], 60)
    few = np.full(180, None, dtype=object)
    few[::7] = y[::7]
    few[0] = 2
    rows = karat.guarantee(y, few).row_classes
    np.testing.assert_array_equal(rows.table["confidence"], np.round(rows.confidence, 3))
    hidden = ~rows.labelled
    assert (np.round(rows.confidence[hidden], 2) != np.round(rows.confidence[hidden], 3)).any()
