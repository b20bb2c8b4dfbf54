"""Times of other packages' measures beside ours, in turn on the same clusterings."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

import sortal
from sortal_lab import ExperimentResult

if TYPE_CHECKING:
    from sortal.typing import Floats, Ints

RUNS = 3
#: a task, the function of ours, the package, its function, objects, and the values of both
Race: TypeAlias = tuple[str, Callable[[], Any], str, Callable[[], Any]]
THREE = ("silhouette", "davies_bouldin_index", "calinski_harabasz_index")
R = """
suppressMessages(library(fpc))
X <- as.matrix(read.csv("X.csv", header = FALSE)); labels <- scan("labels.csv", quiet = TRUE)
d <- dist(X); began <- proc.time()[["elapsed"]]; s <- cluster.stats(d, labels)
cat(proc.time()[["elapsed"]] - began, s$avg.silwidth, as.character(packageVersion("fpc")))
"""


def run(
    *,
    name: str = "peer-times",
    samples: int | None = None,
    random_state: int | None = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Median seconds of both, the first run of each excluded, on data of five Gaussian groups.

    ``samples``: objects of the usual task, 4,000 by default; the last three have five times that.
    """
    import pandas as pd

    n = samples or 4000
    rng = np.random.default_rng(random_state)
    truth = rng.integers(0, 5, n)
    X = rng.normal(size=(n, 16)) + 4 * np.eye(16)[truth]
    labels = np.where(rng.random(n) < 0.1, rng.integers(0, 5, n), truth)

    def times(races: Iterator[Race]) -> Iterator[dict[str, Any]]:
        for task, ours, package, theirs in races:
            if progress is not None:
                progress(f"{task}, {package}")
            yield _row(task, ours, package, theirs)

    rows = [
        *times(_races(X, truth, labels)), _fpc(X, labels), *times(_large_races(5 * n, rng)),
    ]  # fmt: skip
    return ExperimentResult(name, pd.DataFrame(rows), (
        f"{n:,} objects in 16 dimensions, 5 clusters. Median wall seconds of {RUNS} runs, in turn; "
        "'ratio' is theirs by ours. Other programs ran on the same machine, so the ratio counts "
        "and the seconds do not. 'difference' is that of the values.",
        "fpc's cluster.stats computes some thirty numbers from a matrix of distances on 2,000 "
        "objects; ours is the silhouette from the objects. Reading its input is not timed.",
        "numpy's C-Index and Gamma are the shortest code from all distances at once "
        "(pdist with partition or argsort).",
    ))  # fmt: skip


def _races(X: Floats, truth: Ints, labels: Ints) -> Iterator[Race]:
    """The tasks, each with a package that is installed."""
    from sklearn import metrics

    several = np.stack([np.where(labels == c, 5, labels) for c in range(5)] * 4)[:19]
    few = slice(0, 2000)

    def each() -> list[float]:
        functions = (
            metrics.silhouette_score, metrics.davies_bouldin_score,
            metrics.calinski_harabasz_score,
        )  # fmt: skip
        return [function(X, row) for row in several for function in functions]

    silhouette = lambda: sortal.silhouette(X, labels)  # noqa: E731
    yield "silhouette", silhouette, "scikit-learn", lambda: metrics.silhouette_score(X, labels)
    yield (
        "19 clusterings, three measures",
        lambda: sortal.evaluate(X, several, measures=list(THREE)).table[list(THREE)].to_numpy(),
        "scikit-learn",
        lambda: np.array(each()).reshape(-1, 3),
    )
    rand = lambda: sortal.adjusted_rand_index(truth, labels)  # noqa: E731
    yield "adjusted Rand", rand, "scikit-learn", lambda: metrics.adjusted_rand_score(truth, labels)
    if importlib.util.find_spec("genieclust"):
        validity = importlib.import_module("genieclust.cluster_validity")
        compare = importlib.import_module("genieclust.compare_partitions")
        yield "silhouette", silhouette, "genieclust", lambda: validity.silhouette_index(X, labels)
        yield (
            "adjusted Rand", rand, "genieclust",
            lambda: compare.adjusted_rand_score(truth, labels),
        )  # fmt: skip
    if importlib.util.find_spec("clusim"):
        clustering = importlib.import_module("clusim.clustering").Clustering
        similarity = importlib.import_module("clusim.sim")
        pair = [clustering().from_membership_list(x[few].tolist()) for x in (truth, labels)]
        yield (
            "element-centric similarity, 2,000 objects",
            lambda: sortal.element_centric_similarity(truth[few], labels[few]),
            "clusim",
            lambda: similarity.element_sim(*pair),
        )


