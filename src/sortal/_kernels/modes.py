"""Values on a line as two groups or as one, by the likelihood of distributions fitted to them.

The dip compares with the flattest density without a valley, so a second group of few values, or one
that is near, leaves it small. Likelihoods of families see both.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import acosh, asinh, cosh, erfc, exp, inf, log, log1p, pi, sinh, sqrt, tanh
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from sortal._kernels.dip import dip_evidence

if TYPE_CHECKING:
    from sortal.typing import Floats

#: tuned: by eye; fewest values of a group, and quantiles that stand for more values
FEWEST, MOST_VALUES = 8, 400
#: families of distributions with four parameters
TWO_GROUPS, TRAPEZIUM, BENT_NORMAL = range(3)
#: limit of cost: most steps of a fit, and gain that is not worth another
STEPS, LITTLE = 100, 1e-3
#: limit of cost: greatest parameter of a search, all being logarithms or in standard deviations
LARGEST = 12.0
#: derived: logarithm of the constant of the normal density
NORMAL = 0.5 * log(2 * pi)


def line_evidence(t: Floats) -> float:
    """Evidence (-log p) of two groups on a line: that of the dip and of the likelihoods."""
    return float(dip_evidence(np.sort(t))) + max(two_against_one(t), 0.0)


def two_against_one(t: Floats) -> float:
    """Log-likelihood of two groups less that of one, of the best distribution with 4 parameters.

    Two groups are normal with one variance. One group is a trapezium with normal errors, or normal
    after a sinh-arcsinh transformation: skewed, flat or long-tailed (Jones & Pewsey 2009). The
    difference is 0 if the mixture that fits best has a single mode or a group of few values. It is
    negative where one group fits better, by at least that much. Beyond 400 values it grows
    with their square root, since no family fits many real values.
    """
    n, spread = len(t), float(t.std()) if len(t) else 0.0
    if n < 2 * FEWEST or not 0 < spread < inf:
        return 0.0
    x = (t - t.mean()) / spread
    if n > MOST_VALUES:
        x = np.quantile(x, (np.arange(MOST_VALUES) + 0.5) / MOST_VALUES)
    two, at = _best(TWO_GROUPS, _divided(x), x, inf)
    if not _bimodal(at) or n / (1 + exp(abs(at[3]))) < FEWEST:
        return 0.0
    single = _best(TRAPEZIUM, [[0.0, 0.4, -1.0, 0.0], [0.0, 0.1, -0.3, 0.0]], x, two)[0]
    if two > single:
        single = max(single, _best(BENT_NORMAL, [[0.0, 0.0, 0.0, 0.0]], x, two)[0])
    return float((two - single) * sqrt(n / len(x)))


def _best(
    family: int, starts: Sequence[list[float]], x: Floats, enough: float
) -> tuple[float, Floats]:
    """Greatest log-likelihood from the best of several starts, and its parameters."""
    slopes, products = np.empty(4), np.empty((4, 4))
    start = max(starts, key=lambda at: log_likelihood(family, np.array(at), x, slopes, products))
    at = np.array(start)
    return _fit(family, at, x, enough), at


def _divided(x: Floats) -> list[list[float]]:
    """Starts of two groups: divisions of the sorted values into lower and upper ones."""
    ascending, starts = np.sort(x), []
    n, sums = np.arange(1, len(x)), np.cumsum(ascending)[:-1]
    between = (n * len(x) / (len(x) - n)) * np.square(sums / n)
    tail = max(len(x) // 10, 2)
    for cut in {min(max(int(between.argmax()) + 1, 2), len(x) - 2), tail, len(x) - tail}:
        low, high = ascending[:cut], ascending[cut:]
        within = (len(low) * low.var() + len(high) * high.var()) / len(x)
        starts.append(
            [
                (low.mean() + high.mean()) / 2, log(max(high.mean() - low.mean(), 1e-3) / 2),
                log(max(within, 1e-6)) / 2, log(len(low) / len(high)),
            ]
        )  # fmt: skip
    return starts


@njit(cache=True, nogil=True)
def _fit(family: int, at: Floats, x: Floats, enough: float) -> float:
    """Greatest log-likelihood near parameters, which become those of it; or one that is enough.

    The steps are those of Berndt, Hall, Hall & Hausman (1974), which take the products of slopes
    for the curvature, damped as by Levenberg and Marquardt.
    """
    slopes, products, trial, step = np.empty(4), np.empty((4, 4)), np.empty(4), np.empty(4)
    new_slopes, new_products = np.empty(4), np.empty((4, 4))
    best, damping = log_likelihood(family, at, x, slopes, products), 1e-3
    for _ in range(STEPS):
        if best > enough or damping > 1e9:
            break
        _solve(products, damping, slopes, step)
        for j in range(4):
            trial[j] = min(max(at[j] + step[j], -LARGEST), LARGEST)
        gain = log_likelihood(family, trial, x, new_slopes, new_products) - best
        if gain > 0:
            best, damping = best + gain, max(damping / 10, 1e-6)
            at[:] = trial
            slopes, new_slopes = new_slopes, slopes
            products, new_products = new_products, products
            if gain < LITTLE:
                break
        else:
            damping *= 10
    return best


@njit(cache=True, nogil=True)
def _solve(products: Floats, damping: float, slopes: Floats, step: Floats) -> None:
    """Solve the damped equations of a step, by Gauss: the matrix is positive definite."""
    m = products.copy()
    for i in range(4):
        m[i, i] += damping * m[i, i] + 1e-9
        step[i] = slopes[i]
    for i in range(4):
        for j in range(i + 1, 4):
            factor = m[j, i] / m[i, i]
            step[j] -= factor * step[i]
            for c in range(i, 4):
                m[j, c] -= factor * m[i, c]
    for i in range(3, -1, -1):
        for c in range(i + 1, 4):
            step[i] -= m[i, c] * step[c]
        step[i] /= m[i, i]


@njit(cache=True, nogil=True)
def log_likelihood(family: int, at: Floats, x: Floats, slopes: Floats, products: Floats) -> float:
    """Log-likelihood, its slopes, and the sum over the values of the products of their slopes."""
    total, of_value = 0.0, np.empty(4)
    for i in range(4):
        slopes[i] = 0.0
        for j in range(4):
            products[i, j] = 0.0
    for value in x:
        if family == TWO_GROUPS:
            total += _two_groups(at, value, of_value)
        elif family == TRAPEZIUM:
            total += _trapezium(at, value, of_value)
        else:
            total += _bent_normal(at, value, of_value)
        for i in range(4):
            slopes[i] += of_value[i]
            for j in range(i + 1):
                products[i, j] += of_value[i] * of_value[j]
    for i in range(4):
        for j in range(i):
            products[j, i] = products[i, j]
    return total


@njit(cache=True, nogil=True)
def _two_groups(at: Floats, x: float, slopes: Floats) -> float:
    """Log density of two normal groups by middle, log half distance, log spread, log odds."""
    half, spread = exp(at[1]), exp(at[2])
    from_low, from_high = (x - at[0] + half) / spread, (x - at[0] - half) / spread
    odds = at[3] + (from_high * from_high - from_low * from_low) / 2
    low = 1 / (1 + exp(-odds)) if odds > -700 else 0.0
    share = 1 / (1 + exp(-at[3]))
    slopes[0] = (low * from_low + (1 - low) * from_high) / spread
    slopes[1] = ((1 - low) * from_high - low * from_low) * half / spread
    slopes[2] = low * from_low * from_low + (1 - low) * from_high * from_high - 1
    slopes[3] = low - share
    if odds > 0:
        part = log(share) - from_low * from_low / 2 + log1p(exp(-odds))
    else:
        part = log1p(-share) - from_high * from_high / 2 + log1p(exp(odds))
    return part - at[2] - NORMAL


@njit(cache=True, nogil=True)
def _trapezium(at: Floats, x: float, slopes: Floats) -> float:
    """Log of a linear density on an interval with normal errors.

    The parameters are middle, log half width, log spread of the errors, and slope.
    """
    half, spread, slope = exp(at[1]), exp(at[2]), tanh(at[3])
    off = x - at[0]
    low, high = (off - half) / spread, (off + half) / spread
    # the tail that is nearer, so that nothing cancels
    near, far = (low, high) if off > 0 else (-high, -low)
    share = (erfc(near / sqrt(2)) - erfc(far / sqrt(2))) / 2
    at_low, at_high = exp(-low * low / 2 - NORMAL), exp(-high * high / 2 - NORMAL)
    difference, total = at_high - at_low, at_high + at_low
    moment = (off * share + spread * difference) / half
    density = share + slope * moment
    if density < 1e-290:
        slopes[:] = 0.0
        return log(1e-290)
    slopes[0] = -(difference / spread + slope * (share / half - total / spread)) / density
    slopes[1] = (half * total / spread - slope * (half * difference / spread + moment)) / density
    slopes[1] -= 1
    ends = high * at_high + low * at_low
    slopes[2] = spread * slope * (difference + half / spread * ends) / half
    slopes[2] = (slopes[2] - (high * at_high - low * at_low)) / density
    slopes[3] = (1 - slope * slope) * moment / density
    return log(density) - at[1] - log(2.0)


@njit(cache=True, nogil=True)
def _bent_normal(at: Floats, x: float, slopes: Floats) -> float:
    """Log density by location, log scale, skewness and log weight of the tails."""
    scale, weight = exp(at[1]), exp(at[3])
    y = (x - at[0]) / scale
    place = asinh(y)
    bent = min(max(weight * place - at[2], -20.0), 20.0)
    per_bent = tanh(bent) - sinh(bent) * cosh(bent) if abs(bent) < 20 else 0.0
    per_y = per_bent * weight / sqrt(1 + y * y) - y / (1 + y * y)
    slopes[0], slopes[1] = -per_y / scale, -1 - y * per_y
    slopes[2], slopes[3] = -per_bent, 1 + per_bent * weight * place
    log_slope = at[3] - at[1] + log(cosh(bent)) - log1p(y * y) / 2
    return log_slope - sinh(bent) * sinh(bent) / 2 - NORMAL


def _bimodal(at: Floats) -> bool:
    """Whether the density of two normal groups has two modes (Holzmann & Vollmer 2008)."""
    half = exp(at[1] - at[2])
    return half > 1 and abs(at[3]) < 2 * (half * sqrt(half * half - 1) - acosh(half))
