"""Ways of choosing without labels, each collection of data sets left out in turn.

Real tables, benchmark sets, term collections and generated sets are clustered as a study does;
the learned judge and its simple rivals choose. Whatever is learned is learned on the other
collections. ``samples`` is the number of sub-tasks of each real table (21 in full), ``storage`` a
folder that keeps every finished task; with it the trained judge is written there, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.judge.learned import HALF, Judge, degenerate, digest
from karat_lab import ExperimentResult
from karat_lab.choice_corpus import case_of, keep, kept
from karat_lab.choice_tasks import plan
from karat_lab.rivals import RIVALS, by_families, by_measure, measure_families
from karat_lab.training import LABELS, Case, Size, folds_of, train

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PARTS = 21
FOLDS = 4
BOOTSTRAPS = 2000
GROUPS = (
    ("benchmark sets", "benchmark", True),
    ("parts of them", "benchmark", False),
    ("real tables", "real", True),
    ("real sub-tasks", "real", False),
    ("terms and texts", "terms", None),
)
#: of the tested tasks, one in so many is also tried with the tightest guarantee
TRIED = 10
#: trees of the judges in the table, of the one that is kept, and of both with ``samples``
TESTED = Size((30, 400), (24, 120), (24, 40), 8)
SHIPPED = Size((60, 400))
FEW = Size((20, 100), (15, 40), (15, 20), 8)


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: Any = 0,
    storage: Any = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Build the corpus, choose with everything left out in turn, and train the judge.

    Parameters
    ----------
    name : str
        ``"choice"``.
    samples : int, optional
        Sub-tasks of each real table; 21 in full.
    random_state : int
        Of the trees; the tasks are fixed.
    storage : path-like, optional
        A folder: finished tasks are kept there, and at the end ``judge.npz``.
    progress : callable, optional

    Returns
    -------
    ExperimentResult
        Mean adjusted Rand index of the choice, by family of data and way of choosing.
    """
    say = progress or (lambda line: None)
    cases = corpus(PARTS if samples is None else samples, storage, say)
    tested, shipped = (TESTED, SHIPPED) if samples is None else (FEW, FEW)
    found = left_out(cases, size=tested, random_state=random_state, progress=say)
    judge = train(cases, size=shipped, random_state=random_state, n_jobs=2)
    judge = with_gains(judge, cases, found)
    if storage is not None:
        judge.save(Path(storage) / "judge.npz")
    return ExperimentResult(name, table_of(cases, found), tuple(notes_on(cases, found, judge)))


def corpus(parts: int, storage: Any, say: Callable[[str], None]) -> list[Case]:
    """The cases of all tasks, from the storage where they are there."""
    return cases_of(plan(parts, parts + 3), storage, say)


def cases_of(
    todo: Sequence[tuple[str, str, int]], storage: Any, say: Callable[[str], None]
) -> list[Case]:
    """The cases of these tasks, from the storage where they are there."""
    folder = None if storage is None else Path(storage)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    cases = []
    for number, task in enumerate(todo):
        path = None
        if folder is not None:
            path = folder / ("_".join(map(str, task)).replace(" ", "-") + ".npz")
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


@dataclass(frozen=True)
class LeftOut:
    """What ways of choosing did on collections that nothing was learned on.

    Attributes
    ----------
    chosen : dict of str to ndarray, shape (cases,)
        Position of the choice; -1 for cases that are never tested.
    predicted, low, high, structure : ndarray, shape (cases,)
        What the judge said of its choice.
    has_structure : ndarray of bool, shape (cases,)
    few : dict of (way, number of labels) to ndarray, shape (cases,)
        Mean agreement of choices with some labels.
    among : dict of (way, number of candidates) to ndarray, shape (cases,)
        Agreement of choices among some of the candidates.
    """

    chosen: dict[str, NDArray[np.int64]]
    predicted: Floats
    low: Floats
    high: Floats
    structure: Floats
    has_structure: NDArray[np.bool_]
    few: dict[tuple[str, int], Floats]
    among: dict[tuple[str, int], Floats]


