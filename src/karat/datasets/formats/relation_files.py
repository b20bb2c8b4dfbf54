"""Files of distances and of graphs: square matrices, lists of edges, GraphML, Matrix Market."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets.formats import text_layout
from karat.datasets.formats.data_files import check_file, explained, read_raw, split_name
from karat.datasets.tables.table_kinds import ends_of, square_of
from karat.datasets.values import object_ids
from karat.datasets.values.reading_options import ReadingOptions
from karat.runtime.array_files import load_array
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

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
    """Undirected graph of a list of edges; of repeated edges only the heaviest counts.

    ``isolated`` may add nodes without an edge.
    """
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
    ids = None if object_ids.are_positions(nodes) else nodes
    return (upper + upper.T).tocsr(), ids, tuple(notes)


def _graphml(path: Path) -> tuple[NDArray[Any], ...]:
    """Ends and weight of each edge of a GraphML file (default weight 1), and its nodes."""
    from xml.etree import ElementTree

    with text_layout.open_binary(path) as stream:
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
