"""Tests of differences between the clusters of a study, valid after all its choices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.datasets import from_array
from sortal.datasets.values.findings import sentence
from sortal.inference import (
    FAMILIES,
    Differences,
    check_premises,
    compared,
    premises_of,
    thin,
)
from sortal.runtime.validation import InputError, check_choice
from sortal.study.decision import best_candidate
from sortal.study.notes import last_noted, noted
from sortal.study.scores import candidate_labels
from sortal.study.state import StudyState
from sortal.study.sweep import sweep

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from sortal.typing import Floats

KEY = "differences"


def differences(
    state: StudyState,
    family: str = "gaussian",
    *,
    scale: ArrayLike | None = None,
    share: float = 0.5,
) -> Differences:
    """Test which clusters differ, see :meth:`sortal.Study.differences`."""
    plain = scale if scale is None or isinstance(scale, str) else np.asarray(scale).tolist()
    question = {"record": state.record.digest(), "family": family, "scale": plain, "share": share}

    def test() -> Differences:
        first, second = thinned_parts(state, family, scale=scale, share=share)
        premises = premises_of(family, scale)
        aside = {"classes": state.y, "constraints": state.settings.constraints}
        unused = [name for name, value in aside.items() if value is not None]
        if unused:
            premises += (f"The clusters were chosen without the {' and '.join(unused)}.",)
        premises += tuple(sentence(f) for f in state.dataset.findings if f.key == "successive")
        names = list(state.dataset.feature_names)
        return compared(first, second, _chosen_again(state, first), names, premises)

    return noted(state, KEY, question, test)


def thinned_parts(
    state: StudyState, family: str, *, scale: ArrayLike | None = None, share: float = 0.5
) -> tuple[Any, Any]:
    """The data thinned into two parts, in original units; InputError where that is invalid."""
    check_choice(family, FAMILIES, "family")
    why_not = _obstacle(state)
    if why_not:
        raise InputError(f"there is no valid test of differences here: {why_not}")
    data = state.dataset
    values: Any = state.X if isinstance(state.X, np.ndarray) else state.X.toarray()
    if data.scale is not None:
        values = values * data.scale + (0.0 if data.center is None else data.center)
        if family != "gaussian":
            values = np.where(np.abs(values - np.round(values)) < 1e-6, np.round(values), values)
    seed = state.settings.random_state
    parts = thin(values, family, scale=scale, share=share, random_state=seed)
    check_premises(values, family, scale, list(data.feature_names))
    return parts


def kept_differences(state: StudyState) -> Differences | None:
    """The last tests of differences; None where there are none, or the study changed since."""
    question, tests = last_noted(state, KEY)
    return tests if question and question["record"] == state.record.digest() else None


def _obstacle(state: StudyState) -> str:
    """Why there is no valid test of differences; "" where there may be one."""
    data = state.dataset
    if data.n_features == 0 or not isinstance(state.metric, str):
        return "the objects are known by their distances, of whose variation nothing is known"
    if data.of_documents:
        return "weighted terms do not vary in a known way"
    if any(call == "add" for call, _ in state.record):
        return "clusterings made elsewhere cannot be made again with a part of the values"
    columns = () if data.preparation is None else data.preparation.columns
    categories = [column.name for column in columns if column.categories]
    if categories:
        return f"categories ({', '.join(categories[:3])}) do not vary about a mean"
    if data.plan is not None and data.plan.impute is not None:
        return "missing values were filled in, and do not vary as the others do"
    return ""


def _chosen_again(state: StudyState, X: Floats) -> NDArray[Any]:
    """The labels that the same sweeps and the same choice give for other values."""
    data, settings = state.dataset, state.settings
    how: Any = "none"
    is_weighted = data.weighing is not None and data.preparation is not None
    if (data.preparation if is_weighted else data).scale is not None:  # type: ignore[union-attr]
        how = "standard" if data.plan is None else data.plan.scale
    values = from_array(X, feature_names=data.feature_names, scale=how, name=data.name)
    by = None if state.y is not None else settings.by
    # weights are decided anew, for those of all values know what is tested
    again = StudyState(
        values, metric=state.metric, noise=settings.noise, exact=settings.exact, by=by,
        random_state=settings.random_state,
        column_weights="equal" if data.weighing is None else None,
    )  # fmt: skip
    again.record.change_judge(state.judge)
    for entry in state.record.sweeps:
        keys = [clusterer["key"] for clusterer in entry["clusterers"]]
        sweep(
            again, [state.fits.swept.get(key) or key for key in keys], k=entry["k"],
            grid=entry["grid"], n_init=entry["n_init"], progress=False,
        )  # fmt: skip
    labels = candidate_labels(again, best_candidate(again))
    again.close()
    return np.asarray(labels)
