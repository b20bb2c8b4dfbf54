"""Margins, models, soft, density, gap, chance and sampled measures against their definitions."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs, make_moons

import naive_internal as naive
import sortal
from sortal import InputError, UndefinedMeasureError
from sortal.measures import catalogue

X_IRIS, Y_IRIS = load_iris(return_X_y=True)


def small(seed=0, n=14, k=3, d=2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), np.concatenate([np.arange(k), rng.integers(0, k, n - k)])


# -- check values ---------------------------------------------------------------------------


def test_iris_values_of_other_packages():
    assert sortal.connectivity(X_IRIS, Y_IRIS) == pytest.approx(23.2746031746, rel=1e-10)
    single = sortal.xie_beni_index(X_IRIS, Y_IRIS, separation="single")
    assert single == pytest.approx(11.90632, rel=1e-6)


def test_dbcv_on_two_moons():
    X, labels = make_moons(n_samples=300, noise=0.05, random_state=1782)
    assert sortal.dbcv(X, labels) == pytest.approx(0.8545358723, rel=1e-9)


def test_dbcv_counts_outliers_in_n():
    X, labels = make_moons(n_samples=100, noise=0.05, random_state=0)
    noisy = np.concatenate([X, [[9.0, 9.0]] * 25 + np.random.default_rng(0).normal(size=(25, 2))])
    value = sortal.dbcv(noisy, np.concatenate([labels, np.full(25, -1)]))
    assert value == pytest.approx(sortal.dbcv(X, labels) * 100 / 125)


# -- margins --------------------------------------------------------------------------------


def naive_margin(X, labels, relative):
    D, groups = naive.matrix(X), naive.clusters(labels)
    found = []
    for R in itertools.product(*groups):
        values = []
        for i in set(range(len(X))) - set(R):
            first, second = sorted(D[i, r] for r in R)[:2]
            values.append(first / second if relative else second - first)
        found.append(np.mean(values))
    if relative:
        return min(found)
    return max(found) / np.mean(naive.pairs(D, labels)[0])


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_margins_equal_the_definitions(seed, k):
    X, labels = small(seed, k=k)
    relative, additive = sortal.relative_margin(X, labels), sortal.additive_margin(X, labels)
    assert relative.exact
    assert relative == pytest.approx(naive_margin(X, labels, True))
    assert additive == pytest.approx(naive_margin(X, labels, False))


# -- models ---------------------------------------------------------------------------------


def test_bic_and_aic_are_those_of_the_likelihood():
    X, labels = small(5, n=40)
    n, d = X.shape
    C = np.array([X[labels == c].mean(axis=0) for c in range(3)])
    variance = ((X - C[labels]) ** 2).sum() / (n * d)
    share = np.bincount(labels) / n
    log_likelihood = sum(
        math.log(share[c])
        - d / 2 * math.log(2 * math.pi * variance)
        - ((x - C[c]) ** 2).sum() / (2 * variance)
        for x, c in zip(X, labels, strict=True)
    )
    p = 2 + 3 * d + 1
    assert sortal.bayesian_information_criterion(X, labels) == pytest.approx(
        -2 * log_likelihood + p * math.log(n)
    )
    assert sortal.akaike_information_criterion(X, labels) == pytest.approx(
        -2 * log_likelihood + 2 * p
    )


# -- soft -----------------------------------------------------------------------------------


def test_soft_measures_equal_the_definitions():
    rng = np.random.default_rng(0)
    X, U = rng.normal(size=(20, 3)), rng.dirichlet(np.ones(3), 20)
    W = U**2
    V = [sum(W[i, c] * X[i] for i in range(20)) / W[:, c].sum() for c in range(3)]
    J = sum(W[i, c] * ((X[i] - V[c]) ** 2).sum() for i in range(20) for c in range(3))
    apart = [math.dist(V[a], V[b]) for a, b in itertools.combinations(range(3), 2)]
    assert sortal.xie_beni_index(X, U) == pytest.approx(J / 20 / min(apart) ** 2)
    E = sum(W[i, c] * math.dist(X[i], V[c]) for i in range(20) for c in range(3))
    E1 = sum(math.dist(x, X.mean(axis=0)) for x in X)
    assert sortal.pbm_index(X, U, fuzzifier=2) == pytest.approx((E1 / E * max(apart) / 3) ** 2)
    assert sortal.partition_coefficient(U) == pytest.approx(sum(u * u for u in U.ravel()) / 20)
    assert sortal.partition_entropy(U) == pytest.approx(
        -sum(u * math.log(u) for u in U.ravel()) / 20
    )


def test_hard_clusterings_are_soft_ones_of_0_and_1():
    X, labels = small(3, n=30)
    U = np.eye(3)[labels]
    assert sortal.xie_beni_index(X, labels) == pytest.approx(sortal.xie_beni_index(X, U))
    assert sortal.pbm_index(X, labels) == pytest.approx(sortal.pbm_index(X, U))
    assert sortal.partition_coefficient(U) == 1
    assert sortal.partition_entropy(U) == 0


# -- neighbours -----------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_connectivity_and_cvnn_equal_the_definitions(metric):
    X, labels = small(7, n=25)
    other = np.arange(25) % 2
    D = naive.matrix(X, metric)
    near = [sorted(set(range(25)) - {i}, key=lambda j, i=i: D[i, j])[:10] for i in range(25)]
    expected = sum(
        1 / (r + 1) for i in range(25) for r, j in enumerate(near[i]) if labels[i] != labels[j]
    )
    assert sortal.connectivity(X, labels, metric=metric) == pytest.approx(expected)
    separation, compactness = [], []
    for given in (labels, other):
        groups = naive.clusters(given)
        foreign = [np.mean([given[j] != given[i] for j in near[i]]) for i in range(25)]
        separation.append(max(np.mean([foreign[i] for i in g]) for g in groups))
        compactness.append(sum(np.mean(naive.pairs_in(D, g)) for g in groups))
    expected = np.divide(separation, max(separation)) + np.divide(compactness, max(compactness))
    found = sortal.cvnn_index(X, [labels, other, [0] * 25], metric=metric)
    np.testing.assert_allclose(found["cvnn_index"], [*expected, np.nan])
    assert list(found.reasons) == ["2"]


# -- graph cuts -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["ratio", "normalized", "minmax"])
def test_graph_cuts_equal_the_definitions(kind):
    from scipy import sparse
    from scipy.spatial.distance import cdist

    X, labels = small(9, n=15)
    A = np.exp(-cdist(X, X, "sqeuclidean") / 0.98)
    np.fill_diagonal(A, 0)
    expected = 0.0
    for g in naive.clusters(labels):
        rest = sorted(set(range(15)) - set(g))
        cut = sum(A[i, j] for i in g for j in rest)
        within = sum(A[i, j] for i in g for j in g)
        expected += cut / {"ratio": len(g), "normalized": cut + within, "minmax": within}[kind]
    function = getattr(sortal, f"graph_{kind}_cut")
    assert function(A, labels) == pytest.approx(expected)
    assert function(sparse.csr_array(A), labels) == pytest.approx(expected)


# -- gap ------------------------------------------------------------------------------------


def two_starts(X, k, seed):
    return KMeans(k, n_init=2, random_state=seed).fit_predict(X)


@pytest.mark.quick(1)
@pytest.mark.parametrize("reference", ["box", "pca"])
@pytest.mark.parametrize("weighted", [False, True])
def test_gap_finds_three_blobs_and_repeats(reference, weighted):
    X, _ = make_blobs(120, centers=[[0, 0], [6, 6], [12, 0]], cluster_std=0.5, random_state=0)
    options = {"k": range(1, 5), "n_references": 6, "reference": reference, "weighted": weighted}
    options["clusterer"] = two_starts
    found = sortal.gap_statistic(X, random_state=3, **options)
    assert found.first_k == 3
    again = sortal.gap_statistic(X, random_state=3, **options)
    assert found.table.equals(again.table)
    labels = found.labels[3]
    D = naive.matrix(X, "sqeuclidean")
    scatter = sum(
        sum(naive.pairs_in(D, g)) / (len(g) * ((len(g) - 1) if weighted else 1))
        for g in naive.clusters(labels)
    )
    assert found.table.at[3, "log_scatter"] == pytest.approx(math.log(scatter))


def test_gap_follows_its_rule():
    """s_k is the standard deviation over B references times √(1 + 1/B); the rule charges s_k'."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2)) + np.repeat([[0.0, 0], [3, 0]], 30, axis=0)
    expected = []

    def halves(points, k, seed):
        return (np.argsort(np.argsort(points[:, 0])) * k // len(points)).astype(int)

    class Spy:
        def __call__(self, points, k, seed):
            labels = halves(points, k, seed)
            if points is not X:
                squares = sum(
                    ((points[labels == c] - points[labels == c].mean(axis=0)) ** 2).sum()
                    for c in range(k)
                )
                expected.append((k, math.log(squares)))
            return labels

    found = sortal.gap_statistic(X, Spy(), k=range(2, 7), n_references=3, random_state=0)
    for k in range(2, 7):
        values = [value for number, value in expected if number == k][-3:]
        spread = np.std(values) * math.sqrt(1 + 1 / 3)
        assert found.table.at[k, "standard_error"] == pytest.approx(spread, rel=1e-9)
        gap = np.mean(values) - found.table.at[k, "log_scatter"]
        assert found.table.at[k, "gap"] == pytest.approx(gap, rel=1e-9)
    gap, error = found.table["gap"], found.table["standard_error"]
    fits = [k for k in range(2, 6) if gap[k] >= gap[k + 1] - error[k + 1]]
    assert found.first_k == (fits[0] if fits else 6)


def test_gap_of_iris_as_in_r():
    # clusGap of R's cluster, B = 50: the error of such a mean is about 0.06 / 7
    options = {"k": range(1, 6), "n_references": 50, "reference": "pca"}
    # the logarithm of squared distances is about twice that of R's distances
    found = sortal.gap_statistic(X_IRIS, **options)
    assert found.table.at[3, "gap"] == pytest.approx(2 * 0.44, abs=0.05)


def test_gap_can_answer_one():
    X = np.random.default_rng(0).uniform(size=(150, 2))
    assert sortal.gap_statistic(X, two_starts, k=range(1, 4), random_state=0).first_k == 1


# -- chance ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "key",
    [
        "within_cluster_scatter",
        "weighted_within_cluster_scatter_1",
        "weighted_within_cluster_scatter_2",
        "average_within_cluster_scatter",
        "between_cluster_scatter",
        "average_between_cluster_scatter",
    ],
)
def test_closed_forms_are_the_mean_over_all_permutations(key):
    X, labels = small(11, n=6, k=3)
    values = [
        naive.of_distances(naive.matrix(X), list(p))[key]
        for p in set(itertools.permutations(labels.tolist()))
    ]
    found = sortal.measures.chance_corrected_internal(key, X, labels, optimum=0.0)
    assert found.expected == pytest.approx(np.mean(values))
    assert found.standard_error == 0


