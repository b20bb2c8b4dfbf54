"""Values of one measure in many situations, undefined ones counted with their reasons."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal import InputError
from sortal.extension import Inputs, internal_together
from sortal.labelings import ContingencyTable, Labelings, as_labelings
from sortal.measures import Measure, catalogue
from sortal.measures.properties import Situation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Floats, MeasureKind, Metric, Rows, Takes

    MeasureLike = str | Measure | Callable[..., Any]


class Replayed:
    """Items of an iterator for several readers, each made once."""

    def __init__(self, source: Iterator[Any]) -> None:
        self._source = source
        self._items: list[Any] = []

    def __iter__(self) -> Iterator[Any]:
        """Iterate over all items, from the first."""
        at = 0
        while True:
            if at == len(self._items):
                try:
                    self._items.append(next(self._source))
                except StopIteration:
                    return
            yield self._items[at]
            at += 1


@dataclass
class Valuation:
    """Values of one measure, with the reasons for undefined ones.

    Attributes
    ----------
    measure : Measure
    reasons : Counter
        Why values were undefined, and how often.
    memo : dict
        Values that several properties read.
    """

    measure: Measure
    reasons: Counter[str] = field(default_factory=Counter)
    memo: dict[Any, Any] = field(default_factory=dict)
    _plain: Callable[..., Any] | None = None
    _tables: dict[bytes, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        measure: MeasureLike,
        *,
        kind: MeasureKind = "internal",
        takes: Takes = "features",
        greater_is_better: bool = True,
    ) -> Valuation:
        """Valuation of a catalogue key, a Measure, or a user-supplied function.

        ``kind``, ``takes`` and ``greater_is_better`` are those of a function, see
        :class:`sortal.measures.Measure`; a function of distances gets a matrix of them.
        """
        if isinstance(measure, str):
            return cls(catalogue[measure])
        if isinstance(measure, Measure):
            return cls(measure)
        if not callable(measure):
            raise InputError(
                "measure must be a key of sortal.measures.catalogue, a Measure, or a function "
                f"(X, labels) or (labels_true, labels_pred); got {type(measure).__name__}"
            )
        if takes not in ("features", "distances"):
            raise InputError(f'takes must be "features" or "distances"; got {takes!r}')
        name = getattr(measure, "__name__", type(measure).__name__)
        record = Measure(
            key=name,
            title=name,
            kind=kind,
            family=name,
            function=measure,
            greater_is_better=greater_is_better,
            range=(-math.inf, math.inf),
            references=(),
            cost="",
            takes=takes,
        )
        return cls(record, _plain=measure)

    @property
    def sign(self) -> int:
        """1 where greater is better, -1 where lower is."""
        return self.measure.sign

    @property
    def batched(self) -> bool:
        """Whether many clusterings of one data set cost little more than one."""
        return self._plain is None and self.measure.compute is not None

    @property
    def commonest_reason(self) -> str:
        """Most frequent reason for undefined values."""
        return self.reasons.most_common(1)[0][0] if self.reasons else ""

    def values(self, situations: Sequence[Situation]) -> Floats:
        """Value of each situation, NaN where it is undefined."""
        return np.array([self._value(situation) for situation in situations])

    def _value(self, situation: Situation) -> float:
        """Value of one situation."""
        if self.measure.kind == "external":
            assert situation.truth is not None
            return self.against(situation.truth, situation.labels)
        return float(self.batch(situation.data, situation.metric, situation.labels[None])[0])

    def against(self, truth: NDArray[Any], labels: NDArray[Any]) -> float:
        """An external measure's value; each pair of labelings is judged once."""
        key = truth.tobytes() + b"|" + labels.tobytes()
        if key not in self._tables:
            self._tables[key] = self._external(truth, labels)
        return self._tables[key]

    def _external(self, truth: NDArray[Any], labels: NDArray[Any]) -> float:
        """Value of an external measure."""
        if self._plain is not None:
            return self._called(self._plain, truth, labels)
        if self.measure.compute is None:
            return self._called(self.measure.function, truth, labels)
        return self._called(self.measure.compute, ContingencyTable(truth, labels))

    def batch(self, data: Rows, metric: Metric, labelings: Any) -> Floats:
        """Values of an internal measure for clusterings (M, n), or Labelings, of one data set.

        An infinite value is none: nothing can improve it, and it has no ratio to another.
        """
        values = self._of_data(data, metric, labelings)
        infinite = np.isinf(values)
        if infinite.any():
            self.reasons["the value is infinite"] += int(infinite.sum())
        return np.where(infinite, np.nan, values)

    def _of_data(self, data: Rows, metric: Metric, labelings: Any) -> Floats:
        """Values of an internal measure for several labelings."""
        if self._plain is not None:
            rows = labelings.codes if isinstance(labelings, Labelings) else labelings
            return np.array([self._called(self._plain, data, row) for row in rows])
        if not isinstance(labelings, Labelings):
            labelings = as_labelings(labelings, n_objects=len(data), noise="cluster")
        (judged,) = internal_together(Inputs(data, labelings, metric), [self.measure])
        self.reasons.update(judged.reasons.values())
        return judged.values

    def _called(self, function: Callable[..., Any], *arguments: Any) -> float:
        """Value of a function, NaN with a counted reason if it fails."""
        try:
            value = float(function(*arguments))
        except Exception as error:  # a function of one's own may raise anything
            self.reasons[str(error) or type(error).__name__] += 1
            return math.nan
        if math.isnan(value):
            self.reasons["NaN without a reason"] += 1
        return value
