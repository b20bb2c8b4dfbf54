"""Coverage of the intervals of clarity by reading, for readers with known errors."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal_lab import ExperimentResult
from sortal_lab.journal import Journal
from sortal_lab.reading import clarity_by_reading, correct_reading

if TYPE_CHECKING:
    from pathlib import Path

    from sortal.typing import Bools, Ints
    from sortal_lab.reading import ClarityByReading

SAMPLES = 500
#: sizes of the clusters, and the share of each whose objects the reader recognises
SHAPES: dict[str, tuple[tuple[int, ...], tuple[float, ...]]] = {
    "2 clusters, a guess": ((100,) * 2, (0.5,)),
    "3 clusters, 0.8": ((100,) * 3, (0.8,)),
    "3 clusters, 0.97": ((100,) * 3, (0.97,)),
    "5 clusters, 0.2 to 1": ((100,) * 5, (0.2, 0.4, 0.6, 0.8, 1.0)),
    "20 clusters, 0.6": ((40,) * 20, (0.6,)),
    "4 clusters of 200, 60, 12 and 5": ((200, 60, 12, 5), (0.9, 0.7, 0.5, 0.8)),
}
ASSIGNED = (30, 100)
#: how often a model errs where the person does not, and the other way round
MODELS = {"like the person": 0.05, "half like the person": 0.25, "not like the person": 0.5}
CORRECTED = "3 clusters, 0.8"


def run(
    *,
    name: str = "clarity-intervals",
    samples: int | None = None,
    random_state: int | None = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Coverage for simulated readers whose score over all unseen objects is known.

    ``samples``: rounds of each design; 500 by default.

    Returns a row a design: the mean error of the score with its standard error, the share of
    rounds whose interval covers the reader's true score, and the mean width of the interval.
    """
    import pandas as pd

    runs = SAMPLES if samples is None else samples
    journal = Journal(storage, f"{runs} samples, random_state {random_state!r}")
    designs: dict[str, Callable[[int], tuple[float, float, float, float]]] = {}
    for m in ASSIGNED:
        for shape in SHAPES:
            designs[f"{shape}: {m} objects"] = partial(_read, shape, m)
        for model, flips in MODELS.items():
            title = f"model {model}: 400 objects, {m} by the person"
            designs[title] = partial(_correct, flips, m)
    rows = []
    for title, simulate in designs.items():
        row = journal.get((title, ""))
        if row is None:
            start = 10**6 * int(random_state or 0)
            row = _covered([simulate(start + i) for i in range(runs)])
            journal.put((title, ""), row)
        rows.append({"design": title, **row})
        if progress is not None:
            progress(title)
    table = pd.DataFrame(rows)
    single = table[~table.design.str.startswith("model")]
    ppi = table[table.design.str.startswith("model")]
    notes = (
        f"{runs:,} rounds for each row, intervals at 0.9.",
        f"One reader: covered in {single.covered.min():.3f} to {single.covered.max():.3f} of the "
        "rounds.",
        f"A model corrected by a person: covered in {ppi.covered.min():.3f} to "
        f"{ppi.covered.max():.3f} of the rounds.",
    )
    return ExperimentResult(name, table, notes)


def _covered(intervals: list[tuple[float, float, float, float]]) -> dict[str, float]:
    """Bias, coverage and width of intervals."""
    score, low, high, truth = np.array(intervals).T
    covered = float(np.mean((low - 1e-12 <= truth) & (truth <= high + 1e-12)))
    n = len(score)
    return {
        "bias": float(np.mean(score - truth)),
        "standard error": float(np.std(score - truth, ddof=1) / np.sqrt(n)),
        "covered": covered,
        "error of covered": float(np.sqrt(covered * (1 - covered) / n)),
        "width": float(np.mean(high - low)),
    }


def _read(shape: str, m: int, seed: int) -> tuple[float, float, float, float]:
    """Score, interval and truth of one simulated reading."""
    labels, right = _reader_of(shape, np.random.default_rng([seed, 7]))
    clarity = _reading(labels, right, m, seed)
    return clarity.score, *clarity.interval, _truth(clarity, labels, right)


def _correct(flips: float, m: int, seed: int) -> tuple[float, float, float, float]:
    """The person's score over the objects that the model assigned is what is estimated."""
    rng = np.random.default_rng([seed, 8])
    labels, right = _reader_of(CORRECTED, rng)
    labels, right = np.tile(labels, 4), np.tile(right, 4)
    right = rng.permuted(right.reshape(12, -1), axis=1).ravel()
    model = _reading(labels, right ^ (rng.random(len(right)) < flips), 400, seed)
    corrected = correct_reading(model, _reading(labels, right, m, seed))
    hits = right[list(model.round.objects)].mean()
    return corrected.score, *corrected.interval, (3 * hits - 1) / 2


def _reader_of(shape: str, rng: np.random.Generator) -> tuple[Any, Any]:
    """Clusters, and which objects a reader recognises, once and for all."""
    sizes, shares = SHAPES[shape]
    labels = np.repeat(np.arange(len(sizes)), sizes)
    each = np.resize(shares, len(sizes))
    return labels, rng.random(len(labels)) < each[labels]


def _reading(labels: Ints, right: Bools, m: int, seed: int) -> ClarityByReading:
    """Reading of clusters by a simulated reader."""
    k = int(labels.max()) + 1

    def reader(prompt: str) -> str:
        if "in common" in prompt:
            first = re.search(r"object (\d+)", prompt)
            return json.dumps({"name": f"cluster {labels[int(first[1])]}" if first else ""})
        at = int(re.findall(r"object (\d+)", prompt)[-1])
        return f"cluster {labels[at] if right[at] else (labels[at] + 1) % k}"

    texts = [f"object {i}" for i in range(len(labels))]
    return clarity_by_reading(
        texts, labels, reader, n_assignments=m, by="reader", random_state=seed
    )


def _truth(clarity: ClarityByReading, labels: Ints, right: Bools) -> float:
    """The reader's score if all objects that were not shown were assigned."""
    unseen = np.ones(len(labels), dtype=bool)
    unseen[[i for examples in clarity.round.examples for i in examples]] = False
    k = clarity.n_clusters
    hits = float(np.mean([right[unseen & (labels == c)].mean() for c in range(k)]))
    return (k * hits - 1) / (k - 1)
