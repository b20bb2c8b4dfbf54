"""Representations against the definition of their figures."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import cosine_distances

import karat
from karat.runtime.validation import InputError


def test_shares_of_like_neighbours():
    rng = np.random.default_rng(1)
    X, y = rng.poisson(1.0, size=(40, 6)) + rng.uniform(size=(40, 6)), rng.integers(0, 3, 40)
    D = cosine_distances(X)
    np.fill_diagonal(D, np.inf)
    order = np.argsort(D, axis=1)
    table = karat.representations({"X": sparse.csr_array(X)}, y=y, n_neighbors=[1, 4])
    for r in (1, 4):
        expected = (y[order[:, :r]] == y[:, None]).mean()
        assert table.loc["X", f"r={r}"] == pytest.approx(expected)
    pairs = [(a, b) for a in range(40) for b in range(a)]
    assert table.loc["X", "chance"] == pytest.approx(np.mean([y[a] == y[b] for a, b in pairs]))


def test_the_better_representation_comes_first():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    good = np.eye(3)[y] + rng.uniform(0, 0.2, (90, 3))
    table = karat.representations({"bad": rng.uniform(size=(90, 8)), "good": good}, y=y)
    assert table.index.tolist() == ["good", "bad"]


def test_empty_objects_are_excluded_from_all():
    X = np.vstack([np.eye(3)] * 4)
    Y = X.copy()
    Y[0] = 0
    y = np.tile([0, 1, 2], 4)
    table = karat.representations({"X": X, "Y": Y}, y=y, n_neighbors=[2])
    assert table.loc["X", "r=2"] == table.loc["Y", "r=2"] == 1.0


def test_input_validation():
    with pytest.raises(InputError, match=r"a 2, b 3"):
        karat.representations({"a": np.ones((2, 2)), "b": np.ones((3, 2))}, y=[0, 1])
    with pytest.raises(InputError, match="no representation"):
        karat.representations({}, y=[])
