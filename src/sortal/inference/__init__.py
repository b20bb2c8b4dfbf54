"""Tests of differences between clusters found in the same data.

Clustering makes clusters differ, so a naive test rejects even on data without clusters. Data
thinning divides every value into two independent parts; one is clustered and the other tested.
"""

from sortal.inference.differences import Differences, compared, differences, premises_of
from sortal.inference.premises import check_premises
from sortal.inference.thinning import FAMILIES, mixture_covariance, thin

__all__ = [
    "FAMILIES",
    "Differences",
    "check_premises",
    "compared",
    "differences",
    "mixture_covariance",
    "premises_of",
    "thin",
]
