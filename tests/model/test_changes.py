"""What became of clusters, and whether more than resampling makes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sortal
from sortal import InputError
from sortal.datasets import from_table
from sortal.model import Model, changes

CENTERS = [[0, 0], [8, 0], [0, 9]]


def drawn(seed: int, centers: Any = CENTERS, shares: Any = None, n: int = 240) -> Any:
    """Objects around centres, and whose they are."""
    rng = np.random.default_rng(seed)
    of = rng.choice(len(centers), n, p=shares)
    return np.array(centers)[of] + rng.normal(size=(n, 2)), of


def changes_of_draw(
    seed: int, centers: Any = CENTERS, shares: Any = None, named: Any = None
) -> Any:
    """What became of the three clusters, without a reference."""
    X, of = drawn(0)
    old = Model.of(X, of).renamed(["west", "east", "north"])
    now, labels = drawn(seed, centers, shares)
    return changes(old, old.prepare(now), labels if named is None else named[labels], list("abcd"))


def what(change: Any) -> dict[str, tuple[str, str]]:
    rows = change.table.to_dict("records")
    return {row["before"]: (row["change"], row["now"]) for row in rows if row["before"]}


def test_clusters_come_back() -> None:
    same = changes_of_draw(1)
    assert what(same) == {
        "west": ("came back", "a"), "east": ("came back", "b"), "north": ("came back", "c"),
    }  # fmt: skip
    assert same.agreement == 1
    assert same.placed > 0.95
    assert same.unlike < 0.05
    assert same.changed is None


def test_they_grow_and_shrink_by_more_than_sampling_makes() -> None:
    grown = changes_of_draw(2, shares=[0.7, 0.15, 0.15])
    assert [change for change, _ in what(grown).values()] == ["grew", "shrank", "shrank"]


def test_they_vanish() -> None:
    assert what(changes_of_draw(3, CENTERS[:2]))["north"] == ("vanished", "")


def test_they_split() -> None:
    parted = changes_of_draw(4, [[-1.2, 0], [8, 0], [0, 9], [1.2, 0]])
    assert what(parted)["west"] == ("split", "a, d")
    assert what(parted)["east"] == ("came back", "b")


def test_they_merge() -> None:
    joined = changes_of_draw(5, named=np.array([0, 0, 1]))
    assert what(joined)["west"] == what(joined)["east"] == ("merged", "a")


def test_new_ones_are_unlike_the_old() -> None:
    new = changes_of_draw(6, [*CENTERS, [30, 30]])
    last = new.table.iloc[-1]
    assert (last["change"], last["now"]) == ("new", "d")
    assert new.flows.loc["unlike", "d"] == new.flows["d"].sum()
    assert new.unlike == pytest.approx(0.25, abs=0.1)


def test_the_flows_are_all_objects() -> None:
    result = changes_of_draw(7)
    assert result.flows.to_numpy().sum() == result.n_objects == 240
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["n_objects"] == 240
    assert "came back" in str(result)


def answer(data: Any, k: int) -> Any:
    study = sortal.Study(data, by="silhouette")
    study.sweep(["kmeans"], k=[k], n_init=1, workers=1)
    return study.best()


def test_change_is_more_than_resampling_makes() -> None:
    old = answer(drawn(0)[0], 3).model
    same = answer(drawn(11)[0], 3).against(old, n_resamples=19)
    assert same.changed is False
    assert same.reference.p_value > 0.05
    assert len(same.reference.unchanged) == 19
    changed = answer(drawn(12, [*CENTERS, [9, 9]])[0], 4).against(old, n_resamples=19)
    assert changed.changed is True
    assert changed.reference.today < min(changed.reference.unchanged)


def test_the_reference_is_the_same_again() -> None:
    old, today = answer(drawn(0)[0], 3).model, answer(drawn(12)[0], 3)
    first, again = (today.against(old, n_resamples=3).reference for _ in range(2))
    assert first == again


def test_tables_of_two_months(tmp_path: Any) -> None:
    then, now = (
        pd.DataFrame(drawn(seed)[0], columns=["spend", "age"]).assign(plan=["a", "b"] * 120)
        for seed in (0, 1)
    )
    answer(from_table(then), 3).save(tmp_path / "m")
    today = answer(from_table(now[["plan", "age", "spend"]]), 3)
    with pytest.raises(InputError, match="give the rows"):
        today.against(sortal.load_model(tmp_path / "m"))
    table = today.against(sortal.load_model(tmp_path / "m"), now, n_resamples=3).table
    assert set(table["change"]) == {"came back"}


def test_a_model_whose_clusterer_is_not_known() -> None:
    old = Model.of(*drawn(0))
    result = answer(drawn(1)[0], 3).against(old)
    assert result.changed is None
    assert "not in the catalogue" in str(result)
