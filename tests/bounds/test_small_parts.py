"""Intervals of shares by enumeration, tails at the smallest delta, and sentences of forecasts."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sortal
from sortal import InputError
from sortal.bounds import LabelForecast, Learner, binomial_tail_bound, kept_pairs
from sortal.labelings import as_labelings


def chance(K, m, population, x):
    """Chance of x among m draws where K of the population have the property."""
    if not 0 <= x <= K or m - x > population - K:
        return 0.0
    return math.comb(K, x) * math.comb(population - K, m - x) / math.comb(population, m)


@pytest.mark.parametrize("x", range(6))
@pytest.mark.parametrize("delta", [0.05, 0.4])
def test_an_interval_of_a_share_is_that_of_all_numbers_not_refuted(x, delta):
    m, population = 5, 15
    kept = [
        K for K in range(x, population - (m - x) + 1)
        if sum(chance(K, m, population, y) for y in range(x, m + 1)) > delta / 2
        and sum(chance(K, m, population, y) for y in range(x + 1)) > delta / 2
    ]  # fmt: skip
    at = [(0, 1), (2, 3), (4, 5), (0, 2), (1, 4)]
    pairs = [(*pair, "must" if i < x else "cannot") for i, pair in enumerate(at)]
    row = kept_pairs([0] * 6, pairs, random=True, delta=delta).iloc[0]
    expected = (kept[0] / population, kept[-1] / population)
    assert (row["low"], row["high"]) == pytest.approx(expected)


@pytest.mark.parametrize(("n", "errors"), [(10, 3), (5, 1)])
@pytest.mark.parametrize("delta", [1e-320, 1e-300, 1e-200, 0.5])
def test_a_bound_is_a_share_at_any_delta(n, errors, delta):
    assert errors / n <= binomial_tail_bound(n, errors, delta) <= 1


def test_a_forecast_says_from_how_few_labels_on():
    said = [str(LabelForecast(0.1, 9, 30, *ends, 0.1, 0.1)) for ends in ((None, 50), (12, None))]
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


def test_trees_learn_what_no_plane_divides():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 2))
    truth = (X[:, 0] * X[:, 1] > 0).astype(np.int64)
    learner = Learner(as_labelings(rng.integers(0, 2, 400)), np.zeros(1), X)
    labelled = rng.permutation(400)[:150]
    predicted = learner.fit(labelled, truth[labelled]).predicted
    assert (predicted == truth).mean() > 0.9


def test_an_object_in_as_many_pairs_as_a_random_draw_may_have_is_no_reason_to_refuse():
    n, m, count = 7, 6, 5
    # 5 of 6 pairs with object 0: for any object a chance of 0.012, and of 0.0001 for all 6
    pairs = [(0, j, "must") for j in range(1, count + 1)] + [(5, 6, "must")]
    assert 7 * sum(chance(6, m, 21, y) for y in (5, 6)) > 0.01
    assert kept_pairs([0] * n, pairs, random=True).loc[:, "must"].tolist() == [m]
    star = [(0, j, "must") for j in range(1, n)]
    with pytest.raises(InputError, match="have object 0 in them"):
        kept_pairs([0] * n, star, random=True)


def test_a_cluster_without_labels_gets_the_class_that_a_single_vote_gives_it():
    fine, coarse = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 1]
    learner = Learner(as_labelings([fine, coarse]), np.zeros(2))
    chosen = learner.fit(np.arange(5), np.array([4, 4, 4, 8, 8]))
    # in the other clustering's cluster of the last object, most labels are of the rarer class
    assert (chosen.row, chosen.labels.tolist()) == (0, [4, 8, 8])
