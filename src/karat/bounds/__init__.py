"""What a few labels guarantee about clusterings."""

from karat.bounds import codes as codes
from karat.bounds import languages as languages
from karat.bounds.claims import Claim, Claims, claims
from karat.bounds.classifiers import Classifier, Learner, Part
from karat.bounds.confidence_sequence import b_always
from karat.bounds.dendrogram import CountedPruning, Pruning, prune_dendrogram, random_prunings
from karat.bounds.entities import (
    EntityEstimates,
    entity_estimates,
    entity_estimates_from_parquet,
)
from karat.bounds.forecast import LabelAdvice, LabelForecast, advise, forecast_labels
from karat.bounds.guarantees import Guarantee, LabelSequence, guarantee
from karat.bounds.pac_mdl import PacMdlBound, PacMdlBounds, pac_mdl_bound
from karat.bounds.pairs import kept_pairs
from karat.bounds.prediction_powered import Estimate, prediction_powered_mean
from karat.bounds.sampling import Doubt, Picked, doubted_draw, sample, sampling_warnings
from karat.bounds.sequential import Starts
from karat.bounds.strata import (
    StratifiedBound,
    allocate,
    stratified_bound,
    stratified_sample,
)
from karat.bounds.study import OpenEnded, Searched, bound_candidates, study_bounds, study_guarantee
from karat.bounds.tails import b_max, bucket, log_bucket
from karat.bounds.wording import percent_up
from karat.bounds.yardstick import binomial_tail_bound, supervised_yardstick

__all__ = [
    "Claim",
    "Claims",
    "Classifier",
    "CountedPruning",
    "Doubt",
    "EntityEstimates",
    "Estimate",
    "Guarantee",
    "LabelAdvice",
    "LabelForecast",
    "LabelSequence",
    "Learner",
    "OpenEnded",
    "PacMdlBound",
    "PacMdlBounds",
    "Part",
    "Picked",
    "Pruning",
    "Searched",
    "Starts",
    "StratifiedBound",
    "advise",
    "allocate",
    "b_always",
    "b_max",
    "binomial_tail_bound",
    "bound_candidates",
    "bucket",
    "claims",
    "codes",
    "doubted_draw",
    "entity_estimates",
    "entity_estimates_from_parquet",
    "forecast_labels",
    "guarantee",
    "kept_pairs",
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
