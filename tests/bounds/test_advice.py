"""What more labels would buy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import sortal
from sortal.bounds import b_max, forecast_bounds, forecast_labels, sample


def labelled(n, m, wrong, seed=0):
    """Two clusters of which the second part of the first class strays into the other."""
    truth = np.arange(n) % 2
    clusters = np.where(np.random.default_rng(seed).random(n) < wrong, 1 - truth, truth)
    y = np.full(n, None, dtype=object)
    order = sample(n, m, random_state=seed)
    y[order] = truth[order]
    return clusters, y, order


@pytest.mark.quick(1)
@pytest.mark.parametrize("anytime", [False, True, 0.1])
def test_the_curve_begins_near_the_bound_and_falls(anytime):
    clusters, y, order = labelled(3000, 80, 0.1)
    guarantee = sortal.guarantee(
        {"a": clusters, "b": np.roll(clusters, 1)}, y, anytime=anytime, order=order
    )
    futures = forecast_bounds(guarantee, [80, 160, 320, 640])
    assert futures[0].low <= guarantee.bound_rate + 0.005
    assert guarantee.bound_rate - 0.005 <= futures[0].high
    for one, more in itertools.pairwise(futures):
        assert one.low <= one.rate <= one.high
        assert more.rate < one.rate
    forecast = forecast_labels(guarantee)
    wanted = anytime if isinstance(anytime, float) else guarantee.bound_rate / 2
    assert forecast.target == pytest.approx(wanted, rel=0.05)
    error = forecast.standard_error
    assert forecast.error_rate - 2 * error < 0.1 < forecast.error_rate + 3 * error


def test_the_forecast_reaches_its_target_at_the_number_it_says():
    clusters, y, order = labelled(5000, 100, 0.1)
    guarantee = sortal.guarantee(
        [clusters, np.roll(clusters, 1), np.roll(clusters, 3)], y, order=order
    )
    target = guarantee.bound_rate * 0.8
    forecast = forecast_labels(guarantee, target)
    assert forecast.low < forecast.more < forecast.high
    for more, end in ((forecast.more, "rate"), (forecast.high, "high")):
        before, then = forecast_bounds(guarantee, [100 + more * 9 // 10, 105 + more])
        assert getattr(then, end) <= 1.1 * target
        assert getattr(before, end) >= 0.9 * target


def test_the_interval_is_that_of_the_posterior_by_hand():
    clusters, y, _ = labelled(2000, 100, 0.1)
    guarantee = sortal.pac_mdl_bound(clusters, y, classes=[0, 1])
    errors, level = guarantee.errors, np.log(guarantee.delta) - guarantee.bits * np.log(2)
    rng = np.random.default_rng(0)
    rates = rng.beta(errors + 0.5, 100.5 - errors, 20_000)
    more = errors + rng.binomial(150, rates)
    bounds = b_max(250, 1750, more, log_delta=level) / 1750
    (future,) = forecast_bounds(guarantee, [250])
    expected = np.quantile(bounds, [0.15, 0.5, 0.85])
    assert [future.low, future.rate, future.high] == pytest.approx(expected, abs=0.006)
