"""Views of the data in which other clusterings may show, and how far two clusterings differ."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from karat.distances import embed
from karat.nulls.valleys import WORTH_A_LOOK

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int32]


Kind: TypeAlias = Literal["all", "features", "components", "residual", "directions"]

#: features up to which groups of them are looked for, and groups that are looked at
MOST_FEATURES, MOST_GROUPS = 300, 12
#: chance that any two independent features are taken for dependent
LEVEL = 0.001
#: values of a feature are put into so many classes at most, of so many objects at least
CLASSES, CLASS_SIZE = 6, 12
#: dimensions in which independent components are sought, each of which takes so many objects
MOST_COMPONENTS, PER_COMPONENT = 8, 25


@dataclass(frozen=True)
class DataView:
    """What a clustering was found on.

    ``kind`` is all features; some of them (``features``); independent components of the space
    between the clusters of another clustering; what is left of the data without that space (both
    name it in ``without``); or directions from the origin.
    """

    kind: Kind
    features: tuple[int, ...] = ()
    without: tuple[str, ...] = ()
    metric: str = "euclidean"
    axes: Floats | None = field(default=None, repr=False, compare=False)

    def points(self, X: NDArray[Any]) -> Floats:
        """Rows whose Euclidean distance is that of the view."""
        rows = X[:, list(self.features)] if self.features else X
        found = np.asarray(embed(rows, self.metric), dtype=np.float64)
        return found if self.axes is None else found @ self.axes


def groups_of(P: Floats) -> list[tuple[int, ...]]:
    """Groups of dependent columns, without the group of all; the largest first.

    Columns are dependent where a chi-squared test of their classes says so after Bonferroni's
    correction. Groups that hang together by weak dependence are divided further, by average linkage
    of Cramér's V.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial.distance import squareform

    d = P.shape[1]
    if not 2 <= d <= MOST_FEATURES:
        return []
    strength, linked = dependence(P)
    found: dict[tuple[int, ...], None] = {}
    parts = connected_components(linked, directed=False)[1]
    for part in range(parts.max() + 1):
        own = np.flatnonzero(parts == part)
        found[tuple(own.tolist())] = None
        if len(own) < 3:
            continue
        tree = linkage(squareform(1 - strength[np.ix_(own, own)], checks=False), "average")
        for k in range(2, 5):
            cut = fcluster(tree, k, "maxclust")
            for c in np.unique(cut):
                found[tuple(own[cut == c].tolist())] = None
    groups = [group for group in found if len(group) < d]
    return sorted(groups, key=lambda group: (len(group) == 1, -len(group)))


