"""Measures of nearest and farthest objects: Dunn's family and the point-wise margin."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from karat.labelings.labels import NoisePolicy
from karat.measures.catalogue import define
from karat.measures.docstrings import cite
from karat.measures.internal.batch import (
    SINGLETONS_ONLY,
    each,
    of_distances,
    of_each_object,
    of_features,
    one_value,
)
from karat.measures.passes.statistics import Statistics
from karat.runtime.validation import check_choice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "centroid_dunn_index",
    "dunn_index",
    "generalized_dunn_index_12",
    "point_wise_margin",
    "point_wise_margin_samples",
]

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
    X: Any,
    labels: Any,
    *,
    separation: Separation = "single",
    diameter: Diameter = "complete",
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Smallest separation of two clusters over the largest diameter of one.

    The defaults are Dunn's own choice; the 18 combinations are the family of Bezdek & Pal.

    Parameters
    ----------
    separation : str
        Of two clusters: ``"single"``, ``"complete"``, ``"average"``: the smallest, largest or
        mean distance between their objects; ``"centroid"``: distance of the centroids;
        ``"average-centroid"``: mean distance of all their objects to the other's centroid;
        ``"hausdorff"``: largest distance of an object to the nearest one of the other cluster.
    diameter : str
        Of a cluster: ``"complete"``: its largest distance; ``"average"``: its mean distance;
        ``"centroid"``: twice the mean distance to its centroid; :func:`centroid_dunn_index` is
        the form without the factor 2.
    metric : str or callable
        Of objects; distances to centroids are Euclidean.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or where all diameters are 0.
    InputError
        For forms with centroids and a matrix of distances.

    Examples
    --------
    >>> dunn_index([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    3.0
    """
    check_choice(separation, _SEPARATION_NEEDS, "separation")
    check_choice(diameter, _DIAMETER_NEEDS, "diameter")
    needs = [_SEPARATION_NEEDS[separation], _DIAMETER_NEEDS[diameter]]
    compute = each(lambda stats, m: _dunn(stats, m, separation, diameter))
    return one_value(
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
    widest = float(_diameters(stats, m, diameter).max())
    if widest == 0:
        all_alone = diameter == "complete" and stats.pairs_within(m) == 0
        return SINGLETONS_ONLY if all_alone else "all diameters are 0"
    return _separation(stats, m, separation) / widest


def _separation(stats: Statistics, m: int, kind: str) -> float:
    """The smallest separation of two clusters."""
    sizes = stats.sizes[m]
    if kind == "single":
        return float(stats.nearest_between[m].min())
    if kind == "centroid":
        return centroid_extremes(stats, m)[0]
    if kind == "complete":
        values = stats.linkage_maxima[m].copy()
    elif kind == "average":
        values = stats.linkage_sums[m] / np.outer(sizes, sizes)
    elif kind == "average-centroid":
        cross = stats.cross_spreads[m]
        values = (cross + cross.T) / (sizes[:, None] + sizes)
    else:
        values = np.maximum(stats.hausdorff[m], stats.hausdorff[m].T)
    np.fill_diagonal(values, np.inf)
    return float(values.min())


def _diameters(stats: Statistics, m: int, kind: str) -> Floats:
    if kind == "complete":
        return stats.diameters[m]
    if kind == "average":
        pairs = stats.cluster_pairs(m)
        return stats.within_sums[m] / np.where(pairs > 0, pairs, 1)
    return 2 * stats.spreads[m] / stats.sizes[m]


def centroid_extremes(stats: Statistics, m: int) -> tuple[float, float]:
    """The smallest and the largest Euclidean distance of two centroids, in blocks of rows."""
    from scipy.spatial.distance import cdist

    C = stats.centroids[m]
    nearest, farthest = math.inf, 0.0
    for start in range(0, len(C), 512):
        apart = cdist(C[start : start + 512], C)
        farthest = max(farthest, float(apart.max()))
        apart[np.arange(len(apart)), np.arange(start, start + len(apart))] = np.inf
        nearest = min(nearest, float(apart.min()))
    return nearest, farthest


define(
    dunn_index,
    "Dunn index",
    family="dunn",
    references=["dunn1973", "bezdek1998 18–26", "whissell2012 3.13"],
    compute=each(lambda stats, m: _dunn(stats, m, "single", "complete")),
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

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or where every object is at its cluster's centroid.

    Examples
    --------
    >>> centroid_dunn_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    20.0
    """
    widest = float((stats.spreads[m] / stats.sizes[m]).max())
    if widest == 0:
        return "every object is at its cluster's centroid"
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

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or where all diameters are 0.

    Examples
    --------
    >>> generalized_dunn_index_12([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    3.0
    """
    return _dunn(stats, m, "single", "average")


@cite("whissell2012 6.15")
def point_wise_margin_samples(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> Floats:
    """Point-wise margin of each object: nearest distance within over nearest between.

    Parameters and errors as :func:`point_wise_margin`.

    Returns
    -------
    ndarray of float64, shape (n,)
        NaN for objects that ``noise="drop"`` or a weight of 0 excludes.

    Examples
    --------
    >>> point_wise_margin_samples([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    array([0.1       , 0.11111111, 0.33333333, 0.25      ])
    """
    return of_each_object(
        "Point-wise margin", 1, X, labels, metric=metric, noise=noise, sample_weight=sample_weight
    )


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

    An object alone in its cluster counts 1 (neutral), and so does one that coincides with objects
    of its own and of another cluster; one that coincides with objects of other clusters only makes
    the value infinite.

    Examples
    --------
    >>> round(point_wise_margin([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1]), 6)
    0.198611
    """
    return float(stats.margin_sums[m].sum()) / stats.n_judged(m)
