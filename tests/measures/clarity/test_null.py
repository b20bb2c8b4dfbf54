"""Nulls: what is not there is not found, what is there is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans

import karat
from karat.measures.clarity import NullTest, permutation_null, reference_null
from karat.runtime.validation import InputError, UndefinedMeasureError


def test_shuffled_labels_have_uniform_p_values() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    labels = np.stack([rng.permutation(np.repeat([0, 1, 2], 50)) for _ in range(60)])
    p = permutation_null(X, labels, n_permutations=39, random_state=1).p_values
    assert p.min() >= 1 / 40
    assert 0.35 < p.mean() < 0.65
    assert (p <= 0.2).mean() < 0.4


@pytest.mark.parametrize("options", [{}, {"classifiers": "centroid", "cv": 5}])
def test_permutations_keep_the_sizes_and_find_structure(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(size=(60, 2)), rng.normal(7, 1, size=(20, 2))])
    labels = np.repeat(["big", "small"], [60, 20])
    test = permutation_null(X, labels, n_permutations=49, random_state=0, **options)
    assert test.null.shape == (49, 1)
    assert test.p_values[0] == test.p_any == 1 / 50
    if not options:
        # the uniform guesser's baseline is not that of unequal sizes
        assert test.null.mean() < -0.1
    corrected = permutation_null(
        X, labels, n_permutations=49, random_state=0, baseline="permutation", **options
    )
    assert abs(corrected.null.mean()) < 0.1
    again = permutation_null(X, labels, n_permutations=49, random_state=0, **options)
    np.testing.assert_array_equal(test.null, again.null)


def test_outliers_stay_outside() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 2))
    labels = np.where(np.arange(80) < 60, (X[:, 0] > 0).astype(int), -1)
    test = permutation_null(X, labels, n_permutations=19, noise="drop", random_state=0)
    assert test.observed[0] == karat.informativeness(X[:60], labels[:60])
    assert test.p_values[0] == 0.05


@pytest.mark.parametrize("reference", ["uniform", "gaussian"])
def test_is_there_any_clustering(reference: Any) -> None:
    rng = np.random.default_rng(3)
    one = rng.normal(size=(600, 2)) @ [[2, 0.5], [0, 1]]
    two = np.concatenate([rng.normal(size=(500, 2)), rng.normal(9, 1, size=(500, 2))])
    results = []
    for X in (one, two):
        labels = {k: KMeans(k, n_init=1, random_state=0).fit_predict(X) for k in (2, 3)}
        results.append(
            reference_null(
                X, labels, "kmeans", n_references=19, reference=reference, random_state=0
            )
        )
    assert results[0].p_any > 0.05
    assert results[1].p_any == 0.05
    assert results[1].table["excess"].idxmax() == "2"
    assert "any clustering" in str(results[1])
    assert "<table" in results[1]._repr_html_()


def test_reference_sets_look_like_the_data() -> None:
    from karat.nulls import Null

    rng = np.random.default_rng(4)
    X = rng.normal(size=(4000, 3)) @ rng.normal(size=(3, 3)) + [5, 0, -5]
    gaussian = Null(X).draw("gaussian", np.random.default_rng(0))
    np.testing.assert_allclose(gaussian.mean(axis=0), X.mean(axis=0), atol=0.3)
    np.testing.assert_allclose(np.cov(gaussian.T), np.cov(X.T), rtol=0.3, atol=0.3)
    box = Null(X).draw("uniform", np.random.default_rng(0))
    axes = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2]
    ours, theirs = (box - X.mean(axis=0)) @ axes.T, (X - X.mean(axis=0)) @ axes.T
    assert (ours.max(axis=0) <= theirs.max(axis=0) + 1e-9).all()
    assert (ours.min(axis=0) >= theirs.min(axis=0) - 1e-9).all()


def test_gaussian_reference_has_the_covariance_of_the_sample() -> None:
    """Over n − 1: with four objects that is not the covariance over n, or n − 2."""
    from karat.nulls import Null

    X = np.array([[0.0, 0.0], [1.0, 3.0], [2.0, 1.0], [5.0, 2.0]])
    rng = np.random.default_rng(0)
    drawn = np.concatenate([Null(X).draw("gaussian", rng) for _ in range(20_000)])
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(X.T), rtol=0.05)


@pytest.mark.parametrize("statistic", ["silhouette", "davies_bouldin_index"])
def test_a_reference_where_nothing_is_found_is_the_worst(statistic: str) -> None:
    from karat.clusterers import Clusterer

    X = np.concatenate([np.zeros((10, 2)), np.full((10, 2), 9.0)]) + np.arange(40).reshape(20, 2)
    labels = np.repeat([0, 1], 10)

    class OneCluster:
        def fit_predict(self, points: Any) -> Any:
            return np.zeros(len(points), dtype=int)

    one = Clusterer(key="one", title="One", make=lambda k, seed: OneCluster(), source="", cost="")
    test = reference_null(X, labels, one, statistic=statistic, n_references=3)
    function = getattr(karat, statistic)
    assert test.null[:, 0].tolist() == [function(X, labels)] * 3
    found = reference_null(X, labels, one, statistic="informativeness", n_references=3)
    assert found.null[:, 0].tolist() == [0.0] * 3


def test_p_any_pays_for_trying_many() -> None:
    rng = np.random.default_rng(5)
    p = []
    for _ in range(300):
        values = rng.normal(size=(20, 8))
        p.append(NullTest(tuple("abcdefgh"), values[0], values[1:]).p_any)
    assert np.mean(np.array(p) <= 0.1) == pytest.approx(0.1, abs=0.06)
    flat = NullTest(("a",), np.ones(1), np.ones((9, 1)))
    assert flat.p_any == 1.0


def test_what_cannot_be_tested() -> None:
    from scipy import sparse

    X = np.random.default_rng(6).normal(size=(20, 2))
    labels = np.arange(20) % 2
    with pytest.raises(UndefinedMeasureError, match="fewer than 2"):
        permutation_null(X, np.zeros(20))
    with pytest.raises(InputError, match="n_permutations"):
        permutation_null(X, labels, n_permutations=1)
    with pytest.raises(InputError, match="dense"):
        reference_null(sparse.csr_array(X), labels, "kmeans")
    with pytest.raises(InputError, match="number of clusters"):
        reference_null(X, labels, "hdbscan")
    with pytest.raises(InputError, match="reference"):
        reference_null(X, labels, "kmeans", reference="normal")  # type: ignore[arg-type]


def test_the_table_of_a_null_has_errors_of_a_sample():
    """Standard deviations over B draws with B − 1, and that over √B for their mean."""
    null = np.array([[0.0, 1.0], [1.0, 1.0], [5.0, 4.0]])
    test = NullTest(("a", "b"), np.array([2.0, 0.0]), null)
    table = test.table
    assert table["null_mean"].tolist() == [2.0, 2.0]
    spread = [math.sqrt((4 + 1 + 9) / 2), math.sqrt((1 + 1 + 4) / 2)]
    np.testing.assert_allclose(table["null_sd"], spread)
    np.testing.assert_allclose(table["null_error"], np.array(spread) / math.sqrt(3))
    assert table["excess"].tolist() == [0.0, -2.0]
    assert table["p_value"].tolist() == [0.5, 1.0]


def two_clusters(n: int, apart: float, seed: int) -> Any:
    X = np.random.default_rng(seed).normal(size=(n, 2))
    X[: n // 2, 0] += apart
    return X


@pytest.mark.parametrize("statistic", ["point_wise_margin", "r_squared"])
@pytest.mark.parametrize("apart", [6.0, 20.0, 200.0])
def test_clusters_farther_apart_do_not_stand_out_less(statistic: str, apart: float) -> None:
    for seed in range(2):
        X = two_clusters(100, apart, seed)
        labels = KMeans(2, n_init=1, random_state=0).fit_predict(X)
        test = reference_null(X, labels, "kmeans", statistic=statistic, random_state=seed)
        assert test.p_any == 0.05


def test_the_default_statistic_finds_what_informativeness_does_not() -> None:
    found = {}
    for statistic in ("r_squared", "informativeness"):
        p = []
        for seed in range(3):
            X = two_clusters(100, 20, seed)
            labels = KMeans(2, n_init=1, random_state=0).fit_predict(X)
            p.append(
                reference_null(X, labels, "kmeans", statistic=statistic, random_state=seed).p_any
            )
        found[statistic] = np.mean(np.array(p) <= 0.05)
    assert found["r_squared"] == 1
    assert found["informativeness"] < 1


def test_one_cluster_is_not_two() -> None:
    rejected = 0
    for seed in range(6):
        X = np.random.default_rng(seed).exponential(size=(100, 2))
        labels = KMeans(2, n_init=1, random_state=0).fit_predict(X)
        rejected += reference_null(X, labels, "kmeans", random_state=seed).p_any <= 0.05
    assert rejected <= 2


def test_lower_may_be_better() -> None:
    null = np.array([[0.4, 0.1], [0.5, 0.2], [0.6, 0.3]])
    test = NullTest(("a", "b"), np.array([0.3, 0.4]), null, "point_wise_margin", False)
    assert test.p_values.tolist() == [0.25, 1.0]
    np.testing.assert_allclose(test.table["excess"], [0.2, -0.2])
    np.testing.assert_allclose(test.table["point_wise_margin"], [0.3, 0.4])
    mirrored = NullTest(("a", "b"), -test.observed, -null)
    assert mirrored.p_any == test.p_any


def test_what_is_no_statistic() -> None:
    X = two_clusters(40, 5, 0)
    labels = np.arange(40) % 2
    for statistic in ("purity", "dbcv"):
        with pytest.raises(InputError, match="shared statistics"):
            reference_null(X, labels, "kmeans", statistic=statistic)
    X[:2] = 7  # coincident objects in two clusters, and a third beside them
    with pytest.raises(UndefinedMeasureError, match="no finite value"):
        reference_null(X, np.arange(40) % 2, "kmeans", statistic="ratio_cut")
