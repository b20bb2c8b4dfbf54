"""The experiment on alternatives: shares of right answers are kept."""

from __future__ import annotations

from sortal_lab import alternatives, run


def test_none_is_right_where_nothing_is_planted(monkeypatch, tmp_path):
    design = "none: correlated Gaussian, d = 8"
    monkeypatch.setattr(alternatives, "DESIGNS", {design: alternatives.DESIGNS[design]})
    path = tmp_path / "kept.sortal"
    found = run("alternatives", samples=1, storage=path).table
    assert found.loc[0, ["planted", "right", "ways"]].tolist() == [0, 1.0, 0.0]
    monkeypatch.setattr(alternatives, "Study", None)
    assert run("alternatives", samples=1, storage=path).table.equals(found)
