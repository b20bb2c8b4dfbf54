"""Large data: fits on a sample, extended; estimates with errors; thresholds lowered here."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

import sortal
from sortal import InputError
from sortal.clusterers import LinkageClustering, as_clusterer


def blobs(n: int = 600, seed: int = 0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    return 10.0 * np.eye(3)[truth] + rng.normal(size=(n, 3)), truth


def test_below_the_thresholds_nothing_is_sampled():
    X, _ = blobs(100)
    study = sortal.Study(X)
    study.sweep(["average"], k=[3], workers=1)
    assert study.candidates["fitted_on"].isna().all()
    assert not study.state.objects.is_estimated
    assert study.standard_errors().empty


def test_linear_clusterers_are_known():
    assert as_clusterer(KMeans()).growth == 1
    assert as_clusterer("gaussian-mixture").growth == 1
    assert as_clusterer("average").growth == 2
    assert as_clusterer(KMeans()).whole_to > as_clusterer("gaussian-mixture").whole_to == 20_000
    assert as_clusterer("average").whole_to == 0


# -- plan, budget, memory --------------------------------------------------------------------


class Slow(KMeans):
    """Never ends in a test's time."""

    def fit_predict(self, X, y=None, sample_weight=None):
        import time

        time.sleep(600)


def test_a_budget_stops_fits_and_a_larger_one_resumes(tmp_path):
    X, _ = blobs(60)
    with sortal.Study(X) as study:
        study.sweep({"kmeans": "kmeans"}, k=[2, 3], n_init=1, budget=300, workers=1)
        assert len(study.state.storage.planned()) == 0
        study.sweep({"slow": Slow(n_init=1)}, k=[2, 3], n_init=1, budget=1, workers=2)
        assert len(study.state.storage.planned()) == 2
        assert len(study.candidates) == 2
        study.by = "silhouette"
        assert study.best().name == "kmeans k=3 start=0"


@pytest.mark.parametrize("text", ["", "soon", "-1s", "0", "nan"])
def test_times_that_are_none(text):
    from sortal.cli._numbers import parse_duration

    with pytest.raises(InputError, match="is not"):
        parse_duration(text)


# -- what samples lose, and what errors mean -------------------------------------------------


def test_a_budget_that_no_fit_meets_is_an_error():
    X, _ = blobs(60)
    with sortal.Study(X) as study:
        study.sweep(["kmeans"], k=[2], n_init=1, budget=1e-3, workers=1)
        with pytest.raises(InputError, match="no fit was finished within the budget"):
            study.best()


# -- cells -----------------------------------------------------------------------------------


def test_ward_of_cells_of_one_object_each_is_ward():
    import fastcluster

    X = np.random.default_rng(0).normal(size=(200, 3))
    found = LinkageClustering(7, method="ward").fit_cells(X, np.ones(200))
    tree = fastcluster.linkage(X, "ward")
    np.testing.assert_allclose(found.linkage_[:, 2], tree[:, 2], rtol=1e-12)
    expected = LinkageClustering(7, method="ward").fit(X)
    np.testing.assert_array_equal(found.labels_, expected.labels_)


def test_ward_of_coincident_objects_is_ward_of_their_cells():
    rng = np.random.default_rng(1)
    means, sizes = rng.normal(size=(60, 2)), rng.integers(1, 9, 60)
    cells = LinkageClustering(5, method="ward").fit_cells(means, sizes)
    objects = LinkageClustering(5, method="ward").fit(np.repeat(means, sizes, axis=0))
    again = np.repeat(cells.labels_, sizes)
    assert sortal.adjusted_rand_index(again, objects.labels_) == 1
    with pytest.raises(InputError, match="exact for cells"):
        LinkageClustering(5, method="average").fit_cells(means, sizes)
