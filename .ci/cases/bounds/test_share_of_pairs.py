"""Intervals of the share of pairs that a clustering keeps, against SciPy's distributions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, hypergeom

from sortal.bounds.pairs import share_of_pairs


@pytest.mark.parametrize(("x", "m", "population"), [(0, 5, 20), (3, 5, 20), (5, 5, 6), (7, 10, 45)])
def test_the_interval_inverts_the_hypergeometric(x, m, population):
    low, high = share_of_pairs(x, m, population, 0.1)
    K = np.arange(x, population - m + x + 1)
    above, below = hypergeom.sf(x - 1, population, K, m), hypergeom.cdf(x, population, K, m)
    inside = K[(above > 0.05) & (below > 0.05)]
    assert (low * population, high * population) == pytest.approx((min(inside), max(inside)))


def test_of_many_pairs_the_interval_is_that_of_clopper_and_pearson():
    found = binomtest(17, 20).proportion_ci(0.95, "exact")
    assert share_of_pairs(17, 20, 10**12, 0.05) == pytest.approx((found.low, found.high), abs=1e-6)
