"""Measures of nearest and farthest objects: Dunn's family and the point-wise margin."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from sortal.labelings.labels import NoisePolicy
from sortal.measures.catalogue import define
from sortal.measures.internal.batch import (
    SINGLETONS_ONLY,
    batch_form,
    compute_one,
    of_distances,
    of_features,
)
from sortal.measures.internal.variance import NO_SCATTER
from sortal.measures.passes.statistics import Statistics
from sortal.runtime.threads import in_strips
from sortal.runtime.validation import check_choice
from sortal.typing import ArrayLike, Floats, Labels, Metric

__all__ = ["centroid_dunn_index", "dunn_index", "generalized_dunn_index_12", "point_wise_margin"]

Separation = Literal["single", "complete", "average", "centroid", "average-centroid", "hausdorff"]
Diameter = Literal["complete", "average", "centroid"]
_SEPARATION_NEEDS = {
    "single": "nearest",
    "complete": "linkages",
    "average": "linkages",
    "centroid": "centroids",
    "average-centroid": "cross_spreads",
    "hausdorff": "hausdorff",
}
_DIAMETER_NEEDS = {"complete": "diameters", "average": "pair_sums", "centroid": "centroids"}


def dunn_index(
    X: ArrayLike,
    labels: Labels,
    *,
    separation: Separation = "single",
    diameter: Diameter = "complete",
    metric: Metric = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Smallest separation of two clusters over the largest diameter of one.

    The defaults are Dunn's own choice; the 18 combinations are the family of Bezdek & Pal.

    Parameters
    ----------
    separation : str
        Separation of two clusters:

        - ``"single"``, ``"complete"``, ``"average"``: smallest, largest or mean distance between
          their objects
        - ``"centroid"``: distance of the centroids
        - ``"average-centroid"``: mean distance of all their objects to the other centroid
        - ``"hausdorff"``: largest distance of an object to the nearest object of the other cluster
    diameter : str
        Diameter of a cluster: the largest (``"complete"``) or mean (``"average"``) distance, or
        twice the mean distance to the centroid (``"centroid"``). :func:`centroid_dunn_index` omits
        the factor 2.
    metric : str or callable
        Distance of objects; distances to centroids are Euclidean.

    Examples
    --------
    >>> dunn_index([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    3.0
    """
    check_choice(separation, _SEPARATION_NEEDS, "separation")
    check_choice(diameter, _DIAMETER_NEEDS, "diameter")
    needs = [_SEPARATION_NEEDS[separation], _DIAMETER_NEEDS[diameter]]
    compute = batch_form(lambda stats, m: _dunn(stats, m, separation, diameter))
    return compute_one(
        "Dunn index",
        compute,
        needs,
        X,
        labels,
        metric=metric,
        noise=noise,
        sample_weight=sample_weight,
    )


def _dunn(stats: Statistics, m: int, separation: str, diameter: str) -> float | str:
    """A Dunn index of clustering m, or the reason of a missing value."""
    widest = float(_diameters(stats, m, diameter).max())
    if widest == 0:
        only_singletons = diameter == "complete" and stats.pairs_within(m) == 0
        return SINGLETONS_ONLY if only_singletons else "all diameters are 0"
    return _separation(stats, m, separation) / widest


def _separation(stats: Statistics, m: int, separation: str) -> float:
    """The smallest separation of two clusters."""
    sizes = stats.sizes[m]
    if separation == "single":
        return float(stats.nearest_between[m].min())
    if separation == "centroid":
        return between_centroids(stats, m).nearest
    if separation == "complete":
        values = stats.linkage_maxima[m].copy()
    elif separation == "average":
        values = stats.linkage_sums[m] / np.outer(sizes, sizes)
    elif separation == "average-centroid":
        cross = stats.cross_spreads[m]
        values = (cross + cross.T) / (sizes[:, None] + sizes)
    else:
        values = np.maximum(stats.hausdorff[m], stats.hausdorff[m].T)
    np.fill_diagonal(values, np.inf)
    return float(values.min())


def _diameters(stats: Statistics, m: int, diameter: str) -> Floats:
    """Diameter of each cluster."""
    if diameter == "complete":
        return stats.diameters[m]
    if diameter == "average":
        pairs = stats.cluster_pairs(m)
        return stats.within_sums[m] / np.where(pairs > 0, pairs, 1)
    return 2 * stats.spreads[m] / stats.sizes[m]


class BetweenCentroids(NamedTuple):
    """Of the Euclidean distances of centroids: extremes, and each centroid's sum.

    ``worst`` is each centroid's largest (spread + spread)/distance.
    """

    nearest: float
    farthest: float
    sums: Floats
    worst: Floats


def between_centroids(stats: Statistics, m: int) -> BetweenCentroids:
    """Distances of the centroids of clustering m; spreads are mean distances to them."""
    return stats.once(
        "between centroids",
        m,
        lambda m: centroid_pairs(stats.centroids[m], stats.spreads[m] / stats.sizes[m]),
    )


def centroid_pairs(C: Floats, spreads: Floats) -> BetweenCentroids:
    """What the distances of these centroids give, in O(k² d) and O(k d) memory."""
    from sortal._kernels.centroids import between_centroids

    out = np.empty((4, len(C)))
    in_strips(lambda start, stop: between_centroids(C, spreads, start, stop, out), len(C))
    nearest, farthest, sums, worst = out
    return BetweenCentroids(float(nearest.min()), float(farthest.max()), sums, worst)


define(
    dunn_index,
    "Dunn index",
    family="dunn",
    references=["dunn1973", "bezdek1998 18–26", "whissell2012 3.13"],
    compute=batch_form(lambda stats, m: _dunn(stats, m, "single", "complete")),
    needs=["diameters", "nearest"],
    range=(0.0, math.inf),
    cost="O(n² d)",
)


@of_features(
    "Dunn index of centroids",
    family="dunn",
    references=["whissell2012 3.14"],
    needs=["centroids"],
    range=(0.0, math.inf),
    cost="O(n d + k² d)",
)
def centroid_dunn_index(stats: Statistics, m: int) -> float | str:
    """Smallest distance of two centroids over the largest mean distance to a centroid.

    Twice ``dunn_index(X, labels, separation="centroid", diameter="centroid")``.

    Examples
    --------
    >>> centroid_dunn_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    20.0
    """
    widest = float((stats.spreads[m] / stats.sizes[m]).max())
    if widest == 0:
        return NO_SCATTER
    return _separation(stats, m, "centroid") / widest


@of_distances(
    "Generalised Dunn index ν12 (single separation, average diameter)",
    family="dunn",
    references=["bezdek1998"],
    needs=["nearest", "pair_sums"],
    range=(0.0, math.inf),
    cost="O(n² d)",
)
def generalized_dunn_index_12(stats: Statistics, m: int) -> float | str:
    """Generalised Dunn index ν12: :func:`dunn_index` with ``diameter="average"``.

    Examples
    --------
    >>> generalized_dunn_index_12([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    3.0
    """
    return _dunn(stats, m, "single", "average")


@of_distances(
    "Point-wise margin",
    family="margin",
    references=["whissell2012 6.15"],
    needs=["margins"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n² d)",
)
def point_wise_margin(stats: Statistics, m: int) -> float:
    """Mean over the objects of nearest distance within over nearest distance between.

    A singleton counts 1 (neutral). So does an object that coincides with objects of both its
    cluster and another cluster. The value is infinite if an object coincides with objects of other
    clusters only.

    Examples
    --------
    >>> round(point_wise_margin([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1]), 6)
    0.198611
    """
    return float(stats.margin_sums[m].sum()) / stats.n_judged(m)
