"""Clusterings as data: hard, soft, overlapping and tree-shaped ones, and contingency tables.

``Labelings`` holds M clusterings of n objects as an (M, n) array of codes; judges take all of
them at once.
"""

from karat.labelings.candidates import hard_labelings
from karat.labelings.contingency import ContingencyTable, PairCounts
from karat.labelings.labels import NOISE, NOISE_POLICIES, Encoded, apply_noise_policy, encode
from karat.labelings.partitions import (
    Labelings,
    OverlappingPartition,
    SoftPartition,
    as_labelings,
    canonical_codes,
    cut_dendrogram,
)
from karat.labelings.structures import Dendrogram

__all__ = [
    "NOISE",
    "NOISE_POLICIES",
    "ContingencyTable",
    "Dendrogram",
    "Encoded",
    "Labelings",
    "OverlappingPartition",
    "PairCounts",
    "SoftPartition",
    "apply_noise_policy",
    "as_labelings",
    "canonical_codes",
    "cut_dendrogram",
    "encode",
    "hard_labelings",
]
