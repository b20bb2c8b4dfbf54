"""Contingency tables: from labels of any kind, counts and files; exact, mergeable, sparse."""

from __future__ import annotations

import datetime as dt
import itertools
import math
from collections import Counter

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import sortal
from example_counts import examples
from sortal import ContingencyTable, InputError
from sortal.labelings import encode

NAMES = ["b", "a", "c", "a", "b", "b"]
PRED = [0, 1, 1, 1, 0, 2]
EXPECTED = [[0, 2, 0], [2, 0, 1], [0, 1, 0]]


def kinds_of_labels():
    polars = pytest.importorskip("polars")
    yield "list", NAMES
    yield "tuple", tuple(NAMES)
    yield "numpy object", np.array(NAMES, dtype=object)
    yield "numpy U", np.array(NAMES)
    yield "numpy S", np.array(NAMES, dtype="S")
    yield "numpy strided", np.array([*NAMES, *NAMES], dtype=object).reshape(2, 6).T.ravel()[::2]
    yield "numpy StringDType", np.array(NAMES, dtype=np.dtypes.StringDType())
    yield "pandas", pd.Series(NAMES)
    yield "pandas object", pd.Series(NAMES, dtype=object)
    yield "pandas index", pd.Index(NAMES)
    yield "pandas string", pd.Series(NAMES, dtype="string")
    yield "pandas arrow", pd.Series(NAMES, dtype=pd.ArrowDtype(pa.string()))
    yield "pandas category", pd.Series(NAMES, dtype="category")
    yield (
        "pandas category with more categories",
        pd.Series(pd.Categorical(NAMES, categories=["unused", "c", "b", "a"])),
    )
    yield "arrow", pa.array(NAMES)
    yield "arrow chunks", pa.chunked_array([NAMES[:2], NAMES[2:]])
    yield "arrow dictionary", pa.array(NAMES).dictionary_encode()
    yield (
        "arrow dictionary chunks",
        pa.chunked_array([pa.array(NAMES[:1]).dictionary_encode(),
                          pa.array(NAMES[1:]).dictionary_encode()]),
    )  # fmt: skip
    yield "polars", polars.Series(NAMES)
    yield "polars category", polars.Series(NAMES, dtype=polars.Categorical)
    numbers = ["abc".index(v) for v in NAMES]
    for dtype in "bBhHiIlLqQ":
        yield f"numpy {dtype}", np.array(numbers, dtype=dtype)
    yield "far apart", np.array([-(10**15), 10**18, 3])[[numbers]].ravel()
    yield "float", np.array(numbers, dtype=float)
    yield "pandas Int64", pd.Series(numbers, dtype="Int64")
    yield "polars int", polars.Series(numbers)
    yield "dates", [dt.date(2020, 1, 1 + v) for v in numbers]
    yield "datetime64", np.array(numbers, dtype="datetime64[D]")
    yield "mixed", [("1", 1, (2, 3))[v] for v in numbers]
    yield "pairs", [(v, v) for v in numbers]


@pytest.mark.parametrize("kind", [name for name, _ in kinds_of_labels()])
def test_any_labels(kind):
    labels = dict(kinds_of_labels())[kind]
    table = ContingencyTable(labels, PRED)
    assert sortal.adjusted_rand_index(table) == sortal.adjusted_rand_index(NAMES, PRED)
    assert sorted(table.counts) == [1, 1, 2, 2]
    if kind not in ("mixed", "far apart"):
        assert_array_equal(table.to_array(), EXPECTED)
    encoded = encode(labels)
    assert encoded.codes.dtype == np.int32
    assert [encoded.names[c] for c in encoded.codes] == [
        table.row_names[c] for c in ContingencyTable(labels, range(6)).transposed.columns
    ]


def test_labels_are_names():
    table = ContingencyTable(["1", "2", "1"], [1, 2, 1])
    assert sortal.adjusted_rand_index(table) == 1
    assert len(ContingencyTable(["1", 1, "1"], [0, 0, 0]).row_names) == 2


