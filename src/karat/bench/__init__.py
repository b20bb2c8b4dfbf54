"""Many clusterers on many data sets, compared by statistics that allow for chance and for tries."""

from karat.bench.agreement import rank_agreement
from karat.bench.benchmark import Benchmark
from karat.bench.comparison import Comparison, compare_methods
from karat.bench.folder import read_folder
from karat.bench.rank_tests import (
    Friedman,
    average_ranks,
    bayesian_signed_rank,
    critical_difference,
    friedman_test,
    nemenyi_difference,
    pairwise_wilcoxon,
)
from karat.bench.statistics import expected_best, mean_interval

__all__ = [
    "Benchmark",
    "Comparison",
    "Friedman",
    "average_ranks",
    "bayesian_signed_rank",
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
