"""The experiment on weights of columns: agreements are stored."""

from __future__ import annotations

from karat_lab import column_weights, run


def test_agreements_are_stored(tmp_path, monkeypatch):
    design = "one coin"
    monkeypatch.setattr(column_weights, "DESIGNS", {design: column_weights.DESIGNS[design]})
    monkeypatch.setattr(column_weights, "N_OBJECTS", 80)
    path = tmp_path / "work"
    table = run("column-weights", samples=1, storage=path).table
    assert table["weights of the data"].iloc[0] > 0.8
    monkeypatch.setattr(column_weights, "Study", None)
    assert run("column-weights", samples=1, storage=path).table.equals(table)
