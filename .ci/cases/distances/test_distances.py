"""Distances: names against SciPy, whole matrices, matrices that were given."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import squareform

from sortal import InputError
from sortal.distances import (
    condensed,
    distance_matrix,
    neighbors_of_some,
    object_distances,
)
from sortal.distances.neighbors import _scan


def test_features_are_added_in_their_order_so_that_ties_are_the_same_everywhere():
    rows = np.random.default_rng(0).normal(size=(40, 37)) * np.linspace(0.1, 9, 37)
    squares = np.zeros((40, 40))
    for column in rows.T:
        squares += np.square(column[:, None] - column)
    D = np.sqrt(squares)
    np.testing.assert_array_equal(distance_matrix(rows), D)
    np.testing.assert_array_equal(condensed(rows, "euclidean"), squareform(D))
    np.fill_diagonal(D, np.inf)
    found = neighbors_of_some(rows, np.arange(40), 39)
    np.testing.assert_array_equal(found, D.argsort(axis=1, kind="stable")[:, :39])
    scanned = _scan(rows, np.arange(40), 5)
    np.testing.assert_array_equal(scanned.distances, np.sort(D, axis=1)[:, :5])


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setattr("sortal.runtime.extras.find_spec", lambda name: None)
    for metric in ("edit", "dtw"):
        with pytest.raises(InputError, match=r"pip install (rapidfuzz|tslearn)"):
            object_distances(["ab", "b"], metric)
