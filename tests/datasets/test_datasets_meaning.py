"""What a file means: header, delimiter, kinds of columns, classes, ids, imputing, scaling."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

import sortal.datasets
from example_counts import examples
from sortal.datasets import Dataset, from_array, load, read_labelings

# what is rejected unless an option says what to do, and nothing assumed
read = partial(sortal.datasets.read, strict=True)
from_table = partial(sortal.datasets.from_table, strict=True)


def parsed(folder: Path, text: str, name: str = "x.csv", **options: Any) -> Dataset:
    path = folder / name
    path.write_text(text)
    return read(path, **options)


def truth(data: Dataset) -> list[Any]:
    assert data.y is not None
    return list(data.y)


def has_note(data: Dataset, *parts: str) -> bool:
    return any(all(part in note for part in parts) for note in data.notes)


# ---- layout of text ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n1,2\n3,4\n", ("a", "b")),
        ("1,2\n3,4\n", ("x1", "x2")),
        ("0,1,2,y\n5,6,7,8\n7,8,9,7\n", ("0", "1", "2", "y")),
        ("1,2,3\n5,6,7\n7,8,9\n", ("1", "2", "3")),
        (" a , b\n1,2\n3,4\n", ("a", "b")),
        ("\ufeffa,b\n1,2\n3,4\n", ("a", "b")),
        ("a,b\r\n1,2\r\n3,4\r\n", ("a", "b")),
        ('"a\nb",c\n1,2\n3,4\n', ("a\nb", "c")),
        ("\n\na,b\n\n1,2\n\n3,4\n\n", ("a", "b")),
        ("a,b\n1,2\n3,4", ("a", "b")),
        ("a,\n1,2\n3,4\n", ("a", "column2")),
    ],
)
def test_header(text: str, names: tuple[str, ...], tmp_path: Path) -> None:
    data = parsed(tmp_path, text)
    assert data.feature_names == names
    assert data.n_objects == 2
    assert has_note(data, "no header line") == (names[0] == "x1")
    assert has_note(data, "counts the columns") == (names[0] in ("0", "1"))


def test_header_as_told(tmp_path: Path) -> None:
    assert parsed(tmp_path, "0,1\n2,3\n", header=False).n_objects == 2
    data = parsed(tmp_path, "1.5,2\n2,3\n4,5\n", header=True)
    assert (data.feature_names, data.n_objects) == (("1.5", "2"), 2)
    data = parsed(tmp_path, "p,q,p\nq,p,q\np,q,p\n", header=False)
    assert data.n_features == 6
    assert has_note(data, "as requested")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.csv", "a;b;c\n1;2.5;u\n3;4;v\n3;4;v\n"),
        ("x.csv", "a;b;c\n1;2,5;u\n3;4;v\n3;4;v\n"),
        ("x.csv", "a\tb\tc\n1\t2,5\tu\n3\t4\tv\n3\t4\tv\n"),
        ("x.txt", "a|b|c\n1|2.5|u\n3|4|v\n3|4|v\n"),
        ("x.tsv", "a\tb\tc\n1\t2.5\tu\n3\t4\tv\n3\t4\tv\n"),
        ("x.txt", "  a    b c\n 1  2.5 u\n\n3 4\tv\n3 4 v\n"),
        ("x", 'a,b,c\n1,2.5,"u"\n3,4,v\n3,4,v\n'),
    ],
)
def test_delimiters(name: str, text: str, tmp_path: Path) -> None:
    data = parsed(tmp_path, text, name)
    assert data.feature_names == ("a", "b", "c=u", "c=v")
    np.testing.assert_array_equal(data.X, [[1, 2.5, 1, 0], [3, 4, 0, 1], [3, 4, 0, 1]])
    assert has_note(data, "decimal comma") == ("2,5" in text)


def test_semicolons_inside_cells_do_not_part_them(tmp_path: Path) -> None:
    data = parsed(tmp_path, 'a,b\n1,"x;y;z"\n2,w\n3,w\n')
    assert data.feature_names == ("a", "b=w", "b=x;y;z")


def test_encoding(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    for encoding in ("latin-1", "utf-16", "cp1252", "utf-8-sig"):
        path.write_bytes("größe,ort\n1,Köln\n2,Bonn\n3,Bonn\n".encode(encoding))
        data = read(path, encoding=encoding, label_column="ort")
        assert data.feature_names == ("größe",)
        assert truth(data) == ["Köln", "Bonn", "Bonn"]


def test_a_pandas_index_is_no_feature(tmp_path: Path) -> None:
    table = pd.DataFrame({"a": [0.5, 0.25, 3], "k": [1, 1, 2]}, index=[4, 5, 9])
    for name in (None, "who"):
        table.index.name = name
        table.to_parquet(tmp_path / "x.parquet")
        data = read(tmp_path / "x.parquet")
        assert data.feature_names == ("a", "k")
        assert has_note(data, "index")
        assert list(read_labelings(tmp_path / "x.parquet")) == ["a", "k"]
    assert list(read(tmp_path / "x.parquet", id_column="who").ids) == [4, 5, 9]
    labelings = read_labelings(tmp_path / "x.parquet", id_column="who", ids=[9, 4])
    assert list(labelings["k"]) == [2, 1]


def test_row_numbers_are_no_feature(tmp_path: Path) -> None:
    table = pd.DataFrame({"a": [0.5, 0.25, 3], "b": [1, 1, 2]})
    table.to_csv(tmp_path / "x.csv")
    assert read(tmp_path / "x.csv").feature_names == ("a", "b")
    assert has_note(read(tmp_path / "x.csv"), "only numbers the rows")
    table.index = table.index + 1
    table.to_csv(tmp_path / "x.csv")
    assert read(tmp_path / "x.csv").feature_names == ("a", "b")
    table.index = [5, 7, 9]
    table.to_csv(tmp_path / "x.csv")
    assert read(tmp_path / "x.csv").feature_names == ("column1", "a", "b")
    table.to_csv(tmp_path / "x.csv", index_label="n")
    assert read(tmp_path / "x.csv").feature_names == ("n", "a", "b")


# ---- kinds of columns -------------------------------------------------------------------------


def test_categories_become_columns(tmp_path: Path) -> None:
    data = parsed(tmp_path, "c,x\nred,1\nblue,2\nred,3\n,4\n", impute="median", scale="standard")
    assert data.feature_names == ("c=blue", "c=red", "x")
    np.testing.assert_array_equal(data.X[:, :2], [[0, 1], [1, 0], [0, 1], [0, 1]])
    assert has_note(data, "'c' became 2 columns", "blue, red")
    assert has_note(data, "most frequent", "1 in 'c'")
    assert data.center is not None
    assert data.scale is not None
    np.testing.assert_array_equal(data.center, [0, 0, 2.5])
    np.testing.assert_array_equal(data.scale[:2], [1, 1])


def test_few_numbers_among_text_are_categories(tmp_path: Path) -> None:
    data = parsed(tmp_path, "c,x\n1,1\nmany,2\nfew,3\nmany,4\nfew,1\n")
    assert data.feature_names == ("c=1", "c=few", "c=many", "x")


def test_booleans_and_text_numbers(tmp_path: Path) -> None:
    data = parsed(tmp_path, "f,g\ntrue,1\nFalse,2\ntrue,3\n")
    np.testing.assert_array_equal(data.X, [[1, 1], [0, 2], [1, 3]])
    assert has_note(data, "'f'", "true became 1")
    table = {"a": ["1", " 2.5 ", "+.5e1", "?"], "b": [1, 2, 3, 4]}
    np.testing.assert_array_equal(from_table(table, impute="drop").X, [[1, 1], [2.5, 2], [5, 3]])


def test_empty_columns_are_left_out_with_a_note(tmp_path: Path) -> None:
    data = parsed(tmp_path, "a,b,c\n1,,NA\n2,,NA\n")
    assert data.feature_names == ("a",)
    assert [column.kind for column in data.plan.columns] == ["number", "empty", "empty"]
    again = from_array(np.array([[1, np.nan], [2, np.inf]]))
    assert again.feature_names == ("x1",)


def test_constant_columns_and_equal_objects_are_noted() -> None:
    # the computed mean of three times 0.1 is not 0.1, so the computed deviation is not 0
    X = np.array([[0.1, 1.0], [0.1, 2.0], [0.1, 4.0]])
    assert np.ascontiguousarray(X[:, 0]).std() > 0
    for how in ("none", "standard", "robust", "minmax"):
        data = from_array(X, scale=how)
        assert has_note(data, "same value", "'x1'")
        assert data.n_features == 2
        if how != "none":
            np.testing.assert_array_equal(data.X[:, 0], 0.0)
            assert data.scale is not None
            assert data.scale[0] == 1.0
    assert has_note(from_array(np.ones((5, 2))), "All objects are equal")
    assert has_note(from_array(sparse.csr_array((5, 2))), "All objects are equal")


def test_one_column(tmp_path: Path) -> None:
    data = parsed(tmp_path, "a\n1\n2\n4\n")
    assert data.X.shape == (3, 1)
    filled = parsed(tmp_path, "a\n1\n\n4\n", impute="median")
    np.testing.assert_array_equal(filled.X.ravel(), [1, 2.5, 4])


# ---- classes and ids --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (["1", "2", "", "1"], [1, 2, None, 1]),
        (["1.0", "2.0", "", "1.0"], [1, 2, None, 1]),
        (["01", "2", "", "1"], ["01", "2", None, "1"]),
        (["a", " b ", " ", "?"], ["a", "b", None, "?"]),
        (["0", "-1", "3", "0"], [0, None, 3, 0]),
        (["0.5", "1", "", "1"], ["0.5", "1", None, "1"]),
        (["true", "false", "", "true"], ["true", "false", None, "true"]),
        (["2020-01-01", "b", "", "b"], ["2020-01-01", "b", None, "b"]),
        (["99999999999999999999", "1", "", "1"], ["99999999999999999999", "1", None, "1"]),
    ],
)
def test_classes_are_kept_as_written(
    written: list[str], expected: list[Any], tmp_path: Path
) -> None:
    text = "x,class\n" + "".join(f"{i},{label}\n" for i, label in enumerate(written))
    data = parsed(tmp_path, text, label_column="class")
    assert truth(data) == expected
    assert [type(value) for value in truth(data)] == [type(value) for value in expected]
    assert data.truth_name == "class"
    assert data.feature_names == ("x",)
    n_known = sum(value is not None for value in expected)
    assert has_note(data, f"{n_known} labels of", "unknown") == (n_known < 4)


def test_classes_from_tables() -> None:
    x = [1, 2, 3]
    for labels, expected in [
        (pd.array([1, None, 2], dtype="Int64"), [1, None, 2]),
        ([1.0, np.nan, 2.0], [1, None, 2]),
        ([0.5, np.nan, 2.0], [0.5, None, 2.0]),
        (pd.Categorical(["u", None, "v"]), ["u", None, "v"]),
        ([True, False, None], [True, False, None]),
        ([1, "a", None], ["1", "a", None]),
    ]:
        data = from_table(pd.DataFrame({"x": x, "c": labels}), label_column="c")
        assert truth(data) == expected


def test_dubious_classes_are_noted() -> None:
    x = np.arange(20.0).reshape(-1, 1)
    assert has_note(from_array(x, y=["a"] * 20), "one class only")
    assert has_note(from_array(x, y=list(range(20))), "is it a class?")
    assert from_array(x, y=[0, 1] * 10).notes == (
        "In 'truth' are 20 labels of 2 classes: 0 (10), 1 (10).",
    )


def test_truth_beside_the_data(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.eye(3))
    for name, text in [
        ("y.txt", "earn\n\nacq\n"),
        ("y.csv", "label\nearn\n\nacq\n"),
        ("y.tsv", "earn\n\nacq"),
        ("why.txt", "earn 1\n\nacq 2"),
    ]:
        (tmp_path / name).write_text(text)
        data = read(tmp_path / "x.npy", y=tmp_path / name)
        assert [value and value[:4].strip() for value in truth(data)] == ["earn", None, "acq"]
        assert data.options == {"y": str(tmp_path / name), "strict": True}
    np.save(tmp_path / "y.npy", np.array([3, -1, 4]))
    assert truth(read(tmp_path / "x.npy", y=str(tmp_path / "y.npy"))) == [3, None, 4]
    assert truth(read(tmp_path / "x.npy", y=pd.Series(["a", None, "b"]))) == ["a", None, "b"]


def test_ids(tmp_path: Path) -> None:
    data = parsed(tmp_path, "n,x\n007,1\n8,2\n9,3\n", id_column="n")
    assert list(data.ids) == ["007", "8", "9"]
    data = parsed(tmp_path, "n,x\n7,1\n8,\n9,3\n", id_column="n", impute="drop")
    assert list(data.ids) == [7, 9]
    assert list(from_array(np.eye(2), ids=["a", "b"]).ids) == ["a", "b"]


# ---- imputing ---------------------------------------------------------------------------------


@given(
    X=hnp.arrays(
        np.float64,
        st.tuples(st.integers(3, 10), st.integers(1, 4)),
        elements=st.one_of(st.integers(-3, 3).map(float), st.sampled_from([np.nan, np.inf])),
    ),
    how=st.sampled_from(["median", "drop"]),
)
@examples(200)
def test_impute_against_its_definition(X: np.ndarray, how: Any) -> None:
    good = np.isfinite(X)
    if not good.any(axis=0).all():
        return
    if how == "drop":
        rows = good.all(axis=1)
        if rows.sum() < 2:
            return
        data = from_array(X, impute=how, y=np.arange(len(X)))
        np.testing.assert_array_equal(data.X, X[rows])
        assert list(data.ids) == list(np.flatnonzero(rows))
        assert truth(data) == list(np.flatnonzero(rows))
        return
    expected = X.copy()
    for j in range(X.shape[1]):
        expected[~good[:, j], j] = np.median(X[good[:, j], j])
    data = from_array(X, impute=how)
    np.testing.assert_allclose(data.X, expected, rtol=1e-14, atol=1e-14)
    assert has_note(data, "replaced") == (not good.all())


def test_sums_that_overflow_are_no_missing_values() -> None:
    X = np.array([[1e150, 1e150], [1e150, -1e150]])
    assert from_array(X).n_objects == 2
    X32 = np.full((4, 2), 1e15, dtype=np.float32)
    assert from_array(X32).X.dtype == np.float32


# ---- scaling ----------------------------------------------------------------------------------

SCALED = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 20), st.integers(1, 20)),
    elements=st.one_of(st.floats(-1e6, 1e6, allow_subnormal=False), st.integers(-2, 2).map(float)),
)


@given(X=SCALED, how=st.sampled_from(["standard", "robust", "minmax"]))
@examples(150)
def test_scaling_can_be_undone(X: np.ndarray, how: Any) -> None:
    data = from_array(X, scale=how)
    assert data.center is not None
    assert data.scale is not None
    assert (data.scale > 0).all()
    size = np.abs(X).max(axis=0) + 1e-300
    np.testing.assert_allclose((data.X * data.scale + data.center) / size, X / size, atol=1e-14)
    if how == "minmax":
        assert data.X.min() >= 0
        assert data.X.max() <= 1 + 1e-15


@pytest.mark.parametrize(
    ("how", "peer"),
    [("standard", "StandardScaler"), ("robust", "RobustScaler"), ("minmax", "MinMaxScaler")],
)
def test_scaling_agrees_with_scikit_learn(how: Any, peer: str) -> None:
    from sklearn import preprocessing

    X = load("wine").X
    for data, tolerance in ((X, 1e-13), (X.astype(np.float32), 1e-5)):
        ours = from_array(data, scale=how).X
        theirs = getattr(preprocessing, peer)().fit_transform(data)
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)
        assert ours.dtype == data.dtype


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1.0, 1e160, 1e299])
def test_scaling_at_the_ends_of_the_numbers(size: float) -> None:
    X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [6.0, 5.0]])
    for how in ("standard", "robust", "minmax"):
        np.testing.assert_allclose(
            from_array(X * size, scale=how).X, from_array(X, scale=how).X, rtol=1e-12
        )


def test_robust_scale_of_a_column_that_is_mostly_one_value() -> None:
    X = np.array([[0.0], [0], [0], [0], [0], [0], [7], [0]])
    data = from_array(X, scale="robust")
    assert has_note(data, "Centred but not scaled", "'x1'")
    np.testing.assert_array_equal(data.X, X)


def test_sparse_standard_scale() -> None:
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(0)
    dense = rng.normal(size=(40, 6)) * (rng.random((40, 6)) < 0.3)
    dense[:, 5] = 0.0
    for dtype in (np.float64, np.float32):
        X = sparse.csr_array(dense.astype(dtype))
        before = X.copy()
        data = from_array(X, scale="standard")
        assert sparse.issparse(data.X)
        assert data.X.dtype == dtype
        theirs = StandardScaler(with_mean=False).fit_transform(X)
        np.testing.assert_allclose(data.X.toarray(), theirs.toarray(), rtol=1e-5)
        assert (before != X).nnz == 0
        assert data.scale is not None
        np.testing.assert_allclose((data.X * data.scale).toarray(), dense, rtol=1e-5)
        assert has_note(data, "not centred")


def test_packaged_sets() -> None:
    from sklearn.datasets import load_iris, load_wine

    wine = load("wine")
    np.testing.assert_array_equal(wine.X, load_wine().data)
    names = np.array(["Barolo", "Grignolino", "Barbera"])
    assert truth(wine) == list(names[load_wine().target])
    iris = load("iris", scale="standard")
    np.testing.assert_array_equal(load("iris").X, load_iris().data)
    assert truth(iris) == list(load_iris().target_names[load_iris().target])
    bare = read("wine")
    assert bare.y is None
    assert "cultivar" not in bare.feature_names
    assert has_note(bare, "cultivar", "not used")
    assert wine.options == {"label_column": "cultivar", "scale": "none"}
    assert read(wine.source or "", **wine.options).fingerprint == wine.fingerprint
    assert load("wine", label_column=None).y is None
    assert load("iris", drop="species", y=[0, 1, 2] * 50).truth_name == "truth"


def test_a_file_comes_before_a_packaged_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wine").write_text("a,b\n1,2\n3,4\n")
    assert read("wine").n_objects == 2


def test_it_prints_what_was_done(tmp_path: Path) -> None:
    data = parsed(
        tmp_path, "n,c,y\n1,u,a\n2,v,\n3,v,b\n", label_column="y", drop="n", scale="minmax"
    )
    assert str(data).splitlines()[0] == (
        "x: 3 objects, 2 features, 2 classes in y (2 objects labelled)"
    )
    assert has_note(data, "Excluded as requested: 'n'")
    assert repr(data) == "<Dataset 'x', 3 × 2>"


def test_real_files(shared_data: Path) -> None:
    data = read(shared_data / "points" / "digits_test.csv.gz", label_column="label")
    assert data.X.shape == (1797, 64)
    assert len(set(truth(data))) == 10
    counts = read(shared_data / "terms" / "re0.npz", y=shared_data / "terms" / "re0.labels.txt.gz")
    assert counts.X.shape == (1504, 2886)
    assert len(set(truth(counts))) == 13
    zoo = read(shared_data / "points" / "zoo.csv.gz", label_column="label", scale="minmax")
    assert zoo.n_objects == 101
