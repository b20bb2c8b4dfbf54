"""Draws from strata, means powered by predictions, and labels that are no draw."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy import stats

import karat
from karat.bounds import (
    Picked,
    allocate,
    prediction_powered_mean,
    prune_dendrogram,
    sample,
    sampling_warnings,
    stratified_bound,
    stratified_sample,
    supervised_yardstick,
)
from karat.runtime.validation import InputError


def outcome(sizes, drawn, errors):
    """Strata one after the other, and the answers of those drawn from each."""
    strata = np.repeat(np.arange(len(sizes)), sizes)
    wrong = np.full(len(strata), None, dtype=object)
    for h, (m, a) in enumerate(zip(drawn, errors, strict=True)):
        rows = np.flatnonzero(strata == h)[:m]
        wrong[rows] = np.arange(m) < a
    return strata, wrong


@pytest.mark.parametrize(("sizes", "drawn"), [((5, 7), (2, 3)), ((4, 8), (3, 2)), ((12,), (5,))])
@pytest.mark.parametrize("delta", [0.05, 0.2, 0.5])
def test_no_errors_break_the_stratified_bound_more_often_than_delta(sizes, drawn, delta):
    ranges = [range(m + 1) for m in drawn]
    bounds = {
        errors: stratified_bound(*outcome(sizes, drawn, errors), delta).bound
        for errors in itertools.product(*ranges)
    }
    for totals in itertools.product(*(range(size + 1) for size in sizes)):
        broken = Fraction(0)
        for errors, bound in bounds.items():
            if sum(totals) - sum(errors) > bound:
                ways = 1
                for N, m, E, a in zip(sizes, drawn, totals, errors, strict=True):
                    good = comb(N - E, m - a) if m - a <= N - E and a <= E else 0
                    ways *= Fraction(comb(E, a) * good, comb(N, m))
                broken += ways
        assert broken <= Fraction(delta)


def test_the_stratified_bound_is_the_largest_that_fisher_leaves():
    sizes, drawn, errors, delta = (20, 30), (6, 9), (0, 4), 0.1
    found = stratified_bound(*outcome(sizes, drawn, errors), delta)
    limit = stats.chi2.isf(delta, 4) / 2
    largest = 0
    for hidden in itertools.product(range(15), range(22)):
        p = [
            stats.hypergeom.cdf(a, N, a + b, m)
            for N, m, a, b in zip(sizes, drawn, errors, hidden, strict=True)
        ]
        if -np.log(p).sum() <= limit:
            largest = max(largest, sum(hidden))
    assert found.bound == largest
    assert (found.n, found.tested, found.errors) == (35, drawn, errors)
    assert found.estimate == pytest.approx(21 * 4 / 9)


def test_one_stratum_is_the_plain_bound():
    strata, wrong = outcome((300,), (40,), (7,))
    assert stratified_bound(strata, wrong, 0.1).bound == karat.bounds.b_max(40, 260, 7, 0.1)


def test_allocation_lowers_the_variance_most():
    sizes, rates = [30, 50, 20], [0.1, 0.3, 0.5]

    def variance(given):
        return sum(n**2 * p * (1 - p) / m for n, p, m in zip(sizes, rates, given, strict=True))

    best = min(
        (variance(given), given)
        for given in itertools.product(range(1, 13), repeat=3)
        if sum(given) == 14
    )
    assert tuple(allocate(sizes, rates, 14)) == best[1]
    assert allocate([3, 100], [0.5, 0.0], 20).tolist() == [3, 17]


def test_stratified_draws_are_uniform_in_each_stratum():
    strata = np.array([0, 1, 0, 1, 1, -1, 0])
    drawn = np.concatenate([stratified_sample(strata, [1, 2], random_state=s) for s in range(600)])
    counts = np.bincount(drawn, minlength=7)
    assert counts[5] == 0
    assert stats.chisquare(counts[[0, 2, 6]]).pvalue > 1e-4
    assert stats.chisquare(counts[[1, 3, 4]]).pvalue > 1e-4


def test_what_is_no_draw_from_strata_is_rejected():
    strata, wrong = outcome((4, 4), (2, 2), (0, 1))
    with pytest.raises(InputError, match="nothing was drawn from stratum 2"):
        stratified_bound(np.append(strata, 2), np.append(wrong, None))
    with pytest.raises(InputError, match="outside the strata"):
        stratified_bound(np.where(np.arange(8) == 0, -1, strata), wrong)
    with pytest.raises(InputError, match="cannot draw 3"):
        stratified_sample([0, 0], [3])
    with pytest.raises(InputError, match="at least one from each"):
        allocate([5, 5], [0.1, 0.1], 1)


def test_powered_means_by_their_formula_and_coverage():
    rng = np.random.default_rng(0)
    truth = (rng.random(800) < 0.3).astype(float)
    guesses = np.where(rng.random(800) < 0.85, truth, 1 - truth)
    misses, errors = 0, []
    for seed in range(400):
        values = np.full(800, np.nan)
        rows = sample(800, 80, random_state=seed)
        values[rows] = truth[rows]
        found = prediction_powered_mean(guesses, values, 0.1)
        misses += not found.low <= truth.mean() <= found.high
        errors.append(found.value - truth.mean())
    assert misses <= 400 * 0.1 + 3 * (400 * 0.09) ** 0.5
    slope = np.cov(truth[rows], guesses[rows])[0, 1] / guesses[rows].var(ddof=1)
    assert found.weight == pytest.approx(slope)
    rest = truth[rows] - slope * guesses[rows]
    assert found.value == pytest.approx(slope * guesses.mean() + rest.mean())
    assert found.standard_error == pytest.approx((rest.var(ddof=1) / 80 * 0.9) ** 0.5)
    assert np.std(errors) == pytest.approx(found.standard_error, rel=0.25)


def test_useless_guesses_do_no_harm():
    values = np.where(np.arange(200) < 50, np.arange(200) % 2, np.nan)
    found = prediction_powered_mean(np.zeros(200), values)
    assert (found.weight, found.value) == (0.0, 0.5)
    everything = prediction_powered_mean(np.arange(5.0), np.arange(5.0))
    assert everything.standard_error == 0
    with pytest.raises(InputError, match="at least two"):
        prediction_powered_mean([0.0, 1.0], [0.0, np.nan])


@pytest.mark.parametrize(
    "bound",
    [
        lambda y: karat.guarantee([0, 0, 1, 1], y),
        lambda y: karat.guarantee([0, 0, 1, 1], y, anytime=True),
        lambda y: karat.pac_mdl_bound([0, 0, 1, 1], y),
        lambda y: karat.bounds.study_bounds([[0, 0, 1, 1]], y, origins=[None]),
        lambda y: karat.bounds.study_guarantee([[0, 0, 1, 1]], y, origins=[None]),
        lambda y: prune_dendrogram([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 2, 4]], y),
        lambda y: supervised_yardstick([[0.0], [0.0], [1.0], [1.0]], y),
        lambda y: stratified_bound([0, 0, 0, 0], y),
        lambda y: prediction_powered_mean([0.0, 0.0, 0.0, 0.0], y),
        lambda y: np.asarray(y),
    ],
)
def test_every_bound_rejects_picked_labels(bound):
    with pytest.raises(InputError, match="picked \\(medoids\\), not drawn at random"):
        bound(Picked([0, 2], ["a", "b"], "medoids"))


def test_picked_labels_are_checked():
    with pytest.raises(InputError, match="got Picked"):
        karat.Study([[0.0], [1.0]], truth=Picked([0], ["a"]))
    with pytest.raises(InputError, match="one position each"):
        Picked([0, 1], ["a"])
    with pytest.raises(InputError, match="twice"):
        Picked([0, 0], ["a", "b"])
    assert sampling_warnings([True, False]) == ()
