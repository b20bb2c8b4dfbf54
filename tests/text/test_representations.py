"""Representations against the definition of their figures."""

from __future__ import annotations

import re

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
    table = karat.representations({"X": sparse.csr_array(X)}, y=y, n_neighbors=[1, 4], k=[])
    for r in (1, 4):
        expected = (y[order[:, :r]] == y[:, None]).mean()
        assert table.loc["X", f"r={r}"] == pytest.approx(expected)
    pairs = [(a, b) for a in range(40) for b in range(a)]
    assert table.loc["X", "chance"] == pytest.approx(np.mean([y[a] == y[b] for a, b in pairs]))


def test_the_better_representation_comes_first_with_and_without_classes():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    good = np.eye(3)[y] + rng.uniform(0, 0.2, (90, 3))
    bad = rng.uniform(size=(90, 8))
    matrices = {"bad": bad, "good": good}
    for classes in (None, y):
        table = karat.representations(matrices, y=classes, k=[3], n_resamples=3)
        assert table.index.tolist() == ["good", "bad"]
        assert table.loc["good", "stability"] > table.loc["bad", "stability"]


def test_a_reader_says_which_representation_makes_clusters_that_can_be_named():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    matrices = {
        "noise": rng.uniform(size=(120, 8)),
        "good": np.eye(3)[y] + rng.uniform(0, 0.2, (120, 3)),
        "as good": np.eye(3)[y] + rng.uniform(0, 0.1, (120, 3)),
    }
    matrices["good"][7] = 0  # judged by nobody
    texts = [f"object {i}" for i in range(120)]
    seen = []

    def clarity(labels):
        seen.append(labels)
        # who can tell the classes, and nothing else
        return karat.clarity_by_reading(texts, labels, reads_classes(labels))

    def reads_classes(labels):
        def of(text):
            return y[int(re.findall(r"object (\d+)", text)[-1])]

        def read(prompt):
            if "in common" in prompt:
                shown = prompt.split("Objects of other groups")[0]
                return f"class {of(shown)}, {len(seen)}{rng.integers(10**6)}"
            names = re.findall(r"^(\d+)\. class (\d)", prompt, re.M)
            fits = [n for n, c in names if int(c) == of(prompt)]
            return fits[0] if fits else "none"

        return read

    table = karat.representations(matrices, k=[3], clarity=clarity, n_resamples=2)
    assert {"good", "as good"} == set(table.index[:2])
    assert table["clarity"].iloc[:2].tolist() == [1, 1]
    assert table["overlaps first"].tolist() == [True, True, False]
    low, high = table.loc["noise", "clarity low"], table.loc["noise", "clarity high"]
    assert low < table.loc["noise", "clarity"] < high < table["clarity low"].iloc[0]
    assert all(labels[7] == -1 and len(labels) == 120 for labels in seen)
    assert (table["informativeness error"] >= 0).all()


def test_empty_objects_are_excluded_from_all():
    X = np.vstack([np.eye(3)] * 4)
    Y = X.copy()
    Y[0] = 0
    y = np.tile([0, 1, 2], 4)
    table = karat.representations({"X": X, "Y": Y}, y=y, n_neighbors=[2], k=[])
    assert table.loc["X", "r=2"] == table.loc["Y", "r=2"] == 1.0


def test_input_validation():
    with pytest.raises(InputError, match=r"a 2, b 3"):
        karat.representations({"a": np.ones((2, 2)), "b": np.ones((3, 2))})
    with pytest.raises(InputError, match="no representation"):
        karat.representations({})
