"""Faults planted into tables whose answer is known: answered rightly, or said, never silent."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dirty_tables
import sortal.datasets

CASES = 500
QUICK = 60


def check(seed: int, folder: Path) -> None:
    table = dirty_tables.dirty(seed)
    path = folder / "data.csv"
    options = dirty_tables.write(table, path)
    truth = options[1] if options else None
    data = sortal.datasets.read(path, y=truth)
    reported = {finding.key for finding in data.findings}
    context = f"seed {seed}: {table.planted}, found {sorted(reported)}"
    for keys in table.said:
        assert keys & reported, context
    assert all(finding.to_dict()["sentence"] for finding in data.findings)
    if any(finding.stops for finding in data.findings):
        assert set(table.planted) & {"matrix", "edges"}, context
        return
    assert not {"matrix", "edges"} & set(table.planted), context
    assert data.n_objects == table.n, context
    if data.y is not None and table.truth is not None:
        assert [str(value)[1:] for value in data.y] == [str(c) for c in table.classes], context
    # columns that have nothing to do with the clusters blur them, and were named
    if not {"units", "dates", "codes", "mixed"} & set(table.planted):
        assert dirty_tables.agreement(data.X, table.classes) > 0.85, context


@pytest.mark.parametrize("part", range(4))
def test_no_fault_is_silent(part: int, tmp_path: Path) -> None:
    for seed in range(part, QUICK, 4):
        check(seed, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_none_of_many_faults_is_silent(part: int, tmp_path: Path) -> None:
    for seed in range(part, CASES, 10):
        check(seed, tmp_path)


def test_clean_tables_have_no_harmful_finding(shared_data: Path) -> None:
    harmful_keys = {}
    for path in sorted((shared_data / "points").glob("*.csv.gz")):
        data = sortal.datasets.read(path, label_column="label")
        harmful_keys[path.name] = [
            finding.key for finding in data.findings if finding.severity == "harmful"
        ]
    assert len(harmful_keys) > 20
    harmful = {name: keys for name, keys in harmful_keys.items() if keys}
    assert harmful == {"satimage.csv.gz": ["successive"]}  # pixels beside each other


def test_clean_random_tables_have_no_harmful_finding(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for seed in range(40):
        table = dirty_tables.clean(np.random.default_rng(seed))
        frame = pd.DataFrame(table.columns)
        if seed % 2:
            frame = pd.DataFrame(rng.poisson(3, (200, 4)), columns=list("abcd"))
        assert not [
            finding.key for finding in sortal.datasets.from_table(frame).findings
            if finding.severity == "harmful"
        ]  # fmt: skip
