"""Tests of differences between clusters that the same data were used to find.

Clusters differ because they were made to: a test that ignores this rejects on data without any.
Two kinds of test are valid. Data thinning divides every value into two independent parts, of which
one is clustered and the other tested. Conditional tests ask how often the same clusters would have
been found had their means been nearer.
"""

from karat.inference.conditional import conditional_test
from karat.inference.differences import Differences, clusters_differ, features_differ
from karat.inference.thinning import FAMILIES, thin

__all__ = [
    "FAMILIES",
    "Differences",
    "clusters_differ",
    "conditional_test",
    "features_differ",
    "thin",
]
