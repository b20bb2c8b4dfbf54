"""Must-link and cannot-link pairs: checked, told with chains, counted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sortal
from sortal.bounds import kept_pairs
from sortal.datasets import read_constraints
from sortal.labelings import as_constraints


def test_a_contradiction_is_told_with_its_shortest_chain():
    pairs = [("a", "b", "must"), ("b", "c", "must"), ("c", "d", "must"), ("b", "d", "must")]
    with pytest.raises(sortal.InputError, match="a must b, b must d, and a cannot d; drop"):
        as_constraints([*pairs, ("d", "a", "cannot")], 4, "abcd")
    with pytest.raises(sortal.InputError, match="0 must 1, and 0 cannot 1"):
        as_constraints([(0, 1, "must"), (1, 0, "cannot")], 2)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ((0, 9, "must"), "names the object '9', which is not there"),
        ((0, 1, "may"), "says 'may'; give must or cannot"),
        ((1, 1, "must"), "pairs 1 with itself"),
        ((0, 1), "has 2 values"),
    ],
)
def test_what_is_no_pair_is_told(row, told):
    with pytest.raises(sortal.InputError, match=told):
        as_constraints([(2, 3, "must"), row], 4)


@given(st.data())
def test_true_pairs_never_contradict_and_the_truth_keeps_them(data):
    classes = np.array(data.draw(st.lists(st.integers(0, 3), min_size=2, max_size=12)))
    n = len(classes)
    index = st.integers(0, n - 1)
    drawn = data.draw(st.lists(st.tuples(index, index).filter(lambda p: p[0] != p[1]), max_size=30))
    pairs = [(a, b, "must" if classes[a] == classes[b] else "cannot") for a, b in drawn]
    known = as_constraints(pairs, n)
    assert known.kept(classes[None]).all()
    assert len(known) == len({frozenset(pair) for pair in drawn})
    # brute force: the rank of the incidence matrix of the pairs
    incidence = np.zeros((len(known), n))
    for row, (a, b) in enumerate(known.pairs):
        incidence[row, a], incidence[row, b] = 1, -1
    rank = np.linalg.matrix_rank(incidence) if len(known) else 0
    assert known.rank == rank


def test_outliers_are_clusters_of_one():
    known = as_constraints([(0, 1, "must"), (0, 2, "cannot")], 3)
    codes = np.array([[-1, -1, -1], [0, 0, -1]])
    assert known.kept(codes).tolist() == [[False, True], [True, True]]


def test_shares_are_of_the_pairs_and_ids_are_joined():
    labelings = pd.DataFrame({"two": [0, 0, 1, 1]}, index=["d", "c", "b", "a"])
    table = kept_pairs(labelings, [("a", "b", "must"), ("c", "d", "must"), ("a", "d", "must")])
    assert table.loc["two"].tolist() == [2, 0, pytest.approx(2 / 3)]
    with pytest.raises(sortal.InputError, match="there are no pairs"):
        kept_pairs(labelings, [])


def test_the_share_of_random_pairs_covers_the_rand_index():
    rng = np.random.default_rng(0)
    truth, labels = rng.integers(3, size=(2, 40))
    rand = sortal.rand_index(truth, labels)
    hits = 0
    for _ in range(60):
        drawn = rng.choice(40 * 39 // 2, 30, replace=False)
        rows = np.column_stack(np.triu_indices(40, 1))[drawn]
        pairs = [(a, b, "must" if truth[a] == truth[b] else "cannot") for a, b in rows.tolist()]
        row = kept_pairs({"one": labels}, pairs, random=True, delta=0.1).loc["one"]
        hits += bool(row["low"] <= rand <= row["high"])
    assert hits >= 51


def test_pairs_that_were_picked_have_no_interval():
    labels = np.repeat(np.arange(10), 8)
    star = [(0, i, "must" if i < 8 else "cannot") for i in range(1, 31)]
    halves = [(i, i + 1 if i % 2 else (i + 8) % 80, "must" if i % 2 else "cannot")
              for i in range(40)]  # fmt: skip
    for pairs, reason in ((star, "object 0"), (halves, "in one cluster of 'one'")):
        assert kept_pairs({"one": labels}, pairs)["share"].notna().all()
        with pytest.raises(sortal.InputError, match=f"not drawn at random.*{reason}"):
            kept_pairs({"one": labels}, pairs, random=True)


@pytest.mark.parametrize("header", ["", "left,right,kind\n"])
def test_files_are_read_with_and_without_a_header(tmp_path, header):
    path = tmp_path / "pairs.csv"
    path.write_text(f"{header}a,b,must\nc,a,cannot\n")
    rows = read_constraints(path)
    assert as_constraints(rows, 3, "abc").must.tolist() == [True, False]
    path.write_text("a,b\nc,d\n")
    with pytest.raises(sortal.InputError, match="constraints have three"):
        read_constraints(path)
