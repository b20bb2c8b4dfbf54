"""Unusable input: the message names the place and how to fix it, and memory stays low."""

from __future__ import annotations

import datetime
import gzip
import os
import re
import tracemalloc
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse

import sortal.datasets
from sortal import InputError
from sortal.datasets import available, from_array, load

# what is rejected unless an option says what to do, and nothing assumed
read = partial(sortal.datasets.read, strict=True)
from_table = partial(sortal.datasets.from_table, strict=True)


def write(folder: Path, text: str | bytes, name: str = "x.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def rejected(*parts: str) -> Any:
    """Expect an :class:`InputError` whose message has every one of ``parts``."""
    return pytest.raises(
        InputError, match="(?s)" + "".join(f"(?=.*{re.escape(part)})" for part in parts)
    )


CASES: dict[str, tuple[str | bytes, dict[str, Any], tuple[str, ...]]] = {
    "empty": ("", {}, ("is empty",)),
    "blank lines": ("\n \n\n", {}, ("is empty",)),
    "header only": ("a,b\n", {}, ("header line and no rows",)),
    "one row": ("a,b\n1,2\n", {}, ("one object", "at least two")),
    "one row of text": ("a,b\nx,y\n", {}, ("one object",)),
    "too many cells": ("a,b\n1,2\n3,4,5\n6,7\n", {}, ("line 3", "3 cells", "2 cells", "3,4,5")),
    "too few cells": ("a,b\n1,2\n\n3\n", {}, ("line 4", "1 cell,", "2 cells")),
    "quote not closed": ('a,b\n1,2\n"3,4\n', {}, ("line 3",)),
    "lines end in carriage returns": ("a,b\r1,2\r3,4\r", {}, ("line feed",)),
    "endless cell": ("a,b\n1," + "x" * 140_000 + "\n", {}, ("131,072", "quote")),
    "text among numbers": (
        "a,size\n1,2\n3,oops\n5,6\n7,8\n",
        {},
        ("'size'", "row 2", "'oops'", "--drop"),
    ),
    "many texts among numbers": (
        "size\n" + "1\n" * 9 + "a\nb\nc\nd\n",
        {},
        ("4 values", "row 10 ('a')", "row 12 ('c'), ..."),
    ),
    "ragged between blanks": ("1.0  2.0\n" * 60 + "5 6 7\n", {}, ("line 61", "3 cells")),
    "decimal comma": ('a,b\n"1,5",2\n3,4\n5,6\n', {}, ("'a'", "'1,5'", "decimal comma")),
    "missing": (
        "a,b\n1,\n,2\n3,4\nNA,?\n",
        {},
        ("4 values are missing", "3 of 4 rows", "'a': 2 missing (rows 2, 4)", "--impute median"),
    ),
    "infinite": ("a,b\n1,inf\n2,3\nnan,-inf\n", {}, ("'b': 2 infinite (rows 1, 3)", "'a': 1")),
    "all missing": ("a,b\n,\nNA,NaN\n", {}, ("no feature left", "'a' as empty, 'b' as empty")),
    "dropping leaves nothing": ("a,b\n1,\n,2\n", {"impute": "drop"}, ("leaves none",)),
    "dropping leaves one": ("a,b\n1,\n1,2\n", {"impute": "drop"}, ("one object left",)),
    "label column unknown": (
        "size,cultivar\n1,a\n2,b\n",
        {"label_column": "cultivr"},
        ("'cultivr'", "did you mean 'cultivar'"),
    ),
    "id column unknown": ("name,b\nx,1\ny,2\n", {"id_column": "nam"}, ("'nam'", "'name'")),
    "drop unknown": ("name,b\n1,1\n2,2\n", {"drop": "nme"}, ("'nme'", "'name'")),
    "labels all missing": (
        "x,class\n1,\n2,\n3,\n",
        {"label_column": "class"},
        ("'class'", "no object"),
    ),
    "label is id": ("x,c\n1,1\n2,2\n", {"label_column": "c", "id_column": "c"}, ("both",)),
    "label is dropped": ("x,c\n1,1\n2,2\n", {"label_column": "c", "drop": "c"}, ("both",)),
    "two sources of classes": (
        "x,c\n1,1\n2,2\n",
        {"label_column": "c", "y": [1, 2]},
        ("one of them",),
    ),
    "truth too short": ("x\n1\n2\n", {"y": [1]}, ("1 values", "2 objects")),
    "nothing left": ("x,c\n1,1\n2,2\n", {"label_column": "c", "drop": "x"}, ("no feature left",)),
    "ids repeated": (
        "n,x\na,1\nb,2\na,3\n",
        {"id_column": "n"},
        ("'a' occurs 2 times", "rows 1, 3"),
    ),
    "ids blank": ("n,x\na,1\n,2\nc,3\n", {"id_column": "n"}, ("'n' is blank in row 2",)),
    "dates": (
        "when,x\n2020-01-01,1\n2020-01-02,2\n",
        {},
        ("'when'", "dates", "2020-01-01", "--drop"),
    ),
    "times": ("when,x\n12:30,1\n12:31,2\n", {}, ("'when'", "dates or times")),
    "not utf-8": (b"a,b\ncaf\xe9,1\ncaf\xe9,2\nx,3\n", {}, ("byte 7 (line 2)", "0xe9", "cp1252")),
    "not cp1252": (
        b"a,b\ncaf\x81,1\nx,3\n",
        {"encoding": "cp1252"},
        ("line 2", "0x81", "perhaps latin-1"),
    ),
    "header not utf-8": (b"caf\xe9,b\n1,1\n", {}, ("byte 3 (line 1)",)),
    "late byte": (b"a,b\n" + b"1,2\n" * 300_000 + b"\xff,3\n", {}, ("byte 1200004 (line 300002)",)),
    "utf-16": ("a,b\n1,2\n".encode("utf-16"), {}, ("UTF-16", "name that encoding")),
    "binary": (b"\x00\x01\x02\x03" * 10, {}, ("not text",)),
    "encoding unknown": ("a\n1\n2\n", {"encoding": "klingon"}, ("klingon", "latin-1")),
    "names": (
        "who,x\n" + "".join(f"p{i},{i}\n" for i in range(30)),
        {},
        ("'who'", "30 different values", "--id-column 'who'", "--drop 'who'"),
    ),
    "mostly different": (
        "who,x\n" + "".join(f"p{i % 15},{i}\n" for i in range(20)),
        {},
        ("'who'", "15 different values"),
    ),
    "scale unknown": ("a\n1\n2\n", {"scale": "max"}, ("'standard'", "'max'")),
    "impute unknown": ("a\n1\n2\n", {"impute": "zero"}, ("'median'", "'zero'")),
    "too large to square": ("a\n1e200\n2\n", {}, ("'a'", "1e+200", "--scale standard")),
    "too large at all": ("a\n1e301\n2\n", {"scale": "standard"}, ("'a'", "larger unit")),
}


@pytest.mark.parametrize("case", CASES)
def test_text_files(case: str, tmp_path: Path) -> None:
    text, options, parts = CASES[case]
    with rejected(*parts):
        read(write(tmp_path, text), **options)


def test_many_categories_cost_little(tmp_path: Path) -> None:
    n = 150_000
    table = pa.table({"word": pa.array([f"w{i}" for i in range(n)]), "x": np.arange(float(n))})
    tracemalloc.start()
    with rejected("'word'", "150,000 different values", "--id-column"):
        from_table(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6
    half = pa.table({"word": pa.array([f"w{i % 75_000}" for i in range(n)])})
    with rejected("75,000 different values"):
        from_table(half)


def test_paths(tmp_path: Path) -> None:
    write(tmp_path, "a\n1\n2\n", "wine-data.csv")
    with rejected("no file", "wine-data.csv"):
        read(tmp_path / "wine-dat.csv")
    # a folder is a table in parts if it has files of a table
    assert read(tmp_path).n_objects == 2
    (tmp_path / "sub").mkdir()
    with rejected("folder without files", "texts", "table"):
        read(tmp_path / "sub")
    write(tmp_path / "sub", "", "empty.csv")
    with rejected("empty.csv is empty (0 bytes)", "sub needs its rows"):
        read(tmp_path / "sub")
    (tmp_path / "sub" / "empty.csv").rename(tmp_path / "sub" / "x.xlsx")
    with rejected("sub", "folder of data files", "name a file in it"):
        read(tmp_path / "sub")
    with rejected("no file"):
        read(tmp_path / "nowhere" / "x.csv")
    with rejected(".docx", "Parquet", ".xlsx"):
        read(write(tmp_path, b"PK", "x.docx"))
    with rejected("no packaged data set", "'wine'"):
        load("wime")
    with rejected("no file 'wime'", "did you mean 'wine'"):
        read("wime")
    with rejected("no file 'xyzzy'", "packaged sets are iris, wine"):
        read("xyzzy")
    assert {"iris", "wine"} <= set(available())


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_unreadable(tmp_path: Path) -> None:
    path = write(tmp_path, "a\n1\n2\n")
    path.chmod(0)
    with rejected("permission"):
        read(path)


@pytest.mark.parametrize("name", ["x.csv.gz", "x.csv.bz2", "x.csv.xz", "x.parquet"])
def test_not_what_the_name_says(name: str, tmp_path: Path) -> None:
    with rejected(name):
        read(write(tmp_path, "a,b\n1,2\n3,4\n", name))


@pytest.mark.parametrize("suffix", [".parquet", ".npy", ".npz", ".csv.gz", ".mtx.gz"])
def test_cut_short(suffix: str, tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(100, 3))
    path = tmp_path / f"x{suffix}"
    frame = pd.DataFrame(X, columns=list("abc"))
    if suffix == ".parquet":
        frame.to_parquet(path)
    elif suffix == ".npy":
        np.save(path, X)
    elif suffix == ".npz":
        np.savez(path, X=X)
    elif suffix == ".csv.gz":
        frame.to_csv(path, index=False)
    else:
        text = "%%MatrixMarket matrix array real general\n100 3\n" + "\n".join(map(str, X.T.flat))
        path.write_bytes(gzip.compress(text.encode()))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with rejected(path.name):
        read(path)


HEAD = "%%MatrixMarket matrix coordinate real general\n"


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n",
        HEAD,
        HEAD + "2 2 2\n1 1 1\n",
        HEAD + "2 2 1\n5 1 1\n",
        HEAD + "2 2 1\nx y z\n",
        HEAD + "a b c\n",
        HEAD + "-2 2 1\n",
        HEAD + "0 2 0\n",
        HEAD + "2 2 1\n1 1 nan\n",
        HEAD + "99999999999999999999 1 1\n1 1 1\n",
        HEAD.replace("real", "complex") + "2 2 1\n1 1 1 1\n",
        "%%MatrixMarket foo bar\n",
    ],
)
def test_matrix_market(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read(write(tmp_path, text, "x.mtx"))


def test_numpy_files(tmp_path: Path) -> None:
    np.save(tmp_path / "o.npy", np.array([{"a": 1}, None], dtype=object), allow_pickle=True)
    with rejected("Python objects"):
        read(tmp_path / "o.npy")
    np.savez(tmp_path / "o.npz", X=np.array([{"a": 1}, None], dtype=object))
    with rejected("Python objects"):
        read(tmp_path / "o.npz")
    np.save(tmp_path / "cube.npy", np.zeros((2, 2, 2)))
    with rejected("(2, 2, 2)"):
        read(tmp_path / "cube.npy")
    np.save(tmp_path / "none.npy", np.zeros((0, 2)))
    with rejected("(0, 2)"):
        read(tmp_path / "none.npy")
    np.savez(tmp_path / "two.npz", a=np.eye(2), b=np.eye(2))
    with rejected("a (2, 2)", "called X"):
        read(tmp_path / "two.npz")
    np.savez(tmp_path / "y.npz", X=np.eye(3), y=np.arange(2))
    with rejected("'y'", "2 values for 3"):
        read(tmp_path / "y.npz", label_column="y")
    np.save(tmp_path / "c.npy", np.eye(2) * 1j)
    with rejected("complex128"):
        read(tmp_path / "c.npy")


def test_tables() -> None:
    with rejected("from_array"):
        from_table(np.eye(3))
    with rejected("'b'", "list"):
        from_table(pd.DataFrame({"a": [1, 2], "b": [[1], [2, 3]]}))
    with rejected("'d'", "dates"):
        from_table({"d": [datetime.date(2020, 1, 1)] * 2})
    with rejected("two columns", "'a'"):
        from_table(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]))
    with rejected("no rows"):
        from_table(pd.DataFrame({"a": []}))
    with rejected("'a'", "row 2 ('x')"):
        from_table(pd.DataFrame({"a": [1, "x", 3.0]}))
    with rejected("cannot be used"):
        from_table({"a": [1, 2], "b": [1, 2, 3]})


