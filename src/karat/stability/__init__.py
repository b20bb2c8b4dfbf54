"""Resampling methods: are clusters found again, compared with null references?"""

from karat.nulls.references import draw_reference
from karat.stability.assessment import Assessment, assess
from karat.stability.calibrated import calibrated_stability
from karat.stability.clusterwise import clusterwise_bootstrap
from karat.stability.consensus import Consensus, consensus_matrix
from karat.stability.curves import ben_hur, lange, levine_domany, prediction_strength
from karat.stability.instability import fang_wang
from karat.stability.number import ESTIMATORS, clest
from karat.stability.result import ClusterStability, StabilityCurve
from karat.stability.subsampling import subsampling

__all__ = [
    "ESTIMATORS",
    "Assessment",
    "ClusterStability",
    "Consensus",
    "StabilityCurve",
    "assess",
    "ben_hur",
    "calibrated_stability",
    "clest",
    "clusterwise_bootstrap",
    "consensus_matrix",
    "draw_reference",
    "fang_wang",
    "lange",
    "levine_domany",
    "prediction_strength",
    "subsampling",
]
