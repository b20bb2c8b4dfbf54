"""The answer on 90 % of the rows: the share of agreement with which the same groups come back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.measures.external.pairs import adjusted_rand_index
from sortal.runtime.draws import draw_rows
from sortal.runtime.progress import progress_bar
from sortal.runtime.validation import InputError
from sortal.runtime.version import __version__
from sortal.study.deciders import decider_of
from sortal.study.facts import Steadiness
from sortal.study.jobs import Job, derived_seed
from sortal.study.judgement import judged
from sortal.study.notes import last_noted, noted
from sortal.study.scores import candidate_labels, candidate_table
from sortal.study.stability import swept_clusterer
from sortal.study.store import planned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.study.state import StudyState

#: derived: from ``ChoiceSettings.score_error``, which was measured at this share of the rows
SAMPLE_SHARE = 0.9
#: limit of cost: saves fits to further samples; by default, and where stability is asked for
N_SAMPLES, MANY_SAMPLES = 3, 10
#: limit of cost: saves fits of candidates that are chosen on a sample with a smaller chance
MIN_CHANCE = 0.05


def measure_steadiness(
    state: StudyState,
    name: str,
    *,
    many: bool = False,
    executor: object = None,
    progress: bool | None = None,
) -> None:
    """Note how well the answer comes back on parts of the rows, see :class:`Steadiness`.

    More parts than are needed stay; nothing is noted where no clusterer can be fitted again.
    """
    n_parts = MANY_SAMPLES if many else N_SAMPLES
    steadiness = kept_steadiness(state, name)
    if steadiness is not None and steadiness.n_parts >= n_parts:
        return
    chosen = _chosen_on_parts(state, name)
    if not chosen:
        return
    noted(
        state,
        _key(state, name),
        _question(chosen) | {"n_parts": n_parts},
        lambda: _measured(state, name, chosen, n_parts, executor, progress),
    )


def kept_steadiness(state: StudyState, name: str) -> Steadiness | None:
    """The noted steadiness of the answer; None where it was not measured for these candidates."""
    question, value = last_noted(state, _key(state, name))
    if value is None:
        return None
    n_parts = question.pop("n_parts")
    if question != _question(_chosen_on_parts(state, name)):
        return None
    return Steadiness(value, SAMPLE_SHARE, n_parts)


def _key(state: StudyState, name: str) -> str:
    """The key of the note on a candidate's partition."""
    return f"steadiness {candidate_table(state)['partition'].get(name)}"


def _question(chosen: dict[str, float]) -> dict[str, Any]:
    """What the steadiness depends on, beside the data and the seed."""
    return {"version": __version__, "chosen": chosen}


def _chosen_on_parts(state: StudyState, name: str) -> dict[str, float]:
    """Candidates that may be chosen on a part, with their chances.

    The answer alone where the judge does not decide; none if one of them cannot be fitted again.
    """
    chances = {name: 1.0}
    judgement = judged(state) if decider_of(state).startswith("judge") else None
    if judgement is not None and judgement.first == name:
        chances = judgement.chosen_on_parts()
    likely = {rival: chance for rival, chance in chances.items() if chance >= MIN_CHANCE}
    table = {c["name"]: c for c in state.storage.candidates()}
    again = all(
        table[rival]["parameter"] is not None and table[rival]["clusterer"] in state.clusterers
        for rival in likely
    )
    total = sum(likely.values())
    return {rival: round(c / total, 6) for rival, c in likely.items()} if again else {}


def _measured(
    state: StudyState,
    name: str,
    chosen: dict[str, float],
    n_parts: int,
    executor: object,
    progress: bool | None,
) -> float | None:
    """Mean agreement of the answer with the fits to parts, by the chances of the candidates."""
    labels = candidate_labels(state, name)
    values: list[float] = []
    with progress_bar("Fitting parts", n_parts * len(chosen), show=progress) as advance:
        for number in range(n_parts):
            mean = total = 0.0
            for rival, chance in chosen.items():
                rows, again = _fitted_to_part(state, rival, number, executor)
                advance(1)
                if again is not None:
                    agreement = adjusted_rand_index(labels[rows], again, noise="singletons")
                    mean, total = mean + chance * float(agreement), total + chance
            if total:
                values.append(mean / total)
    return float(np.mean(values)) if values else None


def _fitted_to_part(
    state: StudyState, name: str, number: int, executor: object
) -> tuple[NDArray[np.int64], NDArray[Any] | None]:
    """The rows of a part, and the labels there by the clusterer and the seed of a candidate."""
    candidate = state.storage.candidate(name)
    clusterer = swept_clusterer(state, candidate["clusterer"])
    objects = state.objects
    among = objects.sample.rows if state.fits.fits_sample(clusterer) else objects.contents.rows
    seed = derived_seed(state.settings.random_state, f"part {number} of the objects")
    rows = among[draw_rows(len(among), max(int(SAMPLE_SHARE * len(among)), 1), seed)]
    try:
        (outcome,) = state.fits.on_rows(Job(clusterer, (planned(candidate),)), rows, executor)
    except InputError:
        return rows, None
    return rows, outcome.labels