def test_sparse() -> None:
    X = sparse.csr_array(np.array([[0.0, np.nan, 1], [1, 0, 2], [3, 0, 1]]))
    with rejected("row 1 of 'x2'", "impute='drop'"):
        from_array(X)
    with rejected("impute='drop'"):
        from_array(X, impute="median")
    assert from_array(X, impute="drop").n_objects == 2
    for scale in ("robust", "minmax"):
        with rejected(scale, "standard"):
            from_array(X[1:], scale=scale)


def test_memory_is_asked_before_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sortal.runtime import resources

    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 8))
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    frame.to_csv(tmp_path / "x.csv", index=False, float_format="%.6f")
    frame.to_csv(tmp_path / "x.csv.gz", index=False, float_format="%.6f")
    frame.to_parquet(tmp_path / "x.parquet")
    np.save(tmp_path / "x.npy", X)
    np.savez(tmp_path / "x.npz", X=X)
    sparse.save_npz(tmp_path / "s.npz", sparse.csr_array(X))
    head = "%%MatrixMarket matrix coordinate real general\n"
    (tmp_path / "x.mtx").write_text(head + "1000000 1000 100000000\n1 1 1\n")

    def unread(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("the file was read")

    monkeypatch.setattr(resources, "available_memory", lambda: 600_000)
    monkeypatch.setattr("pyarrow.csv.read_csv", unread)
    load = np.load
    monkeypatch.setattr(np, "load", lambda p, **o: load(p, **o) if o.get("mmap_mode") else unread())
    for name in ("x.csv", "x.csv.gz", "x.parquet", "x.npy", "x.npz", "s.npz", "x.mtx"):
        with rejected(name, "600 kB are free", "--drop"):
            read(tmp_path / name)
    with rejected("10,000 rows × 8 columns", "about 1."):
        read(tmp_path / "x.parquet")
    monkeypatch.undo()
    monkeypatch.setattr(resources, "available_memory", lambda: 600_000)
    assert read(tmp_path / "x.csv", drop=list("abcdef")).n_features == 2
    assert read(tmp_path / "x.parquet", drop=list("abcdef")).n_features == 2
