"""The whole answer: number of clusters beside the null, clusters, objects; on the command line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from scattering import Scattering
from sortal import InputError
from sortal.stability import assess, calibrated_stability, clusterwise_bootstrap

FEW = {"n_resamples": 10, "n_references": 3}


def triangle(n: int = 20, *, seed: int = 0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(c, 0.2, (n, 2)) for c in ((0, 0), (4, 0), (0, 4))])


@pytest.fixture(scope="module")
def found():
    return assess(triangle(), k=range(2, 5), **FEW)


def test_parts_are_the_methods_by_their_own_names(found):
    X = triangle()
    curve = calibrated_stability(X, k=range(2, 5), **FEW)
    assert found.curve.table.equals(curve.table)
    clusters = clusterwise_bootstrap(X, k=3, n_resamples=20)
    assert found.clusters.table.equals(clusters.table)
    assert found.value == 3
    assert len(found.changing) == 0


def test_sentence_on_the_number(found):
    def told(selected):
        return replace(found, curve=replace(found.curve, selected=selected)).number

    assert told(3).startswith("3 clusters stand out")
    assert "not the 3 judged here" in told(2)
    assert told(1).startswith("No number of clusters from 2 to 4")


def test_consensus_is_in_the_order_of_the_dendrogram(found):
    assert sorted(found.shown) == list(range(60))
    kinds = found.shown // 20
    assert (np.diff(kinds) != 0).sum() == 2  # three blocks
    same = kinds[:, None] == kinds
    assert np.nanmin(found.consensus[same]) == 1
    assert np.nanmax(found.consensus[~same]) == 0


def test_objects_between_clusters_change_sides():
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(0, 1, (60, 3)), [[30, 0, 0]] * 5])
    found = assess(X, k=[4], **FEW)
    assert len(found.changing) > 0
    assert set(found.changing) < set(range(60))
    worst = found.clusters.objects[found.changing]
    assert (np.diff(worst) >= 0).all()
    assert "dissolves" in found.clusters.advice or "found again" in found.clusters.advice


def test_many_objects_are_sampled_and_given_labels_are_those_of_the_sample():
    X = triangle()
    labels = np.repeat(["a", "b", "c"], 20)
    found = assess(X, k=[2, 3], labels=labels, value=3, max_objects=30, **FEW)
    assert len(found.rows) == 30
    assert sorted(found.clusters.table["size"]) == sorted(np.bincount(found.rows // 20))
    assert found.clusters.table.index.tolist() == ["a", "b", "c"]
    with pytest.raises(InputError, match="value"):
        assess(X, labels=labels)


def test_without_references_there_is_no_number():
    found = assess(sparse.csr_array(triangle()), k=[2, 3], n_resamples=4, n_references=0)
    assert found.selected is None
    assert "no null" in found.number


def test_clusterer_that_finds_the_number_has_no_curve():
    found = assess(triangle(), "hdbscan", value=None, **FEW)
    assert found.curve is None
    assert found.number.startswith("hdbscan finds the number of clusters itself: 3, and as many in")
    assert len(found.clusters.found) == 20
    assert len(found.found_in_null) == 6
    several = sum(count > 1 for count in found.found_in_null)
    assert f"in {several} of 6 null references" in found.number


@pytest.mark.parametrize("clusterer", ["kmeans", "hdbscan"])
def test_elsewhere_it_is_the_same_and_data_are_not_sent_with_functions(clusterer):
    X = np.random.default_rng(0).normal(size=(400, 40)) + 8 * np.eye(2, 40).repeat(200, axis=0)
    value = 2 if clusterer == "kmeans" else 5
    options = {"k": [2, 3], "value": value, **FEW, "n_references": 2}
    there = Scattering()
    found = assess(X, clusterer, executor=there, **options)
    here = assess(X, clusterer, **options)
    if here.curve is not None:
        assert found.curve.table.equals(here.curve.table)
    assert found.found_in_null == here.found_in_null
    assert found.clusters.table.equals(here.clusters.table)
    assert np.array_equal(found.consensus, here.consensus)
    # again after the data without clusters, and not within a function
    assert sum(np.array_equal(X, value) for value in there.held) <= 2
    assert not any(isinstance(value, bytes) and len(value) > X.nbytes / 2 for value in there.held)
    assert there.largest < X.nbytes / 2
