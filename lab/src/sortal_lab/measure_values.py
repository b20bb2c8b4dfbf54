"""Values of every internal measure on the tasks of the choice experiment."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sortal.measures import catalogue
from sortal_lab.choice_tasks import build
from sortal_lab.rivals import MEASURES

if TYPE_CHECKING:
    from sortal.typing import Floats
    from sortal_lab.cases import TrainingCase


#: tasks of each data set, the smallest, on which measures beyond the evidence are computed
SMALLEST = 1
#: families of tasks where they are; in the 100 dimensions of texts they cost minutes each
FURTHER = ("benchmark", "real")
#: searches over representatives, minutes for a single task
TOO_COSTLY = ("relative_margin", "additive_margin")
#: group of a task by its family and whether it is a whole data set
GROUPS = {
    ("benchmark", True): "shapes",
    ("benchmark", False): "shapes",
    ("real", True): "whole tables",
    ("real", False): "sub-tables",
    ("terms", True): "texts",
    ("terms", False): "texts",
}


@dataclass(frozen=True)
class MeasuredTask:
    """Values of measures on the candidates of one task, and their agreement with the truth.

    Attributes
    ----------
    name, group, collection : str
    values : dict of str to ndarray, shape (M,)
        Greater is better, NaN where undefined.
    truth : ndarray, shape (M,)
        Adjusted Rand index with the first reference labeling.
    coverage : ndarray, shape (M,)
        Share of the objects that a candidate does not exclude.
    """

    name: str
    group: str
    collection: str
    values: dict[str, Floats]
    truth: Floats
    coverage: Floats


def further_keys() -> list[str]:
    """The internal measures that are no evidence and judge points in bounded time."""
    evidence = {*MEASURES, *TOO_COSTLY}
    return [
        m.key
        for m in catalogue.select(kind="internal")
        if m.takes != "graph"
        if m.key not in evidence
    ]


def judged(
    cases: Sequence[TrainingCase], storage: str | Path | None, say: Callable[[str], None]
) -> list[MeasuredTask]:
    """Values on every tested case, those beyond the evidence on the smallest of each data set.

    ``storage`` is the folder of the choice experiment; new values are stored in its folder
    ``further``.
    """
    tested = sorted((case.sweep for case in cases if case.is_tested), key=lambda case: case.name)
    sets: dict[str, list[TrainingCase]] = {}
    for case in tested:
        if case.family in FURTHER:
            sets.setdefault(case.name.rsplit("/", 1)[0], []).append(case)
    small = {
        case.name for several in sets.values() for case in sorted(several, key=_size)[:SMALLEST]
    }
    folder = None if storage is None else Path(storage) / "further"
    out, done = [], 0
    for case in tested:
        values = dict(case.measures)
        if case.name in small:
            values |= _further(case, folder)
            done += 1
            say(f"{done} of {len(small)} tasks judged by every measure: {case.name}")
        out.append(
            MeasuredTask(
                case.name,
                GROUPS[case.family, case.whole],
                case.collection,
                values,
                case.first,
                1 - case.evidence.traits.sizes[:, 1],
            )
        )
    return out


def _size(case: TrainingCase) -> int:
    """Number of objects of a case."""
    assert case.codes is not None
    return case.codes.shape[1]


def _further(case: TrainingCase, folder: Path | None) -> dict[str, Floats]:
    """Values beyond the evidence; those that are not stored yet are computed and stored."""
    path = None if folder is None else folder / (case.name.replace("/", "_") + ".npz")
    values: dict[str, Floats] = {}
    if path is not None and path.exists():
        with np.load(path, allow_pickle=False) as file:
            values = {key: file[key] for key in file.files}
    keys = further_keys()
    missing = [key for key in keys if key not in values]
    if missing:
        values |= _computed(case, missing)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(".part.npz")
            np.savez_compressed(part, allow_pickle=False, **values)
            part.replace(path)
    return {key: values[key] for key in keys}


def _computed(case: TrainingCase, keys: list[str]) -> dict[str, Floats]:
    """Values of measures on the clusterings of a case."""
    from threadpoolctl import threadpool_limits

    from sortal import evaluate

    family, name, number = case.name.split("/")
    assert case.codes is not None
    X = np.asarray(build((family, name, int(number))).X, dtype=np.float64)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = evaluate(X, case.codes.astype(np.int32), measures=keys, noise="drop")
    return {k: np.asarray(table[k] * catalogue[k].sign, dtype=np.float64) for k in keys}
