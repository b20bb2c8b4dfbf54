"""Measures of nearest and farthest objects: Dunn's family and the point-wise margin."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from karat.labelings.labels import NoisePolicy
from karat.measures.bibliography import Reference
from karat.measures.catalogue import define
from karat.measures.docstrings import cite
from karat.measures.internal.batch import SINGLETONS_ONLY, each, of_each_object, one, one_value
from karat.measures.passes.statistics import Statistics
from karat.runtime.validation import check_choice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "centroid_dunn_index",
    "dunn_index",
    "generalized_dunn_index_12",
    "generalized_dunn_index_21",
    "generalized_dunn_index_31",
    "generalized_dunn_index_32",
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

    Not negative, greater is better. The defaults are Dunn's own choice; the 18 combinations are
    the family of Bezdek & Pal.

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

    Notes
    -----
    Dunn 1973; Bezdek & Pal 1998, equations 18–26. O(n² d) time.

    Examples
    --------
    >>> from karat import dunn_index
    >>> dunn_index([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    3.0
    """
    check_choice(separation, _SEPARATION_NEEDS, "separation")
    check_choice(diameter, _DIAMETER_NEEDS, "diameter")
    needs = [_SEPARATION_NEEDS[separation], _DIAMETER_NEEDS[diameter]]

    @each
    def compute(stats: Statistics, m: int) -> float | str:
        widest = _diameters(stats, m, diameter).max()
        if widest == 0:
            return "all diameters are 0"
        return float(_separation(stats, m, separation)) / float(widest)

    return one_value("Dunn index", compute, needs, X, labels, metric, noise, sample_weight)


def centroid_dunn_index(
    X: Any, labels: Any, *, noise: NoisePolicy = "error", sample_weight: Any = None
) -> float:
    """Smallest distance of two centroids over the largest mean distance to a centroid.

    Not negative, greater is better. Twice ``dunn_index(X, labels, separation="centroid",
    diameter="centroid")``.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or where every object is at its cluster's centroid.

    Notes
    -----
    O(n d + k² d) time.

    Examples
    --------
    >>> from karat import centroid_dunn_index
    >>> centroid_dunn_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    20.0
    """
    return one("centroid_dunn_index", X, labels, noise=noise, sample_weight=sample_weight)


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
    sizes = stats.sizes[m]
    if kind == "complete":
        return stats.diameters[m]
    if kind == "average":
        pairs = stats.cluster_pairs(m)
        return stats.within_sums[m] / np.where(pairs > 0, pairs, 1)
    return 2 * stats.spreads[m] / sizes


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


@cite(Reference("whissell2012", "6.15"))
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
    >>> from karat import point_wise_margin_samples
    >>> point_wise_margin_samples([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    array([0.1       , 0.11111111, 0.33333333, 0.25      ])
    """
    return of_each_object("Point-wise margin", 1, X, labels, metric, noise, sample_weight)


def point_wise_margin(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Mean over the objects of nearest distance within over nearest distance between.

    Not negative, lower is better. An object alone in its cluster counts 1 (neutral), and so does
    one that coincides with objects of its own and of another cluster; one that coincides with
    objects of other clusters only makes the value infinite.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters.

    Notes
    -----
    whissell2012 equation 6.15. O(n² d) time, O(n d) memory.

    Examples
    --------
    >>> from karat import point_wise_margin
    >>> round(point_wise_margin([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1]), 6)
    0.198611
    """
    return one("point_wise_margin", X, labels, metric, noise, sample_weight)


@each
def _point_wise_margin(stats: Statistics, m: int) -> float:
    return float(stats.margin_sums[m].sum()) / stats.n_judged(m)


@each
def _dunn(stats: Statistics, m: int) -> float | str:
    widest = float(stats.diameters[m].max())
    if widest == 0:
        all_alone = stats.pairs_within(m) == 0
        return SINGLETONS_ONLY if all_alone else "all distances within clusters are 0"
    return float(stats.nearest_between[m].min()) / widest


@each
def _centroid_dunn(stats: Statistics, m: int) -> float | str:
    widest = float((stats.spreads[m] / stats.sizes[m]).max())
    if widest == 0:
        return "every object is at its cluster's centroid"
    return _separation(stats, m, "centroid") / widest


define(
    dunn_index,
    "Dunn index",
    family="dunn",
    references=[
        Reference("dunn1973"),
        Reference("bezdek1998"),
        Reference("whissell2012", "3.13"),
    ],
    compute=_dunn,
    needs=["diameters", "nearest"],
    range=(0.0, math.inf),
    cost="O(n² d)",
)
define(
    centroid_dunn_index,
    "Dunn index of centroids",
    family="dunn",
    references=[Reference("whissell2012", "3.14")],
    compute=_centroid_dunn,
    needs=["centroids"],
    range=(0.0, math.inf),
    cost="O(n d + k² d)",
    takes="features",
)


def _generalized(
    number: str, separation: Separation, diameter: Diameter, example: float, default: bool = False
) -> Callable[..., float]:
    """The function of a member of Dunn's family, added to the catalogue."""

    def function(
        X: Any,
        labels: Any,
        *,
        metric: Any = "euclidean",
        noise: NoisePolicy = "error",
        sample_weight: Any = None,
    ) -> float:
        return one(name, X, labels, metric, noise, sample_weight)

    def value(stats: Statistics, m: int) -> float | str:
        widest = float(_diameters(stats, m, diameter).max())
        return _separation(stats, m, separation) / widest if widest > 0 else "all diameters are 0"

    name = f"generalized_dunn_index_{number}"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Generalised Dunn index ν{number}.

    :func:`dunn_index` with ``separation={separation!r}, diameter={diameter!r}``. Not negative,
    greater is better.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d), or (n, n) with ``metric="precomputed"``
    labels : array-like, shape (n,)
    metric : str or callable
    noise : {{"error", "cluster", "singletons", "drop"}}
        What the label -1 means.
    sample_weight : array-like, shape (n,), optional
        Object weights (frequencies); 0 excludes the object.

    Returns
    -------
    float

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or where all diameters are 0.

    Notes
    -----
    O(n² d) time.

    Examples
    --------
    >>> from karat import {name}
    >>> round({name}([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1]), 6)
    {example}
    """
    define(
        function,
        f"Generalised Dunn index ν{number} ({separation} separation, {diameter} diameter)",
        family="dunn",
        references=[Reference("bezdek1998")],
        compute=each(value),
        needs=[_SEPARATION_NEEDS[separation], _DIAMETER_NEEDS[diameter]],
        range=(0.0, math.inf),
        cost="O(n² d), k² memory" if separation != "single" else "O(n² d)",
        default=default,
    )
    return function


generalized_dunn_index_21 = _generalized("21", "complete", "complete", 4.333333)
generalized_dunn_index_31 = _generalized("31", "average", "complete", 3.666667)
generalized_dunn_index_32 = _generalized("32", "average", "average", 3.666667)
generalized_dunn_index_12 = _generalized("12", "single", "average", 3.0, default=True)
define(
    point_wise_margin,
    "Point-wise margin",
    family="margin",
    references=[Reference("whissell2012", "6.15")],
    compute=_point_wise_margin,
    needs=["margins"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n² d)",
)
