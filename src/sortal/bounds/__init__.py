"""Guarantees that a few labels give about clusterings."""

from sortal.bounds import languages as languages
from sortal.bounds.claims import Claim, Claims, claims
from sortal.bounds.classifiers import ComponentBound, Learner, TransductiveClassifier
from sortal.bounds.confidence_sequence import b_always, most_errors
from sortal.bounds.contradictions import picked_values
from sortal.bounds.forecast import (
    BoundForecast,
    LabelForecast,
    forecast_bounds,
    forecast_labels,
)
from sortal.bounds.guarantees import Guarantee, LabelSequence, guarantee
from sortal.bounds.ledger import Ledger, LedgerEntry, question_of
from sortal.bounds.multiplicity import holm
from sortal.bounds.pac_mdl import PacMdlBound, PacMdlBounds, pac_mdl_bound
from sortal.bounds.pairs import kept_pairs
from sortal.bounds.row_classes import RowClasses
from sortal.bounds.sampling import Doubt, doubted_draw, sample, sample_more, sampling_warnings
from sortal.bounds.search_bounds import Searched, study_bounds, study_guarantee
from sortal.bounds.sequential import Starts
from sortal.bounds.stopping import StoppingLine, stopping_line
from sortal.bounds.tails import b_max, binomial_tail_bound, bucket, log_bucket
from sortal.runtime.numerals import percent_up

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
    "StoppingLine",
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
    "holm",
    "kept_pairs",
    "languages",
    "log_bucket",
    "most_errors",
    "pac_mdl_bound",
    "percent_up",
    "picked_values",
    "question_of",
    "sample",
    "sample_more",
    "sampling_warnings",
    "stopping_line",
    "study_bounds",
    "study_guarantee",
]
