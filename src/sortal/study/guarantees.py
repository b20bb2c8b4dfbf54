"""What known classes guarantee about the candidates: PAC-MDL bounds, and the tightest one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.distances import RELATIONS
from sortal.runtime.validation import InputError, NothingToRankError
from sortal.study.facts import MoreLabels, Rate
from sortal.study.judgement import judged_apart
from sortal.study.notes import derived
from sortal.study.scores import candidate_labels, candidate_table, why_nothing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.bounds import Guarantee, PacMdlBound, PacMdlBounds
    from sortal.bounds.ledger import Asked
    from sortal.study.state import StudyState
    from sortal.typing import Ints

#: limit of cost: objects up to which a classifier on the features takes part in the guarantee
MAX_CLASSIFIED = 20_000
#: limit of cost: rows that are named to be labelled next
MOST_NEXT = 1_000


@derived(without=("by", "judge", "scores", "notes"))
def candidate_bounds(state: StudyState) -> PacMdlBounds:
    """Guarantees for all candidates at once, from the known labels."""
    from sortal.bounds import study_bounds, wording
    from sortal.bounds.skipped import Skipped

    question = question_asked(state)
    inputs = bound_inputs(state)
    if question is None:
        return study_bounds(**inputs, noise="cluster")
    if isinstance(question, str):
        return study_bounds(**inputs, noise="cluster").refusing(question)
    shared = inputs | {
        "delta": inputs["delta"] * question.share, "anytime": question.anytime,
        "skipped": Skipped.of(state.skipped, state.draw).count,
    }  # fmt: skip
    bounds = study_bounds(**shared, noise="cluster")
    if question.anytime:
        bounds = bounds.refusing(_why_no_order(state))
    question.keep()
    return replace(bounds, delta=inputs["delta"], premises=wording.of_counted(bounds.premises))


def _why_no_order(state: StudyState) -> str:
    """Reason why the labels were not drawn in the order given; empty without one."""
    from sortal.bounds.contradictions import unordered
    from sortal.labelings.labels import encode

    if state.draw is None or state.y is None:
        return ""
    order = np.asarray(state.draw)
    return unordered(order, encode(np.asarray(state.y, dtype=object)[order], name="y").codes)


@derived(without=("by", "judge", "scores", "notes"))
def question_asked(state: StudyState) -> Asked | str | None:
    """The counted question about the labels, why it is refused, or None where none are counted."""
    from sortal.bounds import Ledger, question_of
    from sortal.labelings import as_labelings

    if state.ledger is None:
        return None
    inputs = bound_inputs(state)
    question = question_of(
        as_labelings(inputs["labelings"], noise="cluster"), study=True, metric=str(state.metric),
        constraints=state.settings.constraints, delta=inputs["delta"], classes=inputs["classes"],
        features=_learns(state),
    )  # fmt: skip
    y, rows = state.y, state.dataset.rows
    assert y is not None
    order = [i for i, label in enumerate(y) if label is not None]
    order = order if state.draw is None else list(state.draw)
    labels = [(i if rows is None else int(rows[i]), y[i]) for i in order]
    try:
        return Ledger(state.ledger).ask(question, labels, ordered=state.draw is not None)
    except InputError as error:
        return str(error)


def bound_inputs(state: StudyState, shares: Mapping[str, float] | None = None) -> dict[str, Any]:
    """Arguments of the bounds; ``shares`` is a prior over partitions."""
    from sortal.bounds import Searched

    if state.y is None:
        raise InputError("a bound needs the class of some objects; give truth, None elsewhere")
    planned = [(c, _origin(c)) for c in state.storage.candidates() if c["status"] != "excluded"]
    fitted = [(c, origin) for c, origin in planned if c["partition"] is not None]
    if not fitted:
        raise NothingToRankError(f"there is no clustering: {why_nothing(state)}")
    partitions = [c["partition"] for c, _ in fitted]
    codes = state.storage.labels(partitions)
    return {
        "labelings": {c["name"]: row for (c, _), row in zip(fitted, codes, strict=True)},
        "y": state.y,
        "delta": state.settings.delta,
        "classes": state.settings.classes,
        "searched": Searched.from_origins([origin for _, origin in planned]),
        "origins": [origin for _, origin in fitted],
        "random_state": state.settings.random_state,
    } | ({} if shares is None else {"prior": _prior(partitions, shares)})


def bound_of(state: StudyState, name: str, among: PacMdlBounds | None = None) -> PacMdlBound:
    """The bound of a candidate: the lowest among all candidates with the same partition."""
    batch = candidate_bounds(state) if among is None else among
    partitions = candidate_table(state)["partition"]
    same = partitions.index[partitions == partitions[name]]
    rows = batch.table[batch.table.index.isin(same)]
    return batch[str(rows["bound_rate"].idxmin())]


def _prior(partitions: Sequence[str], shares: Mapping[str, float]) -> NDArray[np.float64]:
    """Shares of candidates: copies of a partition divide its share equally."""
    copies = Counter(partitions)
    n_rest = len(set(partitions) - set(shares))
    remainder = (1 - sum(shares.values())) / max(n_rest, 1)
    return np.array([shares.get(p, remainder) / copies[p] for p in partitions])


def _origin(candidate: dict[str, Any]) -> tuple[str, int] | None:
    """Clusterer and value that a candidate came from; None for a user-supplied clustering."""
    if candidate["parameter"] is None:
        return None
    return candidate["clusterer"], candidate["value"]


@derived(without=("by", "scores", "notes"))
def tightest_guarantee(state: StudyState) -> Guarantee:
    """The tightest guarantee about any candidate, see :meth:`sortal.Study.guarantee`."""
    from sortal.bounds import study_guarantee, wording

    inputs = bound_inputs(state)  # says what is missing before anything is judged
    question, delta = question_asked(state), inputs["delta"]
    shares = judged_shares(state)
    options: dict[str, Any] = {"X": state.X if _learns(state) else None}
    if shares is not None:
        options["chooser"] = most_probable(state, inputs)
        inputs = bound_inputs(state, shares)
    if question is None:
        return study_guarantee(**inputs, **options)
    if isinstance(question, str):
        return study_guarantee(**inputs, **options).refusing(question)
    inputs |= {
        "delta": delta * question.share, "anytime": question.anytime, "order": state.draw,
        "skipped": state.skipped,
    }  # fmt: skip
    answer = study_guarantee(**inputs, **options).counted(question, delta)
    more = [wording.undrawn(state.undrawn)] if state.undrawn else []
    more += [wording.unreadable(state.unreadable)] if state.unreadable else []
    return replace(answer, premises=(*answer.premises, *more))


def _learns(state: StudyState) -> bool:
    """Whether a classifier on the features takes part."""
    return state.metric not in RELATIONS and state.n_objects <= MAX_CLASSIFIED


def guarantee_facts(state: StudyState, name: str) -> dict[str, Any]:
    """What is guaranteed, what if clusters had one class each, and what more labels would buy."""
    best = tightest_guarantee(state)
    partitions = candidate_table(state)["partition"]
    by_clusters = None
    if best.carrier != "clustering" or partitions[best.name] != partitions[name]:
        # holds together with the guarantee, at a share of its delta
        by_clusters = Rate(name, bound_of(state, name, best.mdl).bound_rate)
    return {
        "guarantee": best,
        "by_clusters": by_clusters,
        "more_labels": _more_labels(state, best),
    }


def _more_labels(state: StudyState, best: Guarantee) -> MoreLabels | None:
    """Forecast bounds, and the next rows of a random draw; None where nothing is guaranteed."""
    from sortal.bounds import forecast_bounds, sample_more

    if best.refused or best.skipped or not best.n:
        return None
    outlook = forecast_bounds(best)
    assert state.y is not None
    labelled = np.flatnonzero([label is not None for label in state.y])
    last = max((forecast.labelled for forecast in outlook), default=len(labelled) + best.n)
    seed, rows = state.settings.random_state, state.dataset.rows
    size = min(last - len(labelled), MOST_NEXT)
    objects = sample_more(state.n_objects, labelled, size, random_state=seed)
    named = objects if rows is None else np.asarray(rows)[objects]
    return MoreLabels(len(labelled), outlook, tuple(named.tolist()), tuple(objects.tolist()))


def judged_shares(state: StudyState) -> dict[str, float] | None:
    """The judge's shares of the distinct partitions; None where it does not judge."""
    judgement = judged_apart(state)
    if judgement is None:
        return None
    # the rest of 1 is for clusterings of one cluster, which the judge does not see
    shares = judgement.prior * (1 - 1e-6)
    partitions = candidate_table(state).loc[list(judgement.names), "partition"]
    return dict(zip(map(str, partitions), shares.tolist(), strict=True))


def most_probable(state: StudyState, inputs: dict[str, Any]) -> Callable[[Any, Any], int]:
    """A function that chooses a candidate by some labels, with the judge as prior."""
    from sortal.judge.label_likelihood import log_likelihood

    judgement = judged_apart(state)
    assert judgement is not None
    candidates = list(inputs["labelings"])
    rows = [candidates.index(name) for name in judgement.names]
    codes = np.stack([candidate_labels(state, name) for name in judgement.names])
    lead = judgement.lead

    def chooser(labelled: Ints, classes: Ints) -> int:
        return rows[int(np.argmax(log_likelihood(codes[:, labelled], classes) + lead))]

    return chooser
