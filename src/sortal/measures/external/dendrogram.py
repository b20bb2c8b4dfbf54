"""External measures of a dendrogram: the best nodes anywhere in the tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sortal.labelings.labels import apply_noise_policy, encode
from sortal.labelings.structures import Dendrogram
from sortal.measures.external.table import check_beta
from sortal.runtime.validation import InputError
from sortal.typing import Labels

__all__ = ["Dendrogram"]


def _classes(labels_true: Labels, tree: Dendrogram) -> NDArray[np.int32]:
    """Codes of the classes, checked against the size of the tree."""
    if not isinstance(tree, Dendrogram):
        raise InputError("a dendrogram is judged by classes: give it as labels_pred")
    classes = apply_noise_policy(encode(labels_true, name="labels_true"), "error").codes
    if len(classes) != tree.n_objects:
        raise InputError(
            f"labels_true has {len(classes)} labels, but the dendrogram {tree.n_objects} objects"
        )
    return classes


def _node_counts(classes: NDArray[np.int32], tree: Dendrogram) -> NDArray[np.int64]:
    """Objects of each class below each node, shape (2n-1, classes)."""
    n = tree.n_objects
    counts = np.zeros((2 * n - 1, int(classes.max()) + 1), dtype=np.int64)
    counts[np.arange(n), classes] = 1
    for node, (left, right) in enumerate(tree.linkage[:, :2].astype(np.intp), start=n):
        counts[node] = counts[left] + counts[right]
    return counts


def best_f_measure(labels_true: Labels, tree: Dendrogram, beta: float = 1.0) -> float:
    """Σ_t p(t) max over all nodes of F_β, O(n · classes)."""
    check_beta(beta)
    counts = _node_counts(_classes(labels_true, tree), tree)
    sizes = counts[-1]
    b = beta * beta
    f = (1 + b) * counts / (b * sizes + counts.sum(axis=1)[:, None])
    return min(float(f.max(axis=0) @ sizes / tree.n_objects), 1.0)


def best_accuracy(labels_true: Labels, tree: Dendrogram) -> float:
    """Greatest accuracy of disjoint nodes, each matched with a different class.

    Candidates for a class are the smallest nodes with their number of its objects: its leaves and
    the merges of its leaves, 2n - classes in total. An integer program of that size selects one
    node per class and none below another. A node is *covered* if it or an ancestor is selected.
    """
    from scipy import sparse
    from scipy.optimize import Bounds, LinearConstraint, milp

    classes = _classes(labels_true, tree)
    counts = _node_counts(classes, tree)
    n, nodes, t = tree.n_objects, len(counts), counts.shape[1]
    children = tree.linkage[:, :2].astype(np.intp)
    meets = (counts[children[:, 0]] > 0) & (counts[children[:, 1]] > 0)
    node, label = np.nonzero(meets)
    node = np.concatenate([np.arange(n), node + n])
    label = np.concatenate([classes, label])
    count = len(node)
    parent = np.full(nodes, -1)
    parent[children.ravel()] = np.repeat(np.arange(n, nodes), 2)
    below = np.flatnonzero(parent >= 0)
    one_node = sparse.csr_array((np.ones(count), (label, np.arange(count))), (t, count + nodes))
    covered = sparse.csr_array(
        (
            np.concatenate([np.ones(nodes), -np.ones(len(below)), -np.ones(count)]),
            (
                np.concatenate([np.arange(nodes), below, node]),
                np.concatenate([count + np.arange(nodes), count + parent[below], np.arange(count)]),
            ),
        ),
        (nodes, count + nodes),
    )
    result = milp(
        -np.concatenate([counts[node, label], np.zeros(nodes)]),
        integrality=np.concatenate([np.ones(count), np.zeros(nodes)]),
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(one_node, 0, 1), LinearConstraint(covered, 0, 0)],
    )
    if result.x is None:
        raise InputError(f"the best nodes were not found: {result.message}")
    return float(round(-result.fun) / n)


def dendrogram_purity(labels_true: Labels, tree: Dendrogram) -> float:
    """Mean, over pairs of one class, of the class's share of the node that merges them."""
    counts = _node_counts(_classes(labels_true, tree), tree)
    children = tree.linkage[:, :2].astype(np.intp)
    pairs = counts[children[:, 0]] * counts[children[:, 1]]
    if not pairs.any():
        return 1.0
    nodes = counts[tree.n_objects :]
    share = nodes / nodes.sum(axis=1, keepdims=True)
    return min(float((pairs * share).sum() / pairs.sum()), 1.0)
