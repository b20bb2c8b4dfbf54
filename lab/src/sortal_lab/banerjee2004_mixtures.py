"""Clusters of spherical k-means before and after EM of von Mises–Fisher mixtures."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sortal.clusterers import SphericalKMeans, VonMisesFisherMixture
from sortal.extension import KeptValues
from sortal.measures import purity
from sortal_lab import ExperimentResult
from sortal_lab.banerjee2004_collections import COLLECTIONS, Collection, collection, sampled

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from sortal.typing import Rows


STARTS = 10


def run(
    *,
    name: str = "banerjee2004-mixtures",
    samples: int | None = None,
    random_state: int | None = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Clusters of spherical k-means and the mixtures that start from them.

    ``samples``: starts, and draws of the documents of collections that are samples; 10 by
    default.

    Returns means over the starts, in a row for each collection and clustering.
    """
    import pandas as pd
    from scipy import stats

    seed = int(random_state if random_state is not None else 0)
    starts = samples or STARTS
    journal = KeptValues(storage)
    tables = []
    for which in COLLECTIONS:
        runs = []
        data = None
        for start in range(starts):
            key = json.dumps(["mixtures", which, start, seed])
            rows = journal.get(key)
            if rows is None:
                if data is None or sampled(which):
                    data = collection(which, np.random.default_rng([seed, start]))
                rows = one_start(data, seed * 1000 + start)
                journal.put(key, rows)
                if progress is not None:
                    progress(f"{which}: start {start + 1} of {starts}")
            runs.append(pd.DataFrame(rows))
        both = pd.concat(runs).groupby("clustering", sort=False)
        table = both.mean()
        table.insert(2, "±", stats.t.ppf(0.975, starts - 1) * both["added"].sem())
        table = table.reset_index()
        table.insert(0, "collection", which)
        tables.append(table)
    return ExperimentResult(name, pd.concat(tables, ignore_index=True), _notes(starts))


def _notes(starts: int) -> tuple[str, ...]:
    """Notes on the columns."""
    return (
        f"As many clusters as classes; means over {starts} starts. Mixtures start from the "
        "clusters of SPKMeans, the last from the documents nearest to each class's center.",
        "error: % of the documents outside the most common class of their cluster; added: to that "
        "of the start, '±' the half width of its 95 % interval; log-likelihood: of the mixture "
        "with these clusters as components, less that of SPKMeans, for each document; "
        "cosine: mean with the own center; largest: % of the documents in the largest cluster; "
        "nearest mean, nearest direction: % of the documents whose cluster is that of the nearest "
        "mean by the Euclidean distance, of the nearest center by the cosine.",
    )


def one_start(data: Collection, seed: int) -> list[dict[str, Any]]:
    """The rows of one collection and one seed."""
    full = np.diff(data.X.indptr) > 0
    X, truth = data.X[full], data.truth[full]
    k = int(truth.max()) + 1
    settings: dict[str, Any] = {"n_init": 1, "max_iter": 100, "random_state": seed}
    classes = _sums(X, truth, k)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = SphericalKMeans(k, **settings).fit_predict(X)
        hard = VonMisesFisherMixture(k, assignment="hard", **settings).fit(X)
        soft = VonMisesFisherMixture(k, **settings).fit(X)
        informed = VonMisesFisherMixture(k, init=classes, max_iter=100).fit(X)
    n = len(truth)
    near = _cosines(X, classes).argmax(axis=1)
    rows = []
    for clustering, labels, origin, likelihood in (
        ("SPKMeans", start, start, soft.objective_path_[0] / n),
        ("Hard-moVMF", hard.labels_, start, hard.score(X)),
        ("Soft-moVMF", soft.labels_, start, soft.objective_ / n),
        ("class centers", near, near, informed.objective_path_[0] / n),
        ("Soft-moVMF from class centers", informed.labels_, near, informed.objective_ / n),
    ):
        codes = np.unique(labels, return_inverse=True)[1]
        sizes = np.bincount(codes)
        means = _sums(X, codes, len(sizes)) / sizes[:, None]
        lengths = np.linalg.norm(means, axis=1)
        cosines = _cosines(X, means)
        # twice the product less the square: the squared distance to the mean, but for a constant
        nearest_mean = (2 * cosines * lengths - lengths**2).argmax(axis=1)
        rows.append(
            {
                "clustering": clustering,
                "error": 100 * (1 - purity(truth, labels)),
                "added": 100 * (purity(truth, origin) - purity(truth, labels)),
                "log-likelihood": float(likelihood - soft.objective_path_[0] / n),
                "cosine": float(cosines[np.arange(n), codes].mean()),
                "largest": 100 * float(sizes.max()) / n,
                "nearest mean": 100 * float((nearest_mean == codes).mean()),
                "nearest direction": 100 * float((cosines.argmax(axis=1) == codes).mean()),
            }
        )
    return rows


def _sums(X: Rows, labels: NDArray[Any], k: int) -> NDArray[np.float64]:
    """Sums of the rows of each cluster."""
    from scipy import sparse

    n = len(labels)
    members = sparse.csr_array((np.ones(n), (labels, np.arange(n))), (k, n))
    sums: NDArray[np.float64] = (members @ X).toarray()
    return sums


def _cosines(X: Rows, centers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cosines of rows of length 1 with the centers."""
    cosines: NDArray[np.float64] = X @ (centers.T / np.linalg.norm(centers, axis=1))
    return cosines
