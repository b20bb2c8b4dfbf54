"""Ranks and tests against published values, SciPy, and their definitions."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from example_counts import examples
from sortal import InputError
from sortal.bench import (
    average_ranks,
    compare_methods,
    critical_difference,
    expected_best,
    friedman_test,
    nemenyi_difference,
    pairwise_wilcoxon,
)

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
    test = friedman_test(DEMSAR)
    # the paper's 9.28 and 3.69 are without the correction for ties
    plain = 12 * 14 / 20 * (sum(r**2 for r in ranks) - 4 * 25 / 4)
    assert plain == pytest.approx(9.28, abs=0.005)
    assert test.chi_square == pytest.approx(stats.friedmanchisquare(*DEMSAR.T).statistic)
    assert test.chi_square > plain
    # corrected for ties, 10.2283: F = 13 χ²/(14 · 3 − χ²)
    assert test.statistic == pytest.approx(13 * 10.228346 / (42 - 10.228346))
    # scikit-posthocs 0.17.1, posthoc_nemenyi_friedman; autorank 1.3.0 has 1.2536 at 0.05
    by_posthocs = [0.088672709289, 0.956177175222, 0.074184795069,
                   0.259228070155, 0.999859449385, 0.226696886026]  # fmt: skip
    gaps = [abs(ranks[i] - ranks[j]) for i, j in itertools.combinations(range(4), 2)]
    assert [nemenyi_difference(4, 14, p) for p in by_posthocs] == pytest.approx(gaps)
    assert nemenyi_difference(4, 14) == pytest.approx(1.2536, abs=1e-4)


@pytest.mark.parametrize(
    ("k", "alpha", "q"),
    [(2, 0.05, 1.960), (3, 0.05, 2.343), (5, 0.05, 2.728), (10, 0.05, 3.164), (4, 0.10, 2.291)],
)
def test_critical_values_of_demsar(k, alpha, q):
    quantile = nemenyi_difference(k, 20, alpha) / np.sqrt(k * (k + 1) / 120)
    assert quantile == pytest.approx(q, abs=0.0015)


@examples(40)
@given(st.integers(2, 12), st.integers(3, 6), st.integers(0, 10**6), st.sampled_from([1, 3, None]))
def test_friedman_by_scipy(n, k, seed, digits):
    scores = np.random.default_rng(seed).normal(size=(n, k))
    if digits is not None:
        scores = scores.round(digits - 1)
    test = friedman_test(scores)
    if (scores == scores[:, :1]).all():
        assert (test.chi_square, test.p_value) == (0.0, 1.0)
        return
    assert test.chi_square == pytest.approx(stats.friedmanchisquare(*scores.T).statistic)


def test_the_same_order_everywhere():
    test = friedman_test([[1, 2, 3]] * 5)
    assert test.statistic == np.inf
    assert test.p_value == test.least == pytest.approx(6.0**-4)


def test_the_f_distribution_of_large_tables():
    """F of an analysis of variance of the ranks in two ways, by definition."""
    rng = np.random.default_rng(7)
    scores = (rng.normal(size=(150, 5)) + [0, 0, 0, 0.1, 0.25]).round(1)
    test = friedman_test(scores)
    ranks = stats.rankdata(-scores, axis=1)
    assert (np.sort(ranks, axis=1) != [1, 2, 3, 4, 5]).any()
    between = 150 * ((ranks.mean(axis=0) - 3) ** 2).sum() / 4
    within = ((ranks - ranks.mean(axis=0)) ** 2).sum() / (4 * 149)
    assert test.method == "F distribution"
    assert test.statistic == pytest.approx(between / within)
    assert test.p_value == pytest.approx(stats.f.sf(between / within, 4, 4 * 149))
    assert critical_difference(scores) == nemenyi_difference(5, 150)


@examples(30)
@given(st.sampled_from([(2, 2), (5, 2), (2, 3), (4, 3), (3, 4)]), st.integers(0, 10**6))
def test_null_distributions_by_all_orders(shape, seed):
    n, k = shape
    scores = np.random.default_rng(seed).integers(0, 4, shape).astype(float)
    ranks = stats.rankdata(-scores, axis=1)
    sums = np.array(
        [np.sum(rows, axis=0) for rows in itertools.product(*map(itertools.permutations, ranks))]
    )
    squares = ((sums - n * (k + 1) / 2) ** 2).sum(axis=1)
    observed = ((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum()
    test = friedman_test(scores)
    assert test.p_value == pytest.approx(np.mean(squares >= observed - 1e-9))
    assert test.least == pytest.approx(np.mean(squares >= squares.max() - 1e-9))
    spans = np.ptp(sums, axis=1) / n
    critical = critical_difference(scores, 0.2)
    assert np.mean(spans >= critical - 1e-9) <= 0.2
    smaller = spans[spans < critical - 1e-9]
    assert np.mean(spans >= smaller.max() - 1e-9) > 0.2


def test_permutations_that_are_drawn():
    """What is not counted is drawn; two independent ways to the same p value."""
    scores = np.random.default_rng(3).normal(size=(9, 6)) + [0, 0, 0, 0, 0.7, 0.7]
    test = friedman_test(scores)
    assert test.method == "20,000 permutations"
    rng = np.random.default_rng(99)
    ranks = np.tile(stats.rankdata(scores, axis=1), (4000, 1, 1))
    sums = rng.permuted(ranks, axis=2).sum(axis=1)
    observed = stats.rankdata(scores, axis=1).sum(axis=0)
    p = np.mean(((sums - 31.5) ** 2).sum(axis=1) >= ((observed - 31.5) ** 2).sum() - 1e-9)
    assert test.p_value == pytest.approx(p, abs=5 * np.sqrt(p / 4000) + 0.002)
    # the least is that of what was observed alone
    assert friedman_test([[1, 2, 3, 4, 5, 6]] * 9).p_value == 1 / 20_001


@examples(40)
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=9))
def test_signed_ranks_by_all_signs(gaps):
    gaps = np.array(gaps, dtype=float)
    pair = pairwise_wilcoxon(np.column_stack([gaps, np.zeros(len(gaps))])).iloc[0]
    ranks = stats.rankdata(np.abs(gaps))
    apart = gaps != 0
    signs = np.array(list(itertools.product([-1, 1], repeat=int(apart.sum()))))
    sums = np.abs(signs @ ranks[apart])
    observed = abs(np.sign(gaps) @ ranks)
    assert pair["p"] == pytest.approx(np.mean(sums >= observed - 1e-9))
    assert pair["effect"] == pytest.approx(np.sign(gaps) @ ranks / ranks.sum())


def test_many_differences_are_left_to_the_normal_distribution():
    gaps = np.random.default_rng(1).normal(0.1, 1, 260).round(1)
    p = pairwise_wilcoxon(np.column_stack([gaps, 0 * gaps]))["p"].item()
    assert p == pytest.approx(
        stats.wilcoxon(gaps, zero_method="pratt", method="approx").pvalue, rel=1e-6
    )


def test_the_last_digit_is_no_difference():
    """Ten times the same score, and that score, tie; so do 0.9 − 0.8 and 0.8 − 0.7."""
    scores = np.array([0.1, 0.2, 0.7])
    again = np.array([sum([v] * 10) / 10 for v in scores])
    assert (scores != again).any()
    assert average_ranks({"one": scores, "again": again}).tolist() == [1.5, 1.5]
    # the twelfth digit is one
    nearly = scores * [1, 1, 1 + 3e-12]
    assert average_ranks({"one": scores, "nearly": nearly})["nearly"] < 1.5
    pairs = pairwise_wilcoxon({"a": [0.9, 0.8, 0.3], "b": [0.8, 0.7, 0.4]})
    assert pairs["effect"].item() == pytest.approx(1 / 3)  # three equal ranks


def test_ties_share_the_mean_of_their_ranks():
    ranks = average_ranks({"a": [3, 1], "b": [3, 1], "c": [1, 1], "d": [0, 2]})
    assert ranks.to_dict() == {"a": 2.25, "b": 2.25, "d": 2.5, "c": 3.0}


def test_equal_scores_differ_in_nothing():
    assert friedman_test(np.ones((4, 3))).p_value == 1
    assert pairwise_wilcoxon(np.ones((4, 3)))["p_holm"].tolist() == [1, 1, 1]


def test_wilcoxon_and_holm_by_hand():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(12, 4)) + [0.0, 0.3, 0.9, 2.0]
    pairs = pairwise_wilcoxon(scores)
    raw = [
        stats.wilcoxon(scores[:, i], scores[:, j]).pvalue
        for i, j in itertools.combinations(range(4), 2)
    ]
    assert pairs["p"].tolist() == pytest.approx(raw)
    holm, running = dict.fromkeys(range(6), 0.0), 0.0
    for step, i in enumerate(np.argsort(raw)):
        running = max(running, raw[i] * (6 - step))
        holm[i] = min(running, 1)
    assert pairs["p_holm"].tolist() == pytest.approx([holm[i] for i in range(6)])


def test_wilcoxon_and_holm_by_a_peer():
    scores = np.random.default_rng(0).normal(size=(9, 3)) + [0, 0.5, 1.5]
    # scikit-posthocs 0.17.1, posthoc_wilcoxon(p_adjust="holm")
    by_posthocs = [0.30078125, 0.08203125, 0.1953125]
    assert pairwise_wilcoxon(scores)["p_holm"].tolist() == pytest.approx(by_posthocs)


@pytest.mark.quick(2)
@pytest.mark.parametrize("shape", [(2, 2), (4, 2), (3, 3)])
@pytest.mark.parametrize("digits", [9, 0])
def test_the_level_of_a_race_of_equal_methods(shape, digits):
    """Whatever is called different, in at most 5 % of the races; with ties or without."""
    rng = np.random.default_rng(1)
    trials = 50
    rejections = np.zeros(3)
    for _ in range(trials):
        scores = rng.normal(size=shape).round(digits)
        ranks = average_ranks(scores)
        rejections += [
            friedman_test(scores).p_value <= 0.05,
            ranks.iloc[-1] - ranks.iloc[0] >= critical_difference(scores) - 1e-9,
            (pairwise_wilcoxon(scores)["p_holm"] <= 0.05).any(),
        ]
    assert (rejections <= stats.binom.ppf(0.9999, trials, 0.05)).all()


@examples(60)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=7), st.data())
def test_the_expected_best_is_the_mean_over_all_choices(tries, data):
    m = data.draw(st.integers(1, len(tries)))
    wanted = np.mean([max(choice) for choice in itertools.combinations(tries, m)])
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


def test_words_follow_the_numbers():
    rng = np.random.default_rng(5)
    base = rng.uniform(0.3, 0.7, 12)
    clear = compare_methods({"poor": base - 0.2, "good": base + 0.2, "fair": base})
    assert clear.words[0].startswith("3 methods on 12 data sets. good has the best average rank")
    assert "good is different from fair, poor" in clear.words[2]
    assert clear.different_from("poor") == ["good", "fair"]
    assert list(clear.scores) == ["good", "fair", "poor"]
    chance = compare_methods({"a": base, "b": rng.permutation(base), "c": rng.permutation(base)})
    assert "no method should be called better" in chance.words[1]
    assert chance.cliques == [tuple(chance.ranks.index)]
    assert clear.cliques == []


def test_words_where_nothing_could_be_significant():
    comparison = compare_methods({"a": [0.9, 0.8], "b": [0.8, 0.7]})
    assert comparison.friedman.p_value == 0.5
    assert "nothing could be significant" in comparison.words[1]
    assert "p is 0.5 or more" in comparison.words[1]
    assert comparison.critical_difference == np.inf
    assert comparison.cliques == [("a", "b")]
    assert "data sets to show" not in comparison.words[-1]  # the difference is the same on both
    # five sets: four methods differ, and no two of them can be told apart
    scores = np.tile([0.9, 0.6, 0.5, 0.1], (5, 1)) + np.linspace(0, 0.05, 5)[:, None]
    words = compare_methods(scores).words
    assert "The methods differ" in words[1]
    assert "On 5 data sets none could be: the least corrected p is 0.38." in words[2]


def test_words_of_ties():
    tie = compare_methods({"a": [0.9, 0.8, 0.7, 0.6], "b": [0.8, 0.9, 0.6, 0.7]})
    assert "a and b have the same average rank, 1.50 of 2." in tie.words[0]
    assert "best" not in tie.words[0]
    third = compare_methods({"a": [3, 2, 3, 2], "b": [2, 3, 2, 3], "c": [1, 1, 1, 1]})
    assert "a and b share the best average rank, 1.50 of 3." in third.words[0]
    four = compare_methods({"a": [3, 2], "b": [2, 3], "c": [3, 2], "d": [2, 3]})
    assert "a, b, c and d have the same average rank, 2.50 of 4." in four.words[0]
    equal = compare_methods({"a": [1, 2, 3], "b": [1, 2, 3]})
    assert equal.words[1] == "All methods have the same score on each data set."
    assert not any("to show" in sentence for sentence in equal.words)


def test_groups_of_sets():
    scores = {"a": [0.9, 0.5, 0.3], "b": [0.8, 0.7, 0.1]}
    index = ["uci/iris", "uci/wine", "fcps/atom"]
    groups = compare_methods(pd.DataFrame(scores, index=index)).groups.set_index(
        ["group", "method"]
    )
    assert groups.loc[("uci", "b")].tolist() == pytest.approx([2, 0.75, 1.5])
    assert groups.loc[("fcps", "a")].tolist() == pytest.approx([1, 0.3, 1])
    assert compare_methods(scores).groups.empty


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({"a": [1, 2]}, "two methods"),
        ({"a": [1], "b": [2]}, "two data sets"),
        ({"a": [1, None], "b": [2, 3]}, "1 scores are missing, the first of 'a' on 1"),
        ({"a": [np.inf, 1], "b": [1, 2]}, "1 scores are infinite, the first of 'a' on 0"),
        (pd.DataFrame([[1, 2], [2, 1]], columns=["a", "a"]), "different names"),
    ],
)
def test_tables_that_compare_nothing(scores, message):
    with pytest.raises(InputError, match=message):
        compare_methods(scores)


def test_ties_are_within_a_data_set_whatever_the_others_have():
    a = -np.array([3e13, 1, 2, 1.5, 0.8, 1.2])
    b = a * [1.1, 0.8, 0.8, 0.8, 0.8, 0.8]
    comparison = compare_methods({"a": a, "b": b})
    assert comparison.ranks.to_dict() == {"b": 7 / 6, "a": 11 / 6}
    pair = comparison.pairs.iloc[0]
    assert (pair["one"], pair["wins"], pair["losses"]) == ("b", 5, 1)
    # rounding errors still tie: 0.1 + 0.2 and 0.3, and gaps of 0.2 between 0.9 and 10
    tied = compare_methods({"a": [0.1 + 0.2, 1e-300, 1], "b": [0.3, 2e-300, 2]})
    assert tied.pairs.iloc[0][["wins", "losses"]].tolist() == [2, 0]
    gaps = pairwise_wilcoxon({"a": [0.9, 10.2, 1.2], "b": [0.7, 10.0, 1.4]}).iloc[0]
    assert gaps["effect"] == pytest.approx(1 / 3)
