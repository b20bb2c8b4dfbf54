"""Drawing objects to label, doubting how they were drawn, forecasting."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import sortal
from sortal import InputError
from sortal.bounds import (
    b_max,
    binomial_tail_bound,
    forecast_bounds,
    forecast_labels,
    sample,
    sampling_warnings,
)


def test_sample_is_uniform_nested_and_seeded() -> None:
    small, large = sample(50, 10, random_state=4), sample(50, 30, random_state=4)
    assert (large[:10] == small).all()
    assert len(set(large)) == 30
    assert (sample(50, 10, random_state=5) != small).any()
    counts = np.bincount(
        np.concatenate([sample(12, 3, random_state=s) for s in range(2000)]), minlength=12
    )
    assert stats.chisquare(counts).pvalue > 1e-4
    assert len(sample(5, 0)) == 0
    for size in (-1, 6):
        with pytest.raises(InputError, match="without replacement"):
            sample(5, size)


def test_random_labels_are_not_doubted() -> None:
    doubted = 0
    for N, m in [(1000, 100), (200, 50), (10_000, 30), (100, 90), (20, 8)]:
        for seed in range(300):
            mask = np.isin(np.arange(N), sample(N, m, random_state=seed))
            doubted += bool(sampling_warnings(mask))
    assert doubted <= 3


@pytest.mark.parametrize(
    ("mask", "word"),
    [
        (np.arange(2000) < 60, "start"),
        (np.arange(2000) >= 1900, "end"),
        (np.random.default_rng(0).random(3000) < np.linspace(0.3, 0, 3000), "start"),
    ],
)
def test_systematic_rows_are_doubted(mask: np.ndarray, word: str) -> None:
    assert any(word in warning for warning in sampling_warnings(mask))


def test_quotas_are_doubted() -> None:
    mask = np.isin(np.arange(1000), sample(1000, 120, random_state=0))
    assert any("quotas" in w for w in sampling_warnings(mask, list("abcdef") * 20))
    assert sampling_warnings(mask, list("ab") * 60) == ()  # so even a split is nothing special
    assert sampling_warnings(mask, list("aaab") * 30) == ()


def blobs(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    return rng.normal(truth[:, None] * 4.0, 1.0, (n, 2)), truth


def partly(truth: np.ndarray, m: int, seed: int = 0) -> np.ndarray:
    y = np.full(len(truth), -1)
    rows = sample(len(truth), m, random_state=seed)
    y[rows] = truth[rows]
    return y


def test_forecast_is_the_first_crossing() -> None:
    _, truth = blobs(3000)
    labels = np.where(np.random.default_rng(1).random(3000) < 0.05, 0, truth)
    bound = sortal.pac_mdl_bound(labels, partly(truth, 80), classes=[0, 1, 2])
    forecast = forecast_labels(bound, 0.12)
    assert forecast.more is not None
    assert forecast.more > 0

    before, then = forecast_bounds(bound, [79 + forecast.more, 80 + forecast.more])
    assert then.rate <= 0.13
    assert before.rate > 0.11
    assert forecast.low <= forecast.more
    assert forecast.high is None or forecast.high >= forecast.more
    assert "no guarantee" in str(forecast)


@pytest.mark.parametrize("seed", range(4))
def test_forecast_has_the_spread_of_a_beta(seed: int) -> None:
    """A share after one error and one success more is the mean of Beta(errors + 1, rest + 1)."""
    from scipy.stats import beta

    _, truth = blobs(400)
    labels = np.where(np.random.default_rng(seed).random(400) < 0.2, 0, truth)
    bound = sortal.pac_mdl_bound(labels, partly(truth, 12 + 5 * seed, seed))
    forecast = forecast_labels(bound, 0.3)
    seen = beta(bound.errors + 1, bound.m - bound.errors + 1)
    assert forecast.error_rate == pytest.approx(seen.mean())
    assert forecast.standard_error == pytest.approx(seen.std())


@pytest.mark.parametrize("errors", [1, 3, 7])
def test_forecast_errs_as_often_as_seen(errors: int) -> None:
    """Twice the labels are expected to have twice the errors, not one more."""
    y = np.full(1000, None, dtype=object)
    y[:49] = ["b"] * errors + ["a"] * (49 - errors)
    bound = sortal.pac_mdl_bound(np.zeros(1000, int), y)
    assert bound.errors == errors
    log_delta = math.log(bound.delta) - bound.bits * math.log(2)
    for future in forecast_bounds(bound, [98, 147, 245]):
        m = future.labelled
        # the median of a skewed posterior is within an error of what was seen
        ends = [
            b_max(m, 1000 - m, round(errors * m / 49) + more, log_delta=log_delta)
            for more in (-1, m // 49)
        ]
        assert ends[0] <= future.rate * (1000 - m) <= ends[1]
        assert future.low < future.rate < future.high


def test_forecast_at_the_edges() -> None:
    _, truth = blobs(400)
    mixed = sortal.pac_mdl_bound(np.zeros(400, int), partly(truth, 60))
    hopeless = forecast_labels(mixed, 0.05)
    assert hopeless.more is None
    assert "speak against" in str(hopeless)
    single = forecast_labels(sortal.pac_mdl_bound(np.zeros(400, int), partly(truth, 1)), 0.5)
    assert single.labelled == 1
    assert single.error_rate in (1 / 3, 2 / 3)
    done = forecast_labels(mixed, 0.99)
    assert done.more == 0
    assert "already" in str(done)
    for target in (-0.1, 1.0):
        with pytest.raises(InputError, match="target"):
            forecast_labels(mixed, target)


def test_binomial_tail_is_the_definition() -> None:
    for n, errors, delta in [(20, 0, 0.1), (100, 7, 0.05), (1000, 420, 1e-6), (5, 4, 0.5)]:
        p = binomial_tail_bound(n, errors, delta)
        assert stats.binom.cdf(errors, n, p) == pytest.approx(delta, rel=1e-6)
    assert binomial_tail_bound(0, 0, 0.1) == 1.0
    assert binomial_tail_bound(5, 5, 0.1) == 1.0
    with pytest.raises(InputError, match="errors"):
        binomial_tail_bound(5, 6, 0.1)
    with pytest.raises(InputError, match="delta"):
        binomial_tail_bound(5, 1, 0.0)
