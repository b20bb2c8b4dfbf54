"""Views of the data that may show further clusterings, and differences of two clusterings."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from sortal._kernels.modes import line_evidence
from sortal.distances import embed
from sortal.nulls.settings import VALLEYS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Bools, Floats

    Codes = NDArray[np.int32]


Kind: TypeAlias = Literal["all", "features", "components", "residual", "directions"]

#: limit of cost: features that are searched for groups, since all pairs of them are tested
MAX_FEATURES = 300
#: limit of cost: groups of features whose views are searched
MAX_GROUPS = 12
#: limit of cost: dimensions that are searched for independent components
MAX_COMPONENTS = 8


@dataclass(frozen=True)
class SearchLimits:
    """The tuned limits of the search for alternatives.

    All were set on data with two planted partitions, one and none (``sortal reproduce
    alternatives``).
    """

    #: chance that any two independent features are taken for dependent
    dependent: float = 0.001
    #: the same where independent groups of features are sought
    linked: float = 0.01
    #: most classes of a feature's values, and least objects of a class
    n_classes: int = 6
    class_size: int = 12
    #: least objects for each independent component
    per_component: int = 25
    #: most information that two different clusterings share, see :func:`shared_information`
    alike: float = 0.2
    #: least share of the combinations of clusters that occur, and least share of the expected
    #: objects for a combination to occur
    combinations: float = 0.75
    occurring: float = 0.25
    #: least share of a clustering's information in the two divisions that it crosses
    merged: float = 0.75
    #: least information of a separated clustering about each of these divisions
    informative: float = 0.8
    #: largest interaction of the divisions' effects on the means, over the weaker effect
    interaction: float = 0.15
    #: the finest candidate spans the space, too, if the answer has fewer clusters
    spanning: int = 4
    #: evidence above this value counts as this value
    certain: float = 20.0
    #: share of the best recovery that an alternative must have
    share: float = 0.5


LIMITS = SearchLimits()


@dataclass(frozen=True)
class DataView:
    """A part of the data that shows a clustering.

    ``kind`` is all features, a group of ``features``, or directions from the origin; or, for
    another clustering, independent components of the space between its means, or the residual
    without it. ``without`` names that clustering.
    """

    kind: Kind
    features: tuple[int, ...] = ()
    without: tuple[str, ...] = ()
    metric: str = "euclidean"
    axes: Floats | None = field(default=None, repr=False, compare=False)

    def points(self, X: NDArray[Any]) -> Floats:
        """Rows whose Euclidean distances are the distances in the view."""
        rows = X[:, list(self.features)] if self.features else X
        embedded = np.asarray(embed(rows, self.metric), dtype=np.float64)
        return embedded if self.axes is None else embedded @ self.axes


def groups_of(P: Floats) -> list[tuple[int, ...]]:
    """Groups of dependent columns, the largest first; the group of all columns is excluded.

    A chi-squared test with Bonferroni's correction decides whether two columns are dependent.
    Average linkage of Cramér's V divides groups that hang together by weak dependence.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial.distance import squareform

    d = P.shape[1]
    if not 2 <= d <= MAX_FEATURES:
        return []
    strength, linked = dependence(P)
    candidates: dict[tuple[int, ...], None] = {}
    components_of = connected_components(linked, directed=False)[1]
    for component in range(components_of.max() + 1):
        members = np.flatnonzero(components_of == component)
        candidates[tuple(members.tolist())] = None
        if len(members) < 3:
            continue
        tree = linkage(squareform(1 - strength[np.ix_(members, members)], checks=False), "average")
        for k in range(2, 5):
            cut = fcluster(tree, k, "maxclust")
            for c in np.unique(cut):
                candidates[tuple(members[cut == c].tolist())] = None
    groups = [group for group in candidates if len(group) < d]
    return sorted(groups, key=lambda group: (len(group) == 1, -len(group)))


