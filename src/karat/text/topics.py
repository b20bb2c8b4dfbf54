"""What clusters of documents are about: telling terms, and how good they are as topics."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.held_out import held_out
from karat.runtime.validation import InputError, check_data
from karat.text._weights import presence

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray
    from scipy.sparse import csr_array


def telling_terms(
    X: Any,
    labels: Any,
    terms: Any = None,
    *,
    count: int = 10,
    level: float = 0.95,
    random_state: int = 0,
) -> pd.DataFrame:
    """The characteristic terms of each cluster: those that tell it from all other documents.

    Parameters
    ----------
    X : sparse or array-like, shape (n, d)
        Terms of documents, of any weight: a document has a term if its entry is not 0.
    labels : array-like of int, shape (n,)
        Cluster of each document; -1 is none, and belongs to the rest.
    terms : sequence of str, length d, optional
        What the columns are called.
    count : int, default 10
        Terms for each cluster; fewer where fewer are more frequent there than elsewhere.
    level : float, default 0.95
        Confidence of all intervals together.
    random_state : int, default 0
        For the halves of the documents.

    Returns
    -------
    DataFrame
        ``cluster``, ``term``, ``share`` of the cluster's documents that have it, ``rest`` (share
        of the others), and ``low``, ``high``: an interval of the difference of the two among
        documents that did not form the clusters. NaN where k-means does not find the cluster again
        in each half of the documents: nothing is known of others then. Ordered by cluster and
        falling lower limit of the difference in these documents.

    Notes
    -----
    That the words of the clusters differ is no discovery, because the clusters were made of them:
    of clusters of texts of independent words, half of the intervals of these documents exclude 0.
    Therefore each half is clustered alone, and the documents of the other half are put into its
    clusters by all words but the one in question (:mod:`karat.labelings.held_out`). An interval
    above 0 says that the word goes with the others of its cluster.

    Newcombe's interval of a difference of proportions (1998, method 10), simultaneous over all
    terms and clusters by Bonferroni's division of 1 - level, so that picking the highest is paid
    for. A single Latin letter is what an abbreviation leaves behind; it is not among the terms.
    O(nnz + k d), and k-means of at most 4,000 documents.

    Examples
    --------
    >>> from karat.text import TextVectorizer, telling_terms
    >>> vectorizer = TextVectorizer(min_df=1)
    >>> X = vectorizer.fit_transform(["red wine", "white wine", "old ship", "new ship"] * 10)
    >>> found = telling_terms(X, [0, 0, 1, 1] * 10, vectorizer.terms_, count=1)
    >>> found[["cluster", "term", "share", "rest"]].values.tolist()
    [[0, 'wine', 1.0, 0.0], [1, 'ship', 1.0, 0.0]]
    """
    import pandas as pd
    from scipy import stats

    rows, codes, clusters = _documents(X, labels)
    names = np.arange(rows.shape[1]) if terms is None else np.asarray(terms, dtype=object)
    if len(names) != rows.shape[1]:
        raise InputError(f"there are {len(names)} terms for {rows.shape[1]} columns")
    if not 0 < level < 1:
        raise InputError(f"level must be between 0 and 1; got {level!r}")
    inside = _having(rows, codes, clusters)
    everywhere = presence(rows)
    told = np.array([not _is_letter(name) for name in names])
    z = float(stats.norm.isf((1 - level) / (2 * len(clusters) * rows.shape[1])))
    found = []
    for c, cluster in enumerate(clusters):
        size = int((codes == cluster).sum())
        outside = everywhere - inside[c]
        low, _ = _difference(inside[c], size, outside, len(codes) - size, z)
        share = inside[c] / size
        rest = outside / max(len(codes) - size, 1)
        best = np.lexsort((-share, -low, ~told))
        for j in [j for j in best[: 3 * count] if told[j] and share[j] > rest[j]][:count]:
            found.append((c, j, share[j], rest[j]))
    intervals = _elsewhere(rows, codes, clusters, [(c, j) for c, j, _, _ in found], z, random_state)
    table = [
        (int(clusters[c]), names[j], share, rest, *ends)
        for (c, j, share, rest), ends in zip(found, intervals, strict=True)
    ]
    return pd.DataFrame(table, columns=["cluster", "term", "share", "rest", "low", "high"])


def _elsewhere(
    rows: csr_array, codes: NDArray[np.int64], clusters: Any, picked: Any, z: float, seed: int
) -> list[tuple[float, float]]:
    """Intervals of differences among documents that did not form the clusters; NaN for none."""
    from sklearn.preprocessing import normalize

    numbers = np.full(int(codes.max()) + 2, -1)
    numbers[clusters] = np.arange(len(clusters))
    # outliers have the last code, -1
    halves = held_out(normalize(rows), numbers[codes], by_direction=True, random_state=seed)
    out = []
    for c, j in picked:
        if halves is None or not halves.found[c]:
            out.append((math.nan, math.nan))
            continue
        placed = halves.clusters([j])
        own, other = placed == c, (placed != c) & (placed >= 0)
        has = rows[halves.rows][:, [j]].toarray().ravel() != 0
        x, y = np.array([(has & own).sum()]), np.array([(has & other).sum()])
        low, high = _difference(x, int(own.sum()), y, int(other.sum()), z)
        out.append((float(low[0]), float(high[0])))
    return out


def _is_letter(name: Any) -> bool:
    return isinstance(name, str) and len(name) == 1 and name.isascii() and name.isalpha()


def _difference(
    x: NDArray[np.int64], n: int, y: NDArray[np.int64], m: int, z: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Newcombe's interval of x/n - y/m."""
    p, q = x / max(n, 1), y / max(m, 1)
    low_p, high_p = _wilson(x, n, z)
    low_q, high_q = _wilson(y, m, z)
    low = p - q - np.sqrt((p - low_p) ** 2 + (high_q - q) ** 2)
    return low, p - q + np.sqrt((high_p - p) ** 2 + (q - low_q) ** 2)


