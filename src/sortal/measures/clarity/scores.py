"""Recognition of a clustering: scores of predicted against actual clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sortal.labelings.labels import NOISE, NoisePolicy, apply_noise_policy, encode
from sortal.runtime.validation import InputError, UndefinedMeasureError, check_choice
from sortal.typing import Floats, Labels

Baseline: TypeAlias = Literal["uniform", "permutation"]
BASELINES: tuple[Baseline, ...] = ("uniform", "permutation")


@dataclass(frozen=True)
class Recognition:
    """Counts of the correct predictions of a classifier for one clustering.

    Attributes
    ----------
    sizes : ndarray of int64, shape (k,)
        Objects in each cluster.
    predicted_sizes : ndarray of int64, shape (k,)
        Objects predicted to be in each cluster.
    recognised : ndarray of int64, shape (k,)
        Correctly predicted objects of each cluster: n·r_f(c).
    """

    sizes: NDArray[np.int64]
    predicted_sizes: NDArray[np.int64]
    recognised: NDArray[np.int64]

    @classmethod
    def of_codes(
        cls, codes: NDArray[np.int32], predicted: NDArray[np.int32], k: int
    ) -> Recognition:
        """Counts from codes 0..k-1; a predicted -1 is wrong, an actual -1 is ignored."""
        is_judged = codes != NOISE
        if not is_judged.all():
            codes, predicted = codes[is_judged], predicted[is_judged]
        placed = predicted[predicted != NOISE]
        right = codes[codes == predicted]
        return cls(*(np.bincount(clusters, minlength=k) for clusters in (codes, placed, right)))

    @property
    def n(self) -> int:
        """Number of objects."""
        return int(self.sizes.sum())

    @property
    def code_lengths(self) -> Floats:
        """−log p(c) of each cluster, in nats (6.4)."""
        return -np.log(self.sizes / self.n)

    @property
    def average_information(self) -> float:
        """AI: mean correct information in a prediction, in nats (6.5); 0 to the entropy."""
        return float(self.recognised @ self.code_lengths) / self.n

    @property
    def entropy(self) -> float:
        """H(C) in nats, the greatest possible AI."""
        return float(self.sizes @ self.code_lengths) / self.n

    @property
    def accuracy(self) -> float:
        """A: share of the objects that are recognised (6.1)."""
        return float(self.recognised.sum()) / self.n

    @property
    def normalized_accuracy(self) -> float:
        """NA: accuracy divided by that of always predicting the largest cluster (6.3); 0 to k."""
        return float(self.recognised.sum()) / float(self.sizes.max())

    @property
    def macro_accuracy(self) -> float:
        """Mean over clusters of the share of their objects that are recognised (6.6)."""
        return float((self.recognised / self.sizes).mean())

    def expected_information(self, baseline: Baseline = "uniform") -> float:
        """AI of a guesser, in nats.

        ``"uniform"`` predicts every cluster equally often: H/k (6.10). ``"permutation"`` predicts
        each cluster as often as the classifier, but for random objects: Σ p q (−log p).
        """
        if baseline == "uniform":
            return self.entropy / len(self.sizes)
        weights = self.sizes * self.predicted_sizes
        return float(weights @ self.code_lengths) / self.n**2

    def informativeness(self, baseline: Baseline = "uniform") -> float:
        """(AI − E)/(H − E), E the guesser's AI (6.11); 1 if every object is recognised."""
        expected, entropy = self.expected_information(baseline), self.entropy
        if entropy <= expected:
            raise UndefinedMeasureError(
                "informativeness is undefined: the clustering has one cluster; it needs at least 2"
            )
        return (self.average_information - expected) / (entropy - expected)


