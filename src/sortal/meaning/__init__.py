"""Meaning of clusters: a rule that separates each from the rest, a name, central objects."""

from sortal.meaning.description import ClusterDescription, describe_clusters
from sortal.meaning.effects import Telling
from sortal.meaning.features import Condition, Feature, Rule

__all__ = ["ClusterDescription", "Condition", "Feature", "Rule", "Telling", "describe_clusters"]
