"""The experiment on structure: few kinds, the probability's fit, the table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sortal import InputError
from sortal.nulls import predictors
from sortal_lab import run, structure
from sortal_lab.structure import fit
from sortal_lab.structure_kinds import CLUSTERED, LEFT_OUT, NULLS, mixture


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
    path = tmp_path / "kept.sortal"
    found = run("structure", samples=2, storage=path)
    table = found.table
    assert np.allclose(table[["yes", "unclear", "no"]].sum(axis=1), 1)
    assert table.set_index("data").loc["mixture, 5 sd", "yes"] == 1
    assert table.set_index("data").loc["real tables, ARI from 0.5", "yes"] == 1
    monkeypatch.setattr(structure, "assess_structure", None)
    assert run("structure", samples=2, storage=path).table.equals(table)


def test_the_fit_finds_its_coefficients():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"evidence": rng.uniform(0, 8, 4000), "kind": rng.integers(9, size=4000)})
    rows["n_objects"], rows["linearity"] = rng.choice([100, 400, 1000], 4000), 0.8
    X = np.array(
        [predictors(e, n, 0.8) for e, n in zip(rows.evidence, rows.n_objects, strict=True)]
    )
    rows["clusters"] = rng.random(4000) < 1 / (1 + np.exp(3 - X @ [0.8, -1]))
    rows["kind"] = rows["kind"].astype(str) + rows["clusters"].astype(str)
    intercept, *slopes = fit(rows)
    assert slopes == pytest.approx((0.8, -1), abs=0.2)
    assert intercept == pytest.approx(
        -3 - np.log(rows.clusters.mean() / (1 - rows.clusters.mean())), abs=0.4
    )


def test_left_out_kinds_are_kinds():
    assert {kind.name for kind in (*NULLS, *CLUSTERED)} >= LEFT_OUT
    assert len([kind for kind in NULLS if kind.name in LEFT_OUT]) >= 10
    assert len(NULLS) >= 30
