"""Rankings of clusterings by internal measures, with and without correction for chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from sortal.measures import adjusted_rand_index, catalogue, chance_corrected_internal
from sortal_lab import ExperimentResult

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from sortal.typing import RandomState

#: those whose expectation has a closed form and whose optimum is finite, then four without one
MEASURES = (
    "within_cluster_scatter", "weighted_within_cluster_scatter_1",
    "weighted_within_cluster_scatter_2", "average_within_cluster_scatter", "ratio_cut",
    "within_sum_of_squares", "r_squared", "ball_hall_index", "pooled_variance", "c_index", "aucc",
    "kendall_tau_index", "point_biserial_index", "silhouette", "davies_bouldin_index",
    "mcclain_rao_index", "g_plus_index",
)  # fmt: skip
NUMBERS = range(2, 11)
PERMUTATIONS = 200
#: objects of a set that are drawn, at most
MOST = 200


def run(
    *,
    name: str = "internal-chance",
    samples: int | None = None,
    random_state: RandomState = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Rank the clusterings of six data sets by measures as they are and corrected for chance.

    ``samples``: data sets; all six by default.

    Returns a row for each measure: the mean and least Kendall's tau of the two rankings over
    the data sets, the number of clusters that either chooses, and the adjusted Rand index of
    the two choices with the classes, on average.
    """
    import pandas as pd
    from scipy.stats import kendalltau

    rows, titles = [], []
    for title, X, truth in list(_data(random_state))[:samples]:
        titles.append(f"{title} ({len(X)})")
        candidates = _candidates(X, random_state)
        for key in MEASURES:
            sign = catalogue[key].sign
            results = [
                chance_corrected_internal(
                    key, X, labels, n_permutations=PERMUTATIONS, random_state=random_state
                )
                for labels in candidates
            ]
            raw = np.array([sign * result.uncorrected for result in results])
            corrected = np.array([result.value for result in results])
            before, after = (
                candidates[int(np.argmax(values.round(12)))] for values in (raw, corrected)
            )
            rows.append(
                {
                    "measure": key,
                    "expectation": "permutations" if results[0].n_permutations else "exact",
                    "tau": kendalltau(raw.round(12), corrected.round(12)).statistic,
                    "k": len(np.unique(before)),
                    "k corrected": len(np.unique(after)),
                    "ARI": adjusted_rand_index(truth, before),
                    "ARI corrected": adjusted_rand_index(truth, after),
                }
            )
        if progress is not None:
            progress(f"{title}: {len(X)} objects, {len(candidates)} clusterings")
    each = pd.DataFrame(rows)
    groups = each.groupby("measure", sort=False)
    table = groups[["tau", "k", "k corrected", "ARI", "ARI corrected"]].mean()
    table.insert(0, "expectation", groups["expectation"].first())
    table.insert(2, "least tau", groups["tau"].min())
    return ExperimentResult(
        name,
        table.sort_values("tau", ascending=False, kind="stable").reset_index(),
        (
            f"k-means, average and Ward linkage for k = {NUMBERS[0]} to {NUMBERS[-1]}; objects of "
            f"each data set: {', '.join(titles)}; real tables have features of unit variance. "
            "Corrected is (M - E)/(optimum - E), E over permutations of labels.",
        ),
    )


def _data(random_state: RandomState) -> Iterator[tuple[str, NDArray[np.float64], NDArray[np.intp]]]:
    """Data sets of scikit-learn and random data, with classes."""
    from sklearn import datasets

    rng = np.random.default_rng(random_state)
    for name in ("iris", "wine", "breast_cancer", "digits"):
        X, truth = getattr(datasets, f"load_{name}")(return_X_y=True)
        # Ratio-Cut of 1/d² is infinite where objects coincide
        rows = np.sort(rng.permutation(np.unique(X, axis=0, return_index=True)[1])[:MOST])
        X, truth = X[rows], truth[rows]
        spread = X.std(axis=0)
        yield name, (X - X.mean(axis=0))[:, spread > 0] / spread[spread > 0], truth
    blobs = datasets.make_blobs(
        [20, 30, 40, 50, 60], cluster_std=1.5, centers=None, random_state=random_state
    )
    yield "blobs", blobs[0], blobs[1]
    moons = datasets.make_moons(MOST, noise=0.08, random_state=random_state)
    yield "moons", moons[0], moons[1]


def _candidates(X: NDArray[np.float64], random_state: RandomState) -> list[NDArray[np.intp]]:
    """Clusterings by k-means and linkage."""
    from scipy.cluster.hierarchy import cut_tree, linkage
    from sklearn.cluster import KMeans

    labelings = [
        KMeans(k, n_init=5, random_state=random_state).fit_predict(X).astype(np.intp)
        for k in NUMBERS
    ]
    for method in ("average", "ward"):
        cuts = cut_tree(linkage(X, method), list(NUMBERS))
        labelings += [column.astype(np.intp) for column in cuts.T]
    return labelings
