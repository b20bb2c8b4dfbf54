"""Distances between the objects of one data set, a tile at a time; nothing n×n is stored.

``as_distances(X, metric)`` prepares the data once (centres, scales, normalises) and picks the way
to compute tiles: differences of coordinates, matrix products, blocks from SciPy, or a given
matrix. ``embed(X, metric)`` are rows whose Euclidean distance it is, where there are such rows.
"""

from sortal.distances._embedding import FORMS, embed
from sortal.distances._matrix import condensed, distance_matrix, square
from sortal.distances._metrics import (
    ALIASES,
    METRICS,
    PRODUCT_FEATURES,
    OfRows,
    as_distances,
    check_metric,
    check_points,
    distances_of_parts,
    metric_name,
    pair_distances,
)
from sortal.distances._objects import OBJECT_METRICS, object_distances
from sortal.distances._precomputed import ROWS_TO_ALL as ROWS_TO_ALL
from sortal.distances._precomputed import as_graph, as_square, triangle_violations
from sortal.distances._tiles import TILE_ROWS as TILE_ROWS
from sortal.distances._tiles import TILE_WIDTH as TILE_WIDTH
from sortal.distances._tiles import Direct, Distances, Precomputed, Product, StoredDistances
from sortal.distances.neighbors import PASS_PARTS as PASS_PARTS
from sortal.distances.neighbors import SCAN_ROWS as SCAN_ROWS
from sortal.distances.neighbors import NeighborLists, neighbor_lists, neighbors_of_some

#: values of ``metric`` for data given by their relations, not by features
RELATIONS = ("precomputed", "graph")

__all__ = [
    "ALIASES",
    "FORMS",
    "METRICS",
    "OBJECT_METRICS",
    "PRODUCT_FEATURES",
    "RELATIONS",
    "Direct",
    "Distances",
    "NeighborLists",
    "OfRows",
    "Precomputed",
    "Product",
    "StoredDistances",
    "as_distances",
    "as_graph",
    "as_square",
    "check_metric",
    "check_points",
    "condensed",
    "distance_matrix",
    "distances_of_parts",
    "embed",
    "metric_name",
    "neighbor_lists",
    "neighbors_of_some",
    "object_distances",
    "pair_distances",
    "square",
    "triangle_violations",
]
