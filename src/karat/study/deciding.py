"""What decides a study, applied: the distinct clusterings in order, and the answer."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets.data_checks import reproduced
from karat.datasets.findings import ordered
from karat.distances import RELATIONS
from karat.labelings.structures import Hardened
from karat.measures import catalogue
from karat.runtime.validation import InputError, NothingToRankError
from karat.study import judging
from karat.study.answer import Answer, FoundAgain, Sample, Tried, Trouble
from karat.study.constraints import paired
from karat.study.deciders import Verdict, as_decider, candidate, own_score
from karat.study.describing import given_names
from karat.study.fitted import fitted_of
from karat.study.notes import derived
from karat.study.numbers import nesting
from karat.study.ranking import order, ranks
from karat.study.scoring import bound_inputs, bound_of, why_nothing
from karat.study.stability import (
    clusterers_of,
    kept_agreement,
    kept_assessment,
    sample_agreement,
    why_not,
)
from karat.study.work import one_line

if TYPE_CHECKING:
    import pandas as pd

    from karat.bounds import Guarantee
    from karat.stability import Assessment
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
        vote, and the mean of the votes, times the share of objects that are not excluded, orders
        them.

    Returns
    -------
    DataFrame
        A row per distinct partition, named after its first candidate: ``rank`` (equal for
        ties), ``clusterer``, ``k``, ``n_clusters``, ``noise_share``, ``fitted_on``,
        ``partition`` (as in :meth:`scores`), ``reached_by`` (how many
        candidates are this partition), then what decides: ``expected``, ``low`` and ``high`` of
        the judge (the expected agreement and its 80 % interval); ``votes`` of the consensus, a
        place among these candidates and no quality, then the voters; ``probability`` of the judge
        with labels; otherwise ``score`` (of an internal measure with ``noise="drop"``: times the
        share of objects that are not excluded, or over it where lower is better).

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
    table[verdict.column or decider.shown] = verdict.score
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
        "clusterer", "k", "n_clusters", "noise_share", "fitted_on", "partition",
    ]  # fmt: skip
    table = first[columns].copy()
    table["reached_by"] = counts.loc[first["partition"]].to_numpy()
    return table, first[[name for name in scores if name in catalogue]]


def judged(study: Study) -> judging.Judged | None:
    """What the learned judge says of the distinct clusterings.

    Returns
    -------
    Judged or None
        None for a graph, for fewer than 20 objects, and where no clustering has two clusters.
    """
    study.evaluate()
    return _judged(study)


@derived(without=("by", "notes"))
def _judged(study: Study) -> judging.Judged | None:
    return judging.with_pairs(study, _judged_alone(study))


@derived(without=("by", "notes", "constraints"))
def _judged_alone(study: Study) -> judging.Judged | None:
    return judging.judged(study, distinct(study)[0])


@derived(without=("by", "notes"))
def guarantee(study: Study) -> Guarantee:
    """The tightest guarantee that the known labels give about any candidate.

    Returns
    -------
    Guarantee
        With probability ``1 - delta`` over which objects were labelled it holds; outliers count as
        one cluster. One half of the labels chooses the most probable candidate, with the learned
        judge, which does not see the labels, as the prior; the other half tests it
        (:func:`karat.bounds.study_guarantee`).

    Raises
    ------
    InputError
        If no class is known, or nothing was tried.
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
    """The clustering to use by what was computed until now, see :func:`best`."""
    return answer_of(study, *ranked(study, study.by))


def best(
    study: Study,
    *,
    stability: bool | None = None,
    second_sample: bool = True,
    executor: Any = None,
    progress: bool | None = None,
) -> Answer:
    """The clustering to use, with the reasons; :attr:`by` says what decides.

    Parameters
    ----------
    stability : bool, optional
        Look for the chosen clusters, and their number, in resamples; by default where that takes at
        most as many fits as the sweep took. It is among the reasons and does not change the choice.
    second_sample : bool, default True
        Where the chosen clustering was fitted to a sample, fit it to another one, to say what the
        sample loses.
    executor, progress : optional
        As for :meth:`sweep`.

    Returns
    -------
    Answer
        Facts; it prints as a few sentences.

    Raises
    ------
    InputError
        If nothing was tried, or nothing can be ranked.
    """
    name = str(study.rank().index[0])
    if second_sample and study.storage.candidate(name)["fitted_on"] is not None:
        with suppress(InputError):  # the answer says why
            sample_agreement(study, name, executor=executor, progress=progress)
    skipped = None
    if stability is not False and kept_assessment(study, name) is None:
        try:
            skipped = None if stability else why_not(study, name)
            if skipped is None:
                study.stability(name, executor=executor, progress=progress)
        except Exception as error:
            if stability:
                raise
            # a clusterer that fits all objects may fail on a part of them
            skipped = str(error) if isinstance(error, InputError) else one_line(error)
    found = answer(study)
    given = given_names(study, name)
    if given and found.fitted is not None:
        found = replace(found, fitted=replace(found.fitted, given=given))
    return replace(found, stability_skipped=skipped)


