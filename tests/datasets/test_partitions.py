"""Tables in parts: every source gives the same rows, in the same order, and the same sample."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as arrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sortal
from s3_server import serving
from sortal import InputError
from sortal.datasets import LabelFolder, open_partitions, read, reading_sizes
from sortal.model import assign_rows

N = 1000
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "key": [f"k{i}" for i in RNG.permutation(N)],
        "a": RNG.normal(size=N),
        "b": RNG.integers(0, 5, N) + 20 * RNG.integers(0, 2, N),
        "c": RNG.choice(["u", "v"], N),
    }
)
WRITERS: dict[str, Any] = {
    "parquet": lambda part, path: part.to_parquet(path),
    "feather": lambda part, path: part.to_feather(path),
    "csv": lambda part, path: part.to_csv(path, index=False),
    "csv.gz": lambda part, path: part.to_csv(path, index=False),
}


def write(folder: Path, suffix: str, n_parts: int = 4) -> Path:
    """Write the table in parts to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, rows in enumerate(np.array_split(np.arange(N), n_parts)):
        part = TABLE.iloc[rows].reset_index(drop=True)
        WRITERS[suffix](part, folder / f"part-{number}.{suffix}")
    return folder


def check(source: Any) -> Any:
    """The parts of a source, whose rows are those of the table."""
    opened = open_partitions(source)
    assert opened is not None
    assert opened.n_rows == N
    whole = pa.concat_tables(opened.tables()).to_pandas()
    np.testing.assert_allclose(whole["a"].astype(float), TABLE["a"])
    assert whole["key"].tolist() == TABLE["key"].tolist()
    taken = opened.rows(np.array([0, 499, 500, 999]), ["b"])["b"].to_pylist()
    assert [int(value) for value in taken] == TABLE["b"].iloc[[0, 499, 500, 999]].tolist()
    return opened


@pytest.mark.parametrize("suffix", WRITERS)
def test_folders_and_patterns_have_the_rows_in_order(tmp_path: Path, suffix: str) -> None:
    folder = write(tmp_path / "data", suffix)
    (folder / "_SUCCESS").write_text("")
    (folder / ".hidden").mkdir()
    check(folder)
    check(str(folder / f"part-?.{suffix}"))
    check(f"file://{folder}")
    assert len(check(tmp_path / "**" / f"*.{suffix}").parts) == 4


def test_large_files_are_divided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_sizes, "job_rows", 100)
    TABLE.to_parquet(tmp_path / "x.parquet", row_group_size=60)
    opened = check(str(tmp_path / "*.parquet"))
    assert [part.n_rows for part in opened.parts] == [120] * 8 + [40]
    assert [part.name for part in opened.parts][:2] == ["x-000", "x-001"]


def test_folders_of_days_have_the_day_as_a_column(tmp_path: Path) -> None:
    for day, rows in (("2024-01-01", slice(0, 300)), ("2024-01-02", slice(300, N))):
        folder = tmp_path / f"day={day}"
        folder.mkdir()
        TABLE.iloc[rows].to_parquet(folder / "x.parquet")
    opened = check(tmp_path)
    assert opened.columns[-1] == "day"
    assert [part.name for part in opened.parts] == ["day=2024-01-01/x", "day=2024-01-02/x"]


def test_lazy_tables_have_the_rows_in_order(tmp_path: Path) -> None:
    import duckdb
    import polars

    folder = write(tmp_path / "data", "parquet")
    check(arrow.dataset(folder))
    check(polars.scan_parquet(str(folder / "*.parquet")))
    relation = duckdb.sql(f"select * from '{folder}/*.parquet'")
    with pytest.raises(InputError, match="DuckDB relation"):
        read(check(relation), executor=object())
    frames = pytest.importorskip("dask.dataframe")
    check(frames.from_pandas(TABLE, npartitions=3))


@pytest.fixture
def bucket(tmp_path: Path) -> Iterator[str]:
    """The table in a bucket in memory."""
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    folder = write(tmp_path / "files", "parquet")
    for file in folder.iterdir():
        memory.pipe(f"/bucket/{file.name}", file.read_bytes())
    yield "memory://bucket"
    memory.rm("/bucket", recursive=True)


