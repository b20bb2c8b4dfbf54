"""Parts of a table that are unlike the others, empty, or of other columns and types."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as arrow
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command_line import sortal_command
from sortal import InputError
from sortal.datasets import Dataset, read
from sortal.model import assign_rows

RNG = np.random.default_rng(0)
N, PARTS = 1200, 6
TABLE = pd.DataFrame(
    {"a": RNG.normal(20, 4, N), "b": RNG.lognormal(size=N), "c": RNG.normal(size=N)}
)


def write(
    folder: Path, change: Callable[[pd.DataFrame], pd.DataFrame], suffix: str = "parquet"
) -> Path:
    """The table in six files, of which the fourth is changed."""
    folder.mkdir()
    for i, rows in enumerate(np.array_split(np.arange(N), PARTS)):
        part = TABLE.iloc[rows].reset_index(drop=True)
        part = change(part) if i == 3 else part
        path = folder / f"day-{i}.{suffix}"
        part.to_parquet(path) if suffix == "parquet" else part.to_csv(path, index=False)
    return folder


def unlike(data: Dataset) -> list[tuple[str, str, str, float]]:
    """Part, column, aspect and size of each difference that a data set has as a finding."""
    facts = [f.facts["differences"] for f in data.findings if f.key == "unlike-part"]
    return [(d["part"], d["column"], d["aspect"], d["size"]) for found in facts for d in found]


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize("factor", [1000, 0.01])
def test_a_part_in_another_unit_is_named(tmp_path: Path, suffix: str, factor: float) -> None:
    data = read(write(tmp_path / "x", lambda part: part.assign(b=part["b"] * factor), suffix))
    [(part, column, aspect, size)] = unlike(data)
    assert (part, column, aspect) == ("day-3", "b", "spread")
    assert 0.4 * factor < size < 2.5 * factor
    [finding] = [f for f in data.findings if f.key == "unlike-part"]
    assert finding.stops
    assert "part 'day-3': 'b' spreads" in finding.to_dict()["sentence"].lower()
    assert not unlike(read(tmp_path / "x", accept="unlike-part"))


def test_a_part_elsewhere_and_a_part_without_values_are_named(tmp_path: Path) -> None:
    data = read(write(tmp_path / "x", lambda part: part.assign(a=part["a"] + 2000)))
    assert [found[:3] for found in unlike(data)] == [("day-3", "a", "median")]
    data = read(write(tmp_path / "y", lambda part: part.assign(a=np.nan)))
    assert unlike(data) == [("day-3", "a", "missing", 1.0)]
    data = read(write(tmp_path / "z", lambda part: part.rename(columns={"a": "A"})))
    assert unlike(data) == [("day-3", "a", "missing", 1.0)]


@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1), n_parts=st.integers(2, 20), drift=st.floats(0, 3),
    growth=st.floats(1, 1.3),
)  # fmt: skip
def test_parts_that_drift_are_like_each_other(
    seed: int, n_parts: int, drift: float, growth: float
) -> None:
    rng = np.random.default_rng(seed)
    parts = [
        pa.table(dict(zip("uv", rng.standard_t(3, (2, 60)) * growth**i + drift * i, strict=True)))
        for i in range(n_parts)
    ]
    assert unlike(read(arrow.dataset(parts))) == []


def test_counts_are_exact_and_quantiles_are_of_the_sampled_rows(tmp_path: Path) -> None:
    folder = write(tmp_path / "x", lambda part: part.assign(c=part["c"].where(part["c"] > 0)))
    whole = read(folder).whole
    assert whole is not None
    for i, part in enumerate(whole.parts):
        rows = pq.read_table(folder / f"day-{i}.parquet").to_pandas()
        assert part.n_rows == len(rows)
        assert part.missing == rows.isna().sum().to_dict()
        np.testing.assert_allclose(part.medians, rows.median(), atol=0.2)


def test_check_shows_the_parts(tmp_path: Path) -> None:
    folder = write(tmp_path / "x", lambda part: part.assign(a=part["a"] * 1000))
    shown = sortal_command("check", folder)
    assert shown.returncode == 4
    assert "unlike the other parts" in shown.stdout
    [line] = [line for line in shown.stdout.splitlines() if line.startswith("day-3")]
    assert "200" in line
    assert "'a' spreads" in line
    parts = json.loads(sortal_command("check", folder, "--json").stdout)["parts"]
    assert [part["n_rows"] for part in parts] == [200] * 6
    assert [bool(part["unlike"]) for part in parts] == [False] * 3 + [True] + [False] * 2
    stopped = sortal_command("run", folder, "-c", "kmeans", "-k", 2)
    assert stopped.returncode == 4
    assert "day-3" in stopped.stderr


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_an_empty_file_stops(tmp_path: Path, suffix: str) -> None:
    folder = write(tmp_path / "x", lambda part: part, suffix)
    (folder / f"day-2.{suffix}").write_bytes(b"")
    for source in (folder, str(folder / f"day-*.{suffix}")):
        with pytest.raises(InputError, match=r"day-2\.\w+ is empty \(0 bytes\)"):
            read(source)
    with pytest.raises(InputError, match="is empty"):
        assign_rows(None, folder)  # type: ignore[arg-type]


def test_files_without_rows_are_named(tmp_path: Path) -> None:
    data = read(write(tmp_path / "x", lambda part: part[:0]))
    assert data.n_objects == 1000
    assert "1 of 6 parts have no rows (day-3)." in data.notes


def test_files_of_other_types_and_without_columns_stop(tmp_path: Path) -> None:
    folder = write(tmp_path / "x", lambda part: part.assign(a=part["a"].map("x{}".format)))
    with pytest.raises(InputError, match=r"'a' is text in .*day-3.*double in .*day-0"):
        read(folder)
    with pytest.raises(InputError, match=r"day-3.parquet has no columns"):
        read(write(tmp_path / "y", lambda part: part[[]]))


def test_numbers_take_the_wider_type(tmp_path: Path) -> None:
    folder = write(tmp_path / "x", lambda part: part.assign(a=part["a"].round().astype("int64")))
    (folder / "day-3.parquet").rename(folder / "a-first.parquet")
    plan = read(folder).plan
    assert plan is not None
    assert next(column.n_values for column in plan.columns if column.name == "a") > 900
