"""Clest by its definition: shares of references, spreads, the rule."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from sortal import stability


def test_the_standard_error_of_clest_is_that_of_a_median():
    X = np.random.default_rng(0).normal(size=(60, 2))
    found = stability.clest(X, KMeans(n_init=1), k=[3], n_splits=4, n_references=2)
    values = np.asarray(found.samples[3])
    assert values.std() > 0
    # sqrt(pi / 2) times that of the mean
    expected = np.sqrt(((values - values.mean()) ** 2).sum() / 3 / 4 * np.pi / 2)
    assert found.table.loc[3, "standard_error"] == pytest.approx(expected)
