"""Tests of the premises of data thinning: independent rows, and values of the family that is named.

Groups are unknown, so a mixture of the family is fitted. Each object is assigned to a component at
random, by its posterior probabilities: its deviation from this component follows the family,
whatever the groups are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sortal.inference.thinning import (
    MAX_MIXTURE_COMPONENTS,
    MIXTURE_PATIENCE,
    TiedMixture,
    covariance,
    tied_mixture,
)
from sortal.runtime.validation import InputError
from sortal.typing import Floats, Ints

#: limit of cost: saves tests of further objects
MAX_OBJECTS = 5_000
#: limit of cost: saves further starts and steps of a fit
STARTS, STEPS = 3, 50


@dataclass(frozen=True)
class PremiseSettings:
    """Tuned constants of the tests of premises."""

    #: tuned: by eye; level of each test
    level: float = 0.01
    #: tuned: by eye; fewest objects that are tested
    min_objects: int = 20
    #: tuned: normal and Poisson data; factor of the expected number of equal pairs of rows, since
    #: the fit is not exact
    slack: float = 3.0


PREMISES = PremiseSettings()


def check_premises(
    X: Floats,
    family: str,
    scale: npt.ArrayLike | None,
    names: Sequence[str],
    settings: PremiseSettings = PREMISES,
) -> None:
    """Raise InputError with the reason if the data refute a premise of thinning."""
    rng = np.random.default_rng(0)
    used = np.ptp(X, axis=0) > 0 if len(X) else np.zeros(X.shape[1], dtype=bool)
    if len(X) < settings.min_objects or not used.any():
        return
    rows = np.sort(rng.permutation(len(X))[:MAX_OBJECTS])
    values = X[np.ix_(rows, used)]
    if family == "gaussian":
        within = None
        if scale is not None and not isinstance(scale, str):
            within = covariance(X, scale)[np.ix_(used, used)]
        names = [name for name, varies in zip(names, used, strict=True) if varies]
        why = _gaussian(values, within, names, rng, settings)
    else:
        scales = np.broadcast_to(np.asarray(1.0 if scale is None else scale), used.shape)
        members = _Members(family, scales[used].astype(np.float64))
        why = _counted(values, members, rng, settings)
    if why is not None:
        raise InputError(f"tests of differences by the family {family!r} are invalid here: {why}")


def _copies(X: Floats, expected: float, settings: PremiseSettings = PREMISES) -> str | None:
    """Why rows are copies of others: more pairs are equal than by chance."""
    from scipy.stats import poisson

    counts = np.unique(X, axis=0, return_counts=True)[1]
    pairs = int((counts * (counts - 1) // 2).sum())
    if poisson.sf(pairs - 1, settings.slack * expected) >= settings.level:
        return None
    return (
        f"{int((counts - 1).sum()):,} of {len(X):,} rows are copies of others, so rows are not "
        "independent; keep one row for each object"
    )


# -- mixtures of a family whose members have a known dispersion --------------------------------


@dataclass(frozen=True)
class _Members:
    """Distributions of a family, one for each mean; ``"normal"`` has unit variance."""

    family: str
    scale: Floats

    def natural(self, mean: Floats) -> tuple[Floats, Floats]:
        """Natural parameter and log partition function at a mean."""
        mean = np.maximum(mean, 1e-9) if self.family != "normal" else mean
        if self.family == "normal":
            return mean, mean**2 / 2
        if self.family == "poisson":
            return np.log(mean), mean
        if self.family == "negative binomial":
            return np.log(mean / (mean + self.scale)), self.scale * np.log1p(mean / self.scale)
        share = np.minimum(mean / self.scale, 1 - 1e-9)
        return np.log(share / (1 - share)), -self.scale * np.log1p(-share)

    def variance(self, mean: Floats) -> Floats:
        """Variance at a mean."""
        if self.family == "normal":
            return np.ones_like(mean)
        if self.family == "poisson":
            return mean
        if self.family == "negative binomial":
            return mean + mean**2 / self.scale
        return mean * (1 - mean / self.scale)

    def fit(self, X: Floats, k: int, rng: np.random.Generator) -> tuple[float, Floats, Floats]:
        """Log-likelihood (up to a constant), means and memberships of a mixture, by EM."""
        best: tuple[float, Floats, Floats] = (-np.inf, X[:k], np.ones((len(X), k)))
        for _ in range(STARTS if k > 1 else 1):
            means = (X[rng.choice(len(X), k, replace=False)] + X.mean(axis=0)) / 2
            weights = np.full(k, 1 / k)
            for _ in range(STEPS if k > 1 else 2):
                theta, partition = self.natural(means)
                log = X @ theta.T - partition.sum(axis=1) + np.log(weights)
                most = log.max(axis=1, keepdims=True)
                shares = np.exp(log - most)
                total = shares.sum(axis=1, keepdims=True)
                shares /= total
                sizes = np.maximum(shares.sum(axis=0), 1e-9)
                weights, fitted = sizes / len(X), means
                means = shares.T @ X / sizes[:, None]
            likelihood = float((most + np.log(total)).sum())
            if likelihood > best[0]:
                best = likelihood, fitted, shares
        return best

    def best_fit(self, X: Floats, rng: np.random.Generator) -> tuple[float, Floats, Floats]:
        """The mixture that the Bayesian information criterion prefers."""
        n, d = X.shape
        best, least, without_gain = self.fit(X, 1, rng), np.inf, 0
        for k in range(1, MAX_MIXTURE_COMPONENTS + 1):
            if n < 4 * k or without_gain == MIXTURE_PATIENCE:
                break
            fit = self.fit(X, k, rng)
            criterion = k * (d + 1) * np.log(n) - 2 * fit[0]
            without_gain += 1
            if criterion < least:
                best, least, without_gain = fit, criterion, 0
        return best


def _drawn(shares: Floats, rng: np.random.Generator) -> Ints:
    """A random component of each object by its memberships."""
    passed = np.cumsum(shares, axis=1) < rng.random((len(shares), 1))
    return np.minimum(passed.sum(axis=1), shares.shape[1] - 1)


def _counted(
    X: Floats,
    members: _Members,
    rng: np.random.Generator,
    settings: PremiseSettings = PREMISES,
) -> str | None:
    """Why counts are not of a family: copied rows, or a dispersion that is too large."""
    from scipy.special import i0e
    from scipy.stats import t

    _, means, shares = members.best_fit(X, rng)
    codes = _drawn(shares, rng)
    n, d = X.shape
    spread = np.maximum(members.variance(means), 1e-9)
    sizes = np.bincount(codes, minlength=len(means))
    # how often two Poisson counts of this variance are equal (Skellam 1946)
    equal = i0e(2 * spread).prod(axis=1)
    why = _copies(X, float((sizes * (sizes - 1) / 2) @ equal), settings)
    if why is not None:
        return why
    ratio = np.square(X - means[codes]) / spread[codes]
    ratio = ratio.mean(axis=1) * n * d / max(n * d - len(means) * d, 1)
    excess = float(ratio.mean() - 1)
    error = max(ratio.std(ddof=1) / np.sqrt(n), 1e-12)
    if excess <= 0 or t.sf(excess / error, n - 1) >= settings.level:
        return None
    mend = {
        "poisson": "'negative binomial' with its size allows for it",
        "negative binomial": "give a smaller size as scale",
        "binomial": "they are not binomial",
    }[members.family]
    return (
        f"counts vary {ratio.mean():.1f} times as much about the means of their groups as the "
        f"family allows; {mend}"
    )


# -- normal values -----------------------------------------------------------------------------


def _gaussian(
    X: Floats,
    within: Floats | None,
    names: Sequence[str],
    rng: np.random.Generator,
    settings: PremiseSettings = PREMISES,
) -> str | None:
    """Why values are not normal in groups: copied rows, their shape, or one group of another."""
    centred = X - X.mean(axis=0)
    spread = centred.std(axis=0)
    Z = np.unique(centred / spread, axis=0)
    Z = Z[rng.permutation(len(Z))]
    n, d = Z.shape
    if n < settings.min_objects:
        return _copies(X, 0.0, settings)
    mixture = (
        tied_mixture(Z)
        if within is None
        else _mixture_of(within / np.outer(spread, spread), Z, rng)
    )
    if mixture is None:  # too few objects for covariances
        why = _copies(X, 0.0, settings)
        return why or _shape(Z / Z.std(axis=0), names, joint=False, settings=settings)
    values, vectors = np.linalg.eigh(mixture.within)
    values = np.maximum(values, 1e-9 * values.max())
    codes = _drawn(mixture.shares, rng)
    R = (Z - mixture.means[codes]) @ (vectors / np.sqrt(values)) @ vectors.T
    steps = np.array([np.diff(np.unique(column)).min() for column in centred.T / spread[:, None]])
    density = np.exp(-(d * np.log(4 * np.pi) + np.log(values).sum()) / 2) * steps.prod()
    sizes = np.bincount(codes) * len(X) / n
    expected = float((sizes * (sizes - 1) / 2).sum() * min(density, 1.0))
    why = _copies(X, expected, settings) or _shape(R, names, joint=True, settings=settings)
    if why is None and len(mixture.means) > 1 and _one_group(Z) < mixture.criterion:
        why = "one group with skewed, flat or long-tailed values describes them better"
    return why


def _mixture_of(within: Floats, Z: Floats, rng: np.random.Generator) -> TiedMixture:
    """Mixture of normal distributions with a known covariance."""
    values, vectors = np.linalg.eigh(within)
    values = np.maximum(values, 1e-9 * values.max())
    root = vectors * np.sqrt(values)
    W = Z @ vectors / np.sqrt(values)
    n, d = W.shape
    likelihood, means, shares = _Members("normal", np.ones(d)).best_fit(W, rng)
    likelihood -= (np.square(W).sum() + n * np.log(values).sum() + n * d * np.log(2 * np.pi)) / 2
    criterion = len(means) * (d + 1) * np.log(n) - 2 * likelihood
    return TiedMixture(means @ root.T, within, shares, float(criterion))


def _shape(
    R: Floats, names: Sequence[str], *, joint: bool, settings: PremiseSettings = PREMISES
) -> str | None:
    """Why deviations of unit covariance are not normal: a feature's values, or their lengths."""
    from scipy.stats import cramervonmises, shapiro

    d = R.shape[1]
    p_values = np.array([float(shapiro(column).pvalue) for column in R.T])
    worst = int(p_values.argmin())
    if p_values[worst] * (d + 1) < settings.level:
        return (
            f"values of {names[worst]!r} are not normal about the means of their groups (p "
            f"{_below(p_values[worst] * (d + 1))})"
        )
    if joint:
        p = float(cramervonmises(np.square(R).sum(axis=1), "chi2", (d,)).pvalue) * (d + 1)
        if p < settings.level:
            return f"the lengths of deviations are not those of normal values (p {_below(p)})"
    return None