def test_monte_carlo_agrees_with_itself_within_its_error():
    X, labels = make_blobs(60, centers=3, random_state=1)
    few, many = (
        sortal.measures.chance_corrected_internal(
            "silhouette", X, labels, n_permutations=b, random_state=b
        )
        for b in (100, 2000)
    )
    assert abs(few.value - many.value) < 5 * few.standard_error
    assert many.standard_error < few.standard_error
    with pytest.raises(InputError, match="optimum="):
        sortal.measures.chance_corrected_internal("dunn_index", X, labels)


# -- the catalogue --------------------------------------------------------------------------


def test_every_record_is_complete():
    for measure in catalogue.values():
        if measure.kind != "internal" or not measure.function.__module__.startswith("sortal"):
            continue
        assert measure.summary, measure.key
        assert measure.source, measure.key
        assert measure.cost, measure.key
        low, high = measure.range
        assert low <= measure.optimum <= high, measure.key


def test_undefined_says_why():
    with pytest.raises(UndefinedMeasureError, match="centroid"):
        sortal.bayesian_information_criterion([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1])
    with pytest.raises(UndefinedMeasureError, match="at least 2"):
        sortal.dbcv(X_IRIS, np.zeros(150, int))


@pytest.mark.parametrize(
    "key",
    ["davies_bouldin_index", "xie_beni_index", "ray_turi_index", "s_dbw_index",
     "wemmert_gancarski_index"],
)  # fmt: skip
def test_singletons_are_no_best_clustering_of_centroids(key):
    X = np.random.default_rng(0).normal(size=(8, 2))
    function = catalogue[key].function
    with pytest.raises(UndefinedMeasureError, match="every cluster is a singleton"):
        function(X, np.arange(8))
    assert "singleton" in sortal.evaluate(X, np.arange(8), measures=[key]).reasons["0"][key]
    assert np.isfinite(function(X, [0, 0, 1, 2, 3, 4, 5, 6]))
    # weight 2 stands for two objects that coincide, so they are a pair
    assert function(X, np.arange(8), sample_weight=[2.0] * 8) == catalogue[key].optimum


