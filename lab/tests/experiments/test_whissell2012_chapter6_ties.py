"""Other choices among clusterings that share the best value."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sortal_lab
from sortal_lab import whissell2012_chapter6_samples as samples
from sortal_lab import whissell2012_chapter6_ties as ties
from sortal_lab.whissell2012_sets import make_whissell2012


def test_the_choice_is_within_the_equals_and_nearest_to_the_published() -> None:
    free = [{2, 3, 4}] * 4
    assert ties.nearest_choice(free, [25, 25, 0]).tolist() == [2, 2, 0]
    # a sample without the published number keeps its own fewest
    assert ties.nearest_choice([{2}, {2, 4}, {3, 4}], [0, 0, 50]).tolist() == [1, 0, 2]
    # the last place has all numbers from there on
    assert ties.nearest_choice([{2, 9}], [0, 0, 50]).tolist() == [0, 0, 1]


def test_rows_are_those_of_the_samples(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    drawn = make_whissell2012("ELONGATED", random_state=0)
    classes = drawn[1].astype(np.int32)
    labels = {
        "one 2": (classes > 1).astype(np.int32),
        "one 3": classes,
        "alone 2": (np.arange(len(classes)) == 0).astype(np.int32),
        "mixed 4": np.arange(len(classes), dtype=np.int32) % 4,
    }
    made = samples.ClusteredSample(*drawn, labels, 0)
    monkeypatch.setattr(ties, "sample_of", lambda *_: made)
    monkeypatch.setattr(ties, "SETS", ("ELONGATED",))
    name, kept = "whissell2012-chapter6-ties", tmp_path / "kept.db"
    found = sortal_lab.run(name, samples=2, storage=kept)
    table = found.table.set_index("figure")
    assert table.loc["ELONGATED Informativeness", "ours"] == "3: 2"
    assert table.loc["ELONGATED inf-EQ", ["ours", "published"]].tolist() == ["2: 2", "2: 50"]
    assert (table["p"].dropna() > 0.9).all()
    whole = table.loc["two clusters chosen: whole classes, ELONGATED, section 6.3.5"]
    assert (whole["ours"], whole["published"]) == (1.0, 1.0)
    assert "ELONGATED 2/3, 2/3" in found.notes[-1]
    assert sortal_lab.run(name, samples=2, storage=kept).table.equals(found.table)
