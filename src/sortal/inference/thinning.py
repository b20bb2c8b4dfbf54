"""Data thinning: dividing observations into two independent parts."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sortal.runtime.validation import InputError, check_choice, check_data, check_random_state
from sortal.typing import ArrayLike, Floats, Ints, RandomState

__all__ = ["FAMILIES", "mixture_covariance", "thin"]

#: family -> premise of the independence of the two parts
FAMILIES = {
    "gaussian": "values are normal with the covariance that was given or estimated",
    "poisson": "values are Poisson counts, independent given their means",
    "negative binomial": "values are negative binomial counts of the size that was given",
    "binomial": "values are binomial counts of the number of trials that was given",
}

#: limit of cost: saves further components of a mixture, starts of each fit, and fits after these
#: without improvement
MAX_MIXTURE_COMPONENTS, MIXTURE_STARTS, MIXTURE_PATIENCE = 12, 5, 2
#: tuned: by eye; fewest objects per feature for the fit of a mixture
OBJECTS_PER_FEATURE = 5


def thin(
    X: ArrayLike,
    family: str = "gaussian",
    *,
    share: float = 0.5,
    scale: npt.ArrayLike | None = None,
    random_state: RandomState = 0,
) -> tuple[Floats, Floats]:
    """Divide data into two independent parts that add up to them.

    Parameters
    ----------
    X : array-like, shape (n, d)
    family : {"gaussian", "poisson", "negative binomial", "binomial"}
        Distribution of a value about its mean.
    share : float, default 0.5
        Share of each mean in the first part, above 0 and below 1.
    scale : float or array-like, optional
        Parameter of the distribution:

        - Gaussian: the variance, variances of the features (d,), or covariance (d, d); by default
          the covariance of all objects. ``"mixture"`` takes that within the components of a mixture
          (:func:`sortal.inference.mixture_covariance`).
        - negative binomial: the size (variance μ + μ²/size)
        - binomial: the number of trials
    random_state : int, Generator or None, default 0

    Returns
    -------
    first, second : ndarray of float64, shape (n, d)
        Parts with means ``share`` μ and (1 − ``share``) μ; their sum is ``X``.

    Notes
    -----
    O(n d), for a covariance O(n d²). Neufeld, Dharamshi, Gao & Witten (2024, JMLR 25). A Gaussian
    variance that is too large makes the parts negatively correlated, one that is too small
    positively. Between clusters the sample covariance is too large.

    Examples
    --------
    >>> from sortal.inference import thin
    >>> first, second = thin([[3, 8], [5, 0]], "poisson")
    >>> (first + second).tolist()
    [[3.0, 8.0], [5.0, 0.0]]
    """
    check_choice(family, FAMILIES, "family")
    if not 0 < share < 1:
        raise InputError(f"share must be above 0 and below 1; got {share}")
    # an independent stream: the data may have been drawn from the same seed
    rng = check_random_state(random_state).spawn(1)[0]
    data = check_data(X)
    if hasattr(data, "toarray"):
        data = data.toarray()
    values = np.asarray(data, dtype=np.float64)
    if family == "gaussian":
        noise = rng.standard_normal(values.shape) @ root(covariance(values, scale))
        first = share * values + np.sqrt(share * (1 - share)) * noise
        return first, values - first
    counts = _counts(values, family)
    if family == "poisson":
        if scale is not None:
            raise InputError("a Poisson count has no scale; omit it, or use 'negative binomial'")
        first = rng.binomial(counts, share)
    elif family == "negative binomial":
        size = _positive(scale, values.shape[1], "the size of a negative binomial")
        odds = rng.beta(share * size, (1 - share) * size, values.shape)
        first = rng.binomial(counts, odds)
    else:
        first = _binomial(counts, scale, share, rng)
    return first.astype(np.float64), (counts - first).astype(np.float64)


def covariance(X: Floats, scale: npt.ArrayLike | None = None) -> Floats:
    """Covariance (d, d) that a scale stands for, by default the sample covariance."""
    d = X.shape[1]
    if scale is None or isinstance(scale, str):
        if scale is not None:
            check_choice(scale, ("mixture",), "scale")
        if len(X) < 2:
            raise InputError("one object has no covariance; give scale")
        return np.atleast_2d(np.cov(X, rowvar=False)) if scale is None else mixture_covariance(X)
    variances = np.asarray(scale, dtype=np.float64)
    if variances.ndim < 2:
        return np.diag(_positive(variances, d, "a variance", least=0.0))
    if variances.shape != (d, d) or not np.allclose(variances, variances.T):
        raise InputError(
            f"scale must be a variance, {d} variances or a symmetric covariance of shape "
            f"({d}, {d}); got an array of shape {variances.shape}"
        )
    if np.linalg.eigvalsh(variances).min() < -1e-9 * max(np.trace(variances), 1e-300):
        raise InputError("scale is not a covariance: it has a negative eigenvalue")
    return variances


def mixture_covariance(X: ArrayLike, *, random_state: int = 0) -> Floats:
    """Covariance of objects about the mean of their group, for unknown groups.

    A mixture of normal distributions with one covariance is fitted; the Bayesian information
    criterion chooses the number of components. One component gives the sample covariance.
    Components are added while there are :data:`OBJECTS_PER_FEATURE` objects per feature.

    Parameters
    ----------
    X : array-like, shape (n, d)
    random_state : int, default 0

    Returns
    -------
    ndarray of float64, shape (d, d)

    Notes
    -----
    The covariance within a hard clustering is too small; a mixture allows for the overlap of its
    components. If groups are not normal with one covariance, the estimate is still too small and
    tests that use it reject too often.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.inference import mixture_covariance
    >>> X = np.random.default_rng(0).normal(size=(400, 1))
    >>> X[200:] += 8
    >>> bool(abs(mixture_covariance(X)[0, 0] - 1) < 0.15)
    True
    """
    values = np.asarray(check_data(X), dtype=np.float64)
    within: Floats = np.atleast_2d(np.cov(values, rowvar=False))
    spread = np.sqrt(np.diag(within))
    used = spread > 0
    Z = (values[:, used] - values[:, used].mean(axis=0)) / spread[used]
    mixture = tied_mixture(Z, random_state)
    if mixture is not None and len(mixture.means) > 1:
        within[np.ix_(used, used)] = mixture.within * np.outer(spread[used], spread[used])
    return within


class TiedMixture(NamedTuple):
    """Mixture of normal distributions with one covariance, and each object's memberships."""

    means: Floats
    within: Floats
    shares: Floats
    #: Bayesian information criterion
    criterion: float


