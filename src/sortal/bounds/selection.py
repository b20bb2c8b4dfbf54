"""Selection of a clustering and of its clusters' classes on some of the labels only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sortal.bounds.classes import classes_of
from sortal.bounds.pac_mdl import bounds_of
from sortal.bounds.tails import b_max, log_level
from sortal.bounds.tuned import TUNED, TunedBounds

if TYPE_CHECKING:
    from sortal.bounds.languages import Language
    from sortal.labelings.partitions import Labelings
    from sortal.typing import Floats, Ints

#: limit of cost: of more objects a part votes, and every tenth label updates the tests
MANY_OBJECTS = 20_000
#: function from labelled positions and their classes to the position of a clustering
Chooser: TypeAlias = Callable[[Any, Any], int]


def choose(
    batch: Labelings,
    labelled: Ints,
    classes: Ints,
    bits: Floats,
    language: Language | None = None,
    chooser: Chooser | None = None,
    tuned: TunedBounds = TUNED,
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
        truth = classes_of(labelled, classes, batch.n_objects)
        row = bounds_of(batch, truth, 0.1, language, 0).lowest
    votes = kernel.votes(
        batch.codes,
        order[: tuned.n_voters],
        row,
        labelled,
        classes,
        n_classes,
        sizes,
        max(1, batch.n_objects // MANY_OBJECTS),
    )
    totals = votes.sum(axis=1, keepdims=True)
    overall = np.bincount(classes, minlength=n_classes) / len(classes)
    scores = np.where(totals > 0, votes / np.where(totals > 0, totals, 1), overall)
    scores *= tuned.vote_weight
    codes = batch.codes[row, labelled]
    np.add.at(scores, (codes[codes >= 0], classes[codes >= 0]), 1.0)
    return row, seen[scores.argmax(axis=1)]


def expected_errors(batch: Labelings, labelled: Ints, classes: Ints, n_classes: int) -> Floats:
    """Mean of the errors on these labels and of those with each label excluded, by clustering."""
    from sortal._kernels import label_fits as kernel

    sizes = batch.n_clusters.astype(np.int64)
    errors, without, n_clustered = kernel.fits(batch.codes, labelled, classes, n_classes, sizes)
    fit: Floats = (errors + without) / 2 + (len(labelled) - n_clustered)
    return fit


def _cost(fit: Floats, m: int, n_objects: int, bits: Floats) -> Any:
    """Fit, or the bound that it would give if the clusterings have unequal priors."""
    if np.ptp(bits) == 0:
        return fit
    rounded = np.minimum(np.floor(fit).astype(np.int64), m - 1)
    n_unlabelled = n_objects - m
    levels = log_level(0.5, bits)
    low = b_max(m, n_unlabelled, rounded, log_delta=levels)
    high = b_max(m, n_unlabelled, rounded + 1, log_delta=levels)
    return low + (high - low) * (np.minimum(fit, m) - rounded)
