"""Which of three answers data get: separate groups, groups that overlap, or one cloud."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal import InputError, assess_structure, clusterers
from sortal.measures import adjusted_rand_index
from sortal.nulls import CopulaTwins
from sortal_lab import ExperimentResult
from sortal_lab.choice_tasks import family_of, read
from sortal_lab.data import index
from sortal_lab.journal import Journal
from sortal_lab.structure_kinds import FRESH, NULLS, OVERLAPPING, Kind, mixture

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Points = NDArray[np.float64]

#: rows of a shared data set at most, as many as are examined
MOST = 2_000
#: agreement of the best of three clusterings with the classes from which on these are groups
FOUND = 0.5
#: groups of kinds that are bent clouds
BENT = {"curves", "curved sheet", "rolled sheet", "ring", "sphere", "branches", "funnel"}
SIZES = (200, 500)
#: two equal normal groups: columns, standard deviations apart, rows
PAIRS = ((2, 3.0, 500), (10, 3.0, 500), (2, 3.0, 1000), (10, 3.0, 1000), (2, 4.0, 200),
         (10, 4.0, 200))  # fmt: skip
DRAWS = 10
#: what the families of shared sets are called
KINDS = {"real": "real tables", "benchmark": "benchmark sets", "terms": "texts"}


def run(
    *,
    name: str = "answers",
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Answers for generated clouds and groups, for shared data sets and for their twins.

    ``samples``: data sets of each kind and size; two by default. A single one is of every eighth
    kind, and beside iris alone.
    """
    import pandas as pd

    journal = Journal(storage, f"random_state {random_state!r}")
    rows: list[dict[str, Any]] = []
    for title, make in tasks(2 if samples is None else samples, random_state):
        answer: Any = journal.get(title)
        if answer is None:
            answer = make()
            journal.put(title, answer)
        rows += [dict(row) for row in answer["rows"]]
        if progress is not None:
            progress(" ".join(title))
    each = pd.DataFrame(rows)
    table = pd.DataFrame(
        [_shares(str(group), part) for group, part in each.groupby("group", sort=False)]
    )
    denied = each[(each["group"] == _FOUND) & (each["answer"] == "one cloud")]
    wrong = each[each["group"].isin([_STRAIGHT, _FRESH]) & (each["answer"] != "one cloud")]
    return ExperimentResult(
        name,
        table,
        (
            f"Columns of unit variance; at most {MOST} rows of a shared data set, its classes are "
            f"groups if k-means, Ward or a Gaussian mixture find them (ARI of {FOUND} or more).",
            f"One cloud in spite of that: {_named(denied)}.",
            f"Groups in straight clouds: {_named(wrong)}.",
            *_reliability(each[each["truth"].notna()]),
        ),
    )


_STRAIGHT, _FRESH, _FOUND = "clouds", "clouds of fresh kinds", "shared sets, classes found"


def tasks(samples: int, seed: int) -> Iterator[tuple[tuple[str, str], Callable[[], Any]]]:
    """Title of each piece, and what makes its rows."""
    registry = index()
    names = [n for n, entry in registry.items() if entry["kind"] in ("points", "term-counts")]
    for name in [n for n in names if n == "iris"] if samples == 1 else names:
        yield ("shared", name), partial(_of_shared, name)
    first = 5_000 + seed
    kinds = [*NULLS, *OVERLAPPING, *FRESH]
    for draw in range(first, first + samples):
        for place, kind in list(enumerate(kinds))[:: 8 if samples == 1 else 1]:
            for n in SIZES[:1] if samples == 1 else SIZES:
                yield (kind.name, f"{draw} {n}"), partial(_of_kind, kind, draw, n, place)
    for d, apart, n in PAIRS[4:] if samples == 1 else PAIRS:
        for draw in range(first, first + (1 if samples == 1 else DRAWS)):
            title = f"two groups, d = {d}, {apart:g} sd", f"{draw} {n}"
            yield title, partial(_of_pair, d, apart, n, draw)


