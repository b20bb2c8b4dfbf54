"""The objects of a study: their data, distance and classes, and the samples that stand for all."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets import Dataset, object_ids
from karat.distances import RELATIONS, check_metric, distance_matrix
from karat.nulls.structure import Structure, structure_of
from karat.runtime.resources import is_large, total_memory
from karat.runtime.validation import StorageError
from karat.study import large, work
from karat.study.record import Settings, kept_truth

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.study.store import Store


class Objects:
    """What is clustered and judged; none of it changes while a study is open.

    ``metric`` is the distance where it is given now; a function must be.
    """

    def __init__(self, dataset: Dataset, metric: Any, settings: Settings, storage: Store) -> None:
        if metric is None and "#" in settings.metric:
            raise StorageError(
                f"this study was started with the metric {settings.metric}, a function, which a "
                "file cannot keep; give it again with metric="
            )
        self.dataset = dataset
        self.n = dataset.n_objects
        self.metric: Any = dataset.metric
        if self.metric not in RELATIONS:
            self.metric = check_metric(settings.metric if metric is None else metric)
        self.truth = None if settings.truth is None else kept_truth(storage, settings.truth)
        #: see :func:`index_of`
        self.index: Any = None
        self._settings = settings

    @cached_property
    def points(self) -> tuple[Any, Any]:
        """What is clustered and judged, and its distance: a function is called once per pair."""
        if not callable(self.metric):
            return self.dataset.X, self.metric
        return distance_matrix(self.dataset.X, self.metric), "precomputed"

    @cached_property
    def structure(self) -> Structure | None:
        """Whether the data have clusters, whatever the candidates are; None for a graph."""
        X, metric = self.points
        seed = np.random.default_rng(self._seed("structure"))
        return None if metric == "graph" else structure_of(X, metric, seed)

    @property
    def is_partly_labelled(self) -> bool:
        """Whether the class of some objects is known and that of others is not."""
        return self.truth is not None and any(value is None for value in self.truth)

    @cached_property
    def is_beyond_memory(self) -> bool:
        """Whether the data take more than a quarter of the machine's memory."""
        X, memory = self.dataset.X, total_memory()
        return is_large(X) and memory is not None and 4 * X.nbytes > memory

    @property
    def is_estimated(self) -> bool:
        """Whether measures of pairs are estimated from samples: above 20,000 objects."""
        return self.n > large.JUDGE_EXACTLY and not self._settings.exact

    # -- samples -----------------------------------------------------------------------------

    @cached_property
    def sample(self) -> large.Sample:
        """The objects that clusterers which do not scale are fitted to: 5,000, or all."""
        return self._sample("sample of the objects")

    @cached_property
    def sample_rows(self) -> NDArray[np.int64]:
        """The objects of :attr:`sample`, ascending."""
        return large.draw_rows(self.n, large.FIT_AT_MOST, self._seed("sample of the objects"))

    @cached_property
    def second_sample(self) -> large.Sample:
        """As many objects, drawn independently of :attr:`sample`: to tell what samples lose."""
        return self._sample("second sample of the objects")

    def _sample(self, name: str) -> large.Sample:
        X, metric = self.points
        seed = self._seed(name)
        return large.draw_sample(X, large.FIT_AT_MOST, metric=metric, random_state=seed)

    def _seed(self, name: str) -> int:
        return work.derived_seed(self._settings.random_state, name)


def index_of(X: Any, dataset: Dataset) -> pd.DataFrame | None:
    """A table without columns, whose index has the ids of the objects, if they have any."""
    import pandas as pd

    if hasattr(X, "iloc") and X.ndim == 2 and len(X) == dataset.n_objects:
        return X.iloc[:, :0]
    if object_ids.are_positions(dataset.ids):
        return None
    return pd.DataFrame(index=pd.Index(list(dataset.ids), tupleize_cols=False))
