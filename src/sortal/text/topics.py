"""Topics of clusters of documents: characteristic terms, and the quality of the topics."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.labelings.held_out import held_out
from sortal.runtime.validation import InputError, check_data
from sortal.text._weights import presence

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from sortal.typing import ArrayLike, Labels


def telling_terms(
    X: ArrayLike,
    labels: Labels,
    terms: Sequence[object] | NDArray[Any] | None = None,
    *,
    count: int = 10,
    level: float = 0.95,
    random_state: int = 0,
) -> pd.DataFrame:
    """The characteristic terms of each cluster, which separate it from other documents.

    Parameters
    ----------
    X : sparse or array-like, shape (n, d)
        Terms of documents, of any weight: a document has a term if its entry is not 0.
    labels : array-like of int, shape (n,)
        Cluster of each document; -1 is none, and belongs to the rest.
    terms : sequence of str, length d, optional
        Names of the columns.
    count : int, default 10
        Terms for each cluster; fewer where fewer are more frequent there than elsewhere.
    level : float, default 0.95
        Confidence of all intervals together.
    random_state : int, default 0
        Seed of the halves of the documents.

    Returns
    -------
    DataFrame
        ``cluster``, ``term``, its ``share`` in the cluster's documents, and in the ``rest``.
        ``low`` to ``high`` is an interval for the difference of the two, from documents that did
        not form the clusters. It is NaN where k-means does not reproduce the cluster in each half
        of the documents. The order is by cluster, then by descending lower limit of the difference.

    Notes
    -----
    The words of the clusters differ in any case, because the clusters were made of them. Even for
    clusters of texts of independent words, half of the intervals of these documents exclude 0.
    Therefore each half is clustered alone, and the documents of the other half are assigned to its
    clusters by all words but the one in question (:mod:`sortal.labelings.held_out`). An interval
    above 0 says that the word goes with the other words of its cluster.

    Newcombe's interval of a difference of proportions (1998, method 10), simultaneous over all
    terms and clusters by Bonferroni's division of 1 - level, which accounts for picking the
    highest. Single Latin letters, remains of abbreviations, are no terms. O(nnz + k d), and k-means
    of at most 4,000 documents.

    Examples
    --------
    >>> from sortal.text import TextVectorizer, telling_terms
    >>> vectorizer = TextVectorizer(min_df=1)
    >>> X = vectorizer.fit_transform(["red wine", "white wine", "old ship", "new ship"] * 10)
    >>> table = telling_terms(X, [0, 0, 1, 1] * 10, vectorizer.terms_, count=1)
    >>> table[["cluster", "term", "share", "rest"]].values.tolist()
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
    eligible = np.array([re.fullmatch("[A-Za-z]", str(name)) is None for name in names])
    z = float(stats.norm.isf((1 - level) / (2 * len(clusters) * rows.shape[1])))
    candidates = []
    for c, cluster in enumerate(clusters):
        size = int((codes == cluster).sum())
        outside = everywhere - inside[c]
        low, _ = _difference(inside[c], size, outside, len(codes) - size, z)
        share = inside[c] / size
        share_outside = outside / max(len(codes) - size, 1)
        best = np.lexsort((-share, -low, ~eligible))
        for j in [j for j in best[: 3 * count] if eligible[j] and share[j] > share_outside[j]][
            :count
        ]:
            candidates.append((c, j, share[j], share_outside[j]))
    intervals = _elsewhere(
        rows, codes, clusters, [(c, j) for c, j, _, _ in candidates], z, random_state
    )
    table = [
        (int(clusters[c]), names[j], share, share_outside, *ends)
        for (c, j, share, share_outside), ends in zip(candidates, intervals, strict=True)
    ]
    return pd.DataFrame(table, columns=["cluster", "term", "share", "rest", "low", "high"])


def _elsewhere(
    rows: csr_array,
    codes: NDArray[np.int64],
    clusters: NDArray[np.int64],
    pairs: list[tuple[int, int]],
    z: float,
    seed: int,
) -> list[tuple[float, float]]:
    """Intervals of differences among documents that did not form the clusters; NaN for none."""
    from sklearn.preprocessing import normalize

    numbers = np.full(int(codes.max()) + 2, -1)
    numbers[clusters] = np.arange(len(clusters))
    # outliers have the last code, -1
    halves = held_out(normalize(rows), numbers[codes], by_direction=True, random_state=seed)
    intervals = []
    for c, j in pairs:
        if halves is None or not halves.found[c]:
            intervals.append((math.nan, math.nan))
            continue
        placed = halves.clusters([j])
        inside, outside = placed == c, (placed != c) & (placed >= 0)
        has = rows[halves.rows][:, [j]].toarray().ravel() != 0
        x, y = np.array([(has & inside).sum()]), np.array([(has & outside).sum()])
        low, high = _difference(x, int(inside.sum()), y, int(outside.sum()), z)
        intervals.append((float(low[0]), float(high[0])))
    return intervals


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
    """Wilson's limits of the share x/n."""
    if n == 0:
        return np.zeros(len(x)), np.ones(len(x))
    p = x / n
    middle = p + z**2 / (2 * n)
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return (middle - half) / (1 + z**2 / n), (middle + half) / (1 + z**2 / n)


