"""What each tuned constant of structure, judge and choice does to decisions on generated tasks.

Each constant is changed by a fifth in both directions, and all decisions are compared with those of
the unchanged constants on the same tasks. Candidates, evidence and searches are shared by all
changes that do not touch them. Real data are never used.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import softmax

from sortal.clusterers import catalogue
from sortal.judge import (
    Evidence,
    Judgement,
    JudgeSettings,
    gather,
    load_judge,
    log_likelihood,
    set_back,
)
from sortal.labelings import encode
from sortal.nulls import StructureSearch, StructureSettings
from sortal.study import ChoiceSettings, by_expected_agreement, level_numbers
from sortal_lab import ExperimentResult
from sortal_lab.choice_corpus import FoundLabelings, agreement
from sortal_lab.choice_generated import draw, kinds
from sortal_lab.choice_shapes import CLOUDS
from sortal_lab.journal import Journal

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import Floats

#: tasks in full, objects of a task at most, and objects whose class is known
N_TASKS, MAX_OBJECTS, N_LABELS = 60, 120, 10
#: the judge learned from tasks of smaller numbers
FIRST_NUMBER = 50_000
NUMBERS = range(2, 11)
#: constants that a note names
N_NAMED = 8
#: change of a constant, as a share of it
CHANGE = 0.2
TABLES: dict[str, Any] = {
    "structure": StructureSettings(),
    "judge": JudgeSettings(),
    "choice": ChoiceSettings(),
}
#: what the verdict on groups is worth on data with groups; on a cloud the reverse
WORTH = {"yes": 1.0, "unclear": 0.5, "no": 0.0}


@dataclass(frozen=True)
class Change:
    """A table of settings in which one constant has another value."""

    table: str
    #: names from the table to the constant
    path: tuple[str, ...]
    default: float
    value: float
    settings: Any

    @property
    def name(self) -> str:
        """Name of the change in the journal."""
        return f"{self.table}.{'.'.join(self.path)} = {self.value:g}"


def run(
    *,
    name: str = "constants",
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Change each tuned constant by a fifth, and count the decisions that change.

    ``samples``: generated tasks, of each kind in turn; 60 by default.

    Returns a row for each constant and direction, with the shares of the tasks in which the verdict
    on groups, the number of clusters, the chosen candidate, and the one chosen with ten labels are
    others, and the mean change of truth with its standard error.
    """
    n_tasks = N_TASKS if samples is None else samples
    kept = Journal(storage, f"random_state {random_state!r}")
    records: list[dict[str, Any]] = []
    for kind, number in tasks(n_tasks, int(random_state)):
        record: Any = kept.get((kind, str(number))) or {}
        if missing := [change for change in changes() if change.name not in record]:
            record |= decisions(kind, number, missing)
            kept.put((kind, str(number)), record)
        records.append(record)
        if progress is not None:
            progress(f"{len(records)} of {n_tasks} tasks: {kind} {number}")
    table = table_of(records)
    largest = table.groupby(["table", "constant"])[list(SHARES)].max().fillna(0).max(axis=1)
    moved: dict[Any, float] = largest.to_dict()
    named = {f"{constant} ({of})": share for (of, constant), share in moved.items()}
    idle = [key for key, share in named.items() if share == 0]
    first = sorted(named, key=lambda key: -named[key])[:N_NAMED]
    return ExperimentResult(
        name,
        table,
        (
            f"{len(records)} generated tasks of at most {MAX_OBJECTS} objects, {len(kinds())} "
            "kinds in turn; none of them is one that the judge learned from.",
            "Integers change by one at least; a share that would exceed 1 changes by a fifth of "
            "its distance from 1.",
            "Truth of a verdict: 1 where it is right, 0 where it is wrong, 0.5 for unclear; of a "
            "choice: its adjusted Rand index with the classes.",
            "Most decisions change with: "
            + ", ".join(f"{key} {named[key]:.0%}" for key in first)
            + ".",
            f"No decision changes with: {', '.join(idle) or 'none'}.",
        ),
    )


