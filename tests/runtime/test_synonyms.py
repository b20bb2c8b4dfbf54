"""Names of scikit-learn say what they are here."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from sklearn import metrics

import sortal

#: names of scikit-learn, and what they are here
NAMES = {
    "adjusted_rand_score": "adjusted_rand_index",
    "adjusted_mutual_info_score": "adjusted_mutual_information",
    "normalized_mutual_info_score": "normalized_mutual_information",
    "mutual_info_score": "mutual_information",
    "rand_score": "rand_index",
    "fowlkes_mallows_score": "fowlkes_mallows_index",
    "homogeneity_score": "homogeneity",
    "completeness_score": "completeness",
    "v_measure_score": "v_measure",
    "homogeneity_completeness_v_measure": "homogeneity, completeness, v_measure",
    "pair_confusion_matrix": "pair_counts",
    "contingency_matrix": "ContingencyTable",
    "silhouette_score": "silhouette",
    "calinski_harabasz_score": "calinski_harabasz_index",
    "davies_bouldin_score": "davies_bouldin_index",
}
#: those whose normaliser has another default here
OTHER = ("adjusted_mutual_info_score", "normalized_mutual_info_score")


@pytest.mark.parametrize("name", NAMES)
def test_names_of_scikit_learn(name):
    assert hasattr(metrics, name) or hasattr(metrics.cluster, name)
    ours = NAMES[name]
    with pytest.raises(AttributeError, match=f"sortal.{ours.split(', ')[0]}"):
        getattr(sortal, name)
    for one in ours.split(", "):
        assert callable(getattr(sortal, one))


def test_where_defaults_differ_and_where_not():
    rng = np.random.default_rng(0)
    X, true = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    pred = np.where(rng.random(60) < 0.5, true, rng.integers(0, 5, 60))
    for name, ours in NAMES.items():
        if not name.endswith("_score"):
            continue
        internal = name.startswith(("silhouette", "calinski", "davies"))
        first = X if internal else true
        here, there = getattr(sortal, ours)(first, pred), getattr(metrics, name)(first, pred)
        assert (here == pytest.approx(there)) == (name not in OTHER), name


def test_the_default_of_the_normaliser_is_told():
    with pytest.raises(AttributeError, match='"geometric" here and "arithmetic" there'):
        sortal.normalized_mutual_info_score  # noqa: B018
    with pytest.raises(AttributeError, match='"max" here'):
        sortal.adjusted_mutual_info_score  # noqa: B018


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(sortal, "nothing_like_it")
    assert not hasattr(sortal.measures, "nothing_like_it")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("sortal.measures.nothing_like_it")


def test_errors_and_rooms_are_reachable():
    assert issubclass(sortal.StorageError, sortal.InputError)
    assert issubclass(sortal.UndefinedMeasureError, sortal.InputError)
    assert sortal.distances.METRICS
    assert sortal.Scores is sortal.measures.scores.Scores
