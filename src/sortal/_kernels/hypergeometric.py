"""Hypergeometric tails in logarithms, and the largest error count that a tail allows.

With D = a + b draws from m red and n blue balls, ``bucket`` is the chance of at least b blue ones.
The logarithm of one term is Loader's saddle-point form. All four deviations from the mean are the
same number ``(b·m − a·n)/(m+n)`` with an exact integer numerator. So the relative error is a few
units in the last place in any tail.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

#: spacing of floats above 1
EPS = float(np.finfo(np.float64).eps)
#: derived: constant of Stirling's formula
_LOG_2PI = math.log(2 * math.pi)


def _stirling_table() -> np.ndarray:
    """log(x!) − x·log(x) + x for x = 0..15."""
    from decimal import Decimal, localcontext

    with localcontext() as context:
        context.prec = 40
        values = [Decimal(0)] + [
            Decimal(math.factorial(x)).ln() - x * Decimal(x).ln() + x for x in range(1, 16)
        ]
    return np.array([float(value) for value in values])


_STIRLING = _stirling_table()


@njit(cache=True, nogil=True)
def _stirling(x):
    """log(x!) − x·log(x) + x."""
    if x < 16:
        return _STIRLING[x]
    y = 1.0 / (float(x) * float(x))
    series = 1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y * (1 / 1188))))
    return 0.5 * (_LOG_2PI + math.log(x)) + series / x


@njit(cache=True, nogil=True)
def _deviance(x, mean, deviation):
    """x·log(x/mean) + mean − x, with deviation = x − mean known to full relative precision."""
    if mean == 0.0:
        return 0.0
    if x == 0:
        return mean
    u = deviation / mean
    if abs(u) > 0.5:
        return x * math.log(x / mean) - deviation
    v = u / (2.0 + u)
    v2 = v * v
    odd = 0.0
    for j in range(9 if abs(u) < 0.02 else 37, 1, -2):
        odd = odd * v2 + 1.0 / j
    # log1p(u) = 2 artanh(v); the terms of first order cancel exactly
    return mean * 2.0 * v2 * (1.0 + (1.0 + v) * v * odd) / (1.0 - v)


@njit(cache=True, nogil=True)
def _log_pmf(m, n, a, b):
    """Log of the chance that a + b draws are exactly a red and b blue."""
    N = m + n
    D = a + b
    if m == 0 or n == 0:
        return 0.0
    deviation = float(b * m - a * n) / N
    p = D / N
    q = (N - D) / N
    exponent = (
        _deviance(b, n * p, deviation)
        + _deviance(n - b, n * q, -deviation)
        + _deviance(a, m * p, -deviation)
        + _deviance(m - a, m * q, deviation)
    )
    return (
        (_stirling(n) - _stirling(b) - _stirling(n - b))
        + (_stirling(m) - _stirling(a) - _stirling(m - a))
        - (_stirling(N) - _stirling(D) - _stirling(N - D))
        - exponent
    )


@njit(cache=True, nogil=True)
def _relative_error(steps, first):
    """Rounding error of a sum of this many terms; the deviances exceed |first| by at most 20."""
    return EPS * (2.0 * steps + 8.0 * (abs(first) + 20.0))


@njit(cache=True, nogil=True)
def log_tail(m, n, a, b):
    """Log bucket, the log of its first term, and a bound on the error of the former."""
    if b <= 0 or a >= m:
        return 0.0, 0.0, 0.0
    D = a + b
    first = _log_pmf(m, n, a, b)
    total = 1.0
    term = 1.0
    steps = 0
    # past the mean the terms fall from here on; before it, the other side is summed
    if float(b) * m >= float(a) * n:
        t = float(b)
        top = float(min(n, D))
        while t < top:
            term *= ((n - t) * (D - t)) / ((t + 1.0) * (m - D + t + 1.0))
            total += term
            t += 1.0
            steps += 1
            if term < 1e-18 * total:
                break
        value = first + math.log(total)
        return value, first, _relative_error(steps, first)
    total = 0.0
    t = float(b)
    low = float(max(0, D - m))
    while t > low:
        term *= (t * (m - D + t)) / ((n - t + 1.0) * (D - t + 1.0))
        total += term
        t -= 1.0
        steps += 1
        if term < 1e-18 * total:
            break
    if total == 0.0:
        return 0.0, first, 0.0
    below = first + math.log(total)
    complement = math.exp(below)
    if complement >= 1.0:
        complement = 1.0 - EPS
    relative = _relative_error(steps, first)
    value = math.log1p(-complement)
    # the last summand stands for what the exponential cannot represent
    return value, first, relative * complement / (1.0 - complement) - EPS * value + 1e-300


@njit(cache=True, nogil=True)
def log_bucket(m, n, a, b):
    """Log of the chance of at least b blue among a + b draws."""
    return log_tail(m, n, a, b)[0]


@njit(cache=True, nogil=True)
def _start(m, n, a, log_delta):
    """Quantile of a normal distribution with the same mean and variance."""
    mean = n * (a + 1.0) / (m + 2.0)
    N = float(m + n)
    variance = n * (a + 1.0) * (m - a) * (N + 1.0) / ((m + 1.0) * (m + 1.0) * (m + 2.0))
    depth = -log_delta
    z = math.sqrt(2.0 * depth) - 1.0 / (1.0 + depth) if depth > 0.3 else 0.0
    b = mean + z * math.sqrt(variance)
    return int(min(float(n), max(1.0, b)))


@njit(cache=True, nogil=True)
def b_max(m, n, a, log_delta):
    """The largest b with log_bucket ≥ log_delta, and whether rounding may have decided it.

    The count of blue balls before red ball a + 1 is negative hypergeometric, a log-concave law. So
    its log tail is concave in b, and a Newton step lands at or above the answer.
    """
    if a >= m or n == 0:
        return n, False
    if log_delta >= 0.0:
        return 0, False
    N = m + n
    low, high = 0, n + 1
    low_close = False
    b = _start(m, n, a, log_delta)
    step = 0
    while True:
        step += 1
        value, first, error = log_tail(m, n, a, b)
        slack = error + EPS * abs(log_delta)
        gap = value - log_delta
        # hazard: how much the log tail falls from b to b + 1
        share = math.exp(first - value) * ((m - a) / (N - a - b))
        hazard = -math.log1p(-share) if share < 1.0 else math.inf
        if gap >= 0.0:
            low, low_close = b, gap <= slack
            if high == low + 1 or gap < hazard:
                return low, low_close or (low < n and hazard - gap <= slack + EPS * hazard)
            ahead = gap / hazard if hazard > 0.0 else math.inf
            b = high if ahead >= high - b else b + int(ahead)
        else:
            high = b
            if high == low + 1:
                return low, low_close or -gap <= slack
            back = -gap / hazard if hazard > 0.0 else math.inf
            b = low if back >= b - low else b - max(1, math.ceil(back))
        # near b = n the tail may fall so steeply that Newton crawls
        if step > 10 or not low < b < high:
            b = (low + high) // 2


@njit(cache=True, nogil=True)
def b_max_many(m, n, a, log_delta, out, unsure):
    """``b_max`` of each row."""
    for i in range(len(out)):
        out[i], unsure[i] = b_max(m[i], n[i], a[i], log_delta[i])


@njit(cache=True, nogil=True)
def log_bucket_many(m, n, a, b, out):
    """``log_bucket`` of each row."""
    for i in range(len(out)):
        out[i] = log_bucket(m[i], n[i], a[i], b[i])
