"""Conditional test: would the same clusters appear if their means were nearer?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from karat.inference.thinning import covariance
from karat.runtime.types import ArrayLike, Bools, Estimator, Floats, Labels, RandomState
from karat.runtime.validation import InputError, check_data, check_random_state

__all__ = ["ConditionalTest", "as_procedure", "conditional_test"]


@dataclass(frozen=True)
class ConditionalTest:
    """Result of a test given that the two clusters were found.

    Attributes
    ----------
    statistic : float
        Distance of the two means, in units of the standard deviation.
    p_value, standard_error : float
        P-value, and its standard error by simulation.
    """

    statistic: float
    p_value: float
    standard_error: float


def conditional_test(
    X: ArrayLike,
    labels: Labels,
    first: object,
    second: object,
    cluster: Estimator | Callable[[Any], Any],
    *,
    scale: npt.ArrayLike | None = None,
    n_draws: int = 400,
    random_state: RandomState = 0,
) -> ConditionalTest:
    """Test whether two clusters found in the data have the same mean.

    The test moves the two clusters apart and together along the line through their means, and
    counts the moves after which the clusterer still finds both.

    Parameters
    ----------
    X : array-like, shape (n, d)
    labels : array-like, shape (n,)
        Labels that ``cluster`` gives ``X``.
    first, second : label
        Clusters to compare.
    cluster : estimator or callable
        Estimator with ``fit_predict``, or function from data to labels, with the same result each
        time. It runs ``n_draws`` times.
    scale : float or array-like, optional
        Variance, variances or covariance of an object about its mean; by default the sample
        covariance. That is too large if clusters differ, so the test is then conservative.
    n_draws : int, default 400
    random_state : int, Generator or None, default 0

    Notes
    -----
    Gao, Bien & Witten (2022, JASA). Condition on the direction of the difference and on the rest of
    the data. Under equal means the distance then has a χ distribution with d degrees of freedom,
    truncated to distances with the same clusters. The p-value is computed by importance sampling
    about the observed distance. It assumes normal values with the given covariance.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from karat.inference import conditional_test
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> X[20:] += 8
    >>> ward = AgglomerativeClustering(2)
    >>> conditional_test(X, ward.fit_predict(X), 0, 1, ward, scale=1.0).p_value < 0.001
    True
    """
    from scipy.stats import chi, norm

    values = np.asarray(check_data(X), dtype=np.float64)
    all_labels = np.asarray(labels)
    procedure = as_procedure(cluster)
    in_first, in_second = all_labels == first, all_labels == second
    for which, members in ((first, in_first), (second, in_second)):
        if not members.any():
            raise InputError(f"no object has the label {which!r}")
    if not _finds(procedure(values), in_first, in_second):
        raise InputError(
            "cluster does not find these two clusters in X; give the clusterer that made labels, "
            "with a fixed random_state"
        )
    whiten, colour, rank = _whitening(covariance(values, scale))
    nu = in_first / in_first.sum() - in_second / in_second.sum()
    length = float(np.sqrt(nu @ nu))
    gap = nu @ values @ whiten
    statistic = float(np.linalg.norm(gap))
    if statistic == 0:
        return ConditionalTest(0.0, 1.0, 0.0)
    direction = gap / statistic @ colour
    # an independent stream: the data may have been drawn from the same seed
    rng = check_random_state(random_state).spawn(1)[0]
    proposed = rng.normal(statistic, length, n_draws)
    logs = np.full(n_draws, -np.inf)
    for k, phi in enumerate(proposed):
        if phi <= 0:
            continue
        moved = values + np.outer(nu / length**2, (phi - statistic) * direction)
        if _finds(procedure(moved), in_first, in_second):
            logs[k] = chi.logpdf(phi / length, rank) - norm.logpdf(phi, statistic, length)
    return _of_draws(statistic, proposed >= statistic, logs)


def _of_draws(statistic: float, beyond: Bools, logs: Floats) -> ConditionalTest:
    """Weighted share of the draws beyond the statistic, with its error by the delta method."""
    if not np.isfinite(logs).any():
        # only the observed positions give these clusters
        return ConditionalTest(statistic, 1.0, float("nan"))
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    p = float(weights[beyond].sum())
    error = float(np.sqrt(((weights * (beyond - p)) ** 2).sum()))
    return ConditionalTest(statistic, p, error)


def _whitening(S: Floats) -> tuple[Floats, Floats, int]:
    """Square roots of the inverse of a covariance and of itself, and its rank."""
    values, vectors = np.linalg.eigh(S)
    kept = values > max(values[-1], 0) * 1e-12
    if not kept.any():
        raise InputError("the variance is 0: every difference is certain")
    values, vectors = values[kept], vectors[:, kept]
    return vectors / np.sqrt(values), (vectors * np.sqrt(values)).T, int(kept.sum())


def _finds(labels: NDArray[Any], first: Bools, second: Bools) -> bool:
    """Whether both sets of objects are clusters of these labels."""
    for members in (first, second):
        label = labels[np.argmax(members)]
        if not np.array_equal(labels == label, members):
            return False
    return True


def as_procedure(cluster: Estimator | Callable[[Any], Any]) -> Callable[[Floats], NDArray[Any]]:
    """Function from data to labels, made from an estimator or such a function."""
    if hasattr(cluster, "fit_predict"):
        from sklearn.base import clone

        return lambda X: np.asarray(clone(cluster).fit_predict(X))
    if callable(cluster):
        return lambda X: np.asarray(cluster(X))
    raise InputError(
        "cluster must have fit_predict, or be a function from data to labels; got "
        f"{type(cluster).__name__}"
    )
