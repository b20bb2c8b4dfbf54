"""A pool that counts, and the rule beyond the null."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sortal.stability import assess
from sortal.stability.method import beyond_null
from sortal.stability.progress import counted

FEW = {"n_resamples": 10, "n_references": 3}


def triangle(n: int = 20, *, seed: int = 0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(c, 0.2, (n, 2)) for c in ((0, 0), (4, 0), (0, 4))])


@pytest.fixture(scope="module")
def found():
    return assess(triangle(), k=range(2, 5), **FEW)


def test_counting_executor_changes_nothing(found, capsys):
    with counted("Resampling", 10, show=False) as executor:
        again = assess(triangle(), k=range(2, 5), executor=executor, **FEW)
    assert again.curve.table.equals(found.curve.table)
    assert again.clusters.table.equals(found.clusters.table)


def test_the_largest_difference_is_selected_where_any_is_clear():
    table = pd.DataFrame(
        {"difference": [0.1, 0.4, 0.3], "lower": [-0.1, 0.05, 0.2]}, index=[2, 3, 4]
    )
    assert beyond_null(table) == 3
    assert beyond_null(table.assign(lower=-0.1)) == 1
    assert beyond_null(table.drop(3)) == 4
