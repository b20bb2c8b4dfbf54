"""Tests of differences between clusters found in the same data.

Clustering makes clusters differ, so a naive test rejects even on data without clusters. Three kinds
of test are valid. Data thinning divides every value into two independent parts; one is clustered
and the other tested. Conditional tests ask how often the same clusters would appear if their means
were nearer. Splitting finds a direction with part of the objects and tests whether the rest have
one mode along it.
"""

from karat.inference.conditional import conditional_test
from karat.inference.differences import Differences, compared, differences, premises_of
from karat.inference.premises import check_premises
from karat.inference.thinning import FAMILIES, mixture_covariance, thin

__all__ = [
    "FAMILIES",
    "Differences",
    "check_premises",
    "compared",
    "conditional_test",
    "differences",
    "mixture_covariance",
    "premises_of",
    "thin",
]
