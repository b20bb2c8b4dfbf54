"""Ways to count and to match that only large tables take, at any size; halves; hardened labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import sortal
from sortal import ContingencyTable
from sortal._kernels.contingency import count_dense
from sortal.labelings import OverlappingPartition, SoftPartition, as_labelings, encode
from sortal.labelings import cells as _cells
from sortal.labelings.held_out import held_out
from sortal.labelings.structures import Hardened


def test_every_way_to_count_agrees(monkeypatch):
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 300, 5000), rng.integers(0, 200, 5000)
    expected = ContingencyTable(true, pred)
    far = true * 10**12
    ways = [ContingencyTable(far, pred), ContingencyTable(true.astype(str).astype(object), pred)]
    monkeypatch.setattr(_cells, "DENSE_CELLS", 100)
    ways += [ContingencyTable(true, pred), ContingencyTable(far, pred * 10**12)]
    for table in ways:
        assert sorted(table.counts) == sorted(expected.counts)
        assert sortal.adjusted_rand_index(table) == sortal.adjusted_rand_index(expected)
    assert_array_equal(ways[2].to_array(), expected.to_array())
    assert_array_equal(ways[3].to_array(), expected.to_array())


def test_threads_do_not_change_counts(monkeypatch):
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 9, 2_000_000), rng.integers(0, 7, 2_000_000)
    tables = []
    for cpus in (1, 2, 5):
        monkeypatch.setattr(_cells, "available_cores", lambda cpus=cpus: cpus)
        tables.append(ContingencyTable(true, pred).to_array())
    assert_array_equal(tables[0], tables[1])
    assert_array_equal(tables[0], tables[2])


def test_matching_of_large_sparse_tables(monkeypatch):
    rng = np.random.default_rng(0)
    import sortal.labelings.matching

    for _ in range(20):
        counts = rng.integers(0, 4, (rng.integers(1, 9), rng.integers(1, 9)))
        counts[0, 0] += 1
        table = ContingencyTable.from_counts(counts)
        accuracy = sortal.matching_accuracy(table)
        with monkeypatch.context() as patch:
            patch.setattr(sortal.labelings.matching, "DENSE_CELLS", 0)
            matched = table.matching()
            assert sortal.matching_accuracy(table) == accuracy
        used = matched[matched >= 0]
        assert len(set(used)) == len(used)


def test_matching_leaves_out_what_cannot_be_matched(monkeypatch):
    """Singletons against a few classes, and against themselves: no large problem is solved."""
    from sortal.labelings import matching

    sizes = []
    best = matching._best_matching

    def spy(rows, columns, counts, shape):
        sizes.append(shape)
        return best(rows, columns, counts, shape)

    monkeypatch.setattr(matching, "_best_matching", spy)
    n, rng = 3000, np.random.default_rng(0)
    few, alone = rng.integers(0, 10, n), np.arange(n)
    for true, pred, matched in ((few, alone, 10), (alone, few, 10), (alone, alone[::-1], n)):
        table = ContingencyTable(true, pred)
        assert (table.matching() >= 0).sum() == matched
    halves = np.concatenate([few[: n // 2], alone[n // 2 :] + 10])
    table = ContingencyTable(halves, rng.permutation(n) // 2)
    assert (table.matching() >= 0).sum() > 0
    assert all(min(shape) <= n // 2 for shape in sizes)
    assert len(sizes) == 1


def test_what_hardening_does_is_told():
    soft = Hardened.of(SoftPartition([[1, 0, 0], [0.4, 0.3, 0.3]]))
    assert "below one half for 1 of 2" in str(soft)
    assert (soft.largest, soft.below_half, soft.several, soft.none) == (0.7, 1, 0, 0)
    overlapping = OverlappingPartition([[1, 1], [0, 1], [0, 0]])
    told = str(Hardened.of(overlapping))
    assert "1 of 3 objects are in several and 1 in none" in told


def test_halves_need_objects():
    points = np.arange(6.0)[:, None]
    assert held_out(points, np.array([0, 0, 0, 1, 1, 1])) is None
    assert held_out(points, np.zeros(6, dtype=int)) is None


def test_batch_tables_of_any_width(monkeypatch):
    from sortal.labelings import contingency

    rng = np.random.default_rng(1)
    batch = as_labelings({str(k): rng.integers(-1, k, 400) for k in (2, 30, 200, 7)}, noise="drop")
    true = encode(rng.integers(-1, 12, 400))
    expected = list(contingency.tables_against(true, batch))
    for cells in (1, 100, 1000):
        monkeypatch.setattr(contingency, "DENSE_CELLS", cells)
        for one, two in zip(expected, contingency.tables_against(true, batch), strict=True):
            np.testing.assert_array_equal(one.to_array(), two.to_array())
            assert list(one.row_names) == list(two.row_names)
            assert list(one.column_names) == list(two.column_names)
            assert one.coverage == two.coverage


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint16, "pandas"])
def test_integer_truth_never_becomes_objects(kind, monkeypatch):
    """One object for each label would take seconds and a gigabyte for ten million labels."""
    from sortal.labelings import labels as module

    def refuse(*_):
        raise AssertionError("labels were made objects")

    rng = np.random.default_rng(0)
    labels, truth = rng.integers(0, 4, 200), rng.integers(0, 5, 200)
    given = pd.Series(truth) if kind == "pandas" else truth.astype(kind)
    expected = sortal.evaluate(None, labels, y=truth.astype(object))
    monkeypatch.setattr(module, "known_labels", refuse)
    found = sortal.evaluate(None, labels, y=given)
    pd.testing.assert_frame_equal(found.table, expected.table)


def test_a_dense_table_says_whether_every_label_is_in_it():
    true, pred = np.array([0, 1, -1, 1]), np.array([0, 0, 1, 0])
    table = np.zeros((3, 3), dtype=np.int64)
    assert count_dense(true, pred, table)
    assert_array_equal(table, [[0, 0, 1], [0, 1, 0], [0, 2, 0]])
    for outside in (2, -2):
        assert not count_dense(np.array([outside]), np.array([0]), table)
        assert not count_dense(np.array([0]), np.array([outside]), table)
