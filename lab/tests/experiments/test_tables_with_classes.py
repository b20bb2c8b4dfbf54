"""Tables with classes: one that made the rows, one that did not, and the stored pieces."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sortal_lab import run, tables_with_classes
from sortal_lab.data import data_in


def test_groups_that_made_the_rows_are_told_from_classes_that_did_not(monkeypatch, tmp_path):
    rng = np.random.default_rng(0)
    kinds = np.arange(90) % 3
    X = pd.DataFrame(rng.normal(size=(90, 4)) + 12 * kinds[:, None], columns=list("abcd"))
    (tmp_path / "tables").mkdir()
    for name, classes in (("made", kinds), ("recorded", rng.integers(2, size=90))):
        X.assign(**{"class": classes}).to_csv(tmp_path / f"tables/{name}.csv.gz", index=False)
    path = tmp_path / "kept.sortal"
    with data_in(tmp_path):
        result = run("tables-with-classes", storage=path)
        table = result.table.set_index("table")
        assert list(table.index) == ["made", "recorded"]
        assert (table["answer"] == "separate").all()
        assert table.loc["made", "with classes"] == table.loc["made", "best candidate"] == 1
        assert abs(table.loc["recorded", "with classes"]) < 0.2
        assert "on 1 of 2 tables" in result.notes[1]
        monkeypatch.setattr(tables_with_classes, "Study", None)
        assert run("tables-with-classes", storage=path).table.equals(result.table)
    with data_in(tmp_path / "nothing"):
        assert "No table" in run("tables-with-classes").notes[0]
