"""How often tests of differences between clusters reject, with and without clusters."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.inference import clusters_differ, conditional_test
from karat_lab import ExperimentResult
from karat_lab.journal import Kept

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

ALPHA = 0.05
SIZES = (60, 500)
DRAWS = 100
#: standard deviations between the two means; 0 is the level
DISTANCES = (0, 3, 5)
KNOWN = "known variance"


def run(
    *,
    name: str = "inference-levels",
    samples: int | None = None,
    random_state: Any = 0,
    storage: Any = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Draw data with known means, cluster, test, and count the rejections at 0.05.

    ``samples``: data sets of each design; 200 by default.

    Returns a row for each design, size, distance of two means and test: the share of data sets
    in which some pair of the three clusters found is said to differ (Holm), and its standard
    error. At distance 0 that is the level.
    """
    import pandas as pd

    runs = 200 if samples is None else samples
    kept = Kept(storage, f"{runs} samples, random_state {random_state!r}")
    rows = []
    for design, draw in DESIGNS.items():
        for n in SIZES:
            for distance in DISTANCES if design == "spherical, d = 2" else (0,):
                for test in _tests(design, n):
                    key = (f"{design}, n = {n}, {distance} sigmas", test)
                    row = kept.get(key)
                    if row is None:
                        row = _share(draw, n, distance, test, runs, random_state)
                        kept.put(key, row)
                    rows.append({"design": design, "n": n, "sigmas": distance, "test": test} | row)
            if progress is not None:
                progress(f"{design}, n = {n}")
    table = pd.DataFrame(rows)
    return ExperimentResult(
        name,
        table,
        (
            f"{runs} data sets for each row, k-means with three clusters. 'naive' is Welch's test "
            "on the data that were clustered. Nominal level 0.05.",
            *_summary(table),
        ),
    )


def _summary(table: pd.DataFrame) -> list[str]:
    """Levels over all designs, and how often the smaller data sets with two clusters are found."""
    told = []
    for test, rows in table.groupby("test", sort=False):
        null = rows[rows.sigmas == 0].rejected
        told.append(
            f"Without clusters, {test}: {null.mean():.3f} on average over {len(null)} designs and "
            f"sizes, {null.max():.2f} at most."
        )
        small = rows[rows.n == SIZES[0]].set_index("sigmas").rejected
        power = " and ".join(f"{small[[d]].iloc[0]:.2f} at {d}" for d in DISTANCES[1:])
        told.append(f"Found, {test}: {power} standard deviations.")
    return told


def _tests(design: str, n: int) -> list[str]:
    """Conditional tests refit a hundred times; a variance is known where it is one number."""
    known = design.startswith("spherical")
    return [
        test
        for test in TESTS
        if (known or KNOWN not in test) and (n == SIZES[0] or not test.startswith("conditional"))
    ]


def _share(
    draw: Any, n: int, distance: float, test: str, runs: int, random_state: Any
) -> dict[str, float]:
    streams = np.random.default_rng(random_state).spawn(runs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [TESTS[test](draw(rng, n, distance), i) <= ALPHA for i, rng in enumerate(streams)]
    share = float(np.mean(found))
    return {"rejected": share, "standard error": float(np.sqrt(share * (1 - share) / runs))}


# -- data: two groups whose means are so many standard deviations apart ----------------------------


def _gaussian(rng: Any, n: int, distance: float, *, d: int, root: Any = 1.0) -> NDArray[Any]:
    X = rng.standard_normal((n, d))
    X[n // 2 :, 0] += distance
    return np.asarray(X * root)


def _correlated(rng: Any, n: int, distance: float) -> NDArray[Any]:
    X = _gaussian(rng, n, distance, d=5)
    return np.asarray(X + 1.5 * rng.standard_normal((n, 1)))


def _poisson(rng: Any, n: int, distance: float, *, mean: float) -> NDArray[Any]:
    return np.asarray(rng.poisson(mean, (n, 10)))


def _negative_binomial(rng: Any, n: int, distance: float) -> NDArray[Any]:
    return np.asarray(rng.negative_binomial(2, 2 / 7, (n, 10)))


DESIGNS: dict[str, Callable[..., NDArray[Any]]] = {
    "spherical, d = 2": partial(_gaussian, d=2),
    "spherical, d = 10": partial(_gaussian, d=10),
    "spherical, d = 50": partial(_gaussian, d=50),
    "unequal variances, d = 5": partial(_gaussian, d=5, root=np.array([1, 2, 4, 8, 16])),
    "correlated, d = 5": _correlated,
    "Poisson of mean 1, d = 10": partial(_poisson, mean=1.0),
    "Poisson of mean 10, d = 10": partial(_poisson, mean=10.0),
    "negative binomial, d = 10": _negative_binomial,
}


# -- tests: the least p-value over all pairs, corrected --------------------------------------------


def _kmeans() -> Any:
    from sklearn.cluster import KMeans

    return KMeans(3, n_init=1, random_state=0)


def _thinning(X: NDArray[Any], seed: int, scale: Any = None) -> float:
    if X.dtype.kind == "f":
        return clusters_differ(X, _kmeans(), scale=scale, random_state=seed).p_value
    family = "poisson" if X.var() < 1.5 * X.mean() else "negative binomial"
    scale = None if family == "poisson" else 2.0
    return clusters_differ(X, _kmeans(), family=family, scale=scale, random_state=seed).p_value


def _conditional(X: NDArray[Any], seed: int, scale: Any = None) -> float:
    """Of one pair that was fixed beforehand: the first two clusters."""
    labels = _kmeans().fit_predict(X)
    return conditional_test(
        X, labels, 0, 1, _kmeans(), scale=scale, n_draws=DRAWS, random_state=seed
    ).p_value


def _naive(X: NDArray[Any], seed: int) -> float:
    from scipy.stats import ttest_ind

    labels = _kmeans().fit_predict(X)
    found = []
    for a, b in ((0, 1), (0, 2), (1, 2)):
        one, other = X[labels == a], X[labels == b]
        axis = one.mean(axis=0) - other.mean(axis=0)
        found.append(ttest_ind(one @ axis, other @ axis, equal_var=False).pvalue)
    return 3 * float(np.nanmin(found))


TESTS: dict[str, Callable[[NDArray[Any], int], float]] = {
    "thinning": _thinning,
    "thinning, known variance": partial(_thinning, scale=1.0),
    "conditional": _conditional,
    "conditional, known variance": partial(_conditional, scale=1.0),
    "naive": _naive,
}
