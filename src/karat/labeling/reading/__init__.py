"""Clarity by reading: what a person or a model learns from a clustering, by names and intruders."""

from karat.labeling.reading.clarity import ClarityByReading, clarity_by_reading
from karat.labeling.reading.interview import Cost
from karat.labeling.reading.intruders import Intrusion, intruder_test
from karat.labeling.reading.rounds import Round, draw_round

__all__ = [
    "ClarityByReading",
    "Cost",
    "Intrusion",
    "Round",
    "clarity_by_reading",
    "draw_round",
    "intruder_test",
]
