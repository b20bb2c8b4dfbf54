"""Train a judge on data sets whose structure is known, and find out how far to believe it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat import InputError
from karat.judge.features import columns
from karat.judge.judgements import (
    NEAR,
    VERSION,
    Forest,
    Judge,
    degenerate,
    doubt_of,
    nearly_alike,
    set_back,
    shared_score,
    shares,
)
from karat_lab.cases import TrainingCase
from karat_lab.trees import Bins, export, fit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.runtime.types import Floats
    from karat.study import Study


FOLDS = 4
#: candidates of a task that take part in training, at most, and their weight, by kind
TAKEN = {"swept": (36, 1.0), "own": (40, 0.5)}
#: temperatures that are tried
TEMPERATURES = (0.02, 0.035, 0.05, 0.07)
BETWEEN = (0.07, 0.1, 0.14, 0.18, 0.22, 0.26, 0.3, 0.36, 0.45)
WITHIN = (0.05, 0.08, 0.12, 0.18, 0.25, 0.35, 0.5)
COVERAGE = 0.8


@dataclass(frozen=True)
class Size:
    """Size of a forest: the number of trees and of their leaves."""

    level: tuple[int, int] = (60, 500)
    order: tuple[int, int] = (60, 400)
    within: int = 12  # trees of level and order in the folds


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


def train(
    cases: Sequence[TrainingCase],
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
    n_jobs : int
        Threads; the result does not depend on it.

    Notes
    -----
    Extremely randomised trees (Geurts, Ernst & Wehenkel 2006) of scikit-learn. The temperatures,
    the interval, the nearness and the limit come from predictions for collections excluded from
    training.
    """
    size = size or Size()
    cases = list(cases)
    names = list(columns(cases[0].evidence))
    fit = _Fit(cases, size, random_state, n_jobs)
    fold = folds_of(cases)
    never = np.flatnonzero(fold < 0)
    # synthetic cases are tested in folds of their own here, which only sets limits
    inner = fold.copy()
    inner[never] = np.arange(len(never)) % FOLDS
    level, order = fit.unseen(inner, fit.level), fit.unseen(inner, fit.order)
    ahead = [
        set_back(((values + order_values) / 2)[case.kinds["swept"]], case.sweep.evidence)
        for case, values, order_values in zip(cases, level, order, strict=True)
    ]
    temperature = _temperature(cases, ahead)
    score = [
        _score(case.sweep, values, temperature) for case, values in zip(cases, ahead, strict=True)
    ]
    leaders = [
        case.kinds["swept"][np.argsort(-values, kind="stable")[:2]]
        for case, values in zip(cases, score, strict=True)
    ]
    doubts = [doubt_of(values[rows[0]]) for values, rows in zip(level, leaders, strict=True)]
    between, within = _temperatures(cases, ahead, doubts)
    tested = [i for i, case in enumerate(cases) if case.is_tested]
    everything = np.arange(len(cases))
    judge = Judge(
        version,
        tuple(names),
        fit.level(everything, size.level[0]),
        fit.order(everything, size.order[0]),
        temperature,
        between,
        within,
        *_interval(*_residuals([cases[i] for i in tested], [level[i] for i in tested],
                               [leaders[i][0] for i in tested])),
        *_near([cases[i].sweep for i in tested], [score[i] for i in tested],
               [shares(ahead[i], cases[i].sweep.evidence.traits.sizes[:, 0],
                       doubts[i] * between, doubts[i] * within) for i in tested]),
        np.zeros((3, 2)),
    )  # fmt: skip
    return judge.signed()


def _temperature(cases: Sequence[TrainingCase], ahead: Sequence[Floats]) -> float:
    """Temperature with the best choices."""
    tested = [(case.sweep, values) for case, values in zip(cases, ahead, strict=True)
              if case.is_tested]  # fmt: skip

    def mean(temperature: float) -> float:
        """Mean agreement of choices at a temperature."""
        return _mean_of_collections(
            (case, float(case.first[np.argmax(_score(case, values, temperature))]))
            for case, values in tested
        )

    return max(TEMPERATURES, key=mean)


def _score(case: TrainingCase, ahead: Floats, temperature: float) -> Floats:
    """Score of the candidates; degenerate clusterings last."""
    score = shared_score(ahead, case.evidence.agreement, temperature)
    score[degenerate(case.evidence.traits.sizes)] -= 1.0
    return score


