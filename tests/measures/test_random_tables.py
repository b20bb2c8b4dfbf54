"""Tables under chance, of more objects than any sampler of a library takes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import karat
from karat import ContingencyTable
from karat.measures.external.random_tables import (
    hypergeometric,
    log_factorial_ratio,
    random_tables,
)

HUGE = 6 * 10**12


def arrays(*numbers, times):
    return [np.full(times, number, dtype=np.int64) for number in numbers]


@pytest.mark.parametrize(
    ("population", "marked", "draws"),
    [(20, 7, 9), (50, 45, 30), (3, 1, 2), (400, 200, 200), (1000, 3, 500), (9, 9, 4)],
)
def test_hypergeometric_has_the_distribution(population, marked, draws):
    times = 20_000
    found = hypergeometric(
        *arrays(population, marked, draws, times=times), np.random.default_rng(0)
    )
    law = stats.hypergeom(population, marked, draws)
    low, high = law.support()
    assert low <= found.min() <= found.max() <= high
    counts = np.bincount(found - low, minlength=high - low + 1)
    expected = law.pmf(np.arange(low, high + 1)) * times
    some = expected > 5
    if some.sum() > 1:
        chi = ((counts[some] - expected[some]) ** 2 / expected[some]).sum()
        assert stats.chi2.sf(chi, some.sum()) > 1e-4


@pytest.mark.parametrize("n", [2 * 10**9, 10**13, 4 * 10**18])
def test_hypergeometric_of_huge_populations_is_normal(n):
    marked, draws = n // 3, n // 7
    z = hypergeometric(*arrays(n, marked, draws, times=8000), np.random.default_rng(1)) - float(
        draws
    ) * (marked / n)
    z = z / math.sqrt(draws * (marked / n) * (1 - marked / n) * (1 - draws / n))
    assert stats.kstest(z, "norm").pvalue > 1e-3


def test_factorials_keep_their_digits():
    import mpmath

    mpmath.mp.dps = 60
    for x, step in ((10**15, 10**7), (10**15, -(10**7)), (5000, 123), (3, 4), (999, 5), (0, 6)):
        exact = mpmath.loggamma(x + step + 1) - mpmath.loggamma(x + 1)
        found = log_factorial_ratio(np.array([x]), np.array([step]))[0]
        assert found == pytest.approx(float(exact), rel=1e-12)


def test_margins_are_kept():
    rows, columns = np.array([HUGE, 5, 2 * HUGE, 1]), np.array([HUGE + 3, 2 * HUGE, 3])
    tables = list(random_tables(rows, columns, 50, np.random.default_rng(0)))
    assert len(tables) == 50
    for table in tables:
        assert (table >= 0).all()
        assert table.sum(axis=1).tolist() == rows.tolist()
        assert table.sum(axis=0).tolist() == columns.tolist()


def test_cell_by_cell_is_patefields_distribution(monkeypatch):
    from karat.measures.external import random_tables as module

    rows, columns = np.array([4, 3, 5]), np.array([6, 2, 4])
    of = [np.random.default_rng(seed) for seed in (0, 1)]
    theirs = np.array(list(random_tables(rows, columns, 20_000, of[0])))
    monkeypatch.setattr(module, "SCIPY_OBJECTS", 0)
    ours = np.array(list(random_tables(rows, columns, 20_000, of[1])))
    for i in range(3):
        for j in range(3):
            top = int(max(theirs[:, i, j].max(), ours[:, i, j].max())) + 1
            one, two = (np.bincount(x[:, i, j], minlength=top) for x in (theirs, ours))
            seen = one + two > 10
            assert stats.chi2_contingency(np.array([one[seen], two[seen]])).pvalue > 1e-4


def test_chance_models_beyond_four_billion_objects():
    table = ContingencyTable.from_counts([[4 * HUGE, HUGE], [HUGE, 4 * HUGE]])
    test = karat.permutation_test("rand_index", table, n_permutations=99, random_state=0)
    assert test.mean == pytest.approx(0.5, abs=1e-6)
    assert test.p_value == 0.01
    corrected = karat.chance_corrected("rand_index", table, n_permutations=99, random_state=0)
    assert corrected.value == pytest.approx(karat.adjusted_rand_index(table), abs=1e-6)