def _below(p: float) -> str:
    """A p-value in words."""
    return "below 0.0001" if p < 1e-4 else f"= {p:.4f}"


def _one_group(Z: Floats) -> float:
    """Bayesian information criterion of one group: normal after a sinh-arcsinh transformation.

    Each feature may be skewed, flat or long-tailed (Jones & Pewsey 2009); the transformed features
    are correlated normal values.
    """
    n, d = Z.shape
    scores, likelihood = np.empty_like(Z), 0.0
    for j, column in enumerate(Z.T):
        scores[:, j], of_column = _transformed(column)
        likelihood += of_column
    R = np.corrcoef(scores.T).reshape(d, d) * (1 - 1e-9) + 1e-9 * np.eye(d)
    inner = np.linalg.solve(R, scores.T) - scores.T
    likelihood -= (n * np.linalg.slogdet(R)[1] + (scores.T * inner).sum()) / 2
    return float((4 * d + d * (d - 1) / 2) * np.log(n) - 2 * likelihood)


def _transformed(x: Floats) -> tuple[Floats, float]:
    """Normal scores of a feature by its sinh-arcsinh distribution, and its log-likelihood."""
    from scipy.optimize import minimize

    def scores(at: Floats) -> tuple[Floats, float]:
        y = (x - at[0]) * np.exp(-at[1])
        bent = np.exp(at[3]) * np.arcsinh(y) - at[2]
        z = np.sinh(np.clip(bent, -50, 50))
        log = at[3] - at[1] + np.logaddexp(bent, -bent) - np.log(2) - np.log1p(y * y) / 2
        return z, float((log - z * z / 2 - np.log(2 * np.pi) / 2).sum())

    start = np.array([np.median(x), np.log(x.std()), 0.0, 0.0])
    best = minimize(lambda at: -scores(at)[1], start, method="Nelder-Mead").x
    return scores(best)
