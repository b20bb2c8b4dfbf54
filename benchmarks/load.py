"""Unusually many columns, clusters, texts and runs: an answer or a clear refusal, and no hang.

``python -m benchmarks.load [NAME ...]`` runs these cases, or all, and stores what came of each in
``load.json``. ``sortal reproduce large-tables`` has up to a hundred million rows.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np

STORED = Path(__file__).with_suffix(".json")
#: seconds, and seconds of processor time, after which a command hangs; address space it may take
LIMIT, PROCESSOR, MEMORY = 7200, 900, 12 * 2**30
#: judges a labeling with 50,000 clusters, from inside and from outside
MANY_CLUSTERS = """
import numpy as np, sortal
rng = np.random.default_rng(0)
y = rng.integers(0, 50_000, 100_000)
X = rng.normal(size=(100_000, 4)) + y[:, None]
print(sortal.calinski_harabasz_index(X, y), sortal.davies_bouldin_index(X, y),
      sortal.simplified_silhouette(X, y))
"""
Commands = list[list[str]]


def sortal(*words: object) -> list[str]:
    return [sys.executable, "-m", "sortal", *map(str, words)]


def columns(rng: np.random.Generator) -> Commands:
    centres = rng.normal(size=(4, 5_000))
    np.save("wide.npy", centres[np.arange(1_000) % 4] + rng.normal(size=(1_000, 5_000)))
    return [sortal("run", "wide.npy", "--json")]


def clusters(rng: np.random.Generator) -> Commands:
    np.save("many.npy", rng.normal(size=(6_000, 5)) + 9 * rng.normal(size=(300, 5)).repeat(20, 0))
    return [sortal("run", "many.npy", "-k", 300, "-c", "kmeans", "--json")]


def external(rng: np.random.Generator) -> Commands:
    for name in ("a", "b"):
        rows = rng.integers(0, 50_000, 100_000)
        Path(f"{name}.csv").write_text("label\n" + "\n".join(map(str, rows)) + "\n")
    return [sortal("compare", "a.csv", "b.csv", "--json")]


def internal(rng: np.random.Generator) -> Commands:
    return [[sys.executable, "-c", MANY_CLUSTERS]]


def texts(rng: np.random.Generator) -> Commands:
    letters = np.array(list("abdefgiklmnoprstuz"))
    topics = ["".join(rng.choice(letters, 8 * 200)) for _ in range(8)]
    words = [[topic[i : i + 8] for i in range(0, len(topic), 8)] for topic in topics]
    with open("texts.csv", "w") as file:
        file.write("text\n")
        file.writelines(" ".join(rng.choice(words[i % 8], 12)) + "\n" for i in range(200_000))
    return [sortal("run", "texts.csv", "--text-column", "text", "-k", 8, "--budget", 300, "--json")]


def ten_runs(rng: np.random.Generator) -> Commands:
    np.save("small.npy", rng.normal(size=(300, 3)))
    words = ("run", "small.npy", "-k", "2:4", "-c", "kmeans", "--storage", "one.sortal", "--json")
    return [sortal(*words)] * 10


CASES: dict[str, Callable[[np.random.Generator], Commands]] = {
    "5,000 columns": columns, "k = 300": clusters, "50,000 clusters, external": external,
    "50,000 clusters, internal": internal, "200,000 texts": texts,
    "ten runs on one study": ten_runs,
}  # fmt: skip


def outcome(name: str) -> dict[str, object]:
    """Outcome, seconds and peak memory of a case, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        home, used = os.getcwd(), resource.getrusage(resource.RUSAGE_CHILDREN)
        before = used.ru_utime + used.ru_stime
        os.chdir(folder)
        commands, begun = CASES[name](np.random.default_rng(0)), time.monotonic()
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        running = [subprocess.Popen(words, **pipes, preexec_fn=limit) for words in commands]
        ends = []
        for process in running:
            try:
                _, said = process.communicate(timeout=LIMIT)
                if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
                    ends.append("hangs")
                    continue
                refused = "Traceback" not in said and (said.strip().splitlines() or ["?"])[-1]
                ends.append("answer" if not process.returncode else refused or "traceback")
            except subprocess.TimeoutExpired:
                process.kill()
                ends.append("hangs")
        os.chdir(home)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "outcome": {end: ends.count(end) for end in ends},
        "peak GB so far": round(used.ru_maxrss / 1e6, 2),
        "seconds": round(time.monotonic() - begun),
        "processor seconds": round(used.ru_utime + used.ru_stime - before),
        "date": date.today().isoformat(),
    }  # fmt: skip


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR))


def main() -> None:
    stored = json.loads(STORED.read_text("utf-8")) if STORED.exists() else {}
    for name in sys.argv[1:] or CASES:
        stored[name] = outcome(name)
        print(name, stored[name], flush=True)
        STORED.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
