"""What the judge's choices lose without a kind of evidence or of tasks, and with fewer tasks.

As in :mod:`sortal_lab.choice_training`, every group of kinds is excluded from training as a whole,
and the trees choose on its tasks. ``storage`` is the folder of the shards of tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.judge import columns, kind_of
from sortal_lab import ExperimentResult
from sortal_lab.choice_generated import GROUPS, cases_in, make_shards
from sortal_lab.choice_training import MEAN, SHARDS, by_group, means_of, of_groups, reached_by
from sortal_lab.training import Fit, every_fold
from sortal_lab.trees import Boosting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Floats
    from sortal_lab.cases import TrainingCase

#: trees that are smaller than the judge's, and tasks of the ablations
SMALL, TASKS = Boosting(trees=40, leaves=15, rate=0.15), 1500
#: steps of each column: with as few values as this, the boosting needs no weighted quantiles
STEPS = 200


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
    table = _curve(cases, SMALL, random_state, say)
    part = np.random.default_rng(random_state).permutation(len(cases))[:TASKS]
    changes, errors = _ablations([cases[int(i)] for i in part], SMALL, random_state, say)
    order = [MEAN, *GROUPS]
    shown = {way: [f"{row[group]:.3f}" for group in order] for way, row in table.items()}
    shown |= {
        way: [f"{row[group]:+.3f}" if group in row else "–" for group in order]
        for way, row in changes.items()
    }
    frame = pd.DataFrame(shown, index=order).T.rename_axis("learned from")
    return ExperimentResult(name, frame, (
        f"trees: {SMALL.trees} with {SMALL.leaves} leaves; {len(cases):,} tasks.",
        f"changes of the mean of groups have standard errors of {min(errors):.3f} to "
        f"{max(errors):.3f}.",
    ))  # fmt: skip


def _ablations(
    cases: Sequence[TrainingCase], size: Boosting, random_state: int, say: Callable[[str], None]
) -> tuple[dict[str, dict[str, float]], list[float]]:
    """Changes of choices without a kind of evidence, and by judges that lack one more group.

    Beside them the standard errors of the changes of their means.
    """
    fold = every_fold(cases)
    kinds = np.array([kind_of(name) for name in columns(cases[0].evidence)])
    groups = np.array([case.collection for case in cases])
    fit = _coarse(cases, size, random_state)

    def reached(grow: Fit, kept: NDArray[Any] | None = None) -> Floats:
        return reached_by(cases, grow.unseen(fold, kept).ahead)

    base, out, errors = reached(fit), {}, []

    def note(what: str, change: Floats, usual: NDArray[Any]) -> None:
        some = [case for case, kept in zip(cases, usual, strict=True) if kept]
        each = by_group(some, change[usual]).values()
        squares = [np.var(part) / len(part) for part in each]
        errors.append(float(np.sqrt(np.sum(squares))) / len(squares))
        out[f"{len(cases)} tasks without: {what}"] = of_groups(some, change[usual])
        say(f"without {what}")

    for kind in dict.fromkeys(kinds):
        blind = copy(fit)
        blind.table = np.where(kinds == kind, np.float32(0), fit.table)
        note(kind, reached(blind) - base, groups != "")
    for group in GROUPS:
        less = reached(fit, np.flatnonzero(groups != group))
        note(group, less - base, groups != group)
    return out, errors


def _coarse(cases: Sequence[TrainingCase], size: Boosting, random_state: int) -> Fit:
    """Fits that read each column in a few steps of equal shares."""
    fit = Fit(cases, size, random_state, 1)
    for column in fit.table.T:
        edges = np.unique(np.quantile(column, np.linspace(0, 1, STEPS)[1:-1]))
        column[:] = np.searchsorted(edges, column)
    return fit


def _curve(
    cases: Sequence[TrainingCase], size: Boosting, random_state: int, say: Callable[[str], None]
) -> dict[str, dict[str, float]]:
    """Choices by the number of tasks that are learned from."""
    fold = every_fold(cases)
    fit = _coarse(cases, size, random_state)
    order_of = np.random.default_rng(random_state).permutation(len(cases))
    out = {}
    for parts in (8, 4, 2, 1):
        kept = order_of[: len(cases) // parts]
        out[f"of {len(kept)} tasks"] = means_of(cases, fit.unseen(fold, kept).ahead)
        say(f"{len(kept)} tasks")
    return out
