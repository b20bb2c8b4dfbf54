"""The figure shows every clustering, the best of each k, the constant classifier."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import karat
from karat.plot.bound import bound_by_k
from karat.runtime.validation import InputError


@pytest.fixture
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 300)
    y = np.where(rng.random(300) < 0.3, truth, -1)
    origins = [(name, k) for name in ("<b>a</b>", "b") for k in (2, 2, 3, 4)]
    labelings = np.stack(
        [np.where(rng.random(300) < 0.2, rng.integers(0, k, 300), truth % k) for _, k in origins]
    )
    bounds = karat.pac_mdl_bound(labelings, y)
    return bounds.table.assign(clusterer=[name for name, _ in origins])


def roles(figure: object, role: str) -> list:
    return [trace for trace in figure.data if trace.meta["role"] == role]


def test_lines_dots_and_levels(table: pd.DataFrame) -> None:
    figure = bound_by_k(table)
    dots = roles(figure, "dots")
    assert sum(len(trace.x) for trace in dots) == len(table)
    for trace in roles(figure, "line"):
        rows = table[table["clusterer"] == trace.meta["clusterer"]]
        want = rows.groupby("n_clusters")["bound_rate"].min()
        assert list(trace.x) == list(want.index)
        assert list(trace.y) == list(want)
        assert "<b>" not in trace.name
    levels = [trace.y[0] for trace in roles(figure, "level")]
    assert levels == [table["constant_error_rate"].iloc[0]]
    (mark,) = roles(figure, "chosen")
    assert mark.y[0] == table["bound_rate"].min()


def test_many_bounds_without_origins() -> None:
    bounds = karat.pac_mdl_bound([[0, 0, 1, 1], [0, 1, 2, 2]], ["x", None, "y", None])
    figure = bound_by_k(bounds, chosen="1")
    assert len(roles(figure, "line")) == 1
    assert list(roles(figure, "chosen")[0].x) == [3]


def test_other_tables_are_rejected(table: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="'bound_rate'"):
        bound_by_k(table.drop(columns="bound_rate"))
    with pytest.raises(InputError, match="no row"):
        bound_by_k(table.iloc[:0])


def test_a_guarantee_is_rounded_up_everywhere() -> None:
    from karat.bounds import percent_up
    from karat.study.deciders import deciders

    assert deciders["guarantee"].text(0.27501) == percent_up(0.27501) == "27.6 %"
    assert percent_up(0.275) == "27.5 %"
