"""What the judge's choices lose without a kind of evidence or of tasks, and with fewer tasks.

As in :mod:`karat_lab.choice_training`, every group of kinds is excluded from training as a whole,
and the trees choose on its tasks. ``storage`` is the folder of the shards of tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.judge.features import columns
from karat.judge.judgements import kind_of
from karat_lab import ExperimentResult
from karat_lab.choice_generated import GROUPS, cases_in, make_shards
from karat_lab.choice_training import FEW, MEAN, N_JOBS, SHARDS, means_of
from karat_lab.training import Fit, every_fold
from karat_lab.trees import Boosting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat_lab.cases import TrainingCase

#: trees that are smaller than the judge's, and tasks of the ablations
SMALL, TASKS = Boosting(trees=80, leaves=15, rate=0.1), 400


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Train small judges without some of their evidence or tasks.

    ``samples``: shards of tasks; 245 in full.

    Returns mean adjusted Rand index of the choices, or its change, by group of kinds.
    """
    import pandas as pd

    say = progress or (lambda line: None)
    with TemporaryDirectory() as temporary:
        folder = Path(temporary if storage is None else storage)
        numbers = range(SHARDS if samples is None else samples)
        make_shards(folder, numbers, say)
        cases = list(cases_in(folder, numbers))
    small = FEW if len(numbers) < 10 else SMALL
    table = _curve(cases, small, random_state, say)
    part = np.random.default_rng(random_state).permutation(len(cases))[:TASKS]
    changes = _ablations([cases[int(i)] for i in part], small, random_state, say)
    order = [MEAN, *GROUPS]
    shown = {way: [f"{row[group]:.3f}" for group in order] for way, row in table.items()}
    shown |= {
        way: [f"{row[group]:+.3f}" if group in row else "–" for group in order]
        for way, row in changes.items()
    }
    frame = pd.DataFrame(shown, index=order).T.rename_axis("learned from")
    return ExperimentResult(name, frame, (
        f"Trees of this table: {small.trees} with {small.leaves} leaves.",
    ))  # fmt: skip


def _ablations(
    cases: Sequence[TrainingCase], size: Boosting, random_state: int, say: Callable[[str], None]
) -> dict[str, dict[str, float]]:
    """Changes of choices without a kind of evidence, and by judges that lack one more group."""
    fold = every_fold(cases)
    names = list(columns(cases[0].evidence))
    kinds = np.array([kind_of(name) for name in names])
    fit = Fit(cases, size, random_state, N_JOBS)

    def means(grow: Fit, kept: NDArray[Any] | None = None) -> dict[str, float]:
        """Means of a judge whose training has only the kept cases."""
        return means_of(cases, grow.unseen(fold, kept).ahead)

    base, out = means(fit), {}
    for kind in dict.fromkeys(kinds):
        blind = Fit(cases, size, random_state, N_JOBS)
        blind.table[:, kinds == kind] = 0
        less = means(blind)
        out[f"{len(cases)} tasks without: {kind}"] = {key: less[key] - base[key] for key in base}
        say(f"without {kind}")
    groups = np.array([case.collection for case in cases])
    for group in GROUPS:
        less = means(fit, np.flatnonzero(groups != group))
        change = {key: less[key] - base[key] for key in GROUPS if key != group}
        change[MEAN] = float(np.mean(list(change.values())))
        out[f"{len(cases)} tasks without: {group}"] = change
        say(f"without {group}")
    return out


def _curve(
    cases: Sequence[TrainingCase], size: Boosting, random_state: int, say: Callable[[str], None]
) -> dict[str, dict[str, float]]:
    """Choices by the number of tasks that are learned from."""
    fold = every_fold(cases)
    fit = Fit(cases, size, random_state, N_JOBS)
    order_of = np.random.default_rng(random_state).permutation(len(cases))
    out = {}
    for parts in (8, 4, 2, 1):
        kept = order_of[: len(cases) // parts]
        out[f"of {len(kept)} tasks"] = means_of(cases, fit.unseen(fold, kept).ahead)
        say(f"{len(kept)} tasks")
    return out
