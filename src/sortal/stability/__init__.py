"""Resampling methods: are clusters found again, compared with null references?"""

from sortal.nulls.references import draw_reference
from sortal.stability.assessment import Assessment, assess
from sortal.stability.calibrated import calibrated_stability
from sortal.stability.clusterwise import clusterwise_bootstrap
from sortal.stability.consensus import Consensus, consensus_matrix
from sortal.stability.curves import ben_hur, lange, levine_domany, prediction_strength
from sortal.stability.engine import Engine, halves, prepare, subsample, transfer
from sortal.stability.instability import fang_wang
from sortal.stability.number import ESTIMATORS, clest
from sortal.stability.result import ClusterStability, StabilityCurve
from sortal.stability.subsampling import subsampling

__all__ = [
    "ESTIMATORS",
    "Assessment",
    "ClusterStability",
    "Consensus",
    "Engine",
    "StabilityCurve",
    "assess",
    "ben_hur",
    "calibrated_stability",
    "clest",
    "clusterwise_bootstrap",
    "consensus_matrix",
    "draw_reference",
    "fang_wang",
    "halves",
    "lange",
    "levine_domany",
    "prediction_strength",
    "prepare",
    "subsample",
    "subsampling",
    "transfer",
]
