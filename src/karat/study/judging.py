"""The learned judge as what decides a study, and the sentences that say why."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.judge.evidence import size_evidence
from karat.judge.learned import FAR, HALF, VERSION, degenerate
from karat.labelings.labels import encode
from karat.labelings.partitions import canonical_codes
from karat.study import large
from karat.study.choice import tied_with_first
from karat.study.deciders import Decider, Verdict, deciders, vote, why_voted
from karat.study.large import part_of

if TYPE_CHECKING:
    import pandas as pd

    from karat.bounds import Guarantee, PacMdlBound
    from karat.judge import Evidence, Judge, Judgement
    from karat.study.study import Study

#: it compares candidates with one another; of two it chose no better than the consensus
FEWEST_CANDIDATES = 3
NO_STRUCTURE = "No cluster structure found: data without any clusters look the same to the judge."
HARDLY_ANY = (
    "No cluster structure found with certainty: it hardly shows, and data without any clusters may "
    "look like these."
)
#: kinds of evidence that are named for and against
NAMED = 2


@dataclass(frozen=True)
class Judged:
    """What the judge said of a study's distinct clusterings.

    Attributes
    ----------
    judge : Judge
    judgement : Judgement
        In the order of ``names``.
    evidence : Evidence
    names : tuple of str
    shortlist : tuple of (str, str)
        Really different clusterings, the best first, and what each is good for.
    """

    judge: Judge
    judgement: Judgement
    evidence: Evidence
    names: tuple[str, ...]
    shortlist: tuple[tuple[str, str], ...]

    def expected(self, name: str) -> dict[str, float]:
        """Predicted agreement of a clustering with experts, and its interval."""
        i = self.names.index(name)
        said = self.judgement
        return {
            "predicted": float(said.predicted[i]),
            "low": float(said.low[i]),
            "high": float(said.high[i]),
        }

    def contributions(self, name: str) -> dict[str, float]:
        """What each kind of evidence added to the prediction, the greatest first."""
        i = self.names.index(name)
        parts = {kind: float(part[i]) for kind, part in self.judgement.contributions.items()}
        return dict(sorted(parts.items(), key=lambda item: -abs(item[1])))


def judged(study: Study, distinct: pd.DataFrame, values: pd.DataFrame) -> Judged | None:
    """Judge the clusterings with two clusters or more; None where there is too little to see."""
    from karat.judge import gather, load_judge
    from karat.judge.features import FEWEST_OBJECTS
    from karat.judge.learned import good_for, shortlist

    usable = distinct[(distinct["n_clusters"] > 1).to_numpy(dtype=bool)]
    too_few = study.n_objects < FEWEST_OBJECTS or len(usable) < FEWEST_CANDIDATES
    if too_few or study.metric == "graph":
        return None
    codes = np.stack([study.labels(str(name)) for name in usable.index])
    table = values.loc[usable.index]
    given = {}
    if study.noise == "drop":
        given = {str(key): table[key].to_numpy(dtype=np.float64) for key in table}
    found_by = study.found_by()
    X, metric = study._points
    if _weighs_sample(study):
        # evidence is weighed on the objects that clusterers which do not scale are fitted to
        X, codes, given = (
            part_of(X, study.sample_rows, metric),
            codes[:, study.sample_rows],
            {},
        )
        kept = np.array([len(np.unique(row[row >= 0])) > 1 for row in codes])
        usable, codes = usable[kept], codes[kept]
        if usable.empty:
            return None
        codes = np.stack([canonical_codes(row) for row in codes])
    evidence = gather(
        X,
        codes,
        [found_by[partition] for partition in usable["partition"]],
        metric=metric,
        measures=given,
    )
    judge = study.judge or load_judge()
    said = judge(evidence)
    names = tuple(map(str, usable.index))
    places = shortlist(evidence.agreement, said.score)
    short = tuple((names[i], good_for(evidence, i, places)) for i in places)
    if not said.has_structure:
        # what a kind of structure is good for means nothing where none was found
        k = usable["n_clusters"].astype(int).tolist()
        short = tuple((names[i], f"dividing the data into {k[i]} parts") for i in places)
    return Judged(judge, said, evidence, names, short)


def _weighs_sample(study: Study) -> bool:
    return study.n_objects > large.WEIGH_AT_MOST and not study.settings.exact


def _judge(study: Study, distinct: pd.DataFrame, values: pd.DataFrame) -> Verdict:
    import pandas as pd

    found = study.judged()
    if found is None:
        verdict = vote(study, distinct, values)
        # all but a few objects against these are last here, too
        codes = np.stack([study.labels(str(name)) for name in verdict.score.index])
        lone = degenerate(size_evidence(codes))
        return replace(verdict, score=verdict.score - lone.astype(float))
    index = pd.Index(found.names, name=distinct.index.name)
    said = found.judgement
    table = pd.DataFrame(
        {"predicted": said.predicted, "low": said.low, "high": said.high}, index=index
    )
    k = distinct.loc[index, "n_clusters"].to_numpy(dtype=np.int64)
    caveat = None
    if not said.has_structure:
        caveat = NO_STRUCTURE if said.structure < HALF else HARDLY_ANY
    return Verdict(pd.Series(said.score, index=index), table, (k,), found, caveat=caveat)


def _why(study: Study, ranking: pd.DataFrame, verdict: Verdict) -> list[str]:
    found = study.judged()
    if found is None:
        why = "There is too little here for the learned judge"
        if study.metric == "graph":
            why = "The learned judge knows objects with distances, and a graph has edges alone"
        return [
            f"{why}, so the consensus decided.",
            *why_voted(study, ranking, verdict),
        ]
    name = str(ranking.index[0])
    expected = found.expected(name)
    said = found.judgement
    sentences = []
    if not said.has_structure:
        sentences.append(
            f"The judge's evidence of structure is {said.structure:.2f}, and "
            f"{found.judge.limit:.2f} is needed: a partition divides these data, it does not "
            "explain them."
        )
    weighed = ""
    if _weighs_sample(study):
        weighed = f", which weighed {len(study.sample_rows):,} of the objects"
    what = "Expected agreement with the structure that experts would name"
    if not said.has_structure:
        what = "If experts name classes all the same, expected agreement with these"
    sentences.append(
        f"{what}: ARI "
        f"{expected['predicted']:.2f} ({max(expected['low'], 0):.2f}–{expected['high']:.2f}, "
        f"80 % interval), by {found.judge.name}{weighed}."
    )
    parts = found.contributions(name)
    up = [kind for kind, part in parts.items() if part > 0.01][:NAMED]
    down = [kind for kind, part in parts.items() if part < -0.01][:NAMED]
    if up:
        sentences.append(f"For it: {_weighed(up, parts)}.")
    if down:
        sentences.append(f"Against it: {_weighed(down, parts)}.")
    tied = tied_with_first(ranking)
    if tied:
        sentences.append(f"It ties with {', '.join(tied[:3])}.")
    elif len(ranking) > 1:
        second = ranking.iloc[1]
        sentences.append(f"The runner-up is {second.name} ({int(second['n_clusters'])} clusters).")
    if len(found.shortlist) > 1:
        k = dict(zip(ranking.index, ranking["n_clusters"].astype(int), strict=True))
        others = "; ".join(
            f"{other} ({k[other]} clusters; {use})" for other, use in found.shortlist[1:]
        )
        as_good = "Really different and nearly as good" if said.has_structure else "Others"
        sentences.append(f"{as_good}: {others}.")
    gain = found.judge.gain(expected["predicted"])
    if gain is not None:
        sentences.append(
            f"With 10 random labels the choice was better by {gain[0]:.2f}, with 40 by "
            f"{gain[2]:.2f}, on data judged like these: {draw_labels(study)} draws them, and karat "
            "run weighs judge and labels together."
        )
    return sentences


def draw_labels(study: Study) -> str:
    """The command that draws ten objects to label."""
    source = study.dataset.source
    return f"karat sample {shlex.quote(str(source)) if source else 'data.csv'} -n 10"


def _weighed(kinds: list[str], parts: dict[str, float]) -> str:
    return ", ".join(f"{kind} ({parts[kind]:+.2f})" for kind in kinds)


def details_of(found: Judged) -> dict[str, Any]:
    """What machines read of what the judge said."""
    best = found.shortlist[0][0]
    return {
        "judge": found.judge.version,
        "digest": found.judge.digest,
        **found.expected(best),
        "structure": found.judgement.structure,
        "has_structure": bool(found.judgement.has_structure),
        "contributions": found.contributions(best),
        "shortlist": [
            {"name": name, "good_for": use, **found.expected(name)} for name, use in found.shortlist
        ],
    }


# -- with a few labels -------------------------------------------------------------------------


def judged_shares(study: Study) -> dict[str, float] | None:
    """Shares of the distinct partitions by what the judge said; None where it said nothing."""
    found = study.judged()
    if found is None:
        return None
    # what is left of 1 is for clusterings of one cluster, which the judge does not see
    part = found.judgement.prior * (1 - 1e-6)
    partitions = study.candidates.loc[list(found.names), "partition"]
    return dict(zip(map(str, partitions), part.tolist(), strict=True))


def most_probable(study: Study, inputs: dict[str, Any]) -> Callable[[Any, Any], int]:
    """What chooses a candidate from some labels: the judge as prior, as where all labels do."""
    from karat.judge.labelled import log_likelihood

    found = study.judged()
    assert found is not None
    candidates = list(inputs["labelings"])
    rows = [candidates.index(name) for name in found.names]
    codes = np.stack([study.labels(name) for name in found.names])
    lead = found.judgement.ahead / found.judge.prior_temperature

    def chooser(labelled: Any, classes: Any) -> int:
        return rows[int(np.argmax(log_likelihood(codes[:, labelled], classes) + lead))]

    return chooser


@dataclass(frozen=True)
class Labelled:
    """What a few labels and the judge together say.

    Attributes
    ----------
    before, after : Series
        Probability of each distinct clustering, without the labels and with them.
    n_labels : int
    judge : str or None
        Whose the probabilities before the labels are; None where they are even.
    tightest : Guarantee
        The lowest bound of the study; it holds together with that of the choice.
    """

    before: pd.Series[Any]
    after: pd.Series[Any]
    n_labels: int
    judge: str | None
    tightest: Guarantee


def _with_labels(study: Study, distinct: pd.DataFrame, values: pd.DataFrame) -> Verdict:
    import pandas as pd

    from karat.judge.labelled import log_likelihood

    found = study.judged()
    assert study.truth is not None
    known = np.flatnonzero([value is not None for value in study.truth])
    names = list(map(str, distinct.index)) if found is None else list(found.names)
    distinct = distinct.loc[names]
    codes = np.stack([study.labels(name) for name in names])
    classes = encode(np.asarray(study.truth, dtype=object)[known]).codes
    before = np.full(len(names), 1 / len(names))
    logs = log_likelihood(codes[:, known], classes)
    if found is None:
        logs -= FAR * degenerate(size_evidence(codes))
    else:
        before = found.judgement.prior
        logs += found.judgement.ahead / found.judge.prior_temperature
    after = pd.Series(np.exp(logs - logs.max()), index=distinct.index)
    tightest = study.guarantee()
    details = Labelled(
        pd.Series(before, index=distinct.index),
        after / after.sum(),
        len(known),
        None if found is None else found.judge.name,
        tightest,
    )
    best = str(names[int(np.argmax(logs))])
    partition = study.candidates["partition"]
    bound: Guarantee | PacMdlBound = tightest
    if partition[tightest.name] != partition[best]:
        same = tightest.mdl.table.index.isin(partition.index[partition == partition[best]])
        beside = tightest.mdl[str(tightest.mdl.table["bound_rate"][same].idxmin())]
        # with its share of delta; both bounds hold together with the whole of it
        bound = replace(beside, delta=tightest.delta)
    return Verdict(details.after, None, (-logs,), details, bound)


def _why_with_labels(study: Study, ranking: pd.DataFrame, verdict: Verdict) -> list[str]:
    from karat.bounds import percent_up

    said: Labelled = verdict.details
    assert verdict.bound is not None
    name = ranking.index[0]
    source = f"before them {said.judge} gave it" if said.judge else "before them each had"
    sentences = [
        f"With {said.n_labels:,} labels it has {said.after[name]:.0%} of the probability among the "
        f"candidates; {source} {said.before[name]:.1%}."
    ]
    if len(ranking) > 1:
        second = ranking.iloc[1]
        sentences.append(
            f"The runner-up is {second.name} ({int(second['n_clusters'])} clusters, "
            f"{second['score']:.0%})."
        )
    sentences += [
        verdict.bound.sentence, f"That is by {verdict.bound.method}: {verdict.bound.how}."
    ]  # fmt: skip
    if verdict.bound is not said.tightest:
        sentences.append(
            f"The lowest bound is that of {said.tightest.name}: at most "
            f"{percent_up(said.tightest.bound_rate)}, by {said.tightest.method}; both hold "
            "together. --by guarantee chooses by it."
        )
    return [*sentences, *(f"Warning: {warning}." for warning in verdict.bound.warnings)]


deciders.add(
    Decider(
        key="judge-and-labels",
        title="Probability",
        judge=_with_labels,
        why=_why_with_labels,
        unit="share",
    )
)
deciders.add(
    Decider(
        key=f"judge-{VERSION}",
        title="Judge's score",
        judge=_judge,
        why=_why,
        unit="share",
    )
)