@pytest.mark.parametrize(
    "labels",
    [
        [None, "a", None], [np.nan, 1.0, np.nan], [pd.NA, 1, pd.NaT],
        pd.Series([None, "a", None]), pd.Series([None, "a", None], dtype="category"),
        pd.Series([pd.NA, 1, pd.NA], dtype="Int64"), pa.array([None, "a", None]),
        pa.array([None, 3, None]), pa.array([None, "a", None]).dictionary_encode(),
        np.array(["NaT", "2020-01-01", "NaT"], dtype="datetime64[D]"),
    ],
    ids=lambda v: type(v).__name__,
)  # fmt: skip
def test_missing_labels_are_counted(labels):
    with pytest.raises(InputError, match=r"labels_pred has 2 missing labels .*position 0"):
        ContingencyTable([0, 1, 2], labels)


def test_polars_missing_labels():
    polars = pytest.importorskip("polars")
    for values in ([None, "a", None], [None, 3, None]):
        with pytest.raises(InputError, match="2 missing"):
            ContingencyTable(polars.Series(values), [0, 1, 2])


def test_bad_labels():
    with pytest.raises(InputError, match="labels_true has 2 labels and labels_pred 3"):
        ContingencyTable([0, 1], [0, 1, 2])
    with pytest.raises(InputError, match="empty"):
        ContingencyTable([], [])
    with pytest.raises(InputError, match="one-dimensional"):
        ContingencyTable(np.zeros((2, 2)), [0, 1])
    with pytest.raises(InputError, match="64 bits"):
        ContingencyTable(np.array([2**64 - 1, 0], dtype=np.uint64), [0, 1])
    with pytest.raises(InputError, match="hashable"):
        ContingencyTable([[1], [2]], [0, 1])
    with pytest.raises(InputError, match="noise"):
        ContingencyTable([0, 1], [0, 1], noise="keep")


@st.composite
def two_labelings(draw):
    n = draw(st.integers(1, 60))
    wide = draw(st.sampled_from([3, 10**6, 2**62]))
    side = st.lists(st.integers(-wide, wide) | st.integers(0, 2), min_size=n, max_size=n)
    return draw(side), draw(side)


@examples(100)
@given(sides=two_labelings())
def test_cells_are_counts(sides):
    true, pred = sides
    table = ContingencyTable(true, pred, noise="cluster")
    cells = {
        (table.row_names[r], table.column_names[c]): count
        for r, c, count in zip(table.rows, table.columns, table.counts, strict=True)
    }
    assert cells == Counter(zip(true, pred, strict=True))
    assert list(table.row_names) == sorted(set(true))
    assert table.n == len(true)
    assert_array_equal(table.row_sums, [true.count(v) for v in table.row_names])
    assert_array_equal(table.column_sums, [pred.count(v) for v in table.column_names])
    assert list(zip(table.rows, table.columns, strict=True)) == sorted(
        zip(table.rows, table.columns, strict=True)
    )
    back = table.transposed.transposed
    assert_array_equal(back.to_array(), table.to_array())


def test_every_way_to_count_agrees():
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 300, 5000), rng.integers(0, 200, 5000)
    expected = ContingencyTable(true, pred)
    far = true * 10**12
    ways = [
        ContingencyTable(far, pred), ContingencyTable(true.astype(str).astype(object), pred),
        ContingencyTable(far, pred * 10**12),
    ]  # fmt: skip
    for table in ways:
        assert sorted(table.counts) == sorted(expected.counts)
        assert sortal.adjusted_rand_index(table) == sortal.adjusted_rand_index(expected)
    assert_array_equal(ways[2].to_array(), expected.to_array())