def test_addresses_have_the_rows_in_order(bucket: str) -> None:
    check(bucket)
    check(f"{bucket}/*.parquet")
    with pytest.raises(InputError, match="no file of a table"):
        open_partitions(f"{bucket}/*.csv")


def test_an_s3_server_has_the_rows_and_takes_the_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"):
        monkeypatch.setenv(name, "test")
    write(tmp_path / "bucket" / "rows", "parquet")
    model = sortal.Model.of(TABLE[["a", "b"]], (TABLE["b"] > 9).astype(int).to_numpy())
    with serving(tmp_path) as address:
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        opened = check("s3://bucket/rows")
        check("s3://bucket/rows/part-*.parquet")
        target = "s3://bucket/labels"
        assert assign_rows(model, opened, target).n_rows == N
        with pytest.raises(InputError, match="exists already"):
            LabelFolder(target).check("--labels")
        assert LabelFolder(target).parts() == {f"part-{i}" for i in range(4)}
        with pytest.raises(InputError, match="no-bucket"):
            open_partitions("s3://no-bucket/rows")
    labels = arrow.dataset(tmp_path / "bucket" / "labels").to_table().to_pandas()
    assert sorted(labels["row"]) == list(range(N))
    assert (tmp_path / "bucket" / "labels" / "_SUCCESS").exists()


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"notes.md": "x"}, "no file of a table"),
        ({"a.csv": "x,y\n1,2\n", "b.parquet": None}, "several formats"),
        ({"a.csv": "x,y\n"}, "no rows"),
    ],
)
def test_folders_that_are_no_table_are_explained(
    tmp_path: Path, files: dict[str, str | None], words: str
) -> None:
    for name, content in files.items():
        if content is None:
            TABLE.to_parquet(tmp_path / name)
        else:
            (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=words):
        open_partitions(str(tmp_path / "*"))


def test_a_part_that_lacks_a_column_or_changes_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "data", "parquet")
    opened = open_partitions(folder)
    assert opened is not None
    pd.DataFrame({"a": ["x"], "b": [1]}).to_parquet(folder / "part-2.parquet")
    with pytest.raises(InputError, match="part-2"):
        list(opened.tables(["a"]))


def test_small_files_are_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    TABLE.to_parquet(tmp_path / "x.parquet")
    TABLE.to_csv(tmp_path / "x.csv")
    assert open_partitions(tmp_path / "x.parquet") is open_partitions(tmp_path / "x.csv") is None
    monkeypatch.setattr(reading_sizes, "max_whole", 100)
    monkeypatch.setattr(reading_sizes, "max_bytes", 100)
    assert open_partitions(tmp_path / "x.parquet") is not None
    assert open_partitions(tmp_path / "x.csv") is not None


