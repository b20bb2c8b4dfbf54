"""Detection of tables that hold distances or edges instead of features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets.values import column_arrays
from karat.datasets.values.findings import Finding

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from karat.runtime.types import Rows

MAX_MATRIX_OBJECTS = 20_000  # of a matrix that is checked
EDGE_COLUMN_NAMES = (
    ("source", "target"), ("from", "to"), ("src", "dst"), ("u", "v"), ("node1", "node2"),
    ("i", "j"), ("start", "end"), ("head", "tail"), ("node_1", "node_2"),
)  # fmt: skip
MAX_VARIABLES = 12  # rows of a table whose columns may be its objects
MIN_CHANCE_LOOPS = 5.0  # rows of points that would name a thing twice by chance


def relation_of(table: pa.Table) -> Finding | None:
    """Finding that a table is a matrix of distances or a list of edges, if it looks so."""
    edges, square = _edges_finding(table), square_of(table)
    if edges is None and square is not None and looks_like_distances(square[0]):
        return distances_finding(table.num_rows)
    return edges or _transposed_finding(table)


def _transposed_finding(table: pa.Table) -> Finding | None:
    """Finding that few rows have names and very many columns: the columns are the objects."""
    n, d = table.num_rows, table.num_columns - 1
    if n > MAX_VARIABLES or d < 10 * max(n, 2) or not column_arrays.is_text(table.column(0).type):
        return None
    names = table.column(0).to_pylist()
    is_numeric = [column_arrays.is_number(column.type) for column in table.columns[1:]]
    if None in names or len(set(names)) < n or sum(is_numeric) < 0.9 * d:
        return None
    option = {"accept": ("transposed",)}
    return Finding("transposed", "harmful", {"n": n, "d": d}, (), option, assumed=False)


def looks_like_distances(X: Rows) -> bool:
    """Whether a square matrix is symmetric, non-negative and 0 on the diagonal."""
    n = X.shape[0]
    if not isinstance(X, np.ndarray) or X.shape != (n, n) or not 3 <= n <= MAX_MATRIX_OBJECTS:
        return False
    if np.any(np.diagonal(X) != 0) or not np.isfinite(X).all():
        return False
    largest = X.max()
    return bool(X.min() >= 0 and largest > 0 and np.abs(X - X.T).max() <= 1e-8 * largest)


def distances_finding(n: int) -> Finding:
    """Finding that a matrix looks like distances."""
    return Finding("distances", "harmful", {"n": n}, (), {"kind": "distances"}, assumed=False)


def square_of(table: pa.Table) -> tuple[NDArray[Any], NDArray[Any] | None] | None:
    """Numbers of a square table, and the names in its first column; None for other tables."""
    n = table.num_rows
    ids = None
    if table.num_columns == n + 1 and n > 1:
        ids = column_arrays.objects(table.column(0), table.column_names[0])
        table = table.remove_column(0)
    if table.num_columns != n or not 2 <= n <= MAX_MATRIX_OBJECTS:
        return None
    if not all(column_arrays.is_number(table.column(j).type) for j in range(n)):
        return None
    return np.column_stack([column_arrays.floats(table.column(j)) for j in range(n)]), ids


def ends_of(table: pa.Table) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None] | None:
    """Ends of each edge and the weights; None for tables with other columns."""
    if table.num_columns not in (2, 3):
        return None
    ends = [_node_column(table.column(j), table.column_names[j]) for j in range(2)]
    if ends[0] is None or ends[1] is None or ends[0].dtype.kind != ends[1].dtype.kind:
        return None
    u, v = ends[0], ends[1]
    if table.num_columns == 2:
        return u, v, None
    if not column_arrays.is_number(table.column(2).type):
        return None
    return u, v, column_arrays.floats(table.column(2))


def _node_column(column: pa.ChunkedArray, name: str) -> NDArray[Any] | None:
    """Column of nodes, as whole numbers or text; None for other columns."""
    if column.null_count or len(column) == 0:
        return None
    if column_arrays.is_text(column.type):
        nodes = column_arrays.objects(column, name)
        kinds = set(map(type, nodes))
        if type(None) in kinds:
            return None
        # -1 among names is a name, too
        return nodes.astype(np.int64) if kinds == {int} else nodes.astype(str).astype(object)
    if not column_arrays.is_number(column.type):
        return None
    values = column_arrays.floats(column)
    is_whole = np.isfinite(values).all() and (values == np.floor(values)).all()
    return values.astype(np.int64) if is_whole and np.abs(values).max() < 2**53 else None


def _edges_finding(table: pa.Table) -> Finding | None:
    """Finding that two columns name the same things in pairs, as edges do.

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
    overlap = np.intersect1d(a, b).size / min(np.unique(a).size, np.unique(b).size)
    names = tuple(name.lower() for name in table.column_names[:2])
    is_named = names in EDGE_COLUMN_NAMES
    loops = int((a == b).sum())
    if not is_named:
        if overlap < 0.3 or loops > 0.01 * m:
            return None
        if u.dtype.kind in "iu" and (nodes[0] < 0 or len(nodes) < 0.5 * (nodes[-1] - nodes[0] + 1)):
            return None
        size = len(nodes)
        chance = float((np.bincount(a, minlength=size) / m * np.bincount(b, minlength=size)).sum())
        is_one_sided = bool((a < b).all() or (a > b).all()) and m >= 10
        if loops and chance < 4 * loops:
            return None
        if chance < MIN_CHANCE_LOOPS and not (is_one_sided and overlap > 0.5):
            return None
    elif overlap == 0:
        return None
    return Finding(
        "edges",
        "harmful",
        {"nodes": len(nodes), "edges": m},
        tuple(table.column_names[:2]),
        {"kind": "graph"},
        assumed=False,
    )
