"""Measures of a fitted model: BIC and AIC of mixtures and of hard clusterings."""

from __future__ import annotations

import math
from functools import partial

from sortal.measures.internal.batch import of_features
from sortal.measures.passes.statistics import Statistics

__all__ = ["akaike_information_criterion", "bayesian_information_criterion"]


_of_gaussians = partial(
    of_features,
    family="model",
    least_k=1,
    needs=["centroids"],
    greater_is_better=False,
    range=(-math.inf, math.inf),
    cost="O(n d)",
    default=False,
)


def _fit(stats: Statistics, m: int) -> tuple[float, int] | str:
    """−2 ln L and the number of free parameters of the spherical Gaussians."""
    within, n, d = float(stats.squares[m].sum()), stats.n_judged(m), stats.X.shape[1]
    k = len(stats.sizes[m])
    if within == 0:
        return "every object is at its cluster's centroid, so the likelihood has no bound"
    variance = within / (n * d)
    shares = sum(s * math.log(s / n) for s in stats.sizes[m].tolist())
    return n * d * (math.log(2 * math.pi * variance) + 1) - 2 * shares, k - 1 + k * d + 1


@_of_gaussians("BIC of spherical Gaussians", references=["whissell2012 3.19"])
def bayesian_information_criterion(stats: Statistics, m: int) -> float | str:
    """BIC of a hard clustering: −2 ln L + p ln n of its spherical Gaussians, in nats.

    Each cluster is a Gaussian around its centroid, with one common variance in all directions. L
    is the likelihood of the objects together with their clusters. p = k − 1 + k d + 1.

    Notes
    -----
    The model is that of X-means (Pelleg & Moore 2000), with the maximum-likelihood variance
    W/(n d). O(n d) time.

    Examples
    --------
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> bool(bayesian_information_criterion(X, [0, 0, 1, 1])
    ...      < bayesian_information_criterion(X, [0, 0, 0, 0]))
    True
    """
    fit = _fit(stats, m)
    return fit if isinstance(fit, str) else fit[0] + fit[1] * math.log(stats.n_judged(m))


@_of_gaussians("AIC of spherical Gaussians", references=["whissell2012 3.20"])
def akaike_information_criterion(stats: Statistics, m: int) -> float | str:
    """AIC of a hard clustering: −2 ln L + 2p of its spherical Gaussians.

    The model, parameters and errors are those of :func:`bayesian_information_criterion`.

    Examples
    --------
    >>> round(akaike_information_criterion([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 4)
    19.3515
    """
    fit = _fit(stats, m)
    return fit if isinstance(fit, str) else fit[0] + 2 * fit[1]