def dependence(P: Floats, level: float = LIMITS.dependent, fewest: int = 2) -> tuple[Floats, Bools]:
    """Cramér's V of all pairs of columns, corrected for chance, and a mask of dependent pairs.

    A column's values have at least ``fewest`` classes.
    """
    from scipy.stats import chi2

    n, d = P.shape
    n_classes = int(np.clip(n // LIMITS.class_size**2, fewest, LIMITS.n_classes))
    members = [_classes(P[:, j], n_classes) for j in range(d)]
    counts = [len(rows) for rows in members]
    U = np.concatenate(members).astype(np.float64)
    expected = np.outer(U.sum(axis=1), U.sum(axis=1)) / n
    terms = (U @ U.T - expected) ** 2 / expected
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    squares = np.add.reduceat(np.add.reduceat(terms, starts, axis=0), starts, axis=1)
    free = np.outer(np.array(counts) - 1, np.array(counts) - 1)
    least = np.maximum(np.minimum.outer(counts, counts) - 1, 1)
    V = np.sqrt(np.clip((squares - free) / (n * least), 0, 1))
    np.fill_diagonal(V, 1.0)
    linked = chi2.sf(squares, np.maximum(free, 1)) * d * (d - 1) / 2 < level
    return V, linked & (free > 0)


def _classes(column: Floats, n_classes: int) -> Bools:
    """Indicators (classes, n) of the classes of a column's values, about equally frequent."""
    edges = np.unique(np.quantile(column, np.arange(1, n_classes) / n_classes))
    places = np.searchsorted(edges, column, side="left")
    memberships: Bools = places == np.unique(places)[:, None]
    return memberships


def space_between(P: Floats, clusterings: Sequence[Codes]) -> Floats:
    """Orthonormal axes (r, q) of the space that the clusters' means span about the total mean."""
    mean = P.mean(axis=0)
    rows = [np.zeros((1, P.shape[1]))]
    for codes in clusterings:
        for c in range(int(codes.max()) + 1):
            members = codes == c
            rows.append(np.sqrt(members.mean()) * (P[members].mean(axis=0) - mean)[None])
    _, sizes, axes = np.linalg.svd(np.concatenate(rows), full_matrices=False)
    return np.asarray(axes[sizes > 1e-6 * max(sizes[0], np.finfo(float).tiny)].T)


def residual(X: NDArray[Any], metric: str, clusterings: dict[str, Codes]) -> DataView | None:
    """View without the space between the clusters of ``clusterings``; None if nothing is left.

    Clustering in orthogonal subspaces (Cui, Fern & Dy 2007).
    """
    P = DataView("all", metric=metric).points(X)
    axes = space_between(P, list(clusterings.values()))
    r, q = axes.shape
    if r - q < 1:
        return None
    orthogonal = np.linalg.svd(axes, full_matrices=True)[0][:, q:]
    return DataView("residual", (), tuple(clusterings), metric, orthogonal)


def components(X: NDArray[Any], metric: str, name: str, codes: Codes) -> Iterator[DataView]:
    """Views of independent components between a clustering's means, in groups.

    Independent subspaces (Ye, Maurus, Hubig & Plant 2016): a clustering that crosses two others
    spans the spaces of both.
    """
    from sklearn.decomposition import FastICA

    P = DataView("all", metric=metric).points(X)
    axes = space_between(P, [codes])[:, :MAX_COMPONENTS]
    q = min(axes.shape[1], len(P) // LIMITS.per_component)
    if q < 2:
        return
    axes = axes[:, :q]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ica = FastICA(whiten="unit-variance", random_state=0, max_iter=100, tol=1e-3)
        sources = ica.fit_transform(P @ axes)
    for group in groups_of(np.asarray(sources)):
        yield DataView("components", (), (name,), metric, axes @ ica.components_[list(group)].T)


def feature_groups(X: NDArray[Any], metric: str) -> tuple[list[DataView], int]:
    """Views of dependent features and of single multimodal ones, and the number of groups."""
    order = feature_order(X)
    groups = [tuple(sorted(order[list(group)].tolist())) for group in groups_of(X[:, order])]
    views = []
    for group in groups:
        if len(group) == 1:
            if metric != "euclidean":  # one feature has one direction
                continue
            if line_evidence(X[:, group[0]].astype(np.float64)) < VALLEYS.close_look:
                continue
        views.append(DataView("features", group, (), metric))
    return views[:MAX_GROUPS], len(groups)


def independent_blocks(X: NDArray[Any], metric: str) -> list[DataView]:
    """Views of the groups of features that depend on no feature outside; empty for a single group.

    A clustering of all features crosses the clusterings of two such groups.
    """
    from scipy.sparse.csgraph import connected_components

    if not 2 <= X.shape[1] <= MAX_FEATURES:
        return []
    order = feature_order(X)
    halves = np.column_stack([_upper(X[:, j]) for j in order])
    linked = dependence(X[:, order], LIMITS.linked, 3)[1] | dependence(halves, LIMITS.linked)[1]
    block_of = connected_components(linked, directed=False)[1]
    blocks = [tuple(sorted(order[block_of == c].tolist())) for c in range(block_of.max() + 1)]
    if metric != "euclidean":  # one feature has one direction
        blocks = [block for block in blocks if len(block) > 1]
    return [DataView("features", block, (), metric) for block in blocks] if len(blocks) > 1 else []


def _upper(column: NDArray[Any]) -> Floats:
    """1 for values in the upper of the two groups with the least squares within, else 0."""
    x = np.sort(column.astype(np.float64))
    n, sums = np.arange(1, len(x)), np.cumsum(x)
    between = (sums[:-1] - n * sums[-1] / len(x)) ** 2 / (n * (len(x) - n))
    between[x[1:] == x[:-1]] = -1.0  # equal values are in one group
    cut = x[int(between.argmax())]
    return (column > cut).astype(np.float64)


def feature_order(X: NDArray[Any]) -> NDArray[np.intp]:
    """An order of the features that does not depend on their order in the data."""
    centred = X - X.mean(axis=0)
    spread = centred.std(axis=0)
    skew = np.square(centred / np.where(spread > 0, spread, 1)) * np.sign(centred)
    skew = skew.mean(axis=0)
    return np.lexsort((skew.round(9), spread.round(9)))


def shared_information(first: Codes, second: Codes) -> float:
    """Information that two clusterings share, from 0 (chance) to 1 (one refines the other).

    Mutual information over the smaller entropy, both corrected for chance to first order (adjusted
    mutual information; Miller & Madow 1955). Outliers of either clustering are excluded.
    """
    table = _table(first, second)
    n = table.sum()
    if n == 0:
        return 0.0
    rows, columns = table.sum(axis=1) / n, table.sum(axis=0) / n
    smaller = min(_entropy(rows), _entropy(columns))
    chance = (np.count_nonzero(rows) - 1) * (np.count_nonzero(columns) - 1) / (2 * n)
    shared = _entropy(rows) + _entropy(columns) - _entropy(table.ravel() / n)
    return float(np.clip((shared - chance) / max(smaller - chance, 1e-12), 0, 1))


def _entropy(p: Floats) -> float:
    """Entropy of a distribution in nats."""
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


def _table(first: Codes, second: Codes) -> Floats:
    """Contingency table of two clusterings without outliers."""
    inside = (first >= 0) & (second >= 0)
    k, m = int(first.max()) + 1, int(second.max()) + 1
    counts = np.bincount(first[inside].astype(np.int64) * m + second[inside], minlength=k * m)
    return counts.reshape(k, m).astype(np.float64)


def differ(first: Codes, second: Codes) -> bool:
    """Whether two clusterings share little information and most combinations of clusters occur."""
    return (
        shared_information(first, second) <= LIMITS.alike
        and _occurring(first, second) > LIMITS.combinations
    )


def _occurring(first: Codes, second: Codes) -> float:
    """Share of the combinations of clusters with enough of the objects expected by chance."""
    table = _table(first, second)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / max(table.sum(), 1)
    return float((table >= LIMITS.occurring * expected).mean())


def diverse(codes: Sequence[Codes], n: int) -> list[int]:
    """Positions of n clusterings: the first, then those least like the chosen; ascending."""
    chosen = list(range(min(1, len(codes))))
    while len(chosen) < min(n, len(codes)):
        candidates = [i for i in range(len(codes)) if i not in chosen]
        chosen.append(
            min(
                candidates,
                key=lambda i: max(shared_information(codes[i], codes[j]) for j in chosen),
            )
        )
    return sorted(chosen)


def is_crossed(codes: Codes, a: Codes, b: Codes, P: Floats) -> bool:
    """Whether a clustering of the points P crosses two independent divisions ``a`` and ``b``.

    The divisions share no information, all combinations of their clusters occur, both together
    determine the clustering, and their effects on the means add up.
    """
    if shared_information(a, b) > LIMITS.alike or _occurring(a, b) < 1:
        return False
    combined = a * (int(b.max()) + 1) + b
    entropy = _entropy(np.bincount(codes[codes >= 0]) / max((codes >= 0).sum(), 1))
    shared = shared_information(combined, codes) * min(
        entropy, _entropy(np.bincount(combined) / len(combined))
    )
    if shared < LIMITS.merged * entropy:
        return False
    A, B = _members(a), _members(b)
    crossed = (A[:, :, None] * B[:, None, :]).reshape(len(P), -1)
    sums = _explained(np.column_stack([A, B]), P)
    least = min(sums - _explained(A, P), sums - _explained(B, P))
    return bool(_explained(crossed, P) - sums <= LIMITS.interaction * least)


def _members(codes: Codes) -> Floats:
    """Indicators (n, k) of the clusters."""
    return np.asarray(codes[:, None] == np.arange(int(codes.max()) + 1), dtype=np.float64)


def _explained(M: Floats, P: Floats) -> float:
    """Sum of squares of the projection of P onto the columns of M."""
    inner = M.T @ M
    cross = M.T @ P
    return float((cross * (np.linalg.pinv(inner, hermitian=True) @ cross)).sum())
