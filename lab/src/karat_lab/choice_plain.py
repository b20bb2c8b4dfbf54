"""The judge on plain sub-tasks of the real tables, by the recipe of its first prototype.

Sub-tasks of :mod:`karat_lab.choice` have fewer objects, fewer features and other scalings
than these. Each is judged by a judge that learned from tasks of other collections only.
``storage`` is the folder of that experiment.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from karat_lab import ExperimentResult
from karat_lab.choice import FEW, FOLDS, PARTS, TESTED, cases_of, corpus, judges_of_folds
from karat_lab.choice_table import mean_of_collections, with_interval
from karat_lab.choice_tasks import family_of, tables
from karat_lab.rivals import RIVALS
from karat_lab.training import folds_of

if TYPE_CHECKING:
    from pathlib import Path


#: plain sub-tasks of each table
PLAIN = 12


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Choose on plain sub-tasks of collections that nothing was learned from.

    ``samples``: plain sub-tasks of each real table (12 in full), and those of either kind to
    learn from.

    Returns mean adjusted Rand index of the choice by way of choosing, and how often it is below
    the median candidate.
    """
    import pandas as pd

    say = progress or (lambda line: None)
    learned = corpus(PARTS if samples is None else samples, storage, say)
    real = [key for key, entry in tables().items() if family_of(entry) == "real"]
    cases = cases_of(
        [("plain", key, i) for i in range(samples or PLAIN) for key in real], storage, say
    )
    cases = [case.sweep for case in cases]
    chosen = {
        way: np.array([int(np.argmax(rival(case))) for case in cases])
        for way, rival in RIVALS.items()
    }
    chosen["judge"] = np.full(len(cases), -1)
    fold = folds_of(learned, FOLDS)
    of = {case.collection: at for case, at in zip(learned, fold, strict=True) if at >= 0}
    size = TESTED if samples is None else FEW
    for f, _, judge in judges_of_folds(learned, fold, size, random_state, say):
        for i, case in enumerate(cases):
            if of[case.collection] == f:
                chosen["judge"][i] = int(np.argmax(judge(case.evidence).score))
    reached = {
        way: np.array([case.first[j] for case, j in zip(cases, places, strict=True)])
        for way, places in chosen.items()
    }
    reached["a candidate at random"] = np.array([case.first.mean() for case in cases])
    reached["best candidate"] = np.array([case.first.max() for case in cases])
    median = np.array([np.median(case.first) for case in cases])
    every = np.arange(len(cases))
    rows = {
        way: {
            "mean ARI": with_interval(mean_of_collections(cases, every, values)),
            "below the median, %": f"{100 * np.mean(values < median):.0f}",
        }
        for way, values in sorted(reached.items(), key=lambda item: -item[1].mean())
    }
    return ExperimentResult(name, pd.DataFrame(rows).T.rename_axis("way of choosing"), (
        f"{len(cases)} sub-tasks: 2 to 10 classes, 100 to 400 rows, half of the time some of the "
        "features, standardised. Means over collections, 95 % bootstrap intervals.",
    ))  # fmt: skip
