"""A clustering and the classes of its clusters, chosen on some of the labels only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat.bounds.classes import known_classes
from karat.bounds.pac_mdl import bounds_of
from karat.bounds.tails import b_max, log_level

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.bounds.languages import Language
    from karat.labelings.partitions import Labelings

#: clusterings that vote on the class of a cluster which has no label, or as many of two classes
VOTERS = 12
#: weight of their vote beside one label
WEIGHT = 0.1
#: allowed risk of the bounds that choose
DELTA = 0.1
#: objects that take part in a vote
MOST_IN_VOTE = 20_000


#: from labelled positions and their classes to the position of a clustering
Chooser: TypeAlias = Callable[[Any, Any], int]


def choose(
    batch: Labelings,
    labelled: Any,
    classes: Any,
    bits: NDArray[np.float64],
    language: Language | None = None,
    chooser: Chooser | None = None,
) -> tuple[int, NDArray[np.int64]]:
    """The clustering that fits these labels best, and its clusters' classes.

    The fit is the mean of the errors of the majority labels, which are too few, and of those made
    when each label is excluded in turn, which are too many; ``bits`` say which clusterings were
    likely beforehand, a ``language`` has the PAC-MDL bound choose instead, or a ``chooser`` does.
    Clusters without labels, and ties, go to the class that the best-fitting clusterings give to
    their objects. Nothing is read of classes but which are equal.
    """
    from karat._kernels import label_fits as kernel

    seen = np.array(list(dict.fromkeys(classes.tolist())), dtype=np.int64)
    number = np.zeros(seen.max() + 1, dtype=np.int64)
    number[seen] = np.arange(len(seen))
    classes, n_classes = number[classes], len(seen)
    sizes = batch.n_clusters.astype(np.int64)
    fit = expected_errors(batch, labelled, classes, n_classes)
    cost = _cost(fit, len(labelled), batch.n_objects, bits)
    order = np.lexsort([sizes, bits, cost])
    row = int(order[0])
    if chooser is not None:
        row = chooser(labelled, classes)
    elif language is not None:
        truth = known_classes(_only(labelled, classes, batch.n_objects), batch.n_objects)
        row = bounds_of(batch, truth, DELTA, language, 0).lowest
    votes = kernel.votes(
        batch.codes,
        order[:VOTERS],
        row,
        labelled,
        classes,
        n_classes,
        sizes,
        max(1, batch.n_objects // MOST_IN_VOTE),
    )
    totals = votes.sum(axis=1, keepdims=True)
    overall = np.bincount(classes, minlength=n_classes) / len(classes)
    scores = np.where(totals > 0, votes / np.where(totals > 0, totals, 1), overall) * WEIGHT
    codes = batch.codes[row, labelled]
    np.add.at(scores, (codes[codes >= 0], classes[codes >= 0]), 1.0)
    return row, seen[scores.argmax(axis=1)]


def expected_errors(
    batch: Labelings, labelled: Any, classes: Any, n_classes: int
) -> NDArray[np.float64]:
    """Mean of the errors on these labels and those made when each is excluded, by clustering."""
    from karat._kernels import label_fits as kernel

    sizes = batch.n_clusters.astype(np.int64)
    errors, without, held = kernel.fits(batch.codes, labelled, classes, n_classes, sizes)
    fit: NDArray[np.float64] = (errors + without) / 2 + (len(labelled) - held)
    return fit


def _only(labelled: Any, classes: Any, n: int) -> NDArray[np.object_]:
    given = np.full(n, None, dtype=object)
    given[labelled] = classes
    return given


def _cost(fit: Any, m: int, n_objects: int, bits: NDArray[np.float64]) -> Any:
    """The fit, or the bound it would give where some clusterings were likelier than others."""
    if np.ptp(bits) == 0:
        return fit
    whole = np.minimum(np.floor(fit).astype(np.int64), m - 1)
    rest = n_objects - m
    levels = log_level(0.5, bits)
    low = b_max(m, rest, whole, log_delta=levels)
    high = b_max(m, rest, whole + 1, log_delta=levels)
    return low + (high - low) * (np.minimum(fit, m) - whole)