@pytest.mark.parametrize("exponent", [-266, 266, 480])
def test_scattering_does_not_depend_on_the_unit(exponent):
    X, labels = small(2, n=25, k=3)
    for key in ("s_dbw_index", "sd_scattering"):
        function = catalogue[key].function
        assert function(X * 2.0**exponent, labels) == pytest.approx(function(X, labels))


def naive_cvnn(X, labelings, n_neighbors, pooled=False):
    D = naive.matrix(X)
    separation, compactness = [], []
    for labels in labelings:
        foreign = []
        for g in naive.clusters(labels):
            near = [sorted(set(range(len(X))) - {i}, key=lambda j: D[i, j]) for i in g]
            foreign.append(np.mean([labels[j] != labels[g[0]] for row in near
                                    for j in row[:n_neighbors]]))  # fmt: skip
        inside = [naive.pairs_in(D, g) for g in naive.clusters(labels)]
        separation.append(max(foreign))
        if pooled:
            compactness.append(np.mean([d for p in inside for d in p]))
        else:
            compactness.append(sum(np.mean(p) for p in inside if p))
    return np.array(separation) / max(separation) + np.array(compactness) / max(compactness)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("compactness", ["sum", "pooled"])
def test_cvnn_is_the_papers_or_that_of_fpc(seed, compactness):
    X, labels = small(seed, n=25, k=3)
    other = np.concatenate([[0, 1, 2, 3], np.random.default_rng(seed).integers(0, 4, 21)])
    found = sortal.cvnn_index(X, [labels, other], n_neighbors=5, compactness=compactness)
    expected = naive_cvnn(X, [labels, other], 5, compactness == "pooled")
    np.testing.assert_allclose(found["cvnn_index"], expected, rtol=1e-9)


