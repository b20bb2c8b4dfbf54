"""The learned judge: what it reads of candidate partitions, and how it scores them."""

from sortal.judge.features import FEWEST_OBJECTS, Evidence, gather
from sortal.judge.judgements import VERSION, Judge, Judgement, load_judge

__all__ = [
    "FEWEST_OBJECTS",
    "VERSION",
    "Evidence",
    "Judge",
    "Judgement",
    "gather",
    "load_judge",
]
