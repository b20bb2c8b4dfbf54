"""Files of distances and of graphs: square matrices, lists of edges, GraphML, Matrix Market."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets import joining
from karat.datasets._files import check_file, explained, read_raw, split_name
from karat.datasets._labelings import read_labels
from karat.datasets._work import Options
from karat.datasets.table_kinds import ends_of, square_of
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from karat.datasets._dataset import Dataset

GRAPHS = (".graphml",)


def read_relation(path: Path, options: Options, *, header: bool | None, encoding: str) -> Dataset:
    """The objects of a file that holds distances or a graph, by ``options.kind``."""
    from karat.datasets._relations import from_distances, from_graph

    made = from_distances if options.kind == "distances" else from_graph
    name = split_name(path)[0]
    X, ids, notes = _matrix(path, options, header, encoding)
    dataset = made(X, ids=ids, name=name)
    dataset = replace(dataset, notes=(*notes, *dataset.notes))
    if isinstance(options.truth, str):
        known = read_labels(options.truth, dataset.n_objects, ids=dataset.ids)
        notes = (*dataset.notes, *known.notes, *(f"Warning: {doubt}." for doubt in known.doubts))
        dataset = replace(dataset, truth=known.values, truth_name="truth", notes=notes)
    return replace(dataset, source=str(path), options=options.given())


def read_matrix(path: Path, metric: str) -> tuple[Any, NDArray[Any] | None]:
    """The matrix of a file of distances (``"precomputed"``) or a graph, and the objects' names."""
    options = Options(kind="distances" if metric == "precomputed" else "graph")
    return _matrix(path, options, None, "utf-8")[:2]


def _matrix(
    path: Path, options: Options, header: bool | None, encoding: str
) -> tuple[Any, NDArray[Any] | None, tuple[str, ...]]:
    check_file(path)
    with explained(path):
        if options.kind == "distances":
            return *_square(path, options, header, encoding), ()
        return _graph(path, options, header, encoding)


def _square(
    path: Path, options: Options, header: bool | None, encoding: str
) -> tuple[Any, NDArray[Any] | None]:
    if split_name(path)[1] == ".npy":
        content = np.load(path, mmap_mode="r", allow_pickle=False)
    else:
        content = read_raw(path, options, header=header, encoding=encoding).content
    if not hasattr(content, "column_names"):
        return content, None
    found = square_of(content)
    if found is None:
        raise InputError(
            f"{path} has {content.num_rows:,} rows and {content.num_columns:,} columns, or cells "
            "that are no numbers; distances are as many rows as columns, with the names of the "
            "objects in a first column or nowhere"
        )
    return found


def _graph(
    path: Path, options: Options, header: bool | None, encoding: str
) -> tuple[Any, NDArray[Any] | None, tuple[str, ...]]:
    """The affinities, the names of the nodes, and notes."""
    if split_name(path)[1] in GRAPHS:
        return of_edges(*_graphml(path))
    content = read_raw(path, options, header=header, encoding=encoding).content
    if not hasattr(content, "column_names"):
        return content, None, ()
    ends = ends_of(content)
    if ends is not None:
        return of_edges(*ends)
    found = square_of(content)
    if found is None:
        raise InputError(
            f"{path} is no graph: wanted are two columns with the nodes of each edge (and one with "
            "its weight), or a square matrix of weights"
        )
    return *found, ()


def of_edges(
    u: NDArray[Any], v: NDArray[Any], weight: NDArray[Any] | None
) -> tuple[csr_array, NDArray[Any], tuple[str, ...]]:
    """The undirected graph of a list of edges; what it names twice counts once, the heavier."""
    from scipy import sparse

    if weight is not None and not (np.isfinite(weight).all() and (weight > 0).all()):
        raise InputError("the weights of the edges must be positive numbers")
    nodes, inverse = np.unique(np.concatenate([u, v]), return_inverse=True)
    a, b = inverse[: len(u)], inverse[len(u) :]
    w = np.ones(len(u)) if weight is None else np.asarray(weight, dtype=np.float64)
    loops = int((a == b).sum())
    pairs: dict[tuple[int, int], float] = {}
    for i, j, one in zip(np.minimum(a, b).tolist(), np.maximum(a, b).tolist(), w, strict=True):
        if i != j:
            pairs[i, j] = max(float(one), pairs.get((i, j), 0.0))
    ends = np.array(list(pairs), dtype=np.intp).reshape(-1, 2)
    half = sparse.coo_array(
        (np.array(list(pairs.values())), (ends[:, 0], ends[:, 1])), shape=(len(nodes),) * 2
    )
    notes = [f"{len(u):,} edges of {len(nodes):,} nodes were read, without direction."]
    if loops or len(pairs) < len(u):
        notes.append(
            f"{loops:,} edges from a node to itself were excluded; {len(u) - loops - len(pairs):,} "
            "that name a pair again count once."
        )
    ids = None if joining.are_positions(nodes) else nodes
    return (half + half.T).tocsr(), ids, tuple(notes)  # type: ignore[return-value]


def _graphml(path: Path) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    """Both ends and the weight of each edge of a GraphML file."""
    from xml.etree import ElementTree

    with path.open("rb") as stream:
        if b"<!ENTITY" in stream.read(4096):
            raise InputError(f"{path} defines XML entities, which are not expanded")
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise InputError(f"{path} is no GraphML: {error}") from None

    def called(tag: str) -> list[Any]:
        return [one for one in root.iter() if one.tag.rpartition("}")[2] == tag]

    edges = called("edge")
    if not edges:
        raise InputError(f"{path} has no edge")
    key = next(
        (one.get("id") for one in called("key")
         if one.get("for") in ("edge", "all") and one.get("attr.name") == "weight"), None,
    )  # fmt: skip
    weights = []
    for edge in edges:
        data = [d.text for d in edge if key is not None and d.get("key") == key]
        weights.append(float(data[0]) if data and data[0] else np.nan)
    ends = [
        np.array([edge.get(end) for edge in edges], dtype=object) for end in ("source", "target")
    ]
    known = np.isfinite(weights)
    if not known.any():
        return ends[0], ends[1], None
    return ends[0], ends[1], np.where(known, weights, 1.0)
