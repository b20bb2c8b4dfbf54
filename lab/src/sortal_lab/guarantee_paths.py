"""How often the guarantee is broken by what people do to a file of labels.

Every design is a generated population of 120 objects in three groups, three clusterings of them and
40 labels, drawn at random and written to a file as ``sortal sample`` does. Then the file is sorted,
copied, asked again, or the labels are unlike what one hopes for.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import sortal
from sortal.bounds import Guarantee, sample
from sortal.datasets import read_labels
from sortal_lab import ExperimentResult
from sortal_lab.journal import Journal, blocks_of, upper_limit

if TYPE_CHECKING:
    from numpy.typing import NDArray

DELTA, OBJECTS, LABELLED, DRAWS = 0.1, 120, 40, 1_000
#: numbers of labels after which a design asks again
LOOKS = (8, 16, 24, 32, 40)
#: share of the draws of the design that judges clusterings, which takes a hundred times as long
JUDGED_PART = 10

#: a bound, whether it is false, and whether nothing was guaranteed
Answer = tuple[float, bool, bool]


class Task:
    """Generated objects with their classes, clusterings, and a random draw of some of them."""

    def __init__(self, seed: int, design: str) -> None:
        rng = np.random.default_rng(seed)
        truth = np.repeat([0, 1, 2], [60, 36, 24])
        if design == "label noise":
            stray = rng.random(OBJECTS) < 0.25
            truth = np.where(stray, rng.integers(0, 3, OBJECTS), truth)
        elif design == "unseen classes":
            truth = np.arange(OBJECTS) // 2
        elif design == "rare classes":  # one of six objects is the only one of its class
            truth = np.where(rng.random(OBJECTS) < 1 / 6, 3 + np.arange(OBJECTS), truth)
        self.difficulty = rng.random(OBJECTS)
        self.length = (1000 * (truth + 1) * rng.uniform(0.7, 1.3, OBJECTS)).astype(int)
        self.labelings = {
            f"k{k}": np.where(rng.random(OBJECTS) < 0.8 * self.difficulty,
                              rng.integers(0, k, OBJECTS), truth % k)
            for k in (2, 3, 4)
        }  # fmt: skip
        if design == "duplicates":
            copies = np.arange(OBJECTS) // 3 * 3
            truth = truth[copies]
            self.labelings = {name: codes[copies] for name, codes in self.labelings.items()}
        self.truth, self.rng = truth, rng
        self.rows = sample(OBJECTS, LABELLED, random_state=rng)

    def write(self, path: Path, by: Any = None, *, m: int = LABELLED, draw: bool = False) -> None:
        """Write the first labels of the draw, sorted by a value of each object."""
        rows = self.rows[:m] if by is None else self.rows[:m][np.argsort(by[self.rows[:m]])]
        place = {int(row): number for number, row in enumerate(self.rows, 1)}
        head = "draw,row,label" if draw else "row,label,length"
        lines = [
            f"{place[int(row)]},{row},c{self.truth[row]}"
            if draw
            else f"{row},c{self.truth[row]},{self.length[row]}"
            for row in rows
        ]
        path.write_text("\n".join([head, *lines]) + "\n")

    def ask(self, path: Path, *, target: float | None = None, names: Any = None) -> Answer:
        """The answer to a question about a file of labels."""
        known = read_labels(path, OBJECTS)
        chosen = {name: self.labelings[name] for name in names or self.labelings}
        anytime = known.order is not None and (target or True)
        guarantee = sortal.guarantee(
            chosen, known.values, DELTA, anytime=anytime, order=known.order, ledger=path
        )
        return self.judge(guarantee, known.values)

    def judge(self, guarantee: Guarantee, values: NDArray[np.object_]) -> Answer:
        """Whether a guarantee is false."""
        hidden = np.array([value is None for value in values])
        classes = np.array([f"c{name}" for name in self.truth], dtype=object)
        errors = int((guarantee.labels[hidden] != classes[hidden]).sum())
        refused = bool(guarantee.refused)
        return guarantee.bound_rate, not refused and errors > guarantee.bound, refused


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Draw labels at random, do to the file what people do, and count broken guarantees.

    ``samples``: draws of each design; 1,000 by default.
    """
    import pandas as pd

    draws = DRAWS if samples is None else samples
    journal = Journal(storage, f"random_state {random_state}")
    rows = []
    for design in DESIGNS:
        blocks = blocks_of(draws)
        if design == "constraints":
            blocks = [
                range(-(-block.start // JUDGED_PART), max(1, block.stop // JUDGED_PART))
                for block in blocks
            ]
        count = partial(_count, design, random_state)
        n, broken, answers, refused, bound = journal.totals(design, blocks, count)
        limit = upper_limit(DELTA, n)
        error = math.sqrt(broken / n * (1 - broken / n) / n)
        rows.append({
            "design": design, "draws": int(n), "broken": broken / n, "standard error": error,
            "refused": refused / answers, "mean bound": bound / n, "limit": limit,
            "kept": bool(broken / n <= limit),
        })  # fmt: skip
        if progress is not None:
            progress(f"{design}: {broken / n:.3f} broken")
    return ExperimentResult(name, pd.DataFrame(rows), (
        f"{OBJECTS} objects, at most {LABELLED} labels, delta = {DELTA}. 'broken': draws in which "
        "any answer was false; 'limit': delta and two standard errors; 'refused': answers with no "
        "guarantee; 'mean bound': of the last answer.",
    ))  # fmt: skip


def _count(design: str, random_state: int, seeds: range) -> dict[str, float]:
    """Counts over some draws of a design."""
    draws = [_draw(design, random_state + 7_919 * i) for i in seeds]
    return {
        "draws": len(draws),
        "broken": sum(any(broken for _, broken, _ in answers) for answers in draws),
        "answers": sum(map(len, draws)),
        "refused": sum(refused for answers in draws for _, _, refused in answers),
        "bound": float(sum(answers[-1][0] for answers in draws)),
    }


def _draw(design: str, seed: int) -> list[Answer]:
    """The answers of one draw of a design."""
    task = Task(seed, design)
    with _new_folder() as folder:
        return DESIGNS[design](task, folder)


@contextmanager
def _new_folder() -> Iterator[Path]:
    """An empty folder, which also has the count of questions meanwhile."""
    before = os.environ.get("XDG_STATE_HOME")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        try:
            yield Path(folder)
        finally:
            os.environ.pop("XDG_STATE_HOME")
            if before is not None:
                os.environ["XDG_STATE_HOME"] = before


# -- designs ---------------------------------------------------------------------------------


def _sorted(value: str) -> Callable[[Task, Path], list[Answer]]:
    """Design of a file without the column ``draw`` that was sorted."""

    def design(task: Task, folder: Path) -> list[Answer]:
        few = folder / "few.csv"
        values = {"label": task.truth, "row": np.arange(OBJECTS), "length": task.length,
                  "difficulty": task.difficulty, "ease": -task.difficulty}  # fmt: skip
        task.write(few, values.get(value))
        return [task.ask(few)]

    return design


def _copies(task: Task, folder: Path) -> list[Answer]:
    """Five questions, each about a new copy of the file."""
    names = (None, ["k2"], ["k3"], ["k4"], ["k2", "k3"])
    answers = []
    for number, chosen in enumerate(names):
        few = folder / f"few{number}.csv"
        task.write(few, draw=True)
        answers.append(task.ask(few, names=chosen))
    return answers


def _looks(task: Task, folder: Path) -> list[Answer]:
    """A question after every eighth label, of a file sorted by row."""
    answers = []
    for m in LOOKS:
        task.write(folder / "few.csv", np.arange(OBJECTS), m=m)
        answers.append(task.ask(folder / "few.csv"))
    return answers


def _targets(task: Task, folder: Path) -> list[Answer]:
    """Three targets, each at every look."""
    answers = []
    for target in (0.2, 0.3, 0.4):
        for m in LOOKS:
            task.write(folder / "few.csv", m=m, draw=True)
            answers.append(task.ask(folder / "few.csv", target=target))
    return answers


def _candidates(task: Task, folder: Path) -> list[Answer]:
    """Labelling resumed with other clusterings."""
    answers = []
    for m, names in zip(LOOKS, (["k2"], ["k3"], ["k4"], ["k2", "k4"], None), strict=True):
        task.write(folder / "few.csv", m=m, draw=True)
        answers.append(task.ask(folder / "few.csv", names=names))
    return answers


def _imported(task: Task, folder: Path) -> list[Answer]:
    """Two batches of labels, each sorted by class by another program, in one file."""
    half = LABELLED // 2
    batches = [part[np.argsort(task.truth[part])] for part in (task.rows[:half], task.rows[half:])]
    task.rows = np.concatenate(batches)
    task.write(folder / "few.csv")
    return [task.ask(folder / "few.csv")]


def _plain(task: Task, folder: Path) -> list[Answer]:
    """A question after every eighth label in the order of the draw."""
    answers = []
    for m in LOOKS:
        task.write(folder / "few.csv", m=m, draw=True)
        answers.append(task.ask(folder / "few.csv"))
    return answers


def _constraints(task: Task, folder: Path) -> list[Answer]:
    """Pairs made from the labelled objects, given to a study."""
    values = np.full(OBJECTS, None, dtype=object)
    values[task.rows] = [f"c{name}" for name in task.truth[task.rows]]
    X = task.rng.normal(size=(OBJECTS, 2)) + 1.5 * np.eye(3)[task.truth, :2]
    study = sortal.Study(X, y=values)
    study.add(task.labelings, reference=False)
    pairs = [(int(a), int(b), "must" if task.truth[a] == task.truth[b] else "cannot")
             for a, b in zip(task.rows[::2], task.rows[1::2], strict=True)]  # fmt: skip
    study.constrain(pairs)
    return [task.judge(study.guarantee(ledger=folder), values)]


DESIGNS: dict[str, Callable[[Task, Path], list[Answer]]] = {
    "as drawn": _plain,
    "sorted by label": _sorted("label"),
    "sorted by row": _sorted("row"),
    "sorted by length": _sorted("length"),
    "sorted by difficulty": _sorted("difficulty"),
    "sorted by ease": _sorted("ease"),
    "copies": _copies,
    "looks": _looks,
    "several targets": _targets,
    "other candidates": _candidates,
    "imported in another order": _imported,
    "duplicates": _plain,
    "label noise": _plain,
    "unseen classes": _plain,
    "rare classes": _plain,
    "constraints": _constraints,
}
