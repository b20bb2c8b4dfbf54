"""Values on a line as two groups or as one, by the likelihood of distributions fitted to them.

The dip compares with the flattest density without a valley, so a second group of few values, or one
that is near, leaves it small. Likelihoods of families see both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import acosh, exp, log, sqrt
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize
from scipy.special import ndtr

from karat._kernels.dip import dip_evidence

if TYPE_CHECKING:
    from karat.runtime.types import Floats

#: steps of a fit, fewest values of a group, and quantiles that stand for more values
STEPS, FEWEST, MOST_VALUES = 60, 8, 400
#: step of a parameter by which slopes are measured
DIFFERENCE = 1e-8
#: logarithm of the constant of the normal density
NORMAL = 0.5 * log(2 * np.pi)


def line_evidence(t: Floats) -> float:
    """Evidence (-log p) of two groups on a line: that of the dip and of the likelihoods."""
    return float(dip_evidence(np.sort(t))) + max(two_against_one(t), 0.0)


def two_against_one(t: Floats) -> float:
    """Log-likelihood of two groups less that of one, of the best distribution with 4 parameters.

    Two groups are normal with one variance. One group is a trapezium with normal errors, or normal
    after a sinh-arcsinh transformation: skewed, flat or long-tailed (Jones & Pewsey 2009). The
    difference is 0 if the mixture that fits best has a single mode or a group of few values.
    """
    n, spread = len(t), float(t.std()) if len(t) else 0.0
    if n < 2 * FEWEST or spread == 0:
        return 0.0
    x = (t - t.mean()) / spread
    if n > MOST_VALUES:
        x = np.quantile(x, (np.arange(MOST_VALUES) + 0.5) / MOST_VALUES)
    two, at = _best(_two_groups, _divided(x), x)
    if not _bimodal(at) or n / (1 + np.exp(abs(at[3]))) < FEWEST:
        return 0.0
    one = _best(_trapezium, ([0.0, 0.4, -1.0, 0.0], [0.0, 0.1, -0.3, 0.0]), x)[0]
    if two > one:
        one = max(one, _best(_bent_normal, ([0.0, 0.0, 0.0, 0.0],), x)[0])
    return (two - one) * n / len(x)


def _best(
    likelihood: Callable[[Floats, Floats], float], starts: Sequence[list[float]], x: Floats
) -> tuple[float, Floats]:
    """Greatest log-likelihood from the best of several starts, and its parameters."""
    start = max(starts, key=lambda at: likelihood(np.array(at), x))

    def descent(at: Floats) -> tuple[float, Floats]:
        """Minus the log-likelihood and its slopes, by differences that cost less than SciPy's."""
        value = -likelihood(at, x)
        slopes = [(-likelihood(at + step, x) - value) / DIFFERENCE for step in steps]
        return value, np.array(slopes)

    steps = DIFFERENCE * np.eye(len(start))
    with np.errstate(all="ignore"):  # a step may go too far, and is taken back
        fit = minimize(descent, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    return -float(fit.fun), np.asarray(fit.x)


def _divided(x: Floats) -> list[list[float]]:
    """Starts of two groups: divisions of the sorted values into lower and upper ones."""
    ascending, starts = np.sort(x), []
    n, sums = np.arange(1, len(x)), np.cumsum(ascending)[:-1]
    between = (n * len(x) / (len(x) - n)) * np.square(sums / n)
    for cut in {int(between.argmax()) + 1, len(x) // 10, len(x) - len(x) // 10}:
        low, high = ascending[:cut], ascending[cut:]
        if min(len(low), len(high)) < 2:
            continue
        within = (len(low) * low.var() + len(high) * high.var()) / len(x)
        starts.append(
            [
                (low.mean() + high.mean()) / 2, log((high.mean() - low.mean()) / 2),
                log(max(within, 1e-6)) / 2, log(len(low) / len(high)),
            ]
        )  # fmt: skip
    return starts


def _two_groups(at: Floats, x: Floats) -> float:
    """Log-likelihood of two normal groups by middle, log half distance, log spread, log odds."""
    middle, half, spread = at[0], np.exp(at[1]), np.exp(at[2])
    lower = -np.square((x - middle + half) / spread) / 2 - np.logaddexp(0, -at[3])
    upper = -np.square((x - middle - half) / spread) / 2 - np.logaddexp(0, at[3])
    return float(np.logaddexp(lower, upper).sum() - len(x) * (at[2] + NORMAL))


def _trapezium(at: Floats, x: Floats) -> float:
    """Log-likelihood of a linear density on an interval with normal errors.

    The parameters are middle, log half width, log spread of the errors, and slope.
    """
    half, spread = np.exp(at[1]), np.exp(at[2])
    low, high = (x - at[0] - half) / spread, (x - at[0] + half) / spread
    share = ndtr(high) - ndtr(low)
    bells = (np.exp(-np.square(high) / 2) - np.exp(-np.square(low) / 2)) / sqrt(2 * np.pi)
    moment = ((x - at[0]) * share + spread * bells) / half
    density = (share + np.tanh(at[3]) * moment) / (2 * half)
    return float(np.log(np.maximum(density, 1e-300)).sum())


def _bent_normal(at: Floats, x: Floats) -> float:
    """Log-likelihood by location, log scale, skewness and log weight of the tails."""
    y = (x - at[0]) * np.exp(-at[1])
    bent = np.clip(np.exp(at[3]) * np.arcsinh(y) - at[2], -50, 50)
    log_slope = at[3] - at[1] + np.logaddexp(bent, -bent) - log(2) - np.log1p(y * y) / 2
    return float((log_slope - np.square(np.sinh(bent)) / 2 - NORMAL).sum())


def _bimodal(at: Floats) -> bool:
    """Whether the density of two normal groups has two modes (Holzmann & Vollmer 2008)."""
    half = exp(at[1] - at[2])
    return half > 1 and abs(at[3]) < 2 * (half * sqrt(half * half - 1) - acosh(half))
