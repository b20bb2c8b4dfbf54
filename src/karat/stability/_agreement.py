"""How alike two clusterings of the same objects are, from integer codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.int32]


def table(one: Codes, other: Codes) -> NDArray[np.int64]:
    """Counts of the objects in each pair of clusters; outliers are singletons."""
    one, other = _singletons(one), _singletons(other)
    shape = int(one.max(initial=-1)) + 1, int(other.max(initial=-1)) + 1
    cells = one.astype(np.int64) * shape[1] + other
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)


def _singletons(codes: Codes) -> NDArray[Any]:
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


def least_kept(one: Codes, other: Codes) -> float:
    """Share of the objects of the worst cluster that one cluster there holds; mean of both ways.

    One cluster that is split, or joined with another, lowers it however many are left alone.
    """
    t = table(one, other)
    return (worst_held(t) + worst_held(t.T)) / 2


def worst_held(t: NDArray[np.int64]) -> float:
    """The least share of a cluster (row) that one cluster there holds."""
    sizes = t.sum(axis=1)
    return float((t.max(axis=1)[sizes > 0] / sizes[sizes > 0]).min(initial=1.0))
