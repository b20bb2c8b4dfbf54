"""Table 6.2 and section 6.3.5 with another choice among clusterings that share the best value.

Where predictions are perfect informativeness and its four variants are 1, whatever the clustering.
Ours takes the fewest clusters among these; the thesis does not say which it took.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal_lab import ExperimentResult
from sortal_lab.comparison import same_chance
from sortal_lab.whissell2012_chapter6 import TITLES, as_counts
from sortal_lab.whissell2012_chapter6_samples import KeptParts, keeping, sample_of
from sortal_lab.whissell2012_chosen import CLAIMS, INFORMATIVE
from sortal_lab.whissell2012_tables import CHOSEN

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from sortal.typing import RandomState

#: data sets in every sample of which some predictions are perfect
SETS = ("ELONGATED", "CUBE", "RINGS")
SAMPLES = 50
READING = "another of the equals"


def perfect(dataset: str, sample: int, journal: KeptParts) -> dict[str, NDArray[np.int32]]:
    """The clusterings of a sample that five nearest neighbours predict without an error.

    The best of all classifiers is 1 for these at least.
    """
    from sortal.measures.clarity import assess

    clustered = sample_of(dataset, sample, journal)
    part = journal.get(dataset, sample, "perfect")
    if part is None:
        # a cluster of one object is in no other fold to be learned from
        several = {
            name: row for name, row in clustered.labels.items() if np.bincount(row).min() > 1
        }
        found = assess(
            clustered.X, several, random_state=clustered.seed, classifiers=("5nn",), cv=10
        )
        errors = (found.predictions[0] != found.labelings.codes).sum(axis=-1)
        names = [name for name, count in zip(several, errors, strict=True) if count == 0]
        part = {"names": np.array(names, dtype=str)}
        journal.put(dataset, sample, "perfect", part)
    return {name: clustered.labels[name] for name in part["names"].tolist()}


def nearest_choice(numbers: Sequence[set[int]], published: Sequence[int]) -> NDArray[np.int64]:
    """How often each number is chosen if each choice is free within its set, nearest to published.

    Place i of ``published`` is for i + 2 clusters, and the last for as many or more.

    >>> nearest_choice([{2, 3}, {2}], [0, 50]).tolist()
    [1, 1]
    """
    from scipy.optimize import linear_sum_assignment

    counts = np.asarray(published, dtype=float)
    shares = len(numbers) * counts / counts.sum()
    wanted = np.floor(shares).astype(np.int64)
    missing = len(numbers) - int(wanted.sum())
    wanted[np.argsort(wanted - shares, kind="stable")[:missing]] += 1
    places = [{min(number - 2, len(counts) - 1) for number in each} for each in numbers]
    targets = np.repeat(np.arange(len(counts)), wanted)
    # a sample that cannot have the number it was given takes its smallest
    cost = np.array([[target not in each for target in targets] for each in places], dtype=float)
    taken = [
        int(targets[column]) if targets[column] in places[row] else min(places[row])
        for row, column in zip(*linear_sum_assignment(cost), strict=True)
    ]
    return np.bincount(taken, minlength=len(counts))


def run(
    *,
    name: str = "whissell2012-chapter6-ties",
    samples: int | None = None,
    random_state: RandomState = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Run the experiment; the samples are those of the tables, and kept in ``storage``.

    ``samples``: of each data set, 50 by default.
    """
    import pandas as pd
    from threadpoolctl import threadpool_limits

    count = SAMPLES if samples is None else samples
    equals: dict[str, list[dict[str, Any]]] = {dataset: [] for dataset in SETS}
    truths: dict[str, list[Any]] = {dataset: [] for dataset in SETS}
    with keeping(storage, random_state) as journal, threadpool_limits(1):
        for dataset in SETS:
            for sample in range(count):
                equals[dataset].append(perfect(dataset, sample, journal))
                truths[dataset].append(sample_of(dataset, sample, journal).truth)
            if progress is not None:
                progress(dataset)
    rows = [row for dataset in SETS for row in _numbers(dataset, equals[dataset])]
    rows += _claims(equals, truths)
    told = "; ".join(
        f"{dataset} {', '.join(_of_sample(found) for found in equals[dataset])}" for dataset in SETS
    )
    return ExperimentResult(
        name,
        pd.DataFrame(rows).assign(repeats=True),
        (
            f"Samples of each data set: {count}, published 50. Clusterings whose clusters five "
            "nearest neighbours predict without an error, in ten folds: all five measures are 1 "
            "for these, and no value is higher.",
            "Of a row of counts: in each sample one of these numbers of clusters, so that the row "
            "is as near to the published one as it can be. Of a statement: whether it is true of "
            "one of these clusterings, of the samples that have any of which it speaks.",
            f"Numbers of clusters of the equals, by sample: {told}.",
        ),
    )


def _of_sample(found: dict[str, Any]) -> str:
    """Numbers of clusters of the equals of one sample."""
    return "/".join(map(str, sorted(_numbers_of(found))))


def _numbers_of(found: dict[str, Any]) -> set[int]:
    """Numbers of clusters of some clusterings."""
    return {int(name.split()[1]) for name in found}


def _numbers(dataset: str, equals: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of table 6.2."""
    numbers = [_numbers_of(found) for found in equals if found]
    rows = []
    for key in INFORMATIVE if len(numbers) == len(equals) else ():
        published = np.array(CHOSEN[dataset][key], dtype=np.int64)
        chosen = nearest_choice(numbers, published.tolist())
        row: dict[str, Any] = {"figure": f"{dataset} {TITLES[key]}", "reading": READING}
        row |= {"ours": as_counts(chosen), "published": as_counts(published)}
        rows.append(row | {"p": same_chance(chosen, published)})
    return rows


def _claims(
    equals: dict[str, list[dict[str, Any]]], truths: dict[str, list[Any]]
) -> list[dict[str, Any]]:
    """Rows of section 6.3.5."""
    from scipy import stats

    rows = []
    for claim in CLAIMS:
        if claim.dataset not in equals or not set(claim.measures) & set(INFORMATIVE):
            continue
        holding = []
        for found, truth in zip(equals[claim.dataset], truths[claim.dataset], strict=True):
            spoken = [row for name, row in found.items() if claim.numbers(int(name.split()[1]))]
            if spoken:
                codes = np.asarray(truth, dtype=np.int64)
                labels = (np.unique(row, return_inverse=True)[1] for row in spoken)
                holding.append(any(claim.holds(codes, each) for each in labels))
        low, high = np.nan, np.nan
        if holding:
            low, high = stats.binomtest(sum(holding), len(holding)).proportion_ci(method="wilson")
        row: dict[str, Any] = {"figure": f"{claim.about}, {claim.dataset}, {claim.where}"}
        row |= {"reading": READING, "ours": np.mean(holding) if holding else np.nan}
        rows.append(row | {"low": low, "high": high, "published": claim.published})
    return rows
