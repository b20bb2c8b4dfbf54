"""Input validation of X: what is accepted, converted and rejected."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from example_counts import examples
from sortal import InputError
from sortal.runtime import check_data, largest_value, smallest_value

X = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 7.0]])
FRAME = pd.DataFrame(X, columns=["a", "b"])


def polars_frame() -> Any:
    return pytest.importorskip("polars").DataFrame({"a": X[:, 0], "b": X[:, 1]})


ACCEPTED: dict[str, Any] = {
    "list": lambda: X.tolist(),
    "tuples": lambda: tuple(map(tuple, X)),
    "list of arrays": lambda: list(X),
    "fortran": lambda: np.asfortranarray(X),
    "strided": lambda: np.repeat(X, 2, axis=1)[:, ::2],
    "big endian": lambda: X.astype(">f8"),
    "read-only": lambda: np.frombuffer(X.tobytes()).reshape(3, 2),
    "object": lambda: X.astype(object),
    "fractions": lambda: [[Fraction(int(v)) for v in row] for row in X],
    "int8": lambda: X.astype(np.int8),
    "uint64": lambda: X.astype(np.uint64),
    "float16": lambda: X.astype(np.float16),
    "longdouble": lambda: X.astype(np.longdouble),
    "masked, nothing masked": lambda: np.ma.masked_array(X, mask=False),
    "pandas": lambda: FRAME,
    "pandas int": lambda: FRAME.astype(int),
    "pandas nullable": lambda: FRAME.convert_dtypes(),
    "pandas Float64": lambda: FRAME.astype("Float64"),
    "pandas mixed": lambda: FRAME.astype({"a": "Int64", "b": "float32"}),
    "pandas arrow": lambda: FRAME.astype("double[pyarrow]"),
    "pandas sparse": lambda: FRAME.astype(pd.SparseDtype("float", 0.0)),
    "polars": polars_frame,
    "polars lazy": lambda: polars_frame().lazy(),
    "polars int": lambda: polars_frame().cast(pytest.importorskip("polars").Int32),
    "arrow": lambda: pa.table(FRAME),
    "arrow batch": lambda: pa.record_batch(FRAME),
}


@pytest.mark.parametrize("kind", ACCEPTED)
def test_accepted(kind: str) -> None:
    out = check_data(ACCEPTED[kind]())
    assert type(out) is np.ndarray
    assert out.dtype == np.float64
    assert out.flags.c_contiguous
    np.testing.assert_array_equal(out, X)


@pytest.mark.parametrize("make", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, np.bool_])
def test_sparse_accepted(make: str, dtype: Any) -> None:
    for kind in (f"{make}_array", f"{make}_matrix"):
        given = getattr(sparse, kind)(X.astype(dtype))
        out = check_data(given)
        assert isinstance(out, sparse.csr_array)
        assert out.has_canonical_format
        assert out.dtype == (np.float32 if dtype == np.float32 else np.float64)
        np.testing.assert_array_equal(out.toarray(), X.astype(dtype).astype(float))


def test_what_has_the_right_form_is_not_copied() -> None:
    for dtype in (np.float64, np.float32):
        given = X.astype(dtype)
        given.setflags(write=False)
        out = check_data(given)
        assert out.dtype == dtype
        assert np.shares_memory(out, given)
        matrix = sparse.csr_array(given)
        assert np.shares_memory(check_data(matrix).data, matrix.data)


def test_nothing_given_is_changed() -> None:
    parts = (np.array([1.0, 2.0, 3.0]), np.array([1, 0, 1]), np.array([0, 3]))
    doubled = sparse.csr_array(parts, shape=(1, 2))
    out = check_data(doubled)
    np.testing.assert_array_equal(out.toarray(), [[2.0, 4.0]])
    np.testing.assert_array_equal(doubled.indices, [1, 0, 1])
    np.testing.assert_array_equal(doubled.data, [1, 2, 3])


def test_wide_indices_of_sparse_rows_become_narrow() -> None:
    from sklearn.cluster import KMeans

    wide = (np.ones(3), np.array([0, 1, 0], dtype=np.int64), np.array([0, 1, 2, 3]))
    given = sparse.csr_array(wide, shape=(3, 2))
    assert given.indices.dtype == np.int64
    out = check_data(given)
    assert out.indices.dtype == out.indptr.dtype == np.int32
    assert np.shares_memory(out.data, given.data)
    assert set(KMeans(2, n_init=1, random_state=0).fit_predict(out)) == {0, 1}


MISSING = np.array([[1.0, 2.0], [np.nan, 5.0], [4.0, np.inf]])
REFUSED: dict[str, tuple[Any, tuple[str, ...]]] = {
    "missing": (MISSING, ("2 missing or infinite", "X[1, 0] = nan", "X[2, 1] = inf", "impute")),
    "float32": (MISSING.astype(np.float32), ("2 missing", "X[1, 0]")),
    "sparse": (sparse.csr_array(MISSING), ("2 missing", "X[1, 0] = nan", "X[2, 1] = inf")),
    "masked": (np.ma.masked_array(X, mask=X == 5), ("1 missing", "X[1, 1]")),
    "masked int": (np.ma.masked_array(X.astype(int), mask=X == 5), ("1 missing", "X[1, 1]")),
    "pandas": (pd.DataFrame(MISSING), ("2 missing",)),
    "pandas NA": (pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), ("X[1, 0]",)),
    "None": ([[1.0, None], [2.0, 3.0]], ("1 missing", "X[0, 1]")),
    "arrow null": (pa.table({"a": [1, None, 3]}), ("1 missing", "X[1, 0]")),
    "ragged": ([[1, 2], [3]], ("different lengths", "row 0 has 2", "row 1 has 1")),
    "ragged with scalars": ([[1, 2], 3], ("different lengths",)),
    "text": ([["a", "b"], ["c", "d"]], ("X[0, 0] is 'a'", "from_table")),
    "text among numbers": ([[1, 2], [3, "x"]], ("X[1, 1] is 'x'",)),
    "digits as text": (np.array([["1", "2"], ["3", "4"]]), ("'1'",)),
    "pandas text": (pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), ("X[0, 1] is 'x'",)),
    "pandas category": (FRAME.astype("category").assign(b=list("uvw")), ("X[0, 1] is 'u'",)),
    "bytes": (np.array([[b"a"]]), ("not a number",)),
    "huge integer": ([[10**400, 1]], ("X[0, 0]",)),
    "complex": (X * 1j, ("complex128",)),
    "complex sparse": (sparse.csr_array(X * 1j), ("complex128",)),
    "dates": (X.astype("datetime64[D]"), ("datetime64",)),
    "pandas dates": (pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])}), ("datetime64",)),
    "objects": ([[object(), 1]], ("X[0, 0]",)),
    "structured": (np.zeros(3, dtype="f8,f8"), ("two-dimensional",)),
    "one-dimensional": (X[0], ("two-dimensional", "reshape(-1, 1)")),
    "three-dimensional": (X[None], ("two-dimensional", "(1, 3, 2)")),
    "scalar": (3.0, ("two-dimensional",)),
    "None alone": (None, ("two-dimensional",)),
    "text alone": ("file.csv", ("two-dimensional",)),
    "no rows": (X[:0], ("no rows",)),
    "no columns": (X[:, :0], ("no columns",)),
    "empty list": ([], ("two-dimensional",)),
    "series": (FRAME["a"], ("two-dimensional", "reshape")),
    "sparse vector": (sparse.coo_array(X[0]), ("two-dimensional",)),
    "sparse no rows": (sparse.csr_array((0, 3)), ("no rows",)),
    "set": ({1, 2}, ("two-dimensional",)),
    "dict": ({"a": [1]}, ("two-dimensional",)),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_rejected(kind: str) -> None:
    given, parts = REFUSED[kind]
    wanted = "".join(f"(?=.*{re.escape(part)})" for part in parts)
    with pytest.raises(InputError, match=wanted):
        check_data(given)


def test_the_caller_names_it() -> None:
    with pytest.raises(InputError, match=r"centers\[1, 0\] = nan"):
        check_data(MISSING, name="centers")


def test_a_polars_null_is_missing() -> None:
    polars = pytest.importorskip("polars")
    for column in ([1, None], [1.5, None]):
        with pytest.raises(InputError, match="1 missing"):
            check_data(polars.DataFrame({"a": column}))


def test_values_whose_squares_overflow_are_rejected_and_said() -> None:
    with pytest.raises(InputError, match="distances square them"):
        check_data(np.full((2, 2), 1.5e308))
    with pytest.raises(InputError, match="distances square them"):
        check_data(np.array([[1.5e308, 1.5e308], [-1.5e308, -1.5e308]]))
    with pytest.raises(InputError, match="1 missing"):
        check_data(np.array([[1.5e308, 1.5e308], [np.nan, 1.0]]))


@given(
    hnp.arrays(
        st.sampled_from([np.float64, np.float32, np.int32, np.uint8, np.bool_]),
        st.tuples(st.integers(1, 5), st.integers(1, 5)),
    )
)
@examples(200)
def test_finite_exactly_when_accepted(array: np.ndarray) -> None:
    for form in (array, np.asfortranarray(array), sparse.csr_array(array)):
        largest = np.abs(array.astype(np.float64)).max()
        smallest = 0 if largest == 0 else smallest_value(check_data(np.zeros_like(array)).dtype)
        if smallest <= largest <= largest_value(check_data(np.zeros_like(array)).dtype):
            out = check_data(form)
            dense = out if isinstance(out, np.ndarray) else out.toarray()
            np.testing.assert_array_equal(dense, array.astype(dense.dtype))
        else:
            with pytest.raises(InputError, match=r"missing or infinite|distances square them"):
                check_data(form)
