"""What a spreadsheet, a copy and a second question do to a guarantee: nothing without a word."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sortal
from sortal.bounds import classifiers, sample
from sortal.study import guarantees

N = 300


@pytest.fixture(autouse=True)
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is counted are questions: a small forest is enough."""
    monkeypatch.setattr(classifiers, "TREES", 5)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Clusterings, and 50 labels in the order of the draw."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], N // 3)
    noisy = {f"k{k}": np.where(rng.random(N) < 0.15, rng.integers(0, 3, N), truth % k)
             for k in (3, 2, 4)}  # fmt: skip
    pd.DataFrame({"row": range(N), **noisy}).to_csv(tmp_path / "k.csv", index=False)
    rows = sample(N, 50, random_state=1)
    few = {"draw": range(1, 51), "row": rows, "label": truth[rows]}
    pd.DataFrame(few).to_csv(tmp_path / "few.csv", index=False)
    return tmp_path


def test_pairs_of_labelled_objects_do_not_enter_the_prior(files: Path) -> None:
    truth = np.repeat([0, 1, 2], N // 3)
    X = np.random.default_rng(0).normal(truth[:, None] * 6.0, 1.0, (N, 2))
    table = pd.read_csv(files / "few.csv")
    y = np.full(N, None, dtype=object)
    y[table["row"]] = table["label"]
    rows = table["row"].tolist()
    free = [int(i) for i in range(N) if i not in rows]
    middle = min(free, key=lambda i: abs(i - N // 2))
    priors = []
    for pairs in (None, [(a, b, "must" if truth[a] == truth[b] else "cannot")
                         for a, b in zip(rows[:20], rows[20:40], strict=True)],
                  [(free[0], middle, "must"), (middle, free[-1], "must")]):  # fmt: skip
        study = sortal.Study(X, y=y)
        study.sweep(["kmeans"], k=range(2, 5), n_init=1)
        study.constrain(pairs)
        priors.append(guarantees.judged_shares(study.state))
    assert priors[0] == priors[1]
    assert priors[0] != priors[2]
