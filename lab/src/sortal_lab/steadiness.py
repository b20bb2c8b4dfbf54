"""Answers on the same data with another seed, order, copies, most of the rows, or a jitter."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal import Study
from sortal.judge import gather
from sortal.labelings import canonical_codes
from sortal.measures import adjusted_rand_index
from sortal_lab import ExperimentResult
from sortal_lab.choice_shapes import SHAPES, draw_shapes
from sortal_lab.choice_tasks import build, family_of, tables
from sortal_lab.journal import Journal

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from sortal import Answer
    from sortal.typing import Floats

#: share of the rows that stay, as in the steadiness that answers state
SHARE = 0.9
#: shared sets with more objects are left out, and largest size of a generated set
MOST_OBJECTS, LARGEST = 1000, 300
#: of the kinds of generated sets every third is drawn at a time
THIN = 3
JITTER = 1e-6
#: candidates whose scores are compared on all rows and on most of them
LEADING = 15
#: data, and the objects of the data before the change that the rows of the data are
Changed = tuple["Floats", "NDArray[np.int64]", int]


def run(
    *,
    name: str = "steadiness",
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Compare the answer on each set with the answers on the set after changes.

    ``samples``: draws of each change that is drawn, and generated sets of each kind; 2 by default.

    Returns a row for each change of generated and of shared sets: the median, the mean and the
    lowest tenth of the adjusted Rand index of two answers, and the share of changed decisions
    whether there are groups. Two rows have the error of the judge's scores and the steadiness that
    the answers state.
    """
    import pandas as pd

    draws = 2 if samples is None else samples
    journal = Journal(storage, f"{draws} draws, random_state {random_state!r}")
    say = progress or (lambda line: None)
    rows = []
    for group, sets in (("generated", _generated(draws, random_state)), ("shared", _shared())):
        of_group: list[dict[str, Any]] = []
        for title, draw in sets.items():
            row: Any = journal.get((group, title))
            if row is None:
                row = _compared(draw(), draws, random_state)
                journal.put((group, title), row)
                say(f"{title}: " + ", ".join(f"{key} {v:.2f}" for key, v in row.items()))
            of_group.append(row)
        rows += _summary(group, of_group)
    notes = (
        f"A set of every third kind of generated sets for each of {draws} draws, and the shared "
        f"sets of at most {MOST_OBJECTS:,} objects as in the table of choices, each with {draws} "
        f"draws of seeds and of {SHARE:.0%} of the rows.",
        "Where the rows sorted by their contents are the same to the last digit, so is the answer: "
        "it is not computed again.",
        "How choices hold still was chosen on other draws of the generated kinds. Of the "
        "shared sets, iris and wine had been looked at before.",
    )
    return ExperimentResult(name, pd.DataFrame(rows), notes)


def _generated(draws: int, random_state: int) -> dict[str, Callable[[], Floats]]:
    """Generated sets by name: for each draw every third kind."""

    def draw(kind: str, i: int) -> Floats:
        rng = np.random.default_rng([int(random_state), list(SHAPES).index(kind), i])
        return np.asarray(draw_shapes(kind, rng, largest=LARGEST)[0], dtype=np.float64)

    return {
        f"{kind} {i}": partial(draw, kind, i)
        for i in range(draws)
        for kind in list(SHAPES)[i % THIN :: THIN]
    }


def _shared() -> dict[str, Callable[[], Floats]]:
    """Shared sets by name, prepared as for the table of choices."""

    def read(key: str, family: str) -> Floats:
        return np.asarray(build((family, key, 0)).X, dtype=np.float64)

    return {
        key: partial(read, key, family_of(entry))
        for key, entry in tables().items()
        if entry["n"] <= MOST_OBJECTS
    }


def _changes(X: Floats, draws: int, random_state: int) -> dict[str, Changed]:
    """The data after each change."""
    rng = np.random.default_rng(random_state)
    n, scale = len(X), X.std(axis=0)
    same = np.arange(n)
    order = rng.permutation(n)
    changed: dict[str, Changed] = {
        "another order": (X[order], order, 0),
        "every row twice": (np.tile(X, (2, 1)), np.tile(same, 2), 0),
        "a jitter": (X + JITTER * scale * rng.normal(size=X.shape), same, 0),
    }
    for i in range(draws):
        part = np.sort(rng.permutation(n)[: int(SHARE * n)])
        changed |= {f"another seed/{i}": (X, same, i + 1), f"most rows/{i}": (X[part], part, 0)}
    return changed


def _answer(study: Study) -> Answer:
    """The answer of a study after a sweep."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return study.sweep(workers=1, progress=False).best(stability=False)


def _compared(X: Floats, draws: int, random_state: int) -> dict[str, float]:
    """Agreements and flips of each change, the stated steadiness, and the error of scores."""
    study = Study(X, random_state=0)
    answer = _answer(study)
    stated = study.best(progress=False).steadiness
    row = {} if stated is None else {"stated": stated.value}
    for change, (Z, objects, seed) in _changes(X, draws, random_state).items():
        other = Study(Z, random_state=seed)
        again, labels = answer, answer.labels[objects]
        if seed or not _same(study, other):
            again = _answer(other)
            labels = again.labels
        row[change] = float(adjusted_rand_index(answer.labels[objects], labels, noise="singletons"))
        row[f"flips of {change}"] = float(_decision(again) != _decision(answer))
        if change == "most rows/0":
            row |= _error_of_scores(study, objects)
    return row


def _decision(answer: Answer) -> str | None:
    """Whether gaps separate groups, as the answer decides."""
    return None if answer.structure is None else answer.structure.decision


def _same(study: Study, other: Study) -> bool:
    """Whether two studies have the same rows after preparation, once they are sorted."""
    first, second = (each.state.objects.in_order[0] for each in (study, other))
    return np.array_equal(first, second)


def _error_of_scores(study: Study, part: NDArray[np.int64]) -> dict[str, float]:
    """Spread of the changes of the leading scores from all prepared rows to a part."""
    judgement = study.judged()
    if judgement is None:
        return {}
    ahead = judgement.judgement.ahead
    leading = np.argsort(-ahead)[:LEADING]
    codes = [canonical_codes(study.labels(judgement.names[i])[part]) for i in leading]
    inside = [i for i, code in enumerate(codes) if code.max() > 0]
    if len(inside) < 2:
        return {}
    X, metric = study.state.objects.points
    again = study.judge(gather(X[part], np.stack([codes[i] for i in inside]), metric=metric)).ahead
    return {"error": float(np.std(again - ahead[leading][inside]))}


def _summary(group: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of the table for a group of sets."""
    out = []
    for change in ("another seed", "another order", "every row twice", "a jitter", "most rows"):
        keys = {key for row in rows for key in row if key.partition("/")[0] == change}
        values = [row[key] for row in rows for key in keys if key in row]
        flips = [row[f"flips of {key}"] for row in rows for key in keys if key in row]
        if values:
            out.append(
                {"sets": group, "change": change, **_spread(values), "flips": np.mean(flips)}
            )
    for key, title in (("stated", "steadiness as stated"), ("error", "error of a score")):
        values = [row[key] for row in rows if key in row]
        if values:
            out.append({"sets": group, "change": title, **_spread(values), "flips": np.nan})
    return out


def _spread(values: list[float]) -> dict[str, float]:
    """Median, mean and lowest tenth."""
    return {
        "median": float(np.median(values)),
        "mean": float(np.mean(values)),
        "lowest tenth": float(np.quantile(values, 0.1)),
        "answers": float(len(values)),
    }