def _of_kind(kind: Kind, draw: int, n: int, place: int) -> dict[str, Any]:
    """The answer for one data set of a kind."""
    X = kind.draw(np.random.default_rng([draw, n, place]), n)
    group = _STRAIGHT if kind.group not in BENT else "bent clouds"
    if kind.group == "fresh":
        group = _FRESH
    if kind.clusters:
        is_fresh = any(kind is fresh for fresh in FRESH)
        group = f"groups that overlap{', fresh kinds' * is_fresh}"
    return {"rows": [_answer(X, group, kind.name, kind.clusters)]}


def _of_pair(d: int, apart: float, n: int, draw: int) -> dict[str, Any]:
    """The answer for two equal normal groups."""
    X = mixture(np.random.default_rng([draw, n, d]), n, k=2, d=d, apart=apart)
    title = f"two groups, d = {d}, {apart:g} sd, n = {n}"
    return {"rows": [_answer(X, title, title, None)]}


def _of_shared(name: str) -> dict[str, Any]:
    """Answers for a shared data set and for its twins; none where it is missing."""
    try:
        X, truths = read(name)
    except InputError:
        return {"rows": []}
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(len(X))[:MOST])
    X, truth = _scaled(np.asarray(X[rows], dtype=np.float64)), truths[0][rows]
    agreement = _best_agreement(X, truth)
    group = _FOUND if agreement >= FOUND else "shared sets, classes not found"
    family = family_of(index()[name])
    first = _answer(X, group, name, None)
    out = [first, first | {"group": f"{group}: {KINDS[family]}"}]
    if family != "real" or X.shape[1] < 2:
        return {"rows": out}
    is_one = [assess_structure(column[:, None]).probability < FOUND for column in X.T]
    margins = "no column has groups" if all(is_one) else "some columns have groups"
    shuffled = np.column_stack([rng.permutation(column) for column in X.T])
    normal = rng.multivariate_normal(np.zeros(X.shape[1]), np.cov(X.T), len(X), method="eigh")
    twin = CopulaTwins(X, rng).draw(rng)
    return {
        "rows": [
            *out,
            _answer(normal, "Gaussian twins", name, None),
            _answer(shuffled, f"shuffled twins, {margins}", name, None),
            _answer(twin, f"copula twins, {margins}", name, None),
        ]
    }


def _best_agreement(X: Points, truth: NDArray[np.int64]) -> float:
    """The best agreement of three clusterings with the classes, at their number."""
    known = truth >= 0
    k = len(np.unique(truth[known]))
    labelings = [
        clusterers.catalogue[key].make(k, 0).fit_predict(X)
        for key in ("kmeans", "ward", "gaussian-mixture")
    ]
    return max(float(adjusted_rand_index(truth[known], labels[known])) for labels in labelings)


def _scaled(X: Points) -> Points:
    """Columns of unit variance, without constant ones."""
    X = X[:, np.ptp(X, axis=0) > 0]
    return np.asarray((X - X.mean(axis=0)) / X.std(axis=0))


def _answer(X: Points, group: str, name: str, truth: bool | None) -> dict[str, Any]:
    """Answer, probabilities and evidence for one data set."""
    structure = assess_structure(_scaled(X))
    return {
        "group": group,
        "name": name,
        "truth": truth,
        "answer": structure.answer,
        "grouped": structure.grouped,
        "evidence": structure.overlap_evidence,
        "linearity": structure.linearity,
    }


def _shares(group: str, data_sets: Any) -> dict[str, Any]:
    """Shares of the answers over data sets."""
    shares = {
        answer: float((data_sets["answer"] == answer).mean())
        for answer in ("separate", "overlapping", "one cloud")
    }
    mean = float(data_sets["grouped"].mean())
    return {"data": group, "sets": len(data_sets), **shares, "probability of groups": mean}


def _named(rows: Any) -> str:
    """Names of data sets, and how often each; "none" if there are none."""
    counts = rows["name"].value_counts(sort=False)
    return ", ".join(f"{name} ({n})" for name, n in counts.items()) or "none"


def _reliability(each: Any) -> list[str]:
    """What held of each fifth of the probabilities of groups, over generated data sets."""
    fifths = np.minimum((5 * each["grouped"]).astype(int), 4)
    return [
        f"Probability of groups {place / 5:.1f} to {place / 5 + 0.2:.1f}: "
        f"{part['grouped'].mean():.2f} said, {part['truth'].astype(float).mean():.2f} held, "
        f"{len(part)} data sets."
        for place, part in each.groupby(fifths)
    ]