# -- sums and samples ----------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.floats(-3, 6))
@settings(max_examples=10, deadline=None)
def test_sums_of_parts_are_those_of_all_rows(seed: int, n_parts: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(rng.normal(), 1, size=(int(rng.integers(4, 40)), 2)) * 10**size
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:2] = [[1.0, -2.0], [3.0, 5.0]]
    frame = pd.DataFrame(X, columns=["a", "b"])
    parts = [pa.table(frame.iloc[rows]) for rows in np.array_split(np.arange(len(X)), n_parts)]
    whole = read(arrow.dataset(parts)).whole
    assert whole is not None
    table = whole.sums.table
    assert table["missing"].tolist() == frame.isna().sum().tolist()
    for name in frame:
        seen = frame[name].dropna()
        assert table.loc[name, "mean"] == pytest.approx(seen.mean(), rel=1e-9, abs=1e-9)
        assert (table.loc[name, "min"], table.loc[name, "max"]) == (seen.min(), seen.max())
        assert table.loc[name, "sd"] == pytest.approx(seen.std(), rel=1e-6)
    expected = frame.dropna().cov().to_numpy()
    np.testing.assert_allclose(
        whole.sums.covariance, expected, rtol=1e-6, atol=1e-9 * np.abs(expected).max()
    )


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thresholds for a thousand rows."""
    monkeypatch.setattr(reading_sizes, "max_whole", 500)
    monkeypatch.setattr(reading_sizes, "sample_rows", 200)
    monkeypatch.setattr(reading_sizes, "batch_rows", 64)


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.usefixtures("small")
def test_the_sample_does_not_depend_on_the_parts(tmp_path: Path, suffix: str) -> None:
    samples = [
        read(write(tmp_path / f"{n_parts}", suffix, n_parts), drop="key") for n_parts in (1, 3, 10)
    ]
    first = samples[0]
    assert first.n_objects == 200
    assert first.whole is not None
    assert first.whole.n_rows == N
    assert any("200 of the 1,000 rows" in note for note in first.notes)
    for sample in samples[1:]:
        assert sample.fingerprint == first.fingerprint
        np.testing.assert_array_equal(sample.rows, first.rows)
    table = first.whole.sums.table
    assert table.loc["a", "mean"] == pytest.approx(TABLE["a"].mean())
    assert table.loc["b", "max"] == TABLE["b"].max()


@pytest.mark.usefixtures("small")
def test_a_sample_by_key_does_not_depend_on_the_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = read(write(tmp_path / "a", "parquet"), id_column="key")
    monkeypatch.setitem(globals(), "TABLE", TABLE.iloc[::-1])
    second = read(write(tmp_path / "b", "parquet", 7), id_column="key")
    assert first.ids.tolist() == second.ids.tolist()
    assert first.fingerprint == second.fingerprint
    assert first.n_objects == 200
    np.testing.assert_array_equal(second.rows, N - 1 - first.rows)


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_table_in_few_parts_is_that_of_memory(tmp_path: Path, suffix: str) -> None:
    in_parts = read(write(tmp_path / "data", suffix), id_column="key")
    WRITERS[suffix](TABLE, tmp_path / f"whole.{suffix}")
    whole = read(tmp_path / f"whole.{suffix}", id_column="key")
    order = np.argsort(in_parts.rows)
    np.testing.assert_allclose(in_parts.X[order], whole.X)
    assert in_parts.feature_names == whole.feature_names


@pytest.mark.usefixtures("small")
def test_values_far_from_the_sample_are_noted(tmp_path: Path) -> None:
    frame = TABLE.drop(columns="key").assign(d=np.r_[RNG.normal(size=N)])
    drawn = read(write(tmp_path / "x", "parquet"), drop="key").rows
    missed = np.setdiff1d(np.arange(N), drawn)[0]
    frame.loc[missed, "a"] = 1e6
    (tmp_path / "y").mkdir()
    frame.to_parquet(tmp_path / "y" / "f.parquet")
    notes = read(tmp_path / "y").notes
    assert any("far outside" in note and "'a'" in note for note in notes)


def test_options_that_need_all_rows_are_explained(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="all rows at once"):
        read(write(tmp_path / "x", "parquet"), one_row_per="key")


@pytest.mark.usefixtures("small")
def test_a_study_takes_lazy_tables(tmp_path: Path) -> None:
    import polars

    folder = write(tmp_path / "x", "parquet")
    frame = polars.scan_parquet(str(folder / "*.parquet")).select("a", "b")
    assert sortal.Study(frame).n_objects == 200


def test_columns_that_only_some_files_have_are_said(tmp_path: Path) -> None:
    write(tmp_path, "parquet", 3)
    TABLE[:10].drop(columns="a").assign(z=1.0, key=list("ABCDEFGHIJ")).to_parquet(
        tmp_path / "part-9.parquet"
    )
    dataset = read(tmp_path, id_column="key", drop="c")
    assert any("'a' is missing in 1 of 4 files" in note for note in dataset.notes)
    assert any("'z' is not used" in note and "part-9" in note for note in dataset.notes)
    assert len(read(tmp_path / "*-[0-2].parquet").notes) < len(dataset.notes)


def test_text_parts_of_other_columns_are_no_table(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "2.csv").write_text('\ufeff"a","b"\r\n5,6\r\n')
    assert read(tmp_path).n_objects == 3
    for header in ("b,a\n", "a,c\n", "a,b,c\n", ""):
        (tmp_path / "3.csv").write_text(f"{header}7,8\n9,10\n")
        with pytest.raises(InputError, match=r"3\.csv has another header line than .*1\.csv"):
            read(tmp_path)
