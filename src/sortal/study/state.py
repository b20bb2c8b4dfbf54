"""The state of a study: its data, record, fits, storage and results, which functions take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.clusterers import Clusterer, catalogue
from sortal.datasets import as_dataset, weighted
from sortal.labelings.indexes import in_order_of
from sortal.labelings.labels import NOISE_POLICIES, known_labels
from sortal.runtime.kept_file import EmptyFileError
from sortal.runtime.output import OutputPlan
from sortal.runtime.validation import InputError, check_choice
from sortal.study.fits import Fits
from sortal.study.objects import Objects, index_of
from sortal.study.record import Record, Settings, check_identities, keep_classes, stable
from sortal.study.store import Store

if TYPE_CHECKING:
    from sortal.datasets import Dataset
    from sortal.datasets.prepared.column_weights import ColumnWeights
    from sortal.judge import Judge
    from sortal.nulls.structure import Structure
    from sortal.study.splits import SplitTree
    from sortal.typing import ArrayLike, Labels, Metric


class StudyState:
    """The state of a :class:`sortal.Study`: its data, its record and its results.

    Parameters
    ----------
    X, y, storage, metric, update, column_weights
        As for :class:`sortal.Study`.
    **settings
        ``noise``, ``delta``, ``classes``, ``random_state``, ``by`` and ``exact``, None for the
        recorded value or the default.

    Attributes
    ----------
    dataset, metric, y
        The data, their distance, and the class of each object or None.
    record : Record
        The settings that decide, and the calls, in order.
    objects, fits : Objects, Fits
        The objects with the samples that represent them; how clusterers are fitted to them.
    storage : Store
        The keeper of every finished fit and score.
    results : dict
        Values of functions decorated with :func:`sortal.study.notes.derived`.
    ledger, draw : path or None, and positions of objects or None
        Where questions about the labels are counted, and the order in which they were drawn.
    undrawn : int
        Labelled objects without a number where others have theirs in the draw.
    skipped, unreadable : sequence of int, and int
        For each object of ``draw``, how many without a label came before it; and the number of
        those that were declared unreadable.
    stopped : bool
        Whether judging was stopped: what is not judged yet stays so, as far as an answer can do
        without it. Nothing of this is stored.
    """

    ledger: str | Path | None = None
    draw: Sequence[int] | None = None
    undrawn: int = 0
    skipped: Sequence[int] = ()
    unreadable: int = 0
    stopped: bool = False

    def __init__(
        self,
        X: ArrayLike,
        *,
        y: Labels | None = None,
        storage: str | Path | None = None,
        metric: Metric | None = None,
        update: bool = False,
        column_weights: ColumnWeights = None,
        **settings: Any,
    ) -> None:
        dataset = as_dataset(X, metric)
        if column_weights is None:
            column_weights = _stored_weights(storage, dataset)
        dataset = weighted(dataset, column_weights, metric)
        index = index_of(X, dataset)
        y = in_order_of(index, y, name="X", other_name="y", on="right")
        changes = _checked({**settings, "metric": metric}, stored=storage is not None)
        classes = dataset.y if y is None else y
        if classes is not None:
            listed = changes.get("classes")
            listed = listed if isinstance(listed, list) else ()
            classes = known_labels(classes, dataset.n_objects, classes=listed)
        identity = {
            "fingerprint": dataset.fingerprint, "n_objects": dataset.n_objects,
            "name": dataset.name, "source": dataset.source, "options": dict(dataset.options),
        }  # fmt: skip
        OutputPlan(dataset.inputs).addition(storage, option="storage")
        self.storage = Store(storage, identity)
        try:
            if classes is not None:
                changes["truth"] = keep_classes(self.storage, classes)
            self.record = Record(self.storage, changes, update=update, metric=dataset.metric)
            self.objects = Objects(dataset, metric, self.record.settings, self.storage)
        except BaseException:
            self.storage.close()
            raise
        self.objects.index = index
        self.dataset, self.metric, self.y = dataset, self.objects.metric, self.objects.y
        self.fits = Fits(self.objects, self.record.settings.exact)
        self.results: dict[str, tuple[Any, ...]] = {}

    @property
    def settings(self) -> Settings:
        """The recorded settings."""
        return self.record.settings

    @property
    def judge(self) -> Judge:
        """The learned judge that is recorded."""
        return self.record.judge

    @property
    def X(self) -> Any:  # noqa: N802
        """The data, an array or CSR."""
        return self.dataset.X

    @property
    def n_objects(self) -> int:
        """Number of objects n."""
        return self.objects.n

    @property
    def structure(self) -> Structure | None:
        """Whether the data have clusters at all; None for a graph, or where judging was stopped."""
        is_known = "structure" in vars(self.objects)
        return self.objects.structure if is_known or not self.stopped else None

    @property
    def splits(self) -> SplitTree | None:
        """The tree of splits; None for a graph, few objects, or where judging was stopped."""
        is_known = "splits" in vars(self.objects)
        return self.objects.splits if is_known or not self.stopped else None

    @property
    def n_separated(self) -> int:
        """Number of groups that valleys separate, or the tree of splits; 1 where nobody looked."""
        structure, splits = self.structure, self.splits
        n_clusters = 1 if structure is None else structure.n_clusters
        return n_clusters if splits is None else max(n_clusters, splits.k)

    @property
    def clusterers(self) -> dict[str, Clusterer]:
        """The clusterers of all sweeps by key: under the study's distance, with their grids."""
        swept: dict[str, Clusterer] = {}
        for sweep in self.record.sweeps:
            keys = [entry["key"] for entry in sweep["clusterers"]]
            at_hand = {key: catalogue[key] for key in keys if key in catalogue} | self.fits.swept
            chosen = [at_hand[key] for key in keys if key in at_hand]
            swept |= {clusterer.key: clusterer for clusterer in self.fits.under_distance(chosen)[0]}
        return swept

    def save(self, path: str | Path) -> None:
        """Copy everything to a new file; StorageError where it could not be resumed."""
        keys = [entry["identity"] for sweep in self.record.sweeps for entry in sweep["clusterers"]]
        check_identities([self.settings.metric, *keys])
        self.storage.copy_to(path)

    def close(self) -> None:
        """Close the storage file, and release the workers."""
        self.fits.release()
        self.storage.close()


