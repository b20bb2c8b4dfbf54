"""Value of each clusterer of the default sweep for the choice and for the best candidate.

The packaged judge chooses among all candidates, then among those that remain without one
clusterer. ``storage`` is the folder of :mod:`sortal_lab.choice`, ``samples`` as there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.judge import Judge, load_judge
from sortal_lab import ExperimentResult
from sortal_lab.cases import TrainingCase
from sortal_lab.choice import corpus
from sortal_lab.choice_table import GROUPS, mean_of_collections, members, with_interval

if TYPE_CHECKING:
    from pathlib import Path

    from sortal.typing import Floats


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Leave every clusterer out in turn.

    ``samples``: sub-tasks of each real table beside the whole sets; none by default.

    Returns by clusterer and family of data, how much less the choice agrees with the truth
    without it, and how much lower the ceiling is; means over collections with 95 % intervals.
    """
    cases = corpus(samples or 0, storage, progress or (lambda line: None))
    losses = without_each(cases, load_judge())
    return ExperimentResult(name, _table(cases, losses), (
        "ARI of the judge's choice among all candidates less that among those that only other "
        "clusterers found; in brackets the 95 % bootstrap interval over collections; after the "
        "semicolon the same of the best candidate. Candidates that another clusterer found, too, "
        "remain.",
    ))  # fmt: skip


def without_each(cases: Sequence[TrainingCase], judge: Judge) -> dict[str, tuple[Floats, Floats]]:
    """Losses of choice and best candidate without each clusterer, by case."""
    names = sorted(frozenset().union(*(by for c in cases for by in c.sweep.sources)))
    lost = {name: (np.full(len(cases), np.nan), np.full(len(cases), np.nan)) for name in names}
    for i, whole in enumerate(cases):
        case = whole.sweep
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
