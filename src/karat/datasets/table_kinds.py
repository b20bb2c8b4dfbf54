"""Tables that are something else than objects with features: distances, edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets import _columns
from karat.datasets.findings import Finding

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

MAX_MATRIX_OBJECTS = 20_000  # objects of a matrix that is looked at
EDGE_COLUMN_NAMES = (
    ("source", "target"), ("from", "to"), ("src", "dst"), ("u", "v"), ("node1", "node2"),
    ("i", "j"), ("start", "end"), ("head", "tail"), ("node_1", "node_2"),
)  # fmt: skip
MIN_CHANCE_LOOPS = 5.0  # rows that would name one thing twice by chance, if rows were points


def relation_of(table: pa.Table) -> Finding | None:
    """What says that a table is a matrix of distances or a list of edges, None if nothing does."""
    edges, square = _edges(table), square_of(table)
    if edges is None and square is not None and looks_like_distances(square[0]):
        return found_distances(table.num_rows)
    return edges


def looks_like_distances(X: Any) -> bool:
    """Whether a square matrix is symmetric, 0 on the diagonal and nowhere negative."""
    n = X.shape[0]
    if not isinstance(X, np.ndarray) or X.shape != (n, n) or not 3 <= n <= MAX_MATRIX_OBJECTS:
        return False
    if np.any(np.diagonal(X) != 0) or not np.isfinite(X).all():
        return False
    largest = X.max()
    return bool(X.min() >= 0 and largest > 0 and np.abs(X - X.T).max() <= 1e-8 * largest)


def found_distances(n: int) -> Finding:
    """The finding about such a matrix."""
    return Finding("distances", "harmful", {"n": n}, (), {"kind": "distances"}, assumed=False)


def square_of(table: pa.Table) -> tuple[NDArray[Any], NDArray[Any] | None] | None:
    """The numbers of a square table, and the names in its first column; None if it is none."""
    n = table.num_rows
    ids = None
    if table.num_columns == n + 1 and n > 1:
        ids = _columns.objects(table.column(0), table.column_names[0])
        table = table.remove_column(0)
    if table.num_columns != n or not 2 <= n <= MAX_MATRIX_OBJECTS:
        return None
    if not all(_numeric(table.column(j).type) for j in range(n)):
        return None
    return np.column_stack([_columns.floats(table.column(j)) for j in range(n)]), ids


def _numeric(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def ends_of(table: pa.Table) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None] | None:
    """Both ends of each edge and the weights, where a table has nothing else."""
    if table.num_columns not in (2, 3):
        return None
    ends = [_named(table.column(j), table.column_names[j]) for j in range(2)]
    if ends[0] is None or ends[1] is None or ends[0].dtype.kind != ends[1].dtype.kind:
        return None
    u, v = ends[0], ends[1]
    if table.num_columns == 2:
        return u, v, None
    if not _numeric(table.column(2).type):
        return None
    return u, v, _columns.floats(table.column(2))


def _named(column: pa.ChunkedArray, name: str) -> NDArray[Any] | None:
    """A column of nodes: whole numbers, or text."""
    if column.null_count or len(column) == 0:
        return None
    if _columns.is_text(column.type):
        return _columns.objects(column, name)
    if not _numeric(column.type):
        return None
    values = _columns.floats(column)
    whole = np.isfinite(values).all() and (values == np.floor(values)).all()
    return values.astype(np.int64) if whole and np.abs(values).max() < 2**53 else None


def _edges(table: pa.Table) -> Finding | None:
    """Two columns that name the same things, in pairs that points would not make.

    Points with whole coordinates hit the diagonal now and then and lie on both sides of it; edges
    have no loops, or all of them name the smaller node first.
    """
    ends = ends_of(table)
    if ends is None or table.num_rows < 5:
        return None
    u, v, _ = ends
    nodes, inverse = np.unique(np.concatenate([u, v]), return_inverse=True)
    m = len(u)
    a, b = inverse[:m], inverse[m:]
    shared = np.intersect1d(a, b).size / min(np.unique(a).size, np.unique(b).size)
    names = tuple(name.lower() for name in table.column_names[:2])
    called = names in EDGE_COLUMN_NAMES
    loops = int((a == b).sum())
    if not called:
        if shared < 0.3 or loops > 0.01 * m:
            return None
        if u.dtype.kind in "iu" and (nodes[0] < 0 or len(nodes) < 0.5 * (nodes[-1] - nodes[0] + 1)):
            return None
        size = len(nodes)
        chance = float((np.bincount(a, minlength=size) / m * np.bincount(b, minlength=size)).sum())
        one_side = bool((a < b).all() or (a > b).all()) and m >= 10
        if loops and chance < 4 * loops:
            return None
        if chance < MIN_CHANCE_LOOPS and not (one_side and shared > 0.5):
            return None
    elif shared == 0:
        return None
    return Finding(
        "edges",
        "harmful",
        {"nodes": len(nodes), "edges": m},
        tuple(table.column_names[:2]),
        {"kind": "graph"},
        assumed=False,
    )
