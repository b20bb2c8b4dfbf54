"""Parts of the evidence by their definitions."""

from __future__ import annotations

import numpy as np

from sortal.judge.evidence import _k_means


def test_k_means_begins_at_the_means_of_a_partition():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 20)
    Z = 5.0 * np.eye(3)[truth] + rng.normal(size=(60, 3))
    nearly = truth.copy()
    nearly[[0, 25, 50]] = [1, 2, 0]
    np.testing.assert_array_equal(_k_means(Z, nearly.astype(np.int32)), truth)
