"""Many clusterers on many data sets, compared by statistics that allow for chance and for tries."""

from karat.bench.agreement import rank_agreement
from karat.bench.benchmark import Benchmark
from karat.bench.comparison import Comparison, compare_methods
from karat.bench.folder import read_folder
from karat.bench.prototypes import KPrototypes
from karat.bench.rank_tests import average_ranks
from karat.bench.statistics import expected_best, mean_interval

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
