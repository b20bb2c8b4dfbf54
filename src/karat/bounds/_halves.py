"""Parts of the guarantee: a choice on half of the labels, and a choice that is paid for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bounds._bound import PacMdlBounds, _levels
from karat.bounds._choosing import Chooser, choose
from karat.bounds._tails import b_max

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.bounds.classes import KnownClasses
    from karat.bounds.languages import Language
    from karat.labelings.partitions import Labelings


@dataclass(frozen=True)
class Part:
    """One of several bounds that hold together.

    Attributes
    ----------
    method : str
        How it was made.
    name : str
        The clustering.
    bound, n : int
        At most so many of the n unlabelled objects that the clustering holds are mislabelled.
    errors, tested : int
        Errors on the labels that were the test, and how many those were.
    delta : float
        Its share of the allowed chance.
    excluded : int
        Unlabelled objects that the clustering does not hold.
    """

    method: str
    row: int = field(repr=False)
    labels: NDArray[np.int64] = field(repr=False, compare=False)
    bound: int
    n: int
    errors: int
    tested: int
    delta: float
    excluded: int = 0
    name: str = ""

    @property
    def wrong(self) -> int:
        """The bound, with excluded objects counted as errors."""
        return self.bound + self.excluded

    @property
    def bound_rate(self) -> float:
        """The bound as a share of the unlabelled objects; 0 where there are none."""
        return self.bound / self.n if self.n else 0.0


def half(
    batch: Labelings,
    truth: KnownClasses,
    drawn: NDArray[np.intp],
    bits: NDArray[np.float64],
    delta: float,
    language: Language | None = None,
    chooser: Chooser | None = None,
) -> Part:
    """Choose on the first half of ``drawn``, test on the rest; a single label tests nothing."""
    n_chosen = max(1, len(drawn) // 2)
    chosen = choose(batch, drawn[:n_chosen], truth.codes[drawn[:n_chosen]], bits, language, chooser)
    errors, tested = chosen.wrong(batch, drawn[n_chosen:], truth.codes[drawn[n_chosen:]])
    n, excluded = hidden(batch, chosen.row, drawn)
    bound = b_max(tested, n, errors, log_delta=float(_levels(delta, 0.0)))
    return Part("half", chosen.row, chosen.labels, bound, n, errors, tested, delta, excluded)


def described(mdl: PacMdlBounds, method: str) -> Part:
    """The best bound of the classifiers that all labels choose."""
    best = mdl.best
    row = list(mdl.table.index).index(best.name)
    classes = {name: i for i, name in enumerate(mdl._classes)}
    labels = np.array([classes[name] for name in best.cluster_labels.values()], dtype=np.int64)
    excluded = int(mdl.table["left_out"].iloc[row])
    return Part(method, row, labels, best.bound, best.n, best.errors, best.m, mdl.delta, excluded)


def hidden(batch: Labelings, row: int, labelled: Any) -> tuple[int, int]:
    """Unlabelled objects that a clustering holds, and those that it does not."""
    codes = batch.codes[row]
    held = int((codes >= 0).sum()) - int((codes[labelled] >= 0).sum())
    return held, batch.n_objects - len(labelled) - held
