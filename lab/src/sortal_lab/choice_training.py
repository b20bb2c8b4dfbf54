"""What the judge was chosen by: choices on groups of generated kinds that it never saw.

Every group of kinds (:data:`sortal_lab.choice_generated.GROUPS`) is excluded from training as a
whole, and the trees choose on its tasks. Compared are forms of the judge and its rivals. Real
collections take no part. ``storage`` is a folder for the shards of tasks, which are made where they
are missing, and for predictions of excluded kinds; the trained judge is written there as
``judge.npz``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from sortal.judge import set_back
from sortal_lab import ExperimentResult
from sortal_lab.choice_generated import GROUPS, cases_in, make_shards, number_of
from sortal_lab.choice_labelings import above_itself
from sortal_lab.rivals import agreement, best_likelihood, likelihood, stability
from sortal_lab.training import (
    Fit,
    Unseen,
    best_loss,
    every_fold,
    judge_of,
    temperatures,
)
from sortal_lab.trees import Boosting

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import Floats
    from sortal_lab.cases import TrainingCase


SHARDS = 245
#: shards from which the recovery is learned: all have clusterings with errors
STATED = range(25, 73)
N_JOBS = 2
#: randomised trees that are compared
RANDOMISED = 20
FEW = Boosting(trees=20)
#: temperature of the smoothed choice
SMOOTHED = 0.02
RIVALS = {
    "likelihood (BIC, full covariances)": likelihood,
    "likelihood (BIC, best model)": best_likelihood,
    "stability": stability,
    "agreement among candidates": agreement,
}
MEAN = "mean of groups"


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Choose on excluded kinds, and train the judge.

    ``samples``: shards of tasks; 245 in full, 10,000 tasks.

    Returns mean adjusted Rand index of the choice, by way of choosing and group of kinds.
    """
    say = progress or (lambda line: None)
    with TemporaryDirectory() as temporary:
        folder = Path(temporary if storage is None else storage)
        make_shards(folder, range(SHARDS if samples is None else samples), say)
        cases = list(cases_in(folder, range(samples) if samples else None))
        quick = samples is not None and samples < 10
        stated = np.array([number_of(case) in STATED for case in cases])
        fit = Fit(cases, FEW if quick else Boosting(), random_state, N_JOBS, stated)
        fold = every_fold(cases)
        unseen = fit.unseen(fold, storage=folder)
        expected = fit.of_folds(fit.expected, fold, storage=folder)
        judge = judge_of(fit, unseen, expected).signed()
        judge.save(folder / "judge.npz", overwrite=True)
        say("judge")
        table, notes = compared(fit, unseen)
    return ExperimentResult(name, table, (*notes, f"SHA-256 {judge.digest}."))


def compared(fit: Fit, unseen: Unseen) -> tuple[pd.DataFrame, list[str]]:
    """Table of ways of choosing by group, and notes."""
    import pandas as pd

    cases, fold = fit.cases, every_fold(fit.cases)
    level = [values[case.kinds["swept"]] for values, case in zip(unseen.level, cases, strict=True)]
    rows = {
        "judge": unseen.ahead,
        "level alone": level,
        "order alone": [2 * b - a for a, b in zip(level, unseen.ahead, strict=True)],
        f"smoothed, temperature {SMOOTHED}": _smoothed(cases, unseen.ahead),
        "randomised trees": _randomised(fit, fold),
        **{way: [rival(case.sweep) for case in cases] for way, rival in RIVALS.items()},
    }
    table = {way: means_of(cases, scores) for way, scores in rows.items()} | _ends(cases)
    order = [MEAN, *GROUPS]
    shown = {way: [f"{row[group]:.3f}" for group in order] for way, row in table.items()}
    frame = pd.DataFrame(shown, index=order).T.rename_axis("way of choosing")
    return frame, _notes(unseen, fold)


def means_of(cases: Sequence[TrainingCase], scores: Sequence[Floats]) -> dict[str, float]:
    """Mean agreement of the choices in each group, and the mean of the groups."""
    return of_groups(cases, reached_by(cases, scores))


def reached_by(cases: Sequence[TrainingCase], scores: Sequence[Floats]) -> Floats:
    """Agreement of the choice of each case."""
    return np.array([
        case.sweep.first[int(np.argmax(set_back(score, case.sweep.evidence)))]
        for case, score in zip(cases, scores, strict=True)
    ])  # fmt: skip


