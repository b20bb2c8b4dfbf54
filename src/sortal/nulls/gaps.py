"""Gaps between groups of any shape: how far the density falls on the densest way between two.

k-means cuts across long groups side by side, and its pieces of neighbouring groups may have no
valley between them. A tree of the neighbours follows such groups.
"""

from __future__ import annotations

from math import ceil, log

import numpy as np
from scipy.spatial import cKDTree

from sortal._kernels.spanning_trees import euclidean_tree, root
from sortal.nulls.settings import GAPS, GapSettings
from sortal.typing import Floats

__all__ = ["find_gaps"]


def find_gaps(Z: Floats, settings: GapSettings = GAPS) -> tuple[float, int]:
    """Find the gap with the most contrast, and the number of groups that gaps separate.

    Objects join along a minimum spanning tree. An edge is at least as long as the distance of both
    its objects from their fifth neighbour (Campello, Moulavi & Sander 2013). Two groups that join
    have a contrast: the logarithm of the density at which half of the sparser group had joined,
    over that at which they join. A group has at least 3 % of the objects. The density of the median
    object counts as that of a group: a clump is no group if its distance from the rest is usual.
    In r dimensions the density is the distance to the power -r. The dimension is the local one of
    Levina & Bickel 2005.

    Parameters
    ----------
    Z : ndarray of float64, shape (n, r)
        Coordinates of distinct objects.
    settings : GapSettings

    Returns
    -------
    (float, int)
        The contrast, 0 for too few objects, and the number of groups, at least 1.

    Notes
    -----
    O(n² r) time, O(n) memory.
    """
    n, r = Z.shape
    least = max(ceil(settings.min_share * n), settings.min_objects)
    if n < 2 * least or r == 0:
        return 0.0, 1
    near = cKDTree(Z).query(Z, settings.dimension_neighbours + 1)[0][:, 1:]
    core = near[:, settings.core_neighbour - 1]
    edges, squares = euclidean_tree(np.ascontiguousarray(Z), np.square(core))
    order = np.argsort(squares, kind="stable")
    joined = _Joined(n)
    usual, dimension = float(np.median(core)), _local_dimension(near)
    contrast, groups = 0.0, 1
    for (i, j), length in zip(edges[order].tolist(), np.sqrt(squares[order]).tolist(), strict=True):
        nodes = root(joined.above, i), root(joined.above, j)
        small, large = sorted(nodes, key=joined.size.__getitem__)
        if joined.size[small] >= least:
            typical = max(joined.half_length(small), joined.half_length(large), usual, 1e-300)
            edge_contrast = dimension * log(max(length, typical) / typical)
            contrast = max(contrast, edge_contrast)
            if edge_contrast >= settings.enough_contrast:
                groups, length = groups + 1, typical  # a gap is no distance within a group
        joined.join(small, large, length)
    return contrast, groups


class _Joined:
    """Groups of objects that have joined: the nodes of a dendrogram, with the way to its root."""

    def __init__(self, n: int) -> None:
        self.size = [1] * n
        #: length of the edge that made the node, the larger of its parts, and the node above
        self.length = [0.0] * n
        self.larger = list(range(n))
        self.above = np.arange(2 * n - 1)

    def join(self, small: int, large: int, length: float) -> None:
        """Make a node of two."""
        node = len(self.size)
        self.above[small] = self.above[large] = node
        self.size.append(self.size[small] + self.size[large])
        self.length.append(length)
        self.larger.append(large)

    def half_length(self, node: int) -> float:
        """Length of the edge by which half of the objects of a node had joined."""
        half = self.size[node] / 2
        while self.size[self.larger[node]] >= half and self.larger[node] != node:
            node = self.larger[node]
        return self.length[node]


def _local_dimension(near: Floats) -> float:
    """Dimension of the data by the distances of each object's neighbours, in ascending order.

    The mean over the objects is of the inverse dimensions (MacKay & Ghahramani 2005).
    """
    near = np.maximum(near, 1e-300)
    return 1 / max(float(np.log(near[:, -1:] / near[:, :-1]).mean()), 1e-9)
