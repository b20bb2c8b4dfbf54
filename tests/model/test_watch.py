"""Watched clusters: false alarms over many looks, power, small periods, and the page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sortal
from command_line import sortal_command
from sortal import InputError
from sortal.model import watch

CENTERS = 9.0 * np.eye(3)


def table(n_days: int, n: int, *, seed: int, shift: int | None = None) -> pd.DataFrame:
    """Rows of three clusters on each day, of which one grows from the day ``shift`` on."""
    rng = np.random.default_rng(seed)
    frames = []
    for day in range(n_days):
        grown = shift is not None and day >= shift
        truth = rng.choice(3, n, p=[0.5, 0.25, 0.25] if grown else [1 / 3] * 3)
        rows = CENTERS[truth] + rng.normal(size=(n, 3))
        frames.append(pd.DataFrame(rows, columns=list("abc")).assign(day=f"2024-01-{day + 1:02d}"))
    return pd.concat(frames)


@pytest.fixture(scope="module")
def model() -> sortal.Model:
    """A model of three clusters."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 600)
    X = CENTERS[truth] + rng.normal(size=(600, 3))
    return sortal.Model.of(pd.DataFrame(X, columns=list("abc")), truth)


def test_a_shift_is_found_and_dated(model: sortal.Model, tmp_path: Path) -> None:
    table(25, 200, seed=1, shift=15).to_parquet(tmp_path / "x.parquet")
    watched = watch(model, tmp_path / "x.parquet", by="day")
    shares = {signal.name: signal for signal in watched.alarms}
    assert set(shares) >= {"share of 0"}
    signal = shares["share of 0"]
    assert signal.kind == "share"
    assert 15 <= signal.alarm <= 20
    assert abs(signal.since - 15) <= 1
    assert watched.rows == (200,) * 25
    frame = pd.read_parquet(tmp_path / "x.parquet")
    labels = model.predict(frame[["a", "b", "c"]]).labels
    expected = pd.Series(labels == 0).groupby(frame["day"].to_numpy()).mean()
    np.testing.assert_allclose(watched.table["share of 0"], expected)


def test_distances_and_unlike_rows_are_watched(model: sortal.Model, tmp_path: Path) -> None:
    frame = table(20, 300, seed=2)
    late = (frame["day"] > "2024-01-12").to_numpy()
    frame.loc[late, "a"] += 1.0
    frame.to_parquet(tmp_path / "x.parquet")
    kinds = {signal.kind for signal in watch(model, tmp_path / "x.parquet", by="day").alarms}
    assert "distance" in kinds
    assert "share" not in kinds
    frame.loc[late, "a"] = np.where(np.arange(late.sum()) % 5, frame.loc[late, "a"] - 1.0, 300.0)
    frame.to_parquet(tmp_path / "x.parquet")
    alarms = watch(model, tmp_path / "x.parquet", by="day").alarms
    assert "unlike" in {signal.kind for signal in alarms}


def test_files_times_and_numbers_are_periods(model: sortal.Model, tmp_path: Path) -> None:
    frame = table(12, 20, seed=3)
    (tmp_path / "rows").mkdir()
    for i, (_, rows) in enumerate(frame.groupby("day")):
        times = pd.to_datetime(rows["day"]) + pd.to_timedelta(np.arange(len(rows)), "h")
        texts = times.dt.strftime("%Y-%m-%dT%H:%M:%S")
        number = np.full(len(rows), i)
        number_or_none = pd.array(number, dtype="Int64")
        number_or_none[0] = pd.NA
        rows = rows.assign(time=times, text=texts, number=number, gaps=number_or_none)
        rows.to_parquet(tmp_path / "rows" / f"f{i:02d}.parquet")
    by_day = watch(model, tmp_path / "rows", by="day")
    for by in ("time", "text"):
        assert watch(model, tmp_path / "rows", by=by).table.equals(by_day.table)
    files = watch(model, tmp_path / "rows")
    assert files.periods[0] == "f00"
    numbers = watch(model, tmp_path / "rows", by="number")
    assert numbers.periods == tuple(map(str, range(12)))
    np.testing.assert_allclose(numbers.table.to_numpy(), by_day.table.to_numpy())
    gaps = watch(model, tmp_path / "rows", by="gaps")
    assert gaps.without == 12
    assert any(
        sentence.startswith("Rows without a period") and "12." in sentence
        for sentence in gaps.sentences
    )
    assert any("fewer than 30 rows" in sentence for sentence in gaps.sentences)


def test_wrong_requests_are_explained(model: sortal.Model, tmp_path: Path) -> None:
    table(5, 20, seed=5).to_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="5 periods, and the first 7"):
        watch(model, tmp_path / "x.parquet", by="day")
    with pytest.raises(InputError, match="no column 'week'"):
        watch(model, tmp_path / "x.parquet", by="week")
    with pytest.raises(InputError, match="alpha"):
        watch(model, tmp_path / "x.parquet", by="day", alpha=2)


def test_the_command_writes_a_page(model: sortal.Model, tmp_path: Path) -> None:
    model.renamed(["<b>low", "mid", "high"]).save(tmp_path / "m.sortal-model")
    table(25, 200, seed=1, shift=15).to_csv(tmp_path / "x.csv", index=False)
    command = ("watch", "m.sortal-model", "x.csv", "--by", "day", "--report", "w.html")
    done = sortal_command(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "signals changed in 18 periods" in done.stdout
    assert "share of <b>low" in done.stdout
    page = (tmp_path / "w.html").read_text("utf-8")
    assert "<b>low" not in page
    assert page.count("<figure") == 7
    refused = sortal_command(*command, cwd=tmp_path)
    assert refused.returncode == 2
    record = json.loads(sortal_command(*command[:-2], "--json", cwd=tmp_path).stdout)
    assert any(signal["alarm"] is not None for signal in record["signals"])
