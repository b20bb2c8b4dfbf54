"""Bounds: speed beside SciPy, how tight the languages are.

``python -m benchmarks.bounds``; the second part reads real data from ``SORTAL_DATA`` where it
is, and the digits that scikit-learn brings otherwise.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

import sortal
from sortal.bounds import (
    Searched,
    b_max,
    sample,
    study_bounds,
)
from sortal.bounds.languages import Algo, Cluster
from sortal.labelings import cut_dendrogram
from sortal_lab.data import data_folder

DATA = data_folder() / "points"
SETS = ("segment", "satimage", "optdigits", "pendigits_test", "breast_w", "yeast")


def scipy_b_max(m: int, n: int, a: int, delta: float) -> int:
    low, high = 0, n + 1
    while high - low > 1:
        b = (low + high) // 2
        if stats.hypergeom.sf(b - 1, m + n, n, a + b) >= delta:
            low = b
        else:
            high = b
    return low


def seconds(call: Callable[[], object], repeats: int) -> float:
    began = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - began) / repeats


def one_tail() -> None:
    b_max(2000, 2000, 400, 0.01)
    print("one b_max, m = n = 2,000        sortal     SciPy bisection  ratio")
    for a, delta in [(10, 0.1), (400, 0.1), (400, 1e-30), (900, 1e-200)]:
        pairs = [
            (
                seconds(lambda a=a, d=delta: b_max(2000, 2000, a, d), 300),
                seconds(lambda a=a, d=delta: scipy_b_max(2000, 2000, a, d), 3),
            )
            for _ in range(7)
        ]
        ours = statistics.median(x for x, _ in pairs)
        theirs = statistics.median(y for _, y in pairs)
        ratio = statistics.median(y / x for x, y in pairs)
        print(
            f"  a = {a:3d}, delta = {delta:7.0e}     {ours * 1e6:6.1f} µs  {theirs * 1e6:8.0f} µs"
            f"     {ratio:7.0f}"
        )
    m, a, delta = 10**5, 5 * 10**4, 1e-300
    print(
        f"m = n = 10^5, a = 5·10^4, delta = 1e-300: sortal {b_max(m, m, a, delta)}, "
        f"SciPy {scipy_b_max(m, m, a, delta)}, right is 58251"
    )


def many_tails() -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 1000, 100_000)
    log_delta = math.log(0.1) - rng.uniform(0, 300, 100_000)
    for m, n in [(2000, 2000), (1000, 100_000)]:
        took = statistics.median(
            seconds(lambda m=m, n=n: b_max(m, n, a, log_delta=log_delta), 1) for _ in range(5)
        )
        print(f"100,000 candidates in one call, m = {m:,}, n = {n:,}: {took:.3f} s")


def real_data() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    if DATA.exists():
        tables = {name: pd.read_csv(DATA / f"{name}.csv.gz") for name in SETS}
        sets = {}
        for name, table in tables.items():
            X = table.drop(columns="label")
            X = X.fillna(X.median(numeric_only=True)).to_numpy(dtype=float)
            X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12)
            sets[name] = (X, table["label"].to_numpy())
        return sets
    from sklearn.datasets import load_digits

    return {"digits": load_digits(return_X_y=True)}


def tightness(repeats: int = 5) -> None:
    """Mean bounds over random draws of the labels: published languages beside sortal's."""
    import fastcluster

    ks, starts = range(2, 31), 3
    print("mean bound in %, k-means (3 starts) and Ward, k = 2..30; delta = 0.1")
    print("data set         labels  Cluster/k-means   Algo  Study  largest")
    for name, (X, truth) in real_data().items():
        Z = fastcluster.linkage(X, "ward")
        with threadpool_limits(1):
            labelings = {
                f"kmeans {k} {s}": KMeans(k, n_init=1, random_state=s).fit_predict(X)
                for k in ks
                for s in range(starts)
            }
        kmeans = sortal.labelings.as_labelings(dict(labelings))
        labelings |= {f"ward {k} 0": cut_dendrogram(Z, n_clusters=k) for k in ks}
        every = sortal.labelings.as_labelings(labelings)
        origins = [(n.split()[0], int(n.split()[1])) for n in every.names]
        plan = Searched({"kmeans": dict.fromkeys(ks, starts), "ward": dict.fromkeys(ks, 1)})
        for m in (100, 500):
            rows = []
            for seed in range(repeats):
                y = np.full(len(X), None, dtype=object)
                known = sample(len(X), m, random_state=seed)
                y[known] = truth[known]
                algo = sortal.pac_mdl_bound(every, y, language=Algo(starts, 2)).best
                rows.append(
                    [
                        sortal.pac_mdl_bound(kmeans, y, language=Cluster(starts)).best.bound_rate,
                        algo.bound_rate,
                        study_bounds(every, y, searched=plan, origins=origins).best.bound_rate,
                        algo.constant_error_rate,
                    ]
                )
            cells = 100 * np.mean(rows, axis=0)
            print(f"{name:16s}{m:10d}" + "".join(f"{cell:10.1f}" for cell in cells))


def main() -> None:
    one_tail()
    many_tails()
    tightness()


if __name__ == "__main__":
    main()
