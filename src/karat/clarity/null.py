"""What informativeness would be without clusters: shuffled labels, and data without structure."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from karat.clarity._task import LeaveOneOut
from karat.clarity.assessment import assess_labelings
from karat.clarity.scores import BASELINES, Baseline
from karat.neighbors import neighbor_lists
from karat.partition import NOISE, Labelings, NoisePolicy, as_labelings
from karat.validation import (
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
    """Informativeness of M clusterings beside B draws without clusters.

    Attributes
    ----------
    names : tuple of str, length M
    observed : ndarray of float64, shape (M,)
    null : ndarray of float64, shape (B, M)
    """

    names: tuple[str, ...]
    observed: NDArray[np.float64]
    null: NDArray[np.float64]

    @property
    def p_values(self) -> NDArray[np.float64]:
        """(1 + draws at least as large) / (1 + draws), for each clustering by itself."""
        larger = (self.null >= self.observed).sum(axis=0)
        return (1 + larger) / (1 + len(self.null))

    @property
    def p_any(self) -> float:
        """The same for the clustering that stands out most, so that trying many is paid for.

        Each set (the data and every draw) gives the largest of its M values, each value less
        its mean over all B + 1 sets and divided by its standard deviation over them.
        """
        every = np.vstack([self.observed, self.null])
        spread = every.std(axis=0)
        kept = spread > 0
        if not kept.any():
            return 1.0
        largest = ((every - every.mean(axis=0))[:, kept] / spread[kept]).max(axis=1)
        return float((largest >= largest[0]).mean())

    @property
    def table(self) -> pd.DataFrame:
        """One row per clustering.

        Columns: ``informativeness``; ``null_mean`` with its ``null_error``, the standard error
        from drawing B times; ``null_sd``; ``excess``, informativeness less the null mean;
        ``p_value``.
        """
        import pandas as pd

        spread = self.null.std(axis=0, ddof=1)
        return pd.DataFrame(
            {
                "informativeness": self.observed,
                "null_mean": self.null.mean(axis=0),
                "null_error": spread / np.sqrt(len(self.null)),
                "null_sd": spread,
                "excess": self.observed - self.null.mean(axis=0),
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
    n_permutations: int = 199,
    classifiers: Any = "5nn",
    cv: int | LeaveOneOut = "leave-one-out",
    baseline: Baseline = "uniform",
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    random_state: Any = None,
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
    >>> from karat.clarity import permutation_null
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
    n_references: int = 19,
    reference: Reference = "uniform",
    classifiers: Any = "5nn",
    cv: int | LeaveOneOut = "leave-one-out",
    baseline: Baseline = "uniform",
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    random_state: Any = None,
    executor: Executor | None = None,
) -> NullTest:
    """Informativeness of the same clusterer's work on data that has one cluster only.

    Answers *is there any clustering here at all* (``p_any``), and which clusterings are clearer
    than the clusterer makes them of nothing.

    Parameters
    ----------
    X : array-like, shape (n, d)
    labels : array-like (n,) or (M, n), mapping, DataFrame
        Clusterings of X by the clusterer, one for each number of clusters that was tried.
    clusterer : str, Clusterer or estimator
        What made them: a name in ``karat.clusterers``, or an estimator with ``fit_predict`` and
        ``n_clusters``. It is run on every reference set for every number of clusters.
    n_references : int
        Reference sets; the smallest possible p-value is 1/(1 + n_references).
    reference : {"uniform", "gaussian"}
        A uniform box along the principal axes of X (as the gap statistic has it), or one
        Gaussian with the mean and covariance of X.
    classifiers, cv, baseline, metric, noise, random_state, executor
        As in :func:`karat.informativeness`.

    Returns
    -------
    NullTest

    Raises
    ------
    InputError
        For input that cannot be used, sparse data, or a clustering with a single cluster.

    Notes
    -----
    One neighbour search and M fits for each reference set.

    Few objects say little: cutting 120 objects without clusters in two costs only one or two
    errors, so even clusters that are recognised without one hardly stand out. The number of
    objects at a cut grows more slowly than n, and with it the power.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> from karat.clarity import reference_null
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
    observed = assess_labelings(data, labelings, **options).values(baseline)
    null = np.empty((n_references, len(labelings)))
    for b in range(n_references):
        drawn = _draw(data.astype(np.float64), reference, rng)
        rows = {
            str(k): made.make(int(k), int(rng.integers(2**31 - 1))).fit_predict(drawn)
            for k in np.unique(labelings.n_clusters)
        }
        found = assess_labelings(drawn, as_labelings(rows, noise="drop"), **options)
        values = dict(zip(found.labelings.names, found.values(baseline), strict=True))
        # a clusterer that found one cluster in the reference has recognised nothing
        null[b] = [values[str(k)] for k in labelings.n_clusters]
    return NullTest(labelings.names, observed, np.nan_to_num(null, nan=0.0))


def _draw(
    X: NDArray[np.float64], reference: Reference, rng: np.random.Generator
) -> NDArray[np.float64]:
    mean = X.mean(axis=0)
    U, s, axes = np.linalg.svd(X - mean, full_matrices=False)
    if reference == "gaussian":
        scores = rng.normal(size=U.shape) * s / np.sqrt(max(len(X) - 1, 1))
    else:
        scores = U * s
        scores = rng.uniform(scores.min(axis=0), scores.max(axis=0), size=scores.shape)
    return scores @ axes + mean
