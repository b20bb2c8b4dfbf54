"""Many clusterers on many data sets, compared by statistics that allow for chance and for tries."""

from sortal.bench.agreement import rank_agreement
from sortal.bench.benchmark import Benchmark
from sortal.bench.comparison import Comparison, compare_methods
from sortal.bench.folder import read_folder
from sortal.bench.prototypes import KPrototypes
from sortal.bench.rank_tests import (
    Friedman,
    average_ranks,
    critical_difference,
    friedman_test,
    nemenyi_difference,
    pairwise_wilcoxon,
)
from sortal.bench.statistics import expected_best, mean_interval

__all__ = [
    "Benchmark",
    "Comparison",
    "Friedman",
    "KPrototypes",
    "average_ranks",
    "compare_methods",
    "critical_difference",
    "expected_best",
    "friedman_test",
    "mean_interval",
    "nemenyi_difference",
    "pairwise_wilcoxon",
    "rank_agreement",
    "read_folder",
]
