"""Ways of choosing without labels on real collections, none of which the judge was trained on.

Real tables, benchmark sets and term collections are clustered as a study does; the packaged judge
and its simple rivals choose. ``storage`` is a folder that keeps every finished task.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import softmax

from sortal.judge import Judge, JudgeSettings, degenerate, load_judge, set_back
from sortal.study import by_expected_agreement, level_numbers
from sortal_lab import ExperimentResult
from sortal_lab.cases import OWN, TrainingCase
from sortal_lab.choice_corpus import case_of, case_path, keep, kept
from sortal_lab.choice_table import ChoiceTrial, notes_on, table_of
from sortal_lab.choice_tasks import plan
from sortal_lab.rivals import RIVALS

if TYPE_CHECKING:
    from sortal.typing import Floats


#: sub-tasks of each real table, where experiments want many tasks
PARTS = 21


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Choose on every whole set.

    ``samples``: sub-tasks of each real table beside the whole sets; none by default. ``storage``
    is a folder here, which keeps finished tasks.

    Returns mean adjusted Rand index of the choice, by family of data and way of choosing.
    """
    judge = load_judge()
    cases = corpus(samples or 0, storage, progress or (lambda line: None))
    trials = [tried(case, judge) for case in cases]
    return ExperimentResult(name, table_of(trials), (*notes_on(trials),
                            f"judge {judge.version}, SHA-256 {judge.digest}."))  # fmt: skip


def corpus(
    parts: int, storage: str | Path | None, say: Callable[[str], None]
) -> list[TrainingCase]:
    """The cases of all tasks, from the storage where they are there."""
    return cases_of(plan(parts), storage, say)


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
            path = case_path(folder, task)
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


def tried(whole: TrainingCase, judge: Judge) -> ChoiceTrial:
    """Trial of the judge and its rivals on one case."""
    case = whole.sweep
    judgement = by_expected_agreement(judge, judge(case.evidence), case.evidence, case.repeatable)
    reached = {"judge": float(case.first[int(np.argmax(judgement.score))])}
    for way, rival in RIVALS.items():
        reached[way] = float(case.first[int(np.argmax(rival(case)))])
    reached["a candidate at random"] = float(case.first.mean())
    numbers = case.evidence.traits.sizes[:, 0].astype(np.int64)
    for m, likelihood in case.labelled.items():
        reached[f"labels alone, {m}"] = _by_labels(case, likelihood)
        logs = set_back(judgement.level, case.evidence) / JudgeSettings().temperature + likelihood
        logs[~level_numbers(softmax(logs), numbers)] = -np.inf
        reached[f"judge and labels, {m}"] = float(case.first[np.argmax(logs)])
    reached["best candidate"] = float(case.first.max())
    among = {
        (way, size): value
        for size in PARTS_OF
        for way, value in (among_some(case, judge, size) or {}).items()
    }
    of_users = whole.kinds["own"]
    names = tuple(min(n for n in whole.sources[int(j)] if n.startswith(OWN)) for j in of_users)
    said = judge(whole.evidence.take(of_users))
    own = np.stack([said.predicted, whole.first[of_users], said.low, said.high])
    return ChoiceTrial(case, judgement, reached, among, own, names)


#: sizes of random parts of the candidates
PARTS_OF = (2, 3, 5, 8, 12, 20)


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
    chosen = by_expected_agreement(judge, judge(part.evidence), part.evidence, part.repeatable)
    return {
        "judge": float(reached[int(np.argmax(chosen.score))]),
        "consensus of families": float(reached[int(np.argmax(consensus))]),
        "a candidate at random": float(reached.mean()),
        "best candidate": float(reached.max()),
    }


def _by_labels(case: TrainingCase, likelihood: Floats) -> float:
    """Mean agreement of the candidates that the labels make most likely."""
    return float(case.first[likelihood >= likelihood.max() - 1e-9].mean())
