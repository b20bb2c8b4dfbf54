"""Shuffled labels, batches."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sortal
from sortal import ContingencyTable
from sortal.labelings import as_labelings, encode
from sortal.measures.external.chance import _shuffled


def test_a_single_cluster_is_shuffled_to_itself():
    table = ContingencyTable.from_counts([[1, 3]])
    for shuffled in _shuffled(table, 3, 0):
        assert shuffled.row_sums.tolist() == [4]
        assert shuffled.column_sums.tolist() == [1, 3]


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
