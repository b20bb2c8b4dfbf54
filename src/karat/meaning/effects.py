"""By which features a cluster differs from the rest, and whether that holds for other objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from karat.labelings.held_out import HeldOut
from karat.meaning.features import Feature, Table, units
from karat.runtime.resources import row_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

COUNT = 5
#: standard deviations below which a difference is not listed
LEAST = 0.2
#: standard deviations from which on a difference names a cluster that has no rule
CLEAR = 0.5
LEVEL = 0.05


@dataclass(frozen=True)
class Telling:
    """A feature or term that tells a cluster from the rest.

    Attributes
    ----------
    feature : str
    within, elsewhere : float
        Mean in the cluster and of all other objects, in original units; of categories and terms
        the share of objects that have them.
    text, text_elsewhere : str
        The same for people.
    direction : {"higher", "lower"}
    effect : float
        The difference of the two in standard deviations of all objects, of terms in shares. It
        describes the objects that formed the clusters, and was picked because it is large.
    interval : tuple of float, or None
        The effect on objects that did not form the clusters, 95 % for all features of all
        clusters together; None where the cluster is not found again in each half of the objects,
        or nothing else tells it.
    word : str
        What the difference makes of an object: "older", "high income".
    clear : bool
        Whether it is enough to name a cluster by: a term, or half a standard deviation.
    """

    feature: str
    within: float
    elsewhere: float
    text: str
    text_elsewhere: str
    direction: str
    effect: float
    interval: tuple[float, float] | None
    word: str
    clear: bool


@dataclass(frozen=True)
class Difference:
    """A feature by its column, with its mean in the cluster and elsewhere, and the effect."""

    column: int
    feature: Feature
    within: float
    elsewhere: float
    effect: float


class Means:
    """Means of every feature in each cluster and elsewhere, from one pass over the data."""

    def __init__(self, table: Table, codes: NDArray[Any]) -> None:
        self.table = table
        k, values = int(codes.max()) + 1, table.values
        # outliers come last: they are elsewhere
        groups = np.where(codes < 0, k, codes)
        shape = k + 1, values.shape[1]
        self._sums, self._counts = np.zeros(shape), np.zeros(shape)
        squares = np.zeros(shape[1])
        self._units = units(values)
        for rows in row_blocks(values.shape):
            part = sparse.csr_array(
                (np.ones(len(groups[rows])), (groups[rows], np.arange(len(groups[rows])))),
                shape=(k + 1, len(groups[rows])),
            )
            block = values[rows]
            if isinstance(block, np.ndarray):
                block = block.astype(np.float64)
                known = ~np.isnan(block)
                block = np.where(known, block / self._units, 0)
                self._counts += part @ known
                squares += (block**2).sum(axis=0)
                self._sums += part @ block
            else:
                self._counts += np.asarray(part.sum(axis=1)).reshape(-1, 1)
                block = sparse.csr_array(block.multiply(1 / self._units))
                squares += np.asarray(block.multiply(block).sum(axis=0)).ravel()
                self._sums += (part @ block).toarray()
        n = np.maximum(self._counts.sum(axis=0), 1)
        mean = self._sums.sum(axis=0) / n
        self._spread = np.sqrt(np.maximum(squares / n - mean**2, 0))
        self._spread[self._spread <= 1e-7 * np.abs(mean)] = 0

    def differences(self, cluster: int) -> list[Difference]:
        """The features by which a cluster differs most, one for each column of the source."""
        own, all_own = self._sums[cluster], self._counts[cluster]
        rest, all_rest = self._sums.sum(axis=0) - own, self._counts.sum(axis=0) - all_own
        if not all_own.any() or not all_rest.any():
            return []
        within, elsewhere = own / np.maximum(all_own, 1), rest / np.maximum(all_rest, 1)
        there = self._spread > 0
        effect = np.where(there, (within - elsewhere) / np.where(there, self._spread, 1), 0)
        picked: dict[str, Difference] = {}
        for j in np.argsort(-np.abs(effect).round(12), kind="stable"):
            if abs(effect[j]) < LEAST or len(picked) == COUNT:
                break
            feature, unit = self.table.features[j], self._units[j]
            ends = float(within[j] * unit), float(elsewhere[j] * unit)
            picked.setdefault(feature.source, Difference(int(j), feature, *ends, float(effect[j])))
        return list(picked.values())


def elsewhere(
    table: Table, halves: HeldOut | None, cluster: int, one: Difference, n_tests: int
) -> tuple[float, float] | None:
    """Welch's interval of the effect on objects that did not form the clusters."""
    from scipy.stats import norm

    if halves is None or not halves.found[cluster] or not one.feature.columns:
        return None
    placed = halves.clusters(one.feature.columns)
    values = table.columns(halves.rows, np.array([one.column]))
    values = (values / units(values)).ravel()
    known = ~np.isnan(values)
    own, other = values[(placed == cluster) & known], values[(placed != cluster) & known]
    spread = values[known].std()
    if min(len(own), len(other)) < 5 or spread == 0:
        return None
    error = np.sqrt(own.var(ddof=1) / len(own) + other.var(ddof=1) / len(other)) / spread
    middle = (own.mean() - other.mean()) / spread
    z = float(norm.isf(LEVEL / (2 * n_tests)))
    return float(middle - z * error), float(middle + z * error)
