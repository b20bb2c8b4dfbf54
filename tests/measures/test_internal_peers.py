"""Criteria of scatter matrices, spread and gaps that other packages have made known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris

import naive_internal
import naive_peers as naive
import sortal
from example_counts import examples
from sortal import InputError, UndefinedMeasureError
from sortal.measures import catalogue

X_IRIS, Y_IRIS = load_iris(return_X_y=True)
OF_SCATTER = [
    "banfield_raftery_index",
    "cubic_clustering_criterion",
    "log_determinant_ratio",
    "pooled_variance",
]
OF_SPREAD = ["sd_scattering", "sd_separation", "wemmert_gancarski_index"]
OF_PAIRS = ["point_biserial_index"]


def random_case(seed, integers=False):
    rng = np.random.default_rng(seed)
    d, k = int(rng.integers(1, 5)), int(rng.integers(2, 5))
    n = k * (d + 3) + int(rng.integers(0, 12))
    X = rng.integers(0, 5, (n, d)).astype(float) if integers else rng.gamma(1.0, 1.0, (n, d))
    # d + 2 objects at least in each cluster, so that no scatter matrix is singular
    labels = np.concatenate([np.repeat(np.arange(k), d + 2), rng.integers(0, k, n - k * (d + 2))])
    return X, rng.permutation(labels)


def check(found, expected, rel=1e-9):
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, rel=rel, abs=1e-12, nan_ok=True), key


SLOW = examples(25)


# -- definitions ----------------------------------------------------------------------------


@SLOW
@given(st.integers(0, 10**6))
def test_scatter_equals_the_definitions(seed):
    X, labels = random_case(seed)
    # long and flat clouds too: CCC cuts them along their long sides only
    X = X * 10.0 ** np.random.default_rng(seed).uniform(-1, 1, X.shape[1])
    expected = naive.of_scatter(X, labels)
    assert sorted(expected) == OF_SCATTER
    check(sortal.evaluate(X, labels, measures=OF_SCATTER).table.iloc[0], expected)


@SLOW
@given(st.integers(0, 10**6))
def test_spread_equals_the_definitions(seed):
    X, labels = random_case(seed)
    expected = naive.of_spread(X, labels)
    assert sorted(expected) == OF_SPREAD
    check(sortal.evaluate(X, labels, measures=OF_SPREAD).table.iloc[0], expected)


@SLOW
@given(st.integers(0, 10**6), st.booleans(), st.sampled_from(["euclidean", "cityblock", "cosine"]))
def test_pairs_equal_the_definitions(seed, integers, metric):
    X, labels = random_case(seed, integers)
    if metric == "cosine":  # with one positive feature all angles are 0
        X = np.column_stack([X, np.arange(len(X)) % 7])
    expected = naive.of_pairs(naive_internal.matrix(X, metric), labels)
    assert sorted(expected) == OF_PAIRS
    check(
        sortal.evaluate(X, labels, measures=OF_PAIRS, metric=metric).table.iloc[0], expected, 1e-7
    )


@pytest.mark.parametrize("form", ["float32", "sparse", "batch"])
def test_forms_of_input_give_the_same(form):
    X, labels = random_case(3)
    X = X.astype(np.float32)
    keys = [*OF_SCATTER, *OF_SPREAD, *OF_PAIRS]
    expected = sortal.evaluate(X.astype(np.float64), labels, measures=keys).table.iloc[0]
    others = {"a": labels, "b": np.arange(len(labels)) % 3, "c": np.zeros(len(labels), int)}
    given_ = {"float32": X, "sparse": sparse.csr_array(X), "batch": X.astype(np.float64)}[form]
    found = sortal.evaluate(
        given_, others if form == "batch" else labels, measures=keys
    ).table.iloc[0]
    check(found, expected, 1e-6 if form == "sparse" else 1e-9)


def test_precomputed_distances():
    X, labels = random_case(4)
    D = naive_internal.matrix(X)
    alone = sortal.point_biserial_index(X, labels)
    assert sortal.point_biserial_index(D, labels, metric="precomputed") == pytest.approx(alone)


# -- identities and values -------------------------------------------------------------------


def test_s_dbw_on_iris_is_the_mean_where_cluster_crit_adds_up():
    value = sortal.s_dbw_index(X_IRIS, Y_IRIS)
    scattering = sortal.sd_scattering(X_IRIS, Y_IRIS)
    # by hand: 5 objects at the middle of versicolor and virginica, 7 and 6 at the centroids, and
    # none at the other middles
    assert value == pytest.approx(scattering + (0 + 0 + 5 / 7) / 3, rel=1e-12)
    # clusterCrit divides the counts in single precision, and does not divide by the pairs
    assert scattering + float(np.float32(5 / 7)) == pytest.approx(0.823286617540, rel=1e-11)


def test_s_dbw_counts_objects_on_the_edge_of_the_ball():
    # variances 12 and 4, so σ = √16/2 = 2 exactly; 2, 4, 4 and 6 are within 2 of the middle, 4;
    # two objects at the centroids, 0 and 8. The variance of all is 22
    X = [[-4.0], [4.0], [-4.0], [4.0], [-2.0], [2.0], [6.0], [10.0]]
    value = sortal.s_dbw_index(X, [0] * 6 + [1] * 2)
    assert value == pytest.approx((12 + 4) / 2 / 22 + 4 / 2, rel=1e-12)


def test_identities():
    X, labels = random_case(6)
    n = len(X)
    k = labels.max() + 1
    within = sortal.within_sum_of_squares(X, labels)
    assert sortal.pooled_variance(X, labels) == pytest.approx(within / (n - k))
    ch, r2 = sortal.calinski_harabasz_index(X, labels), sortal.r_squared(X, labels)
    assert r2 / (1 - r2) == pytest.approx(ch * (k - 1) / (n - k))
    # with one feature all matrices are numbers
    one = X[:, :1]
    expected = -n * math.log(1 - sortal.r_squared(one, labels))
    assert sortal.log_determinant_ratio(one, labels) == pytest.approx(expected)


def test_ratios_of_determinants_do_not_depend_on_units():
    X, labels = random_case(7)
    mixed = X @ np.random.default_rng(0).normal(size=(X.shape[1], X.shape[1])) * 1e-120
    function = sortal.log_determinant_ratio
    assert function(mixed, labels) == pytest.approx(function(X, labels), rel=1e-8)


def test_point_biserial_is_the_correlation_of_iris():
    from scipy.spatial.distance import pdist

    between = pdist(Y_IRIS[:, None]) > 0
    expected = np.corrcoef(pdist(X_IRIS), between)[0, 1]
    assert sortal.point_biserial_index(X_IRIS, Y_IRIS) == pytest.approx(expected, rel=1e-12)


def test_wilks_lambda_of_iris():
    # Wilks' Λ of Fisher's iris, 0.02344 in every textbook of multivariate analysis
    log = sortal.log_determinant_ratio(X_IRIS, Y_IRIS)
    assert math.exp(-log / 150) == pytest.approx(0.02344, abs=5e-6)


# -- accuracy and degenerate input -------------------------------------------------------------


def test_tight_clusters_far_from_the_origin_and_apart():
    from fractions import Fraction

    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 6)
    X = 1e6 * (1 + labels[:, None]) + rng.normal(size=(12, 2)) * 1e-4
    exact = [[Fraction(v) for v in row] for row in X]

    def scatter(rows):
        mean = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        return [
            [sum((r[a] - mean[a]) * (r[b] - mean[b]) for r in rows) for b in (0, 1)] for a in (0, 1)
        ]

    one, two, T = scatter(exact[:6]), scatter(exact[6:]), scatter(exact)
    W = [[one[a][b] + two[a][b] for b in (0, 1)] for a in (0, 1)]
    ratio = (T[0][0] * T[1][1] - T[0][1] ** 2) / (W[0][0] * W[1][1] - W[0][1] ** 2)
    assert sortal.log_determinant_ratio(X, labels) == pytest.approx(12 * math.log(ratio), rel=1e-9)


def test_singular_scatter_has_a_reason():
    rng = np.random.default_rng(1)
    function = sortal.log_determinant_ratio
    X, labels = rng.normal(size=(12, 3)), np.arange(12) % 3
    for _ in range(10):  # rounding leaves an eigenvalue just below 0, or just above
        X = rng.normal(size=(15, 3))
        dependent = np.column_stack([X, X @ rng.normal(size=3)])
        with pytest.raises(UndefinedMeasureError, match="singular"):
            function(dependent, np.arange(15) % 2)
    X = X[:12]
    constant = np.column_stack([X[:, :2], labels])
    with pytest.raises(UndefinedMeasureError, match="singular"):
        function(constant, labels)
    with pytest.raises(UndefinedMeasureError, match="singular"):
        function(rng.normal(size=(12, 20)), labels)


def test_few_objects_are_named_in_the_reason():
    X = np.random.default_rng(2).normal(size=(6, 5))
    with pytest.raises(
        UndefinedMeasureError, match="at least 5 \\+ k = 7 objects, and there are 6"
    ):
        sortal.log_determinant_ratio(X, [0, 0, 0, 1, 1, 1])


def test_determinants_of_many_features_stay_in_range():
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1], 300)
    X = 1e6 * (rng.normal(size=(600, 80)) + labels[:, None])
    W = sum(naive.outer_sums(X[labels == c], X[labels == c].mean(axis=0)) for c in (0, 1))
    log_w = np.linalg.slogdet(W)[1]
    log_t = np.linalg.slogdet(naive.outer_sums(X, X.mean(axis=0)))[1]
    assert sortal.log_determinant_ratio(X, labels) == pytest.approx(600 * (log_t - log_w))


@pytest.mark.parametrize(
    ("key", "X", "labels", "match"),
    [
        ("banfield_raftery_index", [[0.0], [1.0], [5.0]], [0, 0, 1], "1 object of a cluster"),
        ("pooled_variance", [[0.0], [1.0]], [0, 1], "singleton"),
        ("cubic_clustering_criterion", [[0.0], [0.0], [1.0]], [0, 0, 1], "centroid"),
        ("sd_separation", [[0.0], [1.0], [0.0], [1.0]], [0, 0, 1, 1], "same centroid"),
        ("sd_scattering", [[1.0], [1.0]], [0, 1], "coincide"),
        ("point_biserial_index", [[1.0], [1.0], [1.0]], [0, 0, 1], "equal"),
        ("point_biserial_index", [[1.0], [2.0]], [0, 1], "singleton"),
    ],
)
def test_undefined_says_why(key, X, labels, match):
    with pytest.raises(UndefinedMeasureError, match=match):
        catalogue[key].function(X, labels)


def test_objects_at_two_centroids_are_neutral():
    # all objects are at both centroids: R = 1
    assert sortal.wemmert_gancarski_index([[1.0]] * 4, [0, 0, 1, 1]) == 0.0


def test_what_is_left_out_does_not_count():
    X, labels = random_case(8)
    keys = [*OF_SCATTER, *OF_SPREAD, *OF_PAIRS]
    noisy = np.concatenate([[[50.0] * X.shape[1]], X, [[-70.0] * X.shape[1]]])
    padded = np.concatenate([[-1], labels, [-1]])
    found = sortal.evaluate(noisy, padded, measures=keys, noise="drop").table.iloc[0]
    check(found, sortal.evaluate(X, labels, measures=keys).table.iloc[0])


def test_asymmetric_distances_are_rejected():
    X = np.random.default_rng(0).random((8, 3)) + 0.1
    labels = [0, 1] * 4
    with pytest.raises(InputError, match="symmetric_kl"):
        sortal.point_biserial_index(X, labels, metric="kl")
    assert np.isfinite(sortal.point_biserial_index(X, labels, metric="symmetric_kl"))


def test_determinants_of_the_best_separation():
    """T is singular by rounding where the clusters are far apart; ∣T∣/∣W∣ is not 1 then."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 100)
    noise = rng.normal(size=(200, 2))
    near, far = (
        sortal.log_determinant_ratio(noise + labels[:, None] * s, labels) for s in (1e4, 1e9)
    )
    # between scatter grows with the square of the distance, and with it the ratio
    assert math.exp((far - near) / 200) == pytest.approx(1e10, rel=1e-3)
