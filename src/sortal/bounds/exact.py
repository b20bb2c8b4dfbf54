"""Hypergeometric tails to a hundred digits, for comparisons that rounding could decide."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

#: derived: 95 digits count, and 35 guard the sums of up to 2^31 terms
_DIGITS = 130
_PI = Decimal(
    "3.1415926535897932384626433832795028841971693993751058209749445923078164"
    "06286208998628034825342117067982148086513282306647093844609550582231725"
)


def tail_reaches(m: int, n: int, a: int, b: int, log_delta: Decimal) -> bool:
    """Whether bucket(m, n, a, b) ≥ exp(log_delta).

    Values that agree to 95 digits count as equal. Below 150 balls that is exact, since unequal
    values differ by more. Above, it is conservative: the bound is the larger one.
    """
    if b <= 0 or a >= m:
        return True
    with localcontext(prec=_DIGITS, Emin=-(10**15), Emax=10**15):
        log_tail = _log_tail(m, n, a, b)
        tie = Decimal(10) ** (35 - _DIGITS)
        return log_tail >= log_delta * (1 + tie if log_delta < 0 else 1 - tie)


def log_of(delta: float) -> Decimal:
    """Logarithm of exactly this floating-point number."""
    with localcontext(prec=_DIGITS):
        return Decimal(delta).ln()


def _log_tail(m: int, n: int, a: int, b: int) -> Decimal:
    """Logarithm of the hypergeometric tail, summed from its first or last term."""
    D = a + b
    log_first = (
        _log_binomial(n, b) + _log_binomial(m, a) - _log_binomial(m + n, D)
    )  # of exactly a red and b blue
    term = total = Decimal(1)
    small = Decimal(10) ** -(_DIGITS - 5)
    if b * m >= a * n:
        for t in range(b, min(n, D)):
            term = term * ((n - t) * (D - t)) / ((t + 1) * (m - D + t + 1))
            total += term
            if term < total * small:
                break
        return log_first + total.ln()
    total = Decimal(0)
    for t in range(b, max(0, D - m), -1):
        term = term * (t * (m - D + t)) / ((n - t + 1) * (D - t + 1))
        total += term
        if term < total * small:
            break
    if total == 0:
        return Decimal(0)
    below = (log_first + total.ln()).exp()
    return (1 - below).ln() if below > Decimal(10) ** -40 else -below - below**2 / 2 - below**3 / 3


def _log_binomial(n: int, k: int) -> Decimal:
    """Logarithm of a binomial coefficient."""
    return _log_factorial(n) - _log_factorial(k) - _log_factorial(n - k)


@lru_cache(maxsize=4096)
def _log_factorial(x: int) -> Decimal:
    """Logarithm of x!, by Stirling's series from 150 on."""
    # what is kept has all digits, whoever asks first
    with localcontext(prec=_DIGITS):
        if x < 150:
            return Decimal(math.factorial(x)).ln()
        series = Decimal(0)
        y = Decimal(x)
        for k, B in enumerate(_bernoulli(), start=1):
            power = y ** (2 * k - 1)
            series += Decimal(B.numerator) / B.denominator / (2 * k * (2 * k - 1) * power)
        half = Decimal("0.5")
        return (y + half) * y.ln() - y + half * (2 * _PI).ln() + series


@lru_cache(maxsize=1)
def _bernoulli() -> tuple[Fraction, ...]:
    """B_2, B_4, ... from the recurrence Σ C(j+1, i) B_i = 0."""
    n_terms = 70  # enough for all digits from x = 150 on
    B = [Fraction(1)]
    for j in range(1, 2 * n_terms + 1):
        odd = j > 1 and j % 2
        total = Fraction(0) if odd else sum(math.comb(j + 1, i) * B[i] for i in range(j))
        B.append(-Fraction(total) / (j + 1))
    return tuple(B[2 * k] for k in range(1, n_terms + 1))
