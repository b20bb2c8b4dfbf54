"""Genie and filled HDBSCAN: against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from sortal import InputError
from sortal.clusterers import FilledHDBSCAN, GenieClustering, LinkageClustering
from sortal.labelings import canonical_codes


@pytest.mark.quick(27)
@parametrize_with_checks([GenieClustering(), FilledHDBSCAN()])
def test_estimator_contract(estimator, check):
    check(estimator)


def naive_genie(X, threshold):
    """Merge the nearest pair of clusters, or that of a smallest cluster while sizes are unequal.

    Labels for each number of clusters.
    """
    clusters = [[i] for i in range(len(X))]
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    found = {}
    while True:
        labels = np.empty(len(X), dtype=int)
        for c, members in enumerate(clusters):
            labels[members] = c
        found[len(clusters)] = canonical_codes(labels)
        if len(clusters) == 1:
            return found
        sizes = np.array([len(c) for c in clusters])
        m = len(sizes)
        differences = np.abs(sizes[:, None] - sizes[None]).sum() / 2
        gini = differences / ((m - 1) * sizes.sum())
        pairs = [
            (D[np.ix_(clusters[a], clusters[b])].min(), a, b)
            for a in range(m)
            for b in range(a)
            if gini <= threshold or min(sizes[a], sizes[b]) == sizes.min()
        ]
        _, a, b = min(pairs)
        clusters[b] += clusters.pop(a)


@pytest.mark.quick(1)
@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.3, 0.6])
def test_genie_is_what_its_definition_says(threshold):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(40, 2)) * rng.choice([1, 4], size=(40, 1))
        model = GenieClustering(gini_threshold=threshold).fit(X)
        for k, labels in naive_genie(X, threshold).items():
            np.testing.assert_array_equal(model.cut(k), labels)


def test_without_a_limit_it_is_single_linkage():
    X = np.random.default_rng(0).normal(size=(80, 3))
    genie = GenieClustering(gini_threshold=1.0).fit(X)
    single = LinkageClustering(method="single").fit(X)
    for k in (2, 5, 20):
        np.testing.assert_array_equal(genie.cut(k), single.cut(k))


def test_other_distances():
    X = np.random.default_rng(1).normal(size=(50, 4))
    D = np.abs(X[:, None] - X[None]).sum(axis=2)
    one = GenieClustering(4, metric="precomputed").fit(D)
    two = GenieClustering(4, metric="cityblock").fit(X)
    np.testing.assert_array_equal(one.labels_, two.labels_)


def test_wrong_parameters_are_explained():
    X = [[0.0], [1.0], [2.0]]
    with pytest.raises(InputError, match=r"gini_threshold must be in \[0, 1\]; got 2"):
        GenieClustering(gini_threshold=2).fit(X)
    with pytest.raises(InputError, match="between 1 and the 3 objects; got 4"):
        GenieClustering(4).fit(X)


def test_outliers_join_the_nearest_clustered_object():
    from sklearn.cluster import HDBSCAN

    rng = np.random.default_rng(4)
    X = np.concatenate(
        [rng.normal(c, 0.3, (40, 2)) for c in (0, 3)] + [rng.uniform(-2, 5, (20, 2))]
    )
    found = HDBSCAN(10, copy=True).fit_predict(X)
    assert 0 < (found < 0).sum() < 60
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    expected = found.copy()
    for i in np.flatnonzero(found < 0):
        expected[i] = min((D[i, j], found[j]) for j in np.flatnonzero(found >= 0))[1]
    np.testing.assert_array_equal(FilledHDBSCAN(10).fit(X).labels_, expected)
    with pytest.raises(ValueError, match=r"1 sample.* while a minimum of 2 is required"):
        FilledHDBSCAN(10).fit(X[:1])
    np.testing.assert_array_equal(FilledHDBSCAN(10, metric="precomputed").fit(D).labels_, expected)
    assert (FilledHDBSCAN(90).fit(X).labels_ == -1).all()
