"""Files of clusterings, joined to the objects by position or by id."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sortal import InputError
from sortal.datasets import load, read_labelings


def rejected(*parts: str) -> Any:
    return pytest.raises(InputError, match="".join(f"(?=.*{re.escape(part)})" for part in parts))


def write(folder: Path, text: str, name: str = "mine.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_columns_are_clusterings(tmp_path: Path) -> None:
    path = write(tmp_path, "k2,by hand,k3\n0,a,0\n1,b,-1\n1, a,2\n")
    labelings = read_labelings(path)
    assert list(labelings) == ["k2", "by hand", "k3"]
    assert labelings["k2"].dtype == np.int64
    np.testing.assert_array_equal(labelings["k3"], [0, -1, 2])
    assert list(labelings["by hand"]) == ["a", "b", "a"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".csv.gz"])
def test_rows_are_put_into_the_order_of_the_ids(suffix: str, tmp_path: Path) -> None:
    table = pd.DataFrame({"k": [10, 20, 30, 40], "who": ["d", "b", "a", "c"]})
    path = tmp_path / f"x{suffix}"
    if suffix == ".parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
    labelings = read_labelings(path, id_column="who", ids=np.array(["a", "b", "d"], dtype=object))
    np.testing.assert_array_equal(labelings["k"], [30, 20, 10])
    assert list(read_labelings(path, id_column="who")["k"]) == [10, 20, 30, 40]


def test_ids_that_are_numbers_on_one_side_only(tmp_path: Path) -> None:
    path = write(tmp_path, "who,k\n2,0\n1,1\nx,2\n")
    assert list(read_labelings(path, id_column="who", ids=[1, 2])["k"]) == [1, 0]


def test_join_to_a_packaged_set(tmp_path: Path) -> None:
    iris = load("iris")
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 150)
    order = rng.permutation(150)
    pd.DataFrame({"id": order, "mine": labels[order]}).to_csv(tmp_path / "x.csv", index=False)
    labelings = read_labelings(tmp_path / "x.csv", id_column="id", ids=iris.ids)
    np.testing.assert_array_equal(labelings["mine"], labels)


@pytest.mark.parametrize(
    ("text", "n", "name"),
    [
        ("0\n1\n1\n", 3, "mine"),
        ("0\n1\n1\n", None, "mine"),
        ("label\n0\n1\n1\n", 3, "label"),
        ("label\n0\n1\n1\n", None, "label"),
        ("7\n0\n1\n1\n", 3, "7"),
    ],
)
def test_one_column_may_lack_its_header(
    text: str, n: int | None, name: str, tmp_path: Path
) -> None:
    path = write(tmp_path, text)
    labelings = read_labelings(path, ids=None if n is None else range(n))
    assert list(labelings) == [name]
    assert list(labelings[name]) == [0, 1, 1]


def test_text_without_header_is_told_by_the_number_of_objects(tmp_path: Path) -> None:
    path = write(tmp_path, "earn\nacq\nearn\n", "classes.txt")
    assert list(read_labelings(path, ids=range(3))["classes"]) == ["earn", "acq", "earn"]


def test_numpy_files(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", np.array([0, 1, 1]))
    assert list(read_labelings(tmp_path / "one.npy")["one"]) == [0, 1, 1]
    np.save(tmp_path / "two.npy", np.array([[0, 1, 1], [2, 2, 0]]))
    assert {k: list(v) for k, v in read_labelings(tmp_path / "two.npy").items()} == {
        "two-1": [0, 1, 1],
        "two-2": [2, 2, 0],
    }
    np.savez(tmp_path / "some.npz", a=[0, 1], b=["x", "y"], who=["p", "q"])
    labelings = read_labelings(tmp_path / "some.npz", id_column="who", ids=["q", "p"])
    assert {k: list(v) for k, v in labelings.items()} == {"a": [1, 0], "b": ["y", "x"]}


CASES: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "blank": ("a,b\n0,1\n,1\n", {}, ("'a'", "1 of 2", "row 2", "-1")),
    "rows": ("a,b\n0,1\n1,1\n", {"ids": range(3)}, ("2 rows", "3 objects", "--id-column")),
    "rows of one column": ("0\n1\n", {"ids": range(7)}, ("2 rows", "7 objects")),
    "id unknown": ("who,b\nx,1\ny,1\n", {"id_column": "whom"}, ("'whom'", "'who'")),
    "id twice": ("who,b\nx,1\nx,1\n", {"id_column": "who"}, ("'x' occurs 2 times",)),
    "id blank": ("who,b\nx,1\n,1\n", {"id_column": "who"}, ("'who' is blank in row 2",)),
    "objects absent": (
        "who,b\nx,1\ny,1\n",
        {"id_column": "who", "ids": ["x", "z"]},
        ("1 of 2 objects", "'z'"),
    ),
    "nothing left": ("a\n0\n1\n", {"id_column": "a"}, ("no column with a clustering",)),
    "empty": ("", {}, ("is empty",)),
    "ragged": ("a,b\n0,1\n0\n", {}, ("line 3",)),
}


@pytest.mark.parametrize("case", CASES)
def test_rejected(case: str, tmp_path: Path) -> None:
    text, options, parts = CASES[case]
    with rejected(*parts):
        read_labelings(write(tmp_path, text), **options)


def test_rejected_files(tmp_path: Path) -> None:
    with rejected("no file"):
        read_labelings(tmp_path / "nothing.csv")
    np.savez(tmp_path / "x.npz", a=np.zeros((2, 2, 2)))
    with rejected("'a'", "(2, 2, 2)"):
        read_labelings(tmp_path / "x.npz")
    np.save(tmp_path / "x.npy", np.zeros((2, 2, 2)))
    with rejected("(2, 2, 2)"):
        read_labelings(tmp_path / "x.npy")
    with rejected("Parquet"):
        read_labelings(write(tmp_path, "x", "x.mtx"))


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float32])
def test_whole_numbers_become_integers_of_one_kind(tmp_path: Path, dtype: Any) -> None:
    np.savez(tmp_path / "k.npz", a=np.array([2, 0, 1], dtype=dtype), b=np.array([2, 0, 1]))
    labels = read_labelings(tmp_path / "k.npz")
    assert {name: values.dtype for name, values in labels.items()} == {
        "a": np.int64, "b": np.int64,
    }  # fmt: skip
    labels = read_labelings(write(tmp_path, "a,b\n2,2\nx,3\n"))
    assert labels["a"].tolist() == ["2", "x"]
    assert labels["b"].dtype == np.int64
