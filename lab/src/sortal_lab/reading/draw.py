"""The objects that a round draws from a clustering."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal_lab.reading.answers import NONE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal_lab.reading.display import Show


@dataclass(frozen=True)
class RoundDraw:
    """Examples of each cluster, and objects to be assigned to the clusters.

    Attributes
    ----------
    clusters : tuple
        Labels of the clusters that take part, in the order of the options.
    too_small : tuple
        Labels of clusters of one object, which leave nothing to be assigned.
    examples, others : tuple of tuple of int
        Positions of the members of each cluster that are shown, and of objects of other clusters.
    objects : tuple of int
        Positions of the objects to be assigned, in the order of the questions.
    truth : tuple of int
        The cluster of each, as a position in ``clusters``.
    draws : tuple of int
        Number of draws that each represents: more than one where a cluster has few objects.
    show : callable
        Shows the object at a position.
    most : int or None
        In a short round, the characters to which texts are cut.
    """

    clusters: tuple[Any, ...]
    too_small: tuple[Any, ...]
    examples: tuple[tuple[int, ...], ...]
    others: tuple[tuple[int, ...], ...]
    objects: tuple[int, ...]
    truth: tuple[int, ...]
    draws: tuple[int, ...]
    show: Show = field(repr=False, compare=False)
    most: int | None = None

    def __len__(self) -> int:
        return len(self.clusters) + len(self.objects)

    @property
    def n_names(self) -> int:
        """Number of first questions, which ask for a name."""
        return len(self.clusters)

    @property
    def identity(self) -> NDArray[np.intp]:
        """Numbers that identify the round."""
        return np.array([*self.objects, NONE, *(i for shown in self.examples for i in shown)])
