"""Internal measures against naive oracles, check values, laws and peers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn import metrics
from sklearn.datasets import load_iris

import naive_internal as naive
import sortal
from example_counts import examples
from sortal import InputError, UndefinedMeasureError
from sortal.labelings import as_labelings
from sortal.measures import catalogue
from sortal.measures.passes import Statistics

X_IRIS, Y_IRIS = load_iris(return_X_y=True)
OF_DISTANCES = sorted(naive.of_distances(naive.matrix([[0], [1], [5], [9]]), [0, 0, 1, 1]))
OF_CENTROIDS = sorted(naive.of_centroids([[0.0], [1], [5], [9]], [0, 0, 1, 1]))
DENSE_METRICS = sorted(naive.ONE)
SPARSE_METRICS = sorted(set(DENSE_METRICS) - {"correlation"})


def random_case(seed, n=None, d=None, k=None, integers=False):
    rng = np.random.default_rng(seed)
    n = n or int(rng.integers(6, 26))
    d = d or int(rng.integers(1, 7))
    k = k or int(rng.integers(2, 5))
    X = rng.integers(0, 4, (n, d)).astype(float) if integers else rng.gamma(1.0, 1.0, (n, d))
    labels = np.concatenate([np.arange(k), np.zeros(1, int), rng.integers(0, k, n - k - 1)])
    return X, rng.permutation(labels)


def check(found, expected, rel=1e-9):
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, rel=rel, abs=1e-12), key


# -- check values ---------------------------------------------------------------------------

IRIS = {
    "silhouette": 0.5034774406933,
    "baker_hubert_gamma": 0.8794725534956,
    "c_index": 0.0467615102095,
    "dunn_index": 0.0584805321472,
    "calinski_harabasz_index": 487.3308763748999,
    "davies_bouldin_index": 0.751370709476,
    "within_sum_of_squares": 89.2974,
    "pbm_index": 21.1906132618,
    "mcclain_rao_index": 0.288023912951,
}


@pytest.mark.parametrize("key", sorted(IRIS))
def test_iris_check_values(key):
    assert catalogue[key].function(X_IRIS, Y_IRIS) == pytest.approx(IRIS[key], rel=1e-11)


def test_lemma_2_all_distances_equal_and_balanced():
    n, k = 12, 3
    D = np.ones((n, n)) - np.eye(n)
    value = sortal.normalized_cut(D, np.arange(n) % k, metric="precomputed")
    assert value == pytest.approx(k**2 * ((n - 1) / (n / k - 1) - 1))


# -- oracles --------------------------------------------------------------------------------


@examples(25)
@given(st.integers(0, 10**6), st.booleans())
def test_measures_of_distances_equal_the_definitions(seed, integers):
    X, labels = random_case(seed, integers=integers)
    D = naive.matrix(X)
    with np.errstate(all="ignore"):
        expected = {k: v for k, v in naive.of_distances(D, labels).items() if math.isfinite(v)}
    scores = sortal.evaluate(X, labels, measures=list(expected))
    check(scores.table.iloc[0], expected)


@examples(25)
@given(st.integers(0, 10**6))
def test_measures_of_centroids_equal_the_definitions(seed):
    X, labels = random_case(seed)
    check(
        sortal.evaluate(X, labels, measures=OF_CENTROIDS).table.iloc[0],
        naive.of_centroids(X, labels),
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", DENSE_METRICS)
def test_every_metric_dense(metric, dtype):
    X, labels = random_case(7, n=20, d=5, k=3, integers=metric in ("jaccard", "dice", "matching"))
    X = (X + (metric not in ("jaccard", "dice", "matching", "cosine")) * 0.1).astype(dtype)
    expected = naive.of_distances(naive.matrix(X, metric), labels)
    if metric == "kl":
        expected = {k: v for k, v in expected.items() if catalogue[k].default}
        # extremes of pairs of an asymmetric distance are of both ways
        for key in ("dunn_index", "ratio_cut", "normalized_cut"):
            del expected[key]
    expected = {k: v for k, v in expected.items() if math.isfinite(v)}
    check(
        sortal.evaluate(X, labels, measures=list(expected), metric=metric).table.iloc[0], expected
    )


@pytest.mark.parametrize("metric", SPARSE_METRICS)
def test_every_metric_sparse(metric):
    rng = np.random.default_rng(3)
    X, labels = random_case(11, n=24, d=8, k=3)
    X[rng.random(X.shape) < 0.6] = 0
    X[:, 0] += 0.5
    if metric in ("kl", "symmetric_kl"):
        X += 0.1
    keys = [key for key in OF_DISTANCES if catalogue[key].default]
    dense = sortal.evaluate(X, labels, metric=metric, measures=keys)
    found = sortal.evaluate(sparse.csr_array(X), labels, metric=metric, measures=keys)
    np.testing.assert_allclose(found.table, dense.table, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "extended_jaccard"])
def test_matrix_products_give_the_same_as_differences(metric):
    X, labels = random_case(5, n=40, d=90, k=3)
    expected = naive.of_distances(naive.matrix(X, metric), labels)
    check(
        sortal.evaluate(X, labels, measures=list(expected), metric=metric).table.iloc[0], expected
    )


def test_precomputed_and_callable_give_the_same():
    X, labels = random_case(9, n=30)
    expected = naive.of_distances(naive.matrix(X, "cityblock"), labels)
    keys = list(expected)
    D = naive.matrix(X, "cityblock")
    check(sortal.evaluate(D, labels, measures=keys, metric="precomputed").table.iloc[0], expected)
    city = lambda x, y: abs(x - y).sum()  # noqa: E731
    check(sortal.evaluate(X, labels, measures=keys, metric=city).table.iloc[0], expected)


@pytest.mark.parametrize("separation", sorted(naive.separations([[0], [1]], np.eye(2), [0, 1])))
@pytest.mark.parametrize("diameter", ["complete", "average", "centroid"])
def test_generalised_dunn(separation, diameter):
    X, labels = random_case(13, n=40, d=3, k=4)
    D = naive.matrix(X)
    expected = naive.separations(X, D, labels)[separation] / naive.diameters(X, D, labels)[diameter]
    found = sortal.dunn_index(X, labels, separation=separation, diameter=diameter)
    assert found == pytest.approx(expected)


def test_samples_and_clusters():
    X, labels = random_case(17, n=30, k=4)
    D = naive.matrix(X)
    samples = sortal.silhouette_samples(X, labels)
    np.testing.assert_allclose(samples, naive.silhouette_samples(D, labels), atol=1e-12)
    np.testing.assert_allclose(
        Statistics(X, as_labelings(labels), ["objects"]).objects["margin_sums"][0],
        naive.margins(D, labels),
        rtol=1e-9,
    )
    by_cluster = sortal.silhouette_by_cluster(X, labels)
    for c in range(4):
        assert by_cluster[c] == pytest.approx(samples[labels == c].mean())


@pytest.mark.parametrize("q", [1, 2])
def test_davies_bouldin_exponents(q):
    X, labels = random_case(19, n=30, d=3, k=3)
    C = np.array([X[labels == c].mean(axis=0) for c in range(3)])
    r = np.linalg.norm(X - C[labels], axis=1)
    S = [np.mean(r[labels == c] ** q) ** (1 / q) for c in range(3)]
    worst = [max((S[a] + S[b]) / abs(C[a] - C[b]).sum() for b in range(3) if b != a)
             for a in range(3)]  # fmt: skip
    assert sortal.davies_bouldin_index(X, labels, p=1, q=q) == pytest.approx(np.mean(worst))


# -- peers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "cityblock", "correlation"])
def test_silhouette_equals_scikit_learn(metric):
    X, labels = random_case(23, n=700, d=9, k=4)
    expected = metrics.silhouette_samples(X, labels, metric=metric)
    np.testing.assert_allclose(
        sortal.silhouette_samples(X, labels, metric=metric), expected, atol=1e-9
    )


def test_genieclust_agrees():
    peer = pytest.importorskip("genieclust.cluster_validity", reason="genieclust is not there")
    X, labels = random_case(29, n=200, d=4, k=4)
    assert sortal.silhouette(X, labels) == pytest.approx(peer.silhouette_index(X, labels))
    # signs are theirs: every index one to maximise; Dunn of nearest and farthest objects
    assert sortal.davies_bouldin_index(X, labels) == pytest.approx(
        -peer.negated_davies_bouldin_index(X, labels)
    )
    assert sortal.dunn_index(X, labels) == pytest.approx(
        peer.generalised_dunn_index(X, labels, lowercase_d=1, uppercase_d=1)
    )


# -- laws -----------------------------------------------------------------------------------

SCALE_POWER = {
    "within_sum_of_squares": 2,
    "ball_hall_index": 2,
    "pbm_index": 2,
    "ratio_cut": -2,
    "within_cluster_scatter": 1,
    "weighted_within_cluster_scatter_1": 1,
    "weighted_within_cluster_scatter_2": 1,
    "average_within_cluster_scatter": 1,
    "between_cluster_scatter": 1,
    "average_between_cluster_scatter": 1,
}


@pytest.mark.parametrize("key", OF_DISTANCES + OF_CENTROIDS)
def test_translation_permutation_and_scale(key):
    X, labels = random_case(31, n=60, d=3, k=4)
    function = catalogue[key].function
    value = function(X, labels)
    order = np.random.default_rng(0).permutation(60)
    renamed = np.array([5, 1, 9, 4])[labels]
    assert function(X[order], renamed[order]) == pytest.approx(value, rel=1e-12)
    assert function(X + 100.0, labels) == pytest.approx(value, rel=1e-9)
    power = SCALE_POWER.get(key, 0)
    assert function(X * 4, labels) == pytest.approx(value * 4.0**power, rel=1e-12)


def test_many_labelings_equal_one_by_one():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 5))
    labelings = {str(k): rng.integers(0, k, 300) for k in (2, 3, 7, 40)}
    keys = [*OF_DISTANCES, *OF_CENTROIDS]
    scores = sortal.evaluate(X, labelings, measures=keys)
    for name, labels in labelings.items():
        alone = sortal.evaluate(X, labels, measures=keys).table.iloc[0]
        np.testing.assert_allclose(scores.table.loc[name], alone, rtol=1e-11)


@pytest.mark.parametrize("case", ["normal", "integers", "duplicates", "two places"])
def test_c_index_equals_sorting_all_distances(case):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(400, 3)) * [1, 10, 0.1]
    if case == "integers":
        X = np.round(X)
    elif case == "duplicates":
        X = np.repeat(X[:40], 10, axis=0)
    elif case == "two places":
        X = np.repeat(X[:2], 200, axis=0)
    labelings = rng.integers(0, 4, (3, 400))
    labelings[1] = rng.integers(0, 60, 400)
    D = np.sort(pdist(X))
    for labels, found in zip(
        labelings, sortal.evaluate(X, labelings, measures=["c_index"])["c_index"], strict=True
    ):
        sizes = np.bincount(labels)
        within = int((sizes * (sizes - 1) // 2).sum())
        low, high = D[:within].sum(), D[len(D) - within :].sum()
        total = sum(pdist(X[labels == c]).sum() for c in range(len(sizes)))
        assert found == pytest.approx((total - low) / (high - low), rel=1e-11)


def test_one_cluster_is_needed_of_a_clustering_of_outliers():
    X = np.random.default_rng(0).normal(size=(20, 2))
    measures = [
        key for key, one in catalogue.items() if one.kind == "internal" and one.takes != "graph"
    ]
    scores = sortal.evaluate(
        X, {"none": [-1] * 20, "two": [0, 1] * 10}, measures=measures, noise="drop"
    )
    least = {
        key: why[-1] for key, why in scores.reasons["none"].items() if "it needs at least" in why
    }
    of_one = {key for key, number in least.items() if number == "1"}
    assert set(least.values()) == {"1", "2"}
    assert of_one >= {"bayesian_information_criterion", "akaike_information_criterion"}
    assert of_one >= {"within_sum_of_squares", "within_cluster_scatter"}


# -- accuracy and degenerate input ----------------------------------------------------------


@pytest.mark.parametrize("d", [2, 70])
def test_tight_clusters_far_from_the_origin(d):
    from fractions import Fraction

    rng = np.random.default_rng(4)
    X = 1e6 + rng.normal(size=(12, d)) * 1e-5
    labels = np.repeat([0, 1], 6)
    X[6:] += 1e-3
    exact = [[Fraction(v) for v in row] for row in X]
    D = np.array([
        [math.sqrt(sum((a - b) ** 2 for a, b in zip(x, y, strict=True))) for y in exact]
        for x in exact
    ])  # fmt: skip
    expected = naive.of_distances(D, labels)
    found = sortal.evaluate(X, labels, measures=list(expected)).table.iloc[0]
    check(found, expected, rel=1e-9)
    shifted = np.array(
        [[float(v - w) for v, w in zip(row, exact[0], strict=True)] for row in exact]
    )
    check(
        sortal.evaluate(X, labels, measures=OF_CENTROIDS).table.iloc[0],
        naive.of_centroids(shifted, labels),
        rel=1e-9,
    )


@pytest.mark.parametrize("d", [2, 70])
def test_tight_clusters_far_apart(d):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(12, d)) * 1e-3
    X[6:] += 1e6
    labels = np.repeat([0, 1], 6)
    expected = naive.of_distances(naive.matrix(X), labels)
    check(sortal.evaluate(X, labels, measures=list(expected)).table.iloc[0], expected, rel=1e-9)


def test_coincident_points():
    X = np.array([[0.0], [0.0], [5.0], [5.0]])
    assert sortal.silhouette(X, [0, 0, 1, 1]) == 1.0
    assert sortal.normalized_cut(X, [0, 0, 1, 1]) == 0.0
    assert sortal.point_wise_margin(X, [0, 0, 1, 1]) == 0.0
    split = [0, 1, 0, 1]
    assert sortal.silhouette(X, split) == pytest.approx(-0.5)
    assert sortal.ratio_cut(X, split) == math.inf
    assert sortal.normalized_cut(X, split) == math.inf
    assert sortal.point_wise_margin(X, split) == math.inf
    same = np.zeros((5, 2))
    assert sortal.silhouette(same, [0, 0, 1, 1, 1]) == 0.0
    assert sortal.point_wise_margin(same, [0, 0, 1, 1, 1]) == 1.0
    with pytest.raises(UndefinedMeasureError, match="∞ · 0"):
        sortal.normalized_cut(same, [0, 0, 1, 1, 1])
    for key in ("c_index", "baker_hubert_gamma", "dunn_index", "davies_bouldin_index"):
        with pytest.raises(UndefinedMeasureError):
            catalogue[key].function(same, [0, 0, 1, 1, 1])


@pytest.mark.parametrize("key", OF_DISTANCES + OF_CENTROIDS)
def test_one_cluster_and_singletons_have_a_value_or_a_reason(key):
    X = np.random.default_rng(6).normal(size=(6, 2))
    scores = sortal.evaluate(X, {"one": [0] * 6, "all": range(6)}, measures=[key])
    for name in ("one", "all"):
        value = scores.table.at[name, key]
        reason = scores.reasons.get(name, {}).get(key)
        assert (reason is None) == (not math.isnan(value))


def test_outlier_policies():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(40, 3))
    labels = rng.integers(-1, 3, 40)
    kept = labels != -1
    keys = [*OF_DISTANCES, *OF_CENTROIDS]
    with pytest.raises(InputError, match="noise"):
        sortal.evaluate(X, labels, measures=keys)
    drop = sortal.evaluate(X, labels, measures=keys, noise="drop").table.iloc[0]
    np.testing.assert_allclose(
        drop, sortal.evaluate(X[kept], labels[kept], measures=keys).table.iloc[0]
    )
    cluster = sortal.evaluate(X, labels, measures=keys, noise="cluster").table.iloc[0]
    np.testing.assert_allclose(cluster, sortal.evaluate(X, labels + 1, measures=keys).table.iloc[0])
    alone = np.where(kept, labels, 100 + np.arange(40))
    single = sortal.evaluate(X, labels, measures=keys, noise="singletons").table.iloc[0]
    np.testing.assert_allclose(single, sortal.evaluate(X, alone, measures=keys).table.iloc[0])
    # batches in which each clustering excludes others
    both = sortal.evaluate(X, {"a": labels, "b": labels[::-1]}, measures=keys, noise="drop")
    np.testing.assert_allclose(both.table.loc["a"], drop, rtol=1e-12)


@pytest.mark.parametrize(
    ("X", "metric", "match"),
    [
        ([[0.0, 1.0]], "precomputed", "n×n"),
        ([[0.0, -1.0], [-1.0, 0.0]], "precomputed", "negative"),
        ([[1.0, 0.5], [0.5, 1.0]], "precomputed", "itself"),
        (sparse.csr_array(np.eye(2)), "precomputed", "missing entries"),
        ([[0.0], [1.0]], "euclidian", "did you mean 'euclidean'"),
        ([[0.0, 1.0], [0.0, 0.0]], "kl", "rows without negative"),
        ([[1.0, 1.0], [2.0, 2.0]], "mahalanobis", "singular"),
    ],
)
def test_errors_say_the_way_out(X, metric, match):
    with pytest.raises(InputError, match=match):
        sortal.silhouette(X, [0, 1], metric=metric)


def test_ranks_need_a_symmetric_distance():
    with pytest.raises(InputError, match="symmetric"):
        sortal.baker_hubert_gamma(
            np.random.default_rng(0).random((6, 3)), [0, 0, 0, 1, 1, 1], metric="kl"
        )


def test_what_one_measure_cannot_use_leaves_the_others():
    X = np.random.default_rng(0).random((6, 3))
    scores = sortal.evaluate(
        X, [0, 0, 0, 1, 1, 1], metric="kl", measures=["aucc", "between_within_ratio"]
    )
    assert "symmetric" in scores.reasons["0"]["aucc"]
    assert scores.table.at["0", "between_within_ratio"] > 0


def test_features_are_needed_for_centroids():
    D = naive.matrix(np.random.default_rng(0).random((6, 2)))
    scores = sortal.evaluate(D, [0, 0, 0, 1, 1, 1], metric="precomputed")
    assert "davies_bouldin_index" not in scores.table
    with pytest.raises(InputError, match="features"):
        sortal.evaluate(D, [0, 0, 1, 1, 1, 1], metric="precomputed", measures=["pbm_index"])


@pytest.mark.parametrize("key", [m.key for m in catalogue.select(kind="internal")])
def test_a_clustering_that_leaves_out_everything_has_reasons_and_stops_nobody(key):
    X = np.random.default_rng(9).normal(size=(30, 2))
    labelings = {
        "none": np.full(30, -1),
        "one": np.r_[3, np.full(29, -1)],
        "two": np.arange(30) % 2,
    }
    metric = "euclidean"
    if catalogue[key].takes == "graph":
        X, metric = np.abs(X @ X.T), "graph"
    scores = sortal.evaluate(X, labelings, measures=[key], noise="drop", metric=metric)
    assert np.isfinite(scores.table.loc["two", key])
    for name in ("none", "one"):
        assert np.isfinite(scores.table.loc[name, key]) != (key in scores.reasons.get(name, {}))
    assert np.isnan(scores.table.loc["none", key])
    assert "Error" not in scores.reasons["none"][key]
