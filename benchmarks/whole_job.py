"""Whole commands from file to answer, beside the loop of scikit-learn: time, memory.

``python -m benchmarks.whole_job [NAME ...]``, with names of ``CASES``. The loop is k-means with
three starts and a silhouette of 5,000 objects, for k from 2 to 10, on 100,000 × 10 with eight
clusters. Ratios are of processor time within one round, so that other load matters little.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

ROUNDS = 3
LOOP = """
import sys, pandas as pd
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
X = pd.read_parquet(sys.argv[1]).to_numpy()
for k in range(2, 11):
    labels = KMeans(k, n_init=3, random_state=0).fit_predict(X)
    silhouette_score(X, labels, sample_size=5000, random_state=0)
"""
#: command, environment beside this one, and what is wanted; ``{}`` is the folder of the data
CASES = {
    "kmeans": ("run {}/blobs100000.parquet -k 2:10 -c kmeans", {}, "3 × the loop"),
    "default": ("run {}/blobs100000.parquet -k 2:10", {}, "30 s, .8 GB"),
    "report": (
        "run {}/blobs100000.parquet -k 2:10 --report {}/report.html --force", {}, ".8 GB",
    ),
    "million": ("run {}/blobs1000000.parquet -k 2:10", {}, "60 s"),
    "cold": ("run wine --scale standard", {"NUMBA_CACHE_DIR": "{}/cold{round}"}, "15 s of CPU"),
    "warm": ("run wine --scale standard", {}, "5 s of CPU"),
}  # fmt: skip


class Cost(NamedTuple):
    """Seconds of wall and processor time with all children, and gigabytes of the largest."""

    wall: float
    processor: float
    peak: float


def cost(command: list[str], environment: dict[str, str]) -> Cost:
    """The cost of a command; a small process between keeps this one's memory out of its peak."""
    before, began = os.times(), time.perf_counter()
    between = [
        sys.executable, "-c",
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True,"
        " stdout=2, stderr=subprocess.DEVNULL);"
        " print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
        *command,
    ]  # fmt: skip
    done = subprocess.run(
        between, env=os.environ | environment, check=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    after = os.times()
    processor = sum(after[2:4]) - sum(before[2:4])
    return Cost(time.perf_counter() - began, processor, int(done.stdout) / 1e6)


def blobs(n: int, folder: Path) -> None:
    """Eight Gaussian clusters in ten columns, as a Parquet file."""
    rng = np.random.default_rng(0)
    X = 4 * rng.normal(size=(8, 10))[rng.integers(8, size=n)] + rng.normal(size=(n, 10))
    table = pd.DataFrame(X, columns=[f"f{j}" for j in range(10)])
    table.to_parquet(folder / f"blobs{n}.parquet")


def main() -> None:
    names = sys.argv[1:] or list(CASES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for n in (100_000, 1_000_000) if "million" in names else (100_000,):
            blobs(n, folder)
        costs: dict[str, list[Cost]] = {case: [] for case in ("loop", *names)}
        for number in range(ROUNDS):
            for case in costs:
                if case == "loop":
                    command, environment = ["-c", LOOP, f"{folder}/blobs100000.parquet"], {}
                else:
                    words, more, _ = CASES[case]
                    command = ["-m", "sortal", *words.replace("{}", name).split()]
                    environment = {
                        key: value.replace("{}", name).replace("{round}", str(number))
                        for key, value in more.items()
                    }
                costs[case].append(cost([sys.executable, *command], environment))
        loop = [each.processor for each in costs["loop"]]
        for case, each in costs.items():
            wall, processor, peak = np.median(each, axis=0)
            ratio = np.median([c.processor / base for c, base in zip(each, loop, strict=True)])
            wanted = f"  (wanted: {CASES[case][2]})" if case in CASES else ""
            print(
                f"{case:8s} {wall:6.1f} s, {processor:6.1f} s of processor, {peak:.2f} GB, "
                f"{ratio:5.2f} × the loop's processor{wanted}"
            )


if __name__ == "__main__":
    main()
