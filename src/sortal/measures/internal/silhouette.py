"""Silhouettes: how much nearer an object is to its cluster than to the next cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sortal.labelings.labels import NoisePolicy
from sortal.measures.docstrings import cite
from sortal.measures.internal.batch import (
    of_distances,
    of_each_object,
    of_features,
    statistics_of_one,
)
from sortal.measures.passes.statistics import Statistics

if TYPE_CHECKING:
    import pandas as pd

    from sortal.typing import ArrayLike, Floats, Labels, Metric

__all__ = [
    "silhouette",
    "silhouette_by_cluster",
    "silhouette_samples",
    "simplified_silhouette",
    "squared_euclidean_silhouette",
]


@cite("rousseeuw1987", "whissell2012 3.11")
def silhouette_samples(
    X: ArrayLike,
    labels: Labels,
    *,
    metric: Metric = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: ArrayLike | None = None,
) -> Floats:
    """Silhouette of each object: (b − a)/max(a, b).

    a is the mean distance to the other objects of its cluster, b the mean distance to the
    objects of the nearest other cluster. Between −1 and 1, greater is better; 0 for singletons,
    and if a = b = 0.

    Returns
    -------
    ndarray of float64, shape (n,)
        NaN for objects excluded by ``noise="drop"`` or a weight of 0.

    Notes
    -----
    whissell2012 equation 3.11 prints the sign reversed. O(n² d) time, O(n d) memory.

    Examples
    --------
    >>> silhouette_samples([[0.0], [1.0], [10.0]], [0, 0, 1])
    array([0.9       , 0.88888889, 0.        ])
    """
    return of_each_object(
        "Silhouette",
        "silhouette_sums",
        X,
        labels,
        metric=metric,
        noise=noise,
        sample_weight=sample_weight,
    )


@cite("rousseeuw1987")
def silhouette_by_cluster(
    X: ArrayLike,
    labels: Labels,
    *,
    metric: Metric = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: ArrayLike | None = None,
) -> pd.Series[float]:
    """Mean silhouette of each cluster, by the cluster's name.

    Parameters and errors as :func:`silhouette_samples`.

    Examples
    --------
    >>> silhouette_by_cluster([[0.0], [1.0], [10.0], [11.0]], ["a", "a", "b", "b"]).round(3)
    a    0.9
    b    0.9
    Name: silhouette, dtype: float64
    """
    import pandas as pd

    stats, _ = statistics_of_one(
        X,
        labels,
        ["silhouettes"],
        title="Silhouette",
        metric=metric,
        noise=noise,
        sample_weight=sample_weight,
    )
    means = stats.silhouette_sums[0] / stats.sizes[0]
    return pd.Series(means, index=list(stats.labelings.cluster_names[0]), name="silhouette")


@of_distances(
    "Silhouette",
    family="silhouette",
    references=["rousseeuw1987", "whissell2012 3.11, 3.12"],
    needs=["silhouettes"],
    range=(-1.0, 1.0),
    cost="O(n² d)",
)
def silhouette(stats: Statistics, m: int) -> float:
    """Mean silhouette: how much nearer objects are to their cluster than to the next cluster.

    The mean of (b − a)/max(a, b) over the objects, see :func:`silhouette_samples`.

    Notes
    -----
    O(n² d) time, O(n d) memory; O(n k d) time for ``metric="sqeuclidean"`` and dense data, by
    :func:`squared_euclidean_silhouette`.

    Examples
    --------
    >>> round(silhouette([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    0.899749
    """
    return float(stats.silhouette_sums[m].sum()) / stats.n_judged(m)


@of_features(
    "Silhouette of squared Euclidean distances",
    family="silhouette",
    references=["rousseeuw1987", "whissell2012 3.11, 3.12"],
    needs=["centroids", "squared_silhouettes"],
    range=(-1.0, 1.0),
    cost="O(n k d)",
)
def squared_euclidean_silhouette(stats: Statistics, m: int) -> float:
    """Mean silhouette of *squared* Euclidean distances, without a pass over the pairs.

    Equal to ``silhouette(X, labels, metric="sqeuclidean")`` up to rounding, by
    Σ_y ∣x − y∣² = n_c ∣x − μ_c∣² + Σ_y ∣y − μ_c∣². It is not the silhouette of Euclidean distances.

    Examples
    --------
    >>> round(squared_euclidean_silhouette([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    0.98995
    """
    return float(stats.squared_silhouette_sums[m].sum()) / stats.n_judged(m)


@of_features(
    "Simplified silhouette",
    family="silhouette",
    references=["hruschka2004"],
    needs=["centroids", "simplified_silhouettes"],
    range=(-1.0, 1.0),
    cost="O(n k d)",
)
def simplified_silhouette(stats: Statistics, m: int) -> float:
    """Silhouette with distances to centroids instead of mean distances to objects.

    a is the Euclidean distance to the cluster's centroid, b to the nearest other centroid; 0 for
    singletons.

    Examples
    --------
    >>> round(simplified_silhouette([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    0.949875
    """
    return float(stats.simplified_silhouette_sums[m].sum()) / stats.n_judged(m)
