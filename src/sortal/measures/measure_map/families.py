"""Rank correlation of measures, and the families that follow from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from sortal.typing import Floats

__all__ = ["cut", "rank_correlation", "tree"]


def rank_correlation(values: Floats) -> Floats:
    """Spearman's correlation (K, K) of the columns of (M, K) values, undefined ones last.

    NaN for a measure with one value for all clusterings.

    Examples
    --------
    >>> import numpy as np
    >>> rank_correlation(np.array([[1.0, 9.0, 5.0], [2.0, 8.0, 5.0], [4.0, 7.0, 5.0]]))[0]
    array([ 1., -1., nan])
    """
    ranks = rankdata(np.where(np.isnan(values), -np.inf, values), axis=0)
    centred = ranks - ranks.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = centred / length
    return np.asarray(np.clip(unit.T @ unit, -1, 1))


def cut(correlation: Floats, apart: float) -> NDArray[np.int64]:
    """Families by average linkage of 1 − correlation, cut at the distance ``apart``.

    Numbers of the families, from 0 in order of first appearance.

    Examples
    --------
    >>> import numpy as np
    >>> cut(np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]]), 0.5).tolist()
    [0, 0, 1]
    """
    from scipy.cluster.hierarchy import fcluster

    if len(correlation) == 1:
        return np.zeros(1, dtype=np.int64)
    labels = fcluster(tree(correlation), apart, "distance").tolist()
    order = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    return np.array([order[label] for label in labels], dtype=np.int64)


def tree(correlation: Floats) -> Floats:
    """Average linkage of 1 − correlation, SciPy's form; unknown correlations count as 0."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    apart = np.clip(1 - np.nan_to_num(correlation), 0, 2)
    apart = (apart + apart.T) / 2
    np.fill_diagonal(apart, 0)
    return np.asarray(linkage(squareform(apart, checks=False), "average", optimal_ordering=True))
