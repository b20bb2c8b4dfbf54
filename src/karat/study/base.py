"""A study's data, settings and file."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from karat.clusterers import Clusterer
from karat.datasets import Dataset, with_embeddings
from karat.distances import RELATIONS, check_metric, distance_matrix, metric_name
from karat.labelings.labels import NOISE_POLICIES, NoisePolicy, known_labels
from karat.runtime.executors import Workers
from karat.runtime.validation import InputError, StorageError, check_choice, check_same_objects
from karat.study.deciders import as_decider
from karat.study.matrices import dataset_of, keep, kept
from karat.study.record import fingerprint_of, keep_truth, kept_truth, settle, stable
from karat.study.store import Store

if TYPE_CHECKING:
    from karat.bounds.classes import Classes
    from karat.judge import Judge


class StudyBase:
    """What is judged, what was decided, and the file that keeps it."""

    def __init__(
        self,
        X: Any,
        *,
        truth: Any = None,
        storage: str | Path | None = None,
        metric: Any = None,
        noise: NoisePolicy | None = None,
        delta: float | None = None,
        classes: Classes = None,
        random_state: int | None = None,
        by: str | None = None,
        exact: bool | None = None,
        update: bool = False,
        embeddings: Any = None,
    ) -> None:
        check_same_objects(X, truth, name="X", other_name="truth")
        self.dataset: Dataset
        self.dataset, key = dataset_of(X, metric, storage)
        if embeddings is not None:
            if metric == "cosine":
                self.dataset = replace(self.dataset, metric="cosine")
            self.dataset = with_embeddings(self.dataset, embeddings)
        if self.dataset.n_embedded and metric not in (None, "cosine"):
            raise InputError(
                "terms and embeddings are judged by the cosine; got the metric "
                f"{metric_name(metric)!r}"
            )
        #: a table without columns, whose index is that of the data
        self._index = X.iloc[:, :0] if hasattr(X, "iloc") and X.ndim == 2 else None
        given: dict[str, Any] = {}
        if noise is not None:
            check_choice(noise, NOISE_POLICIES, "noise")
            given["noise"] = noise
        if delta is not None:
            if not 0 < delta <= 1:
                raise InputError(f"delta must be in (0, 1]; got {delta!r}")
            given["delta"] = float(delta)
        if random_state is not None:
            if not isinstance(random_state, (int, np.integer)) or random_state < 0:
                raise InputError(
                    f"random_state must be a non-negative integer; got {random_state!r}"
                )
            given["random_state"] = int(random_state)
        if metric is not None:
            given["metric"] = stable(metric, "the metric", needed=storage is not None)
        if exact is not None:
            given["exact"] = bool(exact)
        if by is not None:
            given["by"] = as_decider(by).key
        if classes is not None:
            from karat.bounds.classes import listed_classes

            given["classes"] = listed_classes(classes)
        labels = self.dataset.truth if truth is None else truth
        listed = given.get("classes")
        known = (
            None
            if labels is None
            else known_labels(
                labels, self.n_objects, classes=listed if isinstance(listed, list) else ()
            )
        )
        self.command: str | None = None
        self._swept: dict[str, Clusterer] = {}
        self._own_judge: Judge | None = None
        self._workers: tuple[Any, Workers] | None = None
        self._store = Store(
            storage,
            {
                "fingerprint": self.dataset.fingerprint,
                "n_objects": self.n_objects,
                "name": self.dataset.name,
                "source": self.dataset.source,
                "options": dict(self.dataset.options),
            },
        )
        try:
            if known is not None:
                given["truth"] = keep_truth(self._store, known)
            if key is not None:
                keep(self._store, key, self.dataset.X)
            self.settings = settle(self._store, given, update=update, metric=self.dataset.metric)
            if metric is None:
                metric = self.settings.metric
                if "#" in metric:
                    raise StorageError(
                        f"this study was started with the metric {metric}, a function, which a "
                        "file cannot keep; give it again with metric="
                    )
        except BaseException:
            self._store.close()
            raise
        own = self.dataset.metric
        self.metric = own if own in RELATIONS else check_metric(metric)
        self.truth = None
        if self.settings.truth is not None:
            self.truth = kept_truth(self._store, self.settings.truth)

    # -- what the data is --------------------------------------------------------------------

    @property
    def X(self) -> Any:  # noqa: N802
        """The data, an array or CSR."""
        return self.dataset.X

    @cached_property
    def _points(self) -> tuple[Any, Any]:
        """What is clustered and judged, and its distance: a function is called once per pair."""
        if not callable(self.metric):
            return self.X, self.metric
        key = f"of rows {self.settings.metric}"
        D = kept(self._store, key)
        if D is None:
            D = distance_matrix(self.X, self.metric)
            keep(self._store, key, D)
        return D, "precomputed"

    @property
    def n_objects(self) -> int:
        """Number of objects n."""
        return self.dataset.X.shape[0]

    @property
    def storage(self) -> Path | None:
        """The file that keeps the study."""
        return self._store.path

    def close(self) -> None:
        """Close the storage file."""
        self._workers = None
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        done = sum(c["status"] != "planned" for c in self._store.candidates())
        return f"Study({self.dataset.name}, {self.n_objects} objects, {done} candidates)"

    @property
    def noise(self) -> NoisePolicy:
        """What measures make of objects that a clusterer excludes."""
        return self.settings.noise

    @property
    def delta(self) -> float:
        """Allowed chance that a guarantee fails."""
        return self.settings.delta

    @property
    def random_state(self) -> int:
        """The seed that all seeds follow from."""
        return self.settings.random_state

    @property
    def record(self) -> list[tuple[str, dict[str, Any]]]:
        """What was decided and done, in order: ``("settings" | "sweep" | "add", content)``."""
        return self._store.calls()

    @property
    def truth_is_that_of_the_data(self) -> bool:
        """Whether reading the data again gives the classes, too."""
        own = self.dataset.truth
        return own is not None and self.settings.truth == fingerprint_of(
            known_labels(own, self.n_objects)
        )

    def _workers_of(self, executor: Any) -> Workers | None:
        """An executor's workers, which keep the data from call to call."""
        if executor is None:
            return None
        if self._workers is None or self._workers[0] != executor:
            self._workers = executor, Workers.of(executor)
        return self._workers[1]

    def _forget_tables(self) -> None:
        self.__dict__.pop("_candidates", None)
        self.__dict__.pop("_scores", None)
        self.__dict__.pop("_bounds", None)
        self.__dict__.pop("_guarantee", None)
        self.__dict__.pop("_judged", None)
        self.__dict__.pop("_choice", None)


def points_of(study: StudyBase) -> tuple[Any, Any]:
    """What a study clusters and judges, and its distance: a function's matrix, computed once."""
    return study._points
