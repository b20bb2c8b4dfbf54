"""Sequential tests of classifiers, begun at some number of labels and updated with each new one."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from sortal.bounds.classifiers import ComponentBound, Learner, TransductiveClassifier
from sortal.bounds.confidence_sequence import most_errors
from sortal.bounds.skipped import NONE_SKIPPED, Skipped
from sortal.bounds.stopping import StoppingLine, stopping_line
from sortal.bounds.tails import log_level

if TYPE_CHECKING:
    from sortal.runtime.types import Ints

#: numbers of labels at which a test always begins, with their shares of delta
PLANNED = {10: 0.3, 30: 0.25, 90: 0.2, 270: 0.1, 810: 0.05, 2430: 0.05}
#: share of delta of all these tests, without a target and with one
SEQUENCES, BESIDE = 0.94, 0.01
#: shares of delta of the exact tests of a target, and of a confidence sequence of the first one's
#: classifier
FOR_TARGET, FOLLOWED = (0.9, 0.06), 0.01
#: expected error rate of a classifier as a share of the best clustering's
LIKELY = 0.8
#: the test of a target begins when it is expected to take at most this multiple of the labels so
#: far; the second one, sooner than the first, if more than this share of the predictions differs
PATIENCE, CHANGED = 1.5, 0.02
#: first number of labels at which this is checked, and growth to the next
FIRST_CHECK, CHECK_GROWTH = 10, 1.25
#: error rate below which the prior of a test does not follow the estimate
LEAST_RATE = 0.02
#: number of objects above which only every tenth label updates the tests
MANY_OBJECTS = 20_000


@dataclass
class Start:
    """Test of one classifier on all labels after the first ``at``.

    ``most`` is the largest number of errors that the labels do not rule out, among the objects
    after the first ``at`` of the draw. A test with a ``line`` rules out nothing until it stops,
    after ``stopped`` tested labels: then the target holds.
    """

    classifier: TransductiveClassifier
    at: int
    delta: float
    prior: tuple[float, float]
    most: int
    n: int
    line: StoppingLine | None = None
    stopped: int | None = None

    def follow(self, drawn: Ints, classes: Ints, skipped: Skipped = NONE_SKIPPED) -> None:
        """Lower ``most`` after these labels, in the order of the draw."""
        if self.line is None:
            errors, tested = self.classifier.wrong(drawn[self.at :], classes[self.at :])
            blank = skipped.among(len(drawn))
            tested, errors = tested + blank, errors + blank * skipped.are_errors
            self.most = most_errors(
                tested, self.n - tested, errors, log_level(self.delta), self.prior, self.most
            )
        elif self.stopped is None:
            predicted = self.classifier.predicted[drawn[self.at :]]
            wrong = skipped.spread(predicted != classes[self.at :], len(drawn))[
                skipped.spread(predicted >= 0, len(drawn), True)
            ]
            errors_after = np.concatenate([[0], np.cumsum(wrong)])
            self.stopped = self.line.first_stop(errors_after)
            if self.stopped is not None:
                k = int(np.searchsorted(self.line.checks, self.stopped))
                self.most = k + int(self.line.allowed[k])


@dataclass
class Starts:
    """Tests so far, brought up to date with each new label.

    Notes
    -----
    When a test begins, and with what classifier and prior, depends on earlier labels only. Given
    these, the rest of the order is a uniform permutation. So the test ever fails with a chance of
    at most its share (:func:`sortal.bounds.confidence_sequence.most_errors`). A test of the target
    is exact in what remains (:func:`sortal.bounds.stopping.stopping_line`). When it stops, at most
    the target is wrong; errors seen since then are subtracted. The shares are fixed and sum to less
    than 1, over the planned tests and the first two for the target, whenever they begin. So with
    probability ``1 - delta`` all of them hold at every number of labels.
    """

    delta: float
    target: float | None = None
    _starts: list[Start] = field(default_factory=list)
    _taught: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    _drawn: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    _classes: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def parts(
        self, learner: Learner, drawn: Ints, codes: Ints, skipped: Skipped = NONE_SKIPPED
    ) -> list[ComponentBound]:
        """Bounds after these labels, in the order of the draw; ``codes`` are their classes.

        No test begins behind an object without a label: the choice of such objects may have
        looked at the labels to come.
        """
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
        if not same or (self._classes != classes[:n_before]).any() or skipped.count:
            self._starts, n_before = [], 0
        if not n_before and not self._starts:
            self._begin(learner, drawn[:0], classes[:0])
        for m in range(n_before + 1, len(drawn) + 1):
            for start in self._starts:
                if (
                    m == len(drawn)
                    or m % 10 == 0
                    or len(start.classifier.predicted) <= MANY_OBJECTS
                ):
                    start.follow(drawn[:m], classes[:m], skipped)
            if not skipped.among(m):
                self._begin(learner, drawn[:m], classes[:m])
        self._taught, self._drawn, self._classes = number_of[taught], drawn.copy(), classes
        if skipped.count:  # the next call starts anew
            self._drawn, self._classes = drawn[:0], classes[:0]
        return [self._part(start, drawn, classes, numbers, skipped) for start in self._starts]

    def _begin(self, learner: Learner, drawn: Ints, classes: Ints) -> None:
        """Begin the tests that are due after these labels."""
        m = len(drawn)
        n_lessons = len(learner.lessons)
        planned = PLANNED.get(n_lessons + m, 0.0)
        first = self.target is not None and m == 0 and n_lessons > 0
        checks = self.target is not None and n_lessons + m in _checks(n_lessons + m)
        if m >= learner.n or not (planned or first or checks):
            return
        fit = learner.expected_error(drawn, classes)
        due = first or (checks and self._is_due(LIKELY * fit, learner.n, n_lessons, drawn, classes))
        if not (planned or due):
            return
        classifier = learner.fit(drawn, classes)
        if planned:
            share = planned * (SEQUENCES if self.target is None else BESIDE)
            self._start(classifier, drawn, share, fit)
        if due and not self._tests:
            self._start(classifier, drawn, FOLLOWED, fit)
            self._start_for_target(classifier, drawn)
        elif due:
            before = self._tests[-1].classifier
            if (before.predicted != classifier.predicted).mean() > CHANGED:
                self._start_for_target(classifier, drawn)

    @property
    def _tests(self) -> list[Start]:
        """Tests of the target so far."""
        return [start for start in self._starts if start.line is not None]

    def _is_due(self, rate: float, n: int, n_lessons: int, drawn: Ints, classes: Ints) -> bool:
        """Whether to begin a test of the target now, by a classifier of this error rate."""
        begun, m = self._tests, len(drawn)
        if self.target is None or len(begun) == len(FOR_TARGET) or any(t.stopped for t in begun):
            return False
        line = stopping_line(n - m, self.target, FOR_TARGET[len(begun)] * self.delta)
        if not begun:
            return line.expected_stop(rate) <= PATIENCE * (n_lessons + m)
        current = begun[-1]
        assert current.line is not None
        errors, tested = current.classifier.wrong(drawn[current.at :], classes[current.at :])
        current_rate = (errors + 0.5) / (tested + 1)
        rest = current.line.expected_stop(current_rate, errors, tested)
        return line.expected_stop(min(rate, current_rate)) < rest

    def _start(
        self, classifier: TransductiveClassifier, drawn: Ints, share: float, fit: float
    ) -> None:
        """Add a test of this classifier, with a prior that follows its expected error rate."""
        expected = max(fit, LEAST_RATE) if self.target is None else max(self.target, LEAST_RATE)
        n, _ = classifier.hidden(drawn)
        prior = (0.5, 0.5 / expected)
        self._starts.append(Start(classifier, len(drawn), share * self.delta, prior, n, n))

    def _start_for_target(self, classifier: TransductiveClassifier, drawn: Ints) -> None:
        """Add an exact test of the target by this classifier."""
        assert self.target is not None
        n, _ = classifier.hidden(drawn)
        delta = FOR_TARGET[len(self._tests)] * self.delta
        line = stopping_line(n, self.target, delta)
        self._starts.append(Start(classifier, len(drawn), delta, (0.0, 0.0), n, n, line))

    def _part(
        self, start: Start, drawn: Ints, classes: Ints, numbers: Ints, skipped: Skipped
    ) -> ComponentBound:
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
        method = "start" if start.line is None else "target"
        return ComponentBound(
            method, classifier, bound, n, errors, tested, start.delta, excluded,
            None if skipped.count else drawn[start.at :],
        )  # fmt: skip


def _checks(most: int) -> set[int]:
    """Numbers of labels at which a test for the target may begin."""
    steps = math.ceil(math.log(max(most, FIRST_CHECK) / FIRST_CHECK) / math.log(CHECK_GROWTH)) + 1
    return {math.ceil(FIRST_CHECK * CHECK_GROWTH**j) for j in range(steps + 1)}