def test_large_tables_are_counted_and_matched_like_dense_ones():
    from scipy.optimize import linear_sum_assignment

    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 1600, 9000), rng.integers(0, 1600, 9000)
    pred[:6000] = true[:6000]
    dense = np.zeros((1600, 1600), dtype=np.int64)
    np.add.at(dense, (true, pred), 1)
    table = ContingencyTable(true, pred)
    assert_array_equal(table.row_sums, dense.sum(axis=1)[table.row_names.astype(int)])
    rows = np.flatnonzero(table.matching() >= 0)
    columns = table.matching()[rows]
    assert len(set(columns)) == len(rows)
    matched = dense[table.row_names[rows].astype(int), table.column_names[columns].astype(int)]
    a, b = linear_sum_assignment(dense, maximize=True)
    assert matched.sum() == dense[a, b].sum()


def test_a_late_label_outside_of_the_sample():
    # the range is guessed from a sample of the labels; one outside must not be lost
    true = np.zeros(100_000, dtype=np.int64)
    true[77_777], true[3] = 12, -5
    table = ContingencyTable(true, np.ones(100_000, dtype=np.int32))
    assert_array_equal(table.row_names, [-5, 0, 12])
    assert_array_equal(table.row_sums, [1, 99_998, 1])


def test_inputs_are_not_written_to():
    true = np.array([3, 1, -1, 3])
    true.flags.writeable = False
    table = ContingencyTable(true, true, noise="singletons").to_array()
    assert_array_equal(np.sort(table.ravel())[-3:], [1, 1, 2])
    assert_array_equal(true, [3, 1, -1, 3])


class TestNoise:
    TRUE, PRED = ["a", "a", "b", -1, "b", -1], [0, -1, 0, 1, 1, -1]

    def test_error_counts(self):
        with pytest.raises(InputError, match=r"labels_true marks 2 of 6 .*singletons"):
            ContingencyTable(self.TRUE, self.PRED)

    def test_cluster(self):
        table = ContingencyTable(self.TRUE, self.PRED, noise="cluster")
        assert table.shape == (3, 3)
        assert table.n == 6

    def test_drop(self):
        table = ContingencyTable(self.TRUE, self.PRED, noise="drop")
        assert_array_equal(table.to_array(), [[1, 0], [1, 1]])
        assert table.coverage == 0.5

    def test_singletons(self):
        table = ContingencyTable(self.TRUE, self.PRED, noise="singletons")
        reference = ContingencyTable(["a", "a", "b", "x", "b", "y"], [0, 7, 0, 1, 1, 8])
        assert sortal.adjusted_rand_index(table) == sortal.adjusted_rand_index(reference)
        assert table.shape == reference.shape
        assert table.row_names[-1] == "outlier 1"

    def test_nothing_left(self):
        with pytest.raises(InputError, match="no object is left"):
            ContingencyTable([0, -1], [-1, 0], noise="drop")

    def test_text_is_a_name(self):
        assert ContingencyTable(["-1", "a"], [0, 1]).n == 2


class TestFromCounts:
    def test_forms(self):
        dense = np.array([[5, 0, 1], [0, 4, 1]])
        frame = pd.DataFrame(dense, index=["a", "b"], columns=[7, 8, 9])
        for counts in (dense, dense.tolist(), sparse.csr_array(dense), dense.astype(float), frame):
            assert_array_equal(ContingencyTable.from_counts(counts).to_array(), dense)
        assert list(ContingencyTable.from_counts(frame).row_names) == ["a", "b"]
        crosstab = pd.crosstab(pd.Series(NAMES), pd.Series(PRED))
        assert_array_equal(ContingencyTable.from_counts(crosstab).to_array(), EXPECTED)

    def test_groups_of_a_group_by(self):
        objects = pd.DataFrame({"t": NAMES, "p": PRED})
        groups = objects.groupby(["t", "p"]).size().reset_index(name="n")
        table = ContingencyTable.from_counts(groups["n"], groups["t"], groups["p"])
        assert_array_equal(table.to_array(), EXPECTED)
        # parts computed anywhere: the same group may come twice
        twice = pd.concat([groups, groups])
        table = ContingencyTable.from_counts(twice["n"], twice["t"], twice["p"])
        assert_array_equal(table.to_array(), 2 * np.array(EXPECTED))

    def test_groups_with_outliers(self):
        table = ContingencyTable.from_counts([3, 2, 4], ["a", -1, "b"], [0, 0, -1], noise="drop")
        assert table.n == 3
        assert table.coverage == 3 / 9
        alone = ContingencyTable.from_counts([3, 2], ["a", -1], [0, 0], noise="singletons")
        assert sorted(alone.row_sums) == [1, 1, 3]
        with pytest.raises(InputError, match="marks 2 of 5 objects"):
            ContingencyTable.from_counts([3, 2], ["a", -1], [0, 0])

    def test_empty_rows_and_columns_are_left_out(self):
        table = ContingencyTable.from_counts([[1, 0, 2], [0, 0, 0]])
        assert table.shape == (1, 2)

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            (([[1, -1]],), "negative"),
            (([[0.5, 1]],), "whole"),
            (([[0, 0]],), "every count is 0"),
            (([1, 2],), "labels_true and labels_pred of each group"),
            (([1, 2], ["a"], ["b", "c"]), "2 counts"),
            (([[1, 2]], ["a", "b"]), "2 names"),
            (([[1], [2]], ["a", "a"]), "duplicate name"),
            (([[[1]]],), "dimensions"),
            (([[2**62, 2**62]],), "2\\^63"),
            (([["x"]],), "whole"),
        ],
    )
    def test_bad(self, args, message):
        with pytest.raises(InputError, match=message):
            ContingencyTable.from_counts(*args)


