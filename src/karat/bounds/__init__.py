"""PAC-MDL bounds: what a few labels guarantee about a clustering."""

from karat.bounds import languages as languages
from karat.bounds._bound import PacMdlBound, PacMdlBounds, pac_mdl_bound
from karat.bounds._dendrogram import CountedPruning, Pruning, prune_dendrogram
from karat.bounds._sampling import sample, sampling_warnings
from karat.bounds._study import Searched, bound_candidates, study_bounds
from karat.bounds._tails import b_max, bucket, log_bucket

__all__ = [
    "CountedPruning",
    "PacMdlBound",
    "PacMdlBounds",
    "Pruning",
    "Searched",
    "b_max",
    "bound_candidates",
    "bucket",
    "languages",
    "log_bucket",
    "pac_mdl_bound",
    "prune_dendrogram",
    "sample",
    "sampling_warnings",
    "study_bounds",
]
