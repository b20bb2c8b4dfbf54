"""Train a judge on data sets whose structure is known, and find out how far to believe it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal import InputError
from sortal.judge import (
    NEAR,
    VERSION,
    Forest,
    Judge,
    columns,
    doubt_of,
    nearly_alike,
    set_back,
    shares,
)
from sortal_lab.cases import OWN, TrainingCase
from sortal_lab.favourable import favourable
from sortal_lab.trees import Boosting, export, fit

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from sortal.study import Study
    from sortal.typing import Floats


FOLDS = 5
#: candidates of a task that take part in training, at most, and their weight, by kind
TAKEN = {"swept": (30, 1.0), "own": (12, 0.5)}
#: the same for the trees that state the recovery
STATED = {"swept": (30, 1.0), "own": (12, 1.0)}
#: share of the tasks in a bag
BAGGED = 0.7
#: temperatures of the probability that are tried
BETWEEN = (0.07, 0.1, 0.14, 0.18, 0.22, 0.26, 0.3, 0.36, 0.45)
WITHIN = (0.05, 0.08, 0.12, 0.18, 0.25, 0.35, 0.5)
COVERAGE = 0.8
#: steps of a column that the trees for the recovery tell apart
STEPS = 200
#: what labelings are called, see :mod:`sortal_lab.choice_labelings`
CLUSTERING_WITH_ERRORS, TRUTH_WITH_ERRORS, NO_ERRORS = "clustering with", "truth with", "with 0 %"


def folds_of(cases: Sequence[TrainingCase], n_folds: int = FOLDS) -> NDArray[np.int64]:
    """A fold for each case; those that are never tested have ``-1``."""
    names = sorted({case.collection for case in cases if case.is_tested})
    if len(names) < 2:
        raise InputError(
            f"a judge needs labelled data sets of at least two collections; got {len(names)}"
        )
    order = np.random.default_rng(0).permutation(len(names))
    fold = {name: int(place) % n_folds for name, place in zip(names, order, strict=True)}
    return np.array([fold[case.collection] if case.is_tested else -1 for case in cases])


@dataclass(frozen=True)
class Unseen:
    """Predictions for cases by trees that did not see their folds.

    Attributes
    ----------
    cases : list of TrainingCase
    level : list of ndarray, shape (M,)
        Predicted agreement of every candidate.
    ahead : list of ndarray
        Scores of the candidates of each sweep.
    """

    cases: list[TrainingCase]
    level: list[Floats]
    ahead: list[Floats]

    @classmethod
    def of(
        cls, cases: Sequence[TrainingCase], level: Sequence[Floats], order: Sequence[Floats]
    ) -> Unseen:
        """Predictions of level and order, which make the score together."""
        ahead = [
            set_back(((values + order_values) / 2)[case.kinds["swept"]], case.sweep.evidence)
            for case, values, order_values in zip(cases, level, order, strict=True)
        ]
        return cls(list(cases), list(level), ahead)

    @cached_property
    def leaders(self) -> list[int]:
        """Position of the choice of each case among all its candidates."""
        return [
            int(case.kinds["swept"][np.argmax(values)])
            for case, values in zip(self.cases, self.ahead, strict=True)
        ]

    def take(self, which: Iterable[int]) -> Unseen:
        """Predictions for some of the cases."""
        kept = list(which)
        level, ahead = ([values[i] for i in kept] for values in (self.level, self.ahead))
        return Unseen([self.cases[i] for i in kept], level, ahead)

    def tested(self) -> Unseen:
        """Predictions for the cases by which a judge is measured."""
        return self.take(i for i, case in enumerate(self.cases) if case.is_tested)

    def shares(self, between: float, within: float) -> Iterator[Floats]:
        """Probability of each candidate of each sweep to be the best, at two temperatures."""
        for case, level, ahead, leader in zip(
            self.cases, self.level, self.ahead, self.leaders, strict=True
        ):
            doubt = doubt_of(level[leader])
            k = case.sweep.evidence.traits.sizes[:, 0]
            yield shares(ahead, k, doubt * between, doubt * within)


def train(
    cases: Sequence[TrainingCase],
    *,
    boosting: Boosting | None = None,
    random_state: int = 0,
    version: str = VERSION,
    n_jobs: int = 1,
) -> Judge:
    """Train a judge.

    Parameters
    ----------
    cases : sequence of Case
        Of at least two collections.
    n_jobs : int
        Threads; the result does not depend on it.

    Notes
    -----
    Gradient boosting (Friedman 2001) of scikit-learn, bagged. The temperatures, the interval and
    the nearness come from predictions for collections excluded from training.
    """
    grown = Fit(list(cases), boosting or Boosting(), random_state, n_jobs)
    fold = every_fold(grown.cases)
    expected = grown.of_folds(grown.expected, fold)
    return judge_of(grown, grown.unseen(fold), expected, version)


def judge_of(
    grown: Fit, unseen: Unseen, expected: Sequence[Floats], version: str = VERSION
) -> Judge:
    """The judge that learned from all cases, calibrated by what none of its folds had seen."""
    everything = np.arange(len(grown.cases))
    unseen = unseen.tested()
    between, within = temperatures(unseen)
    judge = Judge(
        version,
        tuple(columns(grown.cases[0].evidence)),
        grown.level(everything),
        grown.expected(everything),
        grown.order(everything),
        between,
        within,
        *calibrated(
            *residuals(compress(grown.cases, grown.stated), compress(expected, grown.stated))
        ),
        *_near(unseen, list(unseen.shares(between, within))),
    )
    return judge.signed()


def every_fold(cases: Sequence[TrainingCase]) -> NDArray[np.int64]:
    """A fold for each case, also for those without classes, which only set limits."""
    fold = folds_of(cases)
    never = np.flatnonzero(fold < 0)
    fold[never] = np.arange(len(never)) % FOLDS
    return fold


def temperatures(unseen: Unseen) -> tuple[float, float]:
    """Temperatures with the greatest likelihood of the best number and the best candidate."""

    def loss(between: float, within: float, of_number: bool) -> float:
        return _mean_of_collections(
            (case, best_loss(case.sweep, part, of_number))
            for case, part in zip(unseen.cases, unseen.shares(between, within), strict=True)
        )

    between = min(BETWEEN, key=lambda t: loss(t, WITHIN[0], True))
    return between, min(WITHIN, key=lambda t: loss(between, t, False))


def best_loss(case: TrainingCase, probability: Floats, of_number: bool) -> float:
    """-log of the probability of the candidate that agrees best, or of its number of clusters."""
    best = case.first >= case.first.max() - 1e-9
    if of_number:
        k = case.evidence.traits.sizes[:, 0]
        best = np.isin(k, k[np.argmax(case.first)])
    return float(-np.log(probability[best].sum()))


def _near(unseen: Unseen, probability: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Calibration of the chance that the choice is near the best."""
    from sklearn.isotonic import IsotonicRegression

    alike, near = [], []
    for whole, values, shared in zip(unseen.cases, unseen.ahead, probability, strict=True):
        case, best = whole.sweep, int(np.argmax(values))
        alike.append(nearly_alike(shared, case.evidence.agreement[best]))
        near.append(float(case.first[best] >= case.first.max() - NEAR))
    model = IsotonicRegression(y_min=0.02, y_max=0.98, out_of_bounds="clip")
    model.fit(alike, near, sample_weight=_weights(unseen.cases))
    steps = np.linspace(0, 1, 21)
    # smoothed, so that a step of the regression is no edge
    smooth = np.convolve(np.pad(model.predict(steps), 2, "edge"), np.full(5, 0.2), "valid")
    return steps, smooth


