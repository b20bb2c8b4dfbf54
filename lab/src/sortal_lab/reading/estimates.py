"""Estimates of means over all objects from a model's guesses and a few true values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sortal import InputError
from sortal.bounds import picked_values

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True)
class Estimate:
    """Estimate of a mean over a finite population, with its interval.

    Attributes
    ----------
    value, standard_error : float
    low, high : float
        The interval; it is approximate (normal), no guarantee. NaN where the known values differ
        from the guesses all alike, so that they have no spread to estimate an error from.
    delta : float
        Chance that the interval misses the mean, if the approximation is right.
    weight : float
        Weight of the model's guesses, from 0 to 1.
    m, n_objects : int
        Known values and objects.
    """

    value: float
    standard_error: float
    low: float
    high: float
    delta: float
    weight: float
    m: int
    n_objects: int

    def __str__(self) -> str:
        if math.isnan(self.low):
            return (
                f"{self.value:.4g}, without an interval: the {self.m:,} known values all differ "
                "alike from the model's."
            )
        return (
            f"{self.value:.4g} ± {self.standard_error:.2g} ({self.low:.4g} to {self.high:.4g} with "
            f"a probability of about {1 - self.delta:.4g}), from {self.m:,} known values and the "
            f"model's for all {self.n_objects:,} objects."
        )


def prediction_powered_mean(
    guesses: npt.ArrayLike, values: npt.ArrayLike, delta: float = 0.1
) -> Estimate:
    """Mean over all objects: a model's guesses for all, corrected by the truth for a few.

    The values may be errors, membership in a class, prices or any number per object. Better
    guesses narrow the interval; bad guesses do no harm.

    Parameters
    ----------
    guesses : array-like of float, shape (n,)
        The model's value for each object. The model must not have seen the known values.
    values : array-like of float, shape (n,)
        The true values of objects drawn uniformly at random; None or NaN elsewhere.
    delta : float, default 0.1
        Allowed chance that the interval misses the mean, in (0, 1).

    Returns
    -------
    Estimate
        Approximate; needs about 30 known values.

    Raises
    ------
    InputError
        With fewer than two known values, guesses that are not finite, or if no random draw of
        objects would have such guesses.

    Notes
    -----
    Angelopoulos et al. (2023), power-tuned (2023b), for a finite population. With weight λ, the
    estimate is the mean of λ·guess over all objects, plus the mean of value − λ·guess over the m
    drawn ones. Its variance is s²(value − λ·guess)/m · (1 − m/n), the smallest at λ = cov(value,
    guess) / var(guess), here cut to [0, 1]. This is the difference estimator of survey sampling;
    chance is only in the draw. O(n).

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.bounds import sample
    >>> from sortal_lab.reading import prediction_powered_mean
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(5000) < 0.3
    >>> guesses = np.where(rng.random(5000) < 0.9, truth, ~truth).astype(float)
    >>> values = np.full(5000, np.nan)
    >>> rows = sample(5000, 200, random_state=0)
    >>> values[rows] = truth[rows]
    >>> corrected = prediction_powered_mean(guesses, values)
    >>> plain = prediction_powered_mean(np.zeros(5000), values)
    >>> bool(corrected.low < truth.mean() < corrected.high)
    True
    >>> corrected.standard_error < plain.standard_error
    True
    """
    from scipy.special import ndtri

    if not 0 < delta < 1:
        raise InputError(f"delta must be in (0, 1); got {delta!r}")
    f = np.asarray(guesses, dtype=np.float64)
    y = np.asarray(values, dtype=np.float64)
    if f.ndim != 1 or f.shape != y.shape or not np.isfinite(f).all():
        raise InputError("guesses and values must be one number per object; guesses finite")
    observed = np.isfinite(y)
    m, n = int(observed.sum()), len(f)
    if m < 2:
        raise InputError(f"at least two known values are needed; got {m}")
    picked = picked_values(f, observed)
    if picked:
        raise InputError(picked)
    spread = float(f[observed].var(ddof=1))
    weight = 0.0
    if spread > 0:
        weight = min(1.0, max(0.0, float(np.cov(y[observed], f[observed])[0, 1]) / spread))
    rest = y[observed] - weight * f[observed]
    value = weight * float(f.mean()) + float(rest.mean())
    error = math.sqrt(float(rest.var(ddof=1)) / m * (1 - m / n))
    reach = float(-ndtri(delta / 2)) * (error if error or m == n else math.nan)
    return Estimate(value, error, value - reach, value + reach, float(delta), weight, m, n)
