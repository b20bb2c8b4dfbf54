"""Distances and points: whether they are a metric, points from distances, random ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Floats


#: distances that differ by less than this share of the largest are the same
SAME = 1e-9


def is_metric(D: Floats) -> bool:
    """Whether a matrix has positive symmetric distances that keep the triangle inequality.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal_lab.axioms.point_sets import is_metric
    >>> is_metric(np.array([[0.0, 1, 3], [1, 0, 1], [3, 1, 0]]))
    False
    """
    n = len(D)
    slack = SAME * D.max(initial=0.0)
    apart = D[~np.eye(n, dtype=bool)]
    if (np.diag(D) != 0).any() or (apart <= slack).any() or not np.array_equal(D, D.T):
        return False
    through = (D[:, :, None] + D[None, :, :]).min(axis=1)
    return bool((through >= D - slack).all())


def embedded(D: Floats) -> Floats | None:
    """Points whose Euclidean distances these are, in as few dimensions as it takes, or nothing."""
    n = len(D)
    J = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-0.5 * J @ (D**2) @ J)
    if values[0] < -1e-10 * max(values[-1], 1e-300):
        return None
    kept = values > 1e-10 * max(values[-1], 1e-300)
    kept[-1] = True
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))[:, ::-1]


def between_zero_and(D: Floats, changed: Floats, ok: Any) -> Floats | None:
    """The largest part of a change, of 1, 1/2, ..., 1/64, that gives distances that are ok."""
    for halvings in range(7):
        tried = D + (changed - D) / 2**halvings
        if ok(tried):
            return tried
    return None


def symmetric(upper: Floats) -> Floats:
    """The symmetric matrix with this upper triangle."""
    half = np.triu(upper, 1)
    return half + half.T


def same_cluster(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Mask (n, n) of the pairs within a cluster."""
    return np.asarray(labels[:, None] == labels[None])


def random_distances(rng: np.random.Generator, n: int) -> Floats:
    """A metric: any distances from 1 to 2, such distances with ties, or those of points."""
    way = rng.integers(4)
    if way == 0:
        return symmetric(rng.uniform(1, 2, (n, n)))
    if way == 1:
        return symmetric(rng.integers(2, 5, (n, n)) / 2.0)
    points = clumps(rng, n, int(rng.integers(1, 4)))
    return np.asarray(np.linalg.norm(points[:, None] - points[None], axis=2))


def clumps(rng: np.random.Generator, n: int, d: int) -> Floats:
    """Points (n, d), in some clumps or in one."""
    centers = rng.normal(scale=rng.choice([0.0, 1.0, 4.0]), size=(int(rng.integers(1, 5)), d))
    return np.asarray(centers[np.arange(n) % len(centers)] + rng.normal(size=(n, d)))


def random_labels(rng: np.random.Generator, n: int, number: int) -> NDArray[np.int64]:
    """Clusterings (number, n), neither one cluster nor singletons only.

    Those with the clumps' own clusters are among them.
    """
    rows: list[NDArray[np.int64]] = []
    while len(rows) < number:
        k = int(rng.integers(2, max(3, min(6, n - 1) + 1)))
        row = np.arange(n) % k if rng.random() < 0.3 else rng.integers(0, k, n)
        used, row = np.unique(row, return_inverse=True)
        if 1 < len(used) < n:
            rows.append(row)
    return np.array(rows, dtype=np.int64)