def residuals(
    cases: Iterable[TrainingCase], expected: Iterable[Floats]
) -> tuple[Floats, Floats, Floats]:
    """Predictions, true agreements and weights.

    Users' labelings have half of the weight, those of a sweep a quarter, and so has the one of
    which most is expected: it is chosen for its prediction.
    """
    pairs = [pair for pair in zip(cases, expected, strict=True) if pair[0].is_tested]
    predicted, true, weights = [], [], []
    for (case, values), weight in zip(pairs, _weights(case for case, _ in pairs), strict=True):
        swept, own = case.kinds["swept"], case.kinds["own"]
        best = np.array([foremost(case, values)])
        rows = np.concatenate([best, swept, own])
        predicted.append(np.clip(values[rows], -0.1, 1))
        true.append(case.first[rows])
        for part, share in ((best, 0.25), (swept, 0.25), (own, 0.5)):
            weights.append(np.full(len(part), weight * share / max(len(part), 1)))
    return np.concatenate(predicted), np.concatenate(true), np.concatenate(weights)


def foremost(case: TrainingCase, values: Floats) -> int:
    """Position of the candidate of the sweep with the greatest value."""
    swept = case.kinds["swept"]
    return int(swept[np.argmax(set_back(values[swept], case.sweep.evidence))])


def _mean_of_collections(values_of_cases: Iterable[tuple[TrainingCase, float]]) -> float:
    """Mean over collections of the mean over their cases."""
    values: dict[str, list[float]] = {}
    for case, value in values_of_cases:
        values.setdefault(case.collection, []).append(value)
    return float(np.mean([np.mean(v) for v in values.values()]))


def _weights(cases: Iterable[TrainingCase]) -> Floats:
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


