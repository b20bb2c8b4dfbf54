"""Data sets without features: distances, graphs and objects, of values and of files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.datasets.formats import delimited
from sortal.datasets.formats.data_files import check_file, explained, read_raw, split_name
from sortal.datasets.in_memory import from_array, from_table
from sortal.datasets.labels.labelings import read_labels
from sortal.datasets.partitioned.partitions import open_partitions
from sortal.datasets.partitioned.sampled_tables import sample_rows
from sortal.datasets.prepared.dataset import Dataset, rows_of
from sortal.datasets.prepared.pipeline import index_ids, prepare_sample
from sortal.datasets.tables.reading_plan import ends_of, square_of
from sortal.datasets.values import names_and_ids
from sortal.datasets.values.reading_options import DataKind, ReadingOptions
from sortal.distances import (
    OBJECT_METRICS,
    RELATIONS,
    as_graph,
    as_square,
    metric_name,
    object_distances,
    triangle_violations,
)
from sortal.labelings.row_join import Rows as RowsToJoin
from sortal.labelings.row_join import join_rows, naming_column
from sortal.runtime.array_files import load_array
from sortal.runtime.numerals import percent_digits
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from sortal.datasets.values.names_and_ids import Ids
    from sortal.typing import ArrayLike, Labels, Metric, Rows


def from_distances(
    D: ArrayLike | str | os.PathLike[str], *, y: Labels | None = None, ids: Ids | None = None,
    name: str = "distances",
) -> Dataset:  # fmt: skip
    """Make a data set of the distances between objects.

    Parameters
    ----------
    D : array-like, shape (n, n) or (n(n-1)/2,), or path of an ``.npy`` file
        All distances, or those above the diagonal as in :func:`scipy.spatial.distance.pdist`.
        Rounding errors, up to 1e-12 of the largest distance, are removed.
    y : array-like, shape (n,), optional
        Class of each object; None, NaN or -1 where unknown.
    ids : array-like, shape (n,), optional
        Names of the objects, in the order of the rows; by default the index of a table.
    name : str
        Name of the data set.

    Returns
    -------
    Dataset
        Its ``metric`` is ``"precomputed"``. A note reports violations of the triangle
        inequality.

    Raises
    ------
    InputError
        For a matrix that is asymmetric or negative, or whose diagonal is not 0.

    Examples
    --------
    >>> from sortal.datasets import from_distances
    >>> from_distances([1.0, 4.0, 3.0], ids=["a", "b", "c"]).X
    array([[0., 1., 4.],
           [1., 0., 3.],
           [4., 3., 0.]])
    """
    X = as_square(D, symmetric=True)
    ids = index_ids(D) if ids is None else ids
    return _relation_dataset(X, "precomputed", y, ids, name, _triangle_notes(X))


def from_graph(
    A: ArrayLike | str | os.PathLike[str], *, y: Labels | None = None, ids: Ids | None = None,
    name: str = "graph",
) -> Dataset:  # fmt: skip
    """Make a data set of a graph.

    Parameters
    ----------
    A : array-like or sparse, shape (n, n), or path of an ``.npz`` file
        Symmetric affinities: a greater weight is a stronger edge, 0 is no edge.
    y, ids, name
        As for :func:`from_distances`.

    Returns
    -------
    Dataset
        Its ``metric`` is ``"graph"``; ``X`` is sparse. A note counts its components.

    Raises
    ------
    InputError
        For a matrix that is not square, asymmetric or negative, or has no edge.

    Examples
    --------
    >>> from sortal.datasets import from_graph
    >>> print(from_graph([[0, 1, 0], [1, 0, 0], [0, 0, 0]]))
    graph: a graph of 3 nodes and 1 edges
      The graph falls into 2 parts that no edge joins; the smallest has 1 of the 3 nodes.
    """
    X = as_graph(A)
    return _relation_dataset(X, "graph", y, ids, name, _graph_notes(X))


def from_objects(
    objects: Iterable[Any],
    metric: Metric,
    *,
    y: Labels | None = None,
    ids: Ids | None = None,
    name: str = "objects",
) -> Dataset:
    """Make a data set of arbitrary objects and a distance between them.

    Parameters
    ----------
    objects : sequence
        Texts, tuples, arrays of different lengths, or anything that the metric accepts.
    metric : {"edit", "dtw"} or callable
        See :func:`sortal.distances.object_distances`; called once for each pair.
    y, ids, name
        As for :func:`from_distances`. By default the ids are the objects, if these are
        distinct texts.

    Examples
    --------
    >>> from sortal.datasets import from_objects
    >>> data = from_objects(["ab", "abc", "x"], lambda a, b: abs(len(a) - len(b)))
    >>> data.ids.tolist(), data.metric
    (['ab', 'abc', 'x'], 'precomputed')
    """
    D = object_distances(objects, metric)
    if ids is None:
        listed = list(objects)
        if all(isinstance(item, str) for item in listed) and len(set(listed)) == len(D):
            ids = listed
    notes = (f"Distances of all pairs by {metric_name(metric)}.", *_triangle_notes(D))
    return _relation_dataset(D, "precomputed", y, ids, name, notes)


def as_dataset(X: Any, metric: Metric | None = None) -> Dataset:
    """Data set of the first argument of a study."""
    if isinstance(X, Dataset):
        if X.metric in RELATIONS and metric not in (None, X.metric):
            raise InputError(
                f"{X.name} holds {_relation_word(X.metric)}, so its metric is {X.metric!r}; "
                f"got {metric_name(metric)!r}"
            )
        if metric in RELATIONS and X.metric != metric:
            return with_relation(X, X.X, metric)
        return X
    if metric == "precomputed":
        return from_distances(X)
    if metric == "graph":
        return from_graph(X)
    if metric is not None and compares_objects(X, metric):
        return from_objects(X, metric)
    partitions = None if isinstance(X, (str, os.PathLike)) else open_partitions(X)
    if partitions is not None:
        options = ReadingOptions()
        return prepare_sample(sample_rows(partitions, options), options)
    return from_table(X) if _has_words(X) else from_array(X)


def _has_words(X: object) -> bool:
    """Whether a data frame has columns that are not numbers."""
    dtypes = getattr(X, "dtypes", None)
    if dtypes is None or not hasattr(X, "columns"):
        return False
    return any(
        str(dtype).split("[")[0].split("(")[0].lower()
        in ("category", "categorical", "string", "str", "enum", "object", "utf8")
        for dtype in list(dtypes)
    )


def compares_objects(X: object, metric: Metric | None) -> bool:
    """Whether a metric compares arbitrary objects instead of rows of numbers."""
    if isinstance(metric, str):
        return metric in OBJECT_METRICS
    return callable(metric) and not _has_numeric_rows(X)


def with_relation(dataset: Dataset, X: ArrayLike | str | Path, metric: str) -> Dataset:
    """Data set of the same objects with distances (``"precomputed"``) or a graph as data."""
    title = str(X) if isinstance(X, (str, Path)) else f"the table of {_relation_word(metric)}"
    if isinstance(X, (str, Path)):
        content: DataKind = "distances" if metric == "precomputed" else "graph"
        X, names, _ = read_matrix(Path(X), ReadingOptions(kind=content))
    else:
        names = index_ids(X)
    matrix: Any = as_square(X, symmetric=True) if metric == "precomputed" else as_graph(X)
    matrix, notes = _in_order(dataset, matrix, names, title)
    if matrix.shape[0] != dataset.n_objects:
        raise InputError(
            f"there are {_relation_word(metric)} of {matrix.shape[0]:,} objects, and "
            f"{dataset.name} has {dataset.n_objects:,}; they must be the same objects in the same "
            "order, or have names"
        )
    notes += _triangle_notes(matrix) if metric == "precomputed" else _graph_notes(matrix)
    notes = (*dataset.notes, *notes)
    return replace(
        dataset, X=matrix, metric=metric, feature_names=(), center=None, scale=None, notes=notes
    )


def read_relation(path: Path, options: ReadingOptions) -> Dataset:
    """Data set from a file of distances or edges, by ``options.kind``."""
    build = from_distances if options.kind == "distances" else from_graph
    X, ids, notes = read_matrix(path, options)
    dataset = build(X, ids=ids, name=split_name(path)[0])
    notes = (*notes, *dataset.notes)
    if isinstance(options.y, str):
        labels = read_labels(options.y, dataset, id_column=options.id_column, on=options.on)
        notes += labels.notes
        dataset = replace(dataset, y=labels.values, truth_name="truth")
    return replace(dataset, notes=notes, source=str(path), options=options.non_defaults())


def _in_order(
    dataset: Dataset, matrix: Any, names: Ids | None, title: str
) -> tuple[Any, tuple[str, ...]]:
    """The matrix in the order of the objects that its names name, and notes on the join."""
    if names is None or list(names) == list(range(len(names))):
        return matrix, ()
    rows = rows_of(dataset)
    naming = naming_column(rows, names)
    if naming is not None:
        rows = replace(rows, columns={"id": naming}, index=None)
    join = join_rows(rows, RowsToJoin(title, len(names), {"id": names}), on="left", mend="")
    if join.by_position or join.is_in_order:
        return matrix, ()
    return matrix[join.places][:, join.places], join.notes


def _relation_dataset(
    X: Rows, metric: str, y: Labels | None, ids: Ids | None, name: str, notes: tuple[str, ...]
) -> Dataset:
    """Data set of distances or a graph, with checked labels and ids."""
    # a data set of one column checks y and ids
    numbers = np.arange(X.shape[0], dtype=np.float64)[:, None]
    checked = from_array(numbers, y=y, ids=ids, name=name)
    return replace(
        checked, X=X, metric=metric, feature_names=(), notes=(*checked.notes, *notes), options={}
    )


def _triangle_notes(D: Any) -> tuple[str, ...]:
    """Note on the share of triples that violate the triangle inequality, if any."""
    share = triangle_violations(D)
    if share == 0:
        return ()
    return (
        f"The distances are not a metric: in {percent_digits(share, 3)} of random triples the way "
        "over a third object is shorter.",
    )


def _graph_notes(A: csr_array) -> tuple[str, ...]:
    """Note on the components of a graph, if there are several."""
    from scipy.sparse.csgraph import connected_components

    count, component = connected_components(A, directed=False)
    if count == 1:
        return ()
    return (
        f"The graph falls into {count:,} parts that no edge joins; the smallest has "
        f"{np.bincount(component).min():,} of the {A.shape[0]:,} nodes.",
    )


def _relation_word(metric: str) -> str:
    """Word for a relation in messages."""
    return "distances" if metric == "precomputed" else "edges"


def _has_numeric_rows(X: object) -> bool:
    """Whether a metric would be called with two rows of numbers of X."""
    if hasattr(X, "toarray") or hasattr(X, "columns"):
        return True
    try:
        array = np.asarray(X)
    except ValueError:
        return False
    return array.ndim == 2 and array.dtype.kind in "fiub"


GRAPHML = ".graphml"


def read_matrix(
    path: Path, options: ReadingOptions
) -> tuple[Any, NDArray[Any] | None, tuple[str, ...]]:
    """Matrix from a file of distances or edges, the objects' names, and notes."""
    check_file(path)
    distances = options.kind == "distances"
    with explained(path):
        if distances and split_name(path)[1] == ".npy":
            return load_array(path, mmap_mode="r"), None, ()
        if not distances and split_name(path)[1] == GRAPHML:
            return graph_of_edges(*_graphml(path))
        content = read_raw(path, options).content
        if not hasattr(content, "column_names"):
            return content, None, ()
        ends = None if distances else ends_of(content)
        if ends is not None:
            return graph_of_edges(*ends)
        square = square_of(content)
        if square is not None:
            return *square, ()
        if distances:
            raise InputError(
                f"{path} has {content.num_rows:,} rows and {content.num_columns:,} columns, or "
                "cells that are not numbers. A matrix of distances has as many rows as columns; "
                "a first column may name the objects"
            )
        raise InputError(
            f"{path} is not a graph: expected two columns with the nodes of each edge (and a third "
            "with its weight), or a square matrix of weights"
        )


