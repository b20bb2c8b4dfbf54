"""The experiment on the three answers: few kinds, a shared set, and the stored pieces."""

from __future__ import annotations

import numpy as np

from sortal_lab import answers, run
from sortal_lab.structure_kinds import FRESH, NULLS, OVERLAPPING, mixture


def test_shares_of_answers_are_kept(monkeypatch, tmp_path):
    def read(name):
        X = mixture(np.random.default_rng(0), 120, k=3, d=4, apart=8.0)
        return X, (np.arange(120) % 3)[None]

    monkeypatch.setattr(answers, "read", read)
    monkeypatch.setattr(answers, "index", lambda: {"iris": {"kind": "points", "path": "points/x"}})
    monkeypatch.setattr(answers, "NULLS", NULLS[:1])
    monkeypatch.setattr(answers, "OVERLAPPING", OVERLAPPING[9:10])
    monkeypatch.setattr(answers, "FRESH", FRESH[:1])
    monkeypatch.setattr(answers, "PAIRS", ((2, 8.0, 100),) * 5)
    path = tmp_path / "kept.sortal"
    table = run("answers", samples=1, storage=path).table.set_index("data")
    assert np.allclose(table[["separate", "overlapping", "one cloud"]].sum(axis=1), 1)
    assert table.loc["shared sets, classes found", "separate"] == 1
    assert table.loc["shared sets, classes found: real tables", "separate"] == 1
    assert table.loc["Gaussian twins", "one cloud"] == 1
    assert table.loc["clouds", "one cloud"] == 1
    assert table.loc["two groups, d = 2, 8 sd, n = 100", "separate"] == 1
    monkeypatch.setattr(answers, "assess_structure", None)
    assert run("answers", samples=1, storage=path).table.set_index("data").equals(table)


def test_kinds_have_names_of_their_own():
    names = [kind.name for kind in (*NULLS, *OVERLAPPING, *FRESH)]
    assert len(set(names)) == len(names)
