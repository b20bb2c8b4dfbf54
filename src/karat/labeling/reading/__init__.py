"""Clarity by reading: what a person or a model learns from a clustering, by names and intruders."""

from karat.labeling.reading.chat import ChatModel, chat_model
from karat.labeling.reading.clarity import clarity_by_reading
from karat.labeling.reading.correction import CorrectedClarity, correct_reading
from karat.labeling.reading.desk import ReadingDesk
from karat.labeling.reading.display import shown_by
from karat.labeling.reading.interview import Cost, Interview
from karat.labeling.reading.intruders import IntruderRound, Intrusion, draw_intruders, intruder_test
from karat.labeling.reading.rounds import Round, draw_round
from karat.labeling.reading.score import ClarityByReading, agreement_of_readers

__all__ = [
    "ChatModel",
    "ClarityByReading",
    "CorrectedClarity",
    "Cost",
    "Interview",
    "IntruderRound",
    "Intrusion",
    "ReadingDesk",
    "Round",
    "agreement_of_readers",
    "chat_model",
    "clarity_by_reading",
    "correct_reading",
    "draw_intruders",
    "draw_round",
    "intruder_test",
    "shown_by",
]
