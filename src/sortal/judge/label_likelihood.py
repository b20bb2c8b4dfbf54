"""Likelihood of each candidate by a few labels, or by pairs of objects that belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.judge.settings import JUDGE, JudgeSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.labelings.pairs import Constraints
    from sortal.typing import Floats

#: limit of cost: saves further nodes of the integral over a rate
QUADRATURE_NODES = 400


def log_likelihood(codes: NDArray[Any], classes: NDArray[Any]) -> Floats:
    """Log probability (M,) of the known classes, where each cluster mixes them.

    The mix of a cluster is uniform over all mixes (Dirichlet with parameter 1): clusters without
    support cost something, and pure ones gain more with each label.

    Parameters
    ----------
    codes : ndarray of int, shape (M, m)
        Clusters of the labelled objects in each candidate, ``-1`` for outliers as clusters of one.
    classes : ndarray of int, shape (m,)
        Known classes, from 0.

    Returns
    -------
    ndarray of float64, shape (M,)

    Examples
    --------
    >>> import numpy as np
    >>> two, one = [0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 0]
    >>> log_likelihood(np.array([two, one]), np.array([0, 0, 0, 1, 1, 1])).round(2)
    array([-2.77, -4.94])
    """
    from scipy.special import gammaln

    codes, classes = np.asarray(codes), np.asarray(classes)
    C = max(2, int(classes.max(initial=0)) + 1)
    out = np.empty(len(codes))
    for j, code in enumerate(codes):
        inside = code >= 0
        k = int(code.max(initial=-1)) + 1
        table = np.bincount(code[inside] * C + classes[inside], minlength=k * C).reshape(k, C)
        sizes = table.sum(axis=1)
        out[j] = (
            gammaln(table + 1).sum()
            - (gammaln(sizes + C) - gammaln(C)).sum()
            - (~inside).sum() * np.log(C)
        )
    return out


def prior(predicted: Floats, settings: JudgeSettings = JUDGE) -> Floats:
    """Shares (M,) of the candidates before any label, in proportion to exp(predicted / 0.3).

    They sum to 1, and every candidate has a positive share.
    """
    even, weights = (
        settings.even_share,
        np.exp((predicted - predicted.max()) / settings.temperature),
    )
    shares: Floats = (1 - even) * weights / weights.sum() + even / len(predicted)
    return shares


def pairs_log_likelihood(codes: NDArray[Any], constraints: Constraints) -> Floats:
    """Log probability (M,) of the known pairs, by whether a clustering joins them.

    A pair belongs together at one rate where the clustering joins it and at another where it does
    not. Both are uniform, the first not below the second: pairs that contradict a clustering
    speak against it, and a pair may be wrong. Pairs that share objects are not independent: the
    logarithm counts as many as a spanning forest of them has.

    >>> import numpy as np
    >>> from sortal.labelings.pairs import as_constraints
    >>> known = as_constraints([(0, 1, "must"), (2, 3, "must"), (4, 5, "cannot")], 6)
    >>> like, unlike = [0, 0, 1, 1, 0, 1], [0, 1, 0, 1, 0, 0]
    >>> pairs_log_likelihood(np.array([like, unlike]), known).round(2)
    array([-1.2, -3.4])
    """
    from scipy.special import betaln

    codes = np.asarray(codes)
    if len(constraints) == 0:
        return np.zeros(len(codes))
    joined, must = constraints.together(codes), constraints.must
    counts = np.stack(
        [
            (joined & must).sum(axis=1), (joined & ~must).sum(axis=1),
            (~joined & must).sum(axis=1), (~joined & ~must).sum(axis=1),
        ],
        axis=1,
    ).astype(np.float64)  # fmt: skip
    distinct, group_of = np.unique(counts, axis=0, return_inverse=True)
    a, b, c, d = distinct.T + 1
    logs = betaln(a, b) + betaln(c, d) + np.log(2) + _log_above(distinct + 1)
    out: Floats = logs[group_of.ravel()] * constraints.rank / len(constraints)
    return out


def _log_above(parameters: Floats) -> Floats:
    """Log probability that a Beta(a, b) variable is above an independent Beta(c, d) one."""
    from scipy.special import betaln, logsumexp, roots_legendre

    # substituting x = sin² makes the ends smooth
    nodes, weights = roots_legendre(QUADRATURE_NODES)
    angle = np.pi / 4 * (nodes + 1)
    x, step = np.sin(angle) ** 2, np.log(np.pi / 4 * weights * np.sin(2 * angle))
    left, right = np.log(x), np.log1p(-x)
    out = np.empty(len(parameters))
    for i, (a, b, c, d) in enumerate(parameters):
        density = (a - 1) * left + (b - 1) * right - betaln(a, b) + step
        out[i] = min(logsumexp(density + _log_below(c, d, x)), 0.0)
    return out


def _log_below(c: float, d: float, x: Floats) -> Floats:
    """Log of the distribution function of Beta(c, d); where it vanishes, its leading term."""
    from scipy.special import betainc, betaln

    value = betainc(c, d, x)
    lead = c * np.log(x) + d * np.log1p(-x) - np.log(c) - betaln(c, d)
    return np.where(value > 1e-280, np.log(np.maximum(value, 1e-300)), lead)
