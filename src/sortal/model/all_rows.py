"""The second pass over a table of any size: every row gets its cluster, and sums are exact."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal._kernels.placement import add_rows
from sortal.datasets.partitioned.partitions import SUFFIX, LabelFolder, Part, open_partitions
from sortal.datasets.partitioned.sampled_tables import in_process_if_local
from sortal.datasets.row_blocks import RowBlock
from sortal.model.rare import RareGroup, rare_groups
from sortal.model.tuned import TUNED
from sortal.runtime.output import OutputPlan
from sortal.runtime.progress import progress_bar
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

    from sortal.model.model import Assignment, Model
    from sortal.runtime.output import WrittenFile
    from sortal.typing import Floats, Ints

#: limit of cost: rows unlike all clusters in which groups are looked for
KEPT_UNLIKE = 2_000
_ADDED = (
    "n_rows", "unsure", "filled", "unlike_outliers", "counts", "unlike", "sums", "squares",
    "distances",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Exact sums over the rows of clusters, about the centres that assigned them."""

    n_rows: int
    unsure: int
    filled: int
    unlike_outliers: int
    counts: NDArray[np.int64]
    unlike: NDArray[np.int64]
    sums: Floats
    squares: Floats
    distances: Floats
    notes: tuple[str, ...]
    #: hash, number and features of the rows unlike all clusters with the smallest hashes
    hashes: NDArray[np.uint64]
    numbers: Ints
    rows: Floats

    def __add__(self, more: ClusterSums) -> ClusterSums:
        """The sums over the rows of both."""
        added = {name: getattr(self, name) + getattr(more, name) for name in _ADDED}
        hashes = np.concatenate([self.hashes, more.hashes])
        smallest = np.argsort(hashes, kind="stable")[:KEPT_UNLIKE]
        return ClusterSums(
            **added, notes=tuple(dict.fromkeys([*self.notes, *more.notes]))[:10],
            hashes=hashes[smallest], numbers=np.concatenate([self.numbers, more.numbers])[smallest],
            rows=np.concatenate([self.rows, more.rows])[smallest],
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class AssignedRows:
    """All rows of a table in the clusters of a model; sums are exact, over all rows.

    Attributes
    ----------
    n_rows, outliers, unsure, filled : int
        Rows, those in no cluster, those with a confidence below 0.8 and those with missing values.
    left : int
        Rows that have no cluster because Ctrl-C came; nothing else counts them.
    names : tuple of str
    sizes, unlike : tuple of int
        Rows of each cluster, and those among them that are unlike all clusters.
    within_sum_of_squares, calinski_harabasz : float or None
        Around the means of all rows of each cluster, of prepared features.
    davies_bouldin, davies_bouldin_error : float or None
        With the mean distances to the centres that assigned the rows; at most so far from the
        value with the means of all rows.
    features : tuple of str
    means, deviations : ndarray, shape (k, d)
        Mean and standard deviation of each feature in each cluster, in original units.
    rare : tuple of RareGroup
        Groups among the rows that are unlike all clusters.
    folder : str or None
        Where the labels are.
    notes : tuple of str
    """

    n_rows: int
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    unlike: tuple[int, ...]
    outliers: int
    unsure: int
    filled: int
    within_sum_of_squares: float | None
    calinski_harabasz: float | None
    davies_bouldin: float | None
    davies_bouldin_error: float | None
    features: tuple[str, ...] = field(repr=False)
    means: Floats = field(repr=False)
    deviations: Floats = field(repr=False)
    rare: tuple[RareGroup, ...] = ()
    folder: str | None = None
    notes: tuple[str, ...] = ()
    left: int = 0

    @property
    def table(self) -> pd.DataFrame:
        """A row for each cluster: name, rows, unlike rows, and the mean of each feature."""
        import pandas as pd

        facts = {"name": self.names, "rows": self.sizes, "unlike": self.unlike}
        means = dict(zip(self.features, self.means.T, strict=True))
        return pd.DataFrame({**facts, **means}).rename_axis("cluster")

    def to_dict(self) -> dict[str, Any]:
        """The facts for JSON."""
        record = dict(vars(self))
        record["rare"] = [vars(group) for group in self.rare]
        for name in ("means", "deviations"):
            record[name] = record[name].tolist()
        return record


def assign_rows(
    model: Model,
    source: Any,
    folder: str | LabelFolder | None = None,
    *,
    id_column: str | None = None,
    header: bool | None = None,
    encoding: str = "utf-8",
    executor: object = None,
    progress: bool | None = None,
) -> AssignedRows:
    """Assign every row of a table of any size to a model's clusters.

    Parameters
    ----------
    model : Model
    source : path, address, pattern or lazy table
        See :func:`sortal.datasets.read`.
    folder : str or LabelFolder, optional
        Folder or address for the labels: a Parquet file for each part of the table. Its columns are
        the row's number, its id if it has one, cluster, confidence and distance.
    id_column : str, optional
        The column that names the rows.
    header, encoding
        As for :func:`sortal.datasets.read`.
    executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
        Where to work, see :meth:`sortal.Study.sweep`. Labels and numbers do not depend on it.
    progress : bool, optional

    Returns
    -------
    AssignedRows
        Ctrl-C ends it after the parts that have begun. Their labels are kept, and the others have
        none (:attr:`AssignedRows.left`); ``append`` of a :class:`LabelFolder` adds these later.
    """
    partitions = open_partitions(source, header=header, encoding=encoding, every=True)
    if partitions is None:
        raise InputError(f"{source!r} is not a table in parts; use Model.predict")
    prepared = model.preparation
    if prepared.reshaping:
        raise InputError(
            "the model's objects have several rows each, which parts may divide; give a single file"
        )
    needed = dict.fromkeys([*prepared.needed, *([id_column] if id_column else [])])
    if prepared.of_table or prepared.needed:
        partitions.check_columns(needed)
    target = LabelFolder(folder) if isinstance(folder, str) else folder
    remedy = ", or keep them and add the labels of further parts (append=True, --append)"
    OutputPlan({"the data": partitions.inputs}).folder(target, remedy=remedy)
    parts = list(partitions.parts)
    if target is not None and target.append:
        finished = target.parts()
        parts = [part for part in parts if part.name not in finished]
        if not parts:
            raise InputError(f"{target.target} has the labels of all parts of {partitions.source}")
    decimal = partitions.text.decimal if partitions.text is not None else "."
    work = partial(_assign_part, target, id_column, list(needed), decimal)
    workers = in_process_if_local(partitions, executor)

    # one assignment for both, which Ctrl-C cannot divide
    summed: tuple[ClusterSums | None, tuple[WrittenFile | None, ...]] = None, ()

    def work_through() -> None:
        nonlocal summed
        try:
            n_rows = sum(part.n_rows for part in parts)
            with progress_bar("Assigning", n_rows, show=progress) as advance:
                for file, of_part in workers.map(work, (model,), parts, one_blas_thread=True):
                    total, files = summed
                    summed = of_part if total is None else total + of_part, (*files, file)
                    advance(of_part.n_rows)
        except KeyboardInterrupt:
            if summed[0] is None:
                raise

    if target is None:
        work_through()
    else:
        with target.opened(f"{part.name}{SUFFIX}" for part in parts) as written:
            work_through()
            written.update((file.name, file) for file in summed[1] if file is not None)
    total, files = summed
    assert total is not None
    left = sum(part.n_rows for part in parts[len(files) :])
    return replace(_facts(model, total, None if target is None else target.target), left=left)


def _assign_part(
    target: LabelFolder | None,
    id_column: str | None,
    columns: list[str],
    decimal: str,
    model: Model,
    part: Part,
) -> tuple[WrittenFile | None, ClusterSums]:
    """Assign the rows of a part, write their labels, and sum."""

    def labels(block: RowBlock, assignment: Assignment, first: int) -> pa.Table:
        ids = None if id_column is None else block.cells[id_column]
        return _label_table(model, assignment, first, ids)

    blocks = (RowBlock(cells, with_points(cells, decimal)) for _, cells in part.tables(columns))
    assigned = AssignedBlocks(model, blocks, part.start, named=False)
    written = None
    if target is not None:
        written = target.write(part.name, (labels(*entry) for entry in assigned))
    else:
        deque(assigned, maxlen=0)
    assert assigned.sums is not None
    return written, assigned.sums


class AssignedBlocks:
    """Blocks of rows with their clusters and the number of their first row, and their sums."""

    def __init__(
        self, model: Model, blocks: Iterable[RowBlock], first: int = 0, *, named: bool = True
    ) -> None:
        self.model, self._blocks, self._first, self._named = model, blocks, first, named
        #: over the rows so far; None before the first
        self.sums: ClusterSums | None = None

    def __iter__(self) -> Iterator[tuple[RowBlock, Assignment, int]]:
        first = self._first
        for block in self._blocks:
            prepared = self.model.prepare(block.features)
            assignment = self.model.placed(prepared, named=self._named)
            sums = _sums(self.model, prepared, assignment, first)
            self.sums = sums if self.sums is None else self.sums + sums
            yield block, assignment, first
            first += len(assignment)


def with_points(table: pa.Table, decimal: str) -> pa.Table:
    """The rows with decimal points in numbers."""
    if decimal == ".":
        return table
    import pyarrow.compute as pc

    for j, name in enumerate(table.column_names):
        table = table.set_column(j, name, pc.replace_substring(table[name], decimal, "."))
    return table


def _label_table(model: Model, assignment: Assignment, first: int, ids: Any) -> pa.Table:
    """The labels of a batch as they are written."""
    import pyarrow as pa

    labels = assignment.labels
    n_names = len(model.names)
    names = pa.DictionaryArray.from_arrays(
        pa.array(np.where(labels < 0, n_names, labels).astype(np.int32)),
        pa.array([*model.names, "outlier"]),
    )
    columns = {"row": pa.array(np.arange(first, first + len(labels)))}
    if ids is not None:
        columns["id"] = ids
    return pa.table({
        **columns,
        "cluster": pa.array(labels.astype(np.int32)),
        "name": names,
        "confidence": pa.array(assignment.confidence.astype(np.float32)),
        "unlike": pa.array(assignment.unlike),
        "distance": pa.array(assignment.distances.astype(np.float32)),
    })  # fmt: skip


def _sums(model: Model, prepared: Any, assignment: Assignment, first: int) -> ClusterSums:
    """The sums over a batch of rows."""
    labels, unlike = assignment.labels, assignment.unlike
    k = model.n_clusters
    rows = np.flatnonzero(unlike)
    hashes = _row_hashes(rows + first)
    smallest = np.argsort(hashes, kind="stable")[:KEPT_UNLIKE]
    # under other distances the centres are no means of the features
    has_means = isinstance(prepared.X, np.ndarray) and model.rule.metric == "euclidean"
    d = prepared.X.shape[1] if has_means else 0
    counts = np.bincount(labels[labels >= 0], minlength=k)
    sums, squares, distances = np.zeros((k, d)), np.zeros((k, d)), np.zeros(k)
    features = np.zeros((len(smallest), d))
    if d:
        Z = np.ascontiguousarray(prepared.X, dtype=np.float64)
        centers = np.asarray(model.rule.centers, dtype=np.float64)
        counts = np.zeros(k, np.int64)
        add_rows(Z, labels, assignment.distances, centers, counts, sums, squares, distances)
        features = Z[rows[smallest]]
    return ClusterSums(
        len(labels), int((assignment.confidence < TUNED.sure).sum()),
        int((prepared.filled > 0).sum()), int((unlike & (labels < 0)).sum()), counts,
        np.bincount(labels[unlike & (labels >= 0)], minlength=k), sums, squares, distances,
        tuple(note for note in prepared.notes if not note.startswith("Filled in ")),
        hashes[smallest], rows[smallest] + first, features,
    )  # fmt: skip


def _row_hashes(numbers: Ints) -> NDArray[np.uint64]:
    """A hash of each row number (splitmix64)."""
    with np.errstate(over="ignore"):
        z = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    hashes: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return hashes


def _facts(model: Model, total: ClusterSums, folder: str | None) -> AssignedRows:
    """The facts that follow from the sums over all rows."""
    counts, preparation = total.counts, model.preparation
    n, k = int(counts.sum()), int((counts > 0).sum())
    within = between = bouldin = error = None
    means = deviations = np.empty((len(counts), 0))
    features: tuple[str, ...] = ()
    if total.sums.shape[1]:
        per = np.maximum(counts, 1)[:, None]
        shifts = total.sums / per
        variances = np.maximum(total.squares / per - shifts**2, 0.0)
        within = float((variances * counts[:, None]).sum())
        centers = np.asarray(model.rule.centers, dtype=np.float64) + shifts
        middle = (centers * counts[:, None]).sum(axis=0) / max(n, 1)
        between = float((((centers - middle) ** 2).sum(axis=1) * counts).sum())
        bouldin, error = _davies_bouldin(counts, total.distances, centers, shifts)
        features = preparation.feature_names
        means = preparation.original(centers)
        unit = preparation.original(np.zeros_like(centers))
        deviations = np.abs(preparation.original(np.sqrt(variances)) - unit)
    ratio = None
    if within and between is not None and k > 1 and n > k:
        ratio = between / (k - 1) / (within / (n - k))
    return AssignedRows(
        total.n_rows, model.names, tuple(counts.tolist()), tuple(total.unlike.tolist()),
        total.n_rows - n, total.unsure, total.filled, within, ratio, bouldin, error, features,
        means, deviations, rare_groups(model, total.rows, total.numbers, int(total.unlike.sum())),
        folder, total.notes,
    )  # fmt: skip


def _davies_bouldin(
    counts: NDArray[np.int64], distances: Floats, centers: Floats, shifts: Floats
) -> tuple[float | None, float | None]:
    """The index with mean distances to other centres, and the most that the means would change it.

    A mean distance changes by at most the shift of the centre.
    """
    filled = np.flatnonzero(counts)
    if len(filled) < 2:
        return None, None
    spread = distances[filled] / counts[filled]
    moved = np.sqrt((shifts[filled] ** 2).sum(axis=1))
    apart = np.sqrt(((centers[filled, None] - centers[None, filled]) ** 2).sum(axis=2))
    np.fill_diagonal(apart, np.inf)
    if not apart.all():
        return None, None
    value = ((spread[:, None] + spread) / apart).max(axis=1).mean()
    error = ((moved[:, None] + moved) / apart).max(axis=1).mean()
    return float(value), float(error)