def calibrated(level: Floats, true: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Distances of the true level below and above the predicted one, by level."""
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
    """Weighted quantile."""
    order = np.argsort(values)
    shares = np.cumsum(weights[order]) / weights.sum()
    place = min(int(np.searchsorted(shares, q)), len(values) - 1)
    return float(values[order][place])


def taught(case: TrainingCase, kind: str) -> NDArray[np.intp]:
    """Candidates of a kind that are learned from.

    Labelings with errors are only learned where clusterings with errors are, too: otherwise errors
    would be the sign of a person.
    """
    candidates = case.kinds[kind]
    damaged = any(CLUSTERING_WITH_ERRORS in name for names in case.sources for name in names)
    if kind != "own" or damaged:
        return candidates
    clean = [not all(TRUTH_WITH_ERRORS in name for name in case.sources[int(j)] if OWN in name)
             or any(NO_ERRORS in name for name in case.sources[int(j)])
             for j in candidates]  # fmt: skip
    return candidates[np.array(clean, dtype=bool)]


class Fit:
    """Fits on some of the cases."""

    def __init__(
        self,
        cases: Sequence[TrainingCase],
        boosting: Boosting,
        random_state: int,
        n_jobs: int,
        stated: NDArray[np.bool_] | None = None,
    ) -> None:
        self.cases, self.boosting = cases, boosting
        #: mask of the cases from which the recovery is learned: all, if it has none
        all_cases = np.ones(len(cases), dtype=bool)
        self.stated = all_cases if stated is None or not stated.any() else stated
        self.random_state, self.n_jobs = random_state, n_jobs
        self.table = np.concatenate([case.table for case in cases])
        self.starts = np.cumsum([0] + [len(case.table) for case in cases])

    def level(self, which: NDArray[Any]) -> Forest:
        """Trees for the agreement of candidates and users' labelings with the truth."""
        return self.forest_of(which, lambda part: self.rows(part, TAKEN))

    def expected(self, which: NDArray[Any]) -> Forest:
        """Fewer trees for the same, which no favourable evidence lowers, from the stated cases."""
        read, signs = favourable(list(columns(self.cases[0].evidence)))
        edges, coarse = self._steps
        half = copy(self)
        half.table = coarse[:, read]
        half.boosting = replace(
            self.boosting, trees=self.boosting.trees // 2, rate=2 * self.boosting.rate
        )
        stated = np.intersect1d(which, np.flatnonzero(self.stated))
        forest = half.forest_of(stated, lambda part: self.rows(part, STATED), signs)
        feature = np.where(forest.feature < 0, -1, read[forest.feature]).astype(np.int16)
        threshold = forest.threshold.copy()
        for node in np.flatnonzero(feature >= 0):
            threshold[node] = edges[feature[node]][int(threshold[node])]
        return replace(forest, feature=feature, threshold=threshold)

    @cached_property
    def _steps(self) -> tuple[list[NDArray[np.float32]], NDArray[np.float32]]:
        """Edges of each column's steps in the stated cases, and the step of each row.

        With as few values as this, the boosting needs no weighted quantiles, which take long.
        """
        rows = np.repeat(self.stated, np.diff(self.starts))
        shares = np.linspace(0, 1, STEPS)[1:-1]
        edges = [
            np.unique(np.quantile(column, shares).astype(np.float32))
            for column in self.table[rows].T
        ]
        coarse = np.empty_like(self.table)
        for steps, values, column in zip(coarse.T, edges, self.table.T, strict=True):
            steps[:] = np.searchsorted(values, column)
        return edges, coarse

    def order(self, which: NDArray[Any]) -> Forest:
        """Trees for how much better a candidate is than the average one of the sweep."""
        return self.forest_of(which, self.order_rows)

    def order_rows(self, which: NDArray[Any]) -> tuple[NDArray[Any], Floats, Floats]:
        """Rows of the candidates of sweeps, targets for the order, weights."""
        return self.rows(which, {"swept": TAKEN["swept"]}, absolute=False)

    def rows(
        self, which: NDArray[Any], taken: dict[str, tuple[int, float]], *, absolute: bool = True
    ) -> tuple[NDArray[Any], Floats, Floats]:
        """Rows of the candidates, targets and weights."""
        rng = np.random.default_rng(self.random_state)
        rows, targets, weights = [], [], []
        for i in which:
            case = self.cases[int(i)]
            target = case.target if absolute else case.target - case.sweep.target.mean()
            for kind, (most, weight) in taken.items():
                candidates = taught(case, kind)
                if len(candidates) == 0:
                    continue
                if len(candidates) > most:
                    best = candidates[np.argmax(target[candidates])]
                    candidates = np.union1d(rng.permutation(candidates)[:most], [best])
                rows.append(self.starts[i] + candidates)
                targets.append(target[candidates])
                weights.append(np.full(len(candidates), weight * case.share / len(candidates)))
        every_weight = np.concatenate(weights)
        return np.concatenate(rows), np.concatenate(targets), every_weight / every_weight.mean()

    def forest_of(
        self,
        which: NDArray[Any],
        rows_of: Callable[[NDArray[Any]], tuple[NDArray[Any], Floats, Floats]],
        signs: NDArray[np.int8] | None = None,
    ) -> Forest:
        """Trees for the rows of these cases; a bag has a part of the cases, a single one all."""
        rng = np.random.default_rng(self.random_state)
        bags, m = self.boosting.bags, max(int(BAGGED * len(which)), 1)

        def parts() -> Iterator[tuple[NDArray[Any], Floats, Floats]]:
            for _ in range(bags):
                part = which if bags == 1 else np.sort(rng.choice(which, m, replace=False))
                rows, targets, weights = rows_of(part)
                yield self.table[rows], targets, weights

        models = fit(
            parts(),
            self.boosting,
            signs=signs,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        return export(models)

    def unseen(
        self,
        fold: NDArray[np.int64],
        kept: NDArray[Any] | None = None,
        storage: Path | None = None,
    ) -> Unseen:
        """Predictions for each case, by trees that did not see its fold.

        ``kept`` are the cases that may be learned from, by default all. ``storage`` is a folder
        that keeps the predictions of each fold.
        """
        out = [self.of_folds(grow, fold, kept, storage) for grow in (self.level, self.order)]
        return Unseen.of(self.cases, *out)

    def of_folds(
        self,
        grow: Callable[[NDArray[Any]], Forest],
        fold: NDArray[np.int64],
        kept: NDArray[Any] | None = None,
        storage: Path | None = None,
    ) -> list[Floats]:
        """Predictions for each case's candidates by trees that are grown without its fold."""
        out = [np.zeros(0)] * len(self.cases)
        for f in np.unique(fold):
            learned = np.flatnonzero(fold != f)
            if kept is not None:
                learned = np.intersect1d(learned, kept)
            excluded = np.flatnonzero(fold == f)
            ends = np.cumsum([len(self.cases[int(i)].table) for i in excluded])
            rows = np.concatenate([np.arange(*self.starts[i : i + 2]) for i in excluded])
            form = f"{self.boosting.trees}x{self.boosting.leaves}-{self.random_state}"
            file = f"{grow.__name__}-{len(self.cases)}-{form}-{f}.npy"
            path = None if storage is None else storage / file
            if path is not None and path.exists():
                predicted = np.load(path)
            else:
                predicted = grow(learned).predict(self.table[rows])
                if path is not None:
                    np.save(path, predicted)
            for i, part in zip(excluded, np.split(predicted, ends[:-1]), strict=True):
                out[int(i)] = part
        return out


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
        Swept, with the class of every object as ``y``.
    collections : iterable of str, optional
        What each belongs to; studies of one collection are never on both sides of a split. By
        default each is one of its own.
    version : str
        A name for it.

    Returns
    -------
    Judge
        ``judge.save("lab.npz")`` keeps it; ``study.judge = sortal.judge.load_judge("lab.npz")``
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
    >>> import sortal, numpy as np
    >>> from sortal_lab.training import train_judge
    >>> studies = []
    >>> for seed in range(4):
    ...     X = np.random.default_rng(seed).normal(size=(40, 2))
    ...     X[20:] += 4
    ...     study = sortal.Study(X, y=[0] * 20 + [1] * 20)
    ...     studies.append(study.sweep(["ward", "average", "genie"], k=range(2, 6), workers=1))
    >>> train_judge(studies).version
    'own'
    """
    studies = list(studies)
    names = [str(i) for i in range(len(studies))] if collections is None else list(collections)
    cases = []
    for study, collection in zip(studies, names, strict=True):
        if study.y is None or study.state.objects.is_partly_labelled:
            raise InputError(
                f"{study.dataset.name} lacks the class of some objects; give y for all of them"
            )
        judgement = study.judged()
        if judgement is None:
            raise InputError(
                f"{study.dataset.name} has nothing to learn from: sweep clusterers over 20 objects "
                "or more first"
            )
        agreement = study.scores().loc[list(judgement.names), "adjusted_rand_index"]
        cases.append(
            TrainingCase(
                study.dataset.name,
                "given",
                collection,
                judgement.evidence,
                agreement.to_numpy(dtype=np.float64)[None],
                (frozenset({"given"}),) * len(agreement),
                whole=True,
            )
        )
    return train(cases, random_state=random_state, version=version)
