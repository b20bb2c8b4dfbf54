"""External measures of soft and overlapping clusterings."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from sortal.labelings.cells import cells_of
from sortal.labelings.contingency import ContingencyTable
from sortal.labelings.labels import apply_noise_policy, as_names, encode
from sortal.labelings.partitions import OverlappingPartition, SoftPartition
from sortal.measures.docstrings import cite
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from sortal.labelings.structures import Dendrogram, Memberships
    from sortal.typing import Bools, Floats, Labels

__all__ = ["omega_index"]

#: one side of a comparison
ClusteringLike: TypeAlias = "Labels | Memberships | Dendrogram"


def expected_table(labels_true: ClusteringLike, labels_pred: ClusteringLike) -> ContingencyTable:
    """Expected table if each object's class and cluster are drawn from its memberships."""
    (U, row_names), (V, column_names) = (
        _memberships(labels_true, "labels_true"),
        _memberships(labels_pred, "labels_pred"),
    )
    require_same_objects(U, V)
    u, v = (U * U).sum(axis=1), (V * V).sum(axis=1)
    # the two objects of a pair differ: exclude the products of an object with itself
    squares = (float(u @ v), float(u.sum()), float(v.sum()), float(len(U)))
    return ContingencyTable.of_cells(cells_of(U.T @ V), (row_names, column_names), squares=squares)


def _memberships(labels: ClusteringLike, name: str) -> tuple[Floats, NDArray[np.object_]]:
    """Memberships (n, k) of a soft or hard clustering, and the names of its clusters."""
    if isinstance(labels, SoftPartition):
        return labels.memberships, as_names(range(labels.memberships.shape[1]))
    hard = apply_noise_policy(encode(cast("Labels", labels), name=name), "error", name=name)
    one_hot = np.zeros((len(hard.codes), hard.n_clusters))
    one_hot[np.arange(len(hard.codes)), hard.codes] = 1
    return one_hot, hard.names


def require_same_objects(U: Floats | Bools, V: Floats | Bools) -> None:
    """Raise unless both sides have the same number of objects."""
    if len(U) != len(V):
        raise InputError(
            f"labels_true has {len(U)} objects and labels_pred {len(V)}; both must describe the "
            "same objects in the same order"
        )


class _Patterns:
    """Groups of objects with the same classes and clusters."""

    def __init__(self, labels_true: ClusteringLike, labels_pred: ClusteringLike) -> None:
        true, pred = as_sets(labels_true, "labels_true"), as_sets(labels_pred, "labels_pred")
        require_same_objects(true, pred)
        rows, self.counts = np.unique(np.hstack([true, pred]), axis=0, return_counts=True)
        # float products are exact here, and run in BLAS
        self.true = rows[:, : true.shape[1]].astype(np.float64)
        self.pred = rows[:, true.shape[1] :].astype(np.float64)

    def blocks(self) -> Iterator[slice]:
        """Slices of the patterns, small enough for a matrix of patterns."""
        step = max(1 << 22, len(self.counts)) // len(self.counts)
        for start in range(0, len(self.counts), step):
            yield slice(start, start + step)


def as_sets(labels: ClusteringLike | None, name: str) -> Bools:
    """Mask (n, k) of the clusters of each object."""
    if isinstance(labels, OverlappingPartition):
        return labels.memberships
    if labels is None:
        raise InputError(f"{name} is missing; overlapping clusterings are compared two at a time")
    return _memberships(labels, name)[0] > 0


def extended_bcubed(labels_true: ClusteringLike, labels_pred: ClusteringLike) -> float:
    """Mean multiplicity precision (Amigó et al. 2009, §6); recall if the sides are exchanged."""
    patterns = _Patterns(labels_true, labels_pred)
    m = patterns.counts.astype(np.float64)
    total = weight = 0.0
    for block in patterns.blocks():
        clusters = patterns.pred[block] @ patterns.pred.T
        classes = patterns.true[block] @ patterns.true.T
        share = np.minimum(clusters, classes) / np.maximum(clusters, 1)
        companions = (clusters > 0) @ m
        with_companions = companions > 0
        total += float(
            m[block][with_companions] @ ((share @ m)[with_companions] / companions[with_companions])
        )
        weight += float(m[block][with_companions].sum())
    if weight == 0:
        raise InputError("no object is in any cluster, so there is nothing to judge")
    return min(total / weight, 1.0)


