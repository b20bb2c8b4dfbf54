"""External measures beside scikit-learn, genieclust, pandas and DuckDB.

``python -m benchmarks.external [labels] [ami] [strings] [agreement] [intervals]``: all
parts, or those that are named.
"""

from __future__ import annotations

import multiprocessing
import resource
import statistics
import sys
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import sortal


def seconds(function: Callable[[], Any]) -> float:
    began = time.perf_counter()
    function()
    return time.perf_counter() - began


def alternated(one: Callable[[], Any], other: Callable[[], Any], runs: int) -> tuple[float, float]:
    """Median seconds of both, run in turn."""
    pairs = [(seconds(one), seconds(other)) for _ in range(runs)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def show(what: str, ours: float, theirs: float, peer: str, wanted: str) -> None:
    print(
        f"{what:44s} sortal {ours:9.4f} s | {peer} {theirs:9.4f} s | "
        f"ratio {theirs / ours:9.1f} (wanted {wanted})",
        flush=True,
    )


def eight_measures(true: Any, pred: Any) -> list[float]:
    table = sortal.ContingencyTable(true, pred)
    return [
        sortal.normalized_mutual_information(table),
        sortal.adjusted_mutual_information(table),
        sortal.adjusted_rand_index(table),
        sortal.v_measure(table),
        sortal.fowlkes_mallows_index(table),
        sortal.variation_of_information(table),
        sortal.purity(table),
        sortal.matching_accuracy(table),
    ]


def ten_million(dtype: Any = np.int64) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    true = rng.integers(0, 20, 10_000_000)
    pred = np.where(rng.random(10_000_000) < 0.5, true, rng.integers(0, 20, 10_000_000))
    # labels with gaps and an offset, so that none can serve as a code
    return (true * 7 + 1000).astype(dtype), (pred * 3 - 50).astype(dtype)


def peak_beyond_inputs(queue: Any) -> None:
    true, pred = ten_million()
    eight_measures(true[:1000], pred[:1000])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # the peak while the inputs were made hides what is below it: fill it up first
    now = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024
    padding = np.ones(max(before - now, 0) * 1024, dtype=np.uint8)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    eight_measures(true, pred)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    queue.put((after - before) / 1024 if padding.size >= 0 else 0.0)


def labels() -> None:
    eight_measures([0, 1], [0, 1])
    for dtype in (np.int64, np.int32):
        beside_peers(*ten_million(dtype), np.dtype(dtype).name)
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    child = context.Process(target=peak_beyond_inputs, args=(queue,))
    child.start()
    print(f"peak memory beyond the inputs: {queue.get():.0f} MiB (wanted: below 100 MB)")
    child.join()


def beside_peers(true: Any, pred: Any, name: str) -> None:
    from sklearn import metrics

    what = f"8 measures, n = 10^7, {name}"
    ours = statistics.median(seconds(lambda: eight_measures(true, pred)) for _ in range(7))
    if name == "int64":
        functions = (
            metrics.normalized_mutual_info_score,
            metrics.adjusted_mutual_info_score,
            metrics.adjusted_rand_score,
            metrics.v_measure_score,
            metrics.fowlkes_mallows_score,
        )
        theirs = sum(seconds(lambda f=f: f(true, pred)) for f in functions)
        show(what, ours, theirs, "scikit-learn's 5", "100")
    try:
        from genieclust import compare_partitions
    except ImportError:
        print("genieclust is not installed")
        return
    ours, theirs = alternated(
        lambda: eight_measures(true, pred),
        lambda: compare_partitions.adjusted_rand_score(true, pred),
        9,
    )
    show(what, ours, theirs, "genieclust's ARI", "3")


def ami() -> None:
    rng = np.random.default_rng(0)
    sizes = np.arange(1, 601)
    distinct = np.repeat(sizes, sizes)
    expectation("600 clusters of distinct sizes", distinct, rng.permutation(distinct), "50")
    random = rng.integers(0, 1000, (2, 1_000_000))
    expectation("k = t = 1,000 random, n = 10^6", random[0], random[1], "1000")


def expectation(what: str, true: Any, pred: Any, wanted: str) -> None:
    from sklearn.metrics import adjusted_mutual_info_score

    table = sortal.ContingencyTable(true, pred)
    sortal.adjusted_mutual_information(table)
    ours = statistics.median(
        seconds(lambda: sortal.adjusted_mutual_information(true, pred)) for _ in range(9)
    )
    theirs = seconds(lambda: adjusted_mutual_info_score(true, pred))
    show(f"AMI, {what}", ours, theirs, "scikit-learn", wanted)


def strings() -> None:
    import pandas as pd

    rng = np.random.default_rng(0)
    names = np.array([f"cluster number {i}" for i in range(20)], dtype=object)
    sides = [names[rng.integers(0, 20, 5_000_000)] for _ in "12"]
    kinds: dict[str, Callable[[Any], Any]] = {
        "object": lambda a: a,
        "categorical": lambda a: pd.Series(a, dtype="category"),
        "Arrow": lambda a: pd.Series(a, dtype="string[pyarrow]"),
    }
    for kind, make in kinds.items():
        true, pred = (make(side) for side in sides)
        ours, theirs = alternated(
            lambda true=true, pred=pred: sortal.ContingencyTable(true, pred),
            lambda true=true, pred=pred: (pd.factorize(true), pd.factorize(pred)),
            5,
        )
        print(
            f"table of {kind + ' labels, n = 5·10^6':36s} sortal {ours:7.4f} s | pandas.factorize "
            f"twice {theirs:7.4f} s | share {ours / theirs:5.2f} (wanted: 1.3 at most)"
        )


def agreement(labelings: int = 200, n: int = 100_000, pairs: int = 300) -> None:
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    rng = np.random.default_rng(0)
    batch = np.array([rng.integers(0, 2 + m % 19, n) for m in range(labelings)])
    all_pairs = list(combinations(range(labelings), 2))
    some = [all_pairs[i] for i in rng.choice(len(all_pairs), pairs, replace=False)]
    for key, peer in (
        ("adjusted_rand_index", adjusted_rand_score),
        ("normalized_mutual_information", normalized_mutual_info_score),
    ):
        sortal.compare_labelings(batch[:3, :100], key)
        ours = seconds(lambda key=key: sortal.compare_labelings(batch, key))
        theirs = seconds(lambda peer=peer: [peer(batch[i], batch[j]) for i, j in some])
        theirs *= len(all_pairs) / pairs
        show(f"{labelings} × {labelings} {key}", ours, theirs, "scikit-learn", "20")
    print(f"(scikit-learn: {pairs} of the {len(all_pairs):,} pairs measured)")


def main(parts: list[str] | None = None) -> None:
    every = {f.__name__: f for f in (labels, ami, strings, agreement)}
    for part in parts or every:
        every[part]()


if __name__ == "__main__":
    main(sys.argv[1:])
