"""How likely each number of clusters is, and how clusterings of different numbers go together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from karat.judge import FEWEST_OBJECTS
from karat.runtime.validation import InputError
from karat.stability.result import Tabled
from karat.study.answer import GRADES, Number

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.nulls.structure import Structure
    from karat.study.judging import Judged
    from karat.study.study import Study

#: so many of the most likely numbers are compared with the answer
COMPARED = 4
#: probability from which on another number is named
NAMED = 0.15


@dataclass(frozen=True)
class NumberOfClusters(Tabled):
    """How many clusters there are.

    Attributes
    ----------
    k : int
        The most probable number.
    probabilities : Series
        The probability of each number; they sum to 1.
    table : DataFrame
        What it follows from.
    structure : Structure or None
        Whether there are clusters at all, which is the probability of 1.
    """

    k: int
    probabilities: pd.Series[float]
    table: pd.DataFrame
    structure: Structure | None = None

    @property
    def headline(self) -> str:
        """The answer, and what else it may be."""
        ordered = self.probabilities.sort_values(ascending=False, kind="stable")
        others = [f"{k} ({p:.0%})" for k, p in ordered.iloc[1:].items() if p >= NAMED]
        what = "No clusters" if self.k == 1 else f"{self.k} clusters"
        more = f", or {' or '.join(others)}" if others else ""
        return f"{what} ({ordered.iloc[0]:.0%}){more}."

    def __repr__(self) -> str:
        return self.headline


def nesting(
    coarse: NDArray[np.integer], fine: NDArray[np.integer]
) -> tuple[float, list[list[int]]]:
    """Of how many objects the finer partition divides the coarser, and which of its clusters do.

    Outliers of either are not counted.

    >>> nesting(np.array([0, 0, 1, 1, 1, 1]), np.array([0, 0, 1, 1, 2, 2]))
    (1.0, [[0], [1, 2]])
    """
    both = (coarse >= 0) & (fine >= 0)
    table = np.zeros((fine.max() + 1, coarse.max() + 1), dtype=np.int64)
    np.add.at(table, (fine[both], coarse[both]), 1)
    home = np.where(table.any(axis=1), table.argmax(axis=1), -1)
    share = table.max(axis=1).sum() / max(both.sum(), 1)
    return float(share), [np.flatnonzero(home == c).tolist() for c in range(table.shape[1])]


def n_clusters(X: Any, *, metric: Any = "euclidean", random_state: int = 0) -> NumberOfClusters:
    """How many clusters there are: one answer, with the probability of each number.

    Parameters
    ----------
    X : array-like, shape (n, d), or a Dataset
    metric : str or callable
    random_state : int

    Returns
    -------
    NumberOfClusters
        ``table`` has the best clustering of each number that the default sweep found, and its
        expected agreement.

    Raises
    ------
    InputError
        For fewer objects than the learned judge takes, and for a graph.

    Notes
    -----
    1 has the probability that there are no clusters (:func:`karat.assess_structure`). The rest is
    shared out by the learned judge over the clusterings of the default sweep; what that is worth
    on collections that it had not seen is in the documentation of the choice.
    :data:`karat.stability.ESTIMATORS` has estimators of the literature.

    Examples
    --------
    >>> import numpy as np
    >>> import karat
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in (0, 2, 4)])
    >>> karat.n_clusters(X).k
    3
    """
    import pandas as pd

    from karat.study.study import Study

    study = Study(X, metric=metric, random_state=random_state)
    study.sweep(progress=False)
    answer = study.best(stability=False)
    if not answer.numbers:
        raise InputError(
            f"the learned judge takes {FEWEST_OBJECTS} objects or more that have features or "
            "distances; karat.stability.ESTIMATORS has other ways"
        )
    there = 1.0 if answer.structure is None else answer.structure.probability
    shares = {1: 1 - there} | {one.k: there * one.probability for one in answer.numbers}
    probabilities = pd.Series(shares, name="probability").rename_axis("k").sort_index()
    ranking = study.rank().reset_index(names="name")
    best = ranking.drop_duplicates("n_clusters").set_index("n_clusters").rename_axis("k")
    table = best[["name", "expected", "low", "high"]].sort_index()
    return NumberOfClusters(
        int(probabilities.index[int(probabilities.argmax())]),
        probabilities,
        table,
        answer.structure,
    )


def numbers_of(
    study: Study, ranked: pd.DataFrame, shares: Mapping[int, float], found: Judged | None
) -> tuple[Number, ...]:
    """The numbers by their shares, the greatest first; how the likely ones go with the first."""
    best = _best_of_each(ranked, found)
    (k, share), *others = sorted(shares.items(), key=lambda one: -one[1])
    told = [Number(k, share, best[k].name)]
    first = best[k].divided(study)
    for k, share in others:
        if len(told) >= COMPARED:
            told.append(Number(k, share, best[k].name))
            continue
        both = sorted([first, best[k].divided(study)], key=lambda one: int(one[0].max()))
        (coarse, wholes), (fine, names) = both
        nested, parts = nesting(coarse, fine)
        united = tuple(
            (whole, tuple(names[i] for i in part))
            for whole, part in zip(wholes, parts, strict=True)
        )
        told.append(Number(k, share, best[k].name, nested, united))
    return tuple(told)


class _Best(NamedTuple):
    """The best clustering with so many clusters: a candidate, or one that karat found beside."""

    name: str | None
    codes: NDArray[np.int32] | None = None

    def divided(self, study: Study) -> tuple[NDArray[np.int32], list[str]]:
        """Labels, and what the clusters are called."""
        if self.name is not None:
            return study.labels(self.name), study.cluster_names(self.name)
        assert self.codes is not None
        return self.codes, [str(i) for i in range(int(self.codes.max()) + 1)]


def _best_of_each(ranked: pd.DataFrame, found: Judged | None) -> dict[int, _Best]:
    """The first candidate with each number, unless it is poor and karat has one of its own."""
    out: dict[int, _Best] = {}
    for one, _ in () if found is None else found.company:
        out.setdefault(int(one.codes.max()) + 1, _Best(None, one.codes))
    poor: set[Any] = set()
    if "expected" in ranked:
        poor = set(ranked.index[(ranked["expected"] < GRADES["fair"]).to_numpy(dtype=bool)])
    for name, k in reversed([*zip(ranked.index, map(int, ranked["n_clusters"]), strict=True)]):
        if name not in poor or k not in out or out[k].name is not None:
            out[k] = _Best(str(name))
    return out