def answer_of(study: Study, ranked: pd.DataFrame, verdict: Verdict) -> Answer:
    """What is known of the first of the ranked candidates."""
    decider = as_decider(study.by)
    top = ranked.iloc[0]
    name = str(top.name)
    labels = study.labels(name)
    facts: dict[str, Any] = {"decided_by": decider.key, **decider.facts(study, ranked, verdict)}
    guarantee = verdict.bound
    if guarantee is None and study.objects.is_partly_labelled:
        guarantee = bound_of(study, name)
    soft = study.memberships(name)
    found = kept_assessment(study, name)
    return Answer(
        name=name,
        clusterer=str(top["clusterer"]),
        k=None if top.isna()["k"] else int(top["k"]),
        n_clusters=int(top["n_clusters"]),
        labels=labels,
        sizes=tuple(sorted(np.bincount(labels[labels >= 0]).tolist(), reverse=True)),
        outliers=int((labels < 0).sum()),
        reached_by=int(top["reached_by"]),
        score=own_score(top),
        tied=tuple(str(one) for one in ranked.index[1:] if ranked.at[one, "rank"] == 1),
        tried=_tried(study, ranked),
        runner_up=candidate(ranked, 1) if len(ranked) > 1 else None,
        guarantee=guarantee,
        silhouette=_silhouette(study, name),
        structure=study.objects.structure,
        sample=_sample(study, top),
        memberships=None if soft is None else Hardened.of(soft),
        stability=None if found is None else _found_again(study, ranked, found),
        notes=tuple(map(str, study.dataset.notes)),
        findings=ordered((*reproduced(study.dataset, labels), *study.dataset.findings)),
        data=str(study.dataset.name),
        source=None if study.dataset.source is None else str(study.dataset.source),
        fitted=fitted_of(study, name),
        **{"pairs": paired(study, name)} | facts,
    )


def _silhouette(study: Study, name: str) -> float | None:
    scores = study.scores()
    value = scores["silhouette"].astype(float)[name] if "silhouette" in scores else np.nan
    return None if np.isnan(value) else float(value)


def _tried(study: Study, ranked: pd.DataFrame) -> Tried:
    table = study.candidates
    troubles = []
    for status in ("excluded", "failed", "flagged"):
        these = table[table["status"] == status]
        if len(these):
            reason = str(these["reason"].iloc[0])
            troubles.append(Trouble(status, len(these), str(these.index[0]), reason))
    own = int((ranked["clusterer"] == "given").sum())
    return Tried(len(table), len(ranked), own, len(study.storage.planned()), tuple(troubles))


def _sample(study: Study, top: pd.Series[Any]) -> Sample | None:
    missing = top.isna()
    if missing["fitted_on"]:
        return None
    clusterer = clusterers_of(study).get(str(top["clusterer"]))
    of_cells = clusterer is not None and study.fits.fits_cells(clusterer)
    kept = kept_agreement(study, str(top.name))
    return Sample(int(top["fitted_on"]), of_cells, kept["value"], kept["reason"])


def _found_again(study: Study, ranked: pd.DataFrame, found: Assessment) -> FoundAgain:
    curve, clusters = found.curve, found.clusters.table
    worst = int(np.nanargmin(clusters["jaccard"]))
    numbers: tuple[int, ...] = ()
    selected = kept = null = level = nested = None
    if curve is not None:
        numbers = tuple(map(int, curve.table.index[[0, -1]])) if len(curve.table) else ()
        selected = None if curve.selected is None else int(curve.selected)
    if curve is not None and selected is not None and selected > 1:
        kept, null = (float(curve.table[column][selected]) for column in ("value", "null"))
        places = np.flatnonzero(ranked["n_clusters"] == selected)
        if selected != len(clusters) and len(places):
            level = candidate(ranked, int(places[0]))
            pair = [study.labels(level.name), study.labels(str(ranked.index[0]))]
            coarse, fine = sorted(pair, key=lambda labels: labels.max())
            nested, _ = nesting(coarse, fine)
    return FoundAgain(
        clusterer=found.clusterer,
        numbers=numbers,
        selected=selected,
        kept=kept,
        null=null,
        found=() if curve is not None else tuple(map(int, found.clusters.found)),
        found_in_null=() if curve is not None else tuple(map(int, found.found_in_null)),
        n_stable=int((clusters["jaccard"] >= 0.75).sum()),
        worst=str(clusters.index[worst]),
        dissolved=float(clusters["dissolved"].iloc[worst]),
        n_judged=len(found.rows),
        level=level,
        nested=nested,
    )
