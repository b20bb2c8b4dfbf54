"""What a few labels guarantee about clusterings."""

from karat.bounds import languages as languages
from karat.bounds._advice import LabelAdvice, advise
from karat.bounds._bound import PacMdlBound, PacMdlBounds, pac_mdl_bound
from karat.bounds._dendrogram import CountedPruning, Pruning, prune_dendrogram
from karat.bounds._entities import (
    EntityEstimates,
    entity_estimates,
    entity_estimates_from_parquet,
)
from karat.bounds._forecast import LabelForecast, forecast_labels
from karat.bounds._guarantee import Guarantee, guarantee
from karat.bounds._halves import Part
from karat.bounds._picked import Picked
from karat.bounds._powered import Estimate, prediction_powered_mean
from karat.bounds._prunings import random_prunings
from karat.bounds._sampling import sample, sampling_warnings
from karat.bounds._sequence import b_always
from karat.bounds._strata import (
    StratifiedBound,
    allocate,
    stratified_bound,
    stratified_sample,
)
from karat.bounds._study import OpenEnded, Searched, bound_candidates, study_bounds, study_guarantee
from karat.bounds._supervised import binomial_tail_bound, supervised_yardstick
from karat.bounds._tails import b_max, bucket, log_bucket
from karat.bounds._words import percent_up

__all__ = [
    "CountedPruning",
    "EntityEstimates",
    "Estimate",
    "Guarantee",
    "LabelAdvice",
    "LabelForecast",
    "OpenEnded",
    "PacMdlBound",
    "PacMdlBounds",
    "Part",
    "Picked",
    "Pruning",
    "Searched",
    "StratifiedBound",
    "advise",
    "allocate",
    "b_always",
    "b_max",
    "binomial_tail_bound",
    "bound_candidates",
    "bucket",
    "entity_estimates",
    "entity_estimates_from_parquet",
    "forecast_labels",
    "guarantee",
    "languages",
    "log_bucket",
    "pac_mdl_bound",
    "percent_up",
    "prediction_powered_mean",
    "prune_dendrogram",
    "random_prunings",
    "sample",
    "sampling_warnings",
    "stratified_bound",
    "stratified_sample",
    "study_bounds",
    "study_guarantee",
    "supervised_yardstick",
]
