"""What sortal costs beside the fits and the judging: start, overhead, workers, resume.

``python -m benchmarks.study``
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import sortal

SWEEP = ["kmeans", "bisecting-kmeans", "ward", "spectral", "gaussian-mixture"]


def command_seconds(*command: str) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


def ratio(one: tuple[str, ...], other: tuple[str, ...], runs: int = 9) -> tuple[float, float]:
    """Median seconds of the first, and median ratio to the second, alternated."""
    pairs = [(command_seconds(*one), command_seconds(*other)) for _ in range(runs)]
    return statistics.median(a for a, _ in pairs), statistics.median(a / b for a, b in pairs)


def start() -> None:
    python = sys.executable
    for what, one, other, target in (
        ("import sortal / import sklearn", "import sortal", "import sklearn", 1.2),
        ("sortal.silhouette / sklearn.metrics", "import sortal; sortal.silhouette",
         "import sklearn.metrics", 1.2),
    ):  # fmt: skip
        seconds, share = ratio((python, "-c", one), (python, "-c", other))
        print(f"{what:42s} {seconds:6.3f} s  ratio {share:5.2f}  (wanted: {target} at most)")
    seconds, share = ratio((python, "-m", "sortal", "--help"), (python, "-c", "import pandas"))
    print(
        f"{'sortal --help / import pandas':42s} {seconds:6.3f} s  ratio {share:5.2f}  (wanted: 1)"
    )


def digits() -> object:
    from sklearn.datasets import load_digits

    return load_digits().data


def sweep(X: object, workers: int, storage: Path | None = None) -> tuple[float, float, float]:
    """Wall seconds of sweep and judging, seconds inside fits, seconds of judging."""
    began = time.perf_counter()
    with sortal.Study(X, storage=storage) as study:
        study.sweep(SWEEP, k=range(2, 21), n_init=5, workers=workers)
        swept = time.perf_counter()
        study.best(stability=False, second_sample=False)
        ended = time.perf_counter()
        fits = float(study.candidates["seconds"].sum())
    return ended - began, fits, ended - swept


def main() -> None:
    start()
    X = digits()
    with tempfile.TemporaryDirectory() as folder:
        for workers in (1, 2, 1, 2):
            path = Path(folder) / f"{workers}-{time.time_ns()}.sortal"
            wall, fits, judging = sweep(X, workers, path)
            line = f"digits, 5 × 19 × 5, {workers} worker{'s' * (workers > 1)}: {wall:6.1f} s"
            if workers == 1:
                own = wall - fits - judging
                line += f", fits {fits:.1f}, judges {judging:.1f}, sortal's own {own / wall:.1%}"
                alone = wall
            else:
                line += f" = {wall / alone:.2f} × one worker (wanted: 0.6 at most)"
            print(line, flush=True)
        again, _, _ = sweep(X, 1, path)
        print(f"resume of the finished study: {again:.2f} s (wanted: 2 at most)")


if __name__ == "__main__":
    main()