class TestWeights:
    def test_cells(self):
        table = ContingencyTable([0, 0, 1], ["x", "x", "y"], sample_weight=[0.5, 1.5, 3])
        assert_allclose(table.to_array(), [[2, 0], [0, 3]])
        assert table.n == 5
        assert "total weight 5" in repr(table)
        pairs = table.pair_counts
        # half an object makes no pair with itself, one and a half 1.5 · 0.5/2, three 3
        assert_allclose(pairs.both, 0.5 * 1.5 + 1.5 * 0.5 / 2 + 3)
        assert_allclose(pairs.neither, 0.5 * 3 + 1.5 * 3)

    def test_whole_weights_are_counts(self):
        true, pred, weights = [0, 0, 1, -1], ["x", "y", "y", "y"], [2, 1, 3, 2]
        for noise in ("cluster", "singletons", "drop"):
            table = ContingencyTable(true, pred, sample_weight=weights, noise=noise)
            repeated = ContingencyTable(
                np.repeat(true, weights), np.repeat(pred, weights), noise=noise
            )
            assert table.is_counted
            np.testing.assert_array_equal(table.to_array(), repeated.to_array())
            assert table.pair_counts == repeated.pair_counts
            assert table.coverage == repeated.coverage

    def test_noise(self):
        table = ContingencyTable([0, -1, 1], [0, 0, 1], sample_weight=[1, 2, 1], noise="drop")
        assert table.coverage == 0.5
        with pytest.raises(InputError, match="singletons"):
            ContingencyTable([0, -1], [0, 0], sample_weight=[1, 2.5], noise="singletons")

    @pytest.mark.parametrize("weights", [[1, 2], [1, -1, 1], [1, np.nan, 1], [0, 1, 1]])
    def test_bad(self, weights):
        with pytest.raises(InputError, match="sample_weight"):
            ContingencyTable([0, 1, 1], [0, 1, 1], sample_weight=weights)


def test_views():
    table = ContingencyTable(list("xxxxxoxoooo◇xx◇◇◇"), [1] * 6 + [2] * 6 + [3] * 5)
    clusters = table.by_cluster()
    assert list(clusters["class"]) == ["x", "o", "◇"]
    assert_allclose(clusters["purity"], [5 / 6, 4 / 6, 3 / 5])
    assert_allclose(clusters["size"] @ clusters["purity"] / 17, sortal.purity(table))
    weighted = clusters["size"] @ clusters["entropy"] / 17
    assert_allclose(1 - weighted, sortal.entropy_quality(table))
    assert_allclose(
        (clusters["size"] * clusters["precision"]).sum() / 17, sortal.matching_accuracy(table)
    )
    classes = table.by_class()
    assert_allclose(classes["size"] @ classes["largest_share"] / 17, sortal.inverse_purity(table))
    assert list(classes["matched_cluster"]) == [2, 1, 3]
    assert_allclose(classes.loc["x", "recall"], 5 / 8)
    unmatched = ContingencyTable([0, 0, 0], ["a", "b", "c"]).by_cluster()
    assert unmatched["matched_class"].isna().sum() == 2
    assert_allclose(sorted(unmatched["f1"]), [0, 0, 0.5])


