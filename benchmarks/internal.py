"""Internal measures beside scikit-learn, genieclust, permetrics and NumPy, as ratios from one run.

genieclust and permetrics are measured where they are installed (``pip install genieclust
permetrics``). Their licences are the AGPL and the GPL, so nothing here depends on them.

``python -m benchmarks.internal [section ...]``; sections: one, many, ranks, trees, squared,
sampled, kernel, memory.
"""

from __future__ import annotations

import importlib
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import sortal

RNG_SEED = 0
PAIR_MEASURES = [
    "silhouette", "point_wise_margin", "within_cluster_scatter",
    "average_within_cluster_scatter", "between_cluster_scatter", "between_within_ratio",
    "ratio_cut", "normalized_cut",
]  # fmt: skip


def blobs(n: int, d: int, k: int = 10, spread: float = 3.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(RNG_SEED)
    centers = rng.normal(size=(k, d)) * spread
    labels = rng.integers(0, k, n)
    return centers[labels] + rng.normal(size=(n, d)), labels


def k_means_labelings(X: Any, numbers: range) -> dict[str, Any]:
    from sklearn.cluster import KMeans

    return {
        str(k): KMeans(k, n_init=1, random_state=RNG_SEED).fit_predict(X) for k in numbers
    }  # fmt: skip


def alternated(calls: dict[str, Callable[[], Any]], repeats: int = 3) -> dict[str, float]:
    """Median seconds of each call, all of them once around before the next round."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for name, call in calls.items():
        if name.startswith("sortal"):
            call()  # compiled code is loaded
    for _ in range(repeats):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return {name: float(np.median(values)) for name, values in times.items()}


def show(title: str, seconds: dict[str, float], of: str = "sortal") -> None:
    own = seconds[of]
    cells = "  ".join(f"{name} {t:.4f} s ({t / own:.1f}×)" for name, t in seconds.items())
    print(f"{title:34s} {cells}", flush=True)


def peer(module: str) -> Any:
    """A package that may not be installed, or None."""
    try:
        return importlib.import_module(module)
    except ImportError:
        print(f"({module} is not installed)")
        return None


def one() -> None:
    """One labeling, Euclidean silhouette."""
    from sklearn.metrics import silhouette_score

    genie = peer("genieclust.cluster_validity")
    for n in (10_000, 30_000):
        for d in (2, 16, 128):
            X, labels = blobs(n, d)
            calls = {
                "sortal": lambda X=X, y=labels: sortal.silhouette(X, y),
                "scikit-learn": lambda X=X, y=labels: silhouette_score(X, y),
            }
            if genie:
                calls["genieclust"] = lambda X=X, y=labels: genie.silhouette_index(X, y)
            show(f"silhouette n={n:,} d={d}", alternated(calls, 3 if n == 10_000 else 1))


def many() -> None:
    """19 labelings of 5,000 × 16."""
    from sklearn import metrics

    X, _ = blobs(5000, 16)
    labelings = k_means_labelings(X, range(2, 21))
    rows = list(labelings.values())
    four = ["silhouette", "davies_bouldin_index", "calinski_harabasz_index", "dunn_index"]

    def with_scikit_learn() -> None:
        for row in rows:
            metrics.silhouette_score(X, row)
            metrics.davies_bouldin_score(X, row)
            metrics.calinski_harabasz_score(X, row)

    calls: dict[str, Callable[[], Any]] = {
        "sortal": lambda: sortal.evaluate(X, labelings, measures=four),
        "scikit-learn (3 of 4)": with_scikit_learn,
    }
    if genie := peer("genieclust.cluster_validity"):

        def with_genieclust() -> None:
            for row in rows:
                genie.silhouette_index(X, row)
                genie.negated_davies_bouldin_index(X, row)
                genie.calinski_harabasz_index(X, row)
                genie.generalised_dunn_index(X, row, 1, 1)

        calls["genieclust"] = with_genieclust
    if permetrics := peer("permetrics"):

        def with_permetrics() -> None:
            for row in rows:
                metric = permetrics.ClusteringMetric(X=X, y_pred=row)
                metric.silhouette_index()
                metric.davies_bouldin_index()
                metric.calinski_harabasz_index()
                metric.dunn_index()

        calls["permetrics"] = with_permetrics
    show("19 labelings, 4 measures", alternated(calls, 2))
    first = {"a": rows[8]}
    numbers = alternated(
        {
            "sortal silhouette": lambda: sortal.evaluate(X, labelings, measures=["silhouette"]),
            "sortal all of pairs": lambda: sortal.evaluate(X, labelings, measures=PAIR_MEASURES),
            "sortal one labeling": lambda: sortal.evaluate(X, first, measures=["silhouette"]),
        },
        7,
    )
    show("19 labelings", numbers, "sortal silhouette")
    extra = (numbers["sortal silhouette"] - numbers["sortal one labeling"]) / 18
    print(
        f"  each further labeling costs 1/{numbers['sortal one labeling'] / extra:.0f} of the first"
    )


def ranks() -> None:
    """C-Index and Gamma, exact, n = 20,000."""
    from scipy.spatial.distance import pdist

    X, labels = blobs(20_000, 16)
    rng = np.random.default_rng(1)
    sweep = k_means_labelings(X, range(2, 21))
    # no two objects have the same labels in all of these
    noisy = {str(i): np.where(rng.random(20_000) < 0.9, labels, i % 10) for i in range(19)}

    def partition() -> None:
        D = pdist(X)
        within = int(sum(s * (s - 1) // 2 for s in np.bincount(labels)))
        np.partition(D, (within, len(D) - within))

    def of(key: str) -> dict[str, Callable[[], Any]]:
        return {
            "sortal": lambda: sortal.evaluate(X, labels, measures=[key]),
            "k = 2..20": lambda: sortal.evaluate(X, sweep, measures=[key]),
            "19 noisy copies": lambda: sortal.evaluate(X, noisy, measures=[key]),
        }

    seconds = alternated({**of("c_index"), "np.partition": partition}, 2)
    show("C-Index n=20,000 d=16", seconds)
    show("Gamma n=20,000 d=16", alternated(of("baker_hubert_gamma"), 1))


def trees() -> None:
    """Spanning trees, DBCV and margins beside one silhouette, n = 5,000."""
    for d, k in ((2, 2), (2, 10), (16, 2), (16, 10), (100, 10)):
        X, labels = blobs(5000, d, k)
        functions = [
            sortal.silhouette, sortal.dbcv, sortal.relative_margin,
            sortal.additive_margin,
        ]  # fmt: skip
        calls = {f"sortal {f.__name__}": lambda f=f, X=X, y=labels: f(X, y) for f in functions}
        show(f"n=5,000 d={d} k={k}", alternated(calls, 3), "sortal silhouette")


def squared() -> None:
    """Squared-Euclidean silhouette through the centroids."""
    from sklearn.metrics import silhouette_score

    X, labels = blobs(20_000, 50)
    calls = {
        "sortal": lambda: sortal.squared_euclidean_silhouette(X, labels),
        "scikit-learn": lambda: silhouette_score(X, labels, metric="sqeuclidean"),
    }
    show("squared silhouette 20,000 × 50", alternated(calls, 2))


def sampled() -> None:
    """A million objects to a standard error of 0.005."""
    X, labels = blobs(10**6, 16, k=50, spread=1.5)
    measures = [
        "silhouette", "point_wise_margin", "between_within_ratio", "mcclain_rao_index",
        "c_index", "baker_hubert_gamma", "aucc", "g_plus_index", "kendall_tau_index",
    ]  # fmt: skip
    for precision in (0.5, 0.005):  # the first loads the compiled code
        start = time.perf_counter()
        table = sortal.evaluate(X, labels, measures=measures, precision=precision, random_state=0)
        seconds = time.perf_counter() - start
    print(f"n=10^6 d=16 k=50, standard error 0.005: {seconds:.1f} s, "
          f"drawn: {table.sample_size}")  # fmt: skip
    print(table.table.T.assign(standard_error=table.standard_errors.iloc[0]).to_string())


def kernel() -> None:
    """Nanoseconds a pair and core, and the share of the matrix-product peak, by features.

    A pair's distance is computed once: 3d + 1 operations from differences, 2d + 4 from a product.
    """
    from threadpoolctl import threadpool_limits

    from sortal.distances import PRODUCT_FEATURES
    from sortal.extension import available_cores

    cores, n = available_cores(), 8000
    A = np.random.default_rng(0).random((1024, 1024))
    with threadpool_limits(1, "blas"):
        seconds = min(_timed(lambda: A @ A) for _ in range(5))
    peak = 2 * 1024**3 / seconds
    print(f"matrix product, one core: {peak / 1e9:.1f} Gflop/s; {cores} cores")
    print("     d   ns/pair/core   share of the peak")
    for d in (1, 2, 4, 8, 16, 32, 63, 64, 128, 256, 512):
        X, labels = blobs(n, d)
        sortal.silhouette(X, labels)
        seconds = min(_timed(lambda X=X, y=labels: sortal.silhouette(X, y)) for _ in range(3))
        per_pair = seconds * cores / (n * (n - 1) / 2)
        operations = 3 * d + 1 if d < PRODUCT_FEATURES else 2 * d + 4
        print(f"{d:6d} {per_pair * 1e9:12.2f} {operations / per_pair / peak:17.0%}", flush=True)


def _timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def memory() -> None:
    """Peak memory over that of the input and the imports, in a process of its own."""
    for n, d, measures in (
        (30_000, 16, ["silhouette"]),
        (50_000, 16, PAIR_MEASURES),
        (20_000, 16, ["c_index"]),
        (20_000, 16, ["baker_hubert_gamma"]),
    ):
        code = f"from benchmarks.internal import peak; peak({n}, {d}, {measures!r})"
        out = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        print(f"n={n:,} d={d} {measures[0]}{' ...' * (len(measures) > 1)}: {out.stdout.strip()}")


def peak(n: int, d: int, measures: list[str]) -> None:
    X, labels = blobs(n, d)
    sortal.evaluate(X[:500], labels[:500], measures=measures)
    before, highest, done = _resident(), [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.005):
            highest[0] = max(highest[0], _resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    sortal.evaluate(X, labels, measures=measures)
    done.set()
    watcher.join()
    print(f"{(highest[0] - before) / 2**20:.0f} MB over the input")


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


SECTIONS = {f.__name__: f for f in (one, many, ranks, trees, squared, sampled, kernel, memory)}


def main(names: list[str] | None = None) -> None:
    for name in names or list(SECTIONS):
        SECTIONS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
