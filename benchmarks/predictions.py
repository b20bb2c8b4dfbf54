"""How far predictions, and their confidence, hold on objects that the model never had.

Of every real set of points with at most 1,100 objects a quarter is drawn, the clusterer is fitted
to the rest, and the quarter is predicted. *Right* is an object that is in the cluster in which the
same clusterer, fitted to all objects, has it, after the clusters were matched on the rest.

``python -m benchmarks.predictions`` prints the means by clusterer, and by confidence.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

import sortal
from benchmarks.choice import data_sets

CLUSTERERS = ("kmeans", "ward", "average", "gaussian-mixture", "hdbscan")
GROUPS = (0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1)
MOST_CLUSTERS = 8


def judged(X: Any, clusterer: str, k: int, seed: int = 0) -> pd.DataFrame | None:
    """A row for each held-out object: its confidence, whether it is right, unlike."""
    held = np.random.default_rng(seed).permutation(len(X))[: len(X) // 4]
    rest = np.setdiff1d(np.arange(len(X)), held)
    try:
        whole = fitted(X, clusterer, k)
        part = fitted(X[rest], clusterer, k)
        model = part.model
    except sortal.InputError:
        return None
    found = model.predict(X[held])
    same = matched(part.labels, whole.labels[rest], model.n_clusters)
    right = np.append(same, -1)[found.labels] == whole.labels[held]
    columns = {"confidence": found.confidence, "right": right, "unlike": found.unlike}
    said = model.extension_agreement.share
    return pd.DataFrame(columns).assign(clusterer=clusterer, said=said)


def fitted(X: Any, clusterer: str, k: int) -> sortal.Answer:
    """A clustering with its model."""
    study = sortal.Study(X)
    study.sweep([clusterer], k=[k], n_init=1, workers=1, progress=False)
    return study.best(stability=False, progress=False)


def matched(labels: Any, others: Any, k: int) -> Any:
    """The cluster of another clustering that shares most objects with each of k; -2 without one."""
    shared = np.zeros((k, others.max() + 1))
    np.add.at(shared, (labels[labels >= 0], others[labels >= 0]), others[labels >= 0] >= 0)
    match = np.full(k, -2)
    rows, columns = linear_sum_assignment(shared, maximize=True)
    match[rows] = np.where(shared[rows, columns] > 0, columns, -2)
    return match


def main() -> None:
    """Print the table by clusterer, and that by confidence."""
    parts = []
    for name, X, truth in data_sets():
        k = min(len({one for one in truth if one is not None}), MOST_CLUSTERS)
        for clusterer in CLUSTERERS if "_" not in name else ():  # benchmark sets: names of suites
            found = judged(X, clusterer, k)
            if found is not None:
                parts.append(found.assign(data=name))
    rows = pd.concat(parts)
    each = rows.groupby(["clusterer", "data"]).mean(numeric_only=True).groupby("clusterer")
    print(f"{rows['data'].nunique()} sets, {len(rows):,} held-out objects")
    print(each.mean()[["said", "confidence", "right", "unlike"]].round(3).to_string())
    groups = rows.groupby(pd.cut(rows["confidence"], GROUPS), observed=True)
    print(groups["right"].agg(["size", "mean"]).assign(said=groups["confidence"].mean()).round(3))


if __name__ == "__main__":
    main()
