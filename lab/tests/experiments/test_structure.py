"""The experiment on structure: few kinds, the probability's fit, the table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from karat import InputError
from karat_lab import run, structure
from karat_lab.structure import fit
from karat_lab.structure_kinds import CLUSTERED, NULLS, mixture


def test_shares_of_answers_are_kept(monkeypatch, tmp_path):
    def read(name):
        if name != "iris":
            raise InputError(name)
        X = mixture(np.random.default_rng(0), 120, k=3, d=4, apart=8.0)
        return X, (np.arange(120) % 3)[None]

    monkeypatch.setattr(structure, "read", read)
    monkeypatch.setattr(structure, "NULLS", NULLS[:1])
    monkeypatch.setattr(structure, "CLUSTERED", CLUSTERED[12:13])
    monkeypatch.setattr(structure, "SIZES", (100,))
    path = tmp_path / "kept.karat"
    found = run("structure", samples=2, storage=path)
    table = found.table
    assert np.allclose(table[["yes", "unclear", "no"]].sum(axis=1), 1)
    assert table.set_index("data").loc["mixture, 5 sd", "yes"] == 1
    assert table.set_index("data").loc["real tables, ARI from 0.5", "yes"] == 1
    monkeypatch.setattr(structure, "assess_structure", None)
    assert run("structure", samples=2, storage=path).table.equals(table)


def test_the_fit_finds_its_coefficients():
    rng = np.random.default_rng(0)
    evidence, seen = rng.uniform(0, 6, 6000), rng.choice([100, 400, 1000], 6000)
    logit = -3 + 1.5 * evidence - np.log(seen / 400) * np.maximum(1 - evidence / 4, 0)
    clusters = rng.random(6000) < 1 / (1 + np.exp(-logit))
    rows = pd.DataFrame({"evidence": evidence, "seen": seen, "clusters": clusters})
    assert fit(rows) == pytest.approx((-3, 1.5, -1), abs=0.3)
