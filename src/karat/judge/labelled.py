"""A few labels and the judge together: how likely each candidate is after the labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: of the prior, in units of the predicted agreement
TEMPERATURE = 0.3
#: part of the prior that all candidates share evenly
EVEN = 0.02


def log_likelihood(codes: NDArray[Any], classes: NDArray[Any]) -> Floats:
    """Log probability (M,) of the classes of some objects, where each cluster mixes them.

    ``codes`` (M, m) are their clusters in each candidate, ``-1`` for outliers, which are clusters
    of one. The mix of a cluster is uniform over all mixes (Dirichlet with parameter 1), so clusters
    that nothing speaks for cost something, and pure ones gain more with each label.

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


def prior(predicted: Floats) -> Floats:
    """Shares (M,) of the candidates before any label, in proportion to exp(predicted / 0.3).

    They sum to 1, and every candidate has some of it.
    """
    weights = np.exp((predicted - predicted.max()) / TEMPERATURE)
    shares: Floats = (1 - EVEN) * weights / weights.sum() + EVEN / len(predicted)
    return shares
