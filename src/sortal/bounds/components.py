"""Components of a guarantee that test one classifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds.classifiers import ComponentBound, Learner, TransductiveClassifier
from sortal.bounds.skipped import NONE_SKIPPED, Skipped
from sortal.bounds.tails import b_max, log_level

if TYPE_CHECKING:
    from sortal.bounds.classes import KnownClasses
    from sortal.labelings.partitions import Labelings
    from sortal.typing import Ints


def half(
    learner: Learner,
    truth: KnownClasses,
    draw: Ints,
    delta: float,
    skipped: Skipped = NONE_SKIPPED,
) -> ComponentBound:
    """Bound of a classifier learned on the lessons and the first of ``drawn``, tested on the rest.

    A single label without lessons tests nothing. Nothing is guaranteed if an object without a
    label is among those that choose: its choice may have looked at the tested labels.
    """
    size = learners(learner, len(draw) + skipped.count)
    first, tests = np.split(draw, [min(size, max(1, skipped.first)) if skipped.count else size])
    classifier = learner.fit(first, truth.codes[first])
    errors, tested = classifier.wrong(tests, truth.codes[tests])
    n, excluded = classifier.hidden(draw)
    bound = skipped.bound(b_max, tested, n, errors, log_delta=log_level(delta))
    test = None if skipped.count else tests
    bound = n if skipped.count and skipped.first < size else int(bound)
    return ComponentBound("half", classifier, bound, n, errors, tested, delta, excluded, test)


def learners(learner: Learner, n_drawn: int) -> int:
    """Number of drawn labels that bring the classifier to half of all labels."""
    n_lessons = len(learner.lessons)
    return max(0 if n_lessons else 1, (n_lessons + n_drawn) // 2 - n_lessons)


def largest_class(
    batch: Labelings,
    truth: KnownClasses,
    delta: float,
    tail: Callable[..., Any],
    skipped: Skipped = NONE_SKIPPED,
) -> ComponentBound:
    """Bound of the classifier that predicts the most common class everywhere.

    The classifier that always says t has the share n_t/n of delta, where n_t of the n objects are
    of class t. The shares sum to 1 and do not depend on the draw. At most n_t objects are labelled
    t.
    """
    counts = np.bincount(truth.codes[truth.labelled], minlength=len(truth.names))
    m, N, t = len(truth.labelled), batch.n_objects, int(counts.argmax())
    level = log_level(delta * (counts[t] / N))
    bound = int(skipped.bound(tail, m, N - m, m - int(counts[t]), log_delta=level))
    labels = np.full(int(batch.n_clusters[0]), t)
    same = np.zeros(N, dtype=np.int64)
    classifier = TransductiveClassifier("largest class", same + t, np.ones(N), 0, labels, same)
    return ComponentBound("largest class", classifier, bound, N - m, m - int(counts[t]), m, delta)
