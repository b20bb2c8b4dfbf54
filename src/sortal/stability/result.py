"""Results of stability methods: a curve over k beside a null, and clusters found again."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.runtime.numerals import percent

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import Floats


class Tabled:
    """A result that prints as a sentence and a table."""

    table: pd.DataFrame
    #: the sentence
    headline: Any

    def __str__(self) -> str:
        return f"{self.headline}\n{self.table.round(4)}"

    def _repr_html_(self) -> str:
        """The headline and the table as HTML."""
        return f"<p>{html.escape(self.headline)}</p>{self.table.round(4).to_html()}"


@dataclass(frozen=True)
class StabilityCurve(Tabled):
    """Stability for each number of clusters, with its error, beside that of null data.

    Attributes
    ----------
    name : str
        The method.
    table : DataFrame
        A row per k. The columns of the null need reference data:

        - ``value``: the mean over the resamples
        - ``standard_error`` of resampling (not of sampling other data); NaN for one value
        - ``null``: the mean over the reference sets of the more stable kind, and ``null_error``
        - ``difference``: how much more stable the data are than the null, with ``lower`` and
          ``upper`` at two standard errors
    samples : dict of int to ndarray
        The value of each resample.
    greater_is_better : bool
    selected : int or None
        The number of clusters that the method's own rule takes.
    rule : str
        That rule.
    n_objects : int
    """

    name: str
    table: pd.DataFrame
    samples: dict[int, Floats]
    greater_is_better: bool
    selected: int | None
    rule: str
    n_objects: int
    #: per-k arrays that a method keeps besides
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def headline(self) -> str:
        """The selected number of clusters, and the rule."""
        which = "none" if self.selected is None else str(self.selected)
        better = "higher" if self.greater_is_better else "lower"
        return f"{self.name} ({better} is better): {which} by {self.rule}"


def curve_table(
    samples: dict[int, Floats],
    references: list[dict[int, Floats]],
    *,
    greater_is_better: bool,
) -> pd.DataFrame:
    """The table of a curve; ``references`` hold, per kind of null, the values per k and set."""
    import pandas as pd

    ks = list(samples)
    value = np.array([samples[k].mean() for k in ks])
    # one value has no error
    each = [samples[k] if len(samples[k]) > 1 else np.full(2, np.nan) for k in ks]
    error = np.array([values.std(ddof=1) / np.sqrt(len(values)) for values in each])
    columns: dict[str, Any] = {"value": value, "standard_error": error}
    if references:
        sign = 1 if greater_is_better else -1
        means = np.array([[r[k].mean() for k in ks] for r in references])
        spreads = np.array([[r[k].std(ddof=1) for k in ks] for r in references])
        which = (sign * means).argmax(axis=0)
        at = np.arange(len(ks))
        null, spread = means[which, at], spreads[which, at]
        # the spread of the null sets is the scale on which the data differ from one of them
        total_error = np.sqrt(np.nan_to_num(error) ** 2 + spread**2)
        difference = sign * (value - null)
        columns |= {
            "null": null,
            "null_error": spread,
            "difference": difference,
            "lower": difference - 2 * total_error,
            "upper": difference + 2 * total_error,
        }
    return pd.DataFrame(columns, index=pd.Index(ks, name="k"))


@dataclass(frozen=True)
class ClusterStability(Tabled):
    """Stability of each cluster of one clustering.

    Attributes
    ----------
    table : DataFrame
        A row per cluster:

        - ``size``
        - ``jaccard``: the largest Jaccard similarity with a cluster of the resample, mean over the
          resamples, and its ``standard_error``
        - ``recovered``, ``dissolved``: share of resamples with at least 0.75, and with at most 0.5
    labels : ndarray of int32, shape (n,)
        The clustering that is judged.
    objects : ndarray of float64, shape (n,)
        For each object: share of the resamples with it in which it is in the cluster that matches
        its own best. NaN for outliers and for objects that were never drawn.
    n_resamples : int
    found : ndarray of int, shape (n_resamples,)
        How many clusters each resample has.
    refits : ndarray of float64, shape (n_clusters,), optional
        For each cluster: the least similarity (Jaccard) with the best match in five fits from other
        seeds. None if nothing depends on a seed, or for your own labels.
    """

    table: pd.DataFrame
    labels: NDArray[np.int32]
    objects: Floats
    n_resamples: int
    found: NDArray[np.int64]
    refits: Floats | None = None

    @property
    def advice(self) -> str:
        """Which clusters to believe, and whether the clustering depends on the seed."""
        if self.refits is None or self.refits.min() >= 0.75:
            return self._found_again
        least = int(np.argmin(self.refits))
        return (
            f"{self._found_again} The clusterer itself depends on its seed: from another, on the "
            f"same objects, cluster {self.table.index[least]} is found again with a Jaccard "
            f"similarity of {self.refits[least]:.2f}; start it more often before you judge any."
        )

    @property
    def _found_again(self) -> str:
        """A sentence on the clusters that are found again."""
        stable = self.table.index[self.table["jaccard"] >= 0.75].tolist()
        worst = int(np.nanargmin(self.table["jaccard"]))
        name = self.table.index[worst]
        if len(stable) == len(self.table):
            return "Every cluster is found again in the resamples (mean Jaccard at least 0.75)."
        return (
            f"{len(stable)} of {len(self.table)} clusters are found again; cluster {name} "
            f"dissolves in {percent(self.table['dissolved'].iloc[worst])} of the resamples."
        )

    headline = advice