@cite("collins1988")
def omega_index(labels_true: ClusteringLike, labels_pred: ClusteringLike) -> float:
    """Agreement on how many clusters each pair of objects shares, corrected for chance.

    Parameters
    ----------
    labels_true, labels_pred : OverlappingPartition, or array-like of labels, shape (n,)
        The two clusterings.

    Returns
    -------
    float
        At most 1, 0 in expectation for unrelated clusterings; greater is better. For clusterings
        without overlap the adjusted Rand index; 1 where the denominator is 0.

    Notes
    -----
    O(patterns² (k + t)) over objects in different sets of clusters.

    Examples
    --------
    >>> from sortal.labelings.partitions import OverlappingPartition
    >>> two = OverlappingPartition([[1, 0], [1, 1], [0, 1]])
    >>> omega_index(two, two)
    1.0
    """
    patterns = _Patterns(labels_true, labels_pred)
    m = patterns.counts
    width = patterns.true.shape[1] + 1, patterns.pred.shape[1] + 1
    agreement = np.zeros(width, dtype=np.int64)
    for block in patterns.blocks():
        shared_true = (patterns.true[block] @ patterns.true.T).astype(np.intp)
        shared_pred = (patterns.pred[block] @ patterns.pred.T).astype(np.intp)
        pairs = np.outer(m[block], m)
        rows = np.arange(len(m))[block]
        pairs[np.arange(len(rows)), rows] -= m[rows]
        np.add.at(agreement, (shared_true, shared_pred), pairs)
    # ordered pairs: twice everything, which cancels
    total = int(agreement.sum())
    depth = min(width)
    observed = sum(int(agreement[s, s]) for s in range(depth))
    true, pred = agreement.sum(axis=1).tolist(), agreement.sum(axis=0).tolist()
    chance = sum(true[s] * pred[s] for s in range(depth))
    scale = total * total - chance
    return (observed * total - chance) / scale if scale else 1.0


def check_alpha(alpha: float) -> None:
    """Raise unless ``alpha`` is between 0 and 1."""
    if not 0 < alpha < 1:
        raise InputError(f"alpha must lie between 0 and 1; got {alpha}")


def overlapping_similarity(
    labels_true: ClusteringLike, labels_pred: ClusteringLike, alpha: float = 0.9
) -> float:
    """Element-centric similarity of overlapping clusterings (Gates et al. 2019)."""
    check_alpha(alpha)
    patterns = _Patterns(labels_true, labels_pred)
    m = patterns.counts.astype(np.float64)
    walks = []
    for sets, name in ((patterns.true, "labels_true"), (patterns.pred, "labels_pred")):
        if not sets.any(axis=1).all():
            raise InputError(
                f"{name} leaves {int(m[~sets.any(axis=1)].sum())} objects in no cluster; "
                "element-centric similarity needs at least one for each"
            )
        # one step: from an object to one of its clusters, then to one of the cluster's objects
        out = sets / sets.sum(axis=1, keepdims=True)
        into = (sets / np.maximum(m @ sets, 1)).T
        k = sets.shape[1]
        visits = np.linalg.solve(np.eye(k) - alpha * (into * m) @ out, into)
        walks.append((out, (1 - alpha) * alpha * visits))
    (out_t, visits_t), (out_p, visits_p) = walks
    similarity = 0.0
    for block in patterns.blocks():
        distance = np.abs(out_t[block] @ visits_t - out_p[block] @ visits_p) @ m
        similarity += float(m[block] @ (1 - distance / (2 * alpha)))
    return min(max(similarity / float(m.sum()), 0.0), 1.0)