def standard_error(
    codes: NDArray[np.int32],
    predicted: NDArray[np.int32],
    recognition: Recognition,
    folds: NDArray[np.int32] | None,
) -> float:
    """Standard error of informativeness over the folds (leave-one-out: over the objects).

    The objects of a fold share a classifier, so they count as one draw. Let g be the sum, over a
    fold, of each object's information less its cluster's mean. With K folds and n objects, the
    squared error of AI is K/(K−1) Σ g²/n². The clusters and their sizes are fixed. The overlap of
    the training folds, for which no unbiased estimate exists, is ignored.
    """
    share = recognition.recognised / recognition.sizes
    excess = recognition.code_lengths[codes] * ((codes == predicted) - share[codes])
    sums = excess if folds is None else np.bincount(folds, excess)
    count = len(sums)
    error = math.sqrt(count / (count - 1) * float((sums**2).sum())) / recognition.n
    return error / (recognition.entropy - recognition.expected_information())


def recognition_of_predictions(
    labels: Labels, predicted: Labels, *, noise: NoisePolicy = "error"
) -> Recognition:
    """Count the correct predictions of a classifier for a clustering.

    Parameters
    ----------
    labels : array-like, shape (n,)
        The cluster of each object.
    predicted : array-like, shape (n,)
        The predicted cluster of each object, under the same names; any other name is a wrong
        prediction.
    noise : {"error", "cluster", "singletons", "drop"}
        What the label ``-1`` means in ``labels``.

    Returns
    -------
    Recognition
        A, NA, macro-averaged accuracy, AI and informativeness are attributes and methods.

    Examples
    --------
    >>> from sortal.measures.clarity import recognition_of_predictions
    >>> seen = recognition_of_predictions([3, 1, 2, 1, 2, 3, 3, 3], [3, 1, 1, 1, 3, 3, 3, 3])
    >>> seen.accuracy, seen.normalized_accuracy, round(seen.macro_accuracy, 4)
    (0.75, 1.5, 0.6667)
    """
    true = apply_noise_policy(encode(labels), noise)
    pred = encode(predicted, name="predicted")
    if len(true.codes) != len(pred.codes):
        raise InputError(
            f"labels has {len(true.codes)} labels and predicted {len(pred.codes)}; both must "
            "name the same objects in the same order"
        )
    if true.n_clusters == 0:
        raise InputError("no object is left: every one is marked as an outlier")
    place = {name: code for code, name in enumerate(true.names)}
    # the last entry is the place of a predicted -1
    codes = np.array([place.get(name, -1) for name in [*pred.names, -1]], dtype=np.int32)
    return Recognition.of_codes(true.codes, codes[pred.codes], true.n_clusters)


def informativeness_of_predictions(
    labels: Labels,
    predicted: Labels,
    *,
    baseline: Baseline = "uniform",
    noise: NoisePolicy = "error",
) -> float:
    """Informativeness of a clustering from a classifier's predictions.

    I = (AI − E)/(H − E). Here AI = −Σ r(c) log p(c) is the mean correct information in a
    prediction. H is the entropy of the clustering, and E the AI of a guesser.

    Parameters
    ----------
    labels : array-like, shape (n,)
        The cluster of each object.
    predicted : array-like, shape (n,)
        Its cluster predicted by a classifier trained without it, under the same names.
    baseline : {"uniform", "permutation"}
        The guesser: predicts every cluster equally often (whissell2012), or each as often as the
        classifier. Only with the second, a classifier that ignores the objects has an expected
        value of 0 for clusters of any sizes.
    noise : {"error", "cluster", "singletons", "drop"}
        What the label ``-1`` means in ``labels``.

    Returns
    -------
    float
        At most 1 (every object recognised); 0 is guessing, and below 0 is worse than that.

    Notes
    -----
    O(n). Whissell 2012, equations 6.5 and 6.11.

    Examples
    --------
    >>> from sortal.measures.clarity import informativeness_of_predictions
    >>> predicted = [3, 1, 1, 1, 3, 3, 3, 3]
    >>> round(informativeness_of_predictions([3, 1, 2, 1, 2, 3, 3, 3], predicted), 9)
    0.5
    """
    check_choice(baseline, BASELINES, "baseline")
    return recognition_of_predictions(labels, predicted, noise=noise).informativeness(baseline)