def topic_quality(X: ArrayLike, labels: Labels, *, count: int = 10) -> pd.DataFrame:
    """Quality of clusters of documents as topics, from their characteristic terms.

    Parameters
    ----------
    X : sparse or array-like, shape (n, d)
        Terms of documents.
    labels : array-like of int, shape (n,)
        Cluster of each document; -1 is none.
    count : int, default 10
        Terms that represent a cluster.

    Returns
    -------
    DataFrame
        A row for each cluster. ``coherence``: mean normalised pointwise mutual information of
        pairs of its terms in one document, from -1 (never together) over 0 (independent) to 1
        (always together). ``exclusivity``: mean over its terms of the cluster's share among the
        shares of all clusters, from 1/k to 1. ``diversity``: share of its terms that are not among
        another cluster's terms. NaN where there are no terms.

    Notes
    -----
    Coherence follows Bouma 2009 and Aletras & Stevenson 2013, with counts from these documents: it
    compares clusterings of one collection, not collections. Diversity follows Dieng, Ruiz & Blei
    2020, for each cluster; the mean over the clusters is the share of unique terms.

    Examples
    --------
    >>> from sortal.text import TextVectorizer, topic_quality
    >>> X = TextVectorizer(min_df=1).fit_transform(["red wine", "old ship"] * 4)
    >>> topic_quality(X, [0, 1] * 4).loc[0].tolist()
    [1.0, 1.0, 1.0]
    """
    import pandas as pd

    rows, codes, clusters = _documents(X, labels)
    top = telling_terms(rows, codes, count=count).groupby("cluster")["term"].agg(list)
    inside = _having(rows, codes, clusters)
    shares = inside / np.array([(codes == c).sum() for c in clusters])[:, None]
    term_columns = np.array([j for terms in top for j in terms], dtype=np.int64)
    joint_counts = _together(rows, np.unique(term_columns))
    quality = {}
    for c, cluster in enumerate(clusters):
        terms = top.get(cluster, [])
        others = {
            j for other_cluster in top.index if other_cluster != cluster for j in top[other_cluster]
        }
        quality[int(cluster)] = {
            "coherence": _coherence(terms, joint_counts, rows.shape[0]),
            "exclusivity": float(np.mean(shares[c, terms] / shares[:, terms].sum(axis=0)))
            if terms
            else np.nan,
            "diversity": float(np.mean([j not in others for j in terms])) if terms else np.nan,
        }
    return pd.DataFrame.from_dict(quality, orient="index").rename_axis("cluster")


def _coherence(terms: list[int], joint_counts: dict[tuple[int, int], int], n: int) -> float:
    """Mean normalised pointwise mutual information of pairs of terms."""
    values = []
    for i, j in combinations(sorted(terms), 2):
        joint = joint_counts[i, j] / n
        if joint == 0:
            values.append(-1.0)
        elif joint == 1:
            values.append(1.0)
        else:
            independent = joint_counts[i, i] / n * joint_counts[j, j] / n
            values.append(float(np.log(joint / independent) / -np.log(joint)))
    return float(np.mean(values)) if values else np.nan


def _together(rows: csr_array, term_columns: NDArray[np.int64]) -> dict[tuple[int, int], int]:
    """Number of documents that contain both terms of each pair."""
    presence_of_used = rows[:, term_columns].astype(bool).astype(np.int64)
    counts = (presence_of_used.T @ presence_of_used).toarray()
    return {
        (int(a), int(b)): int(counts[i, j])
        for i, a in enumerate(term_columns)
        for j, b in enumerate(term_columns)
    }


def _having(
    rows: csr_array, codes: NDArray[np.int64], clusters: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Number of documents of each cluster with each term, shape (k, d)."""
    return np.array([presence(rows[codes == c]) for c in clusters])


def _documents(
    X: ArrayLike, labels: Labels
) -> tuple[csr_array, NDArray[np.int64], NDArray[np.int64]]:
    """Validated rows and codes, and the sorted clusters."""
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
