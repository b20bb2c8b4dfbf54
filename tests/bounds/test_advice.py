"""What more labels would buy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betaincinv

import karat
from karat.bounds import b_max, forecast_labels, sample
from karat.bounds.forecast import outlook


def labelled(n, m, wrong, seed=0):
    """Two clusters of which the second part of the first class strays into the other."""
    truth = np.arange(n) % 2
    clusters = np.where(np.random.default_rng(seed).random(n) < wrong, 1 - truth, truth)
    y = np.full(n, None, dtype=object)
    order = sample(n, m, random_state=seed)
    y[order] = truth[order]
    return clusters, y, order


@pytest.mark.parametrize("anytime", [False, True, 0.1])
def test_the_curve_begins_at_the_bound_and_falls(anytime):
    clusters, y, order = labelled(3000, 80, 0.1)
    guarantee = karat.guarantee(
        {"a": clusters, "b": np.roll(clusters, 1)}, y, anytime=anytime, order=order
    )
    bound, low, high = (
        outlook(guarantee)([80, 160, 320, 640], end) for end in ("expected", "low", "high")
    )
    # a confidence sequence is forecast without the prior that it has
    assert bound[0] == pytest.approx(guarantee.bound_rate, abs=0.05 if anytime else 1e-12)
    assert (np.diff(bound) < 0).all()
    assert (low <= bound).all()
    assert (high >= bound).all()
    forecast = forecast_labels(guarantee)
    wanted = anytime if isinstance(anytime, float) else guarantee.bound_rate / 2
    assert forecast.target == pytest.approx(wanted, rel=0.05)
    assert (
        forecast.error_rate - 2 * forecast.standard_error
        < 0.1
        < forecast.error_rate + 3 * forecast.standard_error
    )


def test_the_curve_by_hand():
    clusters, y, order = labelled(2000, 100, 0.1)
    guarantee = karat.guarantee(
        [clusters, np.roll(clusters, 1), np.roll(clusters, 3)], y, order=order
    )
    assert guarantee.method == "half"
    part = guarantee.parts[0]
    errors = int(np.ceil(200 * part.errors / part.tested * 4**-0.25 - 1e-9))
    expected = b_max(200, 1600, errors, part.delta) / 1600
    assert outlook(guarantee)(400, "expected") == pytest.approx(expected, abs=1e-3)


def test_the_forecast_reaches_its_target_at_the_number_it_says():
    clusters, y, order = labelled(5000, 100, 0.1)
    guarantee = karat.guarantee(
        [clusters, np.roll(clusters, 1), np.roll(clusters, 3)], y, order=order
    )
    target = guarantee.bound_rate * 0.8
    more = forecast_labels(guarantee, target).more
    before, then = outlook(guarantee)([100 + more - 1, 100 + more], "expected")
    assert then <= target < before


def test_the_least_number_is_of_whole_errors_that_fewer_labels_may_lack():
    y = [None] * 2000
    for i in sample(2000, 60, random_state=0):
        y[i] = True
    y[next(i for i, v in enumerate(y) if v)] = False
    bound = karat.pac_mdl_bound([0] * 2000, y, classes=[True, False])
    assert bound.errors == 1
    rate, level = betaincinv(1.5, 59.5, 0.1), np.log(bound.delta) - bound.bits * np.log(2)
    forecast = forecast_labels(bound, 0.065)
    assert forecast.low < forecast.more
    bounds = [
        b_max(m, 2000 - m, int(m * rate), log_delta=level) / (2000 - m) for m in range(61, 300)
    ]
    assert forecast.low == 1 + next(i for i, b in enumerate(bounds) if b <= 0.065)
