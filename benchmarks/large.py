"""Large data: whole commands with their peak memory, a peer beside them, and what samples cost.

``python -m benchmarks.large [NAME ...]``, with names of the functions that ``main`` lists
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import sortal
from sortal.study import DEFAULT_CLUSTERERS
from sortal_lab.data import data_folder

SHARED = data_folder()


def blobs(n: int, folder: Path, *, clusters: int = 8) -> tuple[Path, Any]:
    """Gaussian clusters in ten dimensions, clearly apart, as a file."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, clusters, n)
    X = rng.uniform(-10, 10, (clusters, 10))[truth] + rng.normal(size=(n, 10))
    path = folder / f"blobs{n}.npy"
    np.save(path, X)
    return path, truth


#: runs a command, and prints its peak: of a process that this one starts it would be this one's
PEAK = """
import os, sys
_, status, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def command(*arguments: str) -> tuple[float, float, dict[str, Any]]:
    """Seconds, peak gigabytes of the largest process, and what ``--json`` printed."""
    began = time.perf_counter()
    sortal_run = [sys.executable, "-m", "sortal", *arguments, "--json"]
    printed = subprocess.run(
        [sys.executable, "-c", PEAK, *sortal_run],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
        text=True,
    ).stdout
    told, peak = printed.splitlines()
    return time.perf_counter() - began, int(peak) / 1e6, json.loads(told)


def run(n: int, wanted: str) -> None:
    """``sortal run`` on blobs with defaults and a report."""
    import pandas as pd

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, truth = blobs(n, folder)
        seconds, peak, told = command(
            "run", str(path), "-k", "2:10", "--report", str(folder / "r.html"),
            "--labels", str(folder / "labels.csv"),
        )  # fmt: skip
        labels = pd.read_csv(folder / "labels.csv")["cluster"]
        ari = sortal.adjusted_rand_index(truth, labels)
        size = (folder / "r.html").stat().st_size / 1e6
    print(
        f"sortal run, {n:,} × 10: {seconds:.0f} s, {peak:.2f} GB, {told['best']['name']}, "
        f"ARI {ari:.4f}, report {size:.1f} MB  (wanted: {wanted}, ARI at least 0.99)"
    )


def rows(n: int) -> float:
    """Seconds for own labelings of rows that are mapped from a file, written in blocks."""
    import pandas as pd

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rng = np.random.default_rng(0)
        centers, topics = rng.uniform(-10, 10, (8, 10)), rng.integers(0, 8, n)
        X = np.lib.format.open_memmap(folder / "X.npy", "w+", np.float64, (n, 10))
        for start in range(0, n, 2**18):
            own = topics[start : start + 2**18]
            X[start : start + 2**18] = centers[own] + rng.normal(size=(len(own), 10))
        X.flush()
        del X
        noisy = np.where(rng.random(n) < 0.1, rng.integers(0, 8, n), topics)
        own = pd.DataFrame({"topics": topics, "noisy": noisy, "coarse": topics // 2})
        own.to_parquet(folder / "own.parquet")
        del own, noisy, topics
        seconds, peak, told = command(
            "run", str(folder / "X.npy"), "--labelings", str(folder / "own.parquet"),
            "--only-labelings", "--report", str(folder / "r.html"),
            "--labels", str(folder / "labels.parquet"),
        )  # fmt: skip
    print(
        f"own labelings, {n:,} × 10 mapped: {seconds:.0f} s, {peak:.2f} GB, "
        f"{told['best']['name']}  (wanted at 10,000,000: 300 s, 2 GB)"
    )
    return seconds


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


def peer(rounds: int = 3) -> None:
    """scikit-learn's loop of k-means and a sampled silhouette over the same k, beside ours."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    times = []
    with tempfile.TemporaryDirectory() as name:
        path, _ = blobs(100_000, Path(name))
        X = np.load(path)
        for _ in range(rounds):
            began = time.perf_counter()
            for k in range(2, 11):
                labels = KMeans(k, n_init=5, random_state=0).fit_predict(X)
                silhouette_score(X, labels, sample_size=5000, random_state=0)
            theirs = time.perf_counter() - began
            ours = [
                command("run", str(path), "-k", "2:10", *(f"-c{name}" for name in names))[0]
                for names in (DEFAULT_CLUSTERERS[:1], DEFAULT_CLUSTERERS[:6], DEFAULT_CLUSTERERS)
            ]
            times.append([theirs, *ours])
    theirs, one, six, every = np.median(times, axis=0)
    print(
        f"scikit-learn's loop {theirs:.1f} s; sortal with k-means {one / theirs:.2f} ×, with six "
        f"clusterers {six / theirs:.2f} ×, with the {len(DEFAULT_CLUSTERERS)} default ones "
        f"{every / theirs:.2f} ×, medians of {rounds}  (wanted: 1.5 with one, 6 with six)"
    )


def loss(n: int = 20_000) -> None:
    """The choice by samples against the exact one, ARI with the classes."""
    differences = []
    for name, X, truth in sets(n):
        found = []
        for exact in (True, False):
            with sortal.Study(X, exact=exact) as study:
                study.sweep(["kmeans", "ward", "average", "gaussian-mixture"], n_init=1)
                found.append(
                    sortal.adjusted_rand_index(
                        truth, study.best(stability=False, second_sample=False).labels
                    )
                )
        differences.append(found[0] - found[1])
        print(f"  {name:16s} exact {found[0]:.3f}  sampled {found[1]:.3f}", flush=True)
    print(f"loss by samples: mean {np.mean(differences):+.4f}  (wanted: 0.01 at most)")


