"""Features by which a cluster differs from the rest, and the effects on other objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sortal.labelings.held_out import HeldOut
from sortal.meaning.features import LIMITS, DescriptionLimits, Table, units, word
from sortal.runtime.resources import row_blocks

if TYPE_CHECKING:
    from sortal.typing import Floats, Rows


@dataclass(frozen=True)
class Telling:
    """A feature or term that separates a cluster from the rest.

    Attributes
    ----------
    feature : str
    within, elsewhere : float
        Mean in the cluster and of all other objects, in original units; for categories and terms
        the share of objects that have them.
    text, text_elsewhere : str
        These two means in words.
    direction : {"higher", "lower"}
    effect : float
        The difference of the means in standard deviations of all objects, for terms in shares. It
        describes the objects that formed the clusters, and was picked because it is large.
    interval : tuple of float, or None
        The effect on objects that did not form the clusters, 95 % for all features of all
        clusters together. None where the halves of the objects do not reproduce the cluster, or no
        other feature separates it.
    word : str
        Name for objects with such values: "older", "high income".
    clear : bool
        Whether the difference can name a cluster: a term, or half a standard deviation.
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


class Means:
    """Means of every feature in each cluster and elsewhere, from one pass over the data."""

    def __init__(
        self, table: Table, codes: NDArray[Any], limits: DescriptionLimits = LIMITS
    ) -> None:
        self.table, self.limits = table, limits
        k, values = int(codes.max()) + 1, table.values
        # outliers come last and count as elsewhere
        groups = np.where(codes < 0, k, codes)
        shape = k + 1, values.shape[1]
        self._sums, self._counts = np.zeros(shape), np.zeros(shape)
        squares = np.zeros(shape[1])
        self._units = units(values)
        for rows in row_blocks(values.shape):
            members = sparse.csr_array(
                (np.ones(len(groups[rows])), (groups[rows], np.arange(len(groups[rows])))),
                shape=(k + 1, len(groups[rows])),
            )
            block = values[rows]
            if isinstance(block, np.ndarray):
                block = block.astype(np.float64)
                present = ~np.isnan(block)
                block = np.where(present, block / self._units, 0)
                self._counts += members @ present
                squares += (block**2).sum(axis=0)
                self._sums += members @ block
            else:
                self._counts += np.asarray(members.sum(axis=1)).reshape(-1, 1)
                block = sparse.csr_array(block.multiply(1 / self._units))
                squares += np.asarray(block.multiply(block).sum(axis=0)).ravel()
                self._sums += (members @ block).toarray()
        n = np.maximum(self._counts.sum(axis=0), 1)
        mean = self._sums.sum(axis=0) / n
        self._spread = np.sqrt(np.maximum(squares / n - mean**2, 0))
        self._spread[self._spread <= 1e-7 * np.abs(mean)] = 0

    def variance(self) -> tuple[Floats, Floats]:
        """Sums of squares of each column without missing values: between the clusters, in total."""
        n = self._counts.sum(axis=0)
        mean = self._sums.sum(axis=0) / n
        means = self._sums / np.maximum(self._counts, 1)
        between = (self._counts * (means - mean) ** 2).sum(axis=0)
        return between * self._units**2, n * (self._spread * self._units) ** 2

    def telling(
        self, cluster: int, halves: HeldOut | None = None, n_tests: int = 1
    ) -> tuple[Telling, ...]:
        """The features by which a cluster differs most, one per source column."""
        sums, counts = self._sums[cluster], self._counts[cluster]
        n_others = self._counts.sum(axis=0) - counts
        if not counts.any() or not n_others.any():
            return ()
        within = sums / np.maximum(counts, 1)
        others = (self._sums.sum(axis=0) - sums) / np.maximum(n_others, 1)
        varies = self._spread > 0
        effects = np.where(varies, (within - others) / np.where(varies, self._spread, 1), 0)
        picked: dict[str, Telling] = {}
        for j in np.argsort(-np.abs(effects).round(12), kind="stable"):
            effect, feature = float(effects[j]), self.table.features[j]
            if abs(effect) < self.limits.min_effect or len(picked) == self.limits.n_telling:
                break
            if feature.source in picked:
                continue
            inside, outside = float(within[j] * self._units[j]), float(others[j] * self._units[j])
            picked[feature.source] = Telling(
                feature=feature.name,
                within=inside,
                elsewhere=outside,
                text=feature.text(inside),
                text_elsewhere=feature.text(outside),
                direction="higher" if effect > 0 else "lower",
                effect=effect,
                interval=self._interval(int(j), halves, cluster, n_tests),
                word=word(feature, 1 if effect > 0 else -1),
                clear=abs(effect) >= self.limits.clear_effect,
            )
        return tuple(picked.values())

    def _interval(
        self, column: int, halves: HeldOut | None, cluster: int, n_tests: int
    ) -> tuple[float, float] | None:
        """Welch's interval of the effect on objects that did not form the clusters."""
        from scipy.stats import norm

        columns = self.table.features[column].columns
        if halves is None or not halves.found[cluster] or not columns:
            return None
        placed = halves.clusters(columns)
        values = self.table.columns(halves.rows, np.array([column]))
        values = (values / units(values)).ravel()
        present = ~np.isnan(values)
        inside = values[(placed == cluster) & present]
        outside = values[(placed != cluster) & present]
        spread = values[present].std()
        if min(len(inside), len(outside)) < 5 or spread == 0:
            return None
        variances = [group.var(ddof=1) / len(group) for group in (inside, outside)]
        error = np.sqrt(variances[0] + variances[1]) / spread
        middle = (inside.mean() - outside.mean()) / spread
        z = float(norm.isf(self.limits.level / (2 * n_tests)))
        return float(middle - z * error), float(middle + z * error)


def carriers(
    X: Rows,
    labels: NDArray[np.integer],
    feature_names: Sequence[object],
    limits: DescriptionLimits = LIMITS,
) -> tuple[tuple[str, float], ...]:
    """The three features that carry a clustering most, with their shares of variance.

    A share is of the variance that lies between the clusters, corrected for chance (Kelley's
    epsilon squared); none is below 0.1. Outliers are excluded, and columns ``name=value`` are one
    feature.

    >>> import numpy as np
    >>> X = np.array([[0.0, 1.0], [0.1, 0.0], [5.0, 0.9], [5.1, 0.1]])
    >>> [name for name, _ in carriers(X, np.array([0, 0, 1, 1]), ["income", "age"])]
    ['income']
    """
    inside = labels >= 0
    between, total = Means(Table(X[inside], ()), labels[inside]).variance()
    sources: dict[str, list[int]] = {}
    for j, name in enumerate(feature_names):
        sources.setdefault(str(name).partition("=")[0], []).append(j)
    n, k = int(inside.sum()), int(labels.max()) + 1
    shares = {}
    for name, columns in sources.items():
        variance = total[columns].sum()
        share = between[columns].sum() / variance if variance > 0 else 0.0
        shares[name] = 1 - (1 - share) * (n - 1) / max(n - k, 1)
    order = sorted(shares, key=lambda name: (-round(shares[name], 9), name))[: limits.n_items]
    return tuple((name, float(shares[name])) for name in order if shares[name] >= limits.min_share)
