"""The table of ways of choosing, and how far predictions held: the judge's model card."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sortal.judge import NEAR
from sortal_lab.choice_labelings import PERCENT, above_itself

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.judge import Judgement
    from sortal.typing import Floats
    from sortal_lab.cases import TrainingCase


BOOTSTRAPS = 2000
#: the rivals that the judge is tested against
TESTED = (
    "agreement among candidates", "likelihood (BIC, best model)", "stability",
    "standardised sum (fpc)", "majority of k (NbClust)", "silhouette",
)  # fmt: skip
GROUPS = (
    ("benchmark sets", "benchmark", True),
    ("parts of them", "benchmark", False),
    ("real tables", "real", True),
    ("real sub-tasks", "real", False),
    ("terms and texts", "terms", None),
)


@dataclass(frozen=True)
class ChoiceTrial:
    """Results of methods of choosing on one case that they did not learn from.

    Attributes
    ----------
    case : Case
        With the candidates of the sweep.
    judgement : Judgement
    reached : dict of str to float
        Agreement of the choice with the truth, by way of choosing.
    among : dict of (str, int) to float
        The same among some of the candidates.
    own : ndarray, shape (4, labelings)
        Predicted and true agreement of labelings as users bring them, and the interval's ends.
    own_names : tuple of str
    """

    case: TrainingCase
    judgement: Judgement
    reached: dict[str, float]
    among: dict[tuple[str, int], float] = field(default_factory=dict)
    own: Floats = field(default_factory=lambda: np.empty((4, 0)))
    own_names: tuple[str, ...] = ()


def members(cases: Sequence[TrainingCase], family: str, whole: bool | None) -> NDArray[np.intp]:
    """Positions of the cases of a family, the whole sets or the parts of them."""
    return np.array(
        [
            i
            for i, case in enumerate(cases)
            if case.family == family and (whole is None or case.whole == whole)
        ],
        dtype=np.intp,
    )


def mean_of_collections(cases: Sequence[TrainingCase], members: Any, values: Floats) -> Floats:
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


class Reached(Protocol):
    """A trial, as far as a table of ways of choosing needs it."""

    @property
    def case(self) -> TrainingCase:
        """The case that was chosen on."""

    @property
    def reached(self) -> dict[str, float]:
        """Agreement of the choice with the truth, by way of choosing."""


def table_of(trials: Sequence[Reached]) -> pd.DataFrame:
    """Mean agreement with 95 % bootstrap intervals over collections; a column a family."""
    import pandas as pd

    cases = [trial.case for trial in trials]
    ways = list(dict.fromkeys(way for trial in trials for way in trial.reached))
    columns: dict[str, dict[str, str]] = {}
    for title, family, whole in GROUPS:
        selected = members(cases, family, whole)
        for way in ways if len(selected) else ():
            values = np.array([trial.reached.get(way, np.nan) for trial in trials])
            means = mean_of_collections(cases, selected, values)
            if len(means):
                columns.setdefault(title, {})[way] = with_interval(means)
    return pd.DataFrame(columns).reindex(ways).fillna("–").rename_axis("way of choosing")


def notes_on(trials: Sequence[ChoiceTrial]) -> list[str]:
    """The model card in sentences: calibration, what fails."""
    collections = {trial.case.collection for trial in trials}
    return [
        f"{len(trials):,} tasks of {len(collections)} collections. The judge was trained on "
        "generated tasks only, so it has seen none of them. Means over collections, 95 % bootstrap "
        "intervals.",
        *_by_family(trials),
        *_paired(trials),
        *_levels(trials),
        *_numbers(trials),
        *_near(trials),
        *_own(trials),
        *_among(trials),
    ]


def _best(trial: ChoiceTrial) -> int:
    """Candidate with the best score."""
    return int(np.argmax(trial.judgement.score))


def _predicted(trials: Sequence[ChoiceTrial]) -> Floats:
    """Predicted agreement of the choices."""
    return np.array([trial.judgement.predicted[_best(trial)] for trial in trials])


def _true(trials: Sequence[ChoiceTrial]) -> Floats:
    """True agreement of the choices."""
    return np.array([trial.reached["judge"] for trial in trials])


def _by_family(trials: Sequence[ChoiceTrial]) -> Iterator[str]:
    """Notes on choice and prediction by family of data."""
    cases = [trial.case for trial in trials]
    true = _true(trials)
    median = np.array([np.median(case.first) for case in cases])
    inside, every = np.empty(len(trials)), np.empty(len(trials))
    for i, trial in enumerate(trials):
        judgement, best = trial.judgement, _best(trial)
        inside[i] = judgement.low[best] <= true[i] <= judgement.high[best]
        every[i] = (
            (judgement.low <= trial.case.first) & (trial.case.first <= judgement.high)
        ).mean()
    for title, family, whole in GROUPS:
        selected = members(cases, family, whole)
        if len(selected):
            below, covered, all_covered = (
                100 * mean_of_collections(cases, selected, np.asarray(values, float)).mean()
                for values in (true < median, inside, every)
            )
            yield (
                f"{title} (n = {len(selected)}): below the sweep's median on {below:.0f} %; the "
                f"80 % interval covers {covered:.0f} % of the choices and {all_covered:.0f} % of "
                "all candidates."
            )


def _paired(trials: Sequence[ChoiceTrial]) -> Iterator[str]:
    """Notes on tests of the judge against its rivals, over collections."""
    from sortal.bench import pairwise_wilcoxon
    from sortal.bounds import holm

    cases = [trial.case for trial in trials]
    for title, family, whole in GROUPS:
        selected = members(cases, family, whole)
        if len(selected) < 2:
            continue
        means = {
            way: mean_of_collections(
                cases, selected, np.array([trial.reached.get(way, np.nan) for trial in trials])
            )
            for way in ("judge", *TESTED)
        }
        tests = [pairwise_wilcoxon({"judge": means["judge"], way: means[way]}) for way in TESTED]
        corrected = holm(np.array([test["p"][0] for test in tests]))
        differences = ", ".join(
            f"{way} {test['difference'][0]:+.3f} ({'p < 0.001' if p < 5e-4 else f'p = {p:.3f}'})"
            for way, test, p in zip(TESTED, tests, corrected, strict=True)
        )
        yield (
            f"{title}: the judge against its rivals, mean difference over "
            f"{len(means['judge'])} collections and p by Wilcoxon's signed-rank test, corrected by "
            f"Holm: {differences}."
        )


def _levels(tested: Sequence[ChoiceTrial]) -> Iterator[str]:
    """Notes on true agreement by predicted agreement."""
    predicted, true = _predicted(tested), _true(tested)
    for low, high in pairwise((-1.0, 0.2, 0.4, 0.6, 0.8, 1.01)):
        near = (predicted >= low) & (predicted < high)
        if near.any():
            yield (
                f"predicted {max(low, 0):.1f} to {min(high, 1):.1f}: {near.sum()} tasks, mean "
                f"prediction {predicted[near].mean():.2f}, true mean {true[near].mean():.2f}."
            )


def _numbers(tested: Sequence[ChoiceTrial]) -> Iterator[str]:
    """Reliability of the distribution over the number of clusters."""
    losses, shares, hits, same = [], [], [], []
    for trial in tested:
        k = trial.case.evidence.traits.sizes[:, 0]
        numbers, of = np.unique(k, return_inverse=True)
        probability = np.bincount(of, trial.judgement.probability)
        right = numbers == k[int(np.argmax(trial.case.first))]
        losses.append((-np.log(probability[right].sum()), np.log(len(numbers))))
        shares += probability.tolist()
        hits += right.tolist()
        same.append(numbers[np.argmax(probability)] == k[_best(trial)])
    judge, even = np.mean(losses, axis=0)
    yield (
        f"the number of clusters of the candidate that agrees best: log loss {judge:.3f}, of even "
        f"shares {even:.3f}. The likeliest number is that of the choice in "
        f"{100 * np.mean(same):.0f} %."
    )
    yield from _reliability("a number of clusters", np.array(shares), np.array(hits))


def _reliability(what: str, probabilities: Floats, held: NDArray[Any]) -> Iterator[str]:
    """Notes on how often statements of a probability hold."""
    for low, high in pairwise((0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.01)):
        near = (probabilities >= low) & (probabilities < high)
        if near.any():
            yield (
                f"{what} with probability {low:.1f} to {min(high, 1):.1f}: {near.sum()}, mean "
                f"{probabilities[near].mean():.2f}, held {held[near].mean():.2f}."
            )


def _near(tested: Sequence[ChoiceTrial]) -> Iterator[str]:
    """Notes on choices near the best."""
    probabilities = np.array([trial.judgement.near_best for trial in tested])
    held = np.array([t.reached["judge"] >= t.case.first.max() - NEAR for t in tested])
    base = held.mean()
    loss = -np.mean(np.log(np.where(held, probabilities, 1 - probabilities)))
    even = -np.mean(np.log(np.where(held, base, 1 - base)))
    yield f"within {NEAR} of the best: log loss {loss:.3f}, of their share {even:.3f}."
    yield from _reliability(f"a choice within {NEAR} of the best", probabilities, held)


def _own(tested: Sequence[ChoiceTrial]) -> Iterator[str]:
    """Labelings as users bring them, of whole sets."""
    from scipy.stats import spearmanr

    whole = [trial for trial in tested if trial.case.whole and trial.own.shape[1] > 2]
    if not whole:
        return
    both = np.concatenate([trial.own for trial in whole], axis=1)
    names = [name for trial in whole for name in trial.own_names]
    random = np.array(["random" in name for name in names])
    exact = np.array(["with 0 %" in name for name in names])
    rng = np.random.default_rng(0)
    hits = []
    for trial in whole:
        for _ in range(20):
            three = rng.choice(trial.own.shape[1], 3, replace=False)
            predicted, true = trial.own[:2, three]
            first, second = np.sort(true)[::-1][:2]
            if first >= second + 0.1:
                hits.append(predicted[np.argmax(true)] >= predicted.max())
    yield (
        f"users' labelings of {len(whole)} whole sets ({both.shape[1]}): Spearman's correlation of "
        f"predicted and true agreement {spearmanr(*both[:2])[0]:.2f}; of three that differ by 0.1 "
        f"the best is chosen in {100 * np.mean(hits):.0f} %."
    )
    predicted, true, low, high = both
    inside = (low <= true) & (true <= high)
    yield (
        f"the 80 % interval covers {100 * inside.mean():.0f} % of these labelings, with a mean "
        f"width of {(high - low).mean():.2f}; root mean squared error of the prediction "
        f"{np.sqrt(np.mean((predicted - true) ** 2)):.3f}."
    )
    yield (
        f"labelings at random ({random.sum()}): predicted at most 0.10 in "
        f"{100 * (both[0, random] <= 0.1).mean():.0f} %, 95 % of them at most "
        f"{np.quantile(both[0, random], 0.95):.2f}; the truth itself: predicted "
        f"{both[0, exact].mean():.2f} on average, 0.5 or more in "
        f"{100 * (both[0, exact] >= 0.5).mean():.0f} %."
    )
    yield above_noise(lambda noise: [
        above_itself(trial.own[0], [{name} for name in trial.own_names], noise)
        for trial in whole
    ])  # fmt: skip


def above_noise(above: Callable[[int], list[bool | None]]) -> str:
    """How often the truth is predicted above itself with noise, by the percentage of it."""
    shares = {noise: [each for each in above(noise) if each is not None] for noise in PERCENT[1:]}
    of_each = (
        f"with {noise} % in {100 * np.mean(of):.1f} % of {len(of):,}"
        for noise, of in shares.items()
        if of
    )
    return f"the truth is predicted above itself with noise: {', '.join(of_each)} tasks."


def _among(tested: Sequence[ChoiceTrial]) -> Iterator[str]:
    """Notes on choices among fewer candidates."""
    cases = [trial.case for trial in tested]
    every = np.arange(len(tested))
    sizes = sorted({size for trial in tested for _, size in trial.among})
    for size in sizes:
        ways = dict.fromkeys(way for t in tested for way, m in t.among if m == size)
        means = {
            way: mean_of_collections(
                cases, every, np.array([t.among.get((way, size), np.nan) for t in tested])
            ).mean()
            for way in ways
        }
        means_text = ", ".join(f"{way} {mean:.3f}" for way, mean in means.items())
        yield f"among {size} of the candidates: {means_text}."
