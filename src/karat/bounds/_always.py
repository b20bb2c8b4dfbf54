"""Parts of a guarantee that holds at every number of labels at once."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from karat.bounds._bound import PacMdlBounds, _levels
from karat.bounds._choosing import Chosen, choose
from karat.bounds._halves import Part, hidden
from karat.bounds._sequence import b_always
from karat.bounds._tails import b_max

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.bounds.classes import KnownClasses
    from karat.labelings.partitions import Labelings

#: shares of delta where the order of the draw is known; otherwise the last has all of it
SHARES = {"looks": 0.35, "sequence": 0.6, "mdl-sequence": 0.05}
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
    from karat._kernels import sequence as kernel

    plan = looks(batch.n_objects)
    looked = float(_levels(SHARES["looks"] * delta / max(len(plan), 1), 0.0))
    tested: list[Part] = []
    followed: dict[tuple[int, bytes], list[tuple[int, int]]] = {}
    chosen_as: dict[tuple[int, bytes], Chosen] = {}
    for look in plan:
        n_chosen = look // 2
        if n_chosen >= len(drawn):
            break
        first, rest = drawn[:n_chosen], drawn[n_chosen:]
        chosen = choose(batch, first, truth.codes[first], bits)
        errors, held = chosen.wrong(batch, rest, truth.codes[rest])
        key = chosen.row, chosen.labels.tobytes()
        chosen_as[key] = chosen
        followed.setdefault(key, []).append((held, errors))
        if look > len(drawn):
            continue
        seen = drawn[n_chosen:look]
        wrong, tests = chosen.wrong(batch, seen, truth.codes[seen])
        n, _ = hidden(batch, chosen.row, drawn)
        at_look = b_max(tests, n + held - tests, wrong, log_delta=looked)
        # errors found since are no longer hidden
        bound = min(n, max(0, at_look - (errors - wrong)))
        tested.append(_part(batch, drawn, "looks", chosen, bound, wrong, tests, looked))
    sequences = []
    for key, starts in followed.items():
        # a classifier that was chosen several times has the shares of all of them
        level = SHARES["sequence"] * delta * len(starts) / len(plan)
        log_delta = float(_levels(level, 0.0))
        held_each, wrong_each = np.array(starts, dtype=np.int64).T.copy()
        n, _ = hidden(batch, key[0], drawn)
        bound = int(kernel.b_together(held_each, n, wrong_each, log_delta))
        chosen, (held, errors) = chosen_as[key], starts[0]
        sequences.append(_part(batch, drawn, "sequence", chosen, bound, errors, held, log_delta))
    return [min(some, key=lambda part: part.wrong) for some in (tested, sequences) if some]


def _part(
    batch: Labelings,
    drawn: NDArray[np.intp],
    method: str,
    chosen: Chosen,
    bound: int,
    errors: int,
    tested: int,
    log_delta: float,
) -> Part:
    n, excluded = hidden(batch, chosen.row, drawn)
    share = math.exp(log_delta)
    return Part(method, chosen.row, chosen.labels, bound, n, errors, tested, share, excluded)


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
