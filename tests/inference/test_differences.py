"""Tests of differences keep their level where a naive test does not, and find what is there."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.cluster import AgglomerativeClustering, KMeans

from sortal import ChosenClustering, InputError
from sortal.inference import compared, differences, mixture_covariance

KMEANS = KMeans(2, n_init=1, random_state=0)
WARD = AgglomerativeClustering(2)


def apart(sigmas: float, n: int = 60, seed: int = 0) -> np.ndarray:
    X = np.random.default_rng(seed).normal(size=(n, 2))
    X[n // 2 :, 0] += sigmas
    return X


@pytest.mark.parametrize("scale", [1.0, None, pytest.param("mixture", marks=pytest.mark.long)])
def test_thinning_keeps_its_level_where_a_naive_test_always_rejects(
    scale: float | str | None,
) -> None:
    rng = np.random.default_rng(5)
    valid, naive, refused = [], [], 0
    for seed in range(30):
        X = rng.normal(size=(60, 2))
        try:
            valid.append(differences(X, KMEANS, scale=scale, random_state=seed).p_value)
        except InputError:  # one in fifty seems not to be normal
            refused += 1
        labels = KMEANS.fit_predict(X)
        axis = X[labels == 0].mean(0) - X[labels == 1].mean(0)
        naive.append(stats.ttest_ind(X[labels == 0] @ axis, X[labels == 1] @ axis).pvalue)
    assert np.mean(np.array(naive) < 0.05) == 1.0
    assert refused <= 3
    rejected = int(np.sum(np.array(valid) < 0.05))
    assert stats.binomtest(rejected, 30, 0.05, alternative="greater").pvalue > 0.01


def test_clusters_that_are_apart_differ() -> None:
    assert differences(apart(6), KMEANS, scale=1.0).p_value < 1e-6


def test_the_covariance_within_a_mixture_finds_what_the_sample_covariance_hides() -> None:
    """At five standard deviations the sample variance is seven times that within groups."""
    rejections = {None: 0, "mixture": 0}
    for seed in range(5):
        X = apart(5, seed=seed)
        for scale in rejections:
            rejections[scale] += (
                differences(X, KMEANS, scale=scale, random_state=seed).p_value < 0.05
            )
    assert rejections["mixture"] >= 4
    assert rejections[None] <= 2


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_the_covariance_of_a_mixture_is_that_within_its_groups(groups: int) -> None:
    rng = np.random.default_rng(2)
    S = np.array([[4.0, 1.5], [1.5, 1.0]])
    X = rng.multivariate_normal([0, 0], S, 600)
    X[:, 1] += 9 * (np.arange(600) % groups)
    within = mixture_covariance(X)
    assert np.allclose(within, S, atol=0.5)
    units = np.outer([10, 0.1], [10, 0.1])
    assert np.allclose(mixture_covariance(X * [10, 0.1]), units * within, rtol=1e-3)


def test_no_mixture_is_fitted_where_features_are_many_or_constant() -> None:
    X = np.random.default_rng(0).normal(size=(60, 50))
    assert np.array_equal(mixture_covariance(X), np.cov(X, rowvar=False))
    S = mixture_covariance(np.column_stack([apart(9)[:, 0], np.ones(60)]))
    assert S[1].tolist() == [0.0, 0.0]
    assert S[0, 0] < 2


def test_p_values_do_not_depend_on_the_names_of_clusters() -> None:
    X = apart(3)
    renamed = differences(X, lambda Y: 7 - KMEANS.fit_predict(Y), scale=1.0).pairs
    table = differences(X, KMEANS, scale=1.0).pairs
    assert renamed.p_value.iloc[0] == pytest.approx(table.p_value.iloc[0], rel=1e-9)


def test_one_cluster_outliers_and_clusters_of_two() -> None:
    X = apart(6)
    alone = differences(X, lambda Y: np.zeros(len(Y), int), scale=1.0)
    assert alone.p_value == 1.0
    assert alone.pairs.empty
    assert alone.features.empty
    labels = np.r_[np.zeros(29, int), [-1], np.ones(28, int), [2, 2]]
    table = differences(X, lambda Y: labels, scale=1.0).pairs
    assert set(table.cluster) | set(table.other) == {0, 1, 2}
    assert table.p_value.isna().tolist() == [False, True, True]


def test_only_the_feature_that_differs_is_named() -> None:
    X = apart(8, n=200)
    table = differences(X, KMEANS, scale=1.0, feature_names=["age", "noise"]).features
    assert set(table.feature[table.p_holm < 0.001]) == {"age"}


def test_counts_are_tested_by_their_own_family() -> None:
    rng = np.random.default_rng(0)
    X = rng.poisson(np.where(np.arange(80)[:, None] < 40, [4, 9], [16, 9]))
    result = differences(X, KMEANS, family="poisson")
    assert set(result.features.feature[result.features.p_holm < 0.001]) == {"0"}
    assert "Poisson" in result.premises[0]


def welch_of(first, second, chosen_by=None):
    """Difference and p-value of two groups of one feature, in a direction by other values."""
    values = np.concatenate([first, second])[:, None]
    other = values if chosen_by is None else np.concatenate(chosen_by)[:, None]
    labels = np.repeat([0, 1], [len(first), len(second)])
    row = compared(other, values, labels, ["x"], ()).pairs.iloc[0]
    return row["difference"], row["p_value"]


def test_the_difference_is_in_standard_deviations_within() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(7, 2, 40), rng.normal(3, 2, 60)
    gap, p = welch_of(first, second)
    squares = 39 * first.var(ddof=1) + 59 * second.var(ddof=1)
    assert gap == pytest.approx((first.mean() - second.mean()) / np.sqrt(squares / 98))
    assert p < 1e-6
    assert welch_of(np.full(9, 2.0), np.full(9, 1.0)) == (np.inf, 0)
    chosen_by = np.full(9, 2.0), np.full(9, 1.0)
    assert welch_of(np.full(9, 1.0), np.full(9, 1.0), chosen_by) == (0, 1)


@pytest.mark.long
def test_the_whole_sweep_and_choice_keep_the_level() -> None:
    rng = np.random.default_rng(1)
    p = [
        differences(rng.normal(size=(60, 2)), ChosenClustering(), random_state=s).p_value
        for s in range(20)
    ]
    assert (
        stats.binomtest(int(np.sum(np.array(p) < 0.05)), 20, 0.05, alternative="greater").pvalue
        > 0.01
    )


def test_what_cannot_cluster_is_refused() -> None:
    with pytest.raises(InputError, match="fit_predict, or be a function from data to labels; got"):
        differences(apart(6), "ward", scale=1.0)