def left_out(
    cases: Sequence[Case],
    *,
    size: Size,
    random_state: Any = 0,
    n_folds: int = FOLDS,
    progress: Callable[[str], None] | None = None,
) -> LeftOut:
    """Let every way choose on collections that it learned nothing from.

    Synthetic cases are left out by turns, too, for the limit of structure; they never count in
    the table.
    """
    fold = folds_of(cases, n_folds)
    never = np.flatnonzero(fold < 0)
    fold[never] = np.arange(len(never)) % n_folds
    n = len(cases)
    say = progress or (lambda line: None)
    chosen = {way: np.full(n, -1) for way in ("judge", *RIVALS, *LEARNED)}
    said = {key: np.full(n, np.nan) for key in ("predicted", "low", "high", "structure")}
    has = np.zeros(n, dtype=bool)
    few = {(way, m): np.full(n, np.nan) for way in WITH_LABELS for m in LABELS}
    among = {(way, size): np.full(n, np.nan) for way in AMONG for size in PARTS_OF}
    for f, learned, judge in judges_of_folds(cases, fold, size, random_state, say):
        simple = learned_rivals([case for case in learned if case.is_tested])
        for i in np.flatnonzero(fold == f):
            case = cases[int(i)]
            judgement = judge(case.evidence)
            best = int(np.argmax(judgement.score))
            chosen["judge"][i] = best
            for key in ("predicted", "low", "high"):
                said[key][i] = getattr(judgement, key)[best]
            said["structure"][i] = judgement.structure
            has[i] = judgement.has_structure
            if not case.is_tested:
                continue
            for way, rival in {**RIVALS, **simple}.items():
                chosen[way][i] = int(np.argmax(rival(case.evidence)))
            for some in PARTS_OF if i % DRAWN_OF == 0 else ():
                for way, value in (among_some(case, judge, some) or {}).items():
                    among[way, some][i] = value
            for m, likelihood in case.labelled.items():
                both = judgement.ahead / judge.prior_temperature + likelihood
                few["judge and labels", m][i] = case.first[np.argmax(both)]
                few["labels alone", m][i] = _by_labels(case, likelihood)
                if i % TRIED == 0:
                    few[GUARANTEED, m][i] = with_guarantee(case, m)
    return LeftOut(chosen, **said, has_structure=has, few=few, among=among)


def judges_of_folds(
    cases: Sequence[Case],
    fold: NDArray[np.int64],
    size: Size,
    random_state: Any,
    say: Callable[[str], None],
) -> Iterator[tuple[int, list[Case], Judge]]:
    """Each fold, the cases of the others, and a judge that learned from those."""
    n_folds = int(fold.max()) + 1
    for f in range(n_folds):
        learned = [case for case, at in zip(cases, fold, strict=True) if at != f]
        yield f, learned, train(learned, size=size, random_state=random_state, n_jobs=2)
        say(f"fold {f + 1} of {n_folds}")


#: sizes of random parts of the candidates, and of the tested tasks one in so many to draw them of
PARTS_OF, DRAWN_OF = (2, 3, 5, 8, 12, 20), 4
AMONG = ("judge", "consensus of families", "a candidate at random", "best candidate")


def among_some(case: Case, judge: Judge, size: int) -> dict[str, float] | None:
    """Agreement of choices among some candidates at random; None where there are no more."""
    usable = np.flatnonzero(~degenerate(case.evidence.sizes))
    if len(usable) <= size:
        return None
    rng = np.random.default_rng([size, len(case.first)])
    some = np.sort(rng.choice(usable, size, replace=False))
    evidence = case.evidence.take(some, [case.evidence.clusterers[j] for j in some])
    reached = case.first[some]
    by_judge = int(np.argmax(judge(evidence).score))
    by_consensus = int(np.argmax(RIVALS["consensus of families"](evidence)))
    values = (reached[by_judge], reached[by_consensus], reached.mean(), reached.max())
    return dict(zip(AMONG, map(float, values), strict=True))


