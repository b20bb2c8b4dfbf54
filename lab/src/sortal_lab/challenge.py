"""User-supplied methods of choosing, compared with rivals on the folds of the corpus."""

from __future__ import annotations

import importlib.util
import operator
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal import InputError
from sortal.judge import load_judge
from sortal_lab import ExperimentResult
from sortal_lab.cases import TrainingCase
from sortal_lab.choice import PARTS, corpus
from sortal_lab.choice_corpus import agreement
from sortal_lab.choice_table import GROUPS, mean_of_collections, members, with_interval
from sortal_lab.choice_tasks import ChoiceTask, build
from sortal_lab.rivals import RIVALS
from sortal_lab.training import folds_of

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


Say = Callable[[str], None]


def load_method(path: Path) -> ModuleType:
    """The Python file of a method: ``choose(X, labelings) -> position`` or ``cluster(X)``.

    Raises
    ------
    InputError
        If there is no such file, it lacks a package, or it has neither function.
    """
    if not path.is_file():
        raise InputError(f"there is no file {path}; name a Python file with choose(X, labelings)")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a Python file; its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        raise InputError(f"{path} needs {error.name}; pip install {error.name}") from error
    if not any(callable(getattr(module, way, None)) for way in ("choose", "cluster")):
        raise InputError(f"{path} has no function choose(X, labelings) or cluster(X); define one")
    return module


def challenge(
    methods: Mapping[str, Any],
    *,
    samples: int | None = None,
    storage: Path | None = None,
    random_state: int = 0,
    progress: Say | None = None,
) -> ExperimentResult:
    """Scores of methods that choose clusterings, on collections that were not learned from.

    Parameters
    ----------
    methods : mapping of str to module or object
        By name. ``choose(X, labelings)`` returns the position of one of the labelings, an integer
        array of shape (M, n). ``train(tasks)``, where a method has one, is called before each fold
        with the tasks of the others: ``(X, labelings, agreements)``. A method that is a system of
        its own has ``cluster(X)`` instead, which returns labels (n,).
    samples : int, optional
        Sub-tasks of each real table; 21 in full.
    storage : path, optional
        The folder of ``sortal reproduce choice``, which has the candidates.
    random_state : int
        Of the judge.

    Returns
    -------
    ExperimentResult
        Mean adjusted Rand index by way of choosing and family of data, the methods first, with
        95 % bootstrap intervals over collections.
    """
    say = progress or (lambda line: None)
    every = corpus(PARTS if samples is None else samples, storage, say)
    fold, judge = folds_of(every), load_judge()
    cases = [case.sweep for case in every]
    agreements: dict[str, NDArray[np.float64]] = {}

    def score(way: str, i: int, value: float) -> None:
        agreements.setdefault(way, np.zeros(len(cases)))[i] = value

    for f in range(int(fold.max()) + 1):
        learned = [case for case, at in zip(cases, fold, strict=True) if at != f]
        tasks = [(*_given(case), case.first) for case in learned]
        for method in methods.values():
            if hasattr(method, "train"):
                method.train(tasks)
        for i in map(int, np.flatnonzero(fold == f)):
            case = cases[i]
            for name, method in methods.items():
                own = hasattr(method, "cluster")
                score(name, i, _clustered(method, case) if own else _chosen(method, case))
            score("the judge", i, case.first[np.argmax(judge(case.evidence).score)])
            for way, rival in RIVALS.items():
                score(way, i, case.first[np.argmax(rival(case))])
    table = _table(cases, agreements)
    of = {case.collection for case in every}
    return ExperimentResult("challenge", table, (
        f"{len(every):,} tasks of {len(of)} collections. A method that trains does so on the other "
        "collections of each fold; the judge was trained on none of them. Mean adjusted Rand index "
        "with 95 % bootstrap intervals over collections.",
    ))  # fmt: skip


def _task(case: TrainingCase) -> ChoiceTask:
    """The task that a case is of."""
    family, name, number = case.name.split("/")
    return build((family, name, int(number)))


def _given(case: TrainingCase) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Input of a method: data and labelings."""
    assert case.codes is not None
    return np.asarray(_task(case).X, dtype=np.float64), case.codes.astype(np.int64)


def _chosen(method: Any, case: TrainingCase) -> float:
    """Agreement of the labeling that a method chooses."""
    X, labelings = _given(case)
    answer = method.choose(X, labelings)
    try:
        position = operator.index(answer)
    except TypeError:
        position = -1
    if not 0 <= position < len(labelings):
        raise InputError(
            f"choose returned {answer!r} for {case.name}; it must return the position of one of "
            f"the {len(labelings)} labelings, 0 to {len(labelings) - 1}"
        )
    return float(case.first[position])


def _clustered(method: Any, case: TrainingCase) -> float:
    """Agreement of the clusters that a method makes."""
    task = _task(case)
    labels = np.asarray(method.cluster(np.asarray(task.X, dtype=np.float64)))
    if labels.shape != (len(task.X),) or labels.dtype.kind != "i":
        raise InputError(
            f"cluster returned an array of {labels.dtype}, shape {labels.shape}, for {case.name}; "
            f"it must return {len(task.X)} whole numbers, -1 for an outlier"
        )
    return agreement(labels, task.truths[0])


def _table(cases: Sequence[TrainingCase], ways: dict[str, NDArray[np.float64]]) -> pd.DataFrame:
    """Agreement of the choices by group of data."""
    import pandas as pd

    ways["a candidate at random"] = np.array([case.first.mean() for case in cases])
    ways["best candidate"] = np.array([case.first.max() for case in cases])
    columns = {}
    for title, family, whole in GROUPS:
        selected = members(cases, family, whole)
        if len(selected):
            columns[title] = {
                way: with_interval(mean_of_collections(cases, selected, values))
                for way, values in ways.items()
            }
    return pd.DataFrame(columns).rename_axis("way of choosing")
