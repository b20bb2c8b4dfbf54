"""The fit of a candidate: everything that its model is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.clusterers import ExcludedError, catalogue, under
from sortal.datasets.prepared.preparation import Prepared
from sortal.distances import distance_matrix
from sortal.model import KEPT, Assignment, Changes, Model, changes
from sortal.runtime.draws import draw_rows
from sortal.runtime.validation import InputError
from sortal.study.descriptions import Described, described, user_names
from sortal.study.jobs import Job, run_job
from sortal.study.store import Planned, planned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from sortal.clusterers import Clusterer
    from sortal.datasets import Dataset
    from sortal.study.state import StudyState
    from sortal.typing import ArrayLike, Metric, Rows

#: fields of the candidate that a model keeps
FACTS = ("name", "clusterer", "parameter", "value", "seed")


@dataclass(eq=False)
class Fitted:
    """A clustering with everything needed to cluster again in the same way."""

    dataset: Dataset
    metric: Metric
    labels: NDArray[np.int32]
    described: Described
    #: the candidate's row in the store
    candidate: dict[str, Any]
    #: None for a clustering made elsewhere, or a clusterer that is unknown by now
    clusterer: Clusterer | None
    #: the objects that represent all: those that it was fitted to, where these are a sample
    rows: NDArray[np.int64]
    seed: int
    #: user-supplied names of clusters, by their numbers
    user_names: dict[str, str] = field(default_factory=dict)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the clusters: the user's, else those of their descriptions."""
        names = list(self.described.names)
        if names == [str(c) for c in range(len(names))]:
            names = [cluster.name for cluster in self.described.clusters]
        names = [self.user_names.get(str(c), name) for c, name in enumerate(names)]
        repeated = [name for name in names if names.count(name) > 1]
        return tuple(f"{name} ({c})" if name in repeated else name for c, name in enumerate(names))

    def refit(self, X: Rows) -> NDArray[Any] | None:
        """Labels of some rows, clustered again; None where the fit fails."""
        assert self.clusterer is not None
        if callable(self.metric) and "features" not in self.clusterer.distances:
            X = distance_matrix(X, self.metric)  # as the study gives it
        return _labels_of_fit(self.clusterer, planned(self.candidate), X)

    @cached_property
    def assignment(self) -> Assignment:
        """The objects in their clusters, with the confidence from the other objects."""
        n = self.dataset.n_objects
        places = np.full(n, -1)
        places[self.rows] = np.arange(len(self.rows))
        return self.model.placed(Prepared(self.dataset.X, np.zeros(n)), places, self.labels)

    @cached_property
    def model(self) -> Model:
        """The model of the clustering."""
        elsewhere = self.candidate["clusterer"] == "given"
        why = (
            "the clustering was made elsewhere" if elsewhere else "its clusterer is not known here"
        )
        return Model.of(
            self.dataset,
            self.labels,
            metric=self.metric,
            refit=None if self.clusterer is None else self.refit,
            rows=self.rows,
            facts={name: self.candidate[name] for name in FACTS},
            reason=why if self.clusterer is None else None,
            random_state=self.seed,
        ).renamed(self.names)

    def against(
        self, model: Model, X: ArrayLike | Mapping[str, Any] | Prepared | None, **options: Any
    ) -> Changes:
        """The changes since an older model, see :func:`sortal.model.changes`."""
        if X is None:
            preparation = self.dataset.preparation
            if (
                preparation is None
                or preparation.of_table
                or preparation.terms is not None
                or not preparation.kept.all()
            ):
                raise InputError("give the rows as they were read: X=, a table or texts")
            rows = self.dataset.X
            if isinstance(rows, np.ndarray):
                X = preparation.original(rows)
            else:
                X = rows if preparation.scale is None else rows * preparation.scale
        prepared = X if isinstance(X, Prepared) else model.prepare(X)
        refit, reason = _refit_of(model)
        return changes(
            model, prepared, self.labels, self.names, refit=refit, reason=reason, **options
        )


def _refit_of(model: Model) -> tuple[Any, str | None]:
    """A function that clusters rows as a model's clustering was made, or why there is none."""
    facts = model.facts
    for entry in catalogue.values():
        try:
            clusterer = under(entry, model.rule.metric)
        except ExcludedError:
            continue
        if clusterer.key == facts.get("clusterer"):
            return partial(_labels_of_fit, clusterer, planned(facts | {"start": 0})), None
    return None, "the clusterer of the old model is not in the catalogue"


def _labels_of_fit(clusterer: Clusterer, candidate: Planned, X: Rows) -> NDArray[Any] | None:
    """Labels of a fit; None where it fails."""
    return run_job(X, Job(clusterer, (candidate,)))[0].labels


def fitted_of(state: StudyState, name: str) -> Fitted:
    """The fit of a candidate."""
    candidate, seed = state.storage.candidate(name), state.settings.random_state
    rows = draw_rows(state.n_objects, KEPT, seed)
    if candidate["fitted_on"] is not None:
        rows = state.objects.sample_rows
    clusters = described(state, name)
    return Fitted(
        dataset=state.dataset, metric=state.objects.stored_metric, labels=clusters.labels,
        described=clusters, candidate=candidate,
        clusterer=state.clusterers.get(candidate["clusterer"]), rows=rows,
        seed=seed, user_names=user_names(state, name),
    )  # fmt: skip
