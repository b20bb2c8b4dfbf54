"""Simple random samples of many rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortal.runtime.validation import check_random_state
from sortal.typing import RandomState


def draw_rows(
    rows: int | NDArray[np.integer[Any]], most: int, random_state: RandomState
) -> NDArray[np.int64]:
    """At most ``most`` of the rows, or of 0..rows−1, without replacement and ascending.

    Where there are no more, these are all rows, and nothing is drawn from a generator.

    >>> draw_rows(3, 5, 0), draw_rows(1_000, 3, 0)
    (array([0, 1, 2]), array([511, 636, 848]))
    """
    n = len(rows) if isinstance(rows, np.ndarray) else rows
    if n <= most:
        return rows.astype(np.int64, copy=False) if isinstance(rows, np.ndarray) else np.arange(n)
    sample: NDArray[np.int64] = check_random_state(random_state).choice(rows, most, replace=False)
    return np.sort(sample)
