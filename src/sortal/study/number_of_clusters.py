"""The number of clusters of a data set, with the probability of each number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sortal.judge import FEWEST_OBJECTS
from sortal.nulls.structure import ONE_CLOUD
from sortal.runtime.numerals import percent
from sortal.runtime.validation import InputError
from sortal.study.study import Study

if TYPE_CHECKING:
    import pandas as pd

    from sortal.nulls.structure import Structure
    from sortal.typing import ArrayLike, Metric

#: tuned by eye: probability from which on the text names another number
MIN_NAMED = 0.15


@dataclass(frozen=True)
class NumberOfClusters:
    """How many clusters there are.

    Attributes
    ----------
    k : int
        That of the tree of splits, as in :class:`sortal.Answer`; 1 where one cloud is more probable
        than groups of any kind. Groups that overlap have no exact number: there, that of the
        judge's choice.
    probabilities : Series
        The probability of each number; they sum to 1. That of 1 is the probability of one
        cloud.
    table : DataFrame
        The best clustering of each number that the default sweep found, and its recovery.
    structure : Structure or None
        The probabilities of separate groups, of groups that overlap, and of one cloud.
    """

    k: int
    probabilities: pd.Series[float]
    table: pd.DataFrame
    structure: Structure | None = None

    def __repr__(self) -> str:
        shares = self.probabilities.sort_values(ascending=False, kind="stable")
        others_by_share = shares.drop(self.k).items()
        likely = [
            f"{k} ({percent(share, 0)})" for k, share in others_by_share if share >= MIN_NAMED
        ]
        others = " or ".join(likely)
        if self.k == 1:
            cloud = ONE_CLOUD if self.structure is None else self.structure.cloud
            more = f", with {others}" * bool(likely)
            return f"{cloud} The chance of groups is {percent(1 - shares[1], 0)}{more}."
        return f"{self.k} clusters ({percent(shares[self.k], 0)}){', or ' * bool(likely)}{others}."


def n_clusters(
    X: ArrayLike, *, metric: Metric = "euclidean", random_state: int = 0
) -> NumberOfClusters:
    """How many clusters there are: one answer, with the probability of each number.

    Parameters
    ----------
    X : array-like, shape (n, d), or a Dataset
    metric : str or callable
    random_state : int

    Raises
    ------
    InputError
        For fewer objects than the learned judge takes, and for a graph.

    Notes
    -----
    The tree of splits follows from the data and their distance alone, so no seed changes it. Each
    split has its probability, given those above it; those of the numbers convolve these. The
    default sweep is for the table.

    Examples
    --------
    >>> import numpy as np
    >>> import sortal
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in (0, 2, 4)])
    >>> sortal.n_clusters(X).k
    3
    """
    import pandas as pd

    study = Study(X, metric=metric, random_state=random_state)
    study.sweep(progress=False)
    answer = study.best(stability=False)
    splits = study.state.splits
    if splits is None:
        raise InputError(
            f"the learned judge takes {FEWEST_OBJECTS} objects or more that have features or "
            "distances; sortal.stability.ESTIMATORS has other ways"
        )
    probabilities = pd.Series(splits.numbers, name="probability").rename_axis("k").sort_index()
    best = study.rank().reset_index(names="name").drop_duplicates("n_clusters")
    best = best.set_index("n_clusters").rename_axis("k").sort_index()
    table = best[["name", "recovery", "low", "high"]]
    overlap = splits.k > 1 and splits.root.kind == "overlapping"
    k = answer.n_clusters if overlap and answer.n_clusters in splits.numbers else splits.k
    return NumberOfClusters(k, probabilities, table, answer.structure)
