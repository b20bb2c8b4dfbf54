"""Labels to look at again: disagreements, and what the other labels contradict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds.population import population_of
from sortal.labeling.session import TUNED, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from sortal.bounds.classifiers import TransductiveClassifier
    from sortal.labeling.session import LabelSession
    from sortal.typing import ArrayLike, Floats, Ints, Labels

#: limit of cost: parts of labels or objects, each predicted from the others
FOLDS = 5


@dataclass(frozen=True)
class LabelDoubt:
    """An object whose label is to be looked at again.

    Attributes
    ----------
    at : int
        Position of the object.
    labels : dict of str to str
        Its labels by labeller.
    predicted : str
        Class by a classifier learned from the labels of other objects; empty where labellers
        disagree.
    certainty : float
        The classifier's estimate of the probability of that class; 0 where labellers disagree.
    """

    at: int
    labels: dict[str, str]
    predicted: str = ""
    certainty: float = 0.0

    def __str__(self) -> str:
        labels = ", ".join(f"{by}: {label}" for by, label in self.labels.items())
        if not self.predicted:
            return f"Labellers differ: {labels}."
        percent = f"{int(100 * self.certainty)} %"
        return f"{labels}; the other labels say {self.predicted} ({percent} certain)."


@dataclass
class LabelTeacher:
    """Classes of all objects, predicted from a session's labels.

    No guarantee rests on these predictions. They are made anew when asked for, from all labels,
    while the tests of a guarantee keep the classifiers with which they began.

    Parameters
    ----------
    labelings, X, prior
        As for :func:`sortal.guarantee`.
    """

    labelings: ArrayLike | Mapping[str, Labels]
    X: ArrayLike | None = None
    prior: Any = None
    _population: Any = field(default=None, init=False, repr=False)

    def predict(self, y: NDArray[np.object_]) -> tuple[NDArray[np.object_], Floats]:
        """Class of each object from these labels, and the certainty of each."""
        read = self._read(y)
        labelled = read.truth.labelled
        classifier = read.learner.fit(labelled, read.truth.codes[labelled])
        certainty = _certainty(classifier, read.population.batch.codes, read.truth.codes, labelled)
        return read.of_all(classifier.predicted), certainty

    def contradicted(self, y: NDArray[np.object_]) -> list[tuple[int, str, float]]:
        """Labelled objects whose label the others contradict: position, class, certainty.

        Four fifths of the labels, without the label in question, predict its class. The label is
        suspected if they predict another class with a certainty of at least 0.7. A class that they
        do not have, or *don't know*, is not suspected.
        """
        read = self._read(y)
        labelled, codes = read.truth.labelled, read.truth.codes
        if len(labelled) < 2 * FOLDS:
            return []
        suspects = []
        fold = np.random.default_rng(0).permutation(len(labelled)) % FOLDS
        for number in range(FOLDS):
            lessons, tested = labelled[fold != number], labelled[fold == number]
            classifier = read.learner.fit(lessons, codes[lessons])
            certainty = _certainty(classifier, read.population.batch.codes, codes, lessons)
            names = read.of_all(classifier.predicted)
            suspects += [
                (int(i), str(names[i]), float(certainty[i]))
                for i in tested
                if certainty[i] >= TUNED.certain
                and names[i] not in (y[i], None, UNKNOWN)
                and y[i] != UNKNOWN
                and codes[i] in codes[lessons]
            ]
        return sorted(suspects, key=lambda suspect: -suspect[2])

    def _read(self, y: NDArray[np.object_]) -> Any:
        """The labels as a population's, made once."""
        if self._population is None:
            self._population = population_of(self.labelings, self.X, self.prior, "cluster")
        return self._population.read(y, None)


def doubts_of(session: LabelSession, teacher: LabelTeacher) -> list[LabelDoubt]:
    """Objects to look at again: disagreements, then contradicted labels, the surest first."""
    doubts = [LabelDoubt(at, labels) for at, labels in session.disagreements]
    y, settled, by = session.y, session.settled, session.by_labeller()
    done = {doubt.at for doubt in doubts} | set(settled)
    if len(set(session.labels)) > 1:
        for at, predicted, certainty in teacher.contradicted(y):
            if at not in done:
                labels = {name: str(column[at]) for name, column in by.items() if column[at]}
                doubts.append(LabelDoubt(at, labels, predicted, certainty))
    return doubts


def _certainty(
    classifier: TransductiveClassifier, clusters: Ints, codes: Ints, lessons: Ints
) -> Floats:
    """Estimated probability of each predicted class.

    A single clustering estimates none. There it is the share of its class among the lessons in the
    cluster, after one more of each class.
    """
    if not (classifier.certainty == 1).all():
        return classifier.certainty
    of_cluster, n_classes = clusters[classifier.row], len(np.unique(codes[lessons]))
    same = (of_cluster[lessons] >= 0) & (codes[lessons] == classifier.predicted[lessons])
    size = int(of_cluster.max(initial=0)) + 1
    hits = np.bincount(of_cluster[lessons][same], minlength=size)
    n = np.bincount(of_cluster[lessons][of_cluster[lessons] >= 0], minlength=size)
    certainty: Floats = ((hits + 1) / (n + n_classes))[of_cluster]
    return np.where(of_cluster >= 0, certainty, 0.0)
