"""Clarity by reading: what a person or a model learns from a clustering, by names and intruders."""

from sortal_lab.reading.chat import ChatModel, chat_model
from sortal_lab.reading.clarity import clarity_by_reading
from sortal_lab.reading.correction import CorrectedClarity, correct_reading
from sortal_lab.reading.desk import ReadingDesk
from sortal_lab.reading.display import shown_by
from sortal_lab.reading.estimates import Estimate, prediction_powered_mean
from sortal_lab.reading.interview import Cost, Interview
from sortal_lab.reading.intruders import IntruderRound, Intrusion, draw_intruders, intruder_test
from sortal_lab.reading.rounds import Round, draw_round
from sortal_lab.reading.score import ClarityByReading, agreement_of_readers

__all__ = [
    "ChatModel",
    "ClarityByReading",
    "CorrectedClarity",
    "Cost",
    "Estimate",
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
    "prediction_powered_mean",
    "shown_by",
]
