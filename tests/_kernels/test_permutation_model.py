"""Every external measure against its definition, check values, laws and peers."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose


def expected_mi_exact(a, b, n):
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(40):

        def log_factorial(k):
            return mpmath.loggamma(k + 1)

        total = mpmath.mpf(0)
        for ai in a:
            for bj in b:
                fixed = (
                    log_factorial(ai) + log_factorial(bj) + log_factorial(n - ai)
                    + log_factorial(n - bj) - log_factorial(n)
                )  # fmt: skip
                for x in range(max(1, ai + bj - n), min(ai, bj) + 1):
                    p = mpmath.exp(
                        fixed - log_factorial(x) - log_factorial(ai - x)
                        - log_factorial(bj - x) - log_factorial(n - ai - bj + x)
                    )  # fmt: skip
                    total += p * x / n * mpmath.log(mpmath.mpf(n) * x / (ai * bj))
        return float(total)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([3, 4, 5], [6, 6]),
        ([1] * 20, [5, 15]),
        ([1, 1, 2, 46], [1, 49]),
        ([500, 1500], [1000, 700, 300]),
        ([2, 9998], [9997, 3]),
    ],
)
def test_expected_mutual_information_to_1e_14(a, b):
    from sortal._kernels.permutation_model import mean_deviances

    computed = mean_deviances(np.array(a), np.array(b), sum(a)).sum() / sum(a)
    assert_allclose(computed, expected_mi_exact(a, b, sum(a)), rtol=1e-13)


def test_wide_cells_agree_with_the_sum_over_all_of_them():
    from sortal._kernels.permutation_model import deviance, mean_deviance

    for n, a, b in ((100_000, 5000, 5200), (40_000, 9000, 11_000), (10**6, 50_000, 50_001)):
        mu = a * b / n
        x = np.arange(max(0, int(mu - 15 * mu**0.5)), int(mu + 15 * mu**0.5))
        ratio = (a - x[:-1]) * (b - x[:-1]) / ((x[:-1] + 1) * (n - a - b + x[:-1] + 1.0))
        log_p = np.concatenate([[0], np.cumsum(np.log(ratio))])
        p = np.exp(log_p - log_p.max())
        h = np.array([deviance(float(v), mu) for v in x])
        assert_allclose(mean_deviance(n, a, b, mu), (p * h).sum() / p.sum(), rtol=1e-11)
