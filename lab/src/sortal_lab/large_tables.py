"""Time and memory of whole commands on tables of a million rows and more, beside a peer."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal import ContingencyTable, adjusted_rand_index
from sortal.extension import available_cores
from sortal_lab import ExperimentResult
from sortal_lab.journal import Journal

if TYPE_CHECKING:
    from sortal.typing import Floats, RandomState

#: logarithms of the rows of the largest and of the smallest table
LARGEST, SMALLEST = 8, 6
PART_ROWS, BATCH_ROWS = 1_000_000, 2**16
CLUSTERS, FEATURES, LABELS = 8, 10, 50
NUMBERS = range(2, 11)
#: objects whose silhouettes the peer computes
PEER_SAMPLE = 20_000
#: rows of the table that nobody here has
BEYOND = 10**10

#: runs a command, and prints the peak of its largest process and its processor time
USAGE = """
import os, sys
_, status, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)
print(usage.ru_maxrss, usage.ru_utime + usage.ru_stime)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def run(
    *,
    name: str = "large-tables",
    samples: int | None = None,
    random_state: RandomState = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Run ``sortal run`` and ``sortal compare`` on generated Parquet files, and a peer on the same.

    ``samples``: logarithm of the rows of the largest table, 8 by default; temporary files of it
    take 10 GB.
    """
    import pandas as pd

    most = LARGEST if samples is None else samples
    sizes = [10**power for power in range(min(SMALLEST, most), most + 1)]
    journal = Journal(storage, f"random_state {random_state!r}")
    jobs: list[tuple[str, Any, int]] = [("sortal run", _run, n) for n in sizes]
    jobs += [("sortal compare", _compare, sizes[-1]), ("MiniBatchKMeans", _peer, sizes[-2:][0])]
    rows = []
    for title, measure, n in jobs:
        row: Any = journal.get((title, str(n)))
        if row is None:
            with tempfile.TemporaryDirectory() as folder:
                row = measure(n, Path(folder))
            journal.put((title, str(n)), row)
        rows.append({"command": f"{title}, {n:,} rows", "rows": n, **row})
        if progress is not None:
            progress(f"{title}, {n:,} rows: {row['seconds']:.0f} s")
    return ExperimentResult(name, pd.DataFrame(rows), tuple(_notes(rows)))


def _notes(rows: list[dict[str, Any]]) -> Iterator[str]:
    """How the time grows, what the peer takes, and what a table takes that nobody here has."""
    runs = [row for row in rows if row["command"].startswith("sortal run")]
    peer = rows[-1]
    same = next(row for row in runs if row["rows"] == peer["rows"])
    yield (
        f"{CLUSTERS} Gaussian clusters in {FEATURES} columns, in Parquet files of "
        f"{PART_ROWS:,} rows; default candidates, labels of all rows written. "
        f"{available_cores()} cores, which other programs used, too: 'processor' are seconds of "
        "the processor over all cores. 'GB' is the peak of the largest process."
    )
    yield (
        f"Against {peer['processor']:.0f} s of the peer, sortal takes {same['processor']:.0f} s of "
        f"processor time: {same['processor'] / peer['processor']:.1f} times as much. The peer fits "
        f"MiniBatchKMeans for {NUMBERS[0]} to {NUMBERS[-1]} clusters over the same batches, with "
        f"silhouettes of {PEER_SAMPLE:,} rows, and writes no labels."
    )
    slopes = [
        (after["processor"] - before["processor"]) / (after["rows"] - before["rows"])
        for before, after in pairwise(runs)
    ]
    if not slopes:
        return
    per_million = ", ".join(f"{1e6 * slope:.2f}" for slope in slopes)
    yield f"Seconds of processor time for each further million rows, by size: {per_million}."
    hours = (runs[-1]["processor"] + slopes[-1] * (BEYOND - runs[-1]["rows"])) / 3600
    yield f"At this slope, {BEYOND:,} rows take {hours:.0f} hours of one core."


def _planted(n: int, folder: Path) -> Path:
    """Gaussian clusters in Parquet files of a million rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    centers = np.random.default_rng(0).uniform(-10, 10, (CLUSTERS, FEATURES))
    rows = folder / "rows"
    rows.mkdir()
    for part in range(-(-n // PART_ROWS)):
        rng = np.random.default_rng([1, part])
        truth = rng.integers(0, CLUSTERS, min(PART_ROWS, n - part * PART_ROWS))
        X = centers[truth] + rng.normal(size=(len(truth), FEATURES))
        columns = {f"x{j}": X[:, j] for j in range(FEATURES)} | {"planted": truth.astype(np.int8)}
        pq.write_table(pa.table(columns), rows / f"part-{part:04d}.parquet")
    return rows


def _measured(*arguments: str) -> tuple[dict[str, float], dict[str, Any]]:
    """Seconds, processor seconds and peak gigabytes of a command, and what it printed."""
    began = time.perf_counter()
    command = [sys.executable, "-c", USAGE, sys.executable, "-m", "sortal", *arguments, "--json"]
    printed = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True
    ).stdout
    *answer, usage = printed.splitlines()
    peak, processor = map(float, usage.split())
    spent = {"seconds": time.perf_counter() - began, "processor": processor, "GB": peak / 1e6}
    return spent, json.loads("".join(answer))


def _run(n: int, folder: Path) -> dict[str, float]:
    """``sortal run`` on the rows, all of them labelled."""
    import pyarrow.parquet as pq

    rows, labels = _planted(n, folder), folder / "labels"
    spent, answer = _measured("run", str(rows), "--drop", "planted", "--labels", str(labels))
    k = answer["best"]["n_clusters"]
    counts = np.zeros(CLUSTERS * (k + 1), np.int64)
    for file in sorted(rows.iterdir()):
        planted = pq.read_table(file, columns=["planted"])["planted"].to_numpy()
        cluster = pq.read_table(labels / file.name, columns=["cluster"])["cluster"].to_numpy()
        cells = planted.astype(np.int64) * (k + 1) + cluster % (k + 1)
        counts += np.bincount(cells, minlength=len(counts))
    table = ContingencyTable.from_counts(counts.reshape(CLUSTERS, -1))
    return {**spent, "ARI": float(adjusted_rand_index(table))}


def _compare(n: int, folder: Path) -> dict[str, float]:
    """``sortal compare`` of two columns of labels."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = folder / "labels"
    rows.mkdir()
    for part in range(-(-n // PART_ROWS)):
        rng = np.random.default_rng(part)
        true = rng.integers(0, LABELS, min(PART_ROWS, n - part * PART_ROWS)).astype(np.int32)
        pred = np.where(rng.random(len(true)) < 0.1, rng.integers(0, LABELS, len(true)), true)
        table = pa.table({"a": true, "b": pred.astype(np.int32)})
        pq.write_table(table, rows / f"part-{part:04d}.parquet")
    spent, answer = _measured("compare", str(rows), "--columns", "a,b")
    assert answer["objects"] == n
    return spent


def _peer(n: int, folder: Path) -> dict[str, float]:
    """MiniBatchKMeans of scikit-learn over the same batches, with silhouettes of a sample."""
    import pyarrow.dataset as arrow
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.metrics import silhouette_score

    rows = _planted(n, folder)
    names = [f"x{j}" for j in range(FEATURES)]
    began, processor = time.perf_counter(), time.process_time()

    def batches() -> Iterator[Floats]:
        for batch in arrow.dataset(rows).to_batches(columns=names, batch_size=BATCH_ROWS):
            yield np.stack([column.to_numpy() for column in batch.columns], axis=1)

    models = {k: MiniBatchKMeans(k, random_state=0) for k in NUMBERS}
    drawn = []
    for X in batches():
        drawn.append(X[:: max(n // PEER_SAMPLE, 1)])
        for model in models.values():
            model.partial_fit(X)
    sample = np.concatenate(drawn)
    scores = {k: silhouette_score(sample, model.predict(sample)) for k, model in models.items()}
    best = models[max(scores, key=lambda k: scores[k])]
    for X in batches():
        best.predict(X)
    return {
        "seconds": time.perf_counter() - began, "processor": time.process_time() - processor,
    }  # fmt: skip
