"""One distance for clusterers and judges: any kind of object in a study."""

from __future__ import annotations

import numpy as np
import pytest

import sortal
from sortal.study.samples import ExtendableSample

NAMES = ["average", "complete", "kmedoids", "hdbscan"]


def sweep(study, names=NAMES, **options):
    study.sweep(names, k=[2, 3], n_init=2, workers=1, **options)
    return study


def of_rows_and_of_matrix(metric, names):
    """Two studies of the same objects: by their features, and by their distances."""
    X = np.random.default_rng(3).gamma(1.0, size=(50, 4)) + 3 * np.repeat(np.eye(2, 4), 25, axis=0)
    of_rows = sweep(sortal.Study(X, metric=metric, column_weights="equal"), names)
    D = sortal.distances.distance_matrix(X, metric)
    return of_rows, sweep(sortal.Study(D, metric="precomputed"), names)


def check_same(of_rows, of_matrix):
    """Partitions, scores and the order by a measure are the same."""
    assert of_rows.candidates["partition"].equals(of_matrix.candidates["partition"])
    a, b = of_rows.scores(), of_matrix.scores()
    shared = [column for column in b if column in sortal.measures.catalogue]
    assert "silhouette" in shared
    assert "informativeness" in shared
    np.testing.assert_allclose(a[shared], b[shared], rtol=1e-7)
    by = of_matrix.rank("silhouette").index
    assert list(of_rows.rank("silhouette").index) == list(by)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "metric",
    ["euclidean", "cosine", "cityblock", "minkowski:3", "correlation", "canberra", "symmetric_kl"],
)
def test_features_and_their_matrix_lead_to_the_same_choice_and_scores(metric, monkeypatch):
    # clusterers get the objects by their contents: rows and distances have different orders,
    # and the starts of k-medoids and the ties of HDBSCAN depend on the order
    monkeypatch.setattr(
        "sortal.study.samples.in_order_of_contents",
        lambda X, metric: ExtendableSample(np.arange(50), np.arange(50, dtype=np.int32)),
    )
    check_same(*of_rows_and_of_matrix(metric, [*NAMES, "genie", "weighted", "single"]))
