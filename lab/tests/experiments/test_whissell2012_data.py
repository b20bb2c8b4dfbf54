"""Sizes of the data sets of tables 5.1 and 6.3, on sets of which the sizes are known."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from sortal_lab import run, whissell2012_data
from sortal_lab.comparison import OTHER_DATA, SAME_DATA, comparisons


def test_sizes_of_real_sets(monkeypatch):
    def points(name, **_):
        # three classes of 40, 50 and 60; the sets that are larger have their test part last
        return np.zeros((150, 4)), np.repeat(["a", "b", "c"], [40, 50, 60])

    monkeypatch.setattr(whissell2012_data, "points", points)
    found = run("whissell2012-table6.3")
    of_iris = found.table[found.table["data"] == "IRIS"]
    assert of_iris["size"].tolist() == [150, 4, 3, 60]
    assert of_iris["published"].tolist() == [150, 4, 3, 50]
    verdicts = [each.verdict for each in comparisons(of_iris)]
    assert verdicts == [SAME_DATA, SAME_DATA, SAME_DATA, OTHER_DATA]
    assert found.notes[0].startswith("ISOLET: 1,560 objects")


def test_sizes_of_collections(monkeypatch):
    counts = sparse.csr_array(np.ones((5, 7)))
    monkeypatch.setattr(
        whissell2012_data, "term_counts", lambda _: (counts, np.array(list("aabbc")))
    )
    found = run("whissell2012-table5.1")
    assert found.table[found.table["data"] == "wap"]["size"].tolist() == [5, 7, 3]
    assert "new3" not in set(found.table["data"])
    assert found.notes == ("new3 cannot be had.",)
