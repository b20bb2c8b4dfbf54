"""Chance of a false stop at a boundary, exact in a finite population."""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def first_stops(checks, rate):
    """Chance of the first stop at each check, if every object is wrong with this chance.

    At check k, after ``checks[k]`` objects, one stops at k errors. Earlier checks were passed with
    more errors than their number, and errors only grow, so there are never fewer.
    """
    n_checks = len(checks)
    stops = np.zeros(n_checks)
    live = np.zeros(n_checks)
    after = np.zeros(n_checks)
    step = np.zeros(n_checks)
    live[0] = 1.0
    tested = 0
    for k in range(n_checks):
        length = checks[k] - tested
        # binomial chances of the errors since the last check, where at least k were made
        step[0] = math.exp(length * math.log1p(-rate))
        most = min(length, n_checks - 1)
        for j in range(most):
            step[j + 1] = step[j] * (length - j) / (j + 1) * rate / (1 - rate)
        for x in range(k, n_checks):
            total = 0.0
            for j in range(min(most, x - k) + 1):
                total += live[x - j] * step[j]
            after[x] = total
        stops[k] = after[k]
        after[k] = 0.0
        live[:] = after
        tested = checks[k]
    return stops


@njit(cache=True, nogil=True)
def false_stops(checks, allowed, n, stops, rate, wrong):
    """Chance of a stop that leaves more errors than allowed, for each number of wrong objects.

    ``stops`` are ``first_stops(checks, rate)``: all orders with as many errors are equally likely,
    so a stop has the same orders whatever the chance of an error.
    """
    chances = np.zeros(len(wrong))
    log_right, log_wrong = math.log1p(-rate), math.log(rate)
    bases = np.empty(len(checks))
    for k in range(len(checks)):
        bases[k] = math.lgamma(n - checks[k] + 1.0) - math.lgamma(n + 1.0)
        bases[k] -= k * log_wrong + (checks[k] - k) * log_right
    for i in range(len(wrong)):
        e = wrong[i]
        base = math.lgamma(e + 1.0) + math.lgamma(n - e + 1.0)
        for k in range(len(checks)):
            hidden, right = e - k, n - e - (checks[k] - k)
            if hidden <= allowed[k] or right < 0 or stops[k] == 0.0:
                continue
            ways = base - math.lgamma(hidden + 1.0) - math.lgamma(right + 1.0)
            chances[i] += stops[k] * math.exp(ways + bases[k])
    return chances
