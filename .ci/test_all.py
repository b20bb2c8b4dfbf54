"""Run every test, the long ones too, one file after another, and store what came of each.

``python .ci/test_all.py`` continues a run of the same commit. ``--long`` runs the long tests alone,
``--show`` prints what is stored in ``test_all.json``: date, commit, outcomes and seconds by file.
The exit code is 1 if a test fails.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections import Counter
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STORED = Path(__file__).with_name("test_all.json")
OUTCOMES = ("passed", "failed", "error", "skipped", "xfailed")
NO_TESTS = 5
#: seconds after which a file is stopped, which counts as an error
LONGEST = 5400


def shards(long_ones: bool) -> list[str]:
    """Files of tests, and the folders of the library and the laboratory for their examples."""
    files = [*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("lab/tests/**/test_*.py")]
    names = sorted(str(path.relative_to(ROOT)) for path in files)
    if long_ones:
        marked = re.compile(r"mark\.(long|quick)\b")
        return [name for name in names if marked.search((ROOT / name).read_text(encoding="utf8"))]
    return [*names, "src/sortal", "lab/src"]


def run(shard: str, marks: str, options: list[str]) -> dict[str, object]:
    """Outcomes of the tests of a file, and the names of those that fail or are skipped."""
    fresh = ["--hypothesis-profile=fresh"] if shard.startswith("tests/") else []
    command = ["-m", "pytest", "-q", "-m", marks, *fresh, *options, shard]
    begun = time.monotonic()
    limited = ["timeout", "--kill-after=60", str(LONGEST), sys.executable, *command]
    done = subprocess.run(limited, cwd=ROOT, capture_output=True, text=True)
    counts = Counter()
    for number, outcome in re.findall(r"(\d+) (\w+)", done.stdout.rstrip().rpartition("\n")[2]):
        counts[outcome.rstrip("s") if outcome.startswith("error") else outcome] += int(number)
    notes = re.findall(r"^(?:FAILED|ERROR|SKIPPED) .*", done.stdout, re.MULTILINE)
    if done.returncode not in (0, 1, NO_TESTS):
        counts["error"] += 1
        notes.append(f"exit code {done.returncode}: {done.stderr[-300:] or done.stdout[-300:]}")
    outcomes = {name: counts[name] for name in OUTCOMES if counts[name]}
    seconds = round(time.monotonic() - begun)
    return {"date": date.today().isoformat(), "marks": marks, **outcomes, "seconds": seconds} | (
        {"notes": [note[:300] for note in notes]} if notes else {}
    )


def read() -> dict[str, dict]:
    """What is stored, by file."""
    return json.loads(STORED.read_text("utf-8")) if STORED.exists() else {}


def show(stored: dict[str, dict]) -> int:
    """Print sums, and what failed or was skipped; 1 if something failed."""
    sums = Counter()
    for shard, entry in stored.items():
        sums.update({name: entry.get(name, 0) for name in (*OUTCOMES, "seconds")})
        print(*(f"{shard}: {note}" for note in entry.get("notes", [])), sep="\n", end="")
    dates = sorted(entry["date"] for entry in stored.values())
    commits = sorted({entry["commit"] for entry in stored.values()})
    print(f"\n{len(stored)} files, {dates[:1]} to {dates[-1:]}, commits {commits}: {dict(sums)}")
    return int(bool(sums["failed"] or sums["error"]))


def main() -> int:
    """Run what this commit has not run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--long", action="store_true", help="the long tests alone")
    parser.add_argument("--show", action="store_true", help="print what is stored")
    parser.add_argument("files", nargs="*", help="files of tests, if not all")
    parser.add_argument("--options", default="", help="for pytest, such as '-n 2'")
    asked = parser.parse_args()
    if asked.show:
        return show(read())
    commit = subprocess.run(
        ["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    marks = "long" if asked.long else "long or not long"
    names = shards(asked.long)
    for shard in asked.files or names:
        entry = read().get(shard, {})
        if entry.get("commit") == commit and entry["marks"] in (marks, "long or not long"):
            continue
        entry = {"commit": commit, **run(shard, marks, asked.options.split())}
        print(shard, entry, flush=True)
        # read again: others may run other files
        stored = dict(sorted((read() | {shard: entry}).items()))
        STORED.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")
    every = shards(long_ones=False)
    return show({shard: entry for shard, entry in read().items() if shard in every})


if __name__ == "__main__":
    sys.exit(main())
