"""What is written in any format comes back equal, through every reader."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import string
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import io as scipy_io
from scipy import sparse

import sortal.datasets
from example_counts import examples
from sortal.datasets import Dataset, from_array

# what is rejected unless an option says what to do, and nothing assumed
read = partial(sortal.datasets.read, strict=True)
from_table = partial(sortal.datasets.from_table, strict=True)

SHAPES = st.tuples(st.integers(2, 12), st.integers(1, 5))
FINITE = st.floats(-1e100, 1e100, allow_nan=False, allow_infinity=False).filter(
    lambda x: x == 0 or abs(x) > 1e-100  # squares of smaller ones vanish, which is an error
)
DENSE = hnp.arrays(np.float64, SHAPES, elements=FINITE)
NAME = st.text(string.ascii_letters + "_,;\" \t#äß'", min_size=1, max_size=8).map(str.strip)


def frame(X: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])


def as_csv(X: np.ndarray, path: Path, **options: Any) -> None:
    frame(X).to_csv(path, index=False, **options)


WRITERS = {
    ".csv": as_csv,
    ".tsv": lambda X, path: as_csv(X, path, sep="\t"),
    ".csv.gz": as_csv,
    ".csv.bz2": as_csv,
    ".csv.xz": as_csv,
    ".txt": lambda X, path: as_csv(X, path, sep=";"),
    ".data": lambda X, path: as_csv(X, path, sep="|", header=False),
    ".parquet": lambda X, path: frame(X).to_parquet(path),
    ".npy": lambda X, path: np.save(path, X),
    ".npz": lambda X, path: np.savez(path, X=X),
    ".mtx": lambda X, path: scipy_io.mmwrite(path, X, precision=17),
}


@pytest.mark.parametrize("suffix", WRITERS)
@given(X=DENSE)
@examples(15)
def test_dense_round_trip(suffix: str, X: np.ndarray) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mine" + suffix)
        WRITERS[suffix](X, path)
        back = read(path)
    np.testing.assert_array_equal(back.X, X)
    assert back.X.dtype == np.float64
    assert back.X.flags.c_contiguous
    assert back.name == "mine"
    assert list(back.ids) == list(range(len(X)))
    assert back.y is None
    if suffix not in (".npy", ".npz", ".mtx", ".data"):
        assert back.feature_names == tuple(f"f{j}" for j in range(X.shape[1]))


@st.composite
def sparse_matrices(draw: Any) -> sparse.csr_array:
    X = draw(hnp.arrays(np.float64, SHAPES, elements=FINITE))
    keep = draw(hnp.arrays(np.bool_, X.shape))
    return sparse.csr_array(np.where(keep, X, 0.0))


@pytest.mark.parametrize("suffix", [".npz", ".mtx", ".mtx.gz"])
@given(X=sparse_matrices())
@examples(15)
def test_sparse_round_trip(suffix: str, X: sparse.csr_array) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mine" + suffix)
        if suffix == ".npz":
            sparse.save_npz(path, X)
        else:
            buffer = io.BytesIO()
            scipy_io.mmwrite(buffer, X, precision=17)
            packed = gzip.compress if suffix.endswith(".gz") else bytes
            path.write_bytes(packed(buffer.getvalue()))
        back = read(path)
    assert isinstance(back.X, sparse.csr_array)
    assert back.X.has_canonical_format
    np.testing.assert_array_equal(back.X.toarray(), X.toarray())


@given(names=st.lists(NAME.filter(bool), min_size=2, max_size=6, unique=True))
@examples(50)
def test_awkward_column_names_survive_csv(names: list[str]) -> None:
    X = np.arange(2.0 * len(names)).reshape(2, -1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.csv")
        pd.DataFrame(X, columns=names).to_csv(path, index=False)
        back = read(path)
    assert back.feature_names == tuple(names)
    np.testing.assert_array_equal(back.X, X)


@given(
    labels=st.lists(
        st.one_of(st.none(), st.text(string.ascii_letters + ' ,"é', min_size=1).map(str.strip)),
        min_size=3,
        max_size=10,
    ).filter(lambda values: any(values))
)
@examples(50)
def test_labels_survive_csv(labels: list[str | None]) -> None:
    labels = [value or None for value in labels]
    if not any(labels):
        return
    table = pd.DataFrame({"x": np.arange(len(labels)), "class": pd.Series(labels, dtype=object)})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.csv")
        table.to_csv(path, index=False)
        back = read(path, label_column="class")
    assert back.y is not None
    assert list(back.y) == labels


def same(a: Dataset, b: Dataset) -> None:
    np.testing.assert_array_equal(a.X, b.X)
    assert a.fingerprint == b.fingerprint
    assert a.feature_names == b.feature_names
    assert list(a.ids) == list(b.ids)
    np.testing.assert_array_equal(a.y, b.y)


def mixed() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": ["p", "q", "r", "s", "t", "u"],
            "size": [1.5, 2.0, -3.0, 4.0, 5.0, 1e-3],
            "count": [1, 2, 3, 4, 5, 6],
            "flag": [True, False, True, True, False, False],
            "colour": ["red", "green", "red", "blue", "blue", "red"],
            "class": ["a", None, "b", "a", "b", "a"],
            "junk": ["l", "m", "n", "o", "p", "q"],
        }
    )


def test_every_door_gives_the_same(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    table = mixed()
    how: dict[str, Any] = {
        "label_column": "class",
        "id_column": "id",
        "drop": ("junk",),
        "scale": "robust",
    }
    data = from_table(table, **how)
    assert data.feature_names == (
        "size",
        "count",
        "flag",
        "colour=blue",
        "colour=green",
        "colour=red",
    )
    assert list(data.ids) == list("pqrstu")
    assert data.y is not None
    assert list(data.y) == ["a", None, "b", "a", "b", "a"]
    same(data, from_table(polars.from_pandas(table), **how))
    same(data, from_table(polars.from_pandas(table).lazy(), **how))
    same(data, from_table(pa.table(table), **how))
    same(data, from_table(dict(table.items()), **how))
    same(data, from_table(table.convert_dtypes(), **how))
    same(data, from_table(table.astype({"colour": "category"}), **how))
    same(data, from_table(table.set_index("id"), **how))
    for suffix in (".csv", ".tsv", ".parquet"):
        path = tmp_path / f"mixed{suffix}"
        if suffix == ".parquet":
            table.to_parquet(path)
        else:
            table.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
        same(data, read(path, **how))


def test_the_recorded_options_read_it_again(tmp_path: Path) -> None:
    path = tmp_path / "mixed.csv"
    mixed().to_csv(path, index=False, encoding="latin-1")
    data = read(
        path, label_column="class", drop=["id", "junk"], scale="standard", encoding="latin-1"
    )
    assert data.source == str(path)
    assert data.options == {
        "label_column": "class",
        "drop": ("id", "junk"),
        "scale": "standard",
        "encoding": "latin-1",
        "strict": True,
    }
    same(data, read(data.source, **data.options))


def test_float32_stays(tmp_path: Path) -> None:
    X = np.array([[0.1, 2.0], [3.0, 4.0]], dtype=np.float32)
    frame(X).to_parquet(tmp_path / "x.parquet")
    np.save(tmp_path / "x.npy", X)
    np.savez(tmp_path / "x.npz", X=X)
    for data in (
        from_array(X),
        from_array(X, scale="standard"),
        from_table(frame(X)),
        *(read(tmp_path / f"x{suffix}") for suffix in (".parquet", ".npy", ".npz")),
    ):
        assert data.X.dtype == np.float32
    mixed = frame(X).assign(more=[1, 2])
    assert from_table(mixed).X.dtype == np.float64


def test_compressed_truth_and_names(tmp_path: Path) -> None:
    body = b"a,b\n1,2\n3,4\n"
    for suffix, pack in ((".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)):
        path = tmp_path / f"some.thing.CSV{suffix.upper()}"
        path.write_bytes(pack(body))
        assert read(path).name == "some.thing"


def test_the_user_array_is_neither_copied_nor_changed() -> None:
    X = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, np.inf]])
    before = X.copy()
    X.setflags(write=False)
    assert np.shares_memory(from_array(X[:2]).X, X)
    for scale in ("none", "standard", "robust", "minmax"):
        data = from_array(X, impute="median", scale=scale)
        assert not np.shares_memory(data.X, X)
    from_array(X, impute="drop", scale="minmax")
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize(
    "awkward",
    [
        lambda X: np.asfortranarray(X),
        lambda X: np.repeat(X, 2, axis=0)[::2],
        lambda X: X[:, ::-1][:, ::-1],
        lambda X: X.astype(">f8"),
        lambda X: X.astype(np.float16),
        lambda X: X.astype(np.int8),
        lambda X: X.tolist(),
        lambda X: X.astype(object),
    ],
)
def test_awkward_arrays(awkward: Any) -> None:
    X = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 7.0]])
    data = from_array(awkward(X))
    np.testing.assert_array_equal(data.X, X)
    assert data.X.dtype == np.float64
    assert data.X.flags.c_contiguous
    assert data.fingerprint == from_array(X).fingerprint


def test_npz_has_its_columns_beside_the_data(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, features=np.eye(3), y=np.array([1, 2, 1]), who=np.array(["a", "b", "c"]))
    data = read(path, label_column="y", id_column="who", scale="minmax")
    assert list(data.y if data.y is not None else []) == [1, 2, 1]
    assert list(data.ids) == ["a", "b", "c"]
    np.testing.assert_array_equal(data.X, np.eye(3))


def test_structured_and_flat_npy(tmp_path: Path) -> None:
    records = np.array([(1.0, 2, "a"), (3.0, 4, "b"), (3.0, 4, "b")], dtype="f8,i4,U1")
    np.save(tmp_path / "r.npy", records)
    data = read(tmp_path / "r.npy", label_column="f2")
    assert data.feature_names == ("f0", "f1")
    assert list(data.y if data.y is not None else []) == ["a", "b", "b"]
    np.save(tmp_path / "v.npy", np.arange(4))
    assert read(tmp_path / "v.npy").X.shape == (4, 1)


def test_npy_label_column_by_position_name(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([[0.5, 1, 2], [0.7, np.nan, 2], [0.1, 3, 1]]))
    data = read(tmp_path / "x.npy", label_column="x2", drop="x3")
    assert data.feature_names == ("x1",)
    assert list(data.y if data.y is not None else []) == [1, None, 3]


def test_fingerprint_sees_values_shape_dtype_and_structure_only() -> None:
    X = np.array([[0.0, 1.0], [2.0, 3.0]])
    base = from_array(X).fingerprint
    assert base == from_array(X.copy(), y=["a", "b"], ids=["p", "q"], name="z").fingerprint
    others = {
        from_array(X + 1e-9).fingerprint,
        from_array(X.astype(np.float32)).fingerprint,
        from_array(X.reshape(4, 1)).fingerprint,
        from_array(X.T.copy()).fingerprint,
        from_array(sparse.csr_array(X)).fingerprint,
    }
    assert len(others | {base}) == 6
    places = {
        from_array(sparse.csr_array(np.array(rows))).fingerprint
        for rows in (
            [[1.0, 0, 2], [0, 0, 0]],
            [[0.0, 1, 2], [0, 0, 0]],
            [[1.0, 0, 0], [0, 0, 2]],
        )
    }
    assert len(places) == 3
    wide = sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert from_array(wide).fingerprint == from_array(sparse.csr_array(X)).fingerprint


def test_parquet_with_arrow_types(tmp_path: Path) -> None:
    table = pa.table(
        {
            "i8": pa.array([1, 2, 3], pa.int8()),
            "u64": pa.array([2**60, 0, 1], pa.uint64()),
            "dec": pa.array([1, 2, 3], pa.int64()).cast(pa.decimal128(21, 2)),
            "half": pa.array(np.array([1, 2, 3], dtype=np.float16)),
            "dict": pa.array(["u", "v", "u"]).dictionary_encode(),
            "view": pa.array(["u", "v", "u"], pa.string_view()),
        }
    )
    data = from_table(table)
    assert data.X.shape == (3, 8)
    np.testing.assert_array_equal(data.X[:, 0], [1, 2, 3])
    np.testing.assert_array_equal(data.X[:, 1], [2.0**60, 0, 1])
    np.testing.assert_array_equal(data.X[:, 2:4], [[1, 1], [2, 2], [3, 3]])
    pq.write_table(table.drop_columns(["view", "half"]), tmp_path / "x.parquet", row_group_size=1)
    assert read(tmp_path / "x.parquet").X.shape == (3, 5)
