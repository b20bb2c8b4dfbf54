"""What is computed once for many clusterings: sums, orders and samples of the distances."""

from sortal.measures.passes.plan import STATISTICS
from sortal.measures.passes.statistics import Statistics

__all__ = ["STATISTICS", "Statistics"]
