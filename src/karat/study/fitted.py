"""What a clustering of a study was fitted to, and how: what its model is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets.preparation import Prepared
from karat.model import KEPT, Assignment, Model
from karat.study import work
from karat.study.large import draw_rows
from karat.study.loss import clusterers_of
from karat.study.store import Planned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.clusterers import Clusterer
    from karat.datasets import Dataset
    from karat.study.study import Study


@dataclass(eq=False)
class Fitted:
    """A clustering with what is needed to cluster anew in the same way.

    Attributes
    ----------
    dataset : Dataset
    metric : str or callable
    labels : ndarray of int32, shape (n,)
    names : tuple of str
        What the clusters are called.
    candidate : dict
        What the study knows of it.
    clusterer : Clusterer or None
        None for a clustering from elsewhere, or a clusterer that is not known any more.
    rows : ndarray of int or None
        The objects that it was fitted to, where these are a sample.
    """

    dataset: Dataset
    metric: Any
    labels: NDArray[np.int32]
    names: tuple[str, ...]
    candidate: dict[str, Any]
    clusterer: Clusterer | None
    rows: NDArray[np.int64] | None = None
    seed: int = 0
    facts: dict[str, Any] = field(default_factory=dict)

    def refit(self, X: Any) -> NDArray[Any] | None:
        """Labels of some rows, clustered anew; None where the fit fails."""
        assert self.clusterer is not None
        fields = ("name", "clusterer", "parameter", "value", "start", "seed")
        planned = Planned(*(self.candidate[name] for name in fields))
        return work.run_job(X, work.Job(self.clusterer, (planned,)))[0].labels

    @cached_property
    def kept(self) -> NDArray[np.int64]:
        """The objects that stand for all."""
        if self.rows is not None:
            return self.rows
        return draw_rows(self.dataset.n_objects, KEPT, self.seed)

    @cached_property
    def assignment(self) -> Assignment:
        """The objects in their own clusters, with the confidence that the others give."""
        n = self.dataset.n_objects
        own = np.full(n, -1)
        own[self.kept] = np.arange(len(self.kept))
        return self.model.placed(Prepared(self.dataset.X, np.zeros(n)), own, self.labels)

    @cached_property
    def model(self) -> Model:
        """The model of the clustering."""
        known = self.clusterer is not None
        given = self.candidate["clusterer"] == "given"
        why = "the clustering was made elsewhere" if given else "its clusterer is not known here"
        return Model.of(
            self.dataset,
            self.labels,
            metric=self.metric,
            refit=self.refit if known else None,
            rows=self.kept,
            facts=self.facts,
            reason=None if known else why,
            random_state=self.seed,
        ).renamed(self.names)


def fitted_of(study: Study, name: str) -> Fitted:
    """What a candidate of a study was fitted to."""
    candidate = study.storage.candidate(name)
    sampled = candidate["fitted_on"] is not None
    value = candidate["value"]
    return Fitted(
        study.dataset,
        study.metric,
        study.labels(name),
        tuple(study.cluster_names(name)),
        candidate,
        clusterers_of(study).get(candidate["clusterer"]),
        study.objects.sample_rows if sampled else None,
        study.settings.random_state,
        {
            "name": name,
            "clusterer": candidate["clusterer"],
            "parameter": candidate["parameter"],
            "value": None if value is None else float(value),
        },
    )
