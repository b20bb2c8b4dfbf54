"""Meaning of clusters: a rule that separates each from the rest, a name, central objects."""

from sortal.meaning.description import ClusterDescription, describe_clusters
from sortal.meaning.effects import Telling
from sortal.meaning.features import Condition, Rule

__all__ = ["ClusterDescription", "Condition", "Rule", "Telling", "describe_clusters"]
