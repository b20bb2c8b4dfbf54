"""Modified Bessel functions of the first kind in logarithms, of any order and argument."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ORDER = 40.0
_TERMS = 12


@lru_cache(maxsize=1)
def _polynomials() -> tuple[NDArray[np.float64], ...]:
    """u_1 .. of the uniform expansion, lowest power first (DLMF 10.41.9)."""
    u = [Fraction(1)]
    found = []
    for _ in range(_TERMS):
        slope = [Fraction(i) * c for i, c in enumerate(u)][1:]
        following = [Fraction(0)] * (len(u) + 3)
        for i, c in enumerate(slope):
            following[i + 2] += c / 2
            following[i + 4] -= c / 2
        for i, c in enumerate(u):
            following[i + 1] += c / (8 * (i + 1))
            following[i + 3] -= 5 * c / (8 * (i + 3))
        u = following
        found.append(np.array([float(c) for c in u]))
    return tuple(found)


def _series(order: NDArray[np.float64], p: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """The asymptotic sum and its derivative by p."""
    total, slope = np.ones_like(p), np.zeros_like(p)
    for j, u in enumerate(_polynomials(), 1):
        total += np.polynomial.polynomial.polyval(p, u) / order**j
        down = np.polynomial.polynomial.polyder(u)
        slope += np.polynomial.polynomial.polyval(p, down) / order**j
    return total, slope


def log_bessel_and_ratio(
    order: float, x: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Log I_order(x) and I_{order+1}(x) / I_order(x), for order > -1 and x > 0.

    The uniform expansion in the order (DLMF 10.41.3) at an order of at least 40, and from there
    down by the continued fraction of the ratios, which is stable. Both are right to about 1e-13
    relative, the logarithm where it is near 0 absolutely.
    """
    x = np.asarray(x, dtype=np.float64)
    steps = max(0, int(np.ceil(_ORDER - order)))
    nu = order + steps
    root = np.hypot(nu, x)
    p = nu / root
    total, slope = _series(np.full_like(x, nu), p)
    log = root + nu * (np.log(x) - np.log(nu + root)) - 0.5 * np.log(2 * np.pi * root)
    log += np.log(total)
    # d log I / dx - nu/x, term by term so that nothing cancels
    ratio = x / (root + nu) - 0.5 * x / root**2 - slope / total * nu * x / root**3
    for step in range(steps):
        above = nu - step
        ratio = 1.0 / (2.0 * above / x + ratio)
        log -= np.log(ratio)
    return log, ratio
