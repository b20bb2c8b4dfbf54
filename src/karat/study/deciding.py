"""What decides a study, applied: the distinct clusterings in order, and what holds of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.distances import RELATIONS
from karat.measures import catalogue
from karat.runtime.validation import NothingToRankError
from karat.study import judging
from karat.study.answer import Answer
from karat.study.deciders import Verdict, as_decider
from karat.study.derived import derived
from karat.study.facts import answer_of
from karat.study.ranking import order, ranks
from karat.study.scoring import bound_inputs, why_nothing

if TYPE_CHECKING:
    import pandas as pd

    from karat.bounds import Guarantee
    from karat.study.study import Study


#: objects up to which a classifier on the features takes part in the guarantee
MOST_FOR_CLASSIFIERS = 20_000


def rank(study: Study, by: str | None = None) -> pd.DataFrame:
    """The distinct clusterings, best first.

    Parameters
    ----------
    by : str, optional
        Look at another order than that of what decides (:attr:`by`): a measure's key,
        ``"guarantee"`` or ``"consensus"``. With the consensus each internal measure that
        compares numbers of clusters ranks the candidates, a family of such measures has one
        vote, and the mean of the votes, times the share of objects that are not excluded,
        is the score.

    Returns
    -------
    DataFrame
        A row per distinct partition, named after its first candidate: ``rank`` (equal for
        ties), ``clusterer``, ``k``, ``n_clusters``, ``noise_share``, ``fitted_on``,
        ``sample_agreement``, ``partition`` (as in :meth:`scores`), ``reached_by`` (how many
        candidates are this partition), ``score`` (of an internal measure with
        ``noise="drop"``: times the share of objects that are not excluded, or over it where
        lower is better), then the voters.

    Raises
    ------
    InputError
        If nothing was tried, or nothing can be ranked.
    """
    return ranked(study, by or study.by)[0]


def ranked(study: Study, by: str) -> tuple[pd.DataFrame, Verdict]:
    """The ranking, and the verdict that it follows."""
    decider = as_decider(by)
    study.evaluate()  # first: estimates depend on what is judged together
    if decider.needs:
        study.evaluate(decider.needs)
    table, values = distinct(study)
    verdict = decider.judge(study, table, values)
    table = table.loc[verdict.score.index]
    table["score"] = verdict.score
    if verdict.columns is not None:
        table = table.join(verdict.columns)
    upward = decider.sign * verdict.score.to_numpy(dtype=np.float64)
    table.insert(0, "rank", ranks(upward))
    return table.iloc[order(upward, *verdict.ties)], verdict


def distinct(study: Study) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The distinct clusterings, each by its first candidate, and their scores."""
    scores = study.scores()
    usable = scores[scores["partition"].notna()]
    if usable.empty:
        raise NothingToRankError(f"there is no clustering to rank: {why_nothing(study)}")
    counts = usable.groupby("partition").size()
    first = usable[~usable["partition"].duplicated()]
    columns = [
        "clusterer", "k", "n_clusters", "noise_share", "fitted_on", "sample_agreement",
        "partition",
    ]  # fmt: skip
    table = first[columns].copy()
    table["reached_by"] = counts.loc[first["partition"]].to_numpy()
    return table, first[[name for name in scores if name in catalogue]]


def judged(study: Study) -> judging.Judged | None:
    """What the learned judge says of the distinct clusterings.

    Returns
    -------
    Judged or None
        None where there are fewer than 20 objects, or fewer than three clusterings of two
        clusters or more.
    """
    study.evaluate()
    return _judged(study)


@derived(without=("by", "notes"))
def _judged(study: Study) -> judging.Judged | None:
    return judging.judged(study, distinct(study)[0])


@derived(without=("by", "notes"))
def guarantee(study: Study) -> Guarantee:
    """The tightest guarantee that the known labels give about any candidate.

    Returns
    -------
    Guarantee
        With probability ``1 - delta`` over which objects were labelled it holds. Outliers
        count as one cluster.

    Raises
    ------
    InputError
        If no class is known, or nothing was tried.

    See Also
    --------
    karat.guarantee

    Notes
    -----
    One half of the labels chooses the most probable candidate, with the learned judge, which
    does not see the labels, as the prior; the other half tests it
    (:func:`karat.bounds.study_guarantee`).
    """
    from karat.bounds import study_guarantee

    inputs = bound_inputs(study)  # says what is missing before anything is judged
    learns = study.metric not in RELATIONS and study.n_objects <= MOST_FOR_CLASSIFIERS
    X = study.X if learns else None
    shares = judging.judged_shares(study)
    if shares is None:
        return study_guarantee(**inputs, X=X)
    chooser = judging.most_probable(study, inputs)
    return study_guarantee(**bound_inputs(study, shares), X=X, chooser=chooser)


@derived()
def answer(study: Study) -> Answer:
    """The clustering to use, see :meth:`Study.best`."""
    return answer_of(study, *ranked(study, study.by))
