"""Value of each clusterer of the default sweep for the choice and for the best candidate.

The judge of each fold chooses among all candidates, then among those that remain without one
clusterer; both on collections that it learned nothing from. ``storage`` is the folder of
:mod:`karat_lab.choice`, ``samples`` as there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from karat_lab import ExperimentResult
from karat_lab.cases import TrainingCase
from karat_lab.choice import FEW, FOLDS, PARTS, TESTED, corpus, judges_of_folds
from karat_lab.choice_table import GROUPS, mean_of_collections, members, with_interval
from karat_lab.training import Size, folds_of

if TYPE_CHECKING:
    from pathlib import Path

    from karat.runtime.types import Floats


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Leave every clusterer out in turn.

    ``samples``: sub-tasks of each real table; 21 in full.

    Returns by clusterer and family of data, how much less the choice agrees with the truth
    without it, and how much lower the ceiling is; means over collections with 95 % intervals.
    """
    say = progress or (lambda line: None)
    cases = corpus(PARTS if samples is None else samples, storage, say)
    losses = without_each(cases, size=TESTED if samples is None else FEW,
                         random_state=random_state, progress=say)  # fmt: skip
    return ExperimentResult(name, _table(cases, losses), (
        "ARI of the judge's choice among all candidates less that among those that only other "
        "clusterers found; in brackets the 95 % bootstrap interval over collections; after the "
        "semicolon the same of the best candidate. The judge learned from whole sweeps of other "
        "collections. Candidates that another clusterer found, too, remain.",
    ))  # fmt: skip


def without_each(
    cases: Sequence[TrainingCase],
    *,
    size: Size,
    random_state: int = 0,
    n_folds: int = FOLDS,
    progress: Callable[[str], None] | None = None,
) -> dict[str, tuple[Floats, Floats]]:
    """Losses of choice and best candidate without each clusterer, by case; NaN where untested."""
    fold = folds_of(cases, n_folds)
    names = sorted(frozenset().union(*(by for c in cases for by in c.sweep.sources)))
    lost = {name: (np.full(len(cases), np.nan), np.full(len(cases), np.nan)) for name in names}
    say = progress or (lambda line: None)
    for f, _, judge in judges_of_folds(cases, fold, size, random_state, say):
        for i in np.flatnonzero(fold == f):
            case = cases[int(i)].sweep
            everything = case.first[int(np.argmax(judge(case.evidence).score))]
            for name in names:
                kept = np.flatnonzero([bool(by - {name}) for by in case.sources])
                if len(kept) > 1:
                    reached, rest = case.first[kept], judge(case.evidence.take(kept))
                    lost[name][0][i] = everything - reached[int(np.argmax(rest.score))]
                    lost[name][1][i] = case.first.max() - reached.max()
    return lost


def _table(cases: Sequence[TrainingCase], losses: dict[str, tuple[Floats, Floats]]) -> Any:
    """Losses without each clusterer, by group of data."""
    import pandas as pd

    columns: dict[str, dict[str, str]] = {}
    for title, family, whole in GROUPS:
        selected = members(cases, family, whole)
        if len(selected):
            columns[title] = {
                name: "; ".join(
                    with_interval(mean_of_collections(cases, selected, values), "+.3f")
                    for values in lost
                )
                for name, lost in losses.items()
            }
    return pd.DataFrame(columns).rename_axis("without")
