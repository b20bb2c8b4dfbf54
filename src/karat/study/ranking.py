"""From many contradicting measures to one order, and how far they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

from karat.measures.families import effective_number
from karat.measures.measure_map import grouped

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.measures import Measure


@dataclass(frozen=True)
class Consensus:
    """An order of P clusterings by the votes of F families of measures.

    Attributes
    ----------
    score : ndarray, shape (P,)
        Mean of the families' points times the share of objects judged; 1 is best.
    families : DataFrame, shape (P, F)
        Points of each family: 1 for its first, 0 for its last, equal for ties.
    agreement : float or None
        Kendall's W of the families: 1 where all give the same order, 0 where they have nothing
        in common; None for a single family.
    opinions : float
        How many independent opinions the families' votes are worth, see
        :func:`karat.measures.families.effective_number`.
    members : dict of str to list of str
        Keys of the measures of each family.
    """

    score: NDArray[np.float64]
    families: pd.DataFrame
    agreement: float | None
    opinions: float = 1.0
    members: dict[str, list[str]] = field(default_factory=dict)


def consensus(
    values: pd.DataFrame,
    measures: Sequence[Measure],
    coverage: NDArray[np.float64],
    errors: pd.DataFrame | None = None,
) -> Consensus:
    """Rank by each measure, average within a family, then over the families.

    Parameters
    ----------
    values : DataFrame, shape (P, measures)
        A row per clustering; NaN (undefined) ranks last.
    measures : sequence of Measure
        The voters: a column each.
    coverage : ndarray, shape (P,)
        Share of the objects that each clustering does not exclude.
    errors : DataFrame, optional
        Standard errors of the estimates among the values: two values tie unless they differ by
        more than 1.96 standard errors of their difference, see :func:`points`.

    Notes
    -----
    Borda's count with one vote per family, so that ten variants of one idea do not outvote
    another. Families are those of the map (``MeasureMap.families``): measures
    that gave much the same orders on many data sets. O(P log P) for each measure.
    """
    import pandas as pd

    given: dict[str, NDArray[np.float64]] = {}
    for measure in measures:
        upward = measure.sign * values[measure.key].to_numpy(dtype=np.float64)
        known = errors is not None and measure.key in errors
        error = errors[measure.key].to_numpy(dtype=np.float64) if known else None  # type: ignore[index]
        given[measure.key] = points(upward, error)
    members = grouped({measure.key: measure.family for measure in measures})
    votes = pd.DataFrame(
        {family: np.mean([given[k] for k in keys], axis=0) for family, keys in members.items()},
        index=values.index,
    )
    matrix = votes.to_numpy()
    score = matrix.mean(axis=1) * coverage
    several = matrix.shape[1] > 1 and len(matrix) > 1
    agreement = kendalls_w(matrix) if several else None
    return Consensus(score, votes, agreement, effective_number(matrix), members)


#: standard errors of a difference within which two values tie
INSIDE = 1.96


def points(
    upward: NDArray[np.float64], errors: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Points of one voter: 1 for its first, 0 for its last.

    A thing has a point for each other that it beats and half of one for each that it ties with,
    over their number. Two estimates tie unless they differ by more than 1.96 standard errors of
    their difference, taken as if they were independent, which estimates from the same sample are
    not: the rule then errs towards ties.

    Examples
    --------
    >>> import numpy as np
    >>> points(np.array([0.1, 0.5, 0.52]), np.array([0.01, 0.01, 0.01])).tolist()
    [0.0, 0.75, 0.75]
    """
    if len(upward) == 1:
        return np.ones(1)
    values = _nan_last(upward)
    if errors is None or not np.nan_to_num(errors).any():
        return (rankdata(values, method="average") - 1) / (len(values) - 1)
    squares = np.nan_to_num(errors) ** 2
    with np.errstate(invalid="ignore"):
        ahead = np.nan_to_num(values[:, None] - values)
    inside = INSIDE * np.sqrt(squares[:, None] + squares)
    won = (ahead > inside).sum(axis=1) - (ahead < -inside).sum(axis=1)
    return np.asarray((won / (len(values) - 1) + 1) / 2)


def kendalls_w(votes: NDArray[np.float64]) -> float:
    """Kendall's coefficient of concordance of F voters (columns) on P things, ties corrected.

    Examples
    --------
    >>> import numpy as np
    >>> kendalls_w(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]))
    1.0
    """
    p, f = votes.shape
    ranks = rankdata(votes, axis=0)
    totals = ranks.sum(axis=1)
    ties = 0
    for column in ranks.T:
        _, counts = np.unique(column, return_counts=True)
        ties += int((counts**3 - counts).sum())
    spread = float(((totals - totals.mean()) ** 2).sum())
    most = f**2 * (p**3 - p) / 12 - f * ties / 12
    return spread / most if most > 0 else 1.0


def order(score: NDArray[np.float64], *tiebreakers: Any) -> NDArray[np.intp]:
    """Positions best first; NaN last, ties by the tiebreakers (lower first)."""
    return np.lexsort((*reversed(tiebreakers), -_nan_last(score)))


def ranks(score: NDArray[np.float64]) -> NDArray[np.int64]:
    """Place of each score: 1 for the greatest, equal for ties; NaN last."""
    return rankdata(-_nan_last(score), method="min").astype(np.int64)


def _nan_last(score: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.isnan(score), -np.inf, score)
