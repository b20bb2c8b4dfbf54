"""The looks that section 6.3.5 takes at clusterings, on clusterings made by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sortal_lab import run
from sortal_lab import whissell2012_chosen as chosen
from sortal_lab.whissell2012_chapter6 import TITLES
from sortal_lab.whissell2012_chapter6_samples import ClusteredSample

TRUTH = np.repeat(np.arange(6), 100)


def clusters_of(*homes: int) -> np.ndarray:
    return np.repeat(homes, 100)


@pytest.mark.parametrize(
    ("homes", "expected"), [((1, 0, 0, 0, 1, 1), True), ((0, 1, 1, 1, 0, 0), True),
                            ((0, 0, 1, 1, 0, 0), False)],
)  # fmt: skip
def test_left_and_right(homes, expected) -> None:
    labels = clusters_of(*homes)
    labels[::100] = 1 - labels[::100]  # one object in a hundred on the other side
    assert chosen.left_and_right(TRUTH, labels) is expected


def test_whole_classes() -> None:
    assert chosen.of_whole_classes(2)(TRUTH, clusters_of(0, 1, 2, 0, 1, 2))
    assert not chosen.of_whole_classes(2)(TRUTH, clusters_of(0, 1, 2, 0, 0, 2))
    assert chosen.of_whole_classes()(TRUTH, clusters_of(0, 1, 2, 0, 0, 2))
    divided = clusters_of(0, 1, 2, 0, 1, 2)
    divided[:50] = 1
    assert not chosen.of_whole_classes()(TRUTH, divided)


def test_pure_unrelated_and_single() -> None:
    assert chosen.pure(TRUTH, np.arange(600) // 50)
    assert not chosen.pure(TRUTH, np.arange(600) // 80)
    assert chosen.unrelated(TRUTH, np.arange(600) % 2)
    assert not chosen.unrelated(TRUTH, TRUTH)
    assert chosen.singleton(TRUTH, np.r_[0, np.ones(599, int)])
    assert not chosen.singleton(TRUTH, TRUTH)


def test_shares_of_the_chosen_clusterings(monkeypatch) -> None:
    """A measure that likes the classes themselves finds every claim true."""
    numbers = {"2GAUSS": 2, "6GAUSS": 6, "ELONGATED": 3, "CUBE": 8, "RINGS": 2}

    def sample_of(dataset, sample, kept):
        truth = np.repeat(np.arange(numbers[dataset]), 60)
        halves = np.isin(truth, [0, 4, 5]) if dataset == "6GAUSS" else truth >= truth.max() / 2
        two = halves.astype(np.int32)
        labels = {"kmeans 2": two, "average 9": np.arange(len(truth), dtype=np.int32) // 30}
        return ClusteredSample(truth[:, None], truth, labels, 0)

    def scores_of(dataset, sample, kept):
        return pd.DataFrame({key: [1.0, 1.0] for key in TITLES}, index=["kmeans 2", "average 9"])

    monkeypatch.setattr(chosen, "sample_of", sample_of)
    monkeypatch.setattr(chosen, "scores_of", scores_of)
    table = run("whissell2012-section6.3.5", samples=2).table.set_index("where")
    assert table.loc["figure 6.9", "ours"] == 1
    assert table.loc["figure 6.9", "of"] == str(2 * len(chosen.INFORMATIVE))
    assert table.loc["figure 6.7", "ours"] == 0
    assert np.isnan(table.loc["figure 6.8", "ours"])


def test_toy_examples_and_divergences() -> None:
    table = run("whissell2012-figure6.1").table
    assert (table["found"] == table["published"]).all()
    table = run("whissell2012-equation2.7").table
    assert (table["ours"] == table["published"]).all()
    assert (table["ours"] > 0).all()
