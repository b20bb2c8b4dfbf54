"""Every experiment runs from an empty folder, on small data drawn in the form of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sortal_lab import (
    EXPERIMENTS,
    data,
    inference_levels,
    internal_chance,
    results,
    whissell2012_chapter6_weka,
)
from sortal_lab.scale import quick_of

#: objects of a class, features and sets at most
OBJECTS, FEATURES = 24, 40
#: fewer repetitions than the quick look has
FEWER = {
    "bound-coverage": 1,
    "guarantee-draws": 1,
    "guarantee-outlook": 1,
    "guarantee-files": 1,
    "guarantee-paths": 1,
    "clarity-intervals": 2,
}
#: these take several seconds each, whatever the size of the data; their parts are tested beside
SLOW = ("abul2003", "banerjee2004-batch", "banerjee2004-mixtures", "banerjee2004-prior",
        "banerjee2004-words",
        "banerjee2004-figure3",
        "banerjee2004-figure4", "banerjee2004-figure5", "banerjee2004-figure6", "choice",
        "map-of-measures",
        "number-of-clusters", "guarantee-tightness", "guarantee-stopping", "guarantee-draws",
        "peer-times", "splits", "structure", "whissell2012-table4.1",
        "whissell2012-section6", "whissell2012-chapter6",
        "whissell2012-table6", "whissell2012-table7", "whissell2012-figure7",
        "whissell2012-chapter5", "whissell2012-table5", "whissell2012-lemmas",
        "alternatives", "column-weights", "constants", "large-tables", "rubbish-columns",
        "steadiness")  # fmt: skip


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry of data sets of which each has a few objects of each class."""
    entries = {name: _few(entry) for name, entry in data._registry().items()}
    monkeypatch.setattr(data, "_registry", lambda: entries)
    designs = list(inference_levels.DESIGNS.items())[::5]
    monkeypatch.setattr(inference_levels, "DESIGNS", dict(designs))
    monkeypatch.setattr(internal_chance, "PERMUTATIONS", 10)


def _few(entry: dict[str, Any]) -> dict[str, Any]:
    # experiments draw a hundred documents of a group, or byte-grams of twenty e-mails
    most = 200 if entry["kind"] in ("emails", "texts") else OBJECTS
    given = entry["sizes"]
    sizes = [given] if isinstance(given, dict) else given
    few = [{name: min(n, most) for name, n in one.items()} for one in sizes[:1]]
    n = sum(few[0].values())
    d = min(entry["d"], FEATURES * 10) if entry.get("d") else None
    shrunk = entry | {"sizes": few[0] if isinstance(given, dict) else few, "n": n, "d": d}
    if "nonzero" in entry:
        shrunk["nonzero"] = 30 * n
    if not isinstance(given, dict):  # one labeling
        labels = entry["labels"]
        first = labels if isinstance(labels, str) else labels[0]
        shrunk["labels"] = first
        shrunk["sha256"] = {entry["path"]: "", first: ""}
    return shrunk


@pytest.mark.quick(6)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.long] if name.startswith(SLOW) else [])
        for name in EXPERIMENTS
    ],
)
def test_it_runs_for_a_stranger(
    name: str, small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "whissell2012-chapter6-weka" and not whissell2012_chapter6_weka.is_there():
        pytest.skip("Weka is not packaged: WEKA_JAR, and JPype1 of the extra: peers")
    monkeypatch.delenv(data.VARIABLE, raising=False)
    found = results.result_of(
        name,
        samples=FEWER.get(name),
        data=tmp_path / "empty",
        simulated=tmp_path / "drawn",
    )
    assert found["verdict"]
    assert found["table"]
    assert name in FEWER or found["leaves_out"] == quick_of(name).leaves_out
    if found["simulated"]:
        assert results.as_text(found).startswith("Simulated data, no result")
