"""Ways of choosing a clustering without labels: the learned judge, what it reads, its training."""

from karat.choice.features import FEWEST_OBJECTS, Evidence, gather
from karat.choice.judge import VERSION, Judge, Judgement, load_judge

__all__ = ["FEWEST_OBJECTS", "VERSION", "Evidence", "Judge", "Judgement", "gather", "load_judge"]