def tasks(count: int, random_state: int) -> Iterator[tuple[str, int]]:
    """Kinds and numbers of tasks: every fifth kind in turn, so that few tasks are of many forms."""
    every = kinds()
    mixed = [kind for first in range(5) for kind in every[first::5]]
    for i in range(count):
        number = FIRST_NUMBER + 1000 * random_state + i // len(mixed)
        yield mixed[i % len(mixed)], number


# -- changes -------------------------------------------------------------------------------------


def changes() -> list[Change]:
    """All changes of all tables."""
    return [
        Change(table, path, default, value, changed(settings, path, value))
        for table, settings in TABLES.items()
        for path, default in constants(settings)
        for value in changed_values(default)
    ]


def constants(settings: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], float]]:
    """Names and values of the constants in a table and in the tables in it."""
    for field in fields(settings):
        value = getattr(settings, field.name)
        if is_dataclass(value):
            yield from constants(value, (*path, field.name))
        else:
            yield (*path, field.name), value


def changed_values(default: float) -> tuple[float, float]:
    """The values a fifth higher and a fifth lower.

    >>> changed_values(10), changed_values(2), changed_values(0.5), changed_values(0.9)
    ((12, 8), (3, 1), (0.6, 0.4), (0.92, 0.88))
    """
    if isinstance(default, int):
        step = max(round(CHANGE * default), 1)
        return default + step, default - step
    away = 1 - default if default < 1 < (1 + CHANGE) * default else default
    return round(default + CHANGE * away, 9), round(default - CHANGE * away, 9)


def changed(settings: Any, path: tuple[str, ...], value: float) -> Any:
    """A table in which the constant at a path has another value."""
    name, *below = path
    if below:
        value = changed(getattr(settings, name), tuple(below), value)
    return replace(settings, **{name: value})


# -- decisions -----------------------------------------------------------------------------------


def decisions(kind: str, number: int, missing: Sequence[Change]) -> dict[str, Any]:
    """The decisions on a task by the names of changes, and ``""`` for none."""
    X, y, rng = draw(kind, number)
    X, y = X[:MAX_OBJECTS], y[:MAX_OBJECTS]
    is_cloud = kind in CLOUDS
    structure, choice = (
        StructureTask(X, is_cloud=is_cloud),
        ChoiceTask(X, y, rng, is_cloud=is_cloud),
    )
    out: dict[str, Any] = {"": structure.decide() | choice.decide()}
    with warnings.catch_warnings(action="ignore"):
        for change in missing:
            decide = structure.decide if change.table == "structure" else choice.decide
            out[change.name] = decide(**{change.table: change.settings})
    return out


class StructureTask:
    """Data whose structure is decided by many tables of settings."""

    def __init__(self, X: Floats, *, is_cloud: bool) -> None:
        self.X, self.is_cloud = np.ascontiguousarray(X), is_cloud
        self.shared = self._search(TABLES["structure"])

    def _search(self, settings: Any) -> StructureSearch:
        return StructureSearch(self.X, "euclidean", np.random.default_rng(0), settings)

    def decide(self, structure: Any = TABLES["structure"]) -> dict[str, Any]:
        """The verdict on groups, their number, and the worth of the verdict."""
        usual = self.shared.settings
        same = (structure.jitter, structure.min_components) == (usual.jitter, usual.min_components)
        search = self.shared if same else self._search(structure)
        result = search.structure(structure)
        worth = WORTH[result.decision]
        return {
            "verdict": result.decision,
            "number": result.n_clusters,
            "verdict truth": 1 - worth if self.is_cloud else worth,
        }


