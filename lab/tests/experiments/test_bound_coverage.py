"""The coverage experiment, much scaled down."""

from __future__ import annotations

from pathlib import Path

import pytest

import sortal_lab as reproduce
from sortal.extension import KeptValues


@pytest.mark.parametrize("splits", [1, pytest.param(4, marks=pytest.mark.long)])
def test_small_version_runs_resumes_and_keeps_its_promise(tmp_path: Path, splits: int) -> None:
    lines: list[str] = []
    storage = tmp_path / "kept.sortal"
    first = reproduce.run("bound-coverage", samples=splits, storage=storage, progress=lines.append)
    table = first.table
    assert len(table) == len(lines) == 30
    assert table["language"].nunique() == 12
    # four splits: all broken has a chance of 1 in 10,000 where 0.1 is right
    assert splits == 1 or (table["share broken"] <= 3 / 4).all()
    # each class of two objects: nothing can be guaranteed, and hardly an object be predicted
    hopeless = table["clusterer"] == "many classes"
    assert hopeless.sum() == 6
    assert (table["mean bound"] > table["mean error"])[~hopeless].all()
    assert (table["mean bound"] == 1)[hopeless].all()
    assert len(KeptValues(storage)._values) == 30
    again = reproduce.run("bound-coverage", samples=splits, storage=storage)
    assert again.table.equals(table)
    assert "bound-coverage" in str(first)
    assert "<table" in first._repr_html_()
