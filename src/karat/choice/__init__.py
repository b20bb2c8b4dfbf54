"""Ways of choosing a clustering without labels: the learned judge, what it reads, its training."""

from karat.choice.features import FEWEST_OBJECTS, Evidence, gather
from karat.choice.judge import VERSION, Judge, Judgement, load_judge
from karat.choice.measure_map import MeasureMap, load_map
from karat.choice.recommended import Recommendation, recommend

__all__ = [
    "FEWEST_OBJECTS",
    "VERSION",
    "Evidence",
    "Judge",
    "Judgement",
    "MeasureMap",
    "Recommendation",
    "gather",
    "load_judge",
    "load_map",
    "recommend",
]
