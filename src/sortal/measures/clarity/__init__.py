"""Clarity: can the clusters be learned? Informativeness and related scores."""

from sortal.measures.clarity.assessment import Clarity, assess
from sortal.measures.clarity.classifiers import (
    THESIS,
    Classifier,
    KNearestNeighbors,
    NearestCentroid,
    Refit,
    SupportVectorMachine,
)
from sortal.measures.clarity.scores import (
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
