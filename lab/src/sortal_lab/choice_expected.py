"""How far the recovery as stated holds on groups of generated kinds that the judge never saw.

Every group of kinds is excluded from training as a whole, as in :mod:`sortal_lab.choice_training`,
and ``storage`` is the same folder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from sortal.judge import interval_around
from sortal_lab import ExperimentResult
from sortal_lab.choice_generated import cases_in, make_shards
from sortal_lab.choice_labelings import above_itself
from sortal_lab.choice_table import above_noise
from sortal_lab.choice_training import FEW, N_JOBS, STATED
from sortal_lab.training import Fit, calibrated, every_fold, foremost, residuals
from sortal_lab.trees import Boosting

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import Floats
    from sortal_lab.cases import TrainingCase


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Predict the agreement of candidates and users' labelings of excluded kinds.

    ``samples``: shards of tasks; in full those that the recovery is learned from.

    Returns errors of the prediction and of its interval.
    """
    say = progress or (lambda line: None)
    numbers = STATED[:samples]
    with TemporaryDirectory() as temporary:
        folder = Path(temporary if storage is None else storage)
        make_shards(folder, numbers, say)
        cases = list(cases_in(folder, numbers))
        quick = len(numbers) < 10
        fit = Fit(cases, FEW if quick else Boosting(), random_state, N_JOBS)
        fold = every_fold(cases)
        expected = fit.of_folds(fit.expected, fold, storage=folder)
    clouds = [
        values[foremost(case, values)]
        for case, values in zip(cases, expected, strict=True)
        if not case.is_tested
    ]
    return ExperimentResult(name, held(cases, fold, expected), (
        f"{sum(case.is_tested for case in cases):,} tasks of excluded kinds.",
        above_noise(lambda noise: [
            above_itself(values, case.sources, noise)
            for case, values in zip(cases, expected, strict=True)
        ]),
        f"data without classes: expected of the foremost candidate {np.mean(clouds):.2f} on "
        f"average, at most {np.quantile(clouds, 0.95):.2f} in 95 % of them.",
    ))  # fmt: skip


def held(
    cases: Sequence[TrainingCase], fold: NDArray[np.int64], expected: Sequence[Floats]
) -> pd.DataFrame:
    """Error, coverage and width by what is predicted; intervals come from the other folds."""
    import pandas as pd

    rows: dict[str, list[list[float]]] = {}
    tested = np.array([case.is_tested for case in cases])
    for f in np.unique(fold[tested]):
        others = np.flatnonzero(tested & (fold != f)).tolist()
        steps, below, above = calibrated(
            *residuals([cases[i] for i in others], [expected[i] for i in others])
        )
        for i in np.flatnonzero(tested & (fold == f)).tolist():
            case, predicted = cases[i], np.clip(expected[i], -0.1, 1)
            low, high = interval_around(predicted, steps, below, above)
            holds = (low <= case.first) & (case.first <= high)
            squares = (predicted - case.first) ** 2
            for what, part in (
                ("foremost candidate", [foremost(case, predicted)]),
                ("candidates of the sweep", case.kinds["swept"]),
                ("users' labelings", case.kinds["own"]),
            ):
                if len(part):
                    values = [float(v[part].mean()) for v in (squares, holds, high - low)]
                    rows.setdefault(what, []).append(values)
    columns = ["root mean squared error", "share in the 80 % interval", "its mean width"]
    means = {what: np.mean(values, axis=0) for what, values in rows.items()}
    frame = pd.DataFrame(means, index=columns).T.rename_axis("recovery of")
    return frame.assign(**{columns[0]: np.sqrt(frame[columns[0]])}).round(3)
