"""Test for more than one cluster, whatever the shape of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from karat.nulls.coordinates import spread_ties
from karat.nulls.dips import dip_p_value, evidence
from karat.runtime.types import ArrayLike, Floats, Ints, RandomState
from karat.runtime.validation import InputError, check_data, check_random_state

__all__ = ["MoreThanOne", "more_than_one"]

#: share of the objects used to find a direction, and largest number of objects tested
SEARCH_SHARE, MAX_TESTED = 0.25, 2_000
#: fewest objects for a test, and per cluster of k-means
MIN_OBJECTS, MIN_CLUSTER_OBJECTS = 20, 5
#: numbers of clusters tried by k-means
KMEANS_NUMBERS = (2, 3, 4, 6, 8, 12)


@dataclass(frozen=True)
class MoreThanOne:
    """Result of a test whether the objects have one mode in every direction.

    Attributes
    ----------
    p_value : float
        P-value of the hypothesis of one mode; at least 0.0005, by the number of simulated samples.
    """

    p_value: float

    premises = (
        "Objects are independent draws; of one cluster every projection has one mode. Clusters "
        "that are curved, and one density that is hollow, count as several.",
    )

    def __str__(self) -> str:
        return f"p = {self.p_value:.2g} for one cluster. {' '.join(self.premises)}"


def more_than_one(X: ArrayLike, *, n_splits: int = 5, random_state: RandomState = 0) -> MoreThanOne:
    """Test whether there is more than one cluster, without a model of a cluster.

    k-means clusters a quarter of the objects and gives the direction that separates two clusters
    most clearly. The test asks whether the other objects have one mode along this direction.

    Parameters
    ----------
    X : array-like, shape (n, d)
        Features; not distances.
    n_splits : int, default 5
        Random splits, each with a p-value.
    random_state : int, Generator or None, default 0

    Returns
    -------
    MoreThanOne

    See Also
    --------
    karat.assess_structure : Finds clusters more often, with limits set on simulated data.

    Notes
    -----
    Hartigan's dip (1985) of the projections; its p-value is that of a uniform density, the hardest
    with one mode, by simulation. p-values of the splits are combined by the Cauchy combination
    (Liu & Xie 2020), which supposes that large and small ones come together as those of correlated
    normal values do; its level is measured. Repeated values of a feature are spread up to their
    neighbours, so that a grid has no modes. Of more than 2,000 objects for the test as many are
    drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.inference import more_than_one
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> more_than_one(X).p_value > 0.05
    True
    >>> X[100:] += 5
    >>> more_than_one(X).p_value < 0.01
    True
    """
    if n_splits < 1:
        raise InputError(f"n_splits must be at least 1; got {n_splits}")
    data = check_data(X)
    if hasattr(data, "toarray"):
        data = data.toarray()
    # an independent stream: the data may have been drawn from the same seed
    rng = check_random_state(random_state).spawn(1)[0]
    values, _ = spread_ties(np.asarray(data, dtype=np.float64), rng)
    n = len(values)
    if n < MIN_OBJECTS or values.shape[1] == 0:
        return MoreThanOne(1.0)
    clustered = max(int(SEARCH_SHARE * n), MIN_OBJECTS // 2)
    tested = min(n - clustered, MAX_TESTED)
    p_values = []
    for _ in range(n_splits):
        order = rng.permutation(n)
        axis = _axis(values[order[:clustered]], rng)
        p_values.append(1.0 if axis is None else dip_p_value(values[order[-tested:]] @ axis))
    return MoreThanOne(_combined(np.array(p_values)))


def _axis(A: Floats, rng: np.random.Generator) -> Floats | None:
    """Direction between two clusters with the strongest dip; None for equal objects."""
    from sklearn.covariance import ledoit_wolf

    spread = A.std(axis=0)
    Z = A / np.where(spread > 0, spread, 1.0)
    strongest, best_axis = -1.0, None
    for labels in _kmeans(Z, rng):
        clusters = [labels == c for c in np.unique(labels)]
        if len(clusters) < 2:
            continue
        centres = np.array([Z[members].mean(axis=0) for members in clusters])
        residuals = np.concatenate(
            [Z[members] - c for members, c in zip(clusters, centres, strict=True)]
        )
        within, _ = ledoit_wolf(residuals, assume_centered=True)
        within += 1e-9 * np.eye(len(within))
        for a, b in combinations(range(len(clusters)), 2):
            axis = np.linalg.solve(within, centres[a] - centres[b])
            strength = evidence(Z @ axis)
            if strength > strongest:
                strongest, best_axis = strength, axis / np.where(spread > 0, spread, 1.0)
    return best_axis


def _kmeans(Z: Floats, rng: np.random.Generator) -> Iterator[Ints]:
    """Labels by k-means for several numbers of clusters."""
    from sklearn.cluster import KMeans

    for k in KMEANS_NUMBERS:
        if len(Z) >= MIN_CLUSTER_OBJECTS * k or k == KMEANS_NUMBERS[0]:
            seed = int(rng.integers(2**31 - 1))
            yield KMeans(k, n_init=2, random_state=seed).fit_predict(Z)


def _combined(p: Floats) -> float:
    """P-values combined by the Cauchy combination."""
    from scipy.stats import cauchy

    return float(cauchy.sf(cauchy.isf(np.minimum(p, 0.999)).mean()))