def _temperatures(
    cases: Sequence[TrainingCase], ahead: Sequence[Floats], doubts: Sequence[float]
) -> tuple[float, float]:
    """Temperatures with the greatest likelihood of the best number and the best candidate."""
    tested = [
        (case.sweep, values, doubt)
        for case, values, doubt in zip(cases, ahead, doubts, strict=True)
        if case.is_tested
    ]

    def loss(between: float, within: float, of_number: bool) -> float:
        """Mean log loss at two temperatures."""
        return _mean_of_collections(
            (case, best_loss(case, shares(values, k, doubt * between, doubt * within), of_number))
            for case, values, doubt in tested
            for k in [case.evidence.traits.sizes[:, 0]]
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


def _near(
    cases: Sequence[TrainingCase], score: Sequence[Floats], probability: Sequence[Floats]
) -> tuple[Floats, Floats]:
    """Calibration of the chance that the choice is near the best."""
    from sklearn.isotonic import IsotonicRegression

    alike, near = [], []
    for case, values, shared in zip(cases, score, probability, strict=True):
        best = int(np.argmax(values))
        alike.append(nearly_alike(shared, case.evidence.agreement[best]))
        near.append(float(case.first[best] >= case.first.max() - NEAR))
    model = IsotonicRegression(y_min=0.02, y_max=0.98, out_of_bounds="clip")
    model.fit(alike, near, sample_weight=_weights(cases))
    steps = np.linspace(0, 1, 21)
    # smoothed, so that a step of the regression is no edge
    smooth = np.convolve(np.pad(model.predict(steps), 2, "edge"), np.full(5, 0.2), "valid")
    return steps, smooth


def _residuals(
    cases: Sequence[TrainingCase], level: Sequence[Floats], first: Sequence[np.intp]
) -> tuple[Floats, Floats, Floats]:
    """Predictions, true agreements and weights: half of the choices, half of any candidate."""
    predicted, true, weights = [], [], []
    for case, values, best, weight in zip(cases, level, first, _weights(cases), strict=True):
        others = np.concatenate([case.kinds["swept"], case.kinds["own"]])
        rows = np.concatenate([[best], others])
        predicted.append(np.clip(values[rows], -0.1, 1))
        true.append(case.first[rows])
        weights.append(weight * np.concatenate([[0.5], np.full(len(others), 0.5 / len(others))]))
    return np.concatenate(predicted), np.concatenate(true), np.concatenate(weights)


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


def _interval(level: Floats, true: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
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


class _Fit:
    """Fits on some of the cases."""

    def __init__(
        self, cases: Sequence[TrainingCase], size: Size, random_state: int, n_jobs: int
    ) -> None:
        self.cases, self.size = cases, size
        self.random_state, self.n_jobs = random_state, n_jobs
        together = np.concatenate([case.table for case in cases])
        self.bins = Bins.of(together)
        self.binned = self.bins(together)
        self.starts = np.cumsum([0] + [len(case.table) for case in cases])

    def level(self, which: NDArray[Any], n_trees: int) -> Forest:
        """Trees for the agreement of candidates and users' labelings with the truth."""
        return self._of_candidates(which, n_trees, self.size.level[1], TAKEN, absolute=True)

    def order(self, which: NDArray[Any], n_trees: int) -> Forest:
        """Trees for how much better a candidate is than the average one of the sweep."""
        swept = {"swept": TAKEN["swept"]}
        return self._of_candidates(which, n_trees, self.size.order[1], swept, absolute=False)

    def _of_candidates(
        self,
        which: NDArray[Any],
        n_trees: int,
        leaves: int,
        taken: dict[str, tuple[int, float]],
        *,
        absolute: bool,
    ) -> Forest:
        """Forest for the agreement of candidates."""
        rng = np.random.default_rng(self.random_state)
        rows, targets, weights = [], [], []
        for i in which:
            case = self.cases[int(i)]
            target = case.target if absolute else case.target - case.sweep.target.mean()
            for kind, (most, weight) in taken.items():
                candidates = case.kinds[kind]
                if len(candidates) == 0:
                    continue
                if len(candidates) > most:
                    best = candidates[np.argmax(target[candidates])]
                    candidates = np.union1d(rng.permutation(candidates)[:most], [best])
                rows.append(self.starts[i] + candidates)
                targets.append(target[candidates])
                weights.append(np.full(len(candidates), weight * case.share / len(candidates)))
        return self._forest(rows, targets, weights, n_trees, leaves)

    def _forest(
        self,
        rows: Sequence[NDArray[Any]],
        targets: Sequence[Floats],
        weights: Sequence[Floats],
        n_trees: int,
        leaves: int,
    ) -> Forest:
        """Forest fitted to weighted rows."""
        weight = np.concatenate(weights)
        model = fit(
            self.binned[np.concatenate(rows)],
            np.concatenate(targets),
            weight / weight.mean(),
            n_trees=n_trees,
            leaves=leaves,
            least=5,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        return export(model, self.bins)

    def unseen(
        self, fold: NDArray[np.int64], grow: Callable[[NDArray[Any], int], Forest]
    ) -> list[Floats]:
        """Predictions for each case, by trees that did not see its fold."""
        out: list[Floats] = [np.zeros(0)] * len(self.cases)
        for f in np.unique(fold):
            forest = grow(np.flatnonzero(fold != f), self.size.within)
            for i in np.flatnonzero(fold == f):
                out[i] = forest.predict(self.cases[int(i)].table)
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
    ...     study = karat.Study(X, y=[0] * 20 + [1] * 20)
    ...     studies.append(study.sweep(["ward", "average", "genie"], k=range(2, 6), workers=1))
    >>> train_judge(studies).version
    'own'
    """
    studies = list(studies)
    names = [str(i) for i in range(len(studies))] if collections is None else list(collections)
    cases = []
    for study, collection in zip(studies, names, strict=True):
        if study.y is None or study.tried.objects.is_partly_labelled:
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
