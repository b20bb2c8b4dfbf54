"""Classifiers learned from some of the labels and tested on the others."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds.selection import Chooser, choose, expected_errors
from sortal.bounds.tuned import TUNED, TunedBounds
from sortal.runtime.threads import thread_pools

if TYPE_CHECKING:
    from sortal.bounds.languages import Language
    from sortal.labelings.partitions import Labelings
    from sortal.typing import Floats, Ints


@dataclass(frozen=True)
class TransductiveClassifier:
    """Predicted class of every object, and the clustering that the predictions are named after.

    Attributes
    ----------
    carrier : str
        Source of the predictions, a key of :data:`sortal.bounds.wording.CARRIERS`.
    predicted : ndarray of int64, shape (n,)
        Predicted class of each object; -1 for none.
    certainty : ndarray of float64, shape (n,)
        Probability of that class, estimated by the classifier.
    row : int
        Position of the clustering.
    labels : ndarray of int64, shape (clusters,)
        Class of each of its clusters.
    clusters : ndarray of int64, shape (n,), optional
        Cluster of each object, -1 for none, where all objects of a cluster have one class.
    """

    carrier: str
    predicted: Ints
    certainty: Floats
    row: int
    labels: Ints
    clusters: Ints | None = None

    def wrong(self, objects: Ints, classes: Ints) -> tuple[int, int]:
        """Errors on objects of known classes, and how many of these objects have a prediction."""
        predicted = self.predicted[objects]
        return int(((predicted >= 0) & (predicted != classes)).sum()), int((predicted >= 0).sum())

    def hidden(self, labelled: Ints) -> tuple[int, int]:
        """Numbers of unlabelled objects with and without a prediction."""
        n_hidden = int((self.predicted >= 0).sum()) - int((self.predicted[labelled] >= 0).sum())
        return n_hidden, len(self.predicted) - len(labelled) - n_hidden


@dataclass(frozen=True)
class ComponentBound:
    """One of several bounds that hold together.

    Attributes
    ----------
    method : str
        Method of the bound, a key of :data:`sortal.bounds.wording.METHODS`.
    classifier : TransductiveClassifier
        Classifier that the bound is about.
    bound, n : int
        Guaranteed maximum number of errors among the n unlabelled objects with a prediction; below
        0 if the labels leave no number possible.
    errors, tested : int
        Errors on the test labels, and the number of test labels.
    delta : float
        Share of the allowed chance.
    excluded : int
        Unlabelled objects without a prediction.
    test : ndarray of int64, optional
        Positions of the test labels, where the classifier was fixed before them.
    bits : float
        Length of the classifier's description, which delta pays for.
    """

    method: str
    classifier: TransductiveClassifier = field(repr=False, compare=False)
    bound: int
    n: int
    errors: int
    tested: int
    delta: float
    excluded: int = 0
    test: Ints | None = field(default=None, repr=False, compare=False)
    bits: float = 0.0

    @property
    def wrong(self) -> int:
        """The bound, with excluded objects counted as errors."""
        return self.bound + self.excluded

    @property
    def bound_rate(self) -> float:
        """The bound as a share of the unlabelled objects; 0 where there are none."""
        return self.bound / self.n if self.n else 0.0


def of_clusters(batch: Labelings, row: int, labels: Ints) -> TransductiveClassifier:
    """Classifier that gives each object the class of its cluster in one clustering."""
    codes = batch.codes[row]
    predicted = np.where(codes >= 0, labels[codes], -1)
    one_class = len(np.unique(labels)) == 1
    carrier = "largest class" if one_class and len(labels) > 1 else "clustering"
    return TransductiveClassifier(carrier, predicted, np.ones(len(codes)), row, labels, codes)


@dataclass(frozen=True)
class Learner:
    """Method that learns a classifier from labels, fixed before any label was seen.

    Attributes
    ----------
    batch : Labelings
        Clusterings of the n objects to classify, followed by the objects that only teach.
    bits : ndarray of float64, shape (M,)
        Lengths of the clusterings' names: prior probabilities in bits.
    X : array or sparse matrix, or None
        Features of all these objects.
    language, chooser
        As for :func:`sortal.bounds.selection.choose`.
    lessons : ndarray of int64
        Classes of the objects that teach.
    tuned : TunedBounds
        Constants of these classifiers.

    Notes
    -----
    The class probabilities of several classifiers are added:

    - a logistic regression on the one-hot memberships of all clusterings
    - half the vote of the clustering that fits the labels best
    - extremely randomised trees on the features (Geurts, Ernst and Wehenkel 2006), or a logistic
      regression if these are sparse

    The sum is one classifier, so nothing is paid for a choice. A single clustering is its own
    classifier. The labels that test it were not used here, so this costs nothing of delta.
    """

    batch: Labelings
    bits: Floats
    X: Any = None
    language: Language | None = None
    chooser: Chooser | None = None
    lessons: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    tuned: TunedBounds = TUNED

    @property
    def n(self) -> int:
        """Number of objects to classify."""
        return self.batch.n_objects - len(self.lessons)

    def fit(self, labelled: Ints, classes: Ints) -> TransductiveClassifier:
        """Classifier learned from the objects at these positions and their classes."""
        classifier = self._fit(*self._with_lessons(labelled, classes))
        n, clusters = self.n, classifier.clusters
        return replace(
            classifier,
            predicted=classifier.predicted[:n],
            certainty=classifier.certainty[:n],
            clusters=None if clusters is None else clusters[:n],
        )

    def expected_error(self, labelled: Ints, classes: Ints) -> float:
        """Expected error rate of the clustering that fits these labels best."""
        positions, codes = self._with_lessons(labelled, classes)
        errors = expected_errors(self.batch, positions, codes, int(codes.max()) + 1)
        return float(errors.min() / len(codes))

    def _with_lessons(self, labelled: Ints, classes: Ints) -> tuple[Ints, Ints]:
        """Positions and classes of the lessons, followed by those of the labels."""
        teaching = np.arange(self.n, self.batch.n_objects)
        return np.concatenate([teaching, labelled]), np.concatenate([self.lessons, classes])

    def _fit(self, labelled: Ints, classes: Ints) -> TransductiveClassifier:
        """Classifier of all objects, the teaching ones included."""
        chosen = choose(
            self.batch, labelled, classes, self.bits, self.language, self.chooser, self.tuned
        )
        single = of_clusters(self.batch, *chosen)
        seen, codes = np.unique(classes, return_inverse=True)
        if (len(self.batch) == 1 and self.X is None) or len(seen) == 1:
            return single
        shares = self._shares(labelled, codes)
        number = np.zeros(int(seen[-1]) + 1, dtype=np.int64)
        number[seen] = np.arange(len(seen))
        classified = single.predicted >= 0
        shares[classified, number[single.predicted[classified]]] += 0.5
        predicted = seen[shares.argmax(axis=1)]
        carrier = "clusterings" if self.X is None else "clusterings and features"
        if (predicted == predicted[0]).all():
            carrier = "largest class"
        return TransductiveClassifier(
            carrier, predicted, shares.max(axis=1) / shares.sum(axis=1), *chosen
        )

    def _shares(self, labelled: Ints, codes: Ints) -> Floats:
        """Probability of each class for each object, classes numbered from 0."""
        from scipy import sparse
        from sklearn.ensemble import ExtraTreesClassifier
        from sklearn.linear_model import LogisticRegression

        # few objects: more threads would only wait for each other
        with thread_pools().limit(limits=1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shares = self._by_memberships(labelled, codes)
            if self.X is not None:
                model = ExtraTreesClassifier(self.tuned.n_trees, random_state=0)
                if sparse.issparse(self.X):
                    model = LogisticRegression(max_iter=300)
                shares += model.fit(self.X[labelled], codes).predict_proba(self.X)
        return shares

    def _by_memberships(self, labelled: Ints, classes: Ints) -> Floats:
        """Class probabilities of a logistic regression on the cluster memberships."""
        from scipy import sparse
        from scipy.special import expit, softmax
        from sklearn.linear_model import LogisticRegression

        codes = self.batch.codes[:, labelled]
        ends = np.cumsum(self.batch.n_clusters)
        starts = ends - self.batch.n_clusters
        weight = self.tuned.membership_scale / len(self.batch)
        row, at = np.nonzero(codes >= 0)
        entries = (np.full(len(at), weight), (at, codes[row, at] + starts[row]))
        table = sparse.csr_matrix(entries, shape=(len(labelled), int(ends[-1])))
        model = LogisticRegression(C=self.tuned.penalty, max_iter=300).fit(table, classes)
        weights = np.ascontiguousarray(model.coef_) * weight
        scores = np.tile(model.intercept_[:, None], (1, self.batch.n_objects))
        added = np.empty(self.batch.n_objects)
        for start, end, clusters in zip(starts, ends, self.batch.codes, strict=True):
            place = clusters.astype(np.intp)
            for score, cluster_weights in zip(scores, weights[:, start:end], strict=True):
                # -1 wraps to the last entry, that of excluded objects
                score += np.take(np.append(cluster_weights, 0.0), place, out=added, mode="wrap")
        if len(scores) == 1:
            return np.stack([expit(-scores[0]), expit(scores[0])], axis=1)
        return softmax(scores.T, axis=1)
