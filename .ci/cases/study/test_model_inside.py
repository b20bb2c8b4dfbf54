"""Clusters for objects that come later."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_blobs

from sortal.model import PlacementRule
from sortal.study.samples import draw_sample

X, Y = make_blobs(200, centers=[[0, 0], [6, 0], [0, 7]], random_state=0)


def test_extending_a_sample_is_the_same_rule() -> None:
    sample = draw_sample(X, 50, random_state=1)
    labels = Y[sample.rows].astype(np.int32)
    rule = PlacementRule.of(X[sample.rows], labels, by_centers=False)
    np.testing.assert_array_equal(rule.place(X).labels, sample.extend(labels))
