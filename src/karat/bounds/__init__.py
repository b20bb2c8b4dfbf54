"""Guarantees that a few labels give about clusterings."""

from karat.bounds import languages as languages
from karat.bounds.claims import Claim, Claims, claims
from karat.bounds.classifiers import ComponentBound, Learner, TransductiveClassifier
from karat.bounds.confidence_sequence import b_always
from karat.bounds.forecast import (
    BoundForecast,
    LabelForecast,
    forecast_bounds,
    forecast_labels,
)
from karat.bounds.guarantees import Guarantee, LabelSequence, guarantee
from karat.bounds.ledger import Ledger, LedgerEntry, question_of
from karat.bounds.pac_mdl import PacMdlBound, PacMdlBounds, pac_mdl_bound
from karat.bounds.pairs import kept_pairs
from karat.bounds.row_classes import RowClasses
from karat.bounds.sampling import Doubt, doubted_draw, sample, sample_more
from karat.bounds.search_bounds import Searched, study_bounds, study_guarantee
from karat.bounds.sequential import Starts
from karat.bounds.tails import b_max, binomial_tail_bound, bucket, log_bucket
from karat.bounds.wording import percent_up

__all__ = [
    "BoundForecast",
    "Claim",
    "Claims",
    "ComponentBound",
    "Doubt",
    "Guarantee",
    "LabelForecast",
    "LabelSequence",
    "Learner",
    "Ledger",
    "LedgerEntry",
    "PacMdlBound",
    "PacMdlBounds",
    "RowClasses",
    "Searched",
    "Starts",
    "TransductiveClassifier",
    "b_always",
    "b_max",
    "binomial_tail_bound",
    "bucket",
    "claims",
    "doubted_draw",
    "forecast_bounds",
    "forecast_labels",
    "guarantee",
    "kept_pairs",
    "languages",
    "log_bucket",
    "pac_mdl_bound",
    "percent_up",
    "question_of",
    "sample",
    "sample_more",
    "study_bounds",
    "study_guarantee",
]
