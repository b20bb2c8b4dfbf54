"""A stability over the number of clusters: values of one resample, the null, and a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.nulls.references import Null
from sortal.runtime.validation import InputError
from sortal.stability.engine import (
    Engine,
    ResamplingOptions,
    check_draws,
    check_numbers,
    prepare,
    transfer,
)
from sortal.stability.result import StabilityCurve, curve_table

if TYPE_CHECKING:
    import pandas as pd

    from sortal.stability.engine import ClassifierLike, ClustererLike
    from sortal.typing import ArrayLike, Floats

#: values of one resample, one for each number of clusters
Draw = Callable[[np.random.Generator], Any]

#: default rule
BEYOND_NULL = "the largest difference from the null, 1 where none is clear"


@dataclass(frozen=True)
class Method:
    """A stability by which numbers of clusters are compared.

    Attributes
    ----------
    name : str
    prepared : callable
        From an engine and numbers of clusters to the values of one resample.
    most : callable
        From the number of objects to that of each fit.
    least : int
        The smallest number of clusters that it is defined for.
    rule : str
        How a number is selected.
    select : callable, optional
        The same from the mean of each number; by default the difference from the null.
    settle : callable, optional
        From the raw results of all resamples to their values, (B, K).
    """

    name: str
    prepared: Callable[[Engine, Sequence[int]], Draw]
    most: Callable[[int], int]
    least: int = 1
    rule: str = BEYOND_NULL
    select: Callable[[dict[int, float]], int | None] | None = None
    settle: Callable[[Floats], Floats] | None = None
    greater_is_better: bool = True

    def values(self, engine: Engine, ks: Sequence[int], n_draws: int) -> Floats:
        """The values of all resamples, (B, K)."""
        draw = self.prepared(engine, ks)
        values = np.array(engine.map(lambda b: draw(engine.generator(b)), range(n_draws)))
        return values if self.settle is None else self.settle(values)

    def curve(
        self,
        X: ArrayLike,
        clusterer: ClustererLike,
        k: int | Iterable[int],
        n_draws: int,
        n_references: int,
        options: ResamplingOptions,
    ) -> StabilityCurve:
        """Curve of the data beside reference data, with the k that the rule selects."""
        engine = prepare(X, clusterer, **options)
        check_draws(n_draws)
        numbers = [n for n in check_numbers(k, self.most(engine.n)) if n >= self.least]
        if not numbers:
            raise InputError(f"{self.name} needs at least {self.least} clusters; k has only 1")
        values = self.values(engine, numbers, n_draws)
        samples = {n: values[:, i] for i, n in enumerate(numbers)}
        references: list[dict[int, Floats]] = []
        if n_references:
            check_draws(n_references)
            null = Null(engine.X, engine.metric)
            for number, kind in enumerate(null.kinds):
                sets = []
                for r in range(n_references):
                    seed = np.random.default_rng([engine.random_state, 2**31, number, r])
                    reference = replace(engine, X=null.draw(kind, seed), _lists=[])
                    sets.append(self.values(reference, numbers, n_draws).mean(axis=0))
                references.append(dict(zip(numbers, np.array(sets).T, strict=True)))
        better = self.greater_is_better
        table = curve_table(samples, references, greater_is_better=better)
        if self.select is not None:
            selected = self.select(dict(zip(numbers, table["value"].tolist(), strict=True)))
        else:
            selected = beyond_null(table) if references else None
        return StabilityCurve(self.name, table, samples, better, selected, self.rule, engine.n)


def beyond_null(table: pd.DataFrame) -> int:
    """The k of the largest difference, 1 where no k exceeds the null by two standard errors."""
    above = table[table.index > 1]
    if not (above["lower"] > 0).any():
        return 1
    return int(above.index[int(np.argmax(above["difference"]))])


def carrier(engine: Engine, classifier: ClassifierLike) -> Callable[[Any, Any, Any], Any]:
    """Function that carries labels from some objects to others by a classifier."""
    if isinstance(classifier, str) and classifier == "neighbors":
        engine.neighbors()  # before processes would, each for itself
    return lambda train, labels, test: transfer(engine, classifier, train, labels, test)
