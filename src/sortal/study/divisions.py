"""Facts about alternatives: several good divisions of the same objects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sortal.study.views import LIMITS, DataView

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sortal.study.facts import Recovery


@dataclass(frozen=True)
class Alternative:
    """One way to divide the objects.

    Attributes
    ----------
    name, n_clusters : str, int
        A candidate of the study, or a clustering that was not part of the sweep.
    labels : ndarray of int32, shape (n,)
        ``-1`` for outliers.
    sizes : tuple of int
        The largest first.
    recovery, view : Recovery, DataView
        The recovery that the judge expects, and the view of the data that shows the clustering.
    evidence : float
        -log p of the shallowest valley that separates its clusters.
    carried_by : tuple of (str, float)
        The features that carry it, with the share of their variance that lies between its
        clusters, corrected for chance.
    agreement : float
        Most information that it shares with one of the other alternatives.
    """

    name: str
    n_clusters: int
    labels: NDArray[np.int32] = field(repr=False, compare=False)
    sizes: tuple[int, ...]
    recovery: Recovery | None
    view: DataView
    evidence: float
    carried_by: tuple[tuple[str, float], ...] = ()
    agreement: float = 0.0


@dataclass(frozen=True)
class AlternativesFacts:
    """Good clusterings that differ from each other, the highest recovery first.

    The attributes are those of :class:`sortal.study.alternatives.Alternatives`.
    """

    items: tuple[Alternative, ...]
    crossed: str | None = None
    reason: str | None = None
    searched: int = 0
    alike: float = LIMITS.alike
    share: float = LIMITS.share

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Alternative]:
        return iter(self.items)

    def __getitem__(self, i: int) -> Alternative:
        return self.items[i]
