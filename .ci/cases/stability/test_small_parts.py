"""Errors of curves, the order of comparisons, and memory."""

from __future__ import annotations

import numpy as np
import pytest

from sortal.stability import consensus, consensus_matrix
from sortal.stability.calibrated import CALIBRATION, _in_turn
from sortal.stability.engine import prepare
from sortal.stability.method import carrier
from sortal.stability.result import curve_table

X = np.random.default_rng(0).normal(size=(30, 2))


def test_the_error_of_a_mean_is_that_of_a_sample():
    samples = {2: np.array([0.2, 0.4, 0.9]), 3: np.array([0.5])}
    table = curve_table(samples, [], greater_is_better=True)
    assert table.loc[2, "standard_error"] == pytest.approx(np.sqrt(0.13 / 3))
    assert np.isnan(table.loc[3, "standard_error"])


def test_neighbours_are_found_before_labels_are_carried():
    engine = prepare(X, "kmeans")
    carrier(engine, "centroid")
    assert engine._lists == []
    carrier(engine, "neighbors")
    assert len(engine._lists) == 1


def test_numbers_that_cannot_be_stable_are_not_compared():
    lost = np.array([0.1, 0.9, CALIBRATION.max_ratio, 0.5])
    tree, single = prepare(X, "ward"), prepare(X, "kmeans")
    assert _in_turn(tree, lost, everywhere=True) == [[0, 1, 2, 3]]
    assert _in_turn(tree, lost, everywhere=False) == [[0, 2]]
    assert _in_turn(single, lost, everywhere=False) == [[2], [0]]
    assert _in_turn(tree, np.ones(4), everywhere=False) == []


def test_the_memory_of_a_matrix_is_checked(monkeypatch):
    found = consensus_matrix(X, "kmeans", k=2, n_resamples=3)
    asked = []
    monkeypatch.setattr(consensus, "require_memory", lambda size, *_: asked.append(size))
    assert asked + [found.matrix(2).nbytes] == asked[:1] * 2