GUARANTEED = f"tightest guarantee (one task in {TRIED})"
WITH_LABELS = ("labels alone", "judge and labels", GUARANTEED)


def _by_labels(case: Case, likelihood: Floats) -> float:
    """Mean agreement of the candidates that the labels make most likely."""
    return float(case.first[likelihood >= likelihood.max() - 1e-9].mean())


def with_guarantee(case: Case, n_labels: int) -> float:
    """Agreement of the clustering with the tightest guarantee, for some labels at random."""
    from karat.bounds import guarantee

    assert case.codes is not None
    assert case.truth is not None
    few = np.full(len(case.truth), None, dtype=object)
    known = case.drawn(n_labels)
    few[known] = case.truth[known]
    named = {str(j): code for j, code in enumerate(case.codes)}
    return float(case.first[int(guarantee(named, few, noise="cluster").name)])


LEARNED = ("best measure of the other collections", "consensus of learned families")


def learned_rivals(cases: Sequence[Case]) -> dict[str, Any]:
    """The simple ways that look at other collections first."""
    keys = sorted(cases[0].evidence.measures)

    def mean(score: Any) -> float:
        by: dict[str, list[float]] = {}
        for case in cases:
            value = case.first[int(np.argmax(score(case.evidence)))]
            by.setdefault(case.collection, []).append(value)
        return float(np.mean([np.mean(values) for values in by.values()]))

    best = max(keys, key=lambda key: mean(by_measure(key)))
    families = measure_families([case.evidence for case in cases], (4, 8, 12))
    options = [by_families(family) for family in families.values()]
    return dict(zip(LEARNED, (by_measure(best), max(options, key=mean)), strict=True))


def with_gains(judge: Judge, cases: Sequence[Case], found: LeftOut) -> Judge:
    """The judge, told what labels were worth where it was not sure, and where it was."""
    chosen = found.chosen["judge"]
    alone = np.array([case.first[at] for case, at in zip(cases, chosen, strict=True)])
    gains = np.zeros((len(LABELS), 2))
    for row, m in enumerate(LABELS):
        values = found.few["judge and labels", m]
        for column, sure in enumerate((found.predicted < HALF, found.predicted >= HALF)):
            tried = ~np.isnan(values) & sure
            if tried.any():
                gains[row, column] = (values - alone)[tried].mean()
    judge = replace(judge, gains=gains)
    return replace(judge, digest=digest(judge.arrays()))


# -- telling -------------------------------------------------------------------------------------


def members(cases: Sequence[Case], family: str, whole: bool | None) -> NDArray[np.intp]:
    """Positions of the cases of a family, the whole sets or the parts of them."""
    return np.array(
        [
            i
            for i, case in enumerate(cases)
            if case.family == family and (whole is None or case.whole == whole)
        ],
        dtype=np.intp,
    )


def mean_of_collections(cases: Sequence[Case], members: Any, values: Floats) -> Floats:
    """Mean of the values within each collection."""
    by: dict[str, list[float]] = {}
    for i in members:
        if not np.isnan(values[i]):
            by.setdefault(cases[int(i)].collection, []).append(float(values[i]))
    return np.array([np.mean(v) for v in by.values()])


def interval(values: Floats) -> tuple[float, float, float]:
    """The mean of values, one for each collection, and its 95 % bootstrap interval."""
    values = values[~np.isnan(values)]
    draws = np.random.default_rng(0).integers(len(values), size=(BOOTSTRAPS, len(values)))
    low, high = np.quantile(values[draws].mean(axis=1), [0.025, 0.975])
    return float(values.mean()), float(low), float(high)


def with_interval(values: Floats, form: str = ".3f") -> str:
    """:func:`interval` as text."""
    mean, low, high = interval(values)
    return f"{mean:{form}} ({low:{form}}–{high:{form}})"


