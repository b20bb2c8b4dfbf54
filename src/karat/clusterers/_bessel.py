"""Modified Bessel functions of the first kind in logarithms, and concentrations."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from karat._kernels.bessel import log_and_ratio, solve_concentration
from karat.runtime.types import Floats

# range of mean lengths for which a concentration is estimated; 1 would make it infinite
_SHORTEST, _LONGEST = 1e-10, 1 - 1e-8
_TERMS = 12


@lru_cache(maxsize=1)
def polynomials() -> Floats:
    """Coefficients of u_1, u_2, ... of the uniform expansion, lowest power first (DLMF 10.41.9)."""
    u = [Fraction(1)]
    coefficients = np.zeros((_TERMS, 3 * _TERMS + 1))
    for term in range(_TERMS):
        following = [Fraction(0)] * (len(u) + 3)
        for i, c in enumerate(u):
            following[i + 1] += i * c / 2 + c / (8 * (i + 1))
            following[i + 3] -= i * c / 2 + 5 * c / (8 * (i + 3))
        u = following
        coefficients[term, : len(u)] = [float(c) for c in u]
    return coefficients


def log_bessel_and_ratio(order: float, x: Floats) -> tuple[Floats, Floats]:
    """Log I_order(x) and I_{order+1}(x) / I_order(x), for order > -1 and x > 0."""
    u = polynomials()
    pairs = [log_and_ratio(u, float(order), float(value)) for value in np.atleast_1d(x)]
    return np.array([log for log, _ in pairs]), np.array([ratio for _, ratio in pairs])


def concentration(mean_length: Floats, d: int) -> Floats:
    """Concentration κ with A(κ) = I_{d/2}(κ) / I_{d/2-1}(κ) = mean_length."""
    u = polynomials()
    clipped = np.clip(mean_length, _SHORTEST, _LONGEST)
    return np.array([solve_concentration(u, float(r), float(d)) for r in clipped])


def log_constant(kappa: Floats, d: int) -> Floats:
    """Logarithm of the normalising constant c(κ) of the density in d dimensions."""
    order = d / 2 - 1
    positive = np.maximum(kappa, 1e-300)
    return (
        order * np.log(positive)
        - d / 2 * np.log(2 * np.pi)
        - log_bessel_and_ratio(order, positive)[0]
    )
