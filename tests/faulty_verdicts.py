"""Verdicts on whole answers of ``sortal run`` to faulty tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from sklearn.metrics import adjusted_rand_score

import faulty_kinds
from command_line import sortal_command

#: least agreement of a right answer with the planted groups
RIGHT = 0.9


def verdict(name: str, seed: int, folder: Path, sweep: Sequence[str] = ()) -> str:
    """Right, stopped, wrong but said (a harmful finding stands before it), or silently wrong."""
    faulty = faulty_kinds.plant(name, seed, folder)
    labels = folder / "labels.csv"
    done = sortal_command(
        "run", faulty.path, *faulty.options, "--json", "--quiet", "--no-stability", "--force",
        "--labels", labels, *sweep,
    )  # fmt: skip
    if done.returncode:
        assert done.returncode in (2, 4), done.stderr
        return "stopped"
    answer = json.loads(done.stdout)
    clusters = pd.read_csv(labels)["cluster"]
    is_complete = len(clusters) == len(faulty.classes)
    if is_complete and adjusted_rand_score(faulty.classes, clusters) >= RIGHT:
        return "right"
    harmful = [finding for finding in answer["findings"] if finding["severity"] == "harmful"]
    return "said" if harmful else "silent"
