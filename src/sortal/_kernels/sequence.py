"""A confidence sequence for the number of errors in a finite population."""

from __future__ import annotations

import math

from numba import njit

from sortal._kernels.hypergeometric import log_tail

#: derived: share of lgamma(N + 1) that rounding may amount to, some 45 units in the last place
_SHARE = 1e-14


@njit(cache=True, nogil=True)
def log_evidence(m, n, a, b):
    """Log of the mean of L_E'/L_E over E' < E = a + b, for a errors in the first m of m + n."""
    N = m + n
    E = a + b
    if E == 0:
        return -math.inf
    if m - a > N - E:
        return math.inf
    # log L_E: falling factorials E…(E−a+1) · (N−E)…(N−E−(m−a)+1) / N…(N−m+1)
    log_likelihood = (
        math.lgamma(E + 1.0)
        - math.lgamma(b + 1.0)
        + math.lgamma(N - E + 1.0)
        - math.lgamma(n - b + 1.0)
        - math.lgamma(N + 1.0)
        + math.lgamma(n + 1.0)
    )
    log_mean = math.lgamma(a + 1.0) + math.lgamma(m - a + 1.0) - math.lgamma(m + 2.0)
    log_mean += math.log((N + 1.0) / E)
    above = math.exp(log_tail(m + 1, n, a, b)[0])
    if above >= 1.0:
        return -math.inf
    return log_mean + math.log1p(-above) - log_likelihood


@njit(cache=True, nogil=True)
def _likeliest(m, n, a):
    """The likeliest number of hidden errors, or just above."""
    return min(n, max(0, math.ceil(a * (n + m) / m) - a)) if m > 0 else 0


@njit(cache=True, nogil=True)
def _slack(m, n):
    """Upper limit for the rounding error of the evidence; it never tightens the bound."""
    return _SHARE * (1.0 + math.lgamma(m + n + 1.0))


@njit(cache=True, nogil=True)
def b_always(m, n, a, log_delta):
    """The largest b whose evidence against a + b errors stays below 1/delta."""
    if m == 0 or a >= m:
        return n
    low, high = _likeliest(m, n, a), n + 1
    while high - low > 1:
        middle = (low + high) // 2
        if log_evidence(m, n, a, middle) < -log_delta + _slack(m, n):
            low = middle
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def b_always_many(m, n, a, log_delta, out):
    """``b_always`` of each row."""
    for i in range(len(out)):
        out[i] = b_always(m[i], n[i], a[i], log_delta[i])
