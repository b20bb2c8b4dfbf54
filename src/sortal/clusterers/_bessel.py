"""Modified Bessel functions of the first kind in logarithms, and concentrations."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.polynomial import Polynomial
from numpy.polynomial.polynomial import polyval

from sortal.typing import Floats

#: derived: mean lengths for which a concentration is estimated; 1 would make it infinite
_SHORTEST, _LONGEST = 1e-10, 1 - 1e-8
#: derived: terms of the uniform expansion for an error below 1e-14 from the least order on
_TERMS = 12
#: derived: order from which so many terms are accurate; lower orders recur from there
_LEAST_ORDER = 40.0


@lru_cache(maxsize=1)
def coefficients() -> Floats:
    """u_0, u_1, ... of the uniform expansion (DLMF 10.41.9), and their derivatives.

    By power, (powers, 2, terms).
    """
    first, weight = Polynomial([0, 0, 0.5, 0, -0.5]), Polynomial([0.125, 0, -0.625])
    u = [Polynomial([1.0])]
    for _ in range(_TERMS):
        u.append(first * u[-1].deriv() + (weight * u[-1]).integ())
    out = np.zeros((3 * _TERMS + 1, 2, len(u)))
    for term, polynomial in enumerate(u):
        for which, term_or_slope in enumerate((polynomial, polynomial.deriv())):
            out[: len(term_or_slope.coef), which, term] = term_or_slope.coef
    return out


def log_bessel_and_ratio(order: float, x: Floats) -> tuple[Floats, Floats]:
    """Log I_order(x) and I_{order+1}(x) / I_order(x), for order > -1 and x > 0."""
    x = np.atleast_1d(np.asarray(x, dtype=np.float64))
    steps = max(0, int(np.ceil(_LEAST_ORDER - order)))
    nu = order + steps
    root = np.hypot(nu, x)
    p = nu / root
    powers = nu ** np.arange(_TERMS + 1.0)
    total, slope = (polyval(p, coefficients()) / powers[:, None]).sum(axis=1)
    log = root + nu * (np.log(x) - np.log(nu + root)) - 0.5 * np.log(2 * np.pi * root)
    log += np.log(total)
    # d log I / dx - nu/x, term by term so that nothing cancels
    ratio = x / (root + nu) - 0.5 * x / root**2 - slope / total * nu * x / root**3
    for step in range(steps):
        ratio = 1.0 / (2.0 * (nu - step) / x + ratio)
        log -= np.log(ratio)
    return log, ratio


def concentration(mean_length: Floats, d: int) -> Floats:
    """Concentration κ with A(κ) = I_{d/2}(κ) / I_{d/2-1}(κ) = mean_length, by Newton's method."""
    r = np.clip(mean_length, _SHORTEST, _LONGEST)
    kappa = r * (d - r**2) / (1 - r**2)
    last, done = np.full_like(kappa, np.inf), np.zeros(len(kappa), dtype=bool)
    for _ in range(60):
        ratio = log_bessel_and_ratio(d / 2 - 1, kappa)[1]
        step = (ratio - r) / (1 - ratio**2 - (d - 1) / kappa * ratio)
        # never past 0, and at most twice as far
        new = np.minimum(np.maximum(kappa - step, kappa / 2), kappa * 2)
        change = np.abs(new - kappa) / kappa
        kappa = np.where(done, kappa, new)
        done |= (change <= 1e-14) | ((change < 1e-8) & (change >= last))
        if done.all():
            break
        last = change
    return np.asarray(kappa)


def log_constant(kappa: Floats, d: int) -> Floats:
    """Logarithm of the normalising constant c(κ) of the density in d dimensions."""
    order = d / 2 - 1
    positive = np.maximum(kappa, 1e-300)
    return (
        order * np.log(positive)
        - d / 2 * np.log(2 * np.pi)
        - log_bessel_and_ratio(order, positive)[0]
    )
