"""The dip is its definition, a linear programme, and its p-values are those of uniform data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from sortal._kernels.dip import dip, dip_evidence


def naive_dip(x):
    """Least distance of the empirical distribution function to one convex, then concave."""
    values, counts = np.unique(x, return_counts=True)
    k, upper = len(values), np.cumsum(counts) / len(x)
    lower = upper - counts / len(x)
    best = 1.0
    for mode in range(k):
        # unknown: the left limits at each value, the value at the mode, and the distance
        rows, bounds = [], []

        def need(terms, most, rows=rows, bounds=bounds):
            row = np.zeros(k + 2)
            for place, factor in terms:
                row[place] += factor
            rows.append(row)
            bounds.append(most)

        def right(i, mode=mode):
            return k if i == mode else i

        for i in range(k):
            need([(right(i), -1), (k + 1, -1)], -upper[i])
            need([(right(i), 1), (k + 1, -1)], upper[i])
            need([(i, 1), (k + 1, -1)], lower[i])
            need([(i, -1), (k + 1, -1)], -lower[i])
        need([(mode, 1), (k, -1)], 0)
        for i in range(k - 1):
            need([(right(i), 1), (i + 1, -1)], 0)
        steps = np.diff(values)
        for i in range(1, k - 1):
            slopes = [(i, 1 / steps[i - 1] + 1 / steps[i]), (i + 1, -1 / steps[i])]
            if i < mode:
                need([*slopes, (i - 1, -1 / steps[i - 1])], 0)
            elif i > mode:
                terms = [*slopes, (right(i - 1), -1 / steps[i - 1])]
                need([(place, -factor) for place, factor in terms], 0)
        cost = np.zeros(k + 2)
        cost[-1] = 1
        solution = linprog(cost, A_ub=np.array(rows), b_ub=np.array(bounds), bounds=(0, 1))
        best = min(best, solution.fun)
    return best


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.integers(4, 11), st.booleans(), st.booleans())
def test_the_dip_is_its_definition(seed, n, grid, two):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    if two:
        x[n // 2 :] += 4
    if grid:
        x = np.round(x)
    x = np.sort(x)
    if x[0] < x[-1]:
        assert dip(x) == pytest.approx(max(naive_dip(x), 0.5 / n), abs=1e-7)


def test_values_at_the_extremes():
    assert dip(np.arange(10.0)) == pytest.approx(0.05)
    assert dip(np.zeros(10)) == pytest.approx(0.05)
    assert dip(np.repeat([0.0, 1.0], 50)) == pytest.approx(0.25)
    assert dip_evidence(np.zeros(3)) == 0


@pytest.mark.parametrize("n", [20, 50, 300])
def test_evidence_is_minus_log_p_under_a_uniform_density(n):
    rng = np.random.default_rng(n)
    values = [dip_evidence(np.sort(rng.uniform(size=n))) for _ in range(4000)]
    for p in (0.3, 0.1, 0.05):
        assert np.mean(np.array(values) >= -np.log(p)) == pytest.approx(p, rel=0.2)
