"""Selection of a clustering and of its clusters' classes on some of the labels only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sortal.bounds.classes import known_classes
from sortal.bounds.pac_mdl import bounds_of
from sortal.bounds.tails import b_max, log_level

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.bounds.languages import Language
    from sortal.labelings.partitions import Labelings
    from sortal.runtime.types import Floats, Ints

#: number of clusterings that vote on the class of a cluster without labels or with a tie
VOTERS = 12
#: weight of their vote relative to one label
VOTE_WEIGHT = 0.1
#: delta of the bounds that choose a clustering
DELTA = 0.1
#: largest number of objects in a vote
MOST_IN_VOTE = 20_000


#: function from labelled positions and their classes to the position of a clustering
Chooser: TypeAlias = Callable[[Any, Any], int]


def choose(
    batch: Labelings,
    labelled: Ints,
    classes: Ints,
    bits: Floats,
    language: Language | None = None,
    chooser: Chooser | None = None,
) -> tuple[int, Ints]:
    """Clustering that fits these labels best, and the classes of its clusters.

    The fit is the mean of two error counts: of the majority labels (too few), and with each label
    excluded in turn (too many). ``bits`` are prior lengths of the clusterings. With a ``language``
    the PAC-MDL bound chooses instead, with a ``chooser`` that function does. Clusters without
    labels, and ties, get the class that the best-fitting clusterings give to their objects. Only
    the equality of classes matters.
    """
    from sortal._kernels import label_fits as kernel

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
    scores = np.where(totals > 0, votes / np.where(totals > 0, totals, 1), overall) * VOTE_WEIGHT
    codes = batch.codes[row, labelled]
    np.add.at(scores, (codes[codes >= 0], classes[codes >= 0]), 1.0)
    return row, seen[scores.argmax(axis=1)]


def expected_errors(batch: Labelings, labelled: Ints, classes: Ints, n_classes: int) -> Floats:
    """Mean of the errors on these labels and of those with each label excluded, by clustering."""
    from sortal._kernels import label_fits as kernel

    sizes = batch.n_clusters.astype(np.int64)
    errors, without, held = kernel.fits(batch.codes, labelled, classes, n_classes, sizes)
    fit: Floats = (errors + without) / 2 + (len(labelled) - held)
    return fit


def _only(labelled: Ints, classes: Ints, n: int) -> NDArray[np.object_]:
    """Class of each of n objects, None where it is not labelled."""
    class_of = np.full(n, None, dtype=object)
    class_of[labelled] = classes
    return class_of


def _cost(fit: Floats, m: int, n_objects: int, bits: Floats) -> Any:
    """Fit, or the bound that it would give if the clusterings have unequal priors."""
    if np.ptp(bits) == 0:
        return fit
    whole = np.minimum(np.floor(fit).astype(np.int64), m - 1)
    n_unlabelled = n_objects - m
    levels = log_level(0.5, bits)
    low = b_max(m, n_unlabelled, whole, log_delta=levels)
    high = b_max(m, n_unlabelled, whole + 1, log_delta=levels)
    return low + (high - low) * (np.minimum(fit, m) - whole)
