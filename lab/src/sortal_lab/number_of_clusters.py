"""Estimators of the number of clusters on 40 data sets with known classes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal import InputError
from sortal.extension import draw_rows
from sortal.stability import ESTIMATORS
from sortal_lab import ExperimentResult
from sortal_lab.choice_tasks import family_of, read
from sortal_lab.data import data_folder, index
from sortal_lab.journal import Journal

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import Floats, Ints


REAL = (
    "breast_w", "dermatology", "digits_test", "ecoli", "glass", "ionosphere", "iris", "optdigits",
    "pendigits_test", "satimage", "seeds", "segment", "spambase", "vehicle", "wdbc", "wine",
    "yeast", "zoo",
)  # fmt: skip
BENCHMARK = (
    "fcps_atom", "fcps_chainlink", "fcps_hepta", "fcps_lsun", "fcps_target", "fcps_twodiamonds",
    "fcps_wingnut", "graves_dense", "graves_ring", "sipu_aggregation", "sipu_compound",
    "sipu_flame", "sipu_spiral", "wut_cross", "wut_mk1", "wut_mk2", "wut_mk3", "wut_twosplashes",
    "wut_x1", "wut_x2", "wut_z1", "wut_z2",
)  # fmt: skip
NUMBERS = range(1, 13)
#: objects of a larger set that are drawn, and principal components of a wider one
MOST, MOST_FEATURES = 200, 20


def run(
    *,
    name: str = "number-of-clusters",
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Number of clusters of 40 labelled data sets by every estimator.

    ``samples``: data sets of each kind, real and benchmark; all by default.

    Returns a row for each estimator: the share of data sets with the right number, with its 95
    % interval (Wilson), overall and by kind; the share within one of it; how often it said 1.
    """
    import pandas as pd

    registry = index()
    journal = Journal(storage, f"{NUMBERS} {MOST} {MOST_FEATURES} random_state {random_state!r}")
    rows, absent = [], []
    for number in (*REAL[:samples], *BENCHMARK[:samples]):
        kind = family_of(registry[number])
        try:
            X, truth = _prepared(*read(number), kind, random_state)
        except InputError:
            absent.append(number)
            continue
        answers = journal.get((number, "answers"))
        if answers is None:
            answers = {}
            for key, (estimate, _) in ESTIMATORS.items():
                with suppress(InputError):
                    answers[key] = float(estimate(X, "kmeans", list(NUMBERS), 0))
            journal.put((number, "answers"), answers)
        classes = len(np.unique(truth[truth >= 0]))
        rows += [
            {"data": number, "kind": kind, "classes": classes, "estimator": k, "answer": int(v)}
            for k, v in answers.items()
        ]
        if progress is not None:
            answers_text = ", ".join(f"{k} {int(v)}" for k, v in answers.items())
            progress(f"{number}, {classes} classes: {answers_text}")
    each = pd.DataFrame(rows)
    return ExperimentResult(
        name,
        _shares(each),
        (
            f"k-means of ten starts, k from 1 to {NUMBERS[-1]}; at most {MOST} objects of a set, "
            f"drawn at random, and {MOST_FEATURES} principal components; real tables have features "
            "of unit variance. Classes need not be clusters: of rings, spirals and many real "
            "tables no estimator can know their number from k-means.",
            *([f"Not in {data_folder()}: {', '.join(absent)}."] if absent else []),
        ),
    )


def _prepared(
    X: Floats, labels: Ints, kind: str, random_state: int
) -> tuple[Any, NDArray[np.int64]]:
    """Standardised sample of a data set, and its classes."""
    truth = labels[0]
    rows = draw_rows(len(X), MOST, np.random.default_rng([random_state, len(X)]))
    X, truth = X[rows], truth[rows]
    if kind == "real":
        X = standardized(X)
    return few_components(X), truth


def few_components(X: Floats) -> Floats:
    """Rows, or their first 20 principal components where there are more features."""
    if X.shape[1] <= MOST_FEATURES:
        return X
    left, sizes, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    components: Floats = left[:, :MOST_FEATURES] * sizes[:MOST_FEATURES]
    return components


def standardized(X: Floats) -> Floats:
    """Features of unit variance, without constant ones."""
    spread = X.std(axis=0)
    features: Floats = (X - X.mean(axis=0))[:, spread > 0] / spread[spread > 0]
    return features


def _shares(each: pd.DataFrame) -> pd.DataFrame:
    """Share of right answers by estimator, with intervals."""
    import pandas as pd

    each = each.assign(
        right=each["answer"] == each["classes"],
        near=(each["answer"] - each["classes"]).abs() <= 1,
        one=each["answer"] == 1,
    )
    rows = []
    for estimator in ESTIMATORS:
        of_estimator = each[each["estimator"] == estimator]
        if of_estimator.empty:
            continue
        low, high = wilson(int(of_estimator["right"].sum()), len(of_estimator))
        rows.append(
            {
                "estimator": estimator,
                "sets": len(of_estimator),
                "right": of_estimator["right"].mean(),
                "low": low,
                "high": high,
                "real": of_estimator.loc[of_estimator["kind"] == "real", "right"].mean(),
                "benchmark": of_estimator.loc[of_estimator["kind"] == "benchmark", "right"].mean(),
                "within one": of_estimator["near"].mean(),
                "said 1": of_estimator["one"].mean(),
            }
        )
    return pd.DataFrame(rows)


def wilson(hits: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """Interval of a share."""
    p = hits / n
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return float(middle - half), float(middle + half)
