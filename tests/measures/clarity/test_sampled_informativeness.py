"""Informativeness from a sample of test objects, against the exact leave-one-out."""

from __future__ import annotations

import numpy as np

import sortal


def data(n: int = 1500, seed: int = 0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 5, n)
    X = 2.0 * rng.normal(size=(5, 3))[truth] + rng.normal(size=(n, 3))
    half = np.where(rng.random(n) < 0.3, rng.integers(0, 5, n), truth)
    noisy = np.where(rng.random(n) < 0.6, -1, truth)
    return X, {"truth": truth, "half": half, "noisy": noisy}


def test_evaluate_estimates_it_with_a_precision():
    X, labelings = data()
    scores = sortal.evaluate(X, labelings, noise="drop", precision=0.02)
    exact = sortal.evaluate(X, labelings, noise="drop", measures=["informativeness"])
    apart = (scores["informativeness"] - exact["informativeness"]).abs()
    assert (apart <= 4 * scores.standard_errors["informativeness"] + 1e-9).all()
    one = sortal.evaluate(X, {"one": np.zeros(1500)}, precision=0.02, measures=["informativeness"])
    assert "two clusters" in one.reasons["one"]["informativeness"]
