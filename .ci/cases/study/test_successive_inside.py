"""Rows that are like the next one: series are found, and tables that are sorted are none."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.signal import lfilter

import sortal
from command_line import sortal_command
from sortal.datasets import from_table
from sortal.study.wording import screen


def autoregressive(seed, memory, n=400, d=3):
    draws = np.random.default_rng(seed).normal(size=(n, d))
    return lfilter([1], [1, -memory], draws, axis=0)


def walk(seed, n=400, d=3):
    return autoregressive(seed, 1.0, n, d)


def test_the_first_line_names_the_condition(tmp_path):
    table = pd.DataFrame(walk(1, 120), columns=list("abc")).round(3)
    table.insert(0, "day", pd.date_range("2024-01-01", periods=120).astype(str))
    path = tmp_path / "prices.csv"
    table.to_csv(path, index=False)
    groups, told = (table["a"] > table["a"].mean()).to_numpy(), []
    for options in ({}, {"accept": "successive"}):
        study = sortal.Study(sortal.datasets.read(path, **options))
        study.add({"mine": groups})
        told.append(study.best())
    assert [f.key for f in told[0].findings].count("successive") == 1
    assert "as in a series" in sortal_command("check", path).stdout
    assert "if the rows are independent" in screen.headline(told[0])
    assert dict(screen.lines(told[0]))["Assumed"].startswith("rows are independent, though")
    assert "successive" not in [f.key for f in told[1].findings]
    assert "independent" not in screen.headline(told[1])
    shuffled = table.sample(frac=1, random_state=0)
    assert "successive" not in [f.key for f in from_table(shuffled).findings]
