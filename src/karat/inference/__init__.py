"""Tests of differences between clusters that the same data were used to find.

Clusters differ because they were made to: a test that ignores this rejects on data without any.
Three kinds of test are valid. Data thinning divides every value into two independent parts, of
which one is clustered and the other tested. Conditional tests ask how often the same clusters would
have been found had their means been nearer. Splitting finds a direction with some of the objects,
and asks whether the others have one mode along it.
"""

from karat.inference.conditional import conditional_test
from karat.inference.differences import Differences, compared, differences, premises_of
from karat.inference.thinning import FAMILIES, mixture_covariance, thin
from karat.inference.unimodality import MoreThanOne, more_than_one

__all__ = [
    "FAMILIES",
    "Differences",
    "MoreThanOne",
    "compared",
    "conditional_test",
    "differences",
    "mixture_covariance",
    "more_than_one",
    "premises_of",
    "thin",
]
