"""Train a judge on data sets whose structure is known, and find out how far to believe it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from karat import InputError
from karat.judge.features import Evidence, columns
from karat.judge.forest import Forest
from karat.judge.labelled import log_likelihood
from karat.judge.learned import VERSION, Judge, degenerate, digest, set_back, shared_score
from karat.labelings import encode
from karat_lab.trees import Bins, export, fit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.study import Study

    Floats = NDArray[np.float64]

FOLDS = 4
#: candidates of a task that take part in training, at most
CANDIDATES = 36
#: how many of those ahead teach the level
AHEAD = 4
TEMPERATURES = (0.01, 0.02, 0.035, 0.05, 0.08)
#: of the prior that labels meet, and where no case has labels to try
PRIOR_TEMPERATURES, USUAL = (0.06, 0.12, 0.25, 0.5), 0.25
#: numbers of labels that are tried
LABELS = (10, 20, 40)
#: share of a task in training, by family; whole sets count twice
SHARES = {"synthetic": 0.6, "cloud": 0.3, "shuffled": 0.3}
#: families of cases without structure
WITHOUT = ("cloud", "shuffled")
#: share of each of those that may pass for data with some
FALSE_ALARMS = 0.10
COVERAGE = 0.8


@dataclass(frozen=True)
class Case:
    """One data set whose structure is known.

    Attributes
    ----------
    name : str
    family : str
        ``"cloud"`` and ``"shuffled"`` have no structure; ``"synthetic"`` is never tested on.
    collection : str
        Cases of one collection are never on both sides of a split.
    evidence : Evidence
    agreement : ndarray, shape (L, M)
        Adjusted Rand index of each candidate with each reference labeling; 0 without structure.
    whole : bool
    codes : ndarray of int, shape (M, n), optional
        The candidates, for trials with a few labels.
    truth : ndarray of int, shape (n,), optional
        The first reference labeling, ``-1`` where an object does not count.
    """

    name: str
    family: str
    collection: str
    evidence: Evidence
    agreement: Floats
    whole: bool = False
    codes: NDArray[Any] | None = None
    truth: NDArray[Any] | None = None

    @property
    def first(self) -> Floats:
        """Agreement with the first labeling."""
        return self.agreement[0]

    @property
    def target(self) -> Floats:
        """Half the agreement with the first labeling, half that with the nearest one."""
        return 0.5 * self.agreement[0] + 0.5 * self.agreement.max(axis=0)

    @cached_property
    def table(self) -> NDArray[np.float32]:
        """What a judge reads of its candidates (M, columns)."""
        return np.column_stack(list(columns(self.evidence).values())).astype(np.float32)

    @cached_property
    def labelled(self) -> dict[int, Floats]:
        """Log likelihood (M,) of each candidate with some labels at random, by their number."""
        if self.codes is None or self.truth is None:
            return {}
        out = {}
        for m in LABELS:
            some = self.drawn(m)
            if 2 * m <= (self.truth >= 0).sum():
                out[m] = log_likelihood(self.codes[:, some], encode(self.truth[some]).codes)
        return out

    def drawn(self, n_labels: int) -> NDArray[np.intp]:
        """Some objects at random whose class counts."""
        assert self.truth is not None
        rng = np.random.default_rng([n_labels, len(self.truth)])
        return rng.permutation(np.flatnonzero(self.truth >= 0))[:n_labels]

    @property
    def share(self) -> float:
        """How much it counts."""
        return SHARES.get(self.family, 1.0) * (2.0 if self.whole else 1.0)

    @property
    def is_tested(self) -> bool:
        """Whether it is one of those by which a judge is measured."""
        return self.family not in SHARES


@dataclass(frozen=True)
class Size:
    """How large the trees are: their number and that of their leaves."""

    order: tuple[int, int] = (48, 400)
    level: tuple[int, int] = (50, 120)
    structure: tuple[int, int] = (50, 40)
    within: int = 12  # trees of the order in the folds


def folds_of(cases: Sequence[Case], n_folds: int = FOLDS) -> NDArray[np.int64]:
    """A fold for each case; those that are never tested have ``-1``."""
    names = sorted({case.collection for case in cases if case.is_tested})
    if len(names) < 2:
        raise InputError(
            f"a judge needs labelled data sets of at least two collections; got {len(names)}"
        )
    order = np.random.default_rng(0).permutation(len(names))
    fold = {name: int(place) % n_folds for name, place in zip(names, order, strict=True)}
    return np.array([fold[case.collection] if case.is_tested else -1 for case in cases])


def train(
    cases: Sequence[Case],
    *,
    size: Size | None = None,
    random_state: int = 0,
    version: str = VERSION,
    n_jobs: int = 1,
) -> Judge:
    """Train a judge.

    Parameters
    ----------
    cases : sequence of Case
        Of at least two collections.
    size : Size, optional
    random_state : int
    version : str
    n_jobs : int
        Threads; the result does not depend on it.

    Returns
    -------
    Judge

    Notes
    -----
    Extremely randomised trees (Geurts, Ernst & Wehenkel 2006) of scikit-learn; those of the
    packaged judge, version 2, were grown by another implementation. The temperature, the level, the
    interval and the limit come from predictions for collections left out of training.
    """
    size = size or Size()
    cases = list(cases)
    names = list(columns(cases[0].evidence))
    fit = _Fit(cases, [case.table for case in cases], size, random_state, n_jobs)
    fold = folds_of(cases)
    never = np.flatnonzero(fold < 0)
    # synthetic cases are tested in folds of their own here, which only sets limits
    inner = fold.copy()
    inner[never] = np.arange(len(never)) % FOLDS
    ahead = [
        set_back(found, case.evidence)
        for case, found in zip(cases, fit.left_out(inner), strict=True)
    ]
    temperature = _temperature(cases, ahead)
    prior_temperature = _prior_temperature(cases, ahead)
    leaders = [_leaders(case, score, temperature) for case, score in zip(cases, ahead, strict=True)]
    level, structure = fit.levels_left_out(inner, leaders)
    chosen = np.array([case.first[rows[0]] for case, rows in zip(cases, leaders, strict=True)])
    tested = np.array([case.is_tested for case in cases])
    steps, below, above = _interval(
        level[tested], chosen[tested], _weights([c for c in cases if c.is_tested])
    )
    kinds = [np.array([case.family == family for case in cases]) for family in WITHOUT]
    limits = [np.quantile(structure[kind], 1 - FALSE_ALARMS) for kind in kinds if kind.any()]
    limit = float(max(limits, default=0.5))
    everything = np.arange(len(cases))
    judge = Judge(
        version,
        tuple(names),
        fit.order(everything, size.order[0]),
        *fit.level_and_structure(everything, leaders),
        temperature,
        prior_temperature,
        limit,
        steps,
        below,
        above,
        np.zeros((3, 2)),
    )
    return replace(judge, digest=digest(judge.arrays()))


def _temperature(cases: Sequence[Case], ahead: Sequence[Floats]) -> float:
    def mean(temperature: float) -> float:
        return _mean_of_collections(
            (case, float(case.first[np.argmax(_score(case, score, temperature))]))
            for case, score in zip(cases, ahead, strict=True)
            if case.is_tested
        )

    means = [mean(temperature) for temperature in TEMPERATURES]
    return TEMPERATURES[int(np.argmax(means))]


def _prior_temperature(cases: Sequence[Case], ahead: Sequence[Floats]) -> float:
    def mean(temperature: float) -> float:
        return _mean_of_collections(
            (case, float(case.first[np.argmax(score / temperature + likelihood)]))
            for case, score in zip(cases, ahead, strict=True)
            if case.is_tested
            for likelihood in case.labelled.values()
        )

    if not any(case.labelled for case in cases if case.is_tested):
        return USUAL
    means = [mean(temperature) for temperature in PRIOR_TEMPERATURES]
    return PRIOR_TEMPERATURES[int(np.argmax(means))]


def _mean_of_collections(found: Iterable[tuple[Case, float]]) -> float:
    values: dict[str, list[float]] = {}
    for case, value in found:
        values.setdefault(case.collection, []).append(value)
    return float(np.mean([np.mean(v) for v in values.values()]))


def _score(case: Case, ahead: Floats, temperature: float) -> Floats:
    score = shared_score(ahead, case.evidence.agreement, temperature)
    score[degenerate(case.evidence.sizes)] -= 1.0
    return score


def _leaders(case: Case, ahead: Floats, temperature: float) -> NDArray[np.intp]:
    return np.argsort(-_score(case, ahead, temperature), kind="stable")[:AHEAD]


def _weights(cases: Iterable[Case]) -> Floats:
    """Every collection of a family counts alike, and so does every family."""
    cases = list(cases)
    of: dict[tuple[str, str], int] = {}
    for case in cases:
        key = (case.family, case.collection)
        of[key] = of.get(key, 0) + 1
    collections: dict[str, int] = {}
    for family, _ in of:
        collections[family] = collections.get(family, 0) + 1
    return np.array(
        [1 / of[c.family, c.collection] / collections[c.family] for c in cases], dtype=np.float64
    )


def _interval(level: Floats, true: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """How far below and above the predicted level the true one is, by the level."""
    steps = np.quantile(level, np.linspace(0.1, 0.9, 5))
    below, above = np.empty(len(steps)), np.empty(len(steps))
    width = max(float(np.ptp(level)) * 0.12, 0.05)
    tail = (1 - COVERAGE) / 2
    for j, step in enumerate(steps):
        near = weights * np.exp(-0.5 * ((level - step) / width) ** 2)
        below[j] = -_quantile(true - level, near, tail)
        above[j] = _quantile(true - level, near, 1 - tail)
    return steps, np.maximum(below, 0.02), np.maximum(above, 0.02)


def _quantile(values: Floats, weights: Floats, q: float) -> float:
    order = np.argsort(values)
    shares = np.cumsum(weights[order]) / weights.sum()
    place = min(int(np.searchsorted(shares, q)), len(values) - 1)
    return float(values[order][place])


class _Fit:
    """Fits on some of the cases."""

    def __init__(
        self,
        cases: Sequence[Case],
        tables: Sequence[NDArray[np.float32]],
        size: Size,
        random_state: int,
        n_jobs: int,
    ) -> None:
        self.cases, self.tables, self.size = cases, tables, size
        self.random_state, self.n_jobs = random_state, n_jobs
        together = np.concatenate(tables)
        self.bins = Bins.of(together)
        self.binned = self.bins(together)
        self.starts = np.cumsum([0] + [len(table) for table in tables])

    def order(self, which: NDArray[Any], n_trees: int) -> Forest:
        """Trees for how much better a candidate is than the average one."""
        rng = np.random.default_rng(self.random_state)
        rows, targets, weights = [], [], []
        for i in which:
            case = self.cases[int(i)]
            m = len(case.first)
            target = case.target - case.target.mean()
            some = np.arange(m) if m <= CANDIDATES else rng.permutation(m)[:CANDIDATES]
            some = np.union1d(some, [int(np.argmax(target))])
            rows.append(self.starts[i] + some)
            targets.append(target[some])
            weights.append(np.full(len(some), case.share / len(some)))
        return self._forest(rows, targets, weights, n_trees, self.size.order[1], least=5)

    def level_and_structure(
        self, which: NDArray[Any], leaders: Sequence[NDArray[np.intp]]
    ) -> tuple[Forest, Forest]:
        """Trees for the agreement of those ahead, and for whether there is structure."""
        places = [int(i) for i in which]
        rows = [self.starts[i] + leaders[i] for i in places]
        true = [self.cases[i].first[leaders[i]] for i in places]
        shares = [np.full(len(leaders[i]), self.cases[i].share) for i in places]
        level = self._forest(rows, true, shares, *self.size.level, least=8)
        kind = [_has_structure(self.cases[i]) for i in places]
        known = [j for j, value in enumerate(kind) if value is not None]
        if len({kind[j] for j in known}) < 2:
            return level, level
        n_with = sum(kind[j] is True for j in known)
        even = {True: 1 / n_with, False: 1 / (len(known) - n_with)}
        first = [rows[j][:2] for j in known]
        target = [np.full(len(first[a]), float(bool(kind[j]))) for a, j in enumerate(known)]
        weight = [np.full(len(first[a]), even[bool(kind[j])]) for a, j in enumerate(known)]
        return level, self._forest(first, target, weight, *self.size.structure, least=4)

    def _forest(
        self,
        rows: Sequence[NDArray[Any]],
        targets: Sequence[Floats],
        weights: Sequence[Floats],
        n_trees: int,
        leaves: int,
        *,
        least: int,
    ) -> Forest:
        weight = np.concatenate(weights)
        model = fit(
            self.binned[np.concatenate(rows)],
            np.concatenate(targets),
            weight / weight.mean(),
            n_trees=n_trees,
            leaves=leaves,
            least=least,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        return export(model, self.bins)

    def left_out(self, fold: NDArray[np.int64]) -> list[Floats]:
        """How far ahead each candidate is, by trees that did not see its fold."""
        out: list[Floats] = [np.zeros(0)] * len(self.cases)
        for f in np.unique(fold):
            forest = self.order(np.flatnonzero(fold != f), self.size.within)
            for i in np.flatnonzero(fold == f):
                out[i] = forest.predict(self.tables[int(i)])
        return out

    def levels_left_out(
        self, fold: NDArray[np.int64], leaders: Sequence[NDArray[np.intp]]
    ) -> tuple[Floats, Floats]:
        """Level and structure of each case's choice, by trees that did not see its fold."""
        level, structure = np.zeros(len(self.cases)), np.zeros(len(self.cases))
        for f in np.unique(fold):
            first, second = self.level_and_structure(np.flatnonzero(fold != f), leaders)
            for i in np.flatnonzero(fold == f):
                row = self.tables[int(i)][leaders[int(i)][:1]]
                level[i] = first.predict(row)[0]
                structure[i] = second.predict(row)[0]
        return level, structure