def test_frame_has_names():
    frame = ContingencyTable([("a", 1), ("b", 2)], [0, 1]).to_frame()
    assert list(frame.index) == [("a", 1), ("b", 2)]


def test_import_stays_light():
    import subprocess
    import sys

    code = (
        "import sys, sortal.labelings.contingency;"
        "print([m for m in ('numba', 'pandas', 'scipy', 'duckdb') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def naive_matching(table):
    """The heaviest matching by trying every one."""
    counts = table if table.shape[0] <= table.shape[1] else table.T
    return max(
        sum(counts[i, j] for i, j in enumerate(chosen))
        for chosen in itertools.permutations(range(counts.shape[1]), counts.shape[0])
    )


@pytest.mark.parametrize("seed", range(40))
def test_matching_is_the_heaviest(seed):
    rng = np.random.default_rng(seed)
    shape = rng.integers(1, 6, 2)
    # many zeros: clusters that meet one class alone, and classes that meet one cluster alone
    counts = rng.integers(1, 9, shape) * (rng.random(shape) < 0.4)
    counts[rng.integers(shape[0]), rng.integers(shape[1])] = 5
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    table = ContingencyTable.from_counts(counts)
    cluster = table.matching()
    rows = np.flatnonzero(cluster >= 0)
    assert len(set(cluster[rows])) == len(rows)
    assert (counts[rows, cluster[rows]] > 0).all()
    assert counts[rows, cluster[rows]].sum() == naive_matching(counts)


@pytest.mark.parametrize("counts", [[1], [2, 0, 5], [2_999_999_999], [3_000_000_000, 4]])
def test_pairs_of_whole_counts_are_exact(counts):
    pairs = ContingencyTable.from_counts([counts]).pair_counts
    assert pairs.both == pairs.total - pairs.only_true == sum(math.comb(c, 2) for c in counts)


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.int16, np.uint8, object])
@pytest.mark.parametrize("noise", ["cluster", "singletons", "drop"])
def test_whole_numbers_are_counted_as_their_codes_are(kind, noise):
    rng = np.random.default_rng(0)
    low = 0 if kind is np.uint8 else -1
    one, other = rng.choice([low, 2, 3, 90], 300), rng.integers(low, 7, 300)
    one[17] = 113  # in no sample of every other object
    table = ContingencyTable(one.astype(kind), other.astype(kind), noise=noise)
    names = ContingencyTable(one.tolist(), other.tolist(), noise=noise)
    assert list(map(str, table.row_names)) == list(map(str, names.row_names))
    assert np.array_equal(table.to_array(), names.to_array())
    assert table.coverage == names.coverage


def test_a_label_that_a_sample_misses_is_counted():
    one = np.zeros(10_000, dtype=np.int64)
    one[1] = 10**6
    table = ContingencyTable(one, np.arange(10_000) % 2)
    assert table.row_names.tolist() == [0, 10**6]
    assert table.counts.sum() == 10_000
    one[1] = -7
    assert ContingencyTable(one, one).row_names.tolist() == [-7, 0]


def test_names_of_a_frame_of_counts_are_kept():
    frame = pd.DataFrame([[5, 1], [0, 4]], index=["a", "b"], columns=["x", "y"])
    table = ContingencyTable.from_counts(frame)
    assert (list(table.row_names), list(table.column_names)) == (["a", "b"], ["x", "y"])
    renamed = ContingencyTable.from_counts(frame, labels_pred=["u", "v"])
    assert (list(renamed.row_names), list(renamed.column_names)) == (["a", "b"], ["u", "v"])