def _large_races(n: int, rng: np.random.Generator) -> Iterator[Race]:
    """Races on ``n`` objects: the silhouette in the plane, and measures of all pairs' ranks."""
    from scipy.spatial.distance import pdist, squareform
    from sklearn.metrics import silhouette_score

    truth = rng.integers(0, 5, n)
    X = rng.normal(size=(n, 16)) + 4 * np.eye(16)[truth]
    plane = np.ascontiguousarray(X[:, :2])
    within = int(sum(size * (size - 1) // 2 for size in np.bincount(truth)))

    def c_index() -> float:
        distances = pdist(X)
        total = sum(float(pdist(X[truth == c]).sum()) for c in range(5))
        parted = np.partition(distances, (within, len(distances) - within))
        low, high = float(parted[:within].sum()), float(parted[-within:].sum())
        return (total - low) / (high - low)

    def gamma() -> float:
        together = squareform(truth[:, None] == truth, checks=False)[np.argsort(pdist(X))]
        discordant = int(np.cumsum(~together)[together].sum())
        return 1 - 2 * discordant / (within * (len(together) - within))

    objects = f"{n:,} objects"
    yield (
        f"silhouette, {objects} in the plane", lambda: sortal.silhouette(plane, truth),
        "scikit-learn", lambda: silhouette_score(plane, truth),
    )  # fmt: skip
    yield f"C-Index, {objects}", lambda: sortal.c_index(X, truth), "numpy", c_index
    yield f"Gamma, {objects}", lambda: sortal.baker_hubert_gamma(X, truth), "numpy", gamma


def _seconds(function: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of a call, and its value."""
    began = time.perf_counter()
    value = function()
    return time.perf_counter() - began, value


def _row(
    task: str, ours: Callable[[], Any], package: str, theirs: Callable[[], Any]
) -> dict[str, Any]:
    """Median seconds of both, in turn, after a run that compiles."""
    values = ours(), theirs()
    pairs = [(_seconds(ours)[0], _seconds(theirs)[0]) for _ in range(RUNS)]
    a, b = np.median(np.array(pairs), axis=0)
    difference = float(np.abs(np.asarray(values[0], float) - np.asarray(values[1], float)).max())
    return {
        "task": task, "package": package, "version": _version(package), "sortal": float(a),
        "theirs": float(b), "ratio": float(b / a), "difference": difference,
    }  # fmt: skip


def _version(package: str) -> str:
    """Installed version of a package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _fpc(X: Floats, labels: Ints) -> dict[str, Any]:
    """R's fpc on 2,000 objects; a row without times where it is not installed."""
    X, labels = X[:2000], labels[:2000]
    row: dict[str, Any] = {"task": "cluster.stats, 2,000 objects", "package": "fpc"}
    sortal.silhouette(X, labels)
    ours = float(
        np.median([_seconds(lambda: sortal.silhouette(X, labels))[0] for _ in range(RUNS)])
    )
    if shutil.which("Rscript") is None:
        return row | {"version": "not installed", "sortal": ours}
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(Path(folder, "X.csv"), X, delimiter=",")
        np.savetxt(Path(folder, "labels.csv"), labels + 1, fmt="%d")
        said = subprocess.run(
            ["Rscript", "--vanilla", "-e", R], cwd=folder, capture_output=True, text=True
        )
    if said.returncode:
        return row | {"version": "not installed", "sortal": ours}
    seconds, width, number = said.stdout.split()
    difference = abs(float(width) - sortal.silhouette(X, labels))
    return row | {
        "version": number, "sortal": ours, "theirs": float(seconds), "ratio": float(seconds) / ours,
        "difference": difference,
    }  # fmt: skip
