"""Sums of squared Euclidean distances from centroids, and the plan of passes."""

from __future__ import annotations

import numpy as np

from sortal.measures import catalogue
from sortal.measures.passes.plan import OF_CENTROIDS, group
from sortal.measures.passes.statistics import in_others

BY_IDENTITY = [
    m.key
    for m in catalogue.select(kind="internal")
    if m.needs and m.needs <= {"pair_sums", "silhouettes"}
]


def test_pair_sums_and_silhouettes_need_no_pairs():
    assert {"silhouette", "mcclain_rao_index", "weighted_within_cluster_scatter_2"} <= {
        *BY_IDENTITY
    }
    assert group(OF_CENTROIDS, "sqeuclidean") == {"centroids": ("pair_sums", "silhouettes")}
    assert group(OF_CENTROIDS, "sqeuclidean", sparse=True) == group(OF_CENTROIDS)
    assert set(group(OF_CENTROIDS)) == {"pairs"}
    # the pass over the pairs gives them anyway
    assert set(group({*OF_CENTROIDS, "nearest"}, "sqeuclidean")) == {"pairs"}


def test_in_others_does_not_cancel():
    found = in_others(np.array([1e20, 1.0, 2.0]))
    assert found[0] == 3.0
    assert in_others(np.array([5])) == [0]
