"""Means powered by predictions."""

from __future__ import annotations

import numpy as np
import pytest

from sortal import InputError
from sortal.bounds import sample
from sortal_lab.reading.estimates import prediction_powered_mean


def test_powered_means_by_their_formula_and_coverage():
    rng = np.random.default_rng(0)
    truth = (rng.random(800) < 0.3).astype(float)
    guesses = np.where(rng.random(800) < 0.85, truth, 1 - truth)
    misses, refused, errors = 0, 0, []
    for seed in range(400):
        values = np.full(800, np.nan)
        rows = sample(800, 80, random_state=seed)
        values[rows] = truth[rows]
        try:
            estimate = prediction_powered_mean(guesses, values, 0.1)
        except InputError:  # one of a thousand draws looks like none
            refused += 1
            continue
        misses += not estimate.low <= truth.mean() <= estimate.high
        errors.append(estimate.value - truth.mean())
    assert refused <= 4
    assert misses <= 400 * 0.1 + 3 * (400 * 0.09) ** 0.5
    slope = np.cov(truth[rows], guesses[rows])[0, 1] / guesses[rows].var(ddof=1)
    assert estimate.weight == pytest.approx(slope)
    rest = truth[rows] - slope * guesses[rows]
    assert estimate.value == pytest.approx(slope * guesses.mean() + rest.mean())
    assert estimate.standard_error == pytest.approx((rest.var(ddof=1) / 80 * 0.9) ** 0.5)
    assert np.std(errors) == pytest.approx(estimate.standard_error, rel=0.25)


def test_useless_guesses_do_no_harm():
    values = np.where(np.arange(200) < 50, np.arange(200) % 2, np.nan)
    estimate = prediction_powered_mean(np.zeros(200), values)
    assert (estimate.weight, estimate.value) == (0.0, 0.5)
    everything = prediction_powered_mean(np.arange(5.0), np.arange(5.0))
    assert everything.standard_error == 0
    with pytest.raises(InputError, match="at least two"):
        prediction_powered_mean([0.0, 1.0], [0.0, np.nan])


def test_values_of_picked_objects_are_refused():
    guesses = np.repeat([0.0, 1.0], 200)
    values = np.where(np.arange(400) % 13 == 0, guesses, np.nan)
    alike = prediction_powered_mean(guesses, values)
    assert np.isnan([alike.low, alike.high]).all()
    assert "without an interval" in str(alike)
    values = np.where(np.arange(400) >= 370, np.arange(400) % 2, np.nan)
    with pytest.raises(InputError, match="were not drawn at random"):
        prediction_powered_mean(guesses, values)
