"""Clusterings: many hard ones at once, soft and overlapping ones, and cuts of a dendrogram."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from sortal.labelings.indexes import aligned, in_order_of, index_rows
from sortal.labelings.labels import (
    NOISE,
    Encoded,
    NoisePolicy,
    apply_noise_policy,
    encode,
    encode_integers,
    no_order,
)
from sortal.labelings.row_join import JoinedSides, Rows
from sortal.runtime.validation import InputError, on_host


@dataclass(frozen=True)
class Labelings:
    """M clusterings of the same n objects, as every judge receives them.

    Attributes
    ----------
    codes : ndarray of int32, shape (M, n)
        C-contiguous; row m has codes ``0..n_clusters[m]-1``, every one of them used, and ``-1``
        for objects that the judge excludes (``noise="drop"`` only).
    names : tuple of str, length M
        One name per clustering, all different.
    n_clusters : ndarray of int64, shape (M,)
    cluster_names : tuple of ndarray, length M
        The user's label of each code.
    objects : Rows or None
        The index of the objects, where tables or series with one were read.
    """

    codes: NDArray[np.int32]
    names: tuple[str, ...]
    n_clusters: NDArray[np.int64]
    cluster_names: tuple[NDArray[np.object_], ...]
    objects: Rows | None = None

    def in_order(self, values: Any, *, name: str = "y", on: JoinedSides = "right") -> Any:
        """Series or table beside these clusterings in their order; others stay as they are."""
        return in_order_of(self.objects, values, name="labelings", other_name=name, on=on)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def n_objects(self) -> int:
        """Number of objects n."""
        return self.codes.shape[1]

    @property
    def coverage(self) -> NDArray[np.float64]:
        """Share of the objects that are judged, per clustering."""
        return (self.codes != NOISE).mean(axis=1)

    def sizes(self, m: int, weights: NDArray[np.float64] | None = None) -> NDArray[Any]:
        """Number of objects in each cluster of clustering ``m``, or their weights in sum."""
        row = self.codes[m]
        is_judged = row != NOISE
        kept_weights = None if weights is None else weights[is_judged]
        return np.bincount(row[is_judged], kept_weights, minlength=int(self.n_clusters[m]))

    def select(self, rows: Sequence[int] | NDArray[np.integer[Any]]) -> Labelings:
        """Labelings with the clusterings at ``rows``."""
        chosen = [int(i) for i in rows]
        return replace(
            self,
            codes=np.ascontiguousarray(self.codes[chosen]),
            names=tuple(self.names[i] for i in chosen),
            n_clusters=self.n_clusters[chosen],
            cluster_names=tuple(self.cluster_names[i] for i in chosen),
        )

    def take(self, objects: NDArray[Any]) -> Labelings:
        """Labelings of a subset of the objects; clusters left empty are dropped."""
        codes = self.codes[:, objects]
        names = []
        for row, names_before in zip(codes, self.cluster_names, strict=True):
            used = np.zeros(len(names_before) + 1, dtype=bool)  # the last is that of outliers
            used[row] = True
            rank = np.append(np.cumsum(used[:-1]) - 1, NOISE)
            row[:] = rank[row]
            names.append(names_before[used[:-1]])
        return replace(
            self,
            codes=np.ascontiguousarray(codes),
            n_clusters=np.array([len(remaining) for remaining in names], dtype=np.int64),
            cluster_names=tuple(names),
            objects=None,
        )


def as_labelings(
    labelings: object,
    *,
    n_objects: int | None = None,
    noise: NoisePolicy = "error",
    on: JoinedSides = "both",
) -> Labelings:
    """Bring one or many clusterings into the form that judges receive.

    Parameters
    ----------
    labelings : Labelings, array-like (n,) or (M, n), mapping, DataFrame, or list of array-likes
        A mapping or a DataFrame gives names (a DataFrame's columns are clusterings); otherwise
        they are called ``"0"``, ``"1"``, ... A two-dimensional array has one clustering per row.
        Series with a pandas index of ids are joined by these ids.
    n_objects : int, optional
        How many objects each must have.
    noise : {"error", "cluster", "singletons", "drop"}
        What the label ``-1`` means, see :func:`apply_noise_policy`.
    on : {"both", "inner"}
        Whether all series must have the same objects, or the common ones are taken.

    Examples
    --------
    >>> from sortal.labelings.partitions import as_labelings
    >>> as_labelings({"a": [0, 0, 1], "b": ["x", "y", "z"]}).n_clusters
    array([2, 3])
    """
    objects = None
    if isinstance(labelings, Labelings):
        objects = labelings.objects
        _check_length(labelings.n_objects, n_objects, "labelings")
        if noise == "drop" or not (labelings.codes == NOISE).any():
            return labelings
        pairs = [
            (name, Encoded(row, names))
            for name, row, names in zip(
                labelings.names, labelings.codes, labelings.cluster_names, strict=True
            )
        ]
    else:
        named = _named(labelings, on)
        objects = index_rows([labels for _, labels in named], "labelings")
        names = [name for name, _ in named]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"two clusterings are called {twice!r}; give each a name of its own")
        pairs = [(name, encode(labels, name=f"labels {name!r}")) for name, labels in named]
    if not pairs:
        raise InputError("there is no clustering to judge; give at least one")
    length = len(pairs[0][1].codes)
    encoded = []
    for name, encoding in pairs:
        _check_length(len(encoding.codes), length if n_objects is None else n_objects, f"{name!r}")
        encoded.append(apply_noise_policy(encoding, noise, name=f"labels {name!r}"))
    codes = [encoding.codes for encoding in encoded]
    return Labelings(
        np.stack(codes) if len(codes) > 1 else np.ascontiguousarray(codes[0])[None],
        tuple(name for name, _ in pairs),
        np.array([encoding.n_clusters for encoding in encoded], dtype=np.int64),
        tuple(encoding.names for encoding in encoded),
        objects,
    )


def _check_length(length: int, wanted: int | None, name: str) -> None:
    """Raise unless a clustering has as many labels as wanted."""
    if wanted is not None and length != wanted:
        raise InputError(f"{name} has {length} labels, but there are {wanted} objects")


def _named(labelings: Any, on: JoinedSides) -> list[tuple[str, Any]]:
    """Names and labels of the clusterings in any accepted container, in one order."""
    if isinstance(labelings, Mapping):
        if any(isinstance(v, str) or not isinstance(v, Iterable) for v in labelings.values()):
            raise no_order("labels")
        return [(str(name), labels) for name, labels in aligned(labelings, on=on).items()]
    if hasattr(labelings, "columns") and hasattr(labelings, "__getitem__"):
        return [(str(name), labelings[name]) for name in labelings.columns]
    if getattr(labelings, "ndim", 1) == 2:
        return [(str(i), labelings[i, ...]) for i in range(labelings.shape[0])]
    if isinstance(labelings, (list, tuple)) and labelings and _is_labeling(labelings[0]):
        return [(str(i), labels) for i, labels in enumerate(aligned(labelings, on=on))]
    return [("0", labelings)]


def _is_labeling(value: object) -> bool:
    """Whether a list's entry holds labels itself."""
    ndim = getattr(value, "ndim", None)
    return isinstance(value, list) or hasattr(value, "to_numpy") if ndim is None else ndim > 0


def canonical_codes(codes: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
    """The same partition with clusters numbered by first appearance; outliers stay ``-1``.

    Two label arrays are the same partition exactly where their canonical codes are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.labelings.partitions import canonical_codes
    >>> canonical_codes(np.array([5, 5, -1, 2]))
    array([ 0,  0, -1,  1], dtype=int32)
    """
    compact, values = encode_integers(np.asarray(codes))
    first = first_places(compact, len(values))
    is_cluster = values != NOISE
    order = np.argsort(np.where(is_cluster, first, len(codes)), kind="stable")
    rank = np.empty(len(values), dtype=np.int32)
    rank[order] = np.arange(len(values), dtype=np.int32)
    rank[~is_cluster] = NOISE
    return rank[compact]


def first_places(codes: NDArray[np.int32], k: int) -> NDArray[np.intp]:
    """First position of each of the codes 0 .. k - 1; the length for a code that is absent."""
    first = np.full(k, len(codes), dtype=np.intp)
    starts = range(0, len(codes), 1 << 20)
    for start in reversed(starts):
        block = codes[start : start + (1 << 20)]
        # of several values for one place the last one stays
        first[block[::-1]] = np.arange(start + len(block) - 1, start - 1, -1)
    return first


@dataclass(frozen=True)
class SoftPartition:
    """Memberships between 0 and 1 that sum to 1 for each object.

    Attributes
    ----------
    memberships : ndarray of float64, shape (n, k)
        Rows sum to 1 ± 1e-6.
    """

    memberships: NDArray[np.float64]

    def __post_init__(self) -> None:
        U = np.asarray(on_host(self.memberships, name="memberships"), dtype=np.float64)
        if U.ndim != 2 or 0 in U.shape:
            raise InputError(f"memberships must have shape (n, k); it is {U.shape}")
        if not np.isfinite(U).all() or U.min() < 0:
            raise InputError("memberships must be finite and not negative")
        worst = int(np.argmax(np.abs(U.sum(axis=1) - 1)))
        if abs(U[worst].sum() - 1) > 1e-6:
            raise InputError(
                f"memberships of object {worst} sum to {U[worst].sum():.9g}; each row must sum "
                "to 1 ± 1e-6. For clusters that may overlap use OverlappingPartition"
            )
        object.__setattr__(self, "memberships", U)

    def harden(self) -> NDArray[np.int32]:
        """Label of the largest membership; ties go to the lower index.

        Examples
        --------
        >>> from sortal.labelings.partitions import SoftPartition
        >>> SoftPartition([[0.5, 0.5], [0.1, 0.9]]).harden()
        array([0, 1], dtype=int32)
        """
        return np.argmax(self.memberships, axis=1).astype(np.int32)


@dataclass(frozen=True)
class OverlappingPartition:
    """Clusters that may share objects.

    Attributes
    ----------
    memberships : ndarray of bool, shape (n, k)
        True where object i is in cluster j; a row of all False is an outlier.
    """

    memberships: NDArray[np.bool_]

    def __post_init__(self) -> None:
        U = np.asarray(on_host(self.memberships, name="memberships"))
        if U.ndim != 2 or 0 in U.shape:
            raise InputError(f"memberships must have shape (n, k); it is {U.shape}")
        if U.dtype != bool and not np.isin(U, (0, 1)).all():
            raise InputError("memberships must be True or False (or 1 and 0)")
        object.__setattr__(self, "memberships", U.astype(bool))

    def harden(self) -> NDArray[np.int32]:
        """The first cluster of each object; -1 for one that is in none.

        Examples
        --------
        >>> from sortal.labelings.partitions import OverlappingPartition
        >>> OverlappingPartition([[1, 1], [0, 1], [0, 0]]).harden()
        array([ 0,  1, -1], dtype=int32)
        """
        first = np.argmax(self.memberships, axis=1).astype(np.int32)
        return np.where(self.memberships.any(axis=1), first, np.int32(NOISE)).astype(np.int32)


def cut_dendrogram(
    Z: npt.ArrayLike, *, n_clusters: int | Iterable[int] | None = None, height: float | None = None
) -> NDArray[np.int32]:
    """Labels from a dendrogram, cut at a number of clusters or at a height.

    Parameters
    ----------
    Z : array-like, shape (n-1, 4)
        Linkage matrix in SciPy's form.
    n_clusters : int or iterable of int, optional
        How many clusters; several give one row of labels each, from one walk over the tree.
        Exactly so many come out, also where merge heights tie.
    height : float, optional
        Merges above it are undone.

    Returns
    -------
    ndarray of int32, shape (n,) or (len(n_clusters), n)
        Clusters numbered by first appearance.

    Examples
    --------
    >>> from scipy.cluster.hierarchy import linkage
    >>> from sortal.labelings.partitions import cut_dendrogram
    >>> Z = linkage([[0.0], [1.0], [5.0], [5.5]], "average")
    >>> cut_dendrogram(Z, n_clusters=2)
    array([0, 0, 1, 1], dtype=int32)
    """
    from scipy.cluster.hierarchy import maxdists

    Z = as_linkage(Z)
    if (n_clusters is None) == (height is None):
        raise InputError("give either n_clusters or height")
    n = len(Z) + 1
    if height is not None:
        # the highest merge inside each node: heights of centroid linkage are not monotone
        merges = np.flatnonzero(maxdists(Z) <= height)
        return _cut(Z[merges], n, merges)
    several = isinstance(n_clusters, Iterable)
    numbers = list(n_clusters) if isinstance(n_clusters, Iterable) else [n_clusters]
    for k in numbers or [None]:
        if k is None or not 1 <= k <= n:
            raise InputError(f"n_clusters must be between 1 and the {n} objects; got {k}")
    cuts = [_cut(Z[: n - k], n, np.arange(n - k)) for k in numbers if k is not None]
    return np.stack(cuts) if several else cuts[0]


def as_linkage(Z: npt.ArrayLike, name: str = "Z") -> NDArray[np.float64]:
    """A linkage matrix that merges each cluster once, after it was made, at some height."""
    Z = np.asarray(Z, dtype=np.float64)
    good = Z.ndim == 2 and Z.shape[1] == 4 and len(Z) > 0
    if good:
        merged, creation = Z[:, :2], len(Z) + 1 + np.arange(len(Z))
        each_once = np.array_equal(np.sort(merged, axis=None), np.arange(2.0 * len(Z)))
        good = each_once and bool((merged < creation[:, None]).all() and (Z[:, 2] >= 0).all())
    if not good:
        raise InputError(f"{name} is not a linkage matrix in SciPy's form (n-1 rows, 4 columns)")
    return Z


def _cut(merges: NDArray[np.float64], n: int, rows: NDArray[np.intp]) -> NDArray[np.int32]:
    """Labels of n objects after the given merges."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    nodes = np.repeat(n + rows, 2), merges[:, :2].astype(np.int64).ravel()
    tree = sparse.coo_array((np.ones(2 * len(rows)), nodes), shape=(2 * n - 1, 2 * n - 1))
    # numbered by first appearance
    return np.asarray(connected_components(tree, directed=False)[1][:n], dtype=np.int32)
