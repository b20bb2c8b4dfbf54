"""The experiment on constants: which values it takes, what it counts, and one small task."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from sortal_lab import constants, run
from sortal_lab.constants import TABLES, Change, changed, changed_values, changes, table_of


def leaves(settings):
    """Number of constants in a table and the tables in it."""
    values = [getattr(settings, field.name) for field in fields(settings)]
    return sum(leaves(value) if is_dataclass(value) else 1 for value in values)


def test_every_constant_of_every_table_is_changed_in_both_directions():
    assert len(changes()) == 2 * sum(leaves(settings) for settings in TABLES.values())
    for change in changes():
        usual, now = TABLES[change.table], change.settings
        assert now != usual
        assert changed(now, change.path, change.default) == usual
        assert abs(change.value - change.default) <= 0.2 * abs(change.default) + 1


@pytest.mark.parametrize(
    ("default", "expected"),
    [(10, (12, 8)), (2, (3, 1)), (0.8, (0.96, 0.64)), (0.95, (0.96, 0.94)), (-1.0, (-1.2, -0.8))],
)
def test_integers_change_by_one_at_least_and_shares_stay_shares(default, expected):
    assert changed_values(default) == pytest.approx(expected)


def test_shares_and_truths_are_of_pairs(monkeypatch):
    change = Change("structure", ("jitter",), 1e-5, 1.2e-5, None)
    monkeypatch.setattr(constants, "changes", lambda: [change])
    usual = {"verdict": "yes", "number": 2, "verdict truth": 1.0}
    other = {"verdict": "no", "number": 2, "verdict truth": 0.0}
    row = table_of([{"": usual, change.name: now} for now in (usual, usual, usual, other)]).iloc[0]
    assert (row["verdicts"], row["numbers"], row["truth change"]) == (0.25, 0, -0.25)
    assert row["truth change error"] == pytest.approx(np.std([0, 0, 0, -1], ddof=1) / 2)
    assert np.isnan(row["choices"])


def test_a_task_is_decided_once_and_its_decisions_stay(monkeypatch, tmp_path):
    def draw(kind, number):
        rng = np.random.default_rng(0)
        y = np.arange(60) % 3
        return 8.0 * np.eye(3)[y] + rng.normal(size=(60, 3)), y, rng

    few = [change for change in changes() if change.path[-1] in ("intercept", "clear_lead")]
    monkeypatch.setattr(constants, "draw", draw)
    monkeypatch.setattr(constants, "changes", lambda: few)
    path = tmp_path / "journal"
    result = run("constants", samples=1, storage=path)
    assert len(result.table) == len(few)
    assert (result.table[["verdicts", "choices"]].max() == 0).all()
    assert "clear_lead (choice)" in result.notes[-1]
    monkeypatch.setattr(constants, "decisions", None)  # finished tasks are there
    assert run("constants", samples=1, storage=path).table.equals(result.table)