def _stored_weights(storage: str | Path | None, dataset: Dataset) -> ColumnWeights:
    """The weights of columns that a stored study was begun with; None without one."""
    if storage is None or not Path(storage).is_file():
        return None
    try:
        store = Store(storage, None)
    except EmptyFileError:
        return None
    try:
        meta = store.meta
    finally:
        store.close()
    if dataset.weighing is None and meta["fingerprint"] == dataset.fingerprint:
        return "equal"
    weights: ColumnWeights = meta["options"].get("column_weights")
    return weights


def _checked(settings: dict[str, Any], *, stored: bool) -> dict[str, Any]:
    """The settings that are not None, as they are recorded; InputError for wrong values."""
    from sortal.bounds.classes import listed_classes

    named = {name: value for name, value in settings.items() if value is not None}
    for name, value in named.items():
        if name == "noise":
            check_choice(value, NOISE_POLICIES, "noise")
        elif name == "delta" and not 0 < value <= 1:
            raise InputError(f"delta must be in (0, 1]; got {value!r}")
        elif name == "random_state" and not (isinstance(value, (int, np.integer)) and value >= 0):
            raise InputError(f"random_state must be a non-negative integer; got {value!r}")
    as_recorded: dict[str, Callable[[Any], Any]] = {
        "delta": float,
        "classes": listed_classes,
        "random_state": int,
        "exact": bool,
        "metric": lambda metric: stable(metric, "the metric", needed=stored),
    }
    return {name: as_recorded.get(name, str)(value) for name, value in named.items()}