def _wilson(
    x: NDArray[np.int64], n: int, z: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if n == 0:
        return np.zeros(len(x)), np.ones(len(x))
    p = x / n
    middle = p + z**2 / (2 * n)
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return (middle - half) / (1 + z**2 / n), (middle + half) / (1 + z**2 / n)


def topic_quality(X: Any, labels: Any, *, count: int = 10) -> pd.DataFrame:
    """How good clusters of documents are as topics, judged by their most telling terms.

    Parameters
    ----------
    X : sparse or array-like, shape (n, d)
        Terms of documents.
    labels : array-like of int, shape (n,)
        Cluster of each document; -1 is none.
    count : int, default 10
        Terms that stand for a cluster.

    Returns
    -------
    DataFrame
        A row for each cluster: ``coherence``, the mean over pairs of its terms of the normalised
        pointwise mutual information of being in one document, from -1 (never together) by 0
        (independent) to 1 (always together); ``exclusivity``, the mean over its terms of the
        cluster's share among the shares of all clusters, from 1/k to 1; ``diversity``, the part of
        its terms that no other cluster has among its own. NaN where there are no terms.

    Notes
    -----
    Coherence of Bouma 2009 and Aletras & Stevenson 2013, counted in these documents themselves:
    it compares clusterings of one collection, not collections. Diversity is that of Dieng, Ruiz &
    Blei 2020, for each cluster; the mean over the clusters is the share of unique terms.

    Examples
    --------
    >>> from karat.text import TextVectorizer, topic_quality
    >>> X = TextVectorizer(min_df=1).fit_transform(["red wine", "old ship"] * 4)
    >>> topic_quality(X, [0, 1] * 4).loc[0].tolist()
    [1.0, 1.0, 1.0]
    """
    import pandas as pd

    rows, codes, clusters = _documents(X, labels)
    top = telling_terms(rows, codes, count=count).groupby("cluster")["term"].agg(list)
    inside = _having(rows, codes, clusters)
    shares = inside / np.array([(codes == c).sum() for c in clusters])[:, None]
    used = np.array([j for own in top for j in own], dtype=np.int64)
    together = _together(rows, np.unique(used))
    quality = {}
    for c, cluster in enumerate(clusters):
        own = top.get(cluster, [])
        others = {j for other in top.index if other != cluster for j in top[other]}
        quality[int(cluster)] = {
            "coherence": _coherence(own, together, rows.shape[0]),
            "exclusivity": float(np.mean(shares[c, own] / shares[:, own].sum(axis=0)))
            if own
            else np.nan,
            "diversity": float(np.mean([j not in others for j in own])) if own else np.nan,
        }
    return pd.DataFrame.from_dict(quality, orient="index").rename_axis("cluster")


def _coherence(own: list[int], together: dict[tuple[int, int], int], n: int) -> float:
    values = []
    for i, j in combinations(sorted(own), 2):
        both = together[i, j] / n
        if both == 0:
            values.append(-1.0)
        elif both == 1:
            values.append(1.0)
        else:
            apart = together[i, i] / n * together[j, j] / n
            values.append(float(np.log(both / apart) / -np.log(both)))
    return float(np.mean(values)) if values else np.nan


def _together(rows: csr_array, used: NDArray[np.int64]) -> dict[tuple[int, int], int]:
    """In how many documents two terms are together."""
    there = rows[:, used].astype(bool).astype(np.int64)
    counts = (there.T @ there).toarray()
    return {
        (int(a), int(b)): int(counts[i, j]) for i, a in enumerate(used) for j, b in enumerate(used)
    }


def _having(rows: csr_array, codes: NDArray[np.int64], clusters: Any) -> NDArray[np.int64]:
    """Documents of each cluster that have each term: shape (k, d)."""
    return np.array([presence(rows[codes == c]) for c in clusters])


def _documents(X: Any, labels: Any) -> tuple[csr_array, NDArray[np.int64], NDArray[np.int64]]:
    from scipy import sparse

    rows = sparse.csr_array(check_data(X))
    codes = np.asarray(labels)
    if codes.shape != (rows.shape[0],) or codes.dtype.kind not in "iu":
        raise InputError(
            f"labels must be {rows.shape[0]} whole numbers, one for each document; got an array "
            f"of shape {codes.shape} and type {codes.dtype}"
        )
    clusters = np.unique(codes[codes >= 0])
    if len(clusters) == 0:
        raise InputError("no document is in a cluster: every label is -1")
    return rows, codes.astype(np.int64), clusters
