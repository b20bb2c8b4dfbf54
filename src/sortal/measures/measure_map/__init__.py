"""The map of the measures: their rank correlations, and the families that follow from them."""

from sortal.measures.measure_map.families import cut, rank_correlation, tree
from sortal.measures.measure_map.maps import (
    DATA_GROUPS,
    DATA_KINDS,
    SAME_CORRELATION,
    MeasureMap,
    grouped,
    load_map,
    recommend,
)

__all__ = [
    "DATA_GROUPS",
    "DATA_KINDS",
    "SAME_CORRELATION",
    "MeasureMap",
    "cut",
    "grouped",
    "load_map",
    "rank_correlation",
    "recommend",
    "tree",
]
