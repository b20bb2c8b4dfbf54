"""The three subsampling methods of abul2003 on data of the kinds that the paper names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal import InputError
from sortal.extension import draw_rows
from sortal.stability import ESTIMATORS, subsampling
from sortal_lab import ExperimentResult
from sortal_lab.data import points
from sortal_lab.journal import Journal
from sortal_lab.number_of_clusters import MOST_FEATURES, few_components, standardized

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from sortal.typing import Floats


#: data set -> file
SETS = {
    "iris": "iris",
    "wine": "wine",
    "seeds": "seeds",
    "pendigits": "pendigits_test",
    "isolet": "isolet_1560",
}
#: not in the quick look
LARGE = ("pendigits", "isolet")
CLUSTERERS = {"k-means": "kmeans", "PAM": "kmedoids", "CLARA": "clara", "ORCLUS": "orclus"}
METHODS = (1, 2, 3)
RESAMPLES = 20
#: objects of larger sets that are drawn
MOST = 1_000


def run(
    *,
    name: str = "abul2003",
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Judge k-means, PAM, CLARA and ORCLUS on five data sets by all three methods.

    ``samples``: subsamples of method 1 and of each cluster in method 3, subsets in method 2; 20
    by default. 1 is the quick look: two, and without the large sets.

    Returns a row for each data set, clusterer and method: ``k``, the number of clusters of the
    highest confidence, that ``confidence`` and its ``standard error``, and ``at classes``, the
    confidence at the number of classes.
    """
    import pandas as pd

    resamples = max(2, RESAMPLES if samples is None else samples)
    journal = Journal(storage, f"abul2003, {resamples} resamples, random_state {random_state!r}")
    rows: list[dict[str, Any]] = []
    absent = []
    for title, file in SETS.items():
        if samples == 1 and title in LARGE:
            continue
        try:
            X, truth = points(file)
        except InputError as error:
            absent.append(f"Skipped: {error}.")
            continue
        classes = len(np.unique(truth.astype(str)))
        X = _prepared(X, random_state)
        for clusterer, key in CLUSTERERS.items():
            for method in METHODS:
                title_and_method = (title, f"{clusterer}, method {method}")
                row = journal.get(title_and_method)
                if row is None:
                    row = _row(X, classes, key, method, resamples, random_state)
                    journal.put(title_and_method, row)
                rows.append(
                    {
                        "data": title,
                        "classes": classes,
                        "clusterer": clusterer,
                        "method": method,
                        **{k: int(v) if k == "k" else v for k, v in row.items()},
                    }
                )
                if progress is not None:
                    progress(f"{title}, {title_and_method[1]}: k = {row['k']:g}")
    return ExperimentResult(
        name,
        pd.DataFrame(rows),
        (
            "The paper's own figures did not survive in the copies that can be had, so none stand "
            "beside these.",
            f"Features of unit variance, {MOST_FEATURES} principal components where there are "
            f"more; at most {MOST:,} objects of a set, drawn at random; {resamples} resamples; k "
            "from 2 to 6, and near the number of classes of pendigits and isolet. Method 1: 5 "
            "nearest neighbours; methods 2 and 3: gap statistic of k-means with uniform data along "
            "the principal axes, whichever clusterer is judged.",
            "Method 1 is high for small k whatever the data.",
            *absent,
        ),
    )


def _prepared(X: NDArray[np.float64], random_state: int) -> NDArray[np.float64]:
    """Standardised sample of at most 20 components: ORCLUS needs covariances of full rank."""
    rows = draw_rows(len(X), MOST, np.random.default_rng([random_state, len(X)]))
    return few_components(standardized(X[rows]))


def _one_yardstick(X: Floats, clusterer: str, numbers: list[int], seed: int) -> int:
    """The number of clusters of some objects, by k-means whatever clusterer is judged."""
    return ESTIMATORS["gap-pca"][0](X, "kmeans", numbers, seed)


def _row(
    X: NDArray[np.float64],
    classes: int,
    clusterer: str,
    method: Any,
    resamples: int,
    random_state: int,
) -> dict[str, float]:
    """Chosen number of clusters for one clusterer and method."""
    numbers = range(2, 7) if classes <= 6 else range(classes - 2, classes + 3, 2)
    curve = subsampling(
        X,
        clusterer,
        method=method,
        k=numbers,
        n_resamples=resamples,
        estimator=_one_yardstick,
        random_state=random_state,
    )
    k = numbers[0] if curve.selected is None else curve.selected
    value, error = (curve.table[c].to_dict() for c in ("value", "standard_error"))
    return {
        "k": k,
        "confidence": float(value[k]),
        "standard error": float(error[k]),
        "at classes": float(value[classes]),
    }
