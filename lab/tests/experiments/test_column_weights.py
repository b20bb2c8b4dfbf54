"""The experiment on weights of columns: its tables, its rivals, and that agreements are stored."""

from __future__ import annotations

import numpy as np
import pytest

from sortal_lab import column_weights, mixed_tables, run


def test_agreements_are_stored(tmp_path, monkeypatch):
    kind = "square and one coin"
    monkeypatch.setattr(column_weights, "PARTS", {"one": {kind: mixed_tables.SQUARES[kind]}})
    monkeypatch.setattr(column_weights, "REAL", ())
    monkeypatch.setattr(mixed_tables, "LARGEST", mixed_tables.SMALLEST)
    monkeypatch.setattr(column_weights, "NUMBERS", (3, 4, 5))
    path = tmp_path / "work"
    table = run("column-weights", samples=1, storage=path).table
    assert table["weights of 0 or 1"].iloc[0] > 0.8
    assert table["answer"].iloc[0] > 0.8
    monkeypatch.setattr(column_weights, "_agreements", None)
    assert run("column-weights", samples=1, storage=path).table.equals(table)


@pytest.mark.parametrize("kind", [k for part in column_weights.PARTS.values() for k in part])
def test_tables_have_their_groups_and_noise(kind):
    table, groups = mixed_tables.draw_mixed(kind, np.random.default_rng(3))
    again, _ = mixed_tables.draw_mixed(kind, np.random.default_rng(3))
    assert table.equals(again)
    assert len(table) == len(groups)
    assert (groups.max() == 0) == (kind in ("independent columns", "one factor"))
    is_noise = [name.startswith("noise") for name in table]
    without = {"square alone", *mixed_tables.WEAK, "weak shares", "weak counts"}
    assert any(is_noise) == (kind not in without)


def test_the_rivals_separate_groups_that_are_far_apart():
    table, groups = mixed_tables.draw_mixed("square alone", np.random.default_rng(0))
    for rival, labels in column_weights.rival_labels(table, 4).items():
        assert column_weights.agreement(groups, labels) > 0.7, rival
