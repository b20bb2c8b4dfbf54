"""The heaviest one-to-one matching of classes and clusters, from the cells that are not empty."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortal.labelings.cells import DENSE_CELLS


def heaviest_matching(
    rows: NDArray[np.intp], columns: NDArray[np.intp], weights: NDArray[Any], shape: tuple[int, int]
) -> NDArray[np.intp]:
    """Column of each row in the heaviest one-to-one matching of the cells, -1 where none."""
    matched = np.full(shape[0], -1, dtype=np.intp)
    if shape[0] > shape[1]:
        swapped = heaviest_matching(columns, rows, weights, shape[::-1])
        matched[swapped[swapped >= 0]] = np.flatnonzero(swapped >= 0)
        return matched
    useful = _may_match(rows, columns, weights)
    rows, columns, weights = rows[useful], columns[useful], weights[useful]
    # a class and a cluster that nothing else competes for
    alone = (np.bincount(rows)[rows] == 1) & (np.bincount(columns)[columns] == 1)
    matched[rows[alone]] = columns[alone]
    if alone.all():
        return matched
    classes, rows = np.unique(rows[~alone], return_inverse=True)
    clusters, columns = np.unique(columns[~alone], return_inverse=True)
    a, b = _best_matching(rows, columns, weights[~alone], (len(classes), len(clusters)))
    matched[classes[a]] = clusters[b]
    return matched


def _may_match(
    rows: NDArray[np.intp], columns: NDArray[np.intp], counts: NDArray[Any]
) -> NDArray[np.bool_]:
    """Mask of the cells that a best matching may use."""
    useful = np.ones(len(counts), dtype=bool)
    for index, opposite in ((rows, columns), (columns, rows)):
        degree = np.bincount(opposite[useful], minlength=int(opposite.max()) + 1)
        only = np.flatnonzero(useful & (degree[opposite] == 1))
        order = only[np.lexsort((-counts[only], index[only]))]
        useful[order[1:][index[order[1:]] == index[order[:-1]]]] = False
    return useful


def _best_matching(
    rows: NDArray[np.intp], columns: NDArray[np.intp], counts: NDArray[Any], shape: tuple[int, int]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the heaviest matching of the cells."""
    from scipy import sparse

    classes, clusters = shape
    if classes * clusters <= DENSE_CELLS:
        from scipy.optimize import linear_sum_assignment

        dense = np.zeros(shape, dtype=counts.dtype)
        dense[rows, columns] = counts
        a, b = linear_sum_assignment(dense, maximize=True)
        shared = dense[a, b] > 0
        return a[shared], b[shared]
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    # every class may also stay alone, at the cost of a cluster that shares nothing with it
    alone = np.arange(classes)
    worst = float(counts.max()) + 1
    graph = sparse.csr_array(
        (
            np.concatenate([worst - counts, np.full(classes, worst)]),
            (np.concatenate([rows, alone]), np.concatenate([columns, clusters + alone])),
        ),
        shape=(classes, clusters + classes),
    )
    a, b = min_weight_full_bipartite_matching(graph)
    shared = b < clusters
    return a[shared], b[shared]
