"""Clarity: can the clusters be learned? Informativeness and related scores."""

from karat.measures.clarity.assessment import Clarity, assess
from karat.measures.clarity.classifiers import (
    THESIS,
    Classifier,
    KNearestNeighbors,
    NearestCentroid,
    Refit,
    SupportVectorMachine,
)
from karat.measures.clarity.scores import (
    Recognition,
    informativeness_of_predictions,
    recognition_of_predictions,
)

__all__ = [
    "THESIS",
    "Clarity",
    "Classifier",
    "KNearestNeighbors",
    "NearestCentroid",
    "Recognition",
    "Refit",
    "SupportVectorMachine",
    "assess",
    "informativeness_of_predictions",
    "recognition_of_predictions",
]
