"""Kernels of hypergeometric tails and of evidence, against sums of many digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import naive_bounds as naive
from sortal._kernels.hypergeometric import b_max_many, log_tail
from sortal._kernels.sequence import log_evidence


def test_evidence_of_large_populations_agrees_with_mpmath():
    m, n, a, b = 200, 3000, 30, 600
    with mpmath.workdps(40):

        def log_likelihood(E):
            parts = mpmath.binomial(E, a) * mpmath.binomial(m + n - E, m - a)
            return mpmath.log(parts / mpmath.binomial(m + n, m) / mpmath.binomial(m, a))

        E = a + b
        mean = mpmath.fsum(mpmath.exp(log_likelihood(e)) for e in range(a, E)) / E
        expected = mpmath.log(mean) - log_likelihood(E)
    assert log_evidence(m, n, a, b) == pytest.approx(float(expected), abs=1e-9)


def test_kernel_keeps_within_the_error_it_claims() -> None:
    rng = np.random.default_rng(5)
    for _ in range(150):
        m, n = (int(10 ** rng.uniform(0.3, 6)) for _ in range(2))
        a = int(m * rng.uniform(0, 1) ** 3)
        b = int(np.clip(n * (a + 1) / (m + 2) * rng.uniform(0.5, 3) + rng.integers(3), 1, n))
        value, _, claimed = log_tail(m, n, a, b)
        exact = naive.log_tail(m, n, a, b, digits=80)
        assert abs(value - exact) <= claimed, (m, n, a, b)


def test_kernel_is_seldom_unsure() -> None:
    rng = np.random.default_rng(0)
    size = 20_000
    m, n = rng.integers(1, 3000, (2, size))
    a = (m * rng.random(size) ** 3).astype(np.int64)
    out, unsure = np.empty(size, dtype=np.int64), np.zeros(size, dtype=np.bool_)
    b_max_many(m, n, a, -(10 ** rng.uniform(-2, 4, size)), out, unsure)
    assert unsure.sum() <= 2