def documents(n: int = 8_000) -> None:
    """Exact judging of sparse rows under the cosine, beside dense rows of as many numbers."""
    from scipy import sparse

    rng = np.random.default_rng(0)
    topics = rng.integers(0, 10, n)
    words = rng.zipf(1.5, (n, 80)) % 300 + 300 * topics[:, None] * (rng.random((n, 80)) < 0.6)
    X = sparse.csr_array(
        (np.ones(n * 80), (np.repeat(np.arange(n), 80), words.ravel())), shape=(n, 3300)
    )
    mine = {"topics": topics, "random": rng.integers(0, 10, n)}
    began = time.process_time()
    sortal.evaluate(X, mine, metric="cosine")
    print(f"exact judging of {n:,} sparse documents: {time.process_time() - began:.0f} s of CPU")


def sets(n: int) -> Any:
    """Pendigits and letter where their files are, and six synthetic sets."""
    for name in ("pendigits_train", "letter"):
        paths = sorted(SHARED.glob(f"points/{name}*.csv*"))
        if paths:
            data = sortal.datasets.read(paths[0], label_column="label", scale="standard")
            yield name, np.asarray(data.X), np.array([str(v) for v in data.y])
    rng = np.random.default_rng(1)
    for k, d, apart in ((4, 2, 6), (8, 10, 5), (3, 30, 4), (10, 5, 8), (5, 3, 3), (2, 50, 4)):
        truth = rng.integers(0, k, n)
        X = apart * rng.normal(size=(k, d))[truth] + rng.normal(size=(n, d))
        yield f"k={k} d={d}", X, truth


def dask(n: int = 8_000) -> None:
    """A study, all judged exactly, here and on local Dask workers of one thread each."""
    from distributed import LocalCluster

    from sortal.extension import available_cores

    rng = np.random.default_rng(0)
    X = rng.uniform(-10, 10, (8, 10))[rng.integers(0, 8, n)] + rng.normal(size=(n, 10))

    def study(X: Any, executor: Any = None) -> tuple[float, float, Any]:
        with sortal.Study(X, exact=True) as tried:
            began = time.perf_counter()
            tried.sweep(
                ["kmeans", "gaussian-mixture", "ward"], k=range(2, 11), n_init=3, executor=executor,
                progress=False,
            )  # fmt: skip
            fitted = time.perf_counter()
            tried.evaluate(executor=executor, progress=False)
            judged = time.perf_counter()
            scores = tried.scores().drop(columns="seconds")
        return fitted - began, judged - fitted, scores

    study(X[:1500])  # compiled once
    fits, judging, here = study(X)
    cores = available_cores()
    print(
        f"{n:,} × 10 on {cores} cores: {len(here)} candidates, {here['partition'].nunique()} judged"
    )
    print(f"  this process: fits {fits:.1f} s, judging {judging:.1f} s")
    alone: tuple[float, float] | None = None
    first = None
    for count in (1, 2, 4):
        with (
            LocalCluster(
                n_workers=count, threads_per_worker=1, dashboard_address="127.0.0.1:0"
            ) as cluster,
            cluster.get_client() as client,
        ):
            client.run(_warm)
            fits, judging, scores = study(X, client)
        alone = alone or (fits, judging)
        first = scores if first is None else first
        useful = min(count, cores)
        numbers = scores.select_dtypes("number").fillna(0)
        apart = (numbers - here[numbers.columns].fillna(0)).abs() / (1 + numbers.abs())
        print(
            f"  Dask, {count} workers: "
            f"fits {fits:.1f} s, efficiency {alone[0] / fits / useful:.0%}; "
            f"judging {judging:.1f} s, {alone[1] / judging / useful:.0%}; "
            f"scores as with one worker: {scores.equals(first)}, "
            f"and at most {apart.to_numpy(float).max():.0e} off those above"
        )


def _warm() -> None:
    """What a worker that has run for a while has imported and compiled."""
    X = np.random.default_rng(0).normal(size=(1500, 10))
    with sortal.Study(X, exact=True) as study:
        study.sweep(["kmeans", "gaussian-mixture", "ward"], k=[2, 3], n_init=1, workers=1)
        study.evaluate()


def main() -> None:
    asked = sys.argv[1:] or [
        "blobs", "million", "rows", "embeddings", "peer", "loss", "documents", "dask",
    ]  # fmt: skip
    if "blobs" in asked:
        run(100_000, "90 s, 1.5 GB")
    if "million" in asked:
        run(1_000_000, "480 s, 3 GB")
    if "rows" in asked:
        seconds = [rows(n) for n in (100_000, 1_000_000, 10_000_000)]
        print(
            "seconds for each further million rows: "
            f"{(seconds[1] - seconds[0]) / 0.9:.1f} up to one million, "
            f"{(seconds[2] - seconds[1]) / 9:.1f} up to ten"
        )
    if "embeddings" in asked:
        embeddings()
    if "peer" in asked:
        peer()
    if "loss" in asked:
        loss()
    if "documents" in asked:
        documents()
    if "dask" in asked:
        dask()


if __name__ == "__main__":
    main()