def of_groups(cases: Sequence[TrainingCase], values: Sequence[float] | Floats) -> dict[str, float]:
    """Mean of the tested cases in each group, and the mean of the groups."""
    each = by_group(cases, values)
    means = {group: float(np.mean(part)) for group, part in each.items()}
    return {MEAN: float(np.mean(list(means.values()))), **means}


def by_group(
    cases: Sequence[TrainingCase], values: Sequence[float] | Floats
) -> dict[str, list[float]]:
    """Values of the tested cases in each group."""
    out: dict[str, list[float]] = {}
    for case, value in zip(cases, values, strict=True):
        if case.is_tested:
            out.setdefault(case.collection, []).append(float(value))
    return out


def _ends(cases: Sequence[TrainingCase]) -> dict[str, dict[str, float]]:
    """Means of all candidates and of the best."""
    return {
        "a candidate at random": of_groups(cases, [float(c.sweep.first.mean()) for c in cases]),
        "best candidate": of_groups(cases, [float(c.sweep.first.max()) for c in cases]),
    }


def _smoothed(cases: Sequence[TrainingCase], ahead: Sequence[Floats]) -> list[Floats]:
    """Expected agreement with the best candidate, by probabilities from the scores."""
    out = []
    for case, values in zip(cases, ahead, strict=True):
        weights = np.exp((values - values.max()) / SMOOTHED)
        out.append(case.sweep.evidence.agreement @ (weights / weights.sum()))
    return out


def _randomised(fit: Fit, fold: NDArray[np.int64]) -> list[Floats]:
    """Scores of the candidates of each sweep by extremely randomised trees for the order."""
    from sklearn.ensemble import ExtraTreesRegressor

    out: list[Floats] = [np.zeros(0)] * len(fit.cases)
    for f in np.unique(fold):
        rows, target, weight = fit.order_rows(np.flatnonzero(fold != f))
        model = ExtraTreesRegressor(
            RANDOMISED, max_leaf_nodes=500, min_samples_leaf=5, max_features=0.2,
            random_state=fit.random_state, n_jobs=fit.n_jobs,
        )  # fmt: skip
        model.fit(fit.table[rows], target, sample_weight=weight)
        excluded = np.flatnonzero(fold == f)
        swept = [fit.starts[i] + fit.cases[int(i)].kinds["swept"] for i in excluded]
        ends = np.cumsum([len(part) for part in swept])[:-1]
        predicted = model.predict(fit.table[np.concatenate(swept)])
        for i, part in zip(excluded, np.split(predicted, ends), strict=True):
            out[i] = part
    return out


def _notes(unseen: Unseen, fold: NDArray[np.int64]) -> list[str]:
    """What there is, and how far the number of clusters is known for excluded kinds."""
    cases = unseen.cases
    tested = [i for i, case in enumerate(cases) if case.is_tested]
    losses = np.concatenate([
        _losses(unseen.take(i for i in tested if fold[i] != f),
                unseen.take(i for i in tested if fold[i] == f)) for f in np.unique(fold[tested])
    ])  # fmt: skip
    loss, even = losses.mean(axis=0)
    every = [above_itself(unseen.level[i], cases[i].sources, 10) for i in tested]
    above = [each for each in every if each is not None]
    return [
        f"{len(tested):,} tasks of {len(GROUPS)} groups of kinds and {len(cases) - len(tested):,} "
        f"without classes, {sum(len(case.table) for case in cases):,} candidates and labelings.",
        f"the number of clusters of the candidate that agrees best: log loss {loss:.2f}, of even "
        f"shares {even:.2f}.",
        f"the truth is predicted above itself with 10 % noise in {100 * np.mean(above):.0f} % "
        f"of {len(above)} tasks of excluded kinds.",
    ]


def _losses(learned: Unseen, excluded: Unseen) -> Floats:
    """Log loss of the number of clusters of excluded cases, and that of even shares."""
    probability = excluded.shares(*temperatures(learned))
    out = []
    for case, shared in zip(excluded.cases, probability, strict=True):
        even = np.log(len(np.unique(case.sweep.evidence.traits.sizes[:, 0])))
        out.append([best_loss(case.sweep, shared, True), even])
    return np.array(out, dtype=np.float64)
