"""Ways of choosing without labels, each collection of data sets excluded in turn.

Real tables, benchmark sets, term collections and generated sets are clustered as a study does;
the learned judge and its simple rivals choose. Whatever is learned is learned on the other
collections. ``samples`` is the number of sub-tasks of each real table (21 in full), ``storage`` a
folder that keeps every finished task; with it the trained judge is written there, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.judge.judgements import HALF, Judge, degenerate, set_back
from karat.judge.label_likelihood import TEMPERATURE
from karat_lab import ExperimentResult
from karat_lab.cases import LABELS, TrainingCase
from karat_lab.choice_corpus import case_of, keep, kept
from karat_lab.choice_table import ChoiceTrial, notes_on, table_of
from karat_lab.choice_tasks import plan
from karat_lab.rivals import RIVALS, by_families, by_measure, measure_families
from karat_lab.training import Size, folds_of, train

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.runtime.types import Floats


PARTS = 21
FOLDS = 4
#: of the tested tasks, one in so many is also tried with the tightest guarantee
TRIED = 10
#: trees of the judges in the table, of the one that is kept, and of both with ``samples``
TESTED, SHIPPED = Size((30, 500), (30, 400)), Size()
FEW = Size((15, 120), (15, 100), 8)


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Build the corpus, choose with every collection excluded in turn, and train the judge.

    ``samples``: sub-tasks of each real table; 21 in full. ``storage`` is a folder here: finished
    tasks are kept there, and at the end ``judge.npz``.

    Returns mean adjusted Rand index of the choice, by family of data and way of choosing.
    """
    say = progress or (lambda line: None)
    cases = corpus(PARTS if samples is None else samples, storage, say)
    tested, shipped = (TESTED, SHIPPED) if samples is None else (FEW, FEW)
    trials = trials_of(cases, size=tested, random_state=random_state, progress=say)
    judge = train(cases, size=shipped, random_state=random_state, n_jobs=2)
    judge = with_gains(judge, trials)
    if storage is not None:
        judge.save(Path(storage) / "judge.npz")
    return ExperimentResult(name, table_of(trials), (*notes_on(trials),
                            f"judge {judge.version}, SHA-256 {judge.digest}."))  # fmt: skip


def corpus(
    parts: int, storage: str | Path | None, say: Callable[[str], None]
) -> list[TrainingCase]:
    """The cases of all tasks, from the storage where they are there."""
    return cases_of(plan(parts, parts + 3), storage, say)


def cases_of(
    todo: Sequence[tuple[str, str, int]], storage: str | Path | None, say: Callable[[str], None]
) -> list[TrainingCase]:
    """The cases of these tasks, from the storage where they are there."""
    folder = None if storage is None else Path(storage)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    cases = []
    for number, task in enumerate(todo):
        path = None
        if folder is not None:
            path = folder / ("_".join(map(str, task)).replace(" ", "-") + ".npz")
        if path is not None and path.exists():
            case = kept(path)
        else:
            case = case_of(task)
            if path is not None:
                keep(case, path)
            say(f"{number + 1} of {len(todo)} tasks: {'/'.join(map(str, task))}")
        if case is not None:
            cases.append(case)
    return cases


def trials_of(
    cases: Sequence[TrainingCase],
    *,
    size: Size,
    random_state: int = 0,
    n_folds: int = FOLDS,
    progress: Callable[[str], None] | None = None,
) -> list[ChoiceTrial]:
    """Trials of every method on collections that it did not learn from.

    Synthetic cases never count in the table.
    """
    fold = folds_of(cases, n_folds)
    never = np.flatnonzero(fold < 0)
    fold[never] = np.arange(len(never)) % n_folds
    say = progress or (lambda line: None)
    trials: dict[int, ChoiceTrial] = {}
    for f, learned, judge in judges_of_folds(cases, fold, size, random_state, say):
        simple = learned_rivals([case.sweep for case in learned if case.is_tested])
        for i in np.flatnonzero(fold == f):
            trials[int(i)] = tried(cases[int(i)], judge, {**RIVALS, **simple}, int(i))
    return [trials[i] for i in range(len(cases))]


def tried(whole: TrainingCase, judge: Judge, rivals: dict[str, Any], number: int) -> ChoiceTrial:
    """Trial of the judge and its rivals on one case."""
    case = whole.sweep
    judgement = judge(case.evidence)
    reached = {"judge": float(case.first[int(np.argmax(judgement.score))])}
    if not case.is_tested:
        return ChoiceTrial(case, judgement, reached)
    for way, rival in rivals.items():
        reached[way] = float(case.first[int(np.argmax(rival(case)))])
    reached["a candidate at random"] = float(case.first.mean())
    for m, likelihood in case.labelled.items():
        reached[f"labels alone, {m}"] = _by_labels(case, likelihood)
        both = set_back(judgement.predicted, case.evidence) / TEMPERATURE + likelihood
        reached[f"judge and labels, {m}"] = float(case.first[np.argmax(both)])
        if number % TRIED == 0:
            reached[f"{GUARANTEED}, {m}"] = with_guarantee(case, m)
    reached["best candidate"] = float(case.first.max())
    among = {
        (way, size): value
        for size in (PARTS_OF if number % DRAWN_OF == 0 else ())
        for way, value in (among_some(case, judge, size) or {}).items()
    }
    of_users = whole.kinds["own"]
    names = tuple(min(whole.sources[int(j)]) for j in of_users)
    predicted = np.clip(judge.level.predict(whole.table[of_users]), -0.1, 1)
    return ChoiceTrial(
        case, judgement, reached, among, np.stack([predicted, whole.first[of_users]]), names,
        by_preparations(whole, judge),
    )  # fmt: skip


