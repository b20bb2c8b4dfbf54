"""Sequential tests of classifiers, begun at some number of labels and updated with each new one."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from sortal.bounds.classifiers import ComponentBound, Learner, TransductiveClassifier
from sortal.bounds.confidence_sequence import most_errors
from sortal.bounds.selection import MANY_OBJECTS
from sortal.bounds.skipped import NONE_SKIPPED, Skipped
from sortal.bounds.stopping import StoppingLine, stopping_line
from sortal.bounds.tails import log_level
from sortal.bounds.tuned import TUNED, TunedBounds

if TYPE_CHECKING:
    from sortal.typing import Ints

#: numbers of labels at which a test always begins, with their shares of delta
PLANNED = {10: 0.3, 30: 0.25, 90: 0.2, 270: 0.1, 810: 0.05, 2430: 0.05}


@dataclass(frozen=True)
class Shares:
    """Shares of delta, which sum to 1, if labelling may stop at any number of labels.

    ``tests`` share theirs by :data:`PLANNED`; ``target`` has those of the exact tests of a target,
    and ``followed`` that of a confidence sequence of the first one's classifier.
    """

    tests: float
    mdl: float
    largest_class: float
    target: tuple[float, ...] = ()
    followed: float = 0.0


WITHOUT_TARGET = Shares(tests=0.94, mdl=0.04, largest_class=0.02)
FOR_TARGET = Shares(tests=0.01, mdl=0.01, largest_class=0.01, target=(0.9, 0.06), followed=0.01)


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

    def follow(self, draw: Ints, classes: Ints, skipped: Skipped = NONE_SKIPPED) -> None:
        """Lower ``most`` after these labels, in the order of the draw."""
        if self.line is None:
            errors, tested = self.classifier.wrong(draw[self.at :], classes[self.at :])
            blank = skipped.among(len(draw))
            tested, errors = tested + blank, errors + blank * skipped.are_errors
            self.most = most_errors(
                tested, self.n - tested, errors, log_level(self.delta), self.prior, self.most
            )
        elif self.stopped is None:
            predicted = self.classifier.predicted[draw[self.at :]]
            wrong = skipped.spread(predicted != classes[self.at :], len(draw))[
                skipped.spread(predicted >= 0, len(draw), True)
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
    tuned: TunedBounds = TUNED
    _starts: list[Start] = field(default_factory=list)
    _taught: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    _drawn: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    _classes: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def shares(self) -> Shares:
        """Shares of delta for these tests and for the bounds beside them."""
        return WITHOUT_TARGET if self.target is None else FOR_TARGET

    def parts(
        self, learner: Learner, draw: Ints, codes: Ints, skipped: Skipped = NONE_SKIPPED
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
            self._drawn, draw[:n_before]
        )
        if not same or (self._classes != classes[:n_before]).any() or skipped.count:
            self._starts, n_before = [], 0
        if not n_before and not self._starts:
            self._begin(learner, draw[:0], classes[:0])
        for m in range(n_before + 1, len(draw) + 1):
            for start in self._starts:
                if m == len(draw) or m % 10 == 0 or len(start.classifier.predicted) <= MANY_OBJECTS:
                    start.follow(draw[:m], classes[:m], skipped)
            if not skipped.among(m):
                self._begin(learner, draw[:m], classes[:m])
        self._taught, self._drawn, self._classes = number_of[taught], draw.copy(), classes
        if skipped.count:  # the next call starts anew
            self._drawn, self._classes = draw[:0], classes[:0]
        return [self._part(start, draw, classes, numbers, skipped) for start in self._starts]

    def _begin(self, learner: Learner, draw: Ints, classes: Ints) -> None:
        """Begin the tests that are due after these labels."""
        m = len(draw)
        n_lessons = len(learner.lessons)
        planned = PLANNED.get(n_lessons + m, 0.0)
        first = self.target is not None and m == 0 and n_lessons > 0
        checks = self.target is not None and n_lessons + m in _checks(n_lessons + m, self.tuned)
        if m >= learner.n or not (planned or first or checks):
            return
        fit = learner.expected_error(draw, classes)
        due = first or (
            checks and self._is_due(self.tuned.likely * fit, learner.n, n_lessons, draw, classes)
        )
        if not (planned or due):
            return
        classifier = learner.fit(draw, classes)
        if planned:
            self._start(classifier, draw, planned * self.shares.tests, fit)
        if due and not self._tests:
            self._start(classifier, draw, self.shares.followed, fit)
            self._start_for_target(classifier, draw)
        elif due:
            before = self._tests[-1].classifier
            if (before.predicted != classifier.predicted).mean() > self.tuned.changed:
                self._start_for_target(classifier, draw)

    @property
    def _tests(self) -> list[Start]:
        """Tests of the target so far."""
        return [start for start in self._starts if start.line is not None]

    def _is_due(self, rate: float, n: int, n_lessons: int, draw: Ints, classes: Ints) -> bool:
        """Whether to begin a test of the target now, by a classifier of this error rate."""
        begun, m = self._tests, len(draw)
        if (
            self.target is None
            or len(begun) == len(self.shares.target)
            or any(t.stopped for t in begun)
        ):
            return False
        line = stopping_line(n - m, self.target, self.shares.target[len(begun)] * self.delta)
        if not begun:
            return line.expected_stop(rate) <= self.tuned.patience * (n_lessons + m)
        current = begun[-1]
        assert current.line is not None
        errors, tested = current.classifier.wrong(draw[current.at :], classes[current.at :])
        current_rate = (errors + 0.5) / (tested + 1)
        further = current.line.expected_stop(current_rate, errors, tested)
        return line.expected_stop(min(rate, current_rate)) < further

    def _start(
        self, classifier: TransductiveClassifier, draw: Ints, share: float, fit: float
    ) -> None:
        """Add a test of this classifier, with a prior that follows its expected error rate."""
        expected = (
            max(fit, self.tuned.least_rate)
            if self.target is None
            else max(self.target, self.tuned.least_rate)
        )
        n, _ = classifier.hidden(draw)
        prior = (0.5, 0.5 / expected)
        self._starts.append(Start(classifier, len(draw), share * self.delta, prior, n, n))

    def _start_for_target(self, classifier: TransductiveClassifier, draw: Ints) -> None:
        """Add an exact test of the target by this classifier."""
        assert self.target is not None
        n, _ = classifier.hidden(draw)
        delta = self.shares.target[len(self._tests)] * self.delta
        line = stopping_line(n, self.target, delta)
        self._starts.append(Start(classifier, len(draw), delta, (0.0, 0.0), n, n, line))

    def _part(
        self, start: Start, draw: Ints, classes: Ints, numbers: Ints, skipped: Skipped
    ) -> ComponentBound:
        """Bound of one test as a component of the guarantee."""
        errors, tested = start.classifier.wrong(draw[start.at :], classes[start.at :])
        n, excluded = start.classifier.hidden(draw)
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
            None if skipped.count else draw[start.at :],
        )  # fmt: skip


def _checks(most: int, tuned: TunedBounds) -> set[int]:
    """Numbers of labels at which a test for the target may begin."""
    first, growth = tuned.first_check, tuned.check_growth
    steps = math.ceil(math.log(max(most, first) / first) / math.log(growth)) + 1
    return {math.ceil(first * growth**j) for j in range(steps + 1)}
