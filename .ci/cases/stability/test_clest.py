"""Clest beside given references."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from sortal import stability
from sortal.stability import number


def clest_beside(monkeypatch, references, **options):
    """Clest of three far clusters, whose similarity is 1, beside given references."""
    rng = np.random.default_rng(0)
    X = np.repeat(12.0 * np.eye(3)[:, :2], 30, axis=0) + rng.normal(size=(90, 2))
    noise = np.random.default_rng(5).uniform(size=X.shape)
    given = iter([X if own else noise for own in references])
    monkeypatch.setattr(number, "draw_reference", lambda *_, **__: next(given))
    return stability.clest(
        X, KMeans(n_init=5), k=[3], n_splits=4, n_references=len(references), **options
    )


def test_clest_counts_references_that_reach_the_value(monkeypatch):
    found = clest_beside(monkeypatch, [True, True])
    assert found.table.loc[3, "value"] == 1
    assert found.details["p"] == {3: 1.0}
    assert found.selected == 1
    # one of four: counted up to a share of a quarter, whatever the difference
    for p_max, selected in ((0.24, 1), (0.25, 3)):
        found = clest_beside(monkeypatch, [True, False, False, False], p_max=p_max)
        assert found.details["p"] == {3: 0.25}
        assert found.table.loc[3, "difference"] > 0.05
        assert found.selected == selected


def test_spreads_of_clest_are_those_of_samples(monkeypatch):
    found = clest_beside(monkeypatch, [True, False])
    row = found.table.loc[3]
    other = 2 * row["null"] - 1  # the references have 1 and this
    assert row["null_error"] == pytest.approx((1 - other) / np.sqrt(2))
    assert row["lower"] == pytest.approx(row["difference"] - 2 * row["null_error"])
    assert row["upper"] == pytest.approx(row["difference"] + 2 * row["null_error"])
