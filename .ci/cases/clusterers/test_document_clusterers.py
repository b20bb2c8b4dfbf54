"""Clusterers of sparse rows: against brute force, naive versions of the papers, and mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from sortal.clusterers._bessel import concentration, log_bessel_and_ratio, log_constant


@pytest.mark.parametrize("order", [0, 0.5, 1, 2, 10, 39, 41, 150.5, 1e3, 1e5])
def test_log_bessel(order):
    x = np.array([1e-6, 0.3, 17, 450, 1e4])
    log, ratio = log_bessel_and_ratio(order, x)
    with mpmath.workdps(30):
        for i, value in enumerate(x):
            below = mpmath.besseli(order, value, maxterms=10**6)
            above = mpmath.besseli(order + 1, value, maxterms=10**6)
            exact = float(mpmath.log(below))
            assert log[i] == pytest.approx(exact, rel=1e-10, abs=1e-10)
            assert ratio[i] == pytest.approx(float(above / below), rel=1e-10)


@pytest.mark.parametrize("d", [2, 3, 10, 1000])
@pytest.mark.parametrize("r", [1e-4, 0.1, 0.5, 0.9, 0.999])
def test_concentration_solves_its_equation(d, r):
    kappa = float(concentration(np.array([r]), d)[0])
    with mpmath.workdps(30):
        ratio = mpmath.besseli(d / 2, kappa, maxterms=10**6) / mpmath.besseli(
            d / 2 - 1, kappa, maxterms=10**6
        )
    assert float(ratio) == pytest.approx(r, rel=1e-10)


def test_density_sums_to_one():
    # on the circle the constant is 1 / (2 pi I_0), on the sphere kappa / (4 pi sinh kappa)
    for kappa in (1e-8, 0.5, 30.0):
        circle = float(log_constant(np.array([kappa]), 2)[0])
        assert circle == pytest.approx(-float(mpmath.log(2 * mpmath.pi * mpmath.besseli(0, kappa))))
        sphere = float(log_constant(np.array([kappa]), 3)[0])
        exact = float(mpmath.log(kappa / (4 * mpmath.pi * mpmath.sinh(kappa))))
        assert sphere == pytest.approx(exact)