def table_of(cases: Sequence[Case], found: LeftOut) -> pd.DataFrame:
    """Mean agreement with 95 % bootstrap intervals over collections; a column a family."""
    import pandas as pd

    columns: dict[str, dict[str, str]] = {}
    for title, family, whole in GROUPS:
        these = members(cases, family, whole)
        if len(these) == 0:
            continue
        rows: dict[str, str] = {}
        for way, chosen in found.chosen.items():
            values = np.array([case.first[at] for case, at in zip(cases, chosen, strict=True)])
            rows[way] = with_interval(mean_of_collections(cases, these, values))
        rows["a candidate at random"] = with_interval(
            mean_of_collections(cases, these, np.array([case.first.mean() for case in cases]))
        )
        for (way, m), values in found.few.items():
            tried = mean_of_collections(cases, these, values)
            if len(tried):
                rows[f"{way}, {m}"] = with_interval(tried)
        rows["best candidate"] = with_interval(
            mean_of_collections(cases, these, np.array([case.first.max() for case in cases]))
        )
        columns[title] = rows
    return pd.DataFrame(columns).fillna("–").rename_axis("way of choosing")


def notes_on(cases: Sequence[Case], found: LeftOut, judge: Judge) -> list[str]:
    """The model card in sentences: what was left out, calibration, what fails."""
    tested = np.array([case.is_tested for case in cases])
    collections = {case.collection for case in cases if case.is_tested}
    true = np.array([case.first[at] for case, at in zip(cases, found.chosen["judge"], strict=True)])
    median = np.array([np.median(case.first) for case in cases])
    inside = (true >= found.low) & (true <= found.high)
    notes = [
        f"{tested.sum():,} tasks of {len(collections)} collections, each left out of training "
        f"with all its tasks ({FOLDS} folds of collections), and {(~tested).sum():,} generated or "
        "shuffled ones that only train. Means over collections, 95 % bootstrap intervals.",
    ]
    for title, family, whole in GROUPS:
        these = members(cases, family, whole)
        if len(these) == 0:
            continue
        below = mean_of_collections(cases, these, (true < median).astype(float)).mean()
        covered = mean_of_collections(cases, these, inside.astype(float)).mean()
        notes.append(
            f"{title} (n = {len(these)}): below the sweep's median on {100 * below:.0f} %; the "
            f"80 % interval covers {100 * covered:.0f} %."
        )
    edges = (-1.0, 0.2, 0.4, 0.6, 0.8, 1.01)
    for low, high in pairwise(edges):
        near = tested & (found.predicted >= low) & (found.predicted < high)
        if near.any():
            notes.append(
                f"predicted {max(low, 0):.1f} to {min(high, 1):.1f}: {near.sum()} tasks, mean "
                f"prediction {found.predicted[near].mean():.2f}, true mean "
                f"{true[near].mean():.2f}."
            )
    clouds = np.array([case.family == "cloud" for case in cases])
    shuffled = np.array([case.family == "shuffled" for case in cases])
    drawn = np.array([case.family == "synthetic" for case in cases]) & np.array(
        [case.agreement.max() > 0.9 for case in cases]
    )
    for which, what in (
        (clouds, "clouds without clusters called structure"),
        (shuffled, "tables with shuffled features called structure"),
        (drawn, "generated sets that a candidate finds to 0.9, called structure"),
    ):
        if which.any():
            share = 100 * found.has_structure[which].mean()
            notes.append(f"{what}: {share:.0f} % of {which.sum()}.")
    every = np.flatnonzero(tested)
    for size in PARTS_OF:
        means = [mean_of_collections(cases, every, found.among[way, size]) for way in AMONG]
        if len(means[0]):
            told = ", ".join(
                f"{way} {values.mean():.3f}" for way, values in zip(AMONG, means, strict=True)
            )
            notes.append(f"among {size} of the candidates: {told}.")
    notes.append(f"judge {judge.version}, SHA-256 {judge.digest}.")
    return notes
