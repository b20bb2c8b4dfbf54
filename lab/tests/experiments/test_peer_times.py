"""Times beside other packages: the values agree, and the ratio is theirs by ours."""

from __future__ import annotations

import numpy as np
import pytest

from sortal_lab import EXPERIMENTS, peer_times


def test_a_row_compares_time_and_value(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(np.cumsum([0, 1, 0, 4] * peer_times.RUNS).tolist())
    monkeypatch.setattr(peer_times.time, "perf_counter", lambda: next(clock))
    row = peer_times._row("task", lambda: [1.0, 2.0], "numpy", lambda: np.array([1.0, 2.5]))
    assert (row["sortal"], row["theirs"], row["ratio"]) == (1, 4, 4)
    assert row["difference"] == 0.5
    assert row["version"] == np.__version__


def test_the_races_are_between_functions_of_one_value() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 60)
    labels = np.where(rng.random(60) < 0.1, 0, truth)
    X = rng.normal(size=(60, 16)) + 4 * np.eye(16)[truth]
    for task, ours, package, theirs in peer_times._races(X, truth, labels):
        assert np.allclose(ours(), theirs(), rtol=1e-6), (task, package)
    assert EXPERIMENTS["peer-times"].module == "sortal_lab.peer_times"
