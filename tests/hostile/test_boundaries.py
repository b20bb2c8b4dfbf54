"""Arrays and files that once ended the interpreter, or gave a number without a word."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet as pq
from scipy import sparse

import sortal
from sortal import InputError, clusterers
from sortal.datasets import from_array, read_labelings
from sortal.runtime import check_data, largest_value


def rejected(*parts: str):
    return pytest.raises(
        InputError, match="(?s)" + "".join(f"(?=.*{re.escape(part)})" for part in parts)
    )


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr"])
@pytest.mark.parametrize(
    ("array", "at", "value"),
    [
        ("indices", 0, -1),
        ("indices", 0, 2**30),
        ("indptr", 1, 10**6),
        ("indptr", -1, 10**6),
        ("indptr", 0, -5),
    ],
)
def test_broken_sparse_structure_is_named(kind: str, array: str, at: int, value: int) -> None:
    X = sparse.csr_array(np.arange(1.0, 17).reshape(4, 4))
    if kind == "bsr":
        X = X.tobsr((2, 2))
    elif kind == "csc":
        X = X.tocsc()
    getattr(X, array)[at] = value
    for function in (check_data, lambda X: sortal.silhouette(X, [0, 0, 1, 1]), from_array):
        with rejected("not a valid", kind.upper(), "ind"):
            function(X)


def test_unsorted_and_repeated_indices_are_put_in_order_on_a_copy() -> None:
    data, indices, indptr = np.array([1.0, 2, 3, 4]), np.array([2, 0, 1, 1]), np.array([0, 2, 4])
    X = sparse.csr_array((data, indices, indptr), shape=(2, 3))
    np.testing.assert_array_equal(check_data(X).toarray(), [[2, 0, 1], [0, 7, 0]])
    assert X.indices.tolist() == [2, 0, 1, 1]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_one_rule_of_magnitude_for_arrays_and_files(dtype: type, tmp_path: Path) -> None:
    limit = largest_value(dtype)
    X = np.array([[0.0, 1.0], [1.0, 2.0], [5.0, 3.0], [6.0, 1.0]], dtype=dtype)
    X[0, 0] = limit * 0.99
    assert np.isfinite(sortal.silhouette(X, [0, 1, 1, 1]))
    X[0, 0] = limit * 1.1
    for function in (sortal.silhouette, sortal.c_index, sortal.baker_hubert_gamma):
        with rejected("X[0, 0]", "square", "scale"):
            function(X, [0, 0, 1, 1])
    with rejected("square"):
        from_array(X)
    pd.DataFrame(X).to_csv(tmp_path / "x.csv", index=False, header=["a", "b"])
    if dtype is np.float64:
        with rejected("square"):
            sortal.datasets.read(tmp_path / "x.csv", strict=True)


def test_a_mapping_of_nodes_is_no_sequence_of_labels() -> None:
    communities = {"ann": 0, "bob": 0, "eve": 1}
    for call in (
        lambda: sortal.adjusted_rand_index(communities, [0, 0, 1]),
        lambda: sortal.evaluate([[0.0], [1.0], [9.0]], communities),
        lambda: sortal.pac_mdl_bound([0, 0, 1], communities),
    ):
        with rejected("mapping", "order"):
            call()


def test_masked_labels_are_missing() -> None:
    labels = np.ma.masked_array([0, 1, 1], mask=[False, True, False])
    with rejected("1 missing label"):
        sortal.adjusted_rand_index(labels, [0, 1, 1])
    assert sortal.pac_mdl_bound([0, 0, 0], labels).m == 2


def test_the_index_that_pandas_writes_is_no_clustering(tmp_path: Path) -> None:
    table = pd.DataFrame({"k": ["u", "v", "u"]}, index=["ann", "bob", "eve"])
    table.to_csv(tmp_path / "k.csv")
    found = read_labelings(tmp_path / "k.csv")
    assert list(found) == ["k"]
    pd.DataFrame({"k": ["u", "v", "u"]}).to_csv(tmp_path / "k.csv")
    assert list(read_labelings(tmp_path / "k.csv")) == ["k"]


def test_one_class_alone_is_shuffled_to_itself() -> None:
    value = sortal.permutation_test("purity", [0] * 6, [0, 0, 0, 0, 0, 1], random_state=0)
    assert value.mean == 1


# -- pandas indexes --------------------------------------------------------------------------

TABLE = pd.DataFrame({"x": [0.0, 1.0, 10.0, 11.0]}, index=list("abcd"))
SHUFFLED = pd.Series([0, 1, 0, 1], index=list("acbd"))
NUMBERED = TABLE.reset_index(drop=True)
SHUFFLED_NUMBERS = pd.Series([0, 1, 0, 1], index=[0, 2, 1, 3])


ORDERED = SHUFFLED.reindex(TABLE.index)


def test_labels_in_another_order_are_joined_by_their_index():
    X, labels = TABLE.to_numpy(), ORDERED.to_numpy()
    wanted = sortal.silhouette(X, labels)
    assert wanted != sortal.silhouette(X, SHUFFLED.to_numpy())
    assert sortal.silhouette(TABLE, SHUFFLED) == wanted
    for given in ({"0": SHUFFLED}, SHUFFLED.to_frame("0"), [SHUFFLED]):
        assert sortal.evaluate(TABLE, given)["silhouette"]["0"] == wanted
        study = sortal.Study(TABLE)
        study.add(given)
        assert (study.labels(study.candidates.index[0]) == labels).all()
    assert list(sortal.Study(TABLE, y=SHUFFLED).y) == list(labels)
    for X, given in ((TABLE, labels), (None, {"0": ORDERED})):
        found = sortal.evaluate(X, given, y=SHUFFLED, measures=["adjusted_rand_index"])
        assert found["adjusted_rand_index"]["0"] == 1
    assert sortal.adjusted_rand_index(ORDERED, SHUFFLED) == 1
    assert sortal.adjusted_rand_index(ORDERED.to_numpy(), SHUFFLED) < 1
    # a mapping's own series are of the same objects
    both = sortal.evaluate(None, {"a": ORDERED, "b": SHUFFLED}, y=labels)
    assert both["adjusted_rand_index"].tolist() == [1, 1]
    weights = pd.Series([1, 2, 3, 4], list("acbd"))
    one, other = (
        sortal.evaluate(table, labels, sample_weight=w)["silhouette"]["0"]
        for table, w in ((TABLE, weights), (TABLE.to_numpy(), [1, 3, 2, 4]))
    )
    assert one == other


def test_ids_of_numbers_and_of_text_are_the_same():
    table = TABLE.set_axis([4, 7, 1, 9])
    labels = pd.Series([0, 1, 0, 1], ["4", "1", "7", "9"])
    assert sortal.silhouette(table, labels) == sortal.silhouette(TABLE, ORDERED)


def test_a_data_set_with_ids_joins_what_is_added():
    study = sortal.Study(from_array(TABLE.to_numpy(), ids=list("abcd")))
    study.add({"mine": SHUFFLED})
    assert list(study.labels("mine")) == list(ORDERED)
    with pytest.raises(InputError, match=r"different indexes \('a', 'b', 'c'.*0, 1, 2"):
        study.add({"other": SHUFFLED.reset_index(drop=True)})


@pytest.mark.parametrize(
    ("table", "labels"),
    [
        (TABLE, ORDERED.reset_index(drop=True)),
        (NUMBERED, SHUFFLED),
        (NUMBERED, SHUFFLED_NUMBERS),
        (TABLE, SHUFFLED.set_axis(list("xcbd"))),
        (TABLE, SHUFFLED.set_axis(list("abca"))),
    ],
)
def test_indexes_that_name_other_objects_are_rejected(table, labels):
    shown = [", ".join(map(repr, side.index[:3].tolist())) for side in (table, labels)]
    for call in (
        lambda: sortal.silhouette(table, labels),
        lambda: sortal.evaluate(table, {"mine": labels}),
        lambda: sortal.evaluate(table, labels.to_frame()),
        lambda: sortal.evaluate(table, [0, 0, 1, 1], y=labels),
        lambda: sortal.adjusted_rand_index(pd.Series(0, table.index), labels),
        lambda: sortal.Study(table, y=labels),
        lambda: sortal.Study(table).add({"mine": labels}),
    ):
        with pytest.raises(InputError) as told:
            call()
        if "different pandas" in str(told.value):
            assert all(ids in str(told.value) for ids in shown)


def test_what_has_no_index_is_matched_by_position():
    value = sortal.silhouette(TABLE, ORDERED)
    assert value == sortal.silhouette(TABLE, ORDERED.to_numpy())
    assert value == sortal.silhouette(TABLE.to_numpy(), ORDERED)
    assert value == sortal.silhouette(NUMBERED, ORDERED.reset_index(drop=True))


# -- sparse matrices, archives and tables that are none ---------------------------------------


@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
@pytest.mark.parametrize("last", [0, -1])
def test_pointers_that_decrease_are_not_followed(form: str, last: int) -> None:
    X = sparse.random_array((4, 3), density=0.6, rng=0, format="csr").asformat(form)
    X.indptr[1:] = [2**30] * (len(X.indptr) - 2) + [last]
    with rejected(f"not a valid {form.upper()} matrix", "non-decreasing"):
        sortal.silhouette(X, [0, 1, 0, 1])


@pytest.mark.parametrize("judge", ["silhouette", "modularity", "dbcv", "cvnn_index"])
def test_no_data_are_none(judge: str) -> None:
    with rejected("no data to judge"):
        getattr(sortal, judge)(None, [0, 1])


@pytest.mark.parametrize("labelled", [[0, 9], [-1], [0.5], ["a"], [None, 1]])
def test_labelled_objects_that_are_not_there(labelled: list[object]) -> None:
    with rejected("labelled has", "from 0 to 8"):
        sortal.bounds.sample_more(9, labelled, 2)


OWN = [
    key
    for key, one in clusterers.catalogue.items()
    if type(one.make(2, 0)).__module__.startswith("sortal")
]


@pytest.mark.parametrize("key", OWN)
def test_clusterers_follow_no_index_out_of_the_data(key: str) -> None:
    X = sparse.random_array((20, 5), density=0.5, rng=np.random.default_rng(0), format="csr")
    X.indices[0] = 2**30
    with rejected("not a valid CSR matrix"):
        clusterers.catalogue[key].make(2, 0).fit(X)


def test_a_member_of_an_archive_that_is_no_array(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", b"hello")
    for reader in (sortal.datasets.read, read_labelings):
        with rejected("'X'", "not an array"):
            reader(path)


def test_two_columns_of_one_name_in_parquet(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    columns = [pa.array([1, 2]), pa.array([2, 2]), pa.array([0, 1])]
    pq.write_table(pa.Table.from_arrays(columns, names=["a", "a", "b"]), path)
    with rejected("two columns", "'a'"):
        sortal.datasets.read(path)
    with rejected("two columns", "'a'"):
        read_labelings(path)
