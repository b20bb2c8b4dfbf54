"""The experiments on the guarantee, much scaled down, on packaged data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sortal_lab as reproduce
from sortal.extension import KeptValues
from sortal_lab import guarantee

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def one_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarantee, "GROUPS", {"one": (("wine",), (20, 60))})
    monkeypatch.setattr(guarantee, "STOPS", {"wine": 0.3})


def test_bounds_beside_their_rivals_are_kept_and_go_on(tmp_path: Path) -> None:
    kept = tmp_path / "kept.sortal"
    one = reproduce.run("guarantee-tightness", samples=1, storage=kept).table
    assert one["method"].tolist() == [*guarantee.METHODS, "truly wrong"]
    assert ((one["20 labels"] > 0) & (one["20 labels"] <= 1)).all()
    assert one.set_index("method")["60 labels"]["PAC-MDL alone"] > one["60 labels"].min()
    n_rows = len(KeptValues(kept)._values)
    two = reproduce.run("guarantee-tightness", samples=2, storage=kept).table
    assert len(KeptValues(kept)._values) == 2 * n_rows
    assert not np.array_equal(one["20 labels"], two["20 labels"])


def test_a_sequence_stops_near_the_number_that_hindsight_fixes() -> None:
    row = reproduce.run("guarantee-stopping", samples=1).table.iloc[0]
    assert row["reached"] == 1
    assert 20 < row["labels"] < 90
    assert row["fixed"] <= 89
