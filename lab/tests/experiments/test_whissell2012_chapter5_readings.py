"""What the published figures of repeated bisection can be."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import sortal
from sortal_lab import whissell2012_chapter5_readings as readings
from sortal_lab.whissell2012_chapter5_readings import complete_linkage, least_nmi

SIZES = np.array([12, 7, 5])


def test_no_clusterings_have_a_smaller_mean() -> None:
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(3), SIZES)
    for _ in range(40):
        qualities, values = [], []
        for k in (2, 3, 5):
            noise = rng.integers(k, size=len(truth))
            labels = np.where(rng.random(len(truth)) < rng.random(), truth % k, noise)
            labels[rng.permutation(len(labels))[:k]] = np.arange(k)
            qualities.append(sortal.entropy_quality(truth, labels))
            values.append(sortal.normalized_mutual_information(truth, labels))
        least = least_nmi(SIZES, float(np.mean(qualities)), (2, 3, 5))
        assert least <= np.mean(values) + 1e-9


def test_the_least_is_reached_by_clusters_of_one_size() -> None:
    # four clusters of one size that halve two classes: information log 2, entropy log 4
    truth = np.repeat([0, 0, 1, 1], 3)
    labels = np.repeat([0, 1, 2, 3], 3)
    reached = sortal.normalized_mutual_information(truth, labels)
    assert least_nmi(np.array([6, 6]), 1.0, [4]) == pytest.approx(reached)


def test_so_few_clusters_cannot_have_that_quality() -> None:
    assert least_nmi(np.array([5, 5, 5, 5]), 1.0, [2, 3]) == math.inf


def test_complete_linkage_merges_what_shares_no_term_from_the_last_row() -> None:
    # rows 0 and 3 share a term, rows 1 and 4 two, row 2 none
    rows = np.array([[3, 0, 0, 4, 0], [0, 3, 4, 0, 0], [0, 0, 0, 0, 5], [5, 0, 0, 0, 0],
                     [0, 4, 3, 0, 0]]) / 5  # fmt: skip
    found, untied = complete_linkage(rows, [2, 3, 4])
    assert untied == 3
    assert found[4].tolist() == [3, 0, 2, 1, 0]
    # the cluster of the last row takes that of row 3
    assert found[3].tolist() == [1, 0, 2, 1, 0]
    assert found[2].tolist() == [0, 0, 1, 0, 0]


def test_the_toolkit_scales_the_weights_that_have_idf_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Race:
        """Values that show which columns a fit was given."""

        def __init__(self, data, methods, measures, **options):
            self.rows = [
                {"representation": weight, "set": which, "method": way, "k": k}
                | dict.fromkeys(measures, float(X.sum()))
                for which, (weighted, _) in data.items()
                for weight, X in weighted.items()
                for way in methods
                for k in options["k"]
            ]

        def run(self, _):
            return SimpleNamespace(table=pd.DataFrame(self.rows))

    monkeypatch.setattr(readings, "Benchmark", Race)
    monkeypatch.setattr(readings, "weigh", lambda X, _: 3 * X)
    weights = ("tf", "tf-idf", "bm25-tf", "bm25-tf-idf")
    data = {which: (dict.fromkeys(weights, np.ones(2)), []) for which in readings.SETS}
    rows, note = readings._partitional(data, 1, 0, None, None)
    change = {(row["clusterer"], row["measure"], row["reading"]): row["ours"] for row in rows}
    assert change["RB-I2", "NMI", "table 5.5, nine numbers"] == 0
    for table, expected in (("5.5", 200), ("5.12", 0), ("5.13", 0), ("5.14", 200)):
        reading = f"table {table}, {readings.SOME_SCALED}"
        assert change["Direct-H1", "EQ", reading] == pytest.approx(expected)
    assert "k = 3, 6, 10" in note
