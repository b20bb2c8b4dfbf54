"""The boundary of a target: exact chances of a false stop, and what follows from a stop."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests import naive_bounds

import sortal
from sortal.bounds import LabelSequence, StoppingLine, forecast_labels, sample, stopping_line


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("N", "target", "delta"),
    [(40, 0.3, 0.09), (75, 0.1, 0.2), (60, 0.5, 0.05), (31, 0.9, 0.1), (12, 0.4, 0.5)],
)
def test_no_number_of_wrong_objects_makes_a_false_stop_likelier_than_delta(N, target, delta):
    line = stopping_line(N, target, delta)
    exact = Fraction(str(target))
    worst = max(
        naive_bounds.false_stop_by_steps(N, E, line.checks.tolist(), exact) for E in range(N + 1)
    )
    assert 0 < worst <= Fraction(delta)
    assert line.risk == pytest.approx(float(worst), rel=1e-8)


def test_the_mean_number_of_labels_of_the_published_table():
    line = stopping_line(1000, 0.1, 0.09)
    assert line.risk == pytest.approx(0.089, abs=5e-4)
    rng = np.random.default_rng(0)
    for share, mean in ((0.0, 35), (0.02, 51), (0.03, 66), (0.05, 129)):
        stops = []
        for _ in range(800):
            wrong = np.concatenate([[0], np.cumsum(rng.permutation(1000) < 1000 * share)])
            stop = line.first_stop(wrong[:301])
            stops.append(300 if stop is None else stop)
        assert np.mean(stops) == pytest.approx(mean, abs=4 * np.std(stops) / 800**0.5 + 0.5)


@pytest.mark.parametrize("N", [100_000, 1_000_000, 2_000_000_000])
def test_large_populations_are_close_to_independent_errors(N):
    line = stopping_line(N, 0.1, 0.09)
    assert 0.088 < line.risk <= 0.09
    assert line.checks[:3].tolist() == pytest.approx([34, 51, 67], abs=1)


def test_a_tiny_chance_never_stops():
    assert not len(stopping_line(500, 0.1, 1e-300).checks)
    # the last object is certain
    assert stopping_line(5, 0.1, 0.01).checks.tolist() == [5]
    assert stopping_line(5, 0.1, 0.01).risk == 0


def labelled(truth, order, m):
    y = np.full(len(truth), None, dtype=object)
    y[order[:m]] = truth[order[:m]]
    return y


def design(seed, n=160, noise=0.12):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    flips = rng.random((3, n)) < noise
    return truth, np.where(flips, 1 - truth, truth)


def test_after_the_stop_the_bound_falls_with_every_error():
    truth, codes = design(1, noise=0.05)
    order, stopped = sample(160, 160, random_state=3), None
    keeps = LabelSequence(codes[0], target=0.25)
    for m in range(20, 80):
        guarantee = keeps.update(labelled(truth, order, m), order[:m])
        if stopped is None and guarantee.method == "target":
            stopped = guarantee
            assert guarantee.bound_rate <= 0.25 < (guarantee.bound + 1) / guarantee.n
            assert forecast_labels(guarantee, 0.25).more == 0
        elif stopped is not None:
            assert guarantee.bound <= stopped.bound
        # all labels at once say the same as one by one
        if m % 10 == 0:
            again = sortal.guarantee(
                codes, labelled(truth, order, m), anytime=0.25, order=order[:m]
            )
            assert again.bound == guarantee.bound
    assert stopped is not None


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("draws", "clusterings"), [(20, 1), pytest.param(1000, 3, marks=pytest.mark.long)]
)
@pytest.mark.parametrize(("target", "noise"), [(0.3, 0.35), (0.2, 0.25)])
def test_a_guarantee_with_a_target_breaks_in_at_most_delta_of_the_draws(
    target, noise, draws, clusterings
):
    truth, codes = design(5, noise=noise)
    broken, delta = 0, 0.2
    for seed in range(draws):
        order = sample(160, 160, random_state=seed)
        keeps = LabelSequence(codes[:clusterings], delta, target)
        for m in range(20, 81, 10):
            guarantee = keeps.update(labelled(truth, order, m), order[:m])
            hidden = order[m:]
            # looked at all along, whether or not the target is reached
            if (guarantee.labels[hidden] != truth[hidden]).sum() > guarantee.bound:
                broken += 1
                break
    assert broken <= delta * draws + 2 * (delta * (1 - delta) * draws) ** 0.5


def test_the_forecast_follows_the_boundary():
    truth, codes = design(7, n=2000, noise=0.03)
    order = sample(2000, 400, random_state=2)
    keeps = LabelSequence(codes, target=0.1)
    early = keeps.update(labelled(truth, order, 30), order[:30])
    assert early.target == 0.1
    forecast = forecast_labels(early)
    assert forecast.target == 0.1
    assert forecast.more is not None
    reached = next(
        m
        for m in range(31, 400)
        if keeps.update(labelled(truth, order, m), order[:m]).bound_rate <= 0.1
    )
    assert forecast.low is not None
    assert forecast.low <= reached - 30
    assert forecast.high is None or reached - 30 <= forecast.high


def test_a_stop_that_is_expected_comes_after_the_labels_so_far():
    line = StoppingLine(90, np.array([10, 25]), np.array([3, 2]), 0.05)
    assert line.expected_stop(0.0, 0, 9) == 1
    assert line.expected_stop(0.0, 0, 10) == 15
    assert line.expected_stop(0.0, 0, 25) == np.inf
