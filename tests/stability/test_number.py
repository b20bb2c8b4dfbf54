"""The number of clusters: one answer, with the probability of each number."""

from __future__ import annotations

import numpy as np
import pytest

import karat


def test_one_answer_by_the_judge():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.5, (40, 2)) for c in ((0, 0), (6, 0), (0, 6))])
    found = karat.n_clusters(X)
    assert found.idxmax() == 3
    assert found.sum() == pytest.approx(1)
    assert found[1] == pytest.approx(1 - karat.assess_structure(X).probability, abs=0.05)


def test_one_cloud_has_one_cluster():
    assert karat.n_clusters(np.random.default_rng(0).normal(size=(400, 2))).idxmax() == 1


def test_too_few_objects_are_sent_to_the_estimators():
    with pytest.raises(karat.InputError, match=r"karat\.stability\.ESTIMATORS"):
        karat.n_clusters(np.arange(12.0)[:, None])
