"""Ranking of clusterings by many measures that contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

from sortal.judge.evidence import TINY
from sortal.judge.judgements import FAR
from sortal.judge.settings import JUDGE, JudgeSettings
from sortal.measures.measure_map import grouped

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.judge import Evidence, Judge, Judgement
    from sortal.measures import Measure
    from sortal.typing import Bools, Floats


@dataclass(frozen=True)
class FamilyVotes:
    """Scores of P clusterings by the votes of F families of measures."""

    #: mean of the families' points times the share of objects judged; 1 is best
    score: Floats
    #: points of each family: 1 for its first, 0 for its last, equal for ties
    families: pd.DataFrame
    #: keys of the measures of each family
    members: dict[str, list[str]] = field(default_factory=dict)


def consensus(
    values: pd.DataFrame,
    measures: Sequence[Measure],
    coverage: Floats,
    errors: pd.DataFrame | None = None,
) -> FamilyVotes:
    """Rank by each measure, average within a family, then over the families.

    Borda's count with one vote per family, so that ten variants of one idea do not outvote
    another: families gave much the same orders on many data sets (``MeasureMap.families``).
    Undefined values rank last; estimates with standard errors tie as in :func:`points`.
    """
    import pandas as pd

    ballots: dict[str, Floats] = {}
    for measure in measures:
        upward = measure.sign * values[measure.key].to_numpy(dtype=np.float64)
        estimated = errors is not None and measure.key in errors
        error = errors[measure.key].to_numpy(dtype=np.float64) if estimated else None  # type: ignore[index]
        ballots[measure.key] = points(upward, error)
    members = grouped({measure.key: measure.family for measure in measures})
    votes = pd.DataFrame(
        {family: np.mean([ballots[k] for k in keys], axis=0) for family, keys in members.items()},
        index=values.index,
    )
    return FamilyVotes(votes.to_numpy().mean(axis=1) * coverage, votes, members)


#: derived: from the judge's deduction; distance behind the first of a score that sets a partition
#: apart, as partitions of a few objects against all others
FAR_BEHIND = FAR / 2
#: derived: the quantile 0.975 of the normal distribution; standard errors of a difference within
#: which two values tie
TIE_WIDTH = 1.96


def points(upward: Floats, errors: Floats | None = None) -> Floats:
    """Points of one voter: 1 for its first, 0 for its last.

    A clustering gets a point for each rival that it beats and half a point for each tie, over the
    number of its rivals. Two estimates tie unless they differ by more than 1.96 standard errors of
    their difference; the estimates are taken as independent.

    >>> import numpy as np
    >>> points(np.array([0.1, 0.5, 0.52]), np.array([0.01, 0.01, 0.01])).tolist()
    [0.0, 0.75, 0.75]
    """
    if len(upward) == 1:
        return np.ones(1)
    values = _nan_last(upward)
    if errors is None or not np.nan_to_num(errors).any():
        return (rankdata(values, method="average") - 1) / (len(values) - 1)
    squares = np.nan_to_num(errors) ** 2
    with np.errstate(invalid="ignore"):
        ahead = np.nan_to_num(values[:, None] - values)
    width = TIE_WIDTH * np.sqrt(squares[:, None] + squares)
    won = (ahead > width).sum(axis=1) - (ahead < -width).sum(axis=1)
    return np.asarray((won / (len(values) - 1) + 1) / 2)


#: limit of cost: saves further draws of the scores
N_SHAKES = 200


@dataclass(frozen=True)
class ChoiceSettings:
    """Tuned constants of the choice among judged clusterings, with their defaults.

    ``sortal reproduce constants`` changes each of them.
    """

    #: tuned: generated tasks, for the same answer on 90 % of the rows; scale of the dissimilarity
    #: at which similar partitions share their scores
    similarity_scale: float = 0.1
    #: tuned: the same; temperature of the probability that a partition is the best
    temperature: float = 0.04
    #: tuned: by eye; least probability of the number of clusters of a choice, as a share of the
    #: greatest
    level_share: float = 0.5
    #: tuned: generated tasks; standard deviation of a score between all rows and 90 % of them
    score_error: float = 0.016
    #: tuned: generated tasks, for the same answer with another seed; deduction from the expected
    #: agreement of a partition that random starts alone reach
    unrepeatable_step: float = 0.05
    #: tuned: generated tasks; lead of a score over those of all unlike partitions that many near
    #: copies do not outvote
    clear_lead: float = 0.03
    #: tuned: generated tasks; adjusted Rand index from which two partitions are alike
    alike: float = 0.8


CHOICE = ChoiceSettings()


def choice_scores(
    ahead: Floats,
    agreement: Floats,
    allowed: Bools,
    repeatable: Bools,
    settings: ChoiceSettings = CHOICE,
) -> Floats:
    """Score (M, ...) of each partition; the allowed one with the greatest is chosen.

    It is the expected agreement. A partition that is not repeatable steps back, and one that leads
    clearly comes first.
    """
    step = settings.unrepeatable_step * ~repeatable.reshape(-1, *[1] * (ahead.ndim - 1))
    leads = clear_leads(ahead, agreement, allowed, repeatable, settings)
    return expected_agreement(ahead, agreement, settings) - step + leads


def expected_agreement(
    ahead: Floats, agreement: Floats, settings: ChoiceSettings = CHOICE
) -> Floats:
    """Expected agreement of each partition (M, ...) with the best one, which any of them may be.

    Similar partitions share their scores, which differ by chance among parts of the rows. The
    probability of being best follows from the shared scores. So small changes of the data have
    small effects.
    """
    first = ahead.max(axis=0)
    lone = ahead < first - FAR_BEHIND
    near = _nearness(agreement, ~lone.reshape(len(ahead), -1)[:, 0], settings)
    shared = np.where(lone, ahead, near @ np.where(lone, 0.0, ahead))
    weights = np.exp((shared - shared.max(axis=0)) / settings.temperature)
    expected: Floats = agreement @ (weights / weights.sum(axis=0)) - lone
    return expected


def clear_leads(
    ahead: Floats,
    agreement: Floats,
    allowed: Bools,
    repeatable: Bools,
    settings: ChoiceSettings = CHOICE,
) -> Bools:
    """Mask of the partitions (M, ...) that lead all unlike ones clearly, at most one of M.

    Near copies vote for each other, so many copies of a partition can outvote a better one.
    """
    scores = ahead.reshape(len(ahead), -1)
    first = np.where(allowed[:, None], scores, -np.inf).argmax(axis=0)
    unlike = agreement[:, first] < settings.alike
    second = np.where(unlike, scores, -np.inf).max(axis=0)
    places = np.arange(len(first))
    out = np.zeros(scores.shape, dtype=bool)
    out[first, places] = repeatable[first] & (scores[first, places] - second >= settings.clear_lead)
    return out.reshape(ahead.shape)


def _nearness(agreement: Floats, usable: Bools, settings: ChoiceSettings) -> Floats:
    """Weights of usable partitions for each one, with sum 1."""
    near = np.exp((agreement - 1) / settings.similarity_scale) * usable
    out: Floats = near / np.maximum(near.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    return out


def level_numbers(
    probability: Floats, n_clusters: NDArray[np.int64], settings: ChoiceSettings = CHOICE
) -> Bools:
    """Mask of the partitions whose number of clusters is level with the most probable one."""
    numbers, place = np.unique(n_clusters, return_inverse=True)
    shares = np.bincount(place, probability, len(numbers))
    return np.asarray((shares >= settings.level_share * shares.max())[place])


def split_outliers(
    tiny: Bools, agreement: Floats, allowed: Bools, near_copy: float = JUDGE.near_copy
) -> Bools:
    """Mask of the partitions with tiny clusters where an allowed near copy has none."""
    same = (agreement >= near_copy) & (allowed & ~tiny)
    return np.asarray(tiny & same.any(axis=1))


def by_expected_agreement(
    judge: Judge,
    judgement: Judgement,
    evidence: Evidence,
    repeatable: NDArray[np.bool_] | None = None,
    *,
    fitting: Bools | None = None,
    settings: ChoiceSettings = CHOICE,
    judged_with: JudgeSettings = JUDGE,
) -> Judgement:
    """A judgement whose first holds still under small changes of the data.

    A candidate comes last if it does not fit, or if it differs from another by clusters of a few
    outliers only.

    Parameters
    ----------
    judge : Judge
    judgement : Judgement
        Of the candidates by this judge.
    evidence : Evidence
    repeatable : ndarray of bool, shape (M,), optional
        Candidates that come back with another seed; all by default.
    fitting : ndarray of bool, shape (M,), optional
        Candidates with the right number of clusters. Without any, those whose number is at least
        half as probable as another.
    settings : ChoiceSettings
    judged_with : JudgeSettings
        The settings of the judgement.

    Returns
    -------
    Judgement
        With other ``score`` and ``near_best``; the greatest score is chosen.
    """
    ahead, agreement = judgement.ahead, evidence.agreement
    repeatable = np.ones(len(ahead), dtype=bool) if repeatable is None else repeatable
    allowed = may_lead(judgement, evidence, fitting, settings, judged_with)
    score = choice_scores(ahead, agreement, allowed, repeatable, settings) - ~allowed
    first = int(np.argmax(score))
    score += judgement.predicted[first] - score[first]
    near_best = judge.near_best(judgement.probability, evidence.agreement[first], judged_with)
    return replace(judgement, score=score, near_best=near_best)


def may_lead(
    judgement: Judgement,
    evidence: Evidence,
    fitting: Bools | None = None,
    settings: ChoiceSettings = CHOICE,
    judged_with: JudgeSettings = JUDGE,
) -> Bools:
    """Mask of the fitting candidates that have no copy without outliers.

    Where both fit, few objects apart from all others are no group of their own.
    """
    sizes = evidence.traits.sizes
    level = fitting
    if level is None or not level.any():
        level = level_numbers(judgement.probability, sizes[:, 0].astype(np.int64), settings)
    is_tiny = sizes[:, TINY] > 0
    return level & ~split_outliers(is_tiny, evidence.agreement, level, judged_with.near_copy)


def chosen_when_shaken(
    ahead: Floats,
    agreement: Floats,
    allowed: Bools,
    repeatable: Bools,
    settings: ChoiceSettings = CHOICE,
) -> Floats:
    """Share of 200 draws of the scores in which each partition is chosen.

    Scores change as from all rows to 90 % of them; those of similar partitions change alike.
    """
    near = _nearness(agreement, ahead >= ahead.max() - FAR_BEHIND, settings)
    rng = np.random.default_rng(0)
    noise = near @ rng.normal(size=(len(ahead), N_SHAKES))
    scale = np.sqrt(np.square(near).sum(axis=1, keepdims=True))
    shaken = ahead[:, None] + settings.score_error * noise / np.maximum(scale, np.finfo(float).tiny)
    scores = choice_scores(shaken, agreement, allowed, repeatable, settings)
    scores[~allowed] = -np.inf
    return np.bincount(scores.argmax(axis=0), minlength=len(ahead)) / N_SHAKES


def order(score: Floats, *tiebreakers: NDArray[Any]) -> NDArray[np.intp]:
    """Positions best first; NaN last, ties by the tiebreakers (lower first)."""
    return np.lexsort((*reversed(tiebreakers), -_nan_last(score)))


def ranks(score: Floats) -> NDArray[np.int64]:
    """Rank of each score: 1 for the greatest, equal for ties; NaN last."""
    return rankdata(-_nan_last(score), method="min").astype(np.int64)


def _nan_last(score: Floats) -> Floats:
    """Scores with minus infinity in place of NaN."""
    return np.where(np.isnan(score), -np.inf, score)
