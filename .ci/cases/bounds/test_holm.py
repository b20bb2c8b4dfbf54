"""Correction of p-values by Holm."""

from __future__ import annotations

import numpy as np
import pytest

from sortal.bounds.multiplicity import holm


def test_holm_is_that_of_statsmodels() -> None:
    p = np.random.default_rng(0).random(9) ** 3
    expected = pytest.importorskip("statsmodels.stats.multitest").multipletests(p, method="holm")[1]
    assert np.allclose(holm(p), expected)


def test_holm_of_published_p_values() -> None:
    assert np.allclose(
        holm(np.array([0.01, np.nan, 0.04, 0.03])), [0.03, np.nan, 0.06, 0.06], equal_nan=True
    )
