"""What a clustering of a study was fitted to, and how: what its model is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.clusterers import ExcludedError, catalogue, under
from karat.datasets.preparation import Prepared
from karat.distances import distance_matrix
from karat.model import KEPT, Assignment, Changes, Model, changes
from karat.runtime.validation import InputError, StorageError
from karat.study import work
from karat.study.large import draw_rows
from karat.study.stability import clusterers_of
from karat.study.store import Planned, planned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.clusterers import Clusterer
    from karat.datasets import Dataset
    from karat.meaning import ClusterDescription
    from karat.study.study import Study

#: what a model keeps of the candidate
FACTS = ("name", "clusterer", "parameter", "value", "seed")


@dataclass(eq=False)
class Fitted:
    """A clustering with what is needed to cluster anew in the same way."""

    dataset: Dataset
    metric: Any
    labels: NDArray[np.int32]
    #: what the clusters are, as long as the study is open; what they are called otherwise
    describe: Callable[[], tuple[ClusterDescription, ...]] | None
    given_names: tuple[str, ...]
    #: what the study knows of it
    candidate: dict[str, Any]
    #: none for a clustering from elsewhere, or a clusterer that is not known any more
    clusterer: Clusterer | None
    #: the objects that stand for all: those that it was fitted to, where these are a sample
    kept: NDArray[np.int64]
    seed: int

    def refit(self, X: Any) -> NDArray[Any] | None:
        """Labels of some rows, clustered anew; None where the fit fails."""
        assert self.clusterer is not None
        if callable(self.metric) and "features" not in self.clusterer.distances:
            X = distance_matrix(X, self.metric)  # as the study gives it
        return _labels_of(self.clusterer, planned(self.candidate), X)

    @cached_property
    def assignment(self) -> Assignment:
        """The objects in their own clusters, with the confidence that the others give."""
        n = self.dataset.n_objects
        own = np.full(n, -1)
        own[self.kept] = np.arange(len(self.kept))
        return self.model.placed(Prepared(self.dataset.X, np.zeros(n)), own, self.labels)

    @property
    def names(self) -> tuple[str, ...]:
        """What the clusters are called."""
        try:
            return tuple(one.name for one in self.describe()) if self.describe else self.given_names
        except StorageError:
            return self.given_names

    def __getstate__(self) -> dict[str, Any]:
        """Without the study."""
        return vars(self) | {"describe": None, "given_names": self.names}

    @property
    def model(self) -> Model:
        """The model of the clustering."""
        return self._model.renamed(self.names)

    @cached_property
    def _model(self) -> Model:
        given = self.candidate["clusterer"] == "given"
        why = "the clustering was made elsewhere" if given else "its clusterer is not known here"
        return Model.of(
            self.dataset,
            self.labels,
            metric=self.metric,
            refit=None if self.clusterer is None else self.refit,
            rows=self.kept,
            facts={name: self.candidate[name] for name in FACTS},
            reason=why if self.clusterer is None else None,
            random_state=self.seed,
        )

    def against(self, model: Model, X: Any, **options: Any) -> Changes:
        """What became of the clusters of an older model, see :func:`karat.model.changes`."""
        if X is None:
            done = self.dataset.preparation
            if done is None or done.of_table or done.terms is not None:
                raise InputError("give the rows as they were read: X=, a table or texts")
            X = self.dataset.X
            X = X if done.scale is None else X * done.scale + done.center
        prepared = X if isinstance(X, Prepared) else model.prepare(X)
        refit, reason = _refit_of(model)
        return changes(
            model, prepared, self.labels, self.names, refit=refit, reason=reason, **options
        )


def _refit_of(model: Model) -> tuple[Any, str | None]:
    """What clusters rows as the clustering of a model was made, or why nothing does."""
    facts = model.facts
    for one in catalogue.values():
        try:
            fitted = under(one, model.rule.metric)
        except ExcludedError:
            continue
        if fitted.key == facts.get("clusterer"):
            return partial(_labels_of, fitted, planned(facts | {"start": 0})), None
    return None, "the clusterer of the old model is not in the catalogue"


def _labels_of(clusterer: Clusterer, one: Planned, X: Any) -> NDArray[Any] | None:
    """Labels of a fit; None where it fails."""
    return work.run_job(X, work.Job(clusterer, (one,)))[0].labels


def fitted_of(study: Study, name: str) -> Fitted:
    """What a candidate of a study was fitted to."""
    candidate, seed = study.storage.candidate(name), study.settings.random_state
    kept = draw_rows(study.n_objects, KEPT, seed)
    if candidate["fitted_on"] is not None:
        kept = study.objects.sample_rows
    return Fitted(
        study.dataset, study.metric, study.labels(name), partial(study.describe, name),
        tuple(study.cluster_names(name)), candidate,
        clusterers_of(study).get(candidate["clusterer"]), kept, seed,
    )  # fmt: skip
