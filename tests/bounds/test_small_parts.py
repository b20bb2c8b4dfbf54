"""Intervals of shares by enumeration, tails at the smallest delta, and sentences of forecasts."""

from __future__ import annotations

import math
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

import sortal
from sortal.bounds import Learner, Starts, b_max, binomial_tail_bound, wording
from sortal.bounds.contradictions import picked_pairs
from sortal.bounds.forecast import _Futures, _Plan
from sortal.bounds.guarantees import _split
from sortal.bounds.pairs import share_of_pairs
from sortal.bounds.sampling import REFUSED
from sortal.bounds.selection import choose
from sortal.bounds.stopping import stopping_line
from sortal.labelings import as_labelings


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


@pytest.mark.parametrize(("n", "errors"), [(10, 3), (5, 1)])
@pytest.mark.parametrize("delta", [1e-320, 1e-300, 1e-200, 0.5])
def test_a_bound_is_a_share_at_any_delta(n, errors, delta):
    assert errors / n <= binomial_tail_bound(n, errors, delta) <= 1


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
    rows = sortal.guarantee(y, few).row_classes
    np.testing.assert_array_equal(rows.table["confidence"], np.round(rows.confidence, 3))
    hidden = ~rows.labelled
    assert (np.round(rows.confidence[hidden], 2) != np.round(rows.confidence[hidden], 3)).any()


def test_a_counted_question_need_not_be_the_only_one():
    y = np.repeat([0, 1], 40)
    few = np.full(80, None, dtype=object)
    few[::5] = y[::5]
    found = sortal.guarantee(y, few, anytime=True)
    kept = []
    for number in (None, 2):
        asked = SimpleNamespace(number=number, keep=lambda: kept.append(1), sentence="the second")
        counted = found.counted(asked, 0.2)
        wanted = found.premises if number is None else wording.of_counted(found.premises)
        assert (counted.premises, counted.question) == (wanted, "the second")
    assert wording.of_counted(found.premises) != found.premises
    assert len(kept) == 2


@pytest.mark.parametrize("target", [0.02, 0.1])
def test_the_prior_of_a_test_has_the_expected_error_rate_as_its_mean(target):
    starts = Starts(0.1, target)
    classifier = SimpleNamespace(hidden=lambda drawn: (100, 0))
    starts._start(classifier, np.arange(3), 0.5, 0.3)
    a, b = starts._starts[0].prior
    assert a / (a + b) == pytest.approx(target, rel=0.1)
    starts = Starts(0.1)
    starts._start(classifier, np.arange(3), 0.5, target)
    assert starts._starts[0].prior == (a, b)


def test_a_test_to_come_begins_with_its_first_label():
    line = stopping_line(900, 0.1, 0.05)
    drawn = []

    def right(counts, rates):
        drawn.append(np.asarray(counts).sum())
        return np.zeros((len(rates), len(counts)), dtype=int)

    plan = _Plan(50, 900, 4, 40, 1.0, 50, 0.0, True, True, line, 0.1)
    stops = plan.stops(np.full(3, 0.5), SimpleNamespace(binomial=right))
    assert drawn == [line.checks[-1]]
    assert stops.tolist() == [50 + line.checks[0]] * 3


def test_only_a_bound_at_every_number_of_labels_keeps_its_lowest():
    rng = np.random.default_rng(0)
    clusters, y = np.arange(2000) % 2, np.full(2000, None, dtype=object)
    drawn = rng.permutation(2000)[:20]
    y[drawn] = [clusters[i] if at % 2 else 1 - clusters[i] for at, i in enumerate(drawn)]
    bound = sortal.pac_mdl_bound(clusters, y, classes=[0, 1])
    assert _Futures(bound, 500).rates(25)[2] > bound.bound / 1975
    always = sortal.guarantee(clusters, y, anytime=True, order=drawn)
    assert _Futures(always, 500).rates(25)[2] <= always.bound / 1975


def test_trees_learn_what_no_plane_divides():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 2))
    truth = (X[:, 0] * X[:, 1] > 0).astype(np.int64)
    learner = Learner(as_labelings(rng.integers(0, 2, 400)), np.zeros(1), X)
    labelled = rng.permutation(400)[:150]
    predicted = learner.fit(labelled, truth[labelled]).predicted
    assert (predicted == truth).mean() > 0.9


def test_the_larger_share_goes_to_the_bound_that_is_expected_to_be_lower():
    chosen = []
    for m in range(4, 50):
        n, half = 50 - m, m // 2
        described = b_max(m, n, m // 10, log_delta=np.log(0.05) - 2 * np.log(2))
        tested = b_max(half, n, half // 10, log_delta=np.log(0.05))
        shares = _split(as_labelings(np.arange(50) % 2), m, half, 0.1)
        chosen.append(shares["pac-mdl"] > shares["half"])
        assert chosen[-1] == (described < tested)
        assert sum(shares.values()) == pytest.approx(1)
    assert 0 < sum(chosen) < len(chosen)


def test_an_object_in_as_many_pairs_as_a_random_draw_may_have_is_no_reason_to_refuse():
    n, m, count = 7, 6, 5
    clusters = np.zeros((1, n), dtype=np.int64)
    # 5 of 6 pairs with object 0: for any object a chance of 0.012, and of 0.0001 for all 6
    pairs = np.array([[0, j] for j in range(1, count + 1)] + [[5, 6]])
    assert 7 * sum(chance(6, m, 21, y) for y in (5, 6)) > 10 * REFUSED
    assert picked_pairs(pairs, np.ones((1, m), dtype=bool), ("one",), clusters) == ""
    star = np.array([[0, j] for j in range(1, n)])
    assert picked_pairs(star, np.ones((1, m), dtype=bool), ("one",), clusters)


def test_a_cluster_without_labels_gets_the_class_that_a_single_vote_gives_it():
    fine, coarse = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 1]
    row, classes = choose(
        as_labelings([fine, coarse]), np.arange(5), np.array([4, 4, 4, 8, 8]), np.zeros(2)
    )
    # in the other clustering's cluster of the last object, most labels are of the rarer class
    assert (row, classes.tolist()) == (0, [4, 8, 8])


def test_a_learner_of_few_objects_uses_one_thread(monkeypatch):
    asked = []
    pools = SimpleNamespace(limit=lambda limits: asked.append(limits) or nullcontext())
    monkeypatch.setattr("sortal.bounds.classifiers.thread_pools", lambda: pools)
    batch = as_labelings([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]])
    Learner(batch, np.zeros(2), None).fit(np.arange(6), np.array([0, 0, 0, 1, 1, 1]))
    assert asked == [1]
