"""The objects of a study: their data, distance and classes, and the samples drawn from them."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.datasets import Dataset
from sortal.datasets.prepared.dataset import rows_of
from sortal.distances import RELATIONS, StoredDistances, check_metric, distance_matrix
from sortal.judge import FEWEST_OBJECTS
from sortal.labelings.indexes import index_rows
from sortal.labelings.row_join import Rows
from sortal.nulls.structure import Structure, structure_of
from sortal.runtime.draws import draw_rows
from sortal.runtime.resources import is_large, total_memory
from sortal.runtime.validation import StorageError
from sortal.study import samples
from sortal.study.jobs import derived_seed
from sortal.study.record import Settings, kept_classes
from sortal.study.splits import SplitTree, in_positions, split_tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.study.store import Store
    from sortal.typing import Metric


class Objects:
    """The clustered and judged objects; nothing of them changes while a study is open.

    ``metric`` is the distance that the caller passes, None for the recorded one; a function has to
    be passed each time, because a file cannot keep it.
    """

    def __init__(
        self, dataset: Dataset, metric: Metric | None, settings: Settings, storage: Store
    ) -> None:
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
        self.y = None if settings.truth is None else kept_classes(storage, settings.truth)
        #: see :func:`index_of`
        self.index: Any = None
        self._settings = settings

    @cached_property
    def points(self) -> tuple[Any, Any]:
        """The data and the distance that clusterers get: of a function, its matrix."""
        if not callable(self.metric):
            return self.dataset.X, self.metric
        return distance_matrix(self.dataset.X, self.metric), "precomputed"

    @cached_property
    def stored_metric(self) -> Any:
        """The distance, for objects of the study and others; a function with its stored values."""
        if not callable(self.metric):
            return self.metric
        return StoredDistances(self.metric, self.dataset.X, self.points[0])

    @cached_property
    def structure(self) -> Structure | None:
        """Whether the data have clusters at all, by the data alone; None for a graph."""
        X, metric = self.in_order
        # no seed of the user's: a decision that another seed turns is none
        return None if metric == "graph" else structure_of(X, metric, np.random.default_rng(0))

    @cached_property
    def splits(self) -> SplitTree | None:
        """The groups that the data divide into, by the data alone; None for a graph or too few."""
        structure, (X, metric) = self.structure, self.in_order
        if structure is None or X.shape[0] < FEWEST_OBJECTS:
            return None
        return in_positions(split_tree(X, metric, structure), self.contents.rows)

    @property
    def is_partly_labelled(self) -> bool:
        """Whether the class of some objects is known and that of others is not."""
        return self.y is not None and any(label is None for label in self.y)

    @cached_property
    def is_beyond_memory(self) -> bool:
        """Whether the data take more than a quarter of the machine's memory."""
        X, memory = self.dataset.X, total_memory()
        return is_large(X) and memory is not None and 4 * X.nbytes > memory

    @property
    def is_estimated(self) -> bool:
        """Whether measures of pairs are estimated from samples: above 20,000 objects."""
        return self.n > samples.MAX_EXACT and not self._settings.exact

    # -- samples -----------------------------------------------------------------------------

    @cached_property
    def contents(self) -> samples.ExtendableSample:
        """All objects by their contents, so that no result depends on their order."""
        if self.is_beyond_memory:
            return samples.ExtendableSample(np.arange(self.n), np.arange(self.n, dtype=np.int32))
        return samples.in_order_of_contents(*self.points)

    @cached_property
    def in_order(self) -> tuple[Any, Any]:
        """The data by their contents, and the distance."""
        X, metric = self.points
        return samples.part_of(X, self.contents.rows, metric), metric

    @cached_property
    def features_in_order(self) -> Any:
        """The rows of the data by their contents, where the distance is a function of two rows."""
        if not callable(self.metric):
            return self.in_order[0]
        return self.dataset.X[self.contents.rows]

    @cached_property
    def sample(self) -> samples.ExtendableSample:
        """The objects that clusterers with superlinear time are fitted to: 5,000, or all."""
        return self._sample("sample of the objects")

    @cached_property
    def sample_rows(self) -> NDArray[np.int64]:
        """The objects of :attr:`sample`, ascending."""
        rows, seed = self.contents.rows, self._seed("sample of the objects")
        return np.sort(rows[draw_rows(len(rows), samples.MAX_FITTED, seed)])

    @cached_property
    def second_sample(self) -> samples.ExtendableSample:
        """An independent sample of the same size, which shows what fitting to samples loses."""
        return self._sample("second sample of the objects")

    def _sample(self, name: str) -> samples.ExtendableSample:
        """The sample whose seed follows from a name."""
        X, metric = self.points
        seed = self._seed(name)
        return samples.draw_sample(
            X, samples.MAX_FITTED, metric=metric, random_state=seed, among=self.contents.rows
        )

    def _seed(self, name: str) -> int:
        """The seed for a purpose."""
        return derived_seed(self._settings.random_state, name)


def index_of(X: Any, dataset: Dataset) -> Rows:
    """The rows of the objects, as tables and series beside them are joined to them."""
    rows = replace(rows_of(dataset), name="X")
    table = index_rows(X, "X")
    if table is None or table.n != dataset.n_objects:
        return rows
    return replace(rows, index=table.index, is_counted=table.is_counted, is_data=False)
