"""Many clusterers on many data sets, compared by statistics that allow for chance and for tries."""

from sortal.bench.agreement import rank_agreement
from sortal.bench.benchmark import Benchmark
from sortal.bench.comparison import Comparison, compare_methods
from sortal.bench.folder import read_folder
from sortal.bench.prototypes import KPrototypes
from sortal.bench.rank_tests import average_ranks
from sortal.bench.statistics import expected_best, mean_interval

__all__ = [
    "Benchmark",
    "Comparison",
    "KPrototypes",
    "average_ranks",
    "compare_methods",
    "expected_best",
    "mean_interval",
    "rank_agreement",
    "read_folder",
]
