"""The intervals of clarity by reading, on readers whose score is known."""

from __future__ import annotations

import pytest

from sortal_lab import run


@pytest.mark.long
def test_intervals_cover_and_scores_are_right():
    table = run("clarity-intervals", samples=60).table
    assert (table["bias"].abs() < 4 * table["standard error"]).all()
    # 0.9 less three standard errors of 60 rounds
    assert (table["covered"] > 0.78).all()
