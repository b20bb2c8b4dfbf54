"""Agreement of two clusterings of the same objects, from integer codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.stability.engine import Codes


def table(first: Codes, second: Codes) -> NDArray[np.int64]:
    """Counts of the objects in each pair of clusters; outliers are singletons."""
    first, second = _singletons(first), _singletons(second)
    shape = int(first.max(initial=-1)) + 1, int(second.max(initial=-1)) + 1
    cells = first.astype(np.int64) * shape[1] + second
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)


def _singletons(codes: Codes) -> NDArray[Any]:
    """Codes with each outlier in a cluster of its own."""
    noise = np.flatnonzero(codes < 0)
    if len(noise) == 0:
        return codes
    out = codes.astype(np.int64)
    out[noise] = codes.max() + 1 + np.arange(len(noise))
    return np.unique(out, return_inverse=True)[1]


def disagreement(predicted: Codes, labels: Codes) -> float:
    """Least share of objects that differ, over all matchings of the cluster names."""
    from scipy.optimize import linear_sum_assignment

    t = table(predicted, labels)
    rows, columns = linear_sum_assignment(-t)
    return 1 - float(t[rows, columns].sum()) / max(int(t.sum()), 1)


def least_kept(first: Codes, second: Codes) -> float:
    """Share of the worst cluster that one cluster of the other clustering holds; mean of both ways.

    One cluster that is split, or joined with another, lowers it however many are left alone.
    """
    t = table(first, second)
    return (worst_held(t) + worst_held(t.T)) / 2


def worst_held(t: NDArray[np.int64]) -> float:
    """Least share of a cluster (row) that one cluster of the other clustering holds."""
    sizes = t.sum(axis=1)
    return float((t.max(axis=1)[sizes > 0] / sizes[sizes > 0]).min(initial=1.0))


def _counts(labels: Codes, predicted: Codes, n_clusters: int) -> NDArray[np.int64]:
    """Objects of each cluster that are predicted to be in each; outliers of either are ignored."""
    width = max(int(predicted.max(initial=0)) + 1, 1)
    both = (labels >= 0) & (predicted >= 0)
    cells = labels[both].astype(np.int64) * width + predicted[both]
    return np.bincount(cells, minlength=n_clusters * width).reshape(n_clusters, width)


def best_matches(
    labels: Codes, resample_labels: Codes, n_clusters: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Largest Jaccard similarity of each cluster with a resample's, and the objects in both.

    NaN for a cluster without objects. Outliers of ``labels`` are ignored. An outlier of
    ``resample_labels`` matches no cluster, but counts in the cluster that it is in by ``labels``.
    """
    counts = _counts(labels, resample_labels, n_clusters)
    sizes = np.bincount(labels[labels >= 0], minlength=n_clusters)
    union = sizes[:, None] + counts.sum(axis=0) - counts
    similarity = counts / np.maximum(union, 1)
    best = np.where(sizes > 0, similarity.max(axis=1), np.nan)
    return best, (labels >= 0) & (resample_labels == similarity.argmax(axis=1)[labels])


def least_share(labels: Codes, predicted: Codes) -> float:
    """Share of the pairs of a cluster that are predicted together, for the worst cluster."""
    counts = _counts(labels, predicted, int(labels.max(initial=-1)) + 1)
    sizes = np.bincount(labels[labels >= 0])
    together = (counts * (counts - 1)).sum(axis=1)[sizes > 1]
    return float((together / (sizes * (sizes - 1))[sizes > 1]).min(initial=1.0))
