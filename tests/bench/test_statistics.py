"""Ranks and tests against published values, SciPy, and their definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from karat.bench import (
    average_ranks,
    bayesian_signed_rank,
    compare_methods,
    expected_best,
    friedman_test,
    nemenyi_difference,
    pairwise_wilcoxon,
    performance_profile,
    sets_needed,
)
from karat.runtime.validation import InputError

# Demšar (2006), table 6: areas under the curve of C4.5, with m, with cf, with both
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_the_example_of_demsar():
    ranks = average_ranks(DEMSAR)
    assert ranks[[0, 1, 2, 3]].round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    found = friedman_test(DEMSAR)
    # the paper's 9.28 and 3.69 are without the correction for ties
    plain = 12 * 14 / 20 * (sum(r**2 for r in ranks) - 4 * 25 / 4)
    assert plain == pytest.approx(9.28, abs=0.005)
    assert found.chi_square == pytest.approx(stats.friedmanchisquare(*DEMSAR.T).statistic)
    assert found.chi_square > plain
    assert found.p_value < 0.05


@pytest.mark.parametrize(
    ("k", "alpha", "q"),
    [(2, 0.05, 1.960), (3, 0.05, 2.343), (5, 0.05, 2.728), (10, 0.05, 3.164), (4, 0.10, 2.291)],
)
def test_critical_values_of_demsar(k, alpha, q):
    found = nemenyi_difference(k, 20, alpha) / np.sqrt(k * (k + 1) / 120)
    assert found == pytest.approx(q, abs=0.0015)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.integers(3, 6), st.integers(0, 10**6), st.sampled_from([1, 3, None]))
def test_friedman_by_scipy(n, k, seed, digits):
    scores = np.random.default_rng(seed).normal(size=(n, k))
    if digits is not None:
        scores = scores.round(digits - 1)
    found = friedman_test(scores)
    if (scores == scores[:, :1]).all():
        assert (found.chi_square, found.p_value) == (0.0, 1.0)
        return
    assert found.chi_square == pytest.approx(stats.friedmanchisquare(*scores.T).statistic)


def test_the_same_order_everywhere():
    found = friedman_test([[1, 2, 3]] * 5)
    assert found.statistic == np.inf
    assert found.p_value == 0


def test_equal_scores_differ_in_nothing():
    assert friedman_test(np.ones((4, 3))).p_value == 1
    assert pairwise_wilcoxon(np.ones((4, 3)))["p_holm"].tolist() == [1, 1, 1]


def test_wilcoxon_and_holm_by_hand():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(12, 4)) + [0.0, 0.3, 0.9, 2.0]
    found = pairwise_wilcoxon(scores)
    raw = [
        stats.wilcoxon(scores[:, i], scores[:, j]).pvalue
        for i, j in itertools.combinations(range(4), 2)
    ]
    assert found["p"].tolist() == pytest.approx(raw)
    holm, running = dict.fromkeys(range(6), 0.0), 0.0
    for step, i in enumerate(np.argsort(raw)):
        running = max(running, raw[i] * (6 - step))
        holm[i] = min(running, 1)
    assert found["p_holm"].tolist() == pytest.approx([holm[i] for i in range(6)])


def test_the_level_of_a_race_between_copies():
    """Two copies of one method with other seeds are told apart at most at the level."""
    rng = np.random.default_rng(1)
    trials = 400
    wilcoxon = friedman = 0
    for _ in range(trials):
        scores = rng.normal(size=(15, 1)) + 0.1 * rng.normal(size=(15, 3))
        wilcoxon += (pairwise_wilcoxon(scores)["p_holm"] <= 0.05).any()
        friedman += friedman_test(scores).p_value <= 0.05
    limit = stats.binom.ppf(0.999, trials, 0.05)
    assert wilcoxon <= limit
    assert friedman <= limit


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=7), st.data())
def test_the_expected_best_is_the_mean_over_all_choices(tries, data):
    m = data.draw(st.integers(1, len(tries)))
    wanted = np.mean([max(some) for some in itertools.combinations(tries, m)])
    assert expected_best(tries, m) == pytest.approx(wanted)


def test_more_tries_are_no_advantage():
    rng = np.random.default_rng(2)
    few, many = rng.normal(size=(2000, 2)), rng.normal(size=(2000, 20))
    assert many.max(axis=1).mean() - few.max(axis=1).mean() > 1
    fair = np.mean([expected_best(m, 2) for m in many]) - np.mean(
        [expected_best(f, 2) for f in few]
    )
    assert abs(fair) < 0.08
    with pytest.raises(InputError, match="best of 3"):
        expected_best([1, 2], 3)


def test_bayesian_probabilities():
    rng = np.random.default_rng(3)
    one = rng.normal(size=30)
    better, same, worse = bayesian_signed_rank(one, one + rng.normal(0, 1e-4, 30))
    assert same > 0.99
    better, same, worse = bayesian_signed_rank(one + 0.5, one)
    back = bayesian_signed_rank(one, one + 0.5)
    assert better > 0.99
    assert back[2] > 0.99
    assert better + same + worse == pytest.approx(1)
    with pytest.raises(InputError):
        bayesian_signed_rank([1, np.nan], [0, 0])


@pytest.mark.parametrize("effect", [0.3, 1.0])
def test_the_number_of_sets_has_the_power(effect):
    rng = np.random.default_rng(4)
    pilot = rng.normal(size=200)
    pilot = (pilot - pilot.mean()) / pilot.std(ddof=1)
    n = sets_needed(pilot, np.zeros(200), effect)
    trials = rng.normal(effect, 1, (4000, n))
    power = np.mean(stats.ttest_1samp(trials, 0, axis=1).pvalue <= 0.05)
    assert 0.77 < power < 0.87


def test_words_follow_the_numbers():
    rng = np.random.default_rng(5)
    base = rng.uniform(0.3, 0.7, 12)
    clear = compare_methods({"good": base + 0.2, "fair": base, "poor": base - 0.2})
    assert clear.words[0].startswith("3 methods on 12 data sets. good has the best average rank")
    assert "good is different from fair, poor" in clear.words[2]
    chance = compare_methods({"a": base, "b": rng.permutation(base), "c": rng.permutation(base)})
    assert "no method should be called better" in chance.words[1]
    assert chance.cliques == [tuple(chance.ranks.index)]
    assert clear.cliques == []


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({"a": [1, 2]}, "two methods"),
        ({"a": [1], "b": [2]}, "two data sets"),
        ({"a": [1, None], "b": [2, 3]}, "1 scores are missing, the first of 'a' on 1"),
    ],
)
def test_tables_that_compare_nothing(scores, message):
    with pytest.raises(InputError, match=message):
        compare_methods(scores)


def test_profiles_by_counting():
    rng = np.random.default_rng(6)
    scores = rng.normal(size=(9, 3)).round(1)
    found = performance_profile(scores)
    assert found.index[0] == 0
    assert (found.iloc[-1] == 1).all()
    for distance in (0.0, 0.35, 1.0):
        at = found[found.index <= distance].iloc[-1]
        wanted = [(scores.max(axis=1) - scores[:, m] <= distance + 1e-12).mean() for m in range(3)]
        assert at.tolist() == pytest.approx(wanted)
    costs = np.array([[1.0, 4.0], [3.0, 2.0]])
    # best on half of the sets; within 1.5 times the least on all, and on half
    assert performance_profile(costs, ratios=True).loc[[1.0, 1.5]].to_numpy().tolist() == [
        [0.5, 0.5],
        [1.0, 0.5],
    ]
    with pytest.raises(InputError, match="above 0"):
        performance_profile(scores, ratios=True)
