"""Layouts of objects in a plane that keep as many neighbours as possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from sortal.plot import style
from sortal.runtime.draws import draw_rows
from sortal.runtime.numerals import percent

if TYPE_CHECKING:
    import numpy.typing as npt
    from numpy.typing import NDArray

    from sortal.distances.neighbors import NeighborLists
    from sortal.typing import Rows

#: tuned by eye: nearest neighbours of an object that are compared with those in the plane
COUNTED = 10
#: limit of cost: objects that t-SNE places; further ones go between those nearest to them
PLACED = 2000
#: derived: the perplexity of t-SNE by default (van der Maaten & Hinton 2008)
PERPLEXITY = 30


@dataclass(frozen=True)
class PlaneLayout:
    """Objects in the plane.

    Attributes
    ----------
    points : ndarray of float32, shape (n, 2)
    kept : float or None
        Share of the 10 nearest neighbours of an object that are among its 10 nearest in the
        plane, the mean over the objects; None where there are too few objects.
    axes : tuple of str
        What the axes are; empty where they have no meaning.
    explained : tuple of float or None
        Shares of the variance of two principal components.
    """

    points: NDArray[np.float32]
    kept: float | None
    axes: tuple[str, str] = ("", "")
    explained: tuple[float, float] | None = None


def n_neighbors(n: int) -> int:
    """Number of neighbours per object that :func:`lay_out` reads, for n objects."""
    return int(1.3 * (3 * PERPLEXITY + 1) * max(1.0, n / PLACED))


def lay_out(X: Rows, lists: NeighborLists | None, *, random_state: int = 0) -> PlaneLayout:
    """Principal components that keep half of the neighbours, else t-SNE where it keeps more."""
    points, explained = principal_plane(X)
    if lists is None or X.shape[0] < COUNTED + 2:
        return _components(points, None, explained)
    share = share_kept(lists.indices, points)
    if share < 0.5:
        placed = _neighbor_layout(points, lists, random_state)
        share_by_neighbors = share_kept(lists.indices, placed)
        if share_by_neighbors > share:
            return PlaneLayout(placed.astype(np.float32), share_by_neighbors)
    return _components(points, share, explained)


def as_given(
    X: Rows,
    names: Sequence[object] | None,
    center: npt.ArrayLike | None,
    scale: npt.ArrayLike | None,
) -> PlaneLayout:
    """One or two features in original units; a single one is spread out at random."""
    rows = np.asarray(X if isinstance(X, np.ndarray) else X.toarray(), dtype=np.float64)
    rows = rows * (1 if scale is None else np.asarray(scale, dtype=np.float64))
    rows = rows + (0 if center is None else np.asarray(center, dtype=np.float64))
    d = rows.shape[1]
    titles = [style.safe(f"feature {j}" if names is None else names[j]) for j in range(d)]
    if d == 1:
        aside = np.random.default_rng(0).uniform(-1, 1, size=(len(rows), 1))
        return PlaneLayout(np.hstack([rows, aside]).astype(np.float32), None, (titles[0], ""))
    return PlaneLayout(rows.astype(np.float32), None, (titles[0], titles[1]))


def sample(codes: NDArray[np.int64], most: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Objects to draw: shares of the clusters are kept, and at least 20 objects of each."""
    n = len(codes)
    if n <= most:
        return np.arange(n)
    parts = []
    for cluster in np.unique(codes):
        members = np.flatnonzero(codes == cluster)
        wanted = max(round(most * len(members) / n), min(20, len(members)))
        parts.append(rng.choice(members, size=wanted, replace=False))
    return np.sort(np.concatenate(parts))


def _components(
    points: NDArray[np.float64], share: float | None, explained: tuple[float, float]
) -> PlaneLayout:
    """PlaneLayout of principal components, named with their shares of the variance."""
    first, second = (
        f"Principal component {i + 1} ({percent(variance)} of the variance)"
        for i, variance in enumerate(explained)
    )
    return PlaneLayout(points.astype(np.float32), share, (first, second), explained)


def share_kept(neighbors: NDArray[np.int32], points: NDArray[np.floating[Any]]) -> float:
    """Share of the nearest neighbours that are among as many nearest ones in the plane."""
    from sortal.distances.neighbors import neighbor_lists

    k = min(COUNTED, neighbors.shape[1])
    nearest = neighbors[:, :k]
    in_plane = neighbor_lists(np.asarray(points, dtype=np.float64), k).indices
    return float((nearest[:, :, None] == in_plane[:, None, :]).any(axis=2).mean())


def _neighbor_layout(
    plane: NDArray[np.float64], lists: NeighborLists, random_state: int
) -> NDArray[np.float64]:
    """t-SNE of a sample from its neighbour lists; further objects go between their nearest."""
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    n = len(plane)
    rng = np.random.default_rng(random_state)
    rows = draw_rows(n, PLACED, rng)
    place = np.full(n, -1)
    place[rows] = np.arange(len(rows))
    inside = place[lists.indices] >= 0
    wanted = min(3 * PERPLEXITY + 1, int(inside[rows].sum(axis=1).min()))
    if wanted < 3:
        return plane
    # of each row of the sample the nearest in it, itself first
    first = np.argsort(~inside[rows], axis=1, kind="stable")[:, :wanted]
    columns = place[np.take_along_axis(lists.indices[rows], first, axis=1)]
    lengths = np.take_along_axis(lists.distances[rows], first, axis=1)
    diagonal = np.arange(len(rows))
    graph = sparse.csr_matrix(
        (
            np.column_stack([np.zeros(len(rows)), lengths]).ravel(),
            np.column_stack([diagonal, columns]).ravel(),
            np.arange(len(rows) + 1) * (wanted + 1),
        ),
        shape=(len(rows), len(rows)),
    )
    start = plane[rows] / (plane[rows, 0].std() or 1.0) * 1e-4
    model = TSNE(
        perplexity=min(PERPLEXITY, (wanted - 1) / 3),
        metric="precomputed",
        init=start.astype(np.float32),
        max_iter=500,
        random_state=random_state,
    )
    with threadpool_limits(1):  # several threads add in another order
        placed = model.fit_transform(graph)
    points = np.zeros((n, 2))
    points[rows] = placed
    for i in np.flatnonzero(place < 0):
        near = lists.indices[i][inside[i]][:3]
        points[i] = points[near].mean(axis=0) if len(near) else placed.mean(axis=0)
    return points


def principal_plane(X: Any) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """The objects on their first two principal components, and the variance explained."""
    from sklearn.decomposition import PCA

    n = X.shape[0]
    is_sparse = not isinstance(X, np.ndarray)
    if n < 3 or min(X.shape) < 2 or (is_sparse and (X.nnz == 0 or min(X.shape) < 3)):
        dense = X.toarray() if is_sparse else X
        centred = dense - dense.mean(axis=0)
        distance = np.sqrt((centred**2).sum(axis=1))
        line = distance * np.where(np.arange(n) == 0, 1.0, -1.0)
        return np.column_stack([line, np.zeros(n)]), (1.0 if distance.any() else 0.0, 0.0)
    # sparse data is centred implicitly by ARPACK; dense data by whatever suits its shape
    model = PCA(2, svd_solver="arpack" if is_sparse else "auto", random_state=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        points = model.fit_transform(X)
    first, second = np.nan_to_num(model.explained_variance_ratio_)
    return np.asarray(points, dtype=np.float64), (float(first), float(second))
