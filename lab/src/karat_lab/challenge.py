"""User-supplied methods of choosing, compared with rivals on the folds of the corpus."""

from __future__ import annotations

import importlib.util
import operator
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from karat import InputError
from karat.judge import load_judge
from karat_lab import ExperimentResult
from karat_lab.cases import TrainingCase
from karat_lab.choice import PARTS, corpus
from karat_lab.choice_table import GROUPS, mean_of_collections, members, with_interval
from karat_lab.choice_tasks import build
from karat_lab.rivals import RIVALS
from karat_lab.training import folds_of

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


Say = Callable[[str], None]


def load_method(path: Path) -> ModuleType:
    """The Python file of a method: ``choose(X, labelings) -> position``, and perhaps ``train``.

    Raises
    ------
    InputError
        If there is no such file, or it has no function ``choose``.
    """
    if not path.is_file():
        raise InputError(f"there is no file {path}; name a Python file with choose(X, labelings)")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a Python file; its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not callable(getattr(module, "choose", None)):
        raise InputError(f"{path} has no function choose(X, labelings); define one")
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
        with the tasks of the others: ``(X, labelings, agreements)``.
    samples : int, optional
        Sub-tasks of each real table; 21 in full.
    storage : path, optional
        The folder of ``karat reproduce choice``, which has the candidates.
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
    chosen: dict[str, NDArray[np.intp]] = {}

    def choose(way: str, i: int, position: int) -> None:
        """Store the choice for case i."""
        chosen.setdefault(way, np.zeros(len(cases), dtype=np.intp))[i] = position

    for f in range(int(fold.max()) + 1):
        learned = [case for case, at in zip(cases, fold, strict=True) if at != f]
        tasks = [(*_given(case), case.first) for case in learned]
        for method in methods.values():
            if hasattr(method, "train"):
                method.train(tasks)
        for i in map(int, np.flatnonzero(fold == f)):
            case = cases[i]
            for name, method in methods.items():
                choose(name, i, _position(method, case))
            choose("the judge", i, int(np.argmax(judge(case.evidence).score)))
            for way, rival in RIVALS.items():
                choose(way, i, int(np.argmax(rival(case))))
    table = _table(cases, chosen)
    of = {case.collection for case in every}
    return ExperimentResult("challenge", table, (
        f"{len(every):,} tasks of {len(of)} collections. A method that trains does so on the other "
        "collections of each fold; the judge was trained on none of them. Mean adjusted Rand index "
        "with 95 % bootstrap intervals over collections.",
    ))  # fmt: skip


def _given(case: TrainingCase) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Input of a method: data and labelings."""
    family, name, number = case.name.split("/")
    assert case.codes is not None
    X = np.asarray(build((family, name, int(number))).X, dtype=np.float64)
    return X, case.codes.astype(np.int64)


def _position(method: Any, case: TrainingCase) -> int:
    """Validated choice of a method for a case."""
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
    return position


def _table(cases: Sequence[TrainingCase], chosen: dict[str, NDArray[np.intp]]) -> pd.DataFrame:
    """Agreement of the choices by group of data."""
    import pandas as pd

    ways = {
        way: np.array([case.first[at] for case, at in zip(cases, positions, strict=True)])
        for way, positions in chosen.items()
    }
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
