"""Distances: names against SciPy, whole matrices, matrices that were given."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from scipy.spatial.distance import squareform

from sortal import InputError
from sortal.distances import (
    as_square,
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


def _levenshtein(x, y):
    row = list(range(len(y) + 1))
    for i, a in enumerate(x, 1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(y, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (a != b))
    return row[-1]


def test_a_function_is_called_once_for_each_pair_in_any_order_of_workers(monkeypatch):
    monkeypatch.setattr("sortal.distances._objects._MAX_PAIRS_SERIAL", 100)
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abc"), rng.integers(1, 9))) for _ in range(40)]
    calls = []

    def counted(x, y):
        calls.append((x, y))
        return _levenshtein(x, y)

    D = object_distances(words, counted, workers=1)
    assert len(calls) == 40 * 39 // 2 + 20  # some both ways
    np.testing.assert_array_equal(object_distances(words, _levenshtein, workers=2), D)
    np.testing.assert_array_equal(as_square(D), D)
    if find_spec("rapidfuzz"):
        np.testing.assert_array_equal(object_distances(words, "edit"), D)
        tuples = [tuple(word) for word in words]
        np.testing.assert_array_equal(object_distances(tuples, "edit"), D)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setattr("sortal.runtime.extras.find_spec", lambda name: None)
    for metric in ("edit", "dtw"):
        with pytest.raises(InputError, match=r"pip install (rapidfuzz|tslearn)"):
            object_distances(["ab", "b"], metric)
