"""Rejection rates of tests of differences between clusters, with and without clusters."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal import InputError, Study
from sortal.inference import differences, mixture_covariance
from sortal_lab import ExperimentResult
from sortal_lab.journal import Journal

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import RandomState

ALPHA = 0.05
SIZES = (60, 500, 5_000)
#: standard deviations between the means; 0 is the level
DISTANCES = (0, 3, 5)
#: a seed that no data set has
APART = 1_000_000
KNOWN, MIXTURE = "known variance", "mixture covariance"
#: data sets of each design that there are for one of this size, by slow tests, of a whole sweep
FOR_EACH, FOR_EACH_SLOW, FOR_EACH_SWEEP = {60: 1, 500: 5, 5_000: 20}, 5, 50
SLOW = ("thinning, mixture covariance",)
SWEPT_SIZES = (60, 500)
SWEPT = "sweep, "


def run(
    *,
    name: str = "inference-levels",
    samples: int | None = None,
    random_state: RandomState = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Draw data with known means, cluster, test, and count the rejections at 0.05.

    Parameters
    ----------
    name : str
        The only experiment here.
    samples : int, optional
        Data sets of 60 objects of each design for the tests of k-means; 200 by default. Of larger
        ones there are fewer, and fewest for the whole sweep with its choice: the table says how
        many. 0 is one of 60 objects, and nothing else.
    random_state : int or None
        Seed of the data.
    storage : path, optional
        Text file that keeps each finished design, and each data set that was swept.
    progress : callable, optional
        Called with a line of text after each of these.

    Returns
    -------
    ExperimentResult
        A row for each design, size, distance of the means and test: the share of data sets in
        which some pair of the clusters found is said to differ (Holm), or in which there is said
        to be more than one, its standard error and the number of data sets. At distance 0 that is
        the level.
    """
    import pandas as pd

    runs = 200 if samples is None else samples
    journal = Journal(storage, f"{runs} samples, random_state {random_state!r}")
    rows = []
    for design, n, distance in _cells(SIZES if runs else SIZES[:1]):
        for test in _tests(design, n):
            key = (f"{design}, n = {n}, {distance} sigmas", test)
            row = journal.get(key)
            if row is None:
                fewer = max(FOR_EACH[n], FOR_EACH_SLOW if test in SLOW else 1)
                streams = np.random.default_rng(random_state).spawn(max(runs // fewer, 1))
                row = _share([_rejects(design, n, distance, test, *s) for s in enumerate(streams)])
                journal.put(key, row)
            rows.append(_row(design, n, distance, test, row))
        if progress is not None:
            progress(f"{design}, n = {n}, {distance}")
    if runs:
        sweeps = max(runs // FOR_EACH_SWEEP, 1)
        rows += _swept_rows(sweeps, random_state, storage, progress)
    table = pd.DataFrame(rows)
    return ExperimentResult(
        name,
        table,
        (
            "k-means with three clusters; 'sweep' is the whole sweep of eight clusterers and the "
            "choice. 'naive' is Welch's test on the data that were clustered. Nominal level 0.05.",
            *_summary(table),
        ),
    )


def _cells(sizes: tuple[int, ...]) -> list[tuple[str, int, int]]:
    """Designs, sizes and distances: means that differ only where it is said, in small data."""
    return [
        (design, n, distance)
        for n in sizes
        for design in DESIGNS
        for distance in DISTANCES
        if (distance > 0 and n == SIZES[0] and design in WITH_GROUPS)
        or (distance == 0 and design != TRIANGLE)
    ]


def _swept_rows(
    sweeps: int,
    random_state: RandomState,
    storage: str | Path | None,
    progress: Callable[[str], None] | None,
) -> list[dict[str, Any]]:
    """The whole procedure, one data set after another of all designs."""
    journal = Journal(storage, f"swept, random_state {random_state!r}")
    rejections: dict[tuple[str, int, int, str], list[bool | None]] = {}
    streams = np.random.default_rng(random_state).spawn(sweeps + 1)
    # the first has the stream that thinning by seed 0 has
    for seed, stream in enumerate(streams[1:], 1):
        for design, n, distance in _cells(SWEPT_SIZES):
            tests = {
                name: test
                for name, test in SWEEPS.items()
                if (KNOWN not in name or design.startswith("spherical"))
                and (MIXTURE not in name or design not in COUNTS)
            }
            key = (f"{design}, n = {n}, {distance} sigmas", f"swept, seed {seed}")
            row = journal.get(key)
            if row is None:
                same: Any = stream.bit_generator.seed_seq
                X = DESIGNS[design](np.random.default_rng(same), n, distance)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    row = {name: float(p) for name, p in _swept(X, seed, design, tests).items()}
                journal.put(key, row)
            for name, p in row.items():
                rejections.setdefault((design, n, distance, name), []).append(
                    None if np.isnan(p) else p <= ALPHA
                )
        if progress is not None:
            progress(f"sweeps of data set {seed} of {sweeps}")
    return [_row(*cell, _share(rejected)) for cell, rejected in rejections.items()]


def _swept(X: NDArray[Any], seed: int, design: str, tests: dict[str, Any]) -> dict[str, float]:
    """P-values of all tests; where two have one covariance the sweep is made once."""
    p_values: dict[str, float] = {}
    for name, scale in tests.items():
        if scale == "mixture" and np.allclose(mixture_covariance(X), np.cov(X, rowvar=False)):
            p_values[name] = p_values[f"{SWEPT}thinning"]
        else:
            how = COUNTED.get(design, {"scale": scale})
            try:
                p_values[name] = _thinning(X, seed, cluster=_chosen, **how)
            except InputError:  # the data refute a premise, so nothing is said to differ
                p_values[name] = np.nan
    return p_values


def _row(design: str, n: int, distance: int, test: str, row: dict[str, Any]) -> dict[str, Any]:
    """Row of the results."""
    return {"design": design, "n": n, "sigmas": distance, "test": test} | row


def _summary(table: pd.DataFrame) -> list[str]:
    """Levels over all designs, and how often the smaller data sets with clusters are found."""
    notes = []
    for test, rows in table.groupby("test", sort=False):
        null = rows[rows.sigmas == 0]
        fits = ~null.design.isin((*NOT_NORMAL, COUNTS[4]))
        for title, selected in (("", null[fits]), (" not normal,", null[~fits])):
            if len(selected):
                refused = np.average(selected.refused, weights=selected["data sets"])
                notes.append(
                    f"Without clusters,{title} {test}: {selected.rejected.mean():.3f} on average "
                    f"over {len(selected)} designs and sizes, {selected.rejected.max():.2f} at "
                    f"most; {selected['data sets'].sum()} data sets, {refused:.2f} of them refused."
                )
        small = rows[rows.n == SIZES[0]].set_index(["design", "sigmas"]).rejected
        for title, design in (("", SPHERICAL), (" three groups,", TRIANGLE)):
            if (design, DISTANCES[1]) in small.index:
                power = " and ".join(f"{small[design, d]:.2f} at {d}" for d in DISTANCES[1:])
                notes.append(f"Found,{title} {test}: {power} standard deviations.")
    return notes


def _tests(design: str, n: int) -> list[str]:
    """Tests of a design; a variance is known where it is one number."""
    variance_known = design == TRIANGLE or design.startswith("spherical")
    return [
        test
        for test in TESTS
        if (variance_known or KNOWN not in test)
        and (MIXTURE not in test or (design not in COUNTS and n < SIZES[-1]))
        and (design not in COUNTS or test != "thinning, Ward")
    ]


def _rejects(
    design: str, n: int, distance: int, test: str, seed: int, rng: np.random.Generator
) -> bool | None:
    """Whether a test rejects on one simulated data set; None where it refuses the data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X = DESIGNS[design](rng, n, distance)
        try:
            if test == "thinning" and design in COUNTED:
                return _thinning(X, seed, **COUNTED[design]) <= ALPHA
            return TESTS[test](X, seed) <= ALPHA
        except InputError:  # the data refute a premise, so nothing is said to differ
            return None


def _share(rejected: list[bool | None]) -> dict[str, float]:
    """Share of rejections with its standard error, and the share of refused data sets."""
    share = float(np.mean([bool(outcome) for outcome in rejected]))
    error = float(np.sqrt(share * (1 - share) / len(rejected)))
    refused = float(np.mean([outcome is None for outcome in rejected]))
    return {
        "rejected": share, "standard error": error, "data sets": len(rejected), "refused": refused,
    }  # fmt: skip


# -- data: groups whose means are so many standard deviations apart --------------------------------


def _gaussian(
    rng: np.random.Generator, n: int, distance: float, *, d: int, root: Any = 1.0
) -> NDArray[Any]:
    """Gaussian data, half of it shifted."""
    X = rng.standard_normal((n, d))
    X[n // 2 :, 0] += distance
    return np.asarray(X * root)


def _correlated(rng: np.random.Generator, n: int, distance: float) -> NDArray[Any]:
    """Gaussian data with a common factor."""
    X = _gaussian(rng, n, distance, d=5)
    return np.asarray(X + 1.5 * rng.standard_normal((n, 1)))


def _poisson(rng: np.random.Generator, n: int, distance: float, *, mean: float) -> NDArray[Any]:
    """Poisson counts."""
    return np.asarray(rng.poisson(mean, (n, 10)))


def _negative_binomial(rng: np.random.Generator, n: int, distance: float) -> NDArray[Any]:
    """Overdispersed counts."""
    return np.asarray(rng.negative_binomial(2, 2 / 7, (n, 10)))


def _binomial(rng: np.random.Generator, n: int, distance: float) -> NDArray[Any]:
    """Binomial counts."""
    return np.asarray(rng.binomial(10, 0.3, (n, 10)))


def _uniform(rng: np.random.Generator, n: int, distance: float) -> NDArray[Any]:
    """Uniform data."""
    return np.asarray(rng.uniform(size=(n, 2)))


def _exponential(rng: np.random.Generator, n: int, distance: float) -> NDArray[Any]:
    """Exponential data."""
    return np.asarray(rng.exponential(size=(n, 3)))


def _multivariate_t(rng: np.random.Generator, n: int, distance: float) -> NDArray[Any]:
    """Data of a multivariate t distribution."""
    return np.asarray(rng.standard_normal((n, 5)) / np.sqrt(rng.chisquare(5, (n, 1)) / 5))


def _lognormal(rng: np.random.Generator, n: int, distance: float) -> NDArray[Any]:
    """Log-normal data."""
    return np.asarray(np.exp(rng.standard_normal((n, 3))))


def _copied(rng: np.random.Generator, n: int, distance: float) -> NDArray[Any]:
    """Gaussian data, five copies of each row."""
    return np.repeat(rng.standard_normal((n // 5, 3)), 5, axis=0)


def _triangle(rng: np.random.Generator, n: int, distance: float) -> NDArray[Any]:
    """Three groups, each two at this distance, as Gao, Bien & Witten (2022) draw them."""
    X = rng.standard_normal((n, 10))
    corners = np.array([[-0.5, 0.0], [0.0, np.sqrt(0.75)], [0.5, 0.0]])
    X[:, :2] += distance * corners[np.arange(n) % 3]
    return np.asarray(X)


SPHERICAL, TRIANGLE = "spherical, d = 2", "triangle, d = 10"
WITH_GROUPS = (SPHERICAL, TRIANGLE)
#: counts, and what is known of them
COUNTED: dict[str, dict[str, Any]] = {
    "Poisson of mean 1, d = 10": {"family": "poisson"},
    "Poisson of mean 10, d = 10": {"family": "poisson"},
    "negative binomial, d = 10": {"family": "negative binomial", "scale": 2.0},
    "binomial, d = 10": {"family": "binomial", "scale": 10},
    "negative binomial taken for Poisson, d = 10": {"family": "poisson"},
}
COUNTS = tuple(COUNTED)
NOT_NORMAL = (
    "uniform, d = 2", "exponential, d = 3", "t of 5 degrees, d = 5", "log-normal, d = 3",
    "copied rows, d = 3",
)  # fmt: skip
DESIGNS: dict[str, Callable[..., NDArray[Any]]] = {
    SPHERICAL: partial(_gaussian, d=2),
    "spherical, d = 10": partial(_gaussian, d=10),
    "spherical, d = 50": partial(_gaussian, d=50),
    "unequal variances, d = 5": partial(_gaussian, d=5, root=np.array([1, 2, 4, 8, 16])),
    "correlated, d = 5": _correlated,
    COUNTS[0]: partial(_poisson, mean=1.0),
    COUNTS[1]: partial(_poisson, mean=10.0),
    COUNTS[2]: _negative_binomial,
    COUNTS[3]: _binomial,
    NOT_NORMAL[0]: _uniform,
    NOT_NORMAL[1]: _exponential,
    NOT_NORMAL[2]: _multivariate_t,
    NOT_NORMAL[3]: _lognormal,
    NOT_NORMAL[4]: _copied,
    COUNTS[4]: _negative_binomial,
    TRIANGLE: _triangle,
}


# -- tests: the least p-value over all pairs, corrected --------------------------------------------


def _kmeans() -> Any:
    """k-means with three clusters."""
    from sklearn.cluster import KMeans

    return KMeans(3, n_init=1, random_state=0)


def _chosen(X: NDArray[Any]) -> NDArray[Any]:
    """Sortal's default sweep, and its choice."""
    study = Study(X)
    study.sweep(workers=1, progress=False)
    return np.asarray(study.best(stability=False, second_sample=False).labels)


def _thinning(
    X: NDArray[Any], seed: int, scale: Any = None, cluster: Any = None, family: str = "gaussian"
) -> float:
    """P-value by data thinning."""
    cluster = _kmeans() if cluster is None else cluster
    # the first data set has the stream that thinning by seed 0 has
    seed = seed or APART
    return differences(X, cluster, family=family, scale=scale, random_state=seed).p_value


def _naive(X: NDArray[Any], seed: int) -> float:
    """P-value of t-tests along the differences of means, which ignore the clustering."""
    from scipy.stats import ttest_ind

    labels = _kmeans().fit_predict(X)
    p_values = []
    for a, b in ((0, 1), (0, 2), (1, 2)):
        first, second = X[labels == a], X[labels == b]
        axis = first.mean(axis=0) - second.mean(axis=0)
        p_values.append(ttest_ind(first @ axis, second @ axis, equal_var=False).pvalue)
    return 3 * float(np.nanmin(p_values))


def _thinning_ward(X: NDArray[Any], seed: int) -> float:
    """P-value by data thinning, of clusters by Ward's method."""
    from sklearn.cluster import AgglomerativeClustering

    return _thinning(X, seed, cluster=AgglomerativeClustering(3))


TESTS: dict[str, Callable[[NDArray[Any], int], float]] = {
    "thinning": _thinning,
    "thinning, Ward": _thinning_ward,
    f"thinning, {KNOWN}": partial(_thinning, scale=1.0),
    f"thinning, {MIXTURE}": partial(_thinning, scale="mixture"),
    "naive": _naive,
}
#: what is known of the covariance in the tests of a whole sweep
SWEEPS = {
    f"{SWEPT}thinning": None,
    f"{SWEPT}thinning, {KNOWN}": 1.0,
    f"{SWEPT}thinning, {MIXTURE}": "mixture",
}
