"""Meaning of clusters: a rule that separates each from the rest, a name, central objects."""

from karat.meaning.description import ClusterDescription, describe_clusters
from karat.meaning.effects import Telling
from karat.meaning.features import Condition, Rule

__all__ = ["ClusterDescription", "Condition", "Rule", "Telling", "describe_clusters"]
