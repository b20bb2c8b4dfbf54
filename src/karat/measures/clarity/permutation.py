"""What informativeness would be without clusters: shuffled labels, and data without structure."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from karat.distances.neighbors import neighbor_lists
from karat.labelings.labels import NOISE, NoisePolicy
from karat.labelings.partitions import Labelings, as_labelings
from karat.measures.catalogue import Measure, catalogue
from karat.measures.clarity._task import LeaveOneOut
from karat.measures.clarity.assessment import assess_labelings
from karat.measures.clarity.scores import BASELINES, Baseline
from karat.measures.passes.statistics import Statistics
from karat.nulls import Null
from karat.runtime.validation import (
    InputError,
    UndefinedMeasureError,
    check_choice,
    check_data,
    check_random_state,
)

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

Reference: TypeAlias = Literal["gaussian", "uniform"]

# neighbours enough for the named classifiers; a longer list is searched for when needed
_LIST_LENGTH = 10


@dataclass(frozen=True)
class NullTest:
    """A statistic of M clusterings beside B draws without clusters.

    Attributes
    ----------
    names : tuple of str, length M
    observed : ndarray of float64, shape (M,)
    null : ndarray of float64, shape (B, M)
    statistic : str
        ``"informativeness"``, or the key of a measure.
    greater_is_better : bool
        Direction of the statistic.
    """

    names: tuple[str, ...]
    observed: NDArray[np.float64]
    null: NDArray[np.float64]
    statistic: str = "informativeness"
    greater_is_better: bool = True

    @property
    def _sign(self) -> int:
        return 1 if self.greater_is_better else -1

    @property
    def p_values(self) -> NDArray[np.float64]:
        """(1 + draws at least as good) / (1 + draws), for each clustering by itself."""
        as_good = (self._sign * self.null >= self._sign * self.observed).sum(axis=0)
        return (1 + as_good) / (1 + len(self.null))

    @property
    def p_any(self) -> float:
        """The same for the clustering that stands out most, so that trying many is paid for.

        Each set (the data and every draw) gives the best of its M values, each value less its mean
        over all B + 1 sets and divided by its standard deviation over them.
        """
        every = self._sign * np.vstack([self.observed, self.null])
        spread = every.std(axis=0)
        kept = spread > 0
        if not kept.any():
            return 1.0
        largest = ((every - every.mean(axis=0))[:, kept] / spread[kept]).max(axis=1)
        return float((largest >= largest[0]).mean())

    @property
    def table(self) -> pd.DataFrame:
        """One row per clustering.

        Columns: the statistic; ``null_mean`` with its ``null_error``, the standard error from
        drawing B times; ``null_sd``; ``excess``, the statistic less the null mean, or the null mean
        less the statistic where lower is better; ``p_value``.
        """
        import pandas as pd

        spread = self.null.std(axis=0, ddof=1)
        return pd.DataFrame(
            {
                self.statistic: self.observed,
                "null_mean": self.null.mean(axis=0),
                "null_error": spread / np.sqrt(len(self.null)),
                "null_sd": spread,
                "excess": self._sign * (self.observed - self.null.mean(axis=0)),
                "p_value": self.p_values,
            },
            index=list(self.names),
        )

    def __str__(self) -> str:
        return (
            f"{len(self.null)} draws without clusters; any clustering here at all: "
            f"p = {self.p_any:.3g}\n{self.table.round(3).to_string()}"
        )

    def _repr_html_(self) -> str:
        return f"<p>p = {self.p_any:.3g}</p>{self.table.round(3).to_html()}"


def _checked(
    X: Any, labels: Any, noise: NoisePolicy, draws: int, name: str
) -> tuple[Any, Labelings]:
    if draws < 2:
        raise InputError(f"{name} must be at least 2; got {draws}")
    data = check_data(X)
    labelings = as_labelings(labels, n_objects=data.shape[0], noise=noise)
    for label, k in zip(labelings.names, labelings.n_clusters, strict=True):
        if k < 2:
            raise UndefinedMeasureError(
                f"informativeness is undefined: clustering {label!r} has fewer than 2 clusters; "
                "exclude it"
            )
    return data, labelings


def permutation_null(
    X: Any,
    labels: Any,
    *,
    n_permutations: int = 1000,
    classifiers: Any = "5nn",
    cv: int | LeaveOneOut = "leave-one-out",
    baseline: Baseline = "uniform",
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    random_state: Any = 0,
    executor: Executor | None = None,
) -> NullTest:
    """Informativeness of the same cluster sizes dealt to the objects at random.

    A clustering that does not stand out here has nothing to do with the data. Any partition
    that cuts space into regions does stand out, also where there are no clusters; for those ask
    :func:`reference_null`.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    labels : array-like (n,) or (M, n), mapping, DataFrame
        One or many clusterings.
    n_permutations : int
        Draws for each clustering.
    classifiers, cv, baseline, metric, noise, random_state, executor
        As in :func:`karat.informativeness`.

    Returns
    -------
    NullTest

    Raises
    ------
    InputError
        For input that cannot be used, or a clustering with a single cluster.

    Notes
    -----
    One neighbour search serves all draws of all clusterings.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.measures.clarity import permutation_null
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> labels = {"by x": X[:, 0] > 0, "random": rng.random(100) < 0.5}
    >>> permutation_null(X, labels, n_permutations=99, random_state=0).p_values.round(2)
    array([0.01, 0.89])
    """
    check_choice(baseline, BASELINES, "baseline")
    data, labelings = _checked(X, labels, noise, n_permutations, "n_permutations")
    rng = check_random_state(random_state)
    seed = int(rng.integers(2**31 - 1))
    options: dict[str, Any] = {
        "classifiers": classifiers,
        "cv": cv,
        "metric": metric,
        "random_state": seed,
        "executor": executor,
        "lists": neighbor_lists(data, _LIST_LENGTH, metric=metric, random_state=seed),
    }
    null = np.empty((n_permutations, len(labelings)))
    for m, codes in enumerate(labelings.codes):
        rows = np.repeat(codes[None, :], n_permutations, axis=0)
        kept = np.flatnonzero(codes != NOISE)
        for row in rows:
            row[kept] = rng.permutation(codes[kept])
        shuffled = Labelings(
            rows,
            tuple(map(str, range(n_permutations))),
            np.repeat(labelings.n_clusters[m], n_permutations),
            (labelings.cluster_names[m],) * n_permutations,
        )
        null[:, m] = assess_labelings(data, shuffled, **options).values(baseline)
    observed = assess_labelings(data, labelings, **options).values(baseline)
    return NullTest(labelings.names, observed, null)


def reference_null(
    X: Any,
    labels: Any,
    clusterer: Any,
    *,
    statistic: str = "r_squared",
    n_references: int = 19,
    reference: Reference = "uniform",
    classifiers: Any = "5nn",
    cv: int | LeaveOneOut = "leave-one-out",
    baseline: Baseline = "uniform",
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    random_state: Any = 0,
    executor: Executor | None = None,
) -> NullTest:
    """What the same clusterer makes of data that has one cluster only.

    Answers *is there any clustering here at all* (``p_any``), and which clusterings are better
    than those the clusterer makes of nothing.

    Parameters
    ----------
    X : array-like, shape (n, d)
    labels : array-like (n,) or (M, n), mapping, DataFrame
        Clusterings of X by the clusterer, one for each number of clusters that was tried.
    clusterer : str, Clusterer or estimator
        What made them: a name in ``karat.clusterers``, or an estimator with ``fit_predict`` and
        ``n_clusters``. It is run on every reference set for every number of clusters.
    statistic : str
        What is compared: ``"informativeness"``, or the key of an internal measure that is computed
        from shared statistics, such as ``"point_wise_margin"``, ``"silhouette"``, or
        ``"r_squared"``, the default, which is 1 less SigClust's cluster index.
    n_references : int
        Reference sets; the smallest possible p-value is 1/(1 + n_references).
    reference : {"uniform", "gaussian"}
        A uniform box along the principal axes of X (as the gap statistic has it), or one
        Gaussian with the mean and covariance of X.
    classifiers, cv, baseline, executor
        As in :func:`karat.informativeness`; for that statistic only.
    metric, noise, random_state
        As in :func:`karat.informativeness`.

    Returns
    -------
    NullTest

    Raises
    ------
    InputError
        For input that cannot be used, sparse data, or a clustering with a single cluster.
    UndefinedMeasureError
        Where the statistic has no finite value for a clustering of X.

    Notes
    -----
    M fits for each reference set, and a pass for the statistic.

    Informativeness ends at 1, and a cut through few objects without clusters costs next to no
    errors: the farther clusters are apart, the longer and thinner the reference is, and the less
    they stand out. R² and the point-wise margin do not end there. R² compares sums of squares; with
    one Gaussian as the reference that is SigClust (Liu et al. 2008), but for its way to estimate
    the covariance in many dimensions. The margin also sees clusters that are not round, but takes
    one skewed cluster for two; and one Gaussian is no reference for data that end sharply.
    ``python -m benchmarks.clarity null`` measures all of this.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> from karat.measures.clarity import reference_null
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (300, 2)), rng.normal(9, 1, (300, 2))])
    >>> labels = {k: KMeans(k, n_init=1, random_state=0).fit_predict(X) for k in (2, 3, 4)}
    >>> test = reference_null(X, labels, "kmeans", random_state=0)
    >>> test.p_any, test.table["excess"].idxmax()
    (0.05, '2')
    """
    from karat.clusterers import as_clusterer

    check_choice(baseline, BASELINES, "baseline")
    check_choice(reference, ("gaussian", "uniform"), "reference")
    data, labelings = _checked(X, labels, noise, n_references, "n_references")
    if not isinstance(data, np.ndarray) or metric == "precomputed":
        raise InputError("reference data are drawn for dense X only; reduce its dimensions first")
    made = as_clusterer(clusterer)
    if made.parameter != "n_clusters":
        raise InputError(f"{made.key} cannot be told the number of clusters; name one that can")
    rng = check_random_state(random_state)
    options: dict[str, Any] = {
        "classifiers": classifiers,
        "cv": cv,
        "metric": metric,
        "random_state": int(rng.integers(2**31 - 1)),
        "executor": executor,
    }
    record = None if statistic == "informativeness" else _record(statistic)

    def judged(points: Any, given: Labelings) -> NDArray[np.float64]:
        if record is None:
            return assess_labelings(points, given, **options).values(baseline)
        stats = Statistics(points, given, record.needs, metric=metric)
        stats.raise_failed()
        return record.judge(stats)[0]

    observed = judged(data, labelings)
    if not np.isfinite(observed).all():
        without = labelings.names[int(np.argmin(np.isfinite(observed)))]
        raise UndefinedMeasureError(
            f"{statistic} has no finite value for clustering {without!r}, so there is nothing to "
            "compare; omit the clustering, or take another statistic"
        )
    cloud = Null(data)
    null = np.empty((n_references, len(labelings)))
    for b in range(n_references):
        drawn = cloud.draw(reference, rng)
        rows = {
            str(k): made.make(int(k), int(rng.integers(2**31 - 1))).fit_predict(drawn)
            for k in np.unique(labelings.n_clusters)
        }
        found = as_labelings(rows, noise="drop")
        values = dict(zip(found.names, judged(drawn, found), strict=True))
        null[b] = [values[str(k)] for k in labelings.n_clusters]
    better = record is None or record.greater_is_better
    # a clusterer that found one cluster in the reference has recognised nothing
    worst = np.nanmin if better else np.nanmax
    nothing = 0.0 if record is None else worst(np.vstack([observed, null]), axis=0)
    null = np.where(np.isfinite(null), null, nothing)
    return NullTest(labelings.names, observed, null, statistic, better)


def _record(statistic: str) -> Measure:
    """The internal measure that is computed from shared statistics."""
    record = catalogue[statistic]
    if record.kind != "internal" or record.compute is None:
        raise InputError(
            f"{statistic} is not computed from the data and shared statistics; take "
            "point_wise_margin, r_squared, silhouette or informativeness"
        )
    return record