def graph_of_edges(
    u: NDArray[Any],
    v: NDArray[Any],
    weight: NDArray[Any] | None,
    isolated: NDArray[Any] | None = None,
) -> tuple[csr_array, NDArray[Any] | None, tuple[str, ...]]:
    """Undirected graph of edges, the heaviest of repeated ones, and ``isolated`` nodes."""
    from scipy import sparse

    if weight is not None and not (np.isfinite(weight).all() and (weight > 0).all()):
        raise InputError("the weights of the edges must be positive numbers")
    node_lists = [u, v] if isolated is None else [u, v, isolated]
    nodes, inverse = np.unique(np.concatenate(node_lists), return_inverse=True)
    ends = np.sort(inverse[: 2 * len(u)].reshape(2, -1), axis=0)
    weights = np.ones(len(u)) if weight is None else np.asarray(weight, dtype=np.float64)
    is_pair = ends[0] != ends[1]
    # the heaviest edge of each pair comes first
    order = np.flatnonzero(is_pair)[np.argsort(-weights[is_pair], kind="stable")]
    pairs, first_positions = np.unique(ends[:, order], axis=1, return_index=True)
    upper = sparse.coo_array(
        (weights[order[first_positions]], (pairs[0], pairs[1])), shape=(len(nodes),) * 2
    )
    notes = [f"{len(u):,} edges of {len(nodes):,} nodes were read, without direction."]
    n_loops = int((~is_pair).sum())
    n_repeated = len(order) - pairs.shape[1]
    if n_loops or n_repeated:
        notes.append(
            f"{n_loops:,} edges from a node to itself were excluded; {n_repeated:,} repeated edges "
            "count once."
        )
    ids = None if names_and_ids.are_positions(nodes) else nodes
    return (upper + upper.T).tocsr(), ids, tuple(notes)


def _graphml(path: Path) -> tuple[NDArray[Any], ...]:
    """Ends and weight of each edge of a GraphML file (default weight 1), and its nodes."""
    from xml.etree import ElementTree

    with delimited.open_binary(path) as stream:
        text = stream.read()
    if b"<!ENTITY" in text:
        raise InputError(f"{path} defines XML entities, which are not expanded")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"{path} is not GraphML: {error}") from None
    edges = root.findall(".//{*}edge")
    ends = np.array([[edge.get("source"), edge.get("target")] for edge in edges])
    if not len(ends) or None in ends.ravel():
        raise InputError(f"{path} has no edges, or an edge without a source or a target")
    keys = {key.get("id") for key in root.findall(".//{*}key") if key.get("attr.name") == "weight"}
    weights = [
        [float(entry.text or "nan") for entry in edge if entry.get("key") in keys] for edge in edges
    ]
    nodes = np.array([node.get("id", "") for node in root.findall(".//{*}node")], dtype=str)
    return (
        *ends.T,
        np.array([edge_weights[0] if edge_weights else 1.0 for edge_weights in weights]),
        nodes,
    )
