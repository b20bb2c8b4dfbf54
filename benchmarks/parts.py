"""Tables in parts: whole commands with their time and peak memory, and a peer beside them.

``python -m benchmarks.parts run:1e6 run:1e7 compare:1e8 peer:1e7`` appends a line for each to
``benchmarks/parts.jsonl``. Rows are generated in a temporary folder.
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
import pyarrow as pa
import pyarrow.dataset as arrow
import pyarrow.parquet as pq

from karat import ContingencyTable, adjusted_rand_index

RESULTS = Path(__file__).with_suffix(".jsonl")
PART_ROWS = 1_000_000

#: runs a command, and prints the peak of its largest process and its processor time
USAGE = """
import os, sys
_, status, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)
print(usage.ru_maxrss, usage.ru_utime + usage.ru_stime)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def planted(n: int, folder: Path) -> Path:
    """Eight Gaussian clusters in ten dimensions, in Parquet files of a million rows."""
    centers = np.random.default_rng(0).uniform(-10, 10, (8, 10))
    rows = folder / "rows"
    rows.mkdir()
    for part in range(-(-n // PART_ROWS)):
        rng = np.random.default_rng([1, part])
        truth = rng.integers(0, 8, min(PART_ROWS, n - part * PART_ROWS))
        X = centers[truth] + rng.normal(size=(len(truth), 10))
        columns = {f"x{j}": X[:, j] for j in range(10)} | {"planted": truth.astype(np.int8)}
        pq.write_table(pa.table(columns), rows / f"part-{part:04d}.parquet")
    return rows


def measured(*arguments: str) -> tuple[dict[str, float], dict[str, Any]]:
    """Seconds, processor seconds and peak gigabytes of a command, and what it printed."""
    began = time.perf_counter()
    command = [sys.executable, "-c", USAGE, sys.executable, "-m", "karat", *arguments, "--json"]
    printed = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True
    ).stdout
    *answer, usage = printed.splitlines()
    peak, processor = map(float, usage.split())
    seconds = time.perf_counter() - began
    return (
        {"seconds": round(seconds, 1), "processor": round(processor, 1), "gb": peak / 1e6},
        json.loads("".join(answer)),
    )


def run(n: int, folder: Path) -> dict[str, Any]:
    """``karat run`` on the rows, all of them labelled."""
    rows, labels = planted(n, folder), folder / "labels"
    facts, answer = measured("run", str(rows), "--drop", "planted", "--labels", str(labels))
    pairs = [
        arrow.dataset(path).to_table(columns=[name])[name].to_numpy()
        for path, name in ((rows, "planted"), (labels, "cluster"))
    ]
    counts = np.zeros((8, int(pairs[1].max()) + 2), np.int64)
    np.add.at(counts, tuple(pairs), 1)
    ari = adjusted_rand_index(ContingencyTable.from_counts(counts))
    return {**facts, "ari": float(ari), "name": answer["best"]["name"]}


def compare(n: int, folder: Path) -> dict[str, Any]:
    """``karat compare`` of two columns of labels."""
    rows = folder / "labels"
    rows.mkdir()
    for part in range(-(-n // (10 * PART_ROWS))):
        rng = np.random.default_rng(part)
        true = rng.integers(0, 50, min(10 * PART_ROWS, n)).astype(np.int32)
        pred = np.where(rng.random(len(true)) < 0.1, rng.integers(0, 50, len(true)), true)
        table = pa.table({"a": true, "b": pred.astype(np.int32)})
        pq.write_table(table, rows / f"part-{part:03d}.parquet")
    facts, answer = measured("compare", str(rows), "--columns", "a,b")
    assert answer["objects"] == n
    return facts


def peer(n: int, folder: Path) -> dict[str, Any]:
    """MiniBatchKMeans of scikit-learn over the same batches, with silhouettes of a sample."""
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.metrics import silhouette_score

    rows = planted(n, folder)
    names = [f"x{j}" for j in range(10)]
    began, processor = time.perf_counter(), time.process_time()
    models = {k: MiniBatchKMeans(k, random_state=0) for k in range(2, 11)}

    def batches() -> Any:
        """Rows in batches."""
        for batch in arrow.dataset(rows).to_batches(columns=names, batch_size=2**16):
            yield np.stack([column.to_numpy() for column in batch.columns], axis=1)

    sample = []
    for X in batches():
        sample.append(X[:: max(n // 20_000, 1)])
        for model in models.values():
            model.partial_fit(X)
    some = np.concatenate(sample)
    scores = {k: silhouette_score(some, model.predict(some)) for k, model in models.items()}
    best = models[max(scores, key=lambda k: scores[k])]
    labels = [best.predict(X) for X in batches()]
    return {
        "seconds": round(time.perf_counter() - began, 1),
        "processor": round(time.process_time() - processor, 1),
        "k": int(best.n_clusters),
        "rows": sum(map(len, labels)),
    }


def main() -> None:
    kinds = {"run": run, "compare": compare, "peer": peer}
    for argument in sys.argv[1:]:
        kind, _, count = argument.partition(":")
        with tempfile.TemporaryDirectory() as folder:
            record = {"what": kind, "rows": int(float(count))}
            record |= kinds[kind](record["rows"], Path(folder))
        print(json.dumps(record), flush=True)
        with RESULTS.open("a") as file:
            file.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
