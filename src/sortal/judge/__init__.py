"""The learned judge: what it reads of candidate partitions, and how it scores them."""

from sortal.judge.features import FEWEST_OBJECTS, Evidence, Traits, columns, gather
from sortal.judge.judgements import (
    NEAR,
    VERSION,
    Forest,
    Judge,
    Judgement,
    degenerate,
    doubt_of,
    interval_around,
    kind_of,
    load_judge,
    nearly_alike,
    set_back,
    shares,
)
from sortal.judge.label_likelihood import log_likelihood
from sortal.judge.settings import EvidenceSettings, JudgeSettings

__all__ = [
    "FEWEST_OBJECTS",
    "NEAR",
    "VERSION",
    "Evidence",
    "EvidenceSettings",
    "Forest",
    "Judge",
    "JudgeSettings",
    "Judgement",
    "Traits",
    "columns",
    "degenerate",
    "doubt_of",
    "gather",
    "interval_around",
    "kind_of",
    "load_judge",
    "log_likelihood",
    "nearly_alike",
    "set_back",
    "shares",
]