def test_cvnn_rejects_what_it_does_not_know():
    with pytest.raises(InputError, match="n_neighbors"):
        sortal.cvnn_index(X_IRIS, [Y_IRIS], n_neighbors=0)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "precomputed"])
def test_gaps_and_borders_equal_the_definitions(metric):
    X, labels = small(3, n=31, k=4)
    D = naive.matrix(X, "euclidean" if metric == "precomputed" else metric)
    data = D if metric == "precomputed" else X
    for share in (0.01, 0.1, 0.5, 1.0):
        value = sortal.separation_index(data, labels, share=share, metric=metric)
        assert value == pytest.approx(naive.separation_index(D, labels, share))
    value = sortal.widest_within_gap(data, labels, metric=metric)
    assert value == pytest.approx(naive.widest_within_gap(D, labels))
    marked = np.where(labels == 3, -1, labels)
    kept = labels != 3
    for function in (sortal.separation_index, sortal.widest_within_gap):
        assert function(X, marked, noise="drop") == pytest.approx(function(X[kept], labels[kept]))


def test_gaps_that_have_no_value():
    with pytest.raises(UndefinedMeasureError, match="at least 2"):
        sortal.separation_index([[1.0], [2.0]], [0, 0])
    with pytest.raises(InputError, match="share"):
        sortal.separation_index([[1.0], [2.0]], [0, 1], share=0)
    with pytest.raises(InputError, match="symmetric"):
        sortal.widest_within_gap([[1.0, 2.0], [2.0, 1.0]], [0, 0], metric="kl")
    assert sortal.widest_within_gap([[1.0], [2.0]], [0, 1]) == 0


def test_the_pooled_distance_of_a_single_pair_is_its_own():
    X = np.array([[0.0], [1.0], [5.0], [8.0]])
    labelings = {"one pair": [0, 0, 1, 2], "two pairs": [0, 0, 1, 1]}
    scores = sortal.cvnn_index(X, labelings, n_neighbors=1, compactness="pooled")
    # shares of foreign neighbours 1 and 0; mean distances 1 and 2
    assert scores["cvnn_index"].tolist() == pytest.approx([1 + 1 / 2, 1.0])


def test_a_recommended_measure_does_not_stand_for_itself():
    for kind in ("shapes", "tables", "texts"):
        told = sortal.recommend(kind=kind)["instead_of"]
        assert not any(key in others.split(", ") for key, others in told.items())
        assert any(told)
