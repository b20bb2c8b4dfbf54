"""k-prototypes as a rival in a benchmark."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from sortal.bench import Benchmark, KPrototypes
from sortal.datasets import from_table


def mixed_table():
    rng = np.random.default_rng(0)
    groups = rng.permutation(np.arange(60) % 3)
    numbers = {
        "a": 9.0 * groups + rng.normal(size=60),
        "b": 9.0 * (groups == 1) + rng.normal(size=60),
    }
    words = {"word": np.array(["x", "y", "z"])[groups], "flag": np.array(["n", "y"])[groups // 2]}
    return numbers, words, groups


@pytest.mark.parametrize("kinds", ["numbers", "words", "both"])
def test_the_groups_are_found(kinds):
    pytest.importorskip("kmodes")
    numbers, words, groups = mixed_table()
    columns = {"numbers": numbers, "words": words, "both": {**numbers, **words}}[kinds]
    data = from_table(columns)
    race = Benchmark({"mixed": (data.X, groups)}, [KPrototypes(n_init=5)], n_init=1).run()
    assert race.scores("adjusted_rand_index").iloc[0, 0] > 0.95


def test_without_the_package_the_fit_fails_with_a_reason(monkeypatch):
    monkeypatch.setitem(sys.modules, "kmodes.kmodes", None)
    numbers, words, groups = mixed_table()
    data = from_table({**numbers, **words})
    race = Benchmark({"mixed": (data.X, groups)}, [KPrototypes(), "kmeans"], n_init=1).run()
    rows = race.table.set_index("method")
    assert "pip install" in rows.loc["KPrototypes", "reason"]
    assert rows.loc["kmeans", "adjusted_rand_index"] > 0
