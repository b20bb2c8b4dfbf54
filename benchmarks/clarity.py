"""What informativeness costs: beside refitting, beside the neighbour search, beside the fits.

``python -m benchmarks.clarity``, or one part of it: ``python -m benchmarks.clarity neighbours``
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

import sortal
from sortal.distances import neighbor_lists


def seconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def alternate(one: Callable[[], Any], other: Callable[[], Any], runs: int = 5) -> tuple[float, ...]:
    """Median seconds of both and median ratio of the first to the second."""
    one(), other()
    pairs = [(seconds(one), seconds(other)) for _ in range(runs)]
    return (
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(a / b for a, b in pairs),
    )


def say(what: str, a: float, b: float, ratio: float, wanted: str) -> None:
    print(f"{what:66s} {a:8.3f} s {b:8.3f} s  ratio {ratio:9.3g}  (wanted: {wanted})", flush=True)


def blobs(n: int, d: int, count: int, seed: int = 0) -> tuple[Any, Any]:
    """Overlapping blobs, and nearest-centre clusterings of them into 2, 3, ... clusters."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 2 * rng.normal(size=(10, d))[rng.integers(0, 10, n)]
    labels = []
    for i in range(count):
        centres = X[rng.choice(n, 2 + i % 19, replace=False)]
        labels.append(((X**2).sum(1)[:, None] - 2 * X @ centres.T + (centres**2).sum(1)).argmin(1))
    return X, np.stack(labels)


def neighbours() -> None:
    from sklearn.model_selection import LeaveOneOut, cross_val_predict
    from sklearn.neighbors import KNeighborsClassifier

    X, labels = blobs(5000, 16, 19)
    judge = lambda: sortal.informativeness(X, labels)  # noqa: E731
    say(
        "5-NN leave-one-out of 19 labelings / its neighbour search",
        *alternate(judge, lambda: neighbor_lists(X, 5), 9),
        "1.5 at most",
    )
    mine = statistics.median(seconds(judge) for _ in range(3))
    model = KNeighborsClassifier(5)
    peer = 19 * seconds(lambda: cross_val_predict(model, X, labels[0], cv=LeaveOneOut()))
    say("  scikit-learn's cross_val_predict (19 × one) / it", peer, mine, peer / mine, "1,000")


def centroids() -> None:
    from sklearn.cluster import KMeans

    for n, d in ((5000, 16), (10_000, 64)):
        X, labels = blobs(n, d, 100)
        starts = [np.stack([X[row == c].mean(0) for c in np.unique(row)]) for row in labels]

        def iterate(X: Any = X, starts: Any = starts) -> None:
            for start in starts:
                KMeans(len(start), init=start, n_init=1, max_iter=1, algorithm="lloyd").fit(X)

        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            say(
                f"nearest centroid leave-one-out, n = {n}, d = {d}: 100 / k-means iterations",
                *alternate(
                    lambda X=X, labels=labels: sortal.informativeness(
                        X, labels, classifiers="centroid"
                    ),
                    iterate,
                    3,
                ),
                "3 at most",
            )


def workers() -> None:
    X, labels = blobs(1500, 8, 19)

    def judge(executor: Any = None) -> None:
        sortal.informativeness(
            X,
            labels,
            classifiers=sortal.measures.clarity.THESIS,
            cv=10,
            random_state=0,
            executor=executor,
        )

    with ProcessPoolExecutor(2) as two, ProcessPoolExecutor(1) as one:
        say(
            "four classifiers, 10 folds, 19 labelings: 2 workers / 1",
            *alternate(lambda: judge(two), lambda: judge(one), 3),
            "0.6 at most",
        )


def large() -> None:
    X, labels = blobs(100_000, 32, 19)
    began = time.perf_counter()
    sortal.informativeness(X, labels)
    took = time.perf_counter() - began
    print(f"n = 100,000, d = 32, 19 labelings: {took:.1f} s", flush=True)


def sweep() -> None:
    from sklearn.cluster import KMeans

    X, _ = blobs(10_000, 16, 1)
    fits, labels = 0.0, []
    for i in range(100):
        model = KMeans(2 + i % 19, n_init=1, random_state=i)
        fits += seconds(lambda model=model: labels.append(model.fit_predict(X)))
    rows = np.stack(labels)
    sortal.informativeness(X[:100], rows[:, :100])
    judging = seconds(lambda: sortal.informativeness(X, rows))
    say("100 clusterings of 10,000 objects: judging / k-means fits", judging, fits, judging / fits,
        "below 1")  # fmt: skip


def agglomeration() -> None:
    from sortal.clusterers import InformativenessAgglomeration

    X, _ = blobs(10_000, 16, 1)
    InformativenessAgglomeration(10, random_state=0).fit(X[:200])
    took = seconds(lambda: InformativenessAgglomeration(10, random_state=0).fit(X))
    print(f"InformativenessAgglomeration, n = 10,000, d = 16: {took:.2f} s", flush=True)


PARTS = {
    part.__name__: part for part in (neighbours, centroids, workers, sweep, agglomeration, large)
}


def main(names: list[str] | None = None) -> None:
    for name in names or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