def _has_structure(case: Case) -> bool | None:
    """Whether there is structure to be found; None where it is there but hardly shows."""
    if case.family in WITHOUT:
        return False
    return True if case.agreement.max() > 0.5 else None


def train_judge(
    studies: Iterable[Study],
    *,
    collections: Iterable[str] | None = None,
    version: str = "own",
    random_state: int = 0,
) -> Judge:
    """Train a judge on your own data sets whose classes are known.

    Parameters
    ----------
    studies : iterable of Study
        Swept, with the class of every object as ``truth``.
    collections : iterable of str, optional
        What each belongs to; studies of one collection are never on both sides of a split. By
        default each is one of its own.
    version : str
        A name for it.
    random_state : int

    Returns
    -------
    Judge
        ``judge.save("lab.npz")`` keeps it; ``study.judge = karat.judge.load_judge("lab.npz")``
        lets it decide.

    Raises
    ------
    InputError
        If a class is not known, or there are fewer than two collections.

    Notes
    -----
    What the packaged judge was trained on takes no part: ten data sets or fewer give a judge
    that is worse than the packaged one.

    Examples
    --------
    >>> import karat, numpy as np
    >>> from karat_lab.training import train_judge
    >>> studies = []
    >>> for seed in range(4):
    ...     X = np.random.default_rng(seed).normal(size=(40, 2))
    ...     X[20:] += 4
    ...     studies.append(karat.Study(X, truth=[0] * 20 + [1] * 20))
    ...     studies[-1].sweep(["ward", "average", "genie"], k=range(2, 6), workers=1)
    >>> train_judge(studies).version
    'own'
    """
    studies = list(studies)
    names = [str(i) for i in range(len(studies))] if collections is None else list(collections)
    cases = []
    for study, collection in zip(studies, names, strict=True):
        if study.truth is None or study.objects.is_partly_labelled:
            raise InputError(
                f"{study.dataset.name} lacks the class of some objects; give truth for all of them"
            )
        found = study.judged()
        if found is None:
            raise InputError(
                f"{study.dataset.name} has nothing to learn from: sweep clusterers over 20 objects "
                "or more first"
            )
        agreement = study.scores().loc[list(found.names), "adjusted_rand_index"]
        cases.append(
            Case(
                study.dataset.name,
                "given",
                collection,
                found.evidence,
                agreement.to_numpy(dtype=np.float64)[None],
                whole=True,
            )
        )
    return train(cases, random_state=random_state, version=version)
