"""Guarantees about each cluster, each class, counts of classes, and answers that abstain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds import wording
from sortal.bounds.classifiers import TransductiveClassifier
from sortal.bounds.population import population_of
from sortal.bounds.sampling import doubted_draw
from sortal.bounds.tails import b_max, binomial_tail_bound, check_delta, log_level
from sortal.labelings.labels import NoisePolicy
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import numpy.typing as npt
    from numpy.typing import NDArray

    from sortal.bounds.classes import Clusterings
    from sortal.typing import ArrayLike, Bools, Ints, Labels, RandomState

#: kinds of statement
ABOUT = ("error", "clusters", "classes", "counts", "abstain")


@dataclass(frozen=True)
class Claim:
    """Statement about the error rate, a cluster, a class, a count, or an answer that abstains.

    Attributes
    ----------
    about : str
        ``"error"``, ``"clusters"``, ``"classes"``, ``"counts"`` or ``"abstain"``.
    subject : object
        The cluster or the class; None for the error rate and for the answer that abstains.
    says : object
        Class assigned to a cluster; None elsewhere.
    low, high : float
        Lower and upper limit. Its meaning depends on ``about``:

        - ``"clusters"``: share of the cluster's objects that are of its class
        - ``"classes"``: recall of the class
        - ``"counts"``: number of objects of the class
        - ``"error"``: share of the unlabelled objects that are wrong
        - ``"abstain"``: the same among the answered objects
    n : int
        Number of objects in the cluster, assigned to the class, in all, unlabelled, or answered.
    errors, tested : int
        Errors among the labels that tested the statement, and the number of these labels.
    """

    about: str
    subject: Any
    says: Any
    low: float
    high: float
    n: int
    errors: int
    tested: int

    def __str__(self) -> str:
        return wording.claim(self)


@dataclass(frozen=True)
class Claims:
    """Statements that all hold at once.

    Attributes
    ----------
    claims : tuple of Claim
    delta : float
        Chance that any of them is false.
    labels : ndarray of object, shape (n,)
        Class of each object: its label if it has one, otherwise the predicted class; None where
        the answer abstains.
    carrier, name : str
        Source of the predictions, and the clustering, as in :class:`Guarantee`.
    n_compared : int
    premises : tuple of str
    refused : str
        Reason why nothing is claimed if the labelled objects are no random draw, else empty.
    """

    claims: tuple[Claim, ...]
    delta: float
    labels: NDArray[np.object_] = field(repr=False, compare=False)
    carrier: str
    name: str
    n_compared: int
    premises: tuple[str, ...] = (
        wording.DRAWN, wording.BLIND, wording.RIGHT_LABEL, wording.FIXED_NUMBER,
    )  # fmt: skip
    refused: str = ""

    def __str__(self) -> str:
        return wording.claims(self)


def claims(
    labelings: Clusterings,
    y: Labels,
    delta: float = 0.1,
    *,
    about: Sequence[str] = ("error", "clusters", "classes"),
    abstain: float = 0.2,
    X: ArrayLike | None = None,
    order: npt.ArrayLike | None = None,
    noise: NoisePolicy = "error",
    random_state: RandomState = 0,
) -> Claims:
    """Guarantees about clusters, classes, counts or abstaining answers, all holding at once.

    Parameters
    ----------
    labelings, y, delta, X, order, noise, random_state
        As for :func:`sortal.guarantee`, for a number of labels that was fixed beforehand.
    about : sequence of str
        Kinds of statement, see :class:`Claim`. Each has the same share of delta. Choose them before
        you look at the results.
    abstain : float, default 0.2
        Share of the unlabelled objects without an answer, the least certain ones.

    Returns
    -------
    Claims
        It prints as sentences. Clusters and classes without a label in the testing half have no
        claim.

    Raises
    ------
    InputError
        For an unknown kind of statement, ``abstain`` outside [0, 1), and as
        :func:`sortal.guarantee`.

    Notes
    -----
    Half of the labels, A, learns the classifier. It also fixes the clusters' classes, the order of
    certainty and the list of classes. Given A, the other half B is a uniform draw from the objects
    outside A.

    A fixes sets: a cluster, the certain objects, the objects predicted to be of a class. The tested
    objects in such a set are a uniform draw from it, so :func:`b_max` bounds its hidden errors.

    For a recall the set is a class, which is known only where labelled. The members of the class in
    B are a uniform draw from it, of unknown size. A hypergeometric variable is a sum of independent
    ones (Vatutin and Mikhailov 1982). For such sums, P(S ≤ a) is at most the binomial probability
    if a ≤ mp − 1 (Hoeffding 1956). So the Clopper–Pearson limit, at least (a + 1)/m, bounds the
    missed share for every size.

    A count is at least the seen and predicted objects minus the false ones, and at most these plus
    the missed ones. Each of the two events has half the level. Statements of a kind share its part
    of delta evenly. ``high`` and ``low`` are about the completed table, in which labelled objects
    keep their label.

    Examples
    --------
    >>> import sortal
    >>> y = [None] * 1000
    >>> for i in sortal.bounds.sample(1000, 200, random_state=3):
    ...     y[i] = "ham" if i < 500 else "spam"
    >>> statements = sortal.bounds.claims([0] * 500 + [1] * 500, y, about=["clusters"])
    >>> print(statements.claims[0])
    Cluster 0 is at least 95.2 % ham (500 objects).
    """
    check_delta(delta)
    kinds = list(dict.fromkeys(about))
    if not kinds or any(topic not in ABOUT for topic in kinds):
        raise InputError(f"about must name some of {', '.join(ABOUT)}; got {about!r}")
    if not 0 <= abstain < 1:
        raise InputError(f"abstain is a share in [0, 1); got {abstain!r}")
    labelled = population_of(labelings, X, None, noise).read(y, None)
    learner, truth, batch = labelled.learner, labelled.truth, labelled.learner.batch
    draw = labelled.halved(order, random_state)
    first, test = np.split(draw, [max(1, len(draw) // 2)])
    classifier = learner.fit(first, truth.codes[first])
    tested = _Test(classifier, truth.codes, first, test, batch.codes[classifier.row])
    names = np.empty(len(truth.names) + 1, dtype=object)
    names[:-1] = truth.names
    refused = ""
    if (doubt := doubted_draw(batch.codes, truth.labelled)) is not None and doubt.refuses:
        refused = wording.doubt(doubt, batch)
    statements: list[Claim] = []
    level = delta / len(kinds)
    labels = names[np.where(truth.codes >= 0, truth.codes, classifier.predicted)]
    if not refused:
        cluster_names = batch.cluster_names[classifier.row]
        statements += tested.error(level) if "error" in kinds else []
        statements += tested.clusters(level, cluster_names, names) if "clusters" in kinds else []
        statements += tested.classes(level, names) if "classes" in kinds else []
        statements += tested.counts(level, names) if "counts" in kinds else []
    if "abstain" in kinds:
        answered = tested.certain(abstain)
        labels[tested.hidden[~answered[tested.hidden]]] = None
        statements += [] if refused else tested.abstaining(level, answered)
    return Claims(
        tuple(statements),
        float(delta),
        labels,
        classifier.carrier,
        batch.names[classifier.row],
        len(batch),
        refused=refused,
    )


@dataclass(frozen=True)
class _Test:
    """A classifier, the labels that tested it, and the objects that have none."""

    classifier: TransductiveClassifier
    truth: Ints
    first: Ints
    test: Ints
    clusters_of: NDArray[Any]

    @property
    def hidden(self) -> Ints:
        """Positions of the unlabelled objects."""
        return np.flatnonzero(self.truth < 0)

    @property
    def wrong(self) -> Bools:
        """Whether each object's prediction differs from its label."""
        return self.classifier.predicted != self.truth

    def _most(self, inside: Bools, event: Bools, delta: float) -> int:
        """Most hidden objects with a property, in a set that the first half fixed."""
        m, n = int(inside[self.test].sum()), int(inside[self.hidden].sum())
        a = int((inside & event)[self.test].sum())
        return int(b_max(m, n, a, log_delta=log_level(delta)))

    def _about(self, inside: Bools, about: str, delta: float) -> list[Claim]:
        """Upper bound on the share of wrong objects in a set, as a claim."""
        n = int(inside[self.hidden].sum())
        m, a = int(inside[self.test].sum()), int((inside & self.wrong)[self.test].sum())
        high = self._most(inside, self.wrong, delta) / n if n else 0.0
        return [Claim(about, None, None, 0.0, high, n, a, m)]

    def error(self, delta: float) -> list[Claim]:
        """Claim about the unlabelled objects that are wrong."""
        return self._about(self.classifier.predicted >= 0, "error", delta)

    def certain(self, share: float) -> Bools:
        """Mask of the objects outside the first half, without the least certain share of them."""
        classified = self.classifier.predicted >= 0
        pool = np.setdiff1d(np.flatnonzero(classified), self.first)
        order = pool[np.argsort(-self.classifier.certainty[pool], kind="stable")]
        certain = np.zeros(len(classified), dtype=bool)
        certain[order[: len(pool) - math.floor(share * len(pool))]] = True
        return certain

    def abstaining(self, delta: float, answered: Bools) -> list[Claim]:
        """Claim about the answered objects that are wrong."""
        return self._about(answered, "abstain", delta)

    def clusters(
        self, delta: float, cluster_names: NDArray[np.object_], names: NDArray[np.object_]
    ) -> list[Claim]:
        """Claims about the share of each cluster that is of its class."""
        assigned = np.where(self.clusters_of >= 0, self.classifier.labels[self.clusters_of], -1)
        share = delta / len(cluster_names)
        statements = []
        for c, name in enumerate(cluster_names):
            inside = self.clusters_of == c
            m = int(inside[self.test].sum())
            if m:
                deviating = assigned != self.truth
                seen_deviating = int((inside & deviating & (self.truth >= 0)).sum())
                size = int(inside.sum())
                low = 1 - (seen_deviating + self._most(inside, deviating, share)) / size
                a = int((inside & deviating)[self.test].sum())
                says = names[self.classifier.labels[c]]
                statements.append(Claim("clusters", name, says, low, 1.0, size, a, m))
        return statements

    def _listed(self) -> Ints:
        """Classes among the labels of the first half."""
        return np.unique(self.truth[self.first])

    def classes(self, delta: float, names: NDArray[np.object_]) -> list[Claim]:
        """Claims about the recall of each class."""
        listed = self._listed()
        statements = []
        for t in listed:
            inside = self.truth[self.test] == t
            m, a = int(inside.sum()), int((inside & self.wrong[self.test]).sum())
            if m:
                limit = binomial_tail_bound(m, a, delta / len(listed) * (1 - 1e-12))
                low = max(0.0, 1 - max(limit, (a + 1) / m))
                n_assigned = int(((self.classifier.predicted == t) & (self.truth < 0)).sum())
                n_assigned += int((self.truth == t).sum())
                statements.append(Claim("classes", names[t], None, low, 1.0, n_assigned, a, m))
        return statements

    def counts(self, delta: float, names: NDArray[np.object_]) -> list[Claim]:
        """Claims about the number of objects of each class."""
        listed = self._listed()
        share = delta / len(listed) / 2
        statements = []
        for t in listed:
            predicted = self.classifier.predicted == t
            seen = int((self.truth == t).sum())
            n_predicted = int(predicted[self.hidden].sum())
            false = self._most(predicted, self.wrong, share)
            missed = self._most(~predicted, self.truth == t, share)
            a = int((predicted != (self.truth == t))[self.test].sum())
            low, high = seen + max(0, n_predicted - false), seen + n_predicted + missed
            statements.append(
                Claim("counts", names[t], None, low, high, len(self.truth), a, len(self.test))
            )
        return statements
