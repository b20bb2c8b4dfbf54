"""Sequential tests of classifiers, begun at some number of labels and updated with each new one."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from karat.bounds.classifiers import ComponentBound, Learner, TransductiveClassifier
from karat.bounds.confidence_sequence import most_errors
from karat.bounds.tails import log_level

if TYPE_CHECKING:
    from karat.runtime.types import Ints

#: numbers of labels at which a test always begins, with their shares of delta
PLANNED = {10: 0.3, 30: 0.25, 90: 0.2, 270: 0.1, 810: 0.05, 2430: 0.05}
#: total share of these tests if there is a target, and shares of the tests begun for the target
PLANNED_BESIDE, FOR_TARGET = 0.05, (0.6, 0.2, 0.1)
#: a test for the target begins when the best clustering's error rate is at most this share of the
#: target, and another one when at least this share of the predictions has changed
FIT, CHANGED = 0.6, 0.02
#: first number of labels at which this is checked, and growth to the next
FIRST_CHECK, CHECK_GROWTH = 10, 1.1
#: error rate below which the prior of a test does not follow the estimate
LEAST_RATE = 0.02
#: number of objects above which only every tenth label updates the tests
MANY_OBJECTS = 20_000


@dataclass
class Start:
    """Test of one classifier on all labels after the first ``at``.

    ``most`` is the largest number of its errors, among all objects after the first ``at`` in the
    order of the draw, that no label so far has ruled out.
    """

    classifier: TransductiveClassifier
    at: int
    delta: float
    prior: tuple[float, float]
    most: int
    n: int


@dataclass
class Starts:
    """Tests so far, brought up to date with each new label.

    Notes
    -----
    When a test begins, and with what classifier and prior, depends on earlier labels only. Given
    these, the rest of the order is a uniform permutation, so that the test fails at any later
    number of labels with a chance of at most its share (:func:`karat.bounds.confidence_sequence.
    most_errors`). The shares are fixed and sum to less than 1: the tests that are planned, and the
    first, second and third that are begun for the target, whenever that is. So with probability
    ``1 - delta`` all of them hold at every number of labels.
    """

    delta: float
    target: float | None = None
    _starts: list[Start] = field(default_factory=list)
    _begun: list[TransductiveClassifier] = field(default_factory=list)
    _taught: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    _drawn: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    _classes: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def parts(self, learner: Learner, drawn: Ints, codes: Ints) -> list[ComponentBound]:
        """Bounds after these labels, in the order of the draw; ``codes`` are their classes."""
        # classes numbered by first appearance, which later labels do not change
        taught = learner.lessons
        numbers = np.array(list(dict.fromkeys([*taught.tolist(), *codes.tolist()])), dtype=np.int64)
        number_of = np.zeros(int(numbers.max(initial=0)) + 1, dtype=np.int64)
        number_of[numbers] = np.arange(len(numbers))
        classes = number_of[codes]
        learner = replace(learner, lessons=number_of[taught])
        n_before = len(self._drawn)
        same = np.array_equal(self._taught, number_of[taught]) and np.array_equal(
            self._drawn, drawn[:n_before]
        )
        if not same or (self._classes != classes[:n_before]).any():
            self._starts, self._begun, n_before = [], [], 0
        if not n_before and not self._starts:
            self._begin(learner, drawn[:0], classes[:0])
        for m in range(n_before + 1, len(drawn) + 1):
            for start in self._starts:
                if (
                    m == len(drawn)
                    or m % 10 == 0
                    or len(start.classifier.predicted) <= MANY_OBJECTS
                ):
                    self._follow(start, drawn[:m], classes[:m])
            self._begin(learner, drawn[:m], classes[:m])
        self._taught, self._drawn, self._classes = number_of[taught], drawn.copy(), classes
        return [self._part(start, drawn, classes, numbers) for start in self._starts]

    def _begin(self, learner: Learner, drawn: Ints, classes: Ints) -> None:
        """Begin the tests that are due after these labels."""
        m = len(drawn)
        n_lessons = len(learner.lessons)
        planned = PLANNED.get(n_lessons + m, 0.0)
        for_target = self.target is not None and len(self._begun) < len(FOR_TARGET)
        first = for_target and m == 0 and n_lessons > 0
        for_target = first or (for_target and n_lessons + m in _checks(n_lessons + m))
        if m >= learner.n or not (planned or for_target):
            return
        fit = learner.expected_error(drawn, classes)
        fits = first or (for_target and self.target is not None and fit <= FIT * self.target)
        if not (planned or fits):
            return
        classifier = learner.fit(drawn, classes)
        if planned:
            share = planned if self.target is None else planned * PLANNED_BESIDE
            self._start(classifier, drawn, share, fit)
        if fits and (
            not self._begun or (self._begun[-1].predicted != classifier.predicted).mean() > CHANGED
        ):
            share = FOR_TARGET[len(self._begun)]
            self._begun.append(classifier)
            self._start(classifier, drawn, share, fit)

    def _start(
        self, classifier: TransductiveClassifier, drawn: Ints, share: float, fit: float
    ) -> None:
        """Add a test of this classifier, with a prior that follows its expected error rate."""
        expected = max(fit, LEAST_RATE) if self.target is None else max(self.target, LEAST_RATE)
        n, _ = classifier.hidden(drawn)
        prior = (0.5, 0.5 / expected)
        self._starts.append(Start(classifier, len(drawn), share * self.delta, prior, n, n))

    def _follow(self, start: Start, drawn: Ints, classes: Ints) -> None:
        """Lower the number of errors that a test has not ruled out."""
        errors, tested = start.classifier.wrong(drawn[start.at :], classes[start.at :])
        start.most = most_errors(
            tested, start.n - tested, errors, log_level(start.delta), start.prior, start.most
        )

    def _part(self, start: Start, drawn: Ints, classes: Ints, numbers: Ints) -> ComponentBound:
        """Bound of one test as a component of the guarantee."""
        errors, tested = start.classifier.wrong(drawn[start.at :], classes[start.at :])
        n, excluded = start.classifier.hidden(drawn)
        bound = min(n, start.most - errors)  # below 0: no number of errors is possible
        # back to the caller's numbers of the classes
        names = np.append(numbers, -1)
        classifier = replace(
            start.classifier,
            predicted=names[start.classifier.predicted],
            labels=numbers[start.classifier.labels],
        )
        return ComponentBound("start", classifier, bound, n, errors, tested, start.delta, excluded)


def _checks(most: int) -> set[int]:
    """Numbers of labels at which a test for the target may begin."""
    steps = math.ceil(math.log(max(most, FIRST_CHECK) / FIRST_CHECK) / math.log(CHECK_GROWTH)) + 1
    return {math.ceil(FIRST_CHECK * CHECK_GROWTH**j) for j in range(steps + 1)}
