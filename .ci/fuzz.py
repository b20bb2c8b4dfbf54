"""Run many fresh commands on damaged files and odd options, and store what came of them.

``python .ci/fuzz.py --commands 2000 --seed 7`` draws commands as ``tests/hostile`` does and adds a
line to ``fuzz.json``: date, commit, seed, commands and tracebacks. A process apart runs them, so
that one that aborts or hangs is a failure like another. What fails goes into the corpus of
``tests/hostile``, which the quick tests replay. The exit code is 1 if a command fails.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import resource
import subprocess
import sys
import time
from collections import Counter
from datetime import date
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
STORED = Path(__file__).with_name("fuzz.json")
sys.path[:0] = [str(ROOT / "tests" / "hostile"), str(ROOT / "tests")]
#: address space of a process, and seconds and commands after which it ends
BYTES, SECONDS, COMMANDS = 12 << 30, 300, 250


def answer_all(cases: Connection) -> None:
    """Run the commands that come in, and say what is wrong with each, and the peak of memory."""
    import test_fuzz_files as fuzz

    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    for case in iter(cases.recv, None):
        told = fuzz.wrong(case)
        cases.send((told, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10))


class Runner:
    """A process that runs commands, replaced when it ends, hangs or has run many."""

    def __init__(self) -> None:
        self.left = 0
        self.peak = 0

    def wrong(self, case: Any) -> str | None:
        """What is wrong with a command; the end of the process is, too."""
        if not self.left:
            self.cases, other = get_context("spawn").Pipe()
            self.process = get_context("spawn").Process(
                target=answer_all, args=(other,), daemon=True
            )
            self.process.start()
            other.close()
            self.left = COMMANDS
        self.left -= 1
        self.cases.send(case)
        try:
            told = f"no answer in {SECONDS} s"
            if self.cases.poll(SECONDS):
                told, peak = self.cases.recv()
                self.peak = max(self.peak, peak)
                if self.left:
                    return told
        except (EOFError, ConnectionError):
            self.process.join(SECONDS)
            told = f"the process ended with {self.process.exitcode}"
        self.process.kill()
        self.process.join()
        self.left = 0
        return told


def main() -> int:
    """Draw, run, store."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--commands", type=int, default=2000, help="so many (2000)")
    parser.add_argument("--seed", type=int, required=True, help="of the draws")
    asked = parser.parse_args()
    import test_fuzz_files as fuzz

    commit = subprocess.run(
        ["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    rng, begun, runner = np.random.default_rng([asked.seed, 2]), time.monotonic(), Runner()
    counts: Counter[str] = Counter()
    failures = []
    for number in range(asked.commands):
        case = fuzz.draw(rng)
        counts[case[0][0]] += 1
        if (told := runner.wrong(case)) is not None:
            failures.append(f"{' '.join(case[0])}: {told}")
            print(number, fuzz.keep(case).name, failures[-1], flush=True)
        elif number % 100 == 99:
            print(f"{number + 1} commands, peak of {runner.peak} MB", flush=True)
    if runner.left:
        runner.cases.send(None)
    lines = json.loads(STORED.read_text("utf-8")) if STORED.exists() else []
    lines.append({
        "date": date.today().isoformat(), "commit": commit, "seed": asked.seed,
        "commands": asked.commands, "of each": dict(sorted(counts.items())),
        "failures": failures, "peak MB": runner.peak, "seconds": round(time.monotonic() - begun),
    })  # fmt: skip
    STORED.write_text(json.dumps(lines, indent=1) + "\n", "utf-8")
    print(f"{asked.commands} commands, {len(failures)} failures")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
