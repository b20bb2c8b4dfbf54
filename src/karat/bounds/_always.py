"""Parts of a guarantee that holds at every number of labels at once."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from karat.bounds._bound import PacMdlBounds, _levels
from karat.bounds._choosing import choose
from karat.bounds._halves import Part, hidden
from karat.bounds._sequence import b_always
from karat.bounds._tails import b_max

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.bounds.classes import KnownClasses
    from karat.partition import Labelings

#: shares of delta where the order of the draw is known; otherwise the last has all of it
SHARES = {"looks": 0.6, "sequence": 0.35, "mdl-sequence": 0.05}
#: number of labels at the first look, their growth, and the number after which no look is planned
FIRST, GROWTH, LAST = 10, 1.3, 5_000


def looks(n_objects: int) -> list[int]:
    """Numbers of labels at which half of them are tested: a plan, fixed without the labels."""
    planned, m = [], float(FIRST)
    while m <= min(n_objects, LAST):
        planned.append(math.ceil(m))
        m *= GROWTH
    return planned


def parts(
    batch: Labelings,
    truth: KnownClasses,
    drawn: NDArray[np.intp],
    bits: NDArray[np.float64],
    delta: float,
) -> list[Part]:
    """The lowest bound of the looks and of the sequences, where labels are enough for one."""
    plan = looks(batch.n_objects)
    tested: list[Part] = []
    followed: list[Part] = []
    share = {name: SHARES[name] * delta / max(len(plan), 1) for name in ("looks", "sequence")}
    for look in plan:
        n_chosen = look // 2
        if n_chosen >= len(drawn):
            break
        first, rest = drawn[:n_chosen], drawn[n_chosen:]
        chosen = choose(batch, first, truth.codes[first], bits)
        n, excluded = hidden(batch, chosen.row, drawn)
        errors, held = chosen.wrong(batch, rest, truth.codes[rest])
        bound = b_always(held, n, errors, log_delta=float(_levels(share["sequence"], 0.0)))
        followed.append(
            Part(
                "sequence",
                chosen.row,
                chosen.labels,
                bound,
                n,
                errors,
                held,
                share["sequence"],
                excluded,
            )
        )
        if look > len(drawn):
            continue
        seen = drawn[n_chosen:look]
        wrong, tests = chosen.wrong(batch, seen, truth.codes[seen])
        then_hidden = n + held - tests
        at_look = b_max(tests, then_hidden, wrong, log_delta=float(_levels(share["looks"], 0.0)))
        # errors found since are no longer hidden
        bound = min(n, max(0, at_look - (errors - wrong)))
        tested.append(
            Part(
                "looks",
                chosen.row,
                chosen.labels,
                bound,
                n,
                wrong,
                tests,
                share["looks"],
                excluded,
            )
        )
    return [min(some, key=lambda part: part.wrong) for some in (tested, followed) if some]


def at_every_number(mdl: PacMdlBounds) -> PacMdlBounds:
    """The same words and errors, each followed by a confidence sequence from the first label on."""
    table = mdl.table
    ms, ns, errors = (table[name].to_numpy() for name in ("labelled", "unlabelled", "errors"))
    bounds = b_always(ms, ns, errors, log_delta=_levels(mdl.delta, table["bits"].to_numpy()))
    constants = mdl._constants.copy()
    bits = math.log2(len(mdl._classes))
    constants[:, 2] = b_always(ms, ns, constants[:, 1], log_delta=float(_levels(mdl.delta, bits)))
    return replace(
        mdl,
        table=table.assign(
            bound=bounds,
            bound_rate=bounds / np.maximum(ns, 1),
            constant_bound_rate=constants[:, 2] / np.maximum(ns, 1),
        ),
        _constants=constants,
    )
