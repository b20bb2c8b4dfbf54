"""Sums over the edges of a graph, for each of M clusterings of its nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sortal.labelings.labels import NOISE

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from sortal.typing import Floats, Ints


@dataclass(frozen=True)
class EdgeSums:
    """Edge sums of one clustering of a graph, over its judged nodes.

    Attributes
    ----------
    sizes : ndarray of int, shape (k,)
        Nodes in each cluster.
    within : ndarray, shape (k,)
        Weight of the edges within each cluster; each edge counts twice.
    volumes : ndarray, shape (k,)
        Sum of the weighted degrees of each cluster's nodes.
    n_edges : int
        Number of edges among the judged nodes.
    entropy : float
        −Σ p log2 p of the nodes' shares p of all degrees.
    """

    sizes: NDArray[np.int64]
    within: Floats
    volumes: Floats
    n_edges: int
    entropy: float

    @property
    def cut(self) -> Floats:
        """Weight of the edges that leave each cluster."""
        return np.maximum(self.volumes - self.within, 0)


def edge_sums(A: csr_array, codes: NDArray[np.int32], k: int) -> EdgeSums:
    """Sums over the edges of ``A``, a result of :func:`sortal.distances.as_graph`; O(edges)."""
    source, target = np.repeat(codes, np.diff(A.indptr)), codes[A.indices]
    is_counted = (source != NOISE) & (target != NOISE)
    same = is_counted & (source == target)
    weights = np.asarray(A.data, dtype=np.float64)
    rows = np.repeat(np.arange(len(codes)), np.diff(A.indptr))
    degrees = _sums(rows[is_counted], weights[is_counted], len(codes))
    judged = codes != NOISE
    shares = degrees[judged & (degrees > 0)] / (degrees.sum() or 1.0)
    return EdgeSums(
        np.bincount(codes[judged], minlength=k),
        _sums(source[same], weights[same], k),
        _sums(codes[judged], degrees[judged], k),
        int(is_counted.sum()) // 2,
        float(-(shares * np.log2(shares)).sum()),
    )


def _sums(groups: Ints, weights: Floats, k: int) -> Floats:
    """Sums of the weights by group."""
    return np.bincount(groups, weights, minlength=k).astype(np.float64)
