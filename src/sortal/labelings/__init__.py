"""Clusterings as data: hard, soft, overlapping and tree-shaped ones, and contingency tables.

``Labelings`` holds M clusterings of n objects as an (M, n) array of codes; judges take all of
them at once.
"""

from sortal.labelings.candidates import hard_labelings
from sortal.labelings.contingency import ContingencyTable, PairCounts
from sortal.labelings.labels import NOISE, NOISE_POLICIES, Encoded, apply_noise_policy, encode
from sortal.labelings.pairs import Constraints, as_constraints
from sortal.labelings.partitions import (
    Labelings,
    OverlappingPartition,
    SoftPartition,
    as_labelings,
    canonical_codes,
    cut_dendrogram,
)
from sortal.labelings.structures import Dendrogram

__all__ = [
    "NOISE",
    "NOISE_POLICIES",
    "Constraints",
    "ContingencyTable",
    "Dendrogram",
    "Encoded",
    "Labelings",
    "OverlappingPartition",
    "PairCounts",
    "SoftPartition",
    "apply_noise_policy",
    "as_constraints",
    "as_labelings",
    "canonical_codes",
    "cut_dendrogram",
    "encode",
    "hard_labelings",
]
