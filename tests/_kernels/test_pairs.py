"""Sums of distances by rows of a tile equal those by the columns of the turned tile."""

from __future__ import annotations

import numpy as np
import pytest

from sortal._kernels.pairs import accumulate, accumulate_rows, turn


@pytest.mark.parametrize("wanted", [*np.eye(4, dtype=bool), np.ones(4, bool)])
@pytest.mark.parametrize("longest", [1, 4, 30])
def test_rows_are_added_up_as_the_columns_of_the_turned_tile(
    wanted: np.ndarray, longest: int
) -> None:
    rng = np.random.default_rng(longest)
    columns, rows, at = 21, 13, 2
    run = np.repeat(np.arange(50), rng.integers(1, longest + 1, 50))[: 40 + rows].astype(np.int32)
    by_run = rng.integers(-1, 3, (50, 2)).astype(np.int32)
    inputs = (run, rng.integers(1, 4, len(run)) / 2, by_run[run], np.array([0, 3]), wanted)
    tile = rng.integers(1, 9, (rows, columns)) / 4
    tile[3, 5] = 0.0

    def empty() -> tuple[np.ndarray, ...]:
        return tuple(np.full((6, at + rows + 1), v) for v in (0.0, np.inf, 0.0, 0.0))

    by_row, by_column, turned = empty(), empty(), np.empty((columns, rows))
    accumulate_rows(tile, 7, inputs, by_row, at)
    turn(tile, turned)
    accumulate(turned, False, 7, 100, inputs, by_column, at)
    for a, b, fresh, is_wanted in zip(by_row, by_column, empty(), wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)
        assert (a != fresh).any() == is_wanted
