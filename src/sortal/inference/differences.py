"""Tests whether clusters differ, and in which features, despite the choice of the clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds.multiplicity import holm
from sortal.inference.premises import check_premises
from sortal.inference.thinning import FAMILIES, thin
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import ArrayLike, Estimator, Floats, RandomState


__all__ = ["Differences", "differences"]

#: derived: from a variance with two degrees of freedom; fewest objects of a cluster in a test
MIN_CLUSTER_SIZE = 3


@dataclass(frozen=True)
class Differences:
    """Tests of differences between clusters.

    Attributes
    ----------
    pairs : DataFrame
        A row for each two clusters, ``cluster`` and ``other``. NaN if a cluster has fewer than
        three objects.

        - ``difference`` of their means in the tested part, in pooled standard deviations, along the
          direction that best separates them in the other part
        - ``p_value``, and ``p_holm``, corrected for all tests of the table
    features : DataFrame
        A row for each cluster and feature: the standardised difference of the cluster's mean from
        all other objects, ``p_value``, ``p_holm``.
    labels : ndarray, shape (n,)
        Clusters compared, from the clustered part of the data.
    premises : tuple of str
        Premises of the p-values.
    """

    pairs: pd.DataFrame
    features: pd.DataFrame
    labels: NDArray[Any]
    premises: tuple[str, ...]

    @property
    def p_value(self) -> float:
        """P-value of the hypothesis that no two clusters differ; 1 where nothing was compared."""
        p_values = self.pairs["p_holm"].dropna()
        return float(p_values.min()) if len(p_values) else 1.0

    def __str__(self) -> str:
        return f"{self.pairs.to_string(index=False)}\n{' '.join(self.premises)}"


def differences(
    X: ArrayLike,
    cluster: Estimator | Callable[[Any], Any],
    *,
    family: str = "gaussian",
    scale: npt.ArrayLike | None = None,
    share: float = 0.5,
    feature_names: Iterable[object] | None = None,
    random_state: RandomState = 0,
) -> Differences:
    """Test which clusters differ, and in which features, allowing for their choice by the data.

    The data are thinned into two independent parts: the first is clustered, the second tested.

    Parameters
    ----------
    X : array-like, shape (n, d)
    cluster : estimator or callable
        Estimator with ``fit_predict``, :class:`sortal.ChosenClustering` for a sweep and its choice,
        or function from data to labels (``-1`` for outliers, which are not compared).
    family, scale, share
        Distribution of the values about their means, see :func:`sortal.inference.thin`.
    feature_names : sequence of str, optional
        By default the columns of a data frame, or ``"0"``, ``"1"``, ...
    random_state : int, Generator or None, default 0

    See Also
    --------
    sortal.Study.differences : Tests that allow for a study's whole search.

    Notes
    -----
    The first part chooses the direction; the second is tested along it by Welch's one-sided test.
    A Gaussian variance that is too large makes the test conservative; the sample covariance is too
    large if clusters differ. Neufeld et al. (2024, JMLR 25).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> from sortal.inference import differences
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> kmeans = KMeans(2, n_init=1, random_state=0)
    >>> differences(X, kmeans, scale=1.0).p_value > 0.05
    True
    >>> X[100:, 0] += 8
    >>> tests = differences(X, kmeans, scale=1.0)
    >>> tests.p_value < 0.001, set(tests.features.feature[tests.features.p_holm < 0.01])
    (True, {'0'})
    """
    columns = feature_names if feature_names is not None else getattr(X, "columns", None)
    first, second = thin(X, family, share=share, scale=scale, random_state=random_state)
    names = [str(name) for name in (range(first.shape[1]) if columns is None else columns)]
    check_premises(first + second, family, scale, names)
    labels = np.asarray(as_procedure(cluster)(first))
    return compared(first, second, labels, names, premises_of(family, scale))


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


def compared(
    first: Floats, second: Floats, labels: NDArray[Any], names: list[str], premises: tuple[str, ...]
) -> Differences:
    """Differences in the second part of thinned data, by clusters and directions of the first."""
    clusters = _clusters(labels)
    pairs, features = [], []
    for a, b in combinations(clusters, 2):
        in_a, in_b = labels == a, labels == b
        axis = _direction(first[in_a], first[in_b])
        pairs.append((a, b, *_one_sided(second[in_a] @ axis, second[in_b] @ axis)))
    for a in clusters if len(clusters) > 1 else ():
        in_a = labels == a
        outside = np.isin(labels, clusters) & ~in_a
        for j, name in enumerate(names):
            sign = np.sign(first[in_a, j].mean() - first[outside, j].mean())
            difference, p = _one_sided(sign * second[in_a, j], sign * second[outside, j])
            features.append((a, name, sign * difference, p))
    return Differences(
        _corrected(pairs, ["cluster", "other", "difference", "p_value"]),
        _corrected(features, ["cluster", "feature", "difference", "p_value"]),
        labels,
        premises,
    )


def premises_of(family: str, scale: npt.ArrayLike | None) -> tuple[str, ...]:
    """Premises of tests on thinned data, in words."""
    premises = [
        f"Valid where {FAMILIES[family]}.",
        "One part of each value was clustered and another tested; the clusters compared are those "
        "of the first part.",
        "Copied rows, dispersion and shape of the values were tested and do not refute the family.",
    ]
    if family == "gaussian" and scale is None:
        premises.append(
            "The covariance is that of all objects, which is too large where clusters differ: the "
            "tests are conservative."
        )
    if isinstance(scale, str):
        premises.append(
            "The covariance is that within the components of a fitted mixture: groups must be "
            "normal with one covariance, otherwise the tests reject too often."
        )
    return tuple(premises)


def _clusters(labels: NDArray[Any]) -> list[Any]:
    """Labels of the clusters in order, without that of outliers."""
    names = np.unique(labels)
    outlier = names == -1 if names.dtype.kind in "if" else np.zeros(len(names), dtype=bool)
    return list(names[~outlier].tolist())


def _direction(first: Floats, second: Floats) -> Floats:
    """Fisher's direction from the second group to the first, with a shrunken covariance."""
    from sklearn.covariance import ledoit_wolf

    gap = first.mean(axis=0) - second.mean(axis=0)
    centred = np.concatenate([first - first.mean(axis=0), second - second.mean(axis=0)])
    spread = centred.std(axis=0)
    used = spread > 0
    if not used.any():
        return gap
    axis = np.zeros(len(gap))
    within, _ = ledoit_wolf(centred[:, used] / spread[used], assume_centered=True)
    axis[used] = np.linalg.solve(within, gap[used] / spread[used]) / spread[used]
    return axis


def _one_sided(first: Floats, second: Floats) -> tuple[float, float]:
    """Standardised difference of means, and Welch's p-value that it is not positive."""
    from scipy.stats import ttest_ind

    if min(len(first), len(second)) < MIN_CLUSTER_SIZE:
        return float("nan"), float("nan")
    gap = float(first.mean() - second.mean())
    pooled = np.concatenate([first - first.mean(), second - second.mean()])
    spread = float(np.sqrt((pooled**2).sum() / (len(pooled) - 2)))
    if spread == 0:  # constant on both sides
        return (0.0, 1.0) if gap <= 0 else (float("inf"), 0.0)
    p = ttest_ind(first, second, equal_var=False, alternative="greater").pvalue
    return gap / spread, float(p)


def _corrected(rows: list[tuple[Any, ...]], columns: list[str]) -> pd.DataFrame:
    """Table of tests with p-values corrected by Holm."""
    import pandas as pd

    table = pd.DataFrame(rows, columns=columns)
    table["p_holm"] = holm(table["p_value"].to_numpy(dtype=np.float64))
    return table
