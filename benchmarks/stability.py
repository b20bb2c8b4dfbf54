"""What resampling costs and how often it is right.

``python -m benchmarks.stability [part ...]``; parts: ``speed`` (beside R's fpc and cluster),
``memory`` (consensus of 20,000 objects), ``planted SEEDS`` (estimators of the number of clusters on
planted and on structureless data) and ``by-default [NAME ...]`` (the stability of clusterers beside
the default sweep).
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import sortal
from sortal import stability
from sortal.extension import one_core
from sortal_lab.data import data_folder

#: seconds of R's fpc 2.2 and cluster 2.1 on the same data and settings, measured once elsewhere
R_SECONDS = {
    "clusterboot, n = 2,000, d = 10, k-means of 10 runs, B = 20": 2.1,
    "clusterboot, iris, k-means of 10 runs, B = 100": 2.4,
    "prediction.strength, iris, k = 2..5, M = 10": 1.6,
    "clusGap, iris, k = 1..5, B = 50": 6.9,
}


def seconds(work: Callable[[], Any], runs: int = 3, clock: Any = time.perf_counter) -> float:
    work()
    times = []
    for _ in range(runs):
        began = clock()
        work()
        times.append(clock() - began)
    return statistics.median(times)


def blobs(n: int, d: int, k: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return 4 * rng.normal(size=(k, d))[rng.integers(0, k, n)] + rng.normal(size=(n, d))


def speed() -> None:
    from sklearn.cluster import KMeans
    from sklearn.datasets import load_iris

    iris, kmeans, X = load_iris().data, KMeans(n_init=10), blobs(2000, 10, 5)
    works = (
        lambda: stability.clusterwise_bootstrap(X, kmeans, k=5, n_resamples=20),
        lambda: stability.clusterwise_bootstrap(iris, kmeans, k=3, n_resamples=100),
        lambda: stability.prediction_strength(iris, kmeans, k=range(2, 6), n_splits=10),
        lambda: sortal.gap_statistic(
            iris, k=range(1, 6), n_references=50, reference="pca", squared=False
        ),
    )
    print("seconds on the clock, and of all cores together (where others use the machine, too)")
    for (what, r), work in zip(R_SECONDS.items(), works, strict=True):
        own, cpu = seconds(work), seconds(work, 1, time.process_time)
        print(
            f"{what:62s} R {r:3.1f} s, here {own:6.3f} s, {cpu:6.3f} s of cores: "
            f"{r / own:.0f} and {r / cpu:.0f} times faster (wanted 10)",
            flush=True,
        )


def memory() -> None:
    X = blobs(20_000, 10, 5)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began = time.perf_counter()
    stability.consensus_matrix(X, "kmeans", k=[5], n_resamples=100)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"consensus of 20,000 objects, B = 100: {time.perf_counter() - began:.0f} s, "
        f"{after:.0f} MiB in all, {after - before:.0f} of them for it (wanted at most 1,024)"
    )


def planted(seed: int) -> Iterator[tuple[str, int, Any]]:
    """Name, number of clusters, data: 30 objects a cluster, nearest centres 6 deviations apart."""
    rng = np.random.default_rng(seed)
    for k in (2, 3, 5, 8):
        for d in (2, 10, 50):
            centers = rng.normal(size=(k, d))
            apart = np.linalg.norm(centers[:, None] - centers[None], axis=2)
            centers *= 6.0 / apart[apart > 0].min()
            yield f"k = {k}, d = {d}", k, np.repeat(centers, 30, 0) + rng.normal(size=(30 * k, d))
    for k in (2, 3, 5):
        centers = np.zeros((k, 2))
        centers[:, 0] = 6.0 * np.arange(k)
        yield f"k = {k} in a row", k, np.repeat(centers, 30, 0) + rng.normal(size=(30 * k, 2))
    yield "uniform square", 1, rng.uniform(size=(150, 2))
    yield "uniform box", 1, rng.uniform(size=(150, 10))
    yield "one Gaussian", 1, rng.normal(size=(150, 2))
    yield "one long Gaussian", 1, rng.normal(size=(150, 3)) * [3, 1, 1]
    yield "skewed cloud", 1, rng.exponential(size=(150, 2))


def recovery(seeds: int = 10, estimators: tuple[str, ...] = ("stability",)) -> None:
    """Seeds from 10,000 on; the rules were chosen on others."""
    right: dict[tuple[str, str], list[bool]] = {}
    for seed in range(10_000, 10_000 + seeds):
        for kind, k, X in planted(seed):
            for name in estimators:
                estimate, _ = stability.ESTIMATORS[name]
                answer = estimate(X, "kmeans", list(range(1, 11)), seed)
                right.setdefault((kind, name), []).append(answer == k)
    for (kind, name), hits in right.items():
        print(f"{name:20s} {kind:18s} right in {sum(hits)} of {len(hits)}")
    for name in estimators:
        for what, one in (("planted", False), ("one cluster", True)):
            of = [
                hit
                for (kind, who), hits in right.items()
                for hit in hits
                if who == name and (not kind.startswith("k =")) == one
            ]
            print(f"{name:20s} {what}: {np.mean(of):.1%} of {len(of)}")


def by_default(asked: list[str]) -> None:
    """Seconds of one core; the stability of clusterers beside the default sweep of sortal run."""

    import pandas as pd
    from threadpoolctl import threadpool_limits

    for name in ("wine", "segment"):
        path = data_folder() / "points" / f"{name}.csv.gz"
        if not path.exists():
            print(f"{path} is not there")
            continue
        X = pd.read_csv(path).drop(columns="label").to_numpy(float)
        X = X[np.random.default_rng(0).permutation(len(X))[:1000]]
        X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
        with one_core(), threadpool_limits(1), sortal.Study(X) as study:
            names = list(study.state.fits.default_clusterers)
            study.sweep(names, k=[2], n_init=1, workers=1, progress=False)
        with one_core(), threadpool_limits(1), sortal.Study(X) as study:
            began = time.process_time()
            study.sweep(names, k=range(2, 11), n_init=5, workers=1, progress=False)
            study.best(stability=False, second_sample=False)
            print(f"{name}, {len(X):,} objects: sweep {time.process_time() - began:.1f} s")
            for key in asked or names:
                found = study.candidates.query(f"clusterer == '{key}' and status == 'ok'")
                began = time.process_time()
                study.stability(found.index[0])
                print(f"  stability of {key}: {time.process_time() - began:.1f} s", flush=True)


def main() -> None:
    named = sys.argv[1:] or ["speed", "memory", "planted", "2"]
    if "speed" in named:
        speed()
    if "memory" in named:
        memory()
    if "by-default" in named:
        by_default(named[named.index("by-default") + 1 :])
    if "planted" in named:
        rest = named[named.index("planted") + 1 :]
        recovery(int(rest[0]) if rest else 10, tuple(rest[1:]) or ("stability",))


if __name__ == "__main__":
    main()