def tied_mixture(Z: Floats, random_state: int = 0) -> TiedMixture | None:
    """The mixture preferred by its criterion; None for too few objects per feature."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    (n, d), best, without_gain = Z.shape, None, 0
    for k in range(1, MAX_MIXTURE_COMPONENTS + 1):
        if n - k < OBJECTS_PER_FEATURE * d or without_gain == MIXTURE_PATIENCE or d == 0:
            break
        mixture = GaussianMixture(
            k, covariance_type="tied", n_init=MIXTURE_STARTS, random_state=random_state
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            criterion = float(mixture.fit(Z).bic(Z))
        without_gain += 1
        if best is None or criterion < best.criterion:
            within = mixture.covariances_ * n / (n - k)
            best = TiedMixture(mixture.means_, within, mixture.predict_proba(Z), criterion)
            without_gain = 0
    return best


def root(S: Floats) -> Floats:
    """Symmetric square root of a covariance."""
    values, vectors = np.linalg.eigh(S)
    half: Floats = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    return half


def _positive(scale: npt.ArrayLike | None, d: int, name: str, *, least: float = 1e-300) -> Floats:
    """One positive number for each of the d features, after input validation."""
    if scale is None:
        raise InputError(f"{name} is needed; give scale")
    values = np.asarray(scale, dtype=np.float64)
    if values.shape not in ((), (d,)) or not np.isfinite(values).all() or (values < least).any():
        raise InputError(f"{name} must be one positive number or {d} of them; got {scale!r}")
    return np.broadcast_to(values, (d,)).astype(np.float64)


def _counts(X: Floats, family: str) -> Ints:
    """Data as whole counts, after input validation."""
    bad = (X < 0) | (np.floor(X) != X) | (X > 2**53)
    if bad.any():
        i, j = np.argwhere(bad)[0]
        raise InputError(
            f"{family} data are counts; X[{i}, {j}] is {X[i, j]:g}. "
            "Use family='gaussian' for measurements"
        )
    return X.astype(np.int64)


def _binomial(
    counts: Ints, scale: npt.ArrayLike | None, share: float, rng: np.random.Generator
) -> Ints:
    """First part of binomial counts, drawn without replacement from their trials."""
    trials = _positive(scale, counts.shape[1], "the number of trials of a binomial")
    n_first = trials * share
    if (np.abs(n_first - np.round(n_first)) > 1e-9).any() or (trials != np.round(trials)).any():
        raise InputError(
            f"share times the number of trials must be whole; got {share} of {scale!r}"
        )
    if (counts > trials).any():
        raise InputError(f"a binomial count exceeds its {trials.max():g} trials")
    failures = trials.astype(np.int64) - counts
    return np.asarray(rng.hypergeometric(counts, failures, np.round(n_first).astype(np.int64)))
