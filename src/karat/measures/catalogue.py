"""The one list of measures: tables, docs, the command line and the law tests read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from karat.registry import Registry

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kind: TypeAlias = Literal["external", "internal"]


@dataclass(frozen=True, kw_only=True)
class Measure:
    """All that karat knows of one measure.

    Attributes
    ----------
    key : str
        Its name in tables and on the command line.
    title : str
        Its name in prose.
    kind : {"external", "internal"}
        External: ``function(labels_true, labels_pred)``, also given one
        :class:`~karat.ContingencyTable`. Internal: ``function(X, labels)``.
    family : str
        Measures that judge by the same idea; a consensus gives each family one vote.
    function : callable
        The public function.
    greater_is_better : bool
        Direction.
    range : tuple of float
        Least and greatest value; infinities where there is no bound.
    optimum : float
        The value of a perfect clustering, infinite where there is none.
    source : str
        Where it is defined.
    equation : str
        Equation or section in the source; empty where there is none.
    cost : str
        Time complexity.
    compute : callable, optional
        The batch form. Internal: takes the shared statistics of M clusterings, returns M values.
        External: takes a ContingencyTable, returns a float. Without it the function is called
        for each clustering.
    needs : frozenset of str
        The statistics that ``compute`` of an internal measure reads.
    compares_k : bool
        Whether values for different numbers of clusters are comparable, so that the measure may
        vote on which clustering to use. False for what always improves with k.
    default : bool
        Whether it is computed where no measures are named: those that cost at most one pass
        over the pairs of objects, and suppose no model of the data.
    takes_metric : bool
        Internal: whether the function has ``metric=``, and takes a matrix of distances with
        ``metric="precomputed"``. False for what needs the objects' features.
    axioms : frozenset of str
        Axioms of whissell2012 chapter 4 that hold for it.
    """

    key: str
    title: str
    kind: Kind
    family: str
    function: Callable[..., Any]
    greater_is_better: bool
    range: tuple[float, float]
    optimum: float
    source: str
    equation: str = ""
    cost: str = ""
    compute: Callable[[Any], Any] | None = None
    needs: frozenset[str] = frozenset()
    compares_k: bool = True
    default: bool = True
    takes_metric: bool = True
    axioms: frozenset[str] = frozenset()

    @property
    def sign(self) -> int:
        """1 where greater is better, -1 where lower is: ``sign * value`` always goes up."""
        return 1 if self.greater_is_better else -1

    def penalty(self, values: NDArray[Any], coverage: NDArray[Any]) -> NDArray[np.float64]:
        """Factors that make values worse by the share of the objects that was excluded.

        Values above 0 are multiplied by the coverage, the share that was judged, or divided by
        it where lower is better; others stay, as both would make them better or say nothing.
        """
        with np.errstate(divide="ignore"):
            return np.where(values > 0, coverage**self.sign, 1.0)

    @property
    def summary(self) -> str:
        """First line of the function's documentation."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]


class Catalogue(Registry[Measure]):
    """The measures by key: karat's own, then those of installed packages.

    A package adds measures with an entry point in the group ``karat.measures`` that names a
    :class:`Measure` or an iterable of them.

    Examples
    --------
    >>> import karat
    >>> karat.measures.catalogue["silhouette"].greater_is_better
    True
    """

    def select(
        self, keys: Iterable[str] | None = None, *, kind: Kind | None = None
    ) -> list[Measure]:
        """The measures with these keys (all of them by default), of one kind if asked."""
        chosen = self.values() if keys is None else [self[key] for key in keys]
        return [measure for measure in chosen if kind is None or measure.kind == kind]


catalogue = Catalogue("measure", "karat.measures")