def dependence(P: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Cramér's V of all pairs of columns, corrected for chance, and which are dependent."""
    from scipy.stats import chi2

    n, d = P.shape
    many = int(np.clip(n // CLASS_SIZE**2, 2, CLASSES))
    members = [_classes(P[:, j], many) for j in range(d)]
    counts = [len(one) for one in members]
    U = np.concatenate(members).astype(np.float64)
    expected = np.outer(U.sum(axis=1), U.sum(axis=1)) / n
    terms = (U @ U.T - expected) ** 2 / expected
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    squares = np.add.reduceat(np.add.reduceat(terms, starts, axis=0), starts, axis=1)
    free = np.outer(np.array(counts) - 1, np.array(counts) - 1)
    least = np.maximum(np.minimum.outer(counts, counts) - 1, 1)
    V = np.sqrt(np.clip((squares - free) / (n * least), 0, 1))
    np.fill_diagonal(V, 1.0)
    linked = chi2.sf(squares, np.maximum(free, 1)) * d * (d - 1) / 2 < LEVEL
    return V, linked & (free > 0)


def _classes(column: Floats, many: int) -> NDArray[np.bool_]:
    """Which objects are in each class of the values, (classes, n); classes are equally frequent."""
    edges = np.unique(np.quantile(column, np.arange(1, many) / many))
    at = np.searchsorted(edges, column, side="left")
    found: NDArray[np.bool_] = at == np.unique(at)[:, None]
    return found


def space_between(P: Floats, clusterings: Sequence[Codes]) -> Floats:
    """Orthonormal axes (r, q) of the space that the clusters' means span about that of all."""
    mean = P.mean(axis=0)
    rows = [np.zeros((1, P.shape[1]))]
    for codes in clusterings:
        for c in range(int(codes.max()) + 1):
            own = codes == c
            rows.append(np.sqrt(own.mean()) * (P[own].mean(axis=0) - mean)[None])
    _, sizes, axes = np.linalg.svd(np.concatenate(rows), full_matrices=False)
    return np.asarray(axes[sizes > 1e-6 * max(sizes[0], np.finfo(float).tiny)].T)


def residual(X: NDArray[Any], metric: str, known: dict[str, Codes]) -> DataView | None:
    """What is left without the space between the clusters of known clusterings.

    Cui, Fern & Dy 2007, clustering in orthogonal subspaces.
    """
    P = DataView("all", metric=metric).points(X)
    axes = space_between(P, list(known.values()))
    r, q = axes.shape
    if r - q < 1:
        return None
    rest = np.linalg.svd(axes, full_matrices=True)[0][:, q:]
    return DataView("residual", (), tuple(known), metric, rest)


def components(X: NDArray[Any], metric: str, name: str, codes: Codes) -> Iterator[DataView]:
    """Groups of dependent among the independent components of the space between clusters.

    Independent subspaces (Ye, Maurus, Hubig & Plant 2016): a clustering that crosses two others
    spans the space of both.
    """
    from sklearn.decomposition import FastICA

    P = DataView("all", metric=metric).points(X)
    axes = space_between(P, [codes])[:, :MOST_COMPONENTS]
    q = min(axes.shape[1], len(P) // PER_COMPONENT)
    if q < 2:
        return
    axes = axes[:, :q]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ica = FastICA(whiten="unit-variance", random_state=0, max_iter=100, tol=1e-3)
        found = ica.fit_transform(P @ axes)
    for group in groups_of(np.asarray(found)):
        yield DataView("components", (), (name,), metric, axes @ ica.components_[list(group)].T)


def feature_groups(X: NDArray[Any], metric: str) -> tuple[list[DataView], int]:
    """Groups of dependent features, single ones that are not unimodal; how many there were."""
    from karat._kernels.dip import dip_evidence

    order = feature_order(X)
    groups = [tuple(sorted(order[list(group)].tolist())) for group in groups_of(X[:, order])]
    kept = []
    for group in groups:
        if len(group) == 1:
            if metric != "euclidean":  # one feature has one direction
                continue
            if dip_evidence(np.sort(X[:, group[0]].astype(np.float64))) < WORTH_A_LOOK:
                continue
        kept.append(DataView("features", group, (), metric))
    return kept[:MOST_GROUPS], len(groups)


def feature_order(X: NDArray[Any]) -> NDArray[np.intp]:
    """The same order of the features, in whatever order they were given."""
    centred = X - X.mean(axis=0)
    spread = centred.std(axis=0)
    skew = np.square(centred / np.where(spread > 0, spread, 1)) * np.sign(centred)
    skew = skew.mean(axis=0)
    return np.lexsort((skew.round(9), spread.round(9)))


#: the most that one clustering may tell of another: mutual information, corrected for chance, over
#: the smaller entropy
ALIKE = 0.2
#: share of the combinations of clusters that occur, and of the expected objects that count
CROSSED, OCCURS = 0.75, 0.25
#: share of a clustering's information that two others have which it crosses, and the part of the
#: weaker effect on the means that their interaction may be
MERGED, LEFT = 0.75, 0.15


def told_by(one: Codes, other: Codes) -> float:
    """How much one clustering tells of the other, from 0 (as chance) to 1 (it is finer, or equal).

    Mutual information over the smaller entropy, both less what chance brings on average, to first
    order (adjusted mutual information; Miller & Madow 1955). Outliers of either are excluded.
    """
    table = _table(one, other)
    n = table.sum()
    if n == 0:
        return 0.0
    rows, columns = table.sum(axis=1) / n, table.sum(axis=0) / n
    smaller = min(_entropy(rows), _entropy(columns))
    chance = (np.count_nonzero(rows) - 1) * (np.count_nonzero(columns) - 1) / (2 * n)
    shared = _entropy(rows) + _entropy(columns) - _entropy(table.ravel() / n)
    return float(np.clip((shared - chance) / max(smaller - chance, 1e-12), 0, 1))


def _entropy(p: Floats) -> float:
    """Entropy of probabilities, in nats."""
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


def _table(one: Codes, other: Codes) -> Floats:
    """Contingency table of two clusterings, without outliers of either."""
    both = (one >= 0) & (other >= 0)
    k, m = int(one.max()) + 1, int(other.max()) + 1
    counts = np.bincount(one[both].astype(np.int64) * m + other[both], minlength=k * m)
    return counts.reshape(k, m).astype(np.float64)


def differ(one: Codes, other: Codes) -> bool:
    """Whether neither tells much of the other, and their clusters occur in most combinations."""
    return told_by(one, other) <= ALIKE and _occurring(one, other) > CROSSED


def _occurring(one: Codes, other: Codes) -> float:
    """Share of the combinations of clusters that have a part of the objects expected by chance."""
    table = _table(one, other)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / max(table.sum(), 1)
    return float((table >= OCCURS * expected).mean())


def diverse(codes: Sequence[Codes], n: int) -> list[int]:
    """The first, then each time the one that the chosen tell least of; in their order."""
    chosen = list(range(min(1, len(codes))))
    while len(chosen) < min(n, len(codes)):
        rest = [i for i in range(len(codes)) if i not in chosen]
        chosen.append(min(rest, key=lambda i: max(told_by(codes[i], codes[j]) for j in chosen)))
    return sorted(chosen)


def is_crossed(own: Codes, a: Codes, b: Codes, P: Floats) -> bool:
    """Whether a clustering of the points P is two independent divisions, crossed.

    The divisions tell nothing of each other, all combinations of their clusters occur, both
    together tell the clustering and are no coarser, and their effects on the means add up.
    """
    if told_by(a, b) > ALIKE or _occurring(a, b) < 1:
        return False
    both = a * (int(b.max()) + 1) + b
    whole = _entropy(np.bincount(own[own >= 0]) / max((own >= 0).sum(), 1))
    shared = told_by(both, own) * min(whole, _entropy(np.bincount(both) / len(both)))
    if shared < MERGED * whole:
        return False
    A, B = _members(a), _members(b)
    crossed = (A[:, :, None] * B[:, None, :]).reshape(len(P), -1)
    sums = _explained(np.column_stack([A, B]), P)
    least = min(sums - _explained(A, P), sums - _explained(B, P))
    return bool(_explained(crossed, P) - sums <= LEFT * least)


def _members(codes: Codes) -> Floats:
    """Indicators (n, k) of the clusters."""
    return np.asarray(codes[:, None] == np.arange(int(codes.max()) + 1), dtype=np.float64)


def _explained(M: Floats, P: Floats) -> float:
    """Sum of squares of the projection of P onto the columns of M."""
    inner = M.T @ M
    cross = M.T @ P
    return float((cross * (np.linalg.pinv(inner, hermitian=True) @ cross)).sum())