class ChoiceTask:
    """Candidates of data, one of which is chosen by many tables of settings."""

    def __init__(
        self, X: Floats, y: NDArray[Any], rng: np.random.Generator, *, is_cloud: bool
    ) -> None:
        labelings = FoundLabelings()
        with warnings.catch_warnings(action="ignore"):
            for key in ("ward", "average", "genie"):
                tree = catalogue[key].make(2, 0).fit(X)
                for k in NUMBERS:
                    labelings.take(key, tree.cut(k))
            for k in NUMBERS:
                labelings.take("kmeans", catalogue["kmeans"].make(k, 0).fit_predict(X))
        self.X, self.judge = X, load_judge()
        self.codes = np.stack([codes for codes, _ in labelings.sources.values()])
        self.repeatable = np.array(
            [bool(names - {"kmeans"}) for _, names in labelings.sources.values()]
        )
        self.truth = [0.0 if is_cloud else agreement(codes, y) for codes in self.codes]
        self.likelihood = np.zeros(len(self.codes))
        labelled = rng.permutation(np.flatnonzero(y >= 0))[:N_LABELS]
        if not is_cloud and len(labelled):
            self.likelihood = log_likelihood(self.codes[:, labelled], encode(y[labelled]).codes)

    @cached_property
    def evidence(self) -> Evidence:
        """Evidence about the candidates, by the default settings."""
        return gather(self.X, self.codes)

    @cached_property
    def judgement(self) -> Judgement:
        """Judgement of the candidates, by the default settings."""
        return self.judge(self.evidence)

    def decide(
        self, judge: Any = TABLES["judge"], choice: Any = TABLES["choice"]
    ) -> dict[str, Any]:
        """The choice, the likeliest number, the choice with a few labels, and their truth."""
        evidence = self.evidence
        if judge.evidence != TABLES["judge"].evidence:
            evidence = gather(self.X, self.codes, settings=judge.evidence)
        judgement = self.judgement
        if judge != TABLES["judge"]:
            judgement = self.judge(evidence, judge)
        judgement = by_expected_agreement(
            self.judge, judgement, evidence, self.repeatable, settings=choice, judged_with=judge
        )
        chosen = int(np.argmax(judgement.score))
        numbers = evidence.traits.sizes[:, 0].astype(np.int64)
        logs = set_back(judgement.level, evidence) / judge.temperature + self.likelihood
        logs[~level_numbers(softmax(logs), numbers, choice)] = -np.inf
        labelled = int(np.argmax(logs))
        return {
            "likeliest number": int(np.bincount(numbers, judgement.probability).argmax()),
            "choice": chosen,
            "labelled choice": labelled,
            "choice truth": self.truth[chosen],
            "labelled truth": self.truth[labelled],
        }


# -- the table -----------------------------------------------------------------------------------

#: columns of the table, and the decisions whose changes they count
SHARES = {
    "verdicts": "verdict",
    "numbers": "number",
    "likeliest numbers": "likeliest number",
    "choices": "choice",
    "labelled choices": "labelled choice",
}
TRUTHS = {"structure": "verdict truth", "judge": "choice truth", "choice": "choice truth"}


def table_of(records: list[dict[str, Any]]) -> pd.DataFrame:
    """Shares of changed decisions and mean changes of truth, one row for each change."""
    import pandas as pd

    rows = []
    for change in changes():
        pairs = [(record[""], record[change.name]) for record in records]
        shares = {
            column: float(np.mean([usual[key] != now[key] for usual, now in pairs]))
            for column, key in SHARES.items()
            if all(key in now for _, now in pairs)
        }
        truth = TRUTHS[change.table]
        moved = np.array([now[truth] - usual[truth] for usual, now in pairs])
        error = moved.std(ddof=1) / len(moved) ** 0.5 if len(moved) > 1 else np.nan
        rows.append({
            "table": change.table, "constant": change.path[-1], "default": change.default,
            "changed to": change.value, **dict.fromkeys(SHARES, np.nan), **shares,
            "truth change": float(moved.mean()), "truth change error": float(error),
        })  # fmt: skip
    return pd.DataFrame(rows)
