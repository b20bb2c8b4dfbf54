"""Weights: an object of weight w is w objects that coincide; parts of objects; what is excluded."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

import naive_internal as naive
import sortal
from example_counts import examples
from sortal import InputError, UndefinedMeasureError
from sortal.distances import FORMS
from sortal.labelings import as_labelings
from sortal.measures import catalogue
from sortal.measures.passes import STATISTICS, Statistics

WEIGHTED_KEYS = [
    m.key
    for m in catalogue.select(kind="internal")
    if m.needs and {STATISTICS[need][0] for need in m.needs} <= {"pairs", "centroids"}
]
OF_DISTANCES = [
    key
    for key in WEIGHTED_KEYS
    if {STATISTICS[need][0] for need in catalogue[key].needs} == {"pairs"}
]
METRICS = sorted({*naive.ONE, "seuclidean", "mahalanobis", "hamming"})
DENSE_ONLY = {"correlation", "seuclidean", "mahalanobis"}

many = examples(60)


def random_case(seed, integers=False):
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(8, 30)), int(rng.integers(1, 6)), int(rng.integers(2, 5))
    X = rng.integers(0, 4, (n, d)).astype(float) if integers else rng.gamma(1.0, 1.0, (n, d)) + 0.1
    labels = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    return X, labels, rng.integers(0, 4, n).astype(float), rng


def same(found, expected, rtol=1e-10):
    """Two tables of scores: values, where there are none, and why."""
    assert list(found) == list(expected)
    for key in expected:
        np.testing.assert_allclose(
            found[key], expected[key], rtol=rtol, atol=1e-13, err_msg=key, equal_nan=True
        )
    assert found.reasons == expected.reasons


# -- a weight is a number of repetitions ----------------------------------------------------


def test_the_weighted_measures_are_known():
    out = {m.key for m in catalogue.select(kind="internal")} - set(WEIGHTED_KEYS)
    ranks = {"aucc", "baker_hubert_gamma", "c_index", "g_plus_index", "kendall_tau_index"}
    assert ranks | {"dbcv", "connectivity", "relative_margin"} <= out
    assert {"silhouette", "dunn_index", "davies_bouldin_index", "s_dbw_index"} <= {*WEIGHTED_KEYS}


@many
@given(st.integers(0, 10**6), st.sampled_from(METRICS), st.sampled_from([np.float32, np.float64]))
def test_weights_are_repetitions(seed, metric, dtype):
    X, labels, w, _ = random_case(seed)
    assume(w.any() and (metric != "mahalanobis" or len(np.unique(X[w > 0], axis=0)) > X.shape[1]))
    X = X.astype(dtype)
    repeated = np.repeat(np.arange(len(w)), w.astype(int))
    found = sortal.evaluate(X, labels, measures=OF_DISTANCES, metric=metric, sample_weight=w)
    again = sortal.evaluate(X[repeated], labels[repeated], measures=OF_DISTANCES, metric=metric)
    same(found, again, 1e-8 if metric == "mahalanobis" else 1e-10)


@many
@given(st.integers(0, 10**6), st.sampled_from([np.float32, np.float64]), st.booleans())
def test_weights_are_repetitions_for_centroids(seed, dtype, integers):
    X, labels, w, _ = random_case(seed, integers)
    assume(w.any())
    X = X.astype(dtype)
    others = {"half": labels // 2, "labels": labels}
    repeated = np.repeat(np.arange(len(w)), w.astype(int))
    found = sortal.evaluate(X, others, measures=WEIGHTED_KEYS, sample_weight=w)
    again = sortal.evaluate(
        X[repeated], {name: row[repeated] for name, row in others.items()}, measures=WEIGHTED_KEYS
    )
    same(found, again)


@many
@given(
    st.integers(0, 10**6),
    st.sampled_from(sorted({*METRICS} - DENSE_ONLY)),
    st.sampled_from([np.float32, np.float64]),
)
def test_weights_are_repetitions_for_sparse_data(seed, metric, dtype):
    X, labels, w, rng = random_case(seed)
    assume(w.any())
    if metric not in ("kl", "symmetric_kl"):
        X[:, 1:][rng.random(X[:, 1:].shape) < 0.6] = 0
    X = sparse.csr_array(X.astype(dtype))
    repeated = np.repeat(np.arange(len(w)), w.astype(int))
    keys = OF_DISTANCES.copy()
    if metric in FORMS:
        keys += ["calinski_harabasz_index", "within_sum_of_squares", "pbm_index"]
    found = sortal.evaluate(X, labels, measures=keys, metric=metric, sample_weight=w)
    again = sortal.evaluate(X[repeated], labels[repeated], measures=keys, metric=metric)
    for key in keys:
        np.testing.assert_allclose(found[key], again[key], rtol=1e-7, atol=1e-9, err_msg=key)


@pytest.mark.parametrize("d", [3, 80])
def test_weights_are_repetitions_of_many_objects(d):
    # several strips and blocks, runs that cross them, distances from products
    rng = np.random.default_rng(d)
    X, w = rng.normal(size=(700, d)), rng.integers(0, 4, 700).astype(float)
    labelings = {"a": rng.integers(0, 3, 700), "b": rng.integers(0, 9, 700)}
    repeated = np.repeat(np.arange(700), w.astype(int))
    found = sortal.evaluate(X, labelings, measures=WEIGHTED_KEYS, sample_weight=w)
    again = sortal.evaluate(
        X[repeated],
        {name: row[repeated] for name, row in labelings.items()},
        measures=WEIGHTED_KEYS,
    )
    same(found, again, 1e-9)


def test_a_matrix_of_distances_and_a_callable():
    X, labels, w, _ = random_case(3)
    D = naive.matrix(X, "cityblock")
    repeated = np.repeat(np.arange(len(w)), w.astype(int))
    again = sortal.evaluate(
        X[repeated], labels[repeated], measures=OF_DISTANCES, metric="cityblock"
    )
    city = lambda x, y: abs(x - y).sum()  # noqa: E731
    for data, metric in ((D, "precomputed"), (X, city)):
        found = sortal.evaluate(data, labels, measures=OF_DISTANCES, metric=metric, sample_weight=w)
        same(found, again)


@pytest.mark.parametrize("key", WEIGHTED_KEYS)
def test_each_function_takes_weights(key):
    X, labels, w, _ = random_case(5)
    function = catalogue[key].function
    repeated = np.repeat(np.arange(len(w)), w.astype(int))
    expected = function(X[repeated], labels[repeated])
    assert function(X, labels, sample_weight=w) == pytest.approx(expected, rel=1e-10)
    assert function(X, labels, sample_weight=w) != pytest.approx(function(X, labels), rel=1e-6)
    assert function(X, labels, sample_weight=np.ones(len(w))) == function(X, labels)


@pytest.mark.parametrize("separation", ["complete", "average-centroid", "hausdorff", "average"])
@pytest.mark.parametrize("diameter", ["average", "centroid"])
def test_generalised_dunn(separation, diameter):
    X, labels, w, _ = random_case(8)
    repeated = np.repeat(np.arange(len(w)), w.astype(int))
    choice = {"separation": separation, "diameter": diameter}
    expected = sortal.dunn_index(X[repeated], labels[repeated], **choice)
    assert sortal.dunn_index(X, labels, sample_weight=w, **choice) == pytest.approx(expected)


def margins_of_objects(X, labels, *, sample_weight=None):
    w = np.ones(len(X)) if sample_weight is None else sample_weight
    batch, values = as_labelings(labels[w > 0]), np.full(len(X), np.nan)
    weights = None if sample_weight is None else w[w > 0]
    stats = Statistics(X[w > 0], batch, ["objects"], weights=weights)
    values[w > 0] = stats.objects["margin_sums"][0]
    return values


def test_values_of_objects_and_clusters():
    X, labels, w, _ = random_case(9)
    w[labels == 1] = 0
    repeated = np.repeat(np.arange(len(w)), w.astype(int))
    for function in (sortal.silhouette_samples, margins_of_objects):
        found = function(X, labels, sample_weight=w)
        assert np.isnan(found[w == 0]).all()
        np.testing.assert_allclose(
            found[repeated], function(X[repeated], labels[repeated]), rtol=1e-11
        )
    by_cluster = sortal.silhouette_by_cluster(X, labels, sample_weight=w)
    assert 1 not in by_cluster.index
    expected = sortal.silhouette_by_cluster(X[repeated], labels[repeated])
    np.testing.assert_allclose(by_cluster, expected)
    assert list(by_cluster.index) == list(expected.index)


def test_soft_clusterings():
    rng = np.random.default_rng(0)
    X, U, w = rng.normal(size=(9, 2)), rng.dirichlet(np.ones(3), 9), rng.integers(0, 3, 9)
    repeated = np.repeat(np.arange(9), w)
    assert sortal.xie_beni_index(X, U, sample_weight=w) == pytest.approx(
        sortal.xie_beni_index(X[repeated], U[repeated])
    )


# -- parts of objects -----------------------------------------------------------------------


@many
@given(st.integers(0, 10**6))
def test_any_weights_by_the_definition(seed):
    X, labels, _, rng = random_case(seed)
    w = rng.choice([0.25, 0.7, 1.0, 1.5, 3.0], len(labels))
    D = naive.matrix(X)
    found = sortal.evaluate(X, labels, measures=list(naive.weighted(D, labels, w)), sample_weight=w)
    for key, value in naive.weighted(D, labels, w).items():
        assert found[key].iloc[0] == pytest.approx(value, rel=1e-10), key


@pytest.mark.parametrize(
    "key", ["silhouette", "between_within_ratio", "davies_bouldin_index", "pbm_index"]
)
def test_parts_may_be_scaled(key):
    X, labels, _, rng = random_case(12)
    w = rng.random(len(labels)) + 0.01
    function = catalogue[key].function
    value = function(X, labels, sample_weight=w / w.sum())
    assert function(X, labels, sample_weight=w / w.max()) == pytest.approx(value)


def test_a_mean_of_parts_stays_between_the_extremes():
    X = [[0.0], [1.0], [10.0], [14.0]]
    mean = sortal.average_within_cluster_scatter(
        X, [0, 0, 1, 1], sample_weight=[0.1, 0.1, 0.1, 0.1]
    )
    assert mean == pytest.approx(2.5)


# -- bad weights ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -2, 1, 1], r"sample_weight\[1\] is -2.*not negative.*0 excludes"),
        ([1, 1, np.nan, 1], r"sample_weight\[2\] is nan.*finite"),
        ([1, 1, 1, np.inf], r"sample_weight\[3\] is inf.*finite"),
        ([1, 1, 1], r"shape \(3,\), but there are 4 objects"),
        ([[1, 1, 1, 1]], r"shape \(1, 4\)"),
        ([0, 0, 0, 0], "every sample_weight is 0.*positive"),
        (["a", "b", "c", "d"], "must be numbers"),
    ],
)
def test_bad_weights(weights, message):
    X, labels = [[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]
    with pytest.raises(InputError, match=message):
        sortal.silhouette(X, labels, sample_weight=weights)
    with pytest.raises(InputError, match=message):
        sortal.evaluate(X, labels, sample_weight=weights)
    with pytest.raises(InputError, match=message):
        sortal.evaluate(None, labels, y=labels, sample_weight=weights)


def test_a_cluster_without_weight_is_not_there():
    X, labels = [[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]
    with pytest.raises(UndefinedMeasureError, match="has 1 cluster"):
        sortal.silhouette(X, labels, sample_weight=[1, 2, 0, 0])
    scores = sortal.evaluate(X, labels, measures=["dunn_index"], sample_weight=[1, 2, 0, 0])
    assert "has 1 cluster" in scores.reasons["0"]["dunn_index"]


@pytest.mark.parametrize("noise", ["error", "drop", "cluster", "singletons"])
def test_an_outlier_without_weight_is_not_there(noise):
    X, labels = [[0.0], [1.0], [5.0], [6.0], [99.0]], [0, 0, 1, 1, -1]
    value = sortal.silhouette(X, labels, noise=noise, sample_weight=[1, 1, 1, 1, 0])
    assert value == pytest.approx(sortal.silhouette(X[:4], labels[:4]))
    with pytest.raises(InputError, match="noise must be one of"):
        sortal.silhouette(X, labels, noise="none", sample_weight=[1, 1, 1, 1, 0])
    with pytest.raises(InputError, match="1 of 5 objects as outliers"):
        sortal.silhouette(X, labels, sample_weight=[1, 1, 1, 1, 2])


# -- evaluate -------------------------------------------------------------------------------


def test_evaluate_leaves_out_what_has_no_weighted_form():
    X, labels, w, _ = random_case(13)
    everything = set(sortal.evaluate(X, labels).table)
    weighted = set(sortal.evaluate(X, labels, sample_weight=w).table)
    assert weighted == everything & set(WEIGHTED_KEYS)
    with pytest.raises(InputError, match="c_index has no weighted form; exclude it"):
        sortal.evaluate(X, labels, measures=["c_index"], sample_weight=w)
    with pytest.raises(InputError, match="no weighted form; omit precision"):
        sortal.evaluate(X, labels, sample_weight=w, precision=0.1)


def test_external_measures_count_repetitions():
    rng = np.random.default_rng(1)
    truth, w = rng.integers(0, 3, 60), rng.integers(0, 4, 60)
    labelings = {"a": rng.integers(0, 4, 60), "b": np.where(rng.random(60) < 0.2, -1, truth)}
    truth[:5] = -1
    keys = [m.key for m in catalogue.select(kind="external")]
    options = {"measures": keys, "noise": "drop"}
    repeated = np.repeat(np.arange(60), w)
    again = sortal.evaluate(
        None, {k: v[repeated] for k, v in labelings.items()}, y=truth[repeated], **options
    )
    found = sortal.evaluate(None, labelings, y=truth, sample_weight=w, **options)
    same(found, again)
    assert found.coverage.to_dict() == pytest.approx(again.coverage.to_dict())
    # next to whole: next to the same
    near = sortal.evaluate(
        None, labelings, y=truth, sample_weight=w * (1 + 1e-12), measures=["rand_index"],
        noise="drop",
    )  # fmt: skip
    np.testing.assert_allclose(near["rand_index"], again["rand_index"], rtol=1e-10)


def test_truth_of_objects_without_weight_is_not_known():
    with pytest.raises(InputError, match="no known class"):
        sortal.evaluate(None, [0, 0, 1], y=["a", None, None], sample_weight=[0, 1, 1])


# -- the share excluded ---------------------------------------------------------------------


def test_penalize():
    X = [[0.0], [1.0], [2.0], [9.0], [10.0], [12.0], [30.0], [55.0]]
    labels = {"all": [0, 0, 0, 1, 1, 1, 1, 1], "some": [0, 0, 0, 1, 1, 1, -1, -1],
              "bad": [0, 1, 0, 1, 0, 1, -1, -1]}  # fmt: skip
    keys = ["silhouette", "davies_bouldin_index", "akaike_information_criterion"]
    plain = sortal.evaluate(X, labels, measures=keys, noise="drop")
    worse = sortal.evaluate(X, labels, measures=keys, noise="drop", penalize=True)
    assert plain.coverage.to_dict() == {"all": 1.0, "some": 0.75, "bad": 0.75}
    assert worse.table.loc["all"].equals(plain.table.loc["all"])
    assert worse["silhouette"]["some"] == pytest.approx(0.75 * plain["silhouette"]["some"])
    assert plain["silhouette"]["bad"] < 0
    assert worse["silhouette"]["bad"] == plain["silhouette"]["bad"]
    for key in keys[1:]:
        assert worse[key]["some"] == pytest.approx(plain[key]["some"] / 0.75)


def test_penalize_by_weight_and_with_standard_errors():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(6000, 2)), rng.integers(0, 3, 6000)
    X += 4 * labels[:, None]
    labels[::3] = -1
    w = np.where(labels == -1, 4.0, 1.0)
    scores = sortal.evaluate(X, labels, measures=["silhouette"], noise="drop", sample_weight=w)
    assert scores.coverage["0"] == pytest.approx(1 / 3)
    options = {"measures": ["silhouette"], "noise": "drop", "precision": 0.01, "random_state": 0}
    plain = sortal.evaluate(X, labels, **options)
    worse = sortal.evaluate(X, labels, penalize=True, **options)
    ratio = worse.standard_errors / plain.standard_errors
    assert ratio.iloc[0, 0] == pytest.approx(2 / 3)
    assert worse.table.iloc[0, 0] == pytest.approx(plain.table.iloc[0, 0] * 2 / 3)


def test_public_functions_name_their_weights():
    for key in WEIGHTED_KEYS:
        parameters = inspect.signature(catalogue[key].function).parameters
        assert "sample_weight" in parameters or "options" in parameters, key
