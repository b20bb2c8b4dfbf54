"""The one list of measures: tables, docs, the command line and the law tests read it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortal.measures.bibliography import Reference
from sortal.measures.docstrings import complete, meaning_of
from sortal.measures.passes.plan import STATISTICS, WEIGHTED
from sortal.runtime.registry import Registry
from sortal.runtime.validation import unknown_name
from sortal.typing import Floats, MeasureKind, Takes


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A measure: its function, direction, range, cost and references.

    Attributes
    ----------
    key : str
        Name in tables and on the command line.
    title : str
        Name in prose.
    kind : {"external", "internal"}
        External: ``function(labels_true, labels_pred)``, or ``function`` of one
        :class:`~sortal.ContingencyTable`. Internal: ``function(X, labels)``.
    family : str
        Name of the idea by which it judges. Families for a consensus are learned, see
        :meth:`sortal.measures.measure_map.MeasureMap.families`.
    function : callable
        The public function.
    greater_is_better : bool
        Direction.
    range : tuple of float
        Least and greatest value; infinite for unbounded sides.
    references : tuple of Reference
        Defining publications.
    cost : str
        Time complexity.
    compute : callable, optional
        The batch form. Internal: takes the shared statistics of M clusterings and returns a
        value, or the reason for a missing one, for each. External: takes a ContingencyTable,
        returns a float. Without it the function is called for each clustering.
    needs : frozenset of str
        The statistics that ``compute`` of an internal measure reads, see
        ``sortal.measures.passes.plan.STATISTICS``.
    compares_k : bool
        Whether values for different numbers of clusters are comparable, so that the measure may
        vote on the clustering to use. False for measures that always improve with k.
    estimate : callable, optional
        Estimator of an internal measure that shares no statistics:
        ``estimate(X, labelings, precision=, metric=, rng=, workers=)`` gives values and standard
        errors (M,), reasons by m, and the number of drawn objects.
    default : bool
        Whether it is computed by default. It then costs at most one pass over the pairs of
        objects, and supposes no model of the data.
    takes : {"distances", "features", "graph"}
        Input of an internal measure: distances (a matrix of them with ``metric="precomputed"``),
        features, or the edges of a graph (``metric="graph"``).
    structures : frozenset of str
        Structures that ``function`` judges without hardening them: ``"soft"``
        (:class:`~sortal.labelings.SoftPartition`), ``"overlapping"``
        (:class:`~sortal.labelings.OverlappingPartition`), ``"dendrogram"``
        (:class:`~sortal.Dendrogram`). Otherwise it judges the hard labels.
    symmetric : bool
        External: whether exchanging the two clusterings leaves the value unchanged.
    """

    key: str
    title: str
    kind: MeasureKind
    family: str
    function: Callable[..., Any]
    greater_is_better: bool
    range: tuple[float, float]
    references: tuple[Reference, ...]
    cost: str
    compute: Callable[[Any], Any] | None = None
    needs: frozenset[str] = frozenset()
    estimate: Callable[..., Any] | None = None
    compares_k: bool = True
    default: bool = True
    takes: Takes = "distances"
    structures: frozenset[str] = frozenset()
    symmetric: bool = False

    @property
    def optimum(self) -> float:
        """Value of a perfect clustering; infinite for measures without a best value."""
        return self.range[1 if self.greater_is_better else 0]

    @property
    def source(self) -> str:
        """Short form of the references, such as ``Rousseeuw 1987``."""
        return "; ".join(map(str, self.references))

    @property
    def sign(self) -> int:
        """1 if greater is better, else -1; greater is always better for ``sign * value``."""
        return 1 if self.greater_is_better else -1

    def penalty(self, values: NDArray[Any], coverage: NDArray[Any]) -> Floats:
        """Factors that worsen values by the share of excluded objects.

        Values above 0 are multiplied by the coverage, the share of judged objects, or divided by
        it where lower is better. Other values stay: either factor would improve them or change
        nothing.
        """
        with np.errstate(divide="ignore"):
            return np.where(values > 0, coverage**self.sign, 1.0)

    def judge(self, stats: Any) -> tuple[Floats, dict[int, str]]:
        """Values of an internal measure from shared statistics, and why clustering m has none."""
        assert self.compute is not None
        results = self.compute(stats)
        reasons = {m: result for m, result in enumerate(results) if isinstance(result, str)}
        values = [np.nan if isinstance(result, str) else result for result in results]
        return np.asarray(values, dtype=np.float64), reasons

    @property
    def summary(self) -> str:
        """First line of the function's documentation."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]


class Catalogue(Registry[Measure]):
    """The measures by key: sortal's own, then those of installed packages.

    A package adds measures with an entry point in the group ``sortal.measures`` that names a
    :class:`Measure` or an iterable of them.

    Examples
    --------
    >>> import sortal
    >>> sortal.measures.catalogue["silhouette"].greater_is_better
    True
    """

    def add(self, record: Measure) -> Measure:
        """Add a measure and return it; its key must be new and its statistics must exist."""
        for need in sorted(record.needs - set(STATISTICS)):
            raise unknown_name(need, STATISTICS, f"statistic (in the needs of {record.key})")
        return super().add(record)

    def select(
        self, keys: Iterable[str] | None = None, *, kind: MeasureKind | None = None
    ) -> list[Measure]:
        """The measures with these keys (default: all), optionally of one kind."""
        chosen = self.values() if keys is None else [self[key] for key in keys]
        return [measure for measure in chosen if kind is None or measure.kind == kind]


#: all measures by key, those of installed packages too
catalogue = Catalogue("measure", "sortal.measures")


def takes_weights(measure: Measure) -> bool:
    """Whether a measure extends to objects with weights."""
    return measure.kind == "external" or (bool(measure.needs) and measure.needs <= WEIGHTED)


def define(
    function: Callable[..., Any],
    title: str,
    *,
    family: str,
    references: Iterable[Reference | str],
    greater_is_better: bool = True,
    range: tuple[float, float] = (0.0, 1.0),
    cost: str = "O(n + cells)",
    undefined: str = "",
    **record: Any,
) -> Measure:
    """Add the measure of a public function to the catalogue.

    Its key is the function's name, and it is external if the function takes ``labels_true``.

    Parameters
    ----------
    function : callable
        ``function(labels_true, labels_pred)`` or ``function(X, labels)``. The record
        completes its documentation: parameters, range and direction, cost, references.
    title, family, references, greater_is_better, range, cost
        See :class:`Measure`; by default greater is better, from 0 to 1, in linear time. References
        to sortal's bibliography are written as text, ``"whissell2012 3.12"``.
    undefined : str
        Inputs without a value, for a docstring that does not name them.
    **record
        Other attributes of :class:`Measure`; ``needs`` and ``structures`` may be any iterables.
    """
    cited = tuple(map(Reference.of, references))
    external = "labels_true" in inspect.signature(function).parameters
    if external:
        record.setdefault("compute", function)
    for name in ("needs", "structures"):
        record[name] = frozenset(record.get(name, ()))
    returns = meaning_of(range, greater_is_better=greater_is_better)
    complete(function, cited, returns=returns, undefined=undefined, cost=cost)
    return catalogue.add(
        Measure(
            key=function.__name__,
            title=title,
            kind="external" if external else "internal",
            family=family,
            function=function,
            greater_is_better=greater_is_better,
            range=range,
            references=cited,
            cost=cost,
            **record,
        )
    )
