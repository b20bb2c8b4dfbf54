"""Large data: whole commands with their peak memory, a peer beside them, and what samples cost.

``python -m benchmarks.large [blobs] [million] [embeddings] [peer] [loss]``
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import karat

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def blobs(n: int, folder: Path, *, clusters: int = 8) -> tuple[Path, Any]:
    """Gaussian clusters in ten dimensions, clearly apart, as a file."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, clusters, n)
    X = rng.uniform(-10, 10, (clusters, 10))[truth] + rng.normal(size=(n, 10))
    path = folder / f"blobs{n}.npy"
    np.save(path, X)
    return path, truth


def command(*arguments: str) -> tuple[float, float, dict[str, Any]]:
    """Seconds, peak gigabytes of the largest process, and what ``--json`` printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "karat", *arguments, "--json"], check=True, capture_output=True
    )
    seconds = time.perf_counter() - began
    peak = max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    return seconds, peak / 1e6, json.loads(done.stdout)


def run(n: int, wanted: str) -> None:
    """``karat run`` on blobs with defaults and a report."""
    import pandas as pd

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, truth = blobs(n, folder)
        seconds, peak, told = command(
            "run", str(path), "-k", "2:10", "--report", str(folder / "r.html"),
            "--labels", str(folder / "labels.csv"),
        )  # fmt: skip
        labels = pd.read_csv(folder / "labels.csv")["cluster"]
        ari = karat.adjusted_rand_index(truth, labels)
        size = (folder / "r.html").stat().st_size / 1e6
    print(
        f"karat run, {n:,} × 10: {seconds:.0f} s, {peak:.2f} GB, {told['best']['name']}, "
        f"ARI {ari:.4f}, report {size:.1f} MB  (wanted: {wanted}, ARI at least 0.99)"
    )


def embeddings() -> None:
    """Three labelings of the user's own on 50,000 × 768 numbers of single precision."""
    import pandas as pd

    rng = np.random.default_rng(0)
    topics = rng.integers(0, 30, 50_000)
    X = rng.normal(size=(30, 768))[topics] + 2.5 * rng.normal(size=(50_000, 768))
    noisy = np.where(rng.random(50_000) < 0.1, rng.integers(0, 30, 50_000), topics)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "X.npy", X.astype(np.float32))
        pd.DataFrame({"topics": topics, "noisy": noisy, "coarse": topics // 3}).to_csv(
            folder / "own.csv", index=False
        )
        seconds, peak, told = command(
            "run", str(folder / "X.npy"), "--labelings", str(folder / "own.csv"),
            "--only-labelings", "--metric", "cosine", "--report", str(folder / "r.html"),
        )  # fmt: skip
    print(
        f"own labelings, 50,000 × 768, cosine: {seconds:.0f} s, {peak:.2f} GB, "
        f"{told['best']['name']}  (wanted: 60 s, 1.5 GB)"
    )


def peer() -> None:
    """scikit-learn's loop of k-means and a sampled silhouette over the same k, in one run."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    with tempfile.TemporaryDirectory() as name:
        path, _ = blobs(100_000, Path(name))
        X = np.load(path)
        began = time.perf_counter()
        for k in range(2, 11):
            labels = KMeans(k, n_init=5, random_state=0).fit_predict(X)
            silhouette_score(X, labels, sample_size=5000, random_state=0)
        theirs = time.perf_counter() - began
        one, _, _ = command("run", str(path), "-k", "2:10", "-c", "kmeans")
        many, _, _ = command("run", str(path), "-k", "2:10")
    print(
        f"scikit-learn's loop {theirs:.1f} s; karat with k-means {one / theirs:.2f} ×, with all "
        f"{many / theirs:.2f} ×  (wanted: 1.5 and 6)"
    )


def loss(n: int = 20_000) -> None:
    """The choice by samples against the exact one, ARI with the classes."""
    differences = []
    for name, X, truth in sets(n):
        found = []
        for exact in (True, False):
            with karat.Study(X, exact=exact) as study:
                study.sweep(["kmeans", "ward", "average", "gaussian-mixture"], n_init=1)
                found.append(karat.adjusted_rand_index(truth, study.best().labels))
        differences.append(found[0] - found[1])
        print(f"  {name:16s} exact {found[0]:.3f}  sampled {found[1]:.3f}", flush=True)
    print(f"loss by samples: mean {np.mean(differences):+.4f}  (wanted: 0.01 at most)")


def sets(n: int) -> Any:
    """Pendigits and letter where the shared data is, and six synthetic sets."""
    for name in ("pendigits_train", "letter"):
        paths = sorted(SHARED.glob(f"points/{name}*.csv*"))
        if paths:
            data = karat.datasets.read(paths[0], label_column="label", scale="standard")
            yield name, np.asarray(data.X), np.array([str(v) for v in data.truth])
    rng = np.random.default_rng(1)
    for k, d, apart in ((4, 2, 6), (8, 10, 5), (3, 30, 4), (10, 5, 8), (5, 3, 3), (2, 50, 4)):
        truth = rng.integers(0, k, n)
        X = apart * rng.normal(size=(k, d))[truth] + rng.normal(size=(n, d))
        yield f"k={k} d={d}", X, truth


def main() -> None:
    asked = sys.argv[1:] or ["blobs", "million", "embeddings", "peer", "loss"]
    if "blobs" in asked:
        run(100_000, "90 s, 1.5 GB")
    if "million" in asked:
        run(1_000_000, "480 s, 3 GB")
    if "embeddings" in asked:
        embeddings()
    if "peer" in asked:
        peer()
    if "loss" in asked:
        loss()


if __name__ == "__main__":
    main()
