"""Random tables with given margins, of any number of objects: what shuffled labels make."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

#: above so many objects the products in SciPy's sampler leave 64 bits
SCIPY_OBJECTS = 2**31
#: counts of the tables that are drawn together
HELD = 2**20


def random_tables(
    rows: Ints, columns: Ints, times: int, rng: np.random.Generator
) -> Iterator[Ints]:
    """Tables with these margins, as likely as shuffled labels make them.

    SciPy's (Patefield 1981); above :data:`SCIPY_OBJECTS` objects cell by cell, hypergeometric
    given the cells before.
    """
    if len(rows) == 1 or len(columns) == 1:
        # SciPy 1.17 makes a negative count of one row with two columns
        for _ in range(times):
            yield rows[:, None] * 1 if len(columns) == 1 else columns[None, :] * 1
        return
    if rows.sum() < SCIPY_OBJECTS:
        from scipy.stats import random_table

        margins = random_table(rows, columns)
        for _ in range(times):
            yield np.asarray(margins.rvs(method="patefield", random_state=rng)).astype(np.int64)
        return
    together = max(1, HELD // (len(rows) * len(columns)))
    for start in range(0, times, together):
        yield from _cell_by_cell(rows, columns, min(together, times - start), rng)


def _cell_by_cell(rows: Ints, columns: Ints, times: int, rng: np.random.Generator) -> Ints:
    tables = np.zeros((times, len(rows), len(columns)), dtype=np.int64)
    left = np.repeat(columns[None, :], times, axis=0)
    for i, size in enumerate(rows[:-1].tolist()):
        todo = np.full(times, size, dtype=np.int64)
        population = left.sum(axis=1)
        for j in range(len(columns) - 1):
            drawn = hypergeometric(population, left[:, j], todo, rng)
            population -= left[:, j]
            todo -= drawn
            tables[:, i, j] = drawn
        tables[:, i, -1] = todo
        left -= tables[:, i]
    tables[:, -1] = left
    return tables


def hypergeometric(population: Ints, marked: Ints, draws: Ints, rng: np.random.Generator) -> Ints:
    """How many of ``draws`` from a population are marked; arrays of any 64-bit numbers.

    Ratio of uniforms with the hat of Stadlober (1990). Probabilities are taken relative to that
    of the mean, from differences of logarithms of factorials that keep their digits.
    """
    low = np.maximum(0, draws - (population - marked))
    high = np.minimum(draws, marked)
    out = low.copy()
    N, K, m = (x.astype(np.float64) for x in (population, marked, draws))
    share = K / np.maximum(N, 1)
    mean = m * share
    variance = mean * (1 - share) * (N - m) / np.maximum(N - 1, 1)
    width = 1.7155277699214135 * np.sqrt(variance + 0.5) + 0.8989161620588988
    mode = np.clip(((m + 1) * ((K + 1) / (N + 2))).astype(np.int64), low, high)
    todo = np.flatnonzero(high > low)
    while len(todo):
        u, v = 1 - rng.random(len(todo)), rng.random(len(todo))
        # relative to the mode, so that no whole number is rounded
        offset = (mean - mode)[todo] + 0.5 + width[todo] * (v - 0.5) / u
        step = np.floor(np.clip(offset, -(2.0**62), 2.0**62)).astype(np.int64)
        near = (step >= (low - mode)[todo]) & (step <= (high - mode)[todo])
        at, step, u = todo[near], step[near], u[near]
        taken = 2 * np.log(u) <= _log_relative(
            mode[at], step, population[at], marked[at], draws[at]
        )
        out[at[taken]] = (mode[at] + step)[taken]
        todo = np.setdiff1d(todo, at[taken], assume_unique=True)
    return out


def _log_relative(mode: Ints, step: Ints, population: Ints, marked: Ints, draws: Ints) -> Floats:
    """Logarithm of the probability of ``mode + step`` over that of ``mode``."""
    return -(
        log_factorial_ratio(mode, step)
        + log_factorial_ratio(marked - mode, -step)
        + log_factorial_ratio(draws - mode, -step)
        + log_factorial_ratio(population - marked - draws + mode, step)
    )


def log_factorial_ratio(x: Ints, step: Ints) -> Floats:
    """ln((x + step)!/x!), also where both logarithms have lost the digits that matter."""
    from scipy.special import gammaln

    def tail(z: Floats) -> Any:
        return (1 / 12 - 1 / (360 * z * z)) / z

    a, d = x.astype(np.float64), step.astype(np.float64)
    large = np.minimum(a, a + d) > 1000
    a_large, d_large = np.where(large, a, 1001.0), np.where(large, d, 0.0)
    b_large = a_large + d_large
    stirling = (b_large + 0.5) * np.log1p(d_large / a_large) + d_large * (np.log(a_large) - 1)
    stirling += tail(b_large) - tail(a_large)
    return np.asarray(np.where(large, stirling, gammaln(a + d + 1) - gammaln(a + 1)))
