"""One distance for everything, beside peers: ``python -m benchmarks.distances``.

Processor seconds of one thread, each pair in one run; a ratio below 1 is in favour of sortal.
``kmedoids`` (GPL-3, only for comparison) is excluded where it is not installed, and tr45 where
``SORTAL_DATA`` has it not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import fastcluster
import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist, pdist
from threadpoolctl import threadpool_limits

import sortal
from sortal.clusterers import KMedoids, LinkageClustering
from sortal_lab.data import data_folder

N, K = 5000, 10
PAIRS = ["silhouette", "dunn_index", "point_wise_margin", "between_within_ratio"]


def seconds(call: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    best, result = np.inf, None
    for _ in range(repeats):
        began = time.process_time()
        result = call()
        best = min(best, time.process_time() - began)
    return best, result


def told(what: str, own: float, other: float, note: str = "") -> None:
    print(f"{what:<44} {own:8.3f} s {other:8.3f} s {own / other:6.2f} {note}", flush=True)


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 16)) + 4 * rng.normal(size=(K, 16))[rng.integers(0, K, N)]
    D = cdist(X, X)
    small = X[:200]
    KMedoids(3).fit(small)
    sortal.evaluate(small, np.arange(200) % 3, measures=PAIRS)
    sortal.evaluate(D[:200, :200], np.arange(200) % 3, measures=PAIRS, metric="precomputed")
    print(f"{'':<44} {'sortal':>10} {'other':>10} {'ratio':>6}")
    if find_spec("kmedoids"):
        import kmedoids

        def theirs() -> Any:
            return kmedoids.fasterpam(D, K, init="random", random_state=0, n_cpu=1)

        own, model = seconds(lambda: KMedoids(K, metric="precomputed", random_state=0).fit(D))
        other, found = seconds(theirs)
        told(f"FasterPAM, n={N}, k={K}", own, other, f"loss {model.inertia_ / found.loss:.4f}")
    labelings = rng.integers(0, 10, (19, N))
    own, _ = seconds(lambda: sortal.evaluate(D, labelings, measures=PAIRS, metric="precomputed"), 2)
    other, _ = seconds(lambda: sortal.evaluate(X, labelings, measures=PAIRS), 2)
    told("19 labelings: matrix, beside features (d=16)", own, other)
    small = X[:3000]
    for method in ("single", "average", "complete", "weighted", "ward"):
        own, _ = seconds(lambda m=method: LinkageClustering(method=m).fit(small))
        other, _ = seconds(lambda m=method: linkage(pdist(small), m))
        told(f"{method} linkage of 3,000, beside SciPy", own, other)
        other, _ = seconds(lambda m=method: fastcluster.linkage(pdist(small), m))
        told(f"{method} linkage of 3,000, beside fastcluster", own, other)
    documents()


def documents() -> None:
    """A default sweep of sparse rows, and the answer, by the angle and by Euclidean distance."""
    path = data_folder() / "terms" / "tr45.npz"
    if not path.is_file():
        print(f"tr45 is not in {path.parent}")
        return
    data = sortal.datasets.read(path)

    def study(metric: str) -> str:
        made = sortal.Study(data, metric=metric)
        made.sweep(n_init=1, workers=1, progress=False)
        return made.best(stability=False, second_sample=False).name

    own, _ = seconds(lambda: study("cosine"), 1)
    other, _ = seconds(lambda: study("euclidean"), 1)
    told("tr45 (690 × 8,261): cosine, beside Euclidean", own, other)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
