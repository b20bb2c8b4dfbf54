"""What every method over the number of clusters ends with: the null, the table, the choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.nulls.references import Null
from karat.stability.engine import Engine, check_draws
from karat.stability.result import StabilityCurve, curve_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: values (B, K) of an engine for its numbers of clusters
Method = Callable[[Engine, Sequence[int]], "Floats"]

#: the rule of the methods that have none of their own
BEYOND_NULL = "the largest difference from the null, 1 where none is clear"


def curve_of(
    name: str,
    engine: Engine,
    numbers: list[int],
    method: Method,
    n_references: int,
    choose: Callable[[dict[int, float]], int | None] | None,
    rule: str,
    *,
    greater_is_better: bool = True,
) -> StabilityCurve:
    """The values of the data, and of reference data; the k that the method's rule takes."""
    found = method(engine, numbers)
    samples = {k: found[:, i] for i, k in enumerate(numbers)}
    references: list[dict[int, Floats]] = []
    if n_references:
        check_draws(n_references)
        null = Null(engine.X, engine.metric)
        for number, kind in enumerate(null.kinds):
            sets = []
            for r in range(n_references):
                seed = np.random.default_rng([engine.random_state, 2**31, number, r])
                drawn = replace(engine, X=null.draw(kind, seed), _lists=[])
                sets.append(method(drawn, numbers).mean(axis=0))
            values = np.array(sets)
            references.append({k: values[:, i] for i, k in enumerate(numbers)})
    table = curve_table(samples, references, greater_is_better=greater_is_better)
    if choose is not None:
        means = table["value"].to_numpy().tolist()
        selected = choose(dict(zip(numbers, means, strict=True)))
    else:
        selected = beyond_null(table) if references else None
    return StabilityCurve(name, table, samples, greater_is_better, selected, rule, engine.n)


def beyond_null(table: Any) -> int:
    """The k of the largest difference, 1 where no k exceeds the null by two standard errors."""
    above = table[table.index > 1]
    if not (above["lower"] > 0).any():
        return 1
    return int(above.index[int(np.argmax(above["difference"]))])
