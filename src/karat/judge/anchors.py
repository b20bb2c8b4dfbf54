"""Anchor partitions: clusterings of karat's own with which every candidate is compared.

They depend on the data alone, so that what is seen of a candidate does not depend on the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int32]

#: numbers of clusters of the anchors, as far as there are six objects for each cluster
GRID = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50)
#: k-means is run up to so many clusters; Ward's partition stands in beyond
KMEANS_UP_TO = 10
METHODS = ("k-means", "ward", "genie")


def canonical_order(Z: Floats) -> NDArray[np.intp]:
    """Objects by their distance from the mean: the same for data in another order or turned."""
    return np.argsort(((Z - Z.mean(axis=0)) ** 2).sum(axis=1).round(12), kind="stable")


def numbers_for(n: int) -> list[int]:
    """The numbers of clusters of n objects' anchors."""
    return [k for k in GRID if k <= max(2, n // 6)]


def nearest_number(n_clusters: NDArray[Any], numbers: Sequence[int]) -> NDArray[np.intp]:
    """Place of the number nearest to each candidate's, by their ratio."""
    k = np.log(np.maximum(n_clusters, 1))
    return np.abs(np.log(numbers)[None] - k[:, None]).argmin(axis=1)


def quick(Z: Floats, numbers: Sequence[int], seed: int) -> dict[str, Codes]:
    """k-means, Ward and Genie for every number of clusters, (len(numbers), n) each."""
    import fastcluster
    from sklearn.cluster import KMeans

    from karat.clusterers.genie import GenieClustering
    from karat.labelings.partitions import cut_dendrogram

    tree = fastcluster.linkage_vector(Z, method="ward")
    genie = GenieClustering().fit(Z)
    ward = [cut_dendrogram(tree, n_clusters=k) for k in numbers]
    kmeans = [
        KMeans(k, n_init=1, random_state=seed, max_iter=50).fit_predict(Z)
        if k <= KMEANS_UP_TO
        else labels
        for k, labels in zip(numbers, ward, strict=True)
    ]
    return {
        "k-means": np.stack(kmeans).astype(np.int32),
        "ward": np.stack(ward),
        "genie": np.stack([genie.cut(k) for k in numbers]),
    }


def anchors(Z: Floats) -> tuple[Codes, NDArray[np.bool_]]:
    """Distinct anchor partitions (R, n), and which methods found each (R, methods)."""
    from karat.labelings.partitions import canonical_codes

    order = canonical_order(Z)
    parts = quick(Z[order], numbers_for(len(Z)), 0)
    found: dict[bytes, tuple[Codes, list[bool]]] = {}
    for j, name in enumerate(METHODS):
        for labels in parts[name]:
            code = canonical_codes(labels)
            if code.max() > 0:
                found.setdefault(code.tobytes(), (code, [False] * len(METHODS)))[1][j] = True
    codes = np.empty((len(found), len(Z)), dtype=np.int32)
    codes[:, order] = np.stack([code for code, _ in found.values()])
    return codes, np.array([by for _, by in found.values()])
