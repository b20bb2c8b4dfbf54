"""Clarity by reading: what a person or a model learns from a clustering, by names and intruders."""

from karat_lab.reading.chat import ChatModel, chat_model
from karat_lab.reading.clarity import clarity_by_reading
from karat_lab.reading.correction import CorrectedClarity, correct_reading
from karat_lab.reading.desk import ReadingDesk
from karat_lab.reading.display import shown_by
from karat_lab.reading.estimates import Estimate, prediction_powered_mean
from karat_lab.reading.interview import Cost, Interview
from karat_lab.reading.intruders import IntruderRound, Intrusion, draw_intruders, intruder_test
from karat_lab.reading.rounds import Round, draw_round
from karat_lab.reading.score import ClarityByReading, agreement_of_readers

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