def by_preparations(whole: TrainingCase, judge: Judge) -> tuple[float, float] | None:
    """Choice and best candidate over all preparations; None where there is only one."""
    if len(whole.kinds["prepared"]) == 0:
        return None
    every = whole.take(np.concatenate([whole.kinds["swept"], whole.kinds["prepared"]]))
    best = int(np.argmax(judge(every.evidence).score))
    return float(every.first[best]), float(every.first.max())


def judges_of_folds(
    cases: Sequence[TrainingCase],
    fold: NDArray[np.int64],
    size: Size,
    random_state: int,
    say: Callable[[str], None],
) -> Iterator[tuple[int, list[TrainingCase], Judge]]:
    """Each fold, the cases of the others, and a judge that learned from those."""
    n_folds = int(fold.max()) + 1
    for f in range(n_folds):
        learned = [case for case, at in zip(cases, fold, strict=True) if at != f]
        yield f, learned, train(learned, size=size, random_state=random_state, n_jobs=2)
        say(f"fold {f + 1} of {n_folds}")


#: sizes of random parts of the candidates, and of the tested tasks one in so many to draw them of
PARTS_OF, DRAWN_OF = (2, 3, 5, 8, 12, 20), 4


def among_some(case: TrainingCase, judge: Judge, size: int) -> dict[str, float] | None:
    """Agreement of choices among random candidates; None where there are too few."""
    usable = np.flatnonzero(~degenerate(case.evidence.traits.sizes))
    if len(usable) <= size:
        return None
    rng = np.random.default_rng([size, len(case.first)])
    positions = np.sort(rng.choice(usable, size, replace=False))
    reached = case.first[positions]
    part = case.take(positions)
    consensus = RIVALS["consensus of families"](part)
    return {
        "judge": float(reached[int(np.argmax(judge(part.evidence).score))]),
        "consensus of families": float(reached[int(np.argmax(consensus))]),
        "a candidate at random": float(reached.mean()),
        "best candidate": float(reached.max()),
    }


GUARANTEED = f"tightest guarantee (one task in {TRIED})"


def _by_labels(case: TrainingCase, likelihood: Floats) -> float:
    """Mean agreement of the candidates that the labels make most likely."""
    return float(case.first[likelihood >= likelihood.max() - 1e-9].mean())


def with_guarantee(case: TrainingCase, n_labels: int) -> float:
    """Agreement of the clustering with the tightest guarantee, for some labels at random."""
    from karat.bounds import guarantee

    assert case.codes is not None
    assert case.truth is not None
    few = np.full(len(case.truth), None, dtype=object)
    positions = case.drawn(n_labels)
    few[positions] = case.truth[positions]
    named = {str(j): code for j, code in enumerate(case.codes)}
    return float(case.first[int(guarantee(named, few, noise="cluster").name)])


LEARNED = ("best measure of the other collections", "consensus of learned families")


def learned_rivals(cases: Sequence[TrainingCase]) -> dict[str, Any]:
    """The simple ways that look at other collections first."""
    keys = sorted(cases[0].measures)

    def mean(score: Any) -> float:
        """Mean agreement of choices by a score, over collections."""
        by: dict[str, list[float]] = {}
        for case in cases:
            value = case.first[int(np.argmax(score(case)))]
            by.setdefault(case.collection, []).append(value)
        return float(np.mean([np.mean(values) for values in by.values()]))

    best = max(keys, key=lambda key: mean(by_measure(key)))
    families = measure_families(cases, (4, 8, 12))
    options = [by_families(family) for family in families.values()]
    return dict(zip(LEARNED, (by_measure(best), max(options, key=mean)), strict=True))


def with_gains(judge: Judge, trials: Sequence[ChoiceTrial]) -> Judge:
    """The judge with the gains by labels where it was sure and where it was not."""
    gains = np.zeros((len(LABELS), 2))
    for row, m in enumerate(LABELS):
        gains_by_sureness: dict[bool, list[float]] = {False: [], True: []}
        for trial in trials:
            value = trial.reached.get(f"judge and labels, {m}")
            if value is not None:
                sure = trial.judgement.predicted[np.argmax(trial.judgement.score)] >= HALF
                gains_by_sureness[bool(sure)].append(value - trial.reached["judge"])
        gains[row] = [np.mean(values) if values else 0.0 for values in gains_by_sureness.values()]
    return replace(judge, gains=gains).signed()
