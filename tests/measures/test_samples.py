"""Estimates from samples of objects and of pairs: right on average, covered by their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

import naive_internal as naive
import sortal
from example_counts import examples
from sortal.distances import as_distances, pair_distances
from sortal.measures import catalogue

KEYS = ["baker_hubert_gamma", "aucc", "g_plus_index", "kendall_tau_index"]
MEASURES = [catalogue[key] for key in KEYS]
SILHOUETTE = ["silhouette"]


# -- samples of objects ---------------------------------------------------------------------


@pytest.mark.parametrize("several", [False, True])
def test_a_sample_of_everything_is_exact(several):
    X, labels = make_blobs(300, centers=4, random_state=2)
    labelings = {"a": labels, "b": np.arange(300) % 7} if several else labels
    exact = sortal.evaluate(X, labelings, measures=SILHOUETTE)
    scores = sortal.evaluate(X, labelings, measures=SILHOUETTE, precision=1e-9)
    assert_allclose(scores.table, exact.table, rtol=1e-10)
    assert (scores.standard_errors == 0).all().all()
    assert scores.sample_size == {"objects": 300}


@pytest.mark.parametrize("form", ["drop", "precomputed", "sparse", "float32"])
def test_silhouettes_of_other_input(form):
    rng = np.random.default_rng(0)
    X, labels = make_blobs(2000, 5, centers=3, cluster_std=4.0, random_state=1)
    options: dict = {"measures": SILHOUETTE}
    given = X
    if form == "drop":
        labels = np.where(rng.random(2000) < 0.2, -1, labels)
        options["noise"] = "drop"
    elif form == "precomputed":
        given, options["metric"] = cdist(X, X), "precomputed"
    elif form == "sparse":
        given = sparse.csr_array(X)
    else:
        given = X.astype(np.float32)
    exact = sortal.evaluate(given, labels, **options)
    hits = 0
    for seed in range(6):
        scores = sortal.evaluate(given, labels, precision=0.1, random_state=seed, **options)
        assert scores.sample_size["objects"] < 1500
        hits += ((scores.table - exact.table).abs() <= 3 * scores.standard_errors).to_numpy()
    assert hits.min() >= 5


# -- samples of pairs -----------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning:naive_internal")
@examples(60)
@given(
    st.integers(3, 12).flatmap(
        lambda n: st.tuples(
            st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=n, max_size=n),
            st.lists(st.integers(0, 3), min_size=n, max_size=n),
        )
    )
)
def test_all_pairs_give_the_definition(data):
    # integer points: many ties and duplicates; some labels make singletons, some one cluster only
    X, labels = np.array(data[0], dtype=float), np.array(data[1])
    scores = sortal.evaluate(X, labels, measures=KEYS, precision=0.1, random_state=0)
    exact = sortal.evaluate(X, labels, measures=KEYS)
    assert_allclose(scores.table, exact.table, rtol=1e-9, atol=1e-12)
    assert scores.standard_errors.equals(0.0 * scores.table)
    assert scores.reasons == exact.reasons
    if scores.table.notna().all().all():
        found = naive.of_distances(naive.matrix(X), labels)
        assert_allclose(scores.table.iloc[0], [found[key] for key in KEYS], atol=1e-9)


def test_equal_distances_are_not_certain():
    X, labels = np.zeros((3000, 1)), np.arange(3000) % 2
    scores = sortal.evaluate(X, labels, measures=["aucc"], precision=0.1, random_state=0)
    assert scores.sample_size["pairs"] == 2**17
    assert scores.table.iloc[0, 0] == 0.5
    assert not scores.exact.iloc[0, 0]
    assert 0 < scores.standard_errors.iloc[0, 0] < 1e-4


@pytest.mark.parametrize(
    "metric",
    ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine", "correlation", "canberra",
     "extended_jaccard", "jaccard", "symmetric_kl", "mahalanobis"],
)  # fmt: skip
@pytest.mark.parametrize("form", ["dense", "wide", "sparse"])
def test_distances_of_pairs(metric, form):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (30, 70 if form == "wide" else 6)).astype(float)
    X[:, 0] += 1  # no row is empty
    if form == "sparse":
        if metric in ("correlation", "mahalanobis"):
            return
        X = sparse.csr_array(X)
    elif metric == "mahalanobis" and form == "wide":
        return
    distances = as_distances(X, metric, exact=True)
    first, second = rng.integers(0, 30, 50), rng.integers(0, 30, 50)
    full = distances.block(slice(0, 30), slice(0, 30))
    found = pair_distances(distances, first, second)
    if metric in ("euclidean", "sqeuclidean", "cityblock", "chebyshev") and form != "sparse":
        assert (found == full[first, second]).all()  # ties stay ties
    assert_allclose(found, full[first, second], atol=1e-7)


def test_asymmetric_and_infinite_distances_are_rejected():
    rng = np.random.default_rng(0)
    X, labels = rng.random((50, 3)), np.arange(50) % 2
    scores = sortal.evaluate(X, labels, measures=KEYS, metric="kl", precision=0.1)
    assert "symmetric" in scores.reasons["0"]["aucc"]
    X[:, 0] *= np.arange(50) % 3 > 0
    scores = sortal.evaluate(X, labels, measures=KEYS, metric="symmetric_kl", precision=0.1)
    assert "finite" in scores.reasons["0"]["aucc"]
