"""The README's answers are those that its commands print."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.datasets import load_wine

import karat

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf8")
SHOWN = re.findall(r"```\n\$ (karat run .*)\n((?:[-!] .*\n)*╭(?:.*\n)*?╰.*)\n", README)


def panel(command: str) -> str:
    """What a command prints first, 80 characters wide."""
    words = [word for word in shlex.split(command)[1:] if word != "--report"]
    words = [word for word in words if not word.endswith(".html")]
    done = subprocess.run(
        [sys.executable, "-m", "karat", *words],
        cwd=ROOT, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "80"},
    )  # fmt: skip
    return done.stdout[: done.stdout.index("╯") + 1]


def test_readme_shows_answers():
    assert len(SHOWN) >= 2


def test_readme_tells_the_truth_of_its_example(tmp_path):
    told = float(
        re.search(r"adjusted Rand index of (0\.\d+)\. \(The packaged", README.replace("\n", " "))[1]
    )
    study = karat.Study(karat.datasets.read("wine"))
    study.sweep(["kmeans"], k=[3], n_init=5, workers=1)
    found = karat.adjusted_rand_index(load_wine().target, study.labels("kmeans k=3 start=3"))
    assert round(found, 2) == told


@pytest.mark.long
@pytest.mark.parametrize(("command", "shown"), SHOWN)
def test_readme_tells_what_the_command_prints(command, shown):
    assert panel(command) == shown.strip()


if __name__ == "__main__":  # brings the README up to date
    for command, shown in SHOWN:
        README = README.replace(shown.strip(), panel(command))
    (ROOT / "README.md").write_text(README, encoding="utf8")
