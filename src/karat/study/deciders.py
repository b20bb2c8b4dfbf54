"""What may decide which clustering to use; a new way is a :class:`Decider` in ``deciders``.

A decider gives the distinct clusterings a score each and says in sentences why the best is best.
Every measure of the catalogue is one, too. Nothing outside this module knows how one decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from karat.distances import RELATIONS
from karat.judge import FEWEST_OBJECTS, VERSION
from karat.measures import Measure, catalogue
from karat.runtime.registry import Registry
from karat.runtime.validation import NothingToRankError, unknown_name
from karat.study import choice as explain
from karat.study.ranking import INSIDE, Consensus, consensus

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.bounds import Guarantee, PacMdlBound, PacMdlBounds
    from karat.study.study import Study


@dataclass(frozen=True)
class Verdict:
    """The scores that a decider gives.

    Attributes
    ----------
    score : Series
        By the name of the clustering; those that cannot be ranked are not in it.
    columns : DataFrame
        What belongs beside the score in a ranking: voters, parts of it.
    ties : tuple of array
        What breaks ties of the score, lower first, in the order of ``score``.
    details : object
        What the decider needs to explain itself.
    bound : Guarantee or PacMdlBound, optional
        What is guaranteed about the best.
    caveat : str, optional
        What must be said before the answer.
    """

    score: pd.Series[Any]
    columns: pd.DataFrame | None = None
    ties: tuple[NDArray[Any], ...] = ()
    details: Any = None
    bound: Guarantee | PacMdlBound | None = None
    caveat: str | None = None


class Judge(Protocol):
    """``judge(study, distinct, values)``: from the distinct clusterings (columns as in
    :meth:`Study.rank`, and ``partition``) and their measures to the scores.
    """

    def __call__(self, study: Study, distinct: pd.DataFrame, values: pd.DataFrame) -> Verdict:
        """Score the distinct clusterings."""
        ...


Why = Callable[["Study", "pd.DataFrame", Verdict], list[str]]


@dataclass(frozen=True, kw_only=True)
class Decider:
    """One way to decide.

    Attributes
    ----------
    key : str
        Its name, for ``by``.
    title : str
        The heading of its score.
    judge : callable
        See :class:`Judge`.
    why : callable
        ``why(study, ranking, verdict)`` gives the sentences that follow the first.
    greater_is_better : bool
    unit : {"number", "share", "guarantee"}
        How the score is written: a guarantee is a share that is rounded up.
    needs : tuple of str
        Measures that must be there before it judges.
    """

    key: str
    title: str
    judge: Judge = field(repr=False)
    why: Why = field(repr=False)
    greater_is_better: bool = True
    unit: Literal["number", "share", "guarantee"] = "number"
    needs: tuple[str, ...] = ()

    @property
    def sign(self) -> int:
        """1 where greater is better, -1 where lower is: ``sign * score`` always goes up."""
        return 1 if self.greater_is_better else -1

    def text(self, score: float) -> str:
        """A score as a person reads it."""
        if self.unit != "guarantee":
            return f"{score:.3f}"
        from karat.bounds import percent_up

        return percent_up(score)


JUDGE = f"judge-{VERSION}"
deciders: Registry[Decider] = Registry("decider", "karat.deciders")


def as_decider(key: str) -> Decider:
    """The decider or the measure of this name; ``"judge"`` is the judge of this version."""
    from karat.study import judging  # noqa: F401  it adds the judge, and needs this module

    if key == "judge":
        key = JUDGE
    if key in deciders:
        return deciders[key]
    if key not in catalogue:
        raise unknown_name(key, [*deciders, *catalogue], "measure or other decider")
    return _by_measure(catalogue[key])


def usual(study: Study) -> str:
    """What decides where the user names nothing."""
    if study.truth is not None and not study.is_partly_labelled:
        return "adjusted_rand_index"
    # the judge weighs evidence that rests on distances
    judges = study.n_objects >= FEWEST_OBJECTS and study.metric != "graph"
    if study.truth is None:
        return JUDGE if judges else "consensus"
    return "judge-and-labels" if judges else "guarantee"


# -- the vote of the families ----------------------------------------------------------------


def vote(study: Study, distinct: pd.DataFrame, values: pd.DataFrame) -> Verdict:
    """The consensus of the families of measures."""
    import pandas as pd

    voters = [
        m
        for m in catalogue.values()
        if m.kind == "internal" and m.compares_k and m.key in values and values[m.key].notna().any()
    ]
    if not voters:
        raise NothingToRankError(
            "no measure is defined for any of these clusterings, so there is no choice: "
            + study.why_nothing()
        )
    usable = values[[m.key for m in voters]].notna().any(axis=1)
    distinct, values = distinct[usable], values[usable]
    errors = study.standard_errors().reindex(values.index) if study.is_estimated else None
    votes = consensus(values, voters, _judged_share(study, distinct), errors)
    score = pd.Series(votes.score, index=values.index)
    return Verdict(score, votes.families, _fewest_clusters(distinct), votes)


def why_voted(study: Study, ranking: pd.DataFrame, verdict: Verdict) -> list[str]:
    """The sentences of the consensus."""
    votes: Consensus = verdict.details
    return explain.why_by_consensus(ranking, votes, explain.tied_with_first(ranking))


# -- the guarantee ---------------------------------------------------------------------------


def _bound(study: Study, distinct: pd.DataFrame, values: pd.DataFrame) -> Verdict:
    return bound_verdict(study, distinct, study.bounds())


def bound_verdict(study: Study, distinct: pd.DataFrame, bounds: PacMdlBounds) -> Verdict:
    """Of the candidates that are the same partition, the one with the lowest bound."""
    table = bounds.table.sort_values(["bound_rate", "bits"], kind="stable")
    partition = study.candidates.loc[table.index, "partition"]
    table["candidate"] = table.index
    first = table[~partition.duplicated()].set_axis(partition.drop_duplicates(), axis=0)
    found = first.loc[distinct["partition"]].set_axis(distinct.index)
    ties = tuple(found[column].to_numpy() for column in ("errors", "bits"))
    lowest = dict(zip(distinct.index, first.loc[distinct["partition"], "candidate"], strict=True))
    details = {str(name): bounds[str(one)] for name, one in lowest.items()}
    return Verdict(found["bound_rate"], found[["errors", "bits", "bound"]], ties, details)


def guarantee_verdict(study: Study, distinct: pd.DataFrame, found: Guarantee) -> Verdict:
    """The clustering that the guarantee is about; the others by their PAC-MDL bounds beside it."""
    others = bound_verdict(study, distinct, found.mdl)
    first = distinct["partition"] == study.candidates.at[found.name, "partition"]
    score = others.score.where(~first, found.bound_rate)
    return Verdict(score, None, ((~first).to_numpy(), *others.ties), found, found)


def _guarantee(study: Study, distinct: pd.DataFrame, values: pd.DataFrame) -> Verdict:
    return guarantee_verdict(study, distinct, study.guarantee())


def _why_guaranteed(study: Study, ranking: pd.DataFrame, verdict: Verdict) -> list[str]:
    return explain.why_by_guarantee(ranking, verdict.details)


def _why_bound(study: Study, ranking: pd.DataFrame, verdict: Verdict) -> list[str]:
    bound = study.bound_of(str(ranking.index[0]))
    return explain.why_by_bound(ranking, bound, explain.tied_with_first(ranking))


MOST_FOR_CLASSIFIERS = 20_000


def against_classifier(study: Study, own: Guarantee | PacMdlBound) -> str | None:
    """What a classifier that is trained on half of the same labels guarantees, in a sentence."""
    from karat.bounds import percent_up, supervised_yardstick

    if study.n_objects > MOST_FOR_CLASSIFIERS or own.m < 4 or own.n == 0:
        return None
    if study.metric in RELATIONS:
        return None  # there are no features to train on
    table = supervised_yardstick(study.X, study.truth, own.delta, random_state=study.random_state)
    best = table["bound_rate"].astype(float).idxmin()
    rate = float(table["bound_rate"].min())
    told = f"{percent_up(rate)} ({str(best).replace('-', ' ')})"
    if rate < own.bound_rate:
        return (
            "A classifier trained on half of the labels and tested on the rest guarantees more: "
            f"at most {told} are wrong. To predict the classes, use that; to see the structure, "
            "the clustering."
        )
    return (
        "The clustering guarantees more than a classifier trained on half of the labels and "
        f"tested on the rest, whose bound is {told}."
    )


# -- one measure -----------------------------------------------------------------------------


def _by_measure(measure: Measure) -> Decider:
    def judge(study: Study, distinct: pd.DataFrame, values: pd.DataFrame) -> Verdict:
        score = values[measure.key].astype(float)
        if measure.kind == "internal":  # outliers are clusters of their own to the others
            score = score * measure.penalty(score.to_numpy(), _judged_share(study, distinct))
        return Verdict(score, None, _fewest_clusters(distinct))

    def why(study: Study, ranking: pd.DataFrame, verdict: Verdict) -> list[str]:
        known = 0
        if measure.kind == "external" and study.truth is not None:
            known = int(sum(value is not None for value in study.truth))
        sentences = explain.why_by_measure(
            ranking, measure.title, known, study.n_objects, measure.greater_is_better
        )
        close = _inside_the_error(study, measure.key, ranking)
        if close:
            sentences.append(
                f"The sample does not tell {explain.listed(close[:3])} from it: the difference is "
                "within the error of the estimates."
            )
        return sentences

    return Decider(
        key=measure.key,
        title=measure.title,
        judge=judge,
        why=why,
        greater_is_better=measure.greater_is_better,
        needs=(measure.key,),
    )


def _inside_the_error(study: Study, key: str, ranking: pd.DataFrame) -> list[str]:
    """The other clusterings whose estimates do not differ from that of the first."""
    errors = study.standard_errors() if study.is_estimated else None
    if errors is None or key not in errors:
        return []
    error = errors[key].reindex(ranking.index).to_numpy(dtype=np.float64)
    apart = np.abs(ranking["score"] - ranking["score"].iloc[0]).to_numpy(dtype=np.float64)
    close = apart <= INSIDE * np.sqrt(error**2 + error[0] ** 2)
    return [str(name) for name in ranking.index[1:][close[1:]]]


def _judged_share(study: Study, distinct: pd.DataFrame) -> NDArray[np.float64]:
    """Share of the objects that internal measures judge."""
    if study.noise != "drop":
        return np.ones(len(distinct))
    return 1 - distinct["noise_share"].to_numpy(dtype=np.float64)


def _fewest_clusters(distinct: pd.DataFrame) -> tuple[NDArray[Any]]:
    return (distinct["n_clusters"].to_numpy(dtype=np.int64),)


deciders.add(
    Decider(
        key="consensus",
        title="Consensus score",
        judge=vote,
        why=why_voted,
        unit="share",
    )
)
deciders.add(
    Decider(
        key="guarantee",
        title="Error rate at most",
        judge=_guarantee,
        why=_why_guaranteed,
        greater_is_better=False,
        unit="guarantee",
    )
)
deciders.add(
    Decider(
        key="pac_mdl_bound",
        title="Error rate at most",
        judge=_bound,
        why=_why_bound,
        greater_is_better=False,
        unit="guarantee",
    )
)
