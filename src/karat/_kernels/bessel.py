"""Modified Bessel functions in logarithms, and the concentrations that they determine."""

from __future__ import annotations

import numpy as np
from numba import njit

LEAST_ORDER = 40.0


@njit(cache=True, nogil=True)
def log_and_ratio(polynomials, order, x):
    """Log I_order(x) and I_{order+1}(x) / I_order(x); row j of ``polynomials`` is u_j."""
    steps = max(0, int(np.ceil(LEAST_ORDER - order)))
    nu = order + steps
    root = np.hypot(nu, x)
    p = nu / root
    total, slope, scale = 1.0, 0.0, 1.0
    for j in range(polynomials.shape[0]):
        scale /= nu
        value, change = 0.0, 0.0
        for i in range(polynomials.shape[1] - 1, -1, -1):
            change = change * p + value
            value = value * p + polynomials[j, i]
        total += value * scale
        slope += change * scale
    log = root + nu * (np.log(x) - np.log(nu + root)) - 0.5 * np.log(2 * np.pi * root)
    log += np.log(total)
    # d log I / dx - nu/x, term by term so that nothing cancels
    ratio = x / (root + nu) - 0.5 * x / root**2 - slope / total * nu * x / root**3
    for step in range(steps):
        ratio = 1.0 / (2.0 * (nu - step) / x + ratio)
        log -= np.log(ratio)
    return log, ratio


@njit(cache=True, nogil=True)
def solve_concentration(polynomials, mean_length, d):
    """Kappa with I_{d/2}(kappa) / I_{d/2-1}(kappa) = mean_length, by Newton's method."""
    r = mean_length
    kappa = r * (d - r**2) / (1 - r**2)
    last = np.inf
    for _ in range(60):
        ratio = log_and_ratio(polynomials, d / 2 - 1, kappa)[1]
        step = (ratio - r) / (1 - ratio**2 - (d - 1) / kappa * ratio)
        # never past 0, and at most twice as far
        new = min(max(kappa - step, kappa / 2), kappa * 2)
        change = abs(new - kappa) / kappa
        kappa = new
        if change <= 1e-14 or (change < 1e-8 and change >= last):
            break
        last = change
    return kappa
