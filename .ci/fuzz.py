"""Run many fresh commands on damaged files and odd options, and store what came of them.

``python .ci/fuzz.py --commands 2000 --seed 7`` draws commands as ``tests/hostile`` does and adds a
line to ``fuzz.json``: date, commit, seed, commands and tracebacks. What fails goes into the corpus
of ``tests/hostile``, which the quick tests replay. The exit code is 1 if a command fails.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from datetime import date
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
STORED = Path(__file__).with_name("fuzz.json")


def main() -> int:
    """Draw, run, store."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--commands", type=int, default=2000, help="so many (2000)")
    parser.add_argument("--seed", type=int, required=True, help="of the draws")
    asked = parser.parse_args()
    sys.path[:0] = [str(ROOT / "tests" / "hostile"), str(ROOT / "tests")]
    import test_fuzz_files as fuzz

    rng, begun = np.random.default_rng([asked.seed, 2]), time.monotonic()
    counts: Counter[str] = Counter()
    failures = []
    for number in range(asked.commands):
        case = fuzz.draw(rng)
        counts[case[0][0]] += 1
        if (told := fuzz.wrong(case)) is not None:
            failures.append(f"{' '.join(case[0])}: {told}")
            print(number, fuzz.keep(case).name, failures[-1], flush=True)
    commit = subprocess.run(
        ["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    lines = json.loads(STORED.read_text("utf-8")) if STORED.exists() else []
    lines.append({
        "date": date.today().isoformat(), "commit": commit, "seed": asked.seed,
        "commands": asked.commands, "of each": dict(sorted(counts.items())),
        "failures": failures, "seconds": round(time.monotonic() - begun),
    })  # fmt: skip
    STORED.write_text(json.dumps(lines, indent=1) + "\n", "utf-8")
    print(f"{asked.commands} commands, {len(failures)} failures")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
